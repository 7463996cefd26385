// Text: f-strings, `print`, `assert`, strings of host programs.
#pragma once

#include <string>
#include <vector>

#include "frontend/ast.h"
#include "sema/elaborate/body.h"

namespace tsr::elaborate {

bool is_text(Body& b, const Val& value);
// Strings compare by bytes.
Val compare_text(Body& b, ir::OpKind op, const Val& lhs, const Val& rhs);
Val concatenate(Body& b, const ast::Expr& sum);
Val concatenate(Body& b, const Val& lhs, const Val& rhs);
Val format_string(Body& b, const ast::FString& node);
// `str(x)`.
Val text_of(Body& b, const Val& value, const sema::Type& type);

Val print_call(Body& b, const sema::CallInfo& info);
void assert_statement(Body& b, const ast::Assert& statement);

}  // namespace tsr::elaborate
