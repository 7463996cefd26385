#include "frontend/spelling.h"

namespace tsr {

std::string_view spelling(ast::UnaryOp op) {
    switch (op) {
        case ast::UnaryOp::plus:
            return "+";
        case ast::UnaryOp::minus:
            return "-";
        case ast::UnaryOp::invert:
            return "~";
        case ast::UnaryOp::logical_not:
            return "not";
    }
    return {};
}

std::string_view spelling(ast::BinaryOp op) {
    switch (op) {
        case ast::BinaryOp::add:
            return "+";
        case ast::BinaryOp::sub:
            return "-";
        case ast::BinaryOp::mul:
            return "*";
        case ast::BinaryOp::div:
            return "/";
        case ast::BinaryOp::floordiv:
            return "//";
        case ast::BinaryOp::mod:
            return "%";
        case ast::BinaryOp::pow:
            return "**";
        case ast::BinaryOp::matmul:
            return "@";
        case ast::BinaryOp::bit_and:
            return "&";
        case ast::BinaryOp::bit_or:
            return "|";
        case ast::BinaryOp::bit_xor:
            return "^";
        case ast::BinaryOp::shl:
            return "<<";
        case ast::BinaryOp::shr:
            return ">>";
    }
    return {};
}

std::string_view spelling(ast::CompareOp op) {
    switch (op) {
        case ast::CompareOp::eq:
            return "==";
        case ast::CompareOp::ne:
            return "!=";
        case ast::CompareOp::lt:
            return "<";
        case ast::CompareOp::le:
            return "<=";
        case ast::CompareOp::gt:
            return ">";
        case ast::CompareOp::in:
            return "in";
        case ast::CompareOp::not_in:
            return "not in";
        case ast::CompareOp::ge:
            return ">=";
    }
    return {};
}

std::string_view spelling(ast::BoolOp op) { return op == ast::BoolOp::logical_and ? "and" : "or"; }

std::string_view spelling(ast::Qualified::Qualifier qualifier) {
    switch (qualifier) {
        case ast::Qualified::Qualifier::mut:
            return "mut";
        case ast::Qualified::Qualifier::fixed:
            return "static";
        case ast::Qualified::Qualifier::param:
            return "param";
    }
    return {};
}

std::string dotted(const std::vector<ast::Identifier>& path) {
    std::string out;
    for (const auto& part : path) out += (out.empty() ? "" : ".") + part.text;
    return out;
}

std::string last_name(const ast::Expr& e) {
    if (const auto* n = std::get_if<ast::Name>(&e.node)) return n->text;
    if (const auto* a = std::get_if<ast::Attribute>(&e.node)) return a->name.text;
    return "";
}

}  // namespace tsr
