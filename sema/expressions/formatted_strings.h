// f-strings, and the texts that `print` and `assert` write.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

Value formatted_string(Body& b, const ast::Expr& e, const ast::FString& f);
// What `print` and `assert` write: also in kernels made of values.
Value message_part(Body& b, const ast::Expr& e);

}  // namespace tsr::sema
