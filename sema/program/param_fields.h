// Which parts of a tree are trained: in a record with fields declared `param` these alone.
#pragma once

#include <vector>

#include "sema/program/tables.h"

namespace tsr::sema {

bool declares_param(const ast::Parameter& declared);
// A record with a field that is declared so, at any depth.
bool holds_param_fields(const Program& program, const Type& type);
// Whether a part of a tree is trained that is itself (`whole`).
bool is_trained_part(const Program& program, const Type& form, size_t part, bool whole);

}  // namespace tsr::sema
