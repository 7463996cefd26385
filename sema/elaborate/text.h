// What is written out: f-strings, `print`, `assert`, `str`.
#pragma once

#include "frontend/ast.h"
#include "sema/elaborate/body.h"

namespace tsr::elaborate {

Val format_string(Body& b, const ast::FString& node);
// `str(x)`.
Val text_of(Body& b, const Val& value, const sema::Type& type);

Val print_call(Body& b, const sema::CallInfo& info);
void assert_statement(Body& b, const ast::Assert& statement);

}  // namespace tsr::elaborate
