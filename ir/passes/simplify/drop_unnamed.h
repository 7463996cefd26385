// Functions that nothing of a program names.
#pragma once

#include <set>
#include <string>

#include "ir/core/function.h"

namespace tsr::ir {

// `rules`: the functions that calls name as rules of derivatives count, too.
enum class Naming : uint8_t { calls, calls_and_rules };

// Functions of the module that the operations of a function call, launch or differentiate.
std::set<std::string> named_functions(const Module& module, const Function& function, Naming naming);

// Takes those of the candidates out of the module that the others do not name, nor candidates that stay.
void drop_unnamed(Module& module, std::set<std::string> candidates, Naming naming);

}  // namespace tsr::ir
