// Which argument of a call goes to which parameter.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// `skip` parameters are given already (the receiver of a method). The arguments are not checked here.
Matched match_arguments(Body& b, const ast::Call& c, Span callee, const std::string& what,
                        const std::vector<BuiltinParameter>& parameters, const std::vector<bool>& has_default,
                        size_t skip);
// Where the call itself is wrong: what is wrong in its arguments.
void evaluate_arguments(Body& b, const ast::Call& c);

}  // namespace tsr::sema
