// Policies as they are written behind a type: `@accum(f32)`, `@round(rz)`, … (language reference, section 3).
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// Reads what is written behind a type into `policy` and `scaling`; false after a message.
bool policy_annotations(Body& b, const std::vector<const ast::Expr*>& written, Policy& policy, Scaling& scaling);

}  // namespace tsr::sema
