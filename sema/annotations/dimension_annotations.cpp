#include "sema/annotations/dimension_annotations.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "sema/state/entities.h"
#include "sema/state/recursion.h"
#include "sema/values/dimensions.h"

namespace tsr::sema {

// Of a variable in a type that a statement writes: `m = n // 2; x: f32[m] = zeros(m)`.
static std::optional<ir::Dim> integer_dimension(Body& b, const ast::Expr& name) {
    const Value value = expression(b, name);
    if (value.broken()) return std::nullopt;
    if (!value.type.is_integer() || !value.type.is_scalar()) {
        b.error("E0313", name.span, fmt::format("a dimension is an integer, this is {}", shown(value.type)));
        return std::nullopt;
    }
    if (value.dim || value.value) return dimension_of(b, name, value);
    const auto* variable = std::get_if<VariableId>(&value.referent);
    if (variable && b.slots[variable->index].bindings <= 1) return variable_dimension(b, *variable);
    b.error("E0313", name.span, "a variable that is assigned more than once is no dimension");
    return std::nullopt;
}

// The names in `"B*H"`.
static void note_quoted_names(Body& b, const ast::Expr& e) {
    const std::string text = b.source(e);
    const auto letter = [&](size_t at) {
        return at < text.size() && (text[at] == '_' || std::isalnum(static_cast<unsigned char>(text[at])) != 0);
    };
    for (size_t begin = 0; begin < text.size(); ++begin) {
        size_t end = begin;
        while (letter(end)) ++end;
        if (end == begin) continue;
        const std::string word = text.substr(begin, end - begin);
        const auto at = static_cast<uint32_t>(e.span.begin + begin);
        if (std::isdigit(static_cast<unsigned char>(word[0])) == 0)
            b.note({e.span.file, at, static_cast<uint32_t>(e.span.begin + end)}, dimension_entity(b, word));
        begin = end;
    }
}

// `recorded`: whether the expression has its entry already.
static std::optional<ir::Dim> read_dimension(Body& b, const ast::Expr& e, bool in_header, bool& recorded) {
    auto named = [&](const std::string& text, Span at, const ast::Expr* name = nullptr) -> std::optional<ir::Dim> {
        const bool tuned = std::ranges::any_of(b.space, [&](const auto& entry) { return entry.first == text; });
        if (in_header && tuned) return ir::Dim::symbol(text);
        if (auto value = b.fixed_name(text)) {
            if (auto n = value->integer()) return ir::Dim::constant(*n);
        }
        if (const SymbolInfo* own = b.find_symbol(text)) return ir::Dim::symbol(own->name);
        const SymbolInfo* outer = b.enclosing ? b.enclosing->find_symbol(text) : nullptr;
        if (outer) return ir::Dim::symbol(outer->name);
        if (in_header) return ir::Dim::symbol(b.header_dimension(text));
        if (Slot* slot = b.find_slot(text); slot && slot->bindings <= 1 && slot->once && slot->once->dim)
            return *slot->once->dim;
        if (name && b.find_slot(text) && b.rules().tensor_values) {
            recorded = true;
            return integer_dimension(b, *name);
        }
        b.error("E0313", at, fmt::format("`{}` is not a dimension here", text))
            .note("a dimension is bound by the shape of a parameter");
        return std::nullopt;
    };
    if (const auto* n = std::get_if<ast::IntLiteral>(&e.node)) return ir::Dim::constant(static_cast<int64_t>(n->value));
    if (const auto* n = std::get_if<ast::Name>(&e.node)) {
        b.note(e, dimension_entity(b, n->text));
        return named(n->text, e.span, &e);
    }
    if (const auto* text = std::get_if<ast::StringLiteral>(&e.node)) {
        auto dim = ir::Dim::parse(text->value);  // "B*H" in quotes: the same as without
        if (!dim) {
            b.error("E0313", e.span,
                    fmt::format("\"{}\" is not a dimension: an integer, a name, or `+ - * / //` of them", text->value));
            return std::nullopt;
        }
        note_quoted_names(b, e);
        bool ok = true;
        ir::Dim result = dim->substitute([&](const std::string& symbol) -> std::optional<ir::Dim> {
            auto value = named(symbol, e.span);
            ok &= value.has_value();
            return value;
        });
        return ok ? std::optional(result) : std::nullopt;
    }
    if (const auto* operation = std::get_if<ast::Binary>(&e.node)) {
        auto l = dimension(b, *operation->lhs, in_header), r = dimension(b, *operation->rhs, in_header);
        if (!l || !r) return std::nullopt;
        bool zero = r->constant_value() == 0;
        if (operation->op == ast::BinaryOp::add) return *l + *r;
        if (operation->op == ast::BinaryOp::sub) return *l - *r;
        if (operation->op == ast::BinaryOp::mul) return *l * *r;
        if (operation->op == ast::BinaryOp::div && !zero) {
            auto a = l->constant_value(), c = r->constant_value();
            if (a && c && *a % *c != 0) {
                b.error("E0312", e.span, fmt::format("{} does not divide {}: `/` of dimensions is exact", *c, *a));
                return std::nullopt;
            }
            return ir::Dim::exact_quotient(*l, *r);
        }
        if (operation->op == ast::BinaryOp::floordiv && !zero) return ir::Dim::floor_quotient(*l, *r);
    }
    if (std::holds_alternative<ast::Hole>(e.node)) return std::nullopt;
    b.error("E0313", e.span, "a dimension is an integer, a name, or `+ - * / //` of them");
    return std::nullopt;
}

std::optional<ir::Dim> dimension(Body& b, const ast::Expr& e, bool in_header) {
    bool recorded = false;
    const auto dim = read_dimension(b, e, in_header, recorded);
    if (recorded) return dim;
    Value value;
    if (dim) value.type = Type::index();
    value.dim = dim;
    if (const auto known = dim ? dim->constant_value() : std::nullopt) value.value = Static::of(*known);
    b.record(e, std::move(value));
    return dim;
}

}  // namespace tsr::sema
