// The law that the last pass records every expression, checked on the finished tables. That none is recorded twice
// is checked where it would be (`Body::record`).
#pragma once

#include <vector>

#include "sema/state/checker.h"

namespace tsr::sema {

struct MissingEntry {
    InstanceId instance;
    const ast::Expr* expr = nullptr;
};

// The expressions that an instance reaches, in its header or its body, without an entry in `Instance::exprs`. Of
// instances that are elaborated; of a program with errors nothing is said.
std::vector<MissingEntry> missing_entries(const Checker& checker);

// An internal error that names the first of them.
void require_entries(const Checker& checker);

}  // namespace tsr::sema
