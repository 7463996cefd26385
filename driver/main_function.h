// What the command line of a program needs to know of its `main`, beside its signature.
#pragma once

#include "base/sources.h"
#include "codegen/codegen.h"
#include "sema/program/tables.h"

namespace tsr::driver {

// Fills in main's name, its defaults and the names of its results. Leaves all of it empty when there is no main.
void describe_main(const sema::Program& program, const Sources& sources, codegen::Program& out);

// The names of what a function of this body returns: of each result the variable that all `return`s give; "" where
// there is none.
std::vector<std::string> result_names(const ast::Block& body, size_t count);

}  // namespace tsr::driver
