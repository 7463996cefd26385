// How operators and names of several parts are written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/ast.h"

namespace tsr {

std::string_view spelling(ast::UnaryOp op);  // `not` without the space behind it
std::string_view spelling(ast::BinaryOp op);
std::string_view spelling(ast::CompareOp op);
std::string_view spelling(ast::BoolOp op);
std::string_view spelling(ast::Qualified::Qualifier qualifier);
// Of a name, or of an attribute; else empty.
std::string last_name(const ast::Expr& e);
std::string dotted(const std::vector<ast::Identifier>& path);

}  // namespace tsr
