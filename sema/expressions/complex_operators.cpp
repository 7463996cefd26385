#include "sema/expressions/complex_operators.h"

#include <fmt/format.h>

#include "sema/state/recursion.h"
#include "sema/types/elements.h"

namespace tsr::sema {

namespace {

std::optional<Value> said(Body& b, Span at, const std::string& what, const Value& l, const Value& r) {
    b.error("E0308", at, fmt::format("{} is not defined for {} and {}", what, shown(l.type), shown(r.type)));
    return Value{};
}

// A real number that widens exactly.
bool is_real(const Value& value) {
    if (value.type.is_literal()) return true;
    if (!value.type.is(Kind::tensor) && !value.type.is_scalar()) return false;
    return is_float(value.type.elem()) && value.type.elem() != DType::f64;
}

// The functions of two tensors have the operator's name, those of numbers say which of the two is one.
Value call(Body& b, const ast::Expr& e, std::string_view word, const ast::Expr& le, const Value& l, const ast::Expr& re,
           const Value& r) {
    const auto is_number = [](const Value& v) { return !v.type.is(Kind::tensor); };
    const std::string name = is_number(l) && is_number(r) ? fmt::format("_{}_numbers", word)
                             : is_number(l)               ? fmt::format("_number_{}", word)
                             : is_number(r)               ? fmt::format("_{}_number", word)
                                                          : fmt::format("_{}", word);
    return library_call(b, e, {.name = name, .file = "complex_numbers", .signature = {}, .doc = {}}, {&le, &re});
}

std::optional<std::string_view> word_of(ast::BinaryOp op) {
    switch (op) {
        case ast::BinaryOp::add:
            return "plus";
        case ast::BinaryOp::sub:
            return "minus";
        case ast::BinaryOp::mul:
            return "times";
        case ast::BinaryOp::div:
            return "over";
        case ast::BinaryOp::matmul:
            return "at";
        default:
            return std::nullopt;
    }
}

// Whether the library's function can be called; a message where not.
bool takes(Body& b, Span at, const std::string& what, const Value& l, const Value& r) {
    const auto fits = [](const Value& v) { return is_complex(v.type) || is_real(v); };
    const bool product = what == "`@`";
    if (fits(l) && fits(r) && (!product || (l.type.is(Kind::tensor) && r.type.is(Kind::tensor)))) return true;
    said(b, at, what, l, r);
    return false;
}

}  // namespace

std::optional<Value> complex_arithmetic(Body& b, const ast::Expr& e, const ast::Binary& operation,
                                        const std::string& what, const Value& l, const Value& r) {
    if (!is_complex(l.type) && !is_complex(r.type)) return std::nullopt;
    if (l.broken() || r.broken()) return Value{};
    const auto word = word_of(operation.op);
    if (!word) return said(b, operation.op_span, what, l, r);
    if (!takes(b, operation.op_span, what, l, r)) return Value{};
    return call(b, e, *word, *operation.lhs, l, *operation.rhs, r);
}

std::optional<Value> complex_comparison(Body& b, const ast::Expr& e, const ast::Compare& comparison) {
    const ast::Compare::Link& link = comparison.links[0];
    const Value l = expression(b, *comparison.first);
    if (!is_complex(l.type) && comparison.links.size() > 1) return std::nullopt;
    const Value r = expression(b, *link.rhs);
    if (!is_complex(l.type) && !is_complex(r.type)) return std::nullopt;
    if (l.type.is(Kind::none) || r.type.is(Kind::none)) return std::nullopt;  // an argument that was left out
    if (l.broken() || r.broken()) return Value{};
    const Span at = comparison.first->span.to(link.rhs->span);
    const bool same = link.op == ast::CompareOp::eq;
    if (comparison.links.size() > 1 || (!same && link.op != ast::CompareOp::ne)) {
        b.error("E0308", at, fmt::format("{} and {} are not compared", shown(l.type), shown(r.type)))
            .note("complex numbers have no order: `==` and `!=` compare them");
        return Value{};
    }
    if (!takes(b, at, "comparison", l, r)) return Value{};
    return call(b, e, same ? "equals" : "differs", *comparison.first, l, *link.rhs, r);
}

std::optional<Value> complex_unary(Body& b, const ast::Expr& e, const ast::Unary& operation, const Value& operand) {
    if (!is_complex(operand.type)) return std::nullopt;
    if (operation.op == ast::UnaryOp::plus || operation.op == ast::UnaryOp::minus) {
        const bool number = is_complex_number(operand.type);
        const std::string_view name = operation.op == ast::UnaryOp::minus ? number ? "_negative_number" : "_negative"
                                      : number                            ? "_same_number"
                                                                          : "_same";
        return library_call(b, e, {.name = name, .file = "complex_numbers", .signature = {}, .doc = {}},
                            {operation.operand});
    }
    b.error("E0308", e.span, fmt::format("`~` is not defined for {}", shown(operand.type)));
    return Value{};
}

}  // namespace tsr::sema
