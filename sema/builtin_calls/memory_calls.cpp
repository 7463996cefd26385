#include "sema/builtin_calls/memory_calls.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/expressions/indexing.h"
#include "sema/expressions/register_tiles.h"
#include "sema/state/recursion.h"
#include "sema/types/elements.h"
#include "sema/types/numeric.h"
#include "sema/values/requirements.h"
#include "sema/values/writable.h"

namespace tsr::sema {

namespace {

// A tensor or buffer that is read or written by index, with `index=`.
class Element {
public:
    Element(Body& body, const BuiltinEntry& row) : body_(body), row_(row) {}

    // The memory's value; unknown after a message.
    Value memory(const ast::Expr& e) {
        Value value = expression(body_, e);
        if (value.broken()) return {};
        if (value.type.is_memory()) return require_untransposed(body_, e, value.type) ? value : Value{};
        if (value.type.is(Kind::view)) {
            body_
                .error("E0310", e.span,
                       fmt::format("`{}` takes a tensor or buffer and `index=`, this is {}", row_.paths.front(),
                                   shown(value.type)))
                .note("a view names no single element: `load_vector(X, index=(row, column), width=4)`");
        } else {
            body_.error(
                "E0302", e.span,
                fmt::format("`{}` takes a tensor or buffer, this is {}", row_.paths.front(), shown(value.type)));
        }
        return {};
    }

    bool index(const Value& memory, const ast::Expr& whole, const ast::Expr* index) {
        if (!index) {
            body_.error("E0315", whole.span, fmt::format("`{}` lacks its `index=`", row_.paths.front()));
            return false;
        }
        std::vector<const ast::Expr*> parts{index};
        if (const auto* tuple = std::get_if<ast::Tuple>(&index->node)) {
            parts = tuple->elements;
            expression(body_, *index);
        }
        std::vector<ir::Dim> shape = memory.type.shape();
        if (parts.size() != shape.size()) {
            body_.error("E0310", index->span, fmt::format("{} indices for {}", parts.size(), shown(memory.type)));
            return false;
        }
        bool ok = true;
        for (size_t i = 0; i < parts.size(); ++i) {
            Value v = expression(body_, *parts[i]);
            check_index(body_, *parts[i], v, shape[i]);
            ok &= v.type.is_integer();
        }
        return ok;
    }

private:
    Body& body_;
    const BuiltinEntry& row_;
};

// Memory of static shape: what `tile.load` without `index=` takes as a whole.
bool is_static_memory(const Type& type) {
    if (!type.is_memory()) return false;
    const std::vector<ir::Dim> shape = type.shape();
    return !shape.empty() &&
           std::ranges::all_of(shape, [](const ir::Dim& extent) { return extent.constant_value().has_value(); });
}

Value load_tile(Body& b, const ast::Expr& e, const Matched& m, const Type& view) {
    b.name_group(e.span, "register tile");
    const ast::Expr &source = *m.arguments[0], *index = m.arguments[1], *fill = m.arguments[2];
    if (index) {
        expression(b, *index);
        b.error("E0315", index->span, "`index` belongs to the load of one element, this is a view")
            .label(source.span, shown(view));
        return {};
    }
    const auto type = viewed_tile(b, source, view);
    if (!type) return {};
    if (fill && !require_converts(b, *fill, expression(b, *fill), element_type(*type), "what is outside")) return {};
    return typed(*type);
}

Value load_element(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Matched& m) {
    Value source = expression(b, *m.arguments[0]);
    if (source.broken()) return {};
    const bool whole = !m.arguments[1] && is_static_memory(source.type);
    if (source.type.is(Kind::view) || whole) return load_tile(b, e, m, source.type);
    Element element(b, row);
    Value memory = element.memory(*m.arguments[0]);
    if (memory.broken()) return {};
    if (m.arguments[2]) {
        expression(b, *m.arguments[2]);
        b.error("E0315", m.arguments[2]->span, "`fill` belongs to the load of a view");
        return {};
    }
    if (!element.index(memory, e, m.arguments[1])) return {};
    return typed(Type::scalar(memory.type.elem()).carrying(memory.type.policy()));
}

Value store_element(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Matched& m) {
    const Value target = expression(b, *m.arguments[0]);
    if (target.type.is(Kind::view) && !m.arguments[1]) {
        const auto* place = std::get_if<ast::Subscript>(&m.arguments[0]->node);
        const ast::Expr& of = place ? *place->base : *m.arguments[0];
        Value memory = typed(target.type.parts()[0]);
        memory.referent = b.instance.info(of).referent;
        const Value value = expression(b, *m.arguments[2]);
        if (!require_writable(b, of, memory)) return {};
        require_stores(b, *m.arguments[0], target.type, *m.arguments[2], value);
        return typed(Type::none());
    }
    Element element(b, row);
    Value memory = element.memory(*m.arguments[0]);
    Value value = expression(b, *m.arguments[2]);
    if (memory.broken() || !element.index(memory, e, m.arguments[1])) return {};
    if (!require_writable(b, *m.arguments[0], memory)) return {};
    if (is_packed(memory.type.elem())) {
        b.error("E0322", e.span,
                fmt::format("elements of `{}` share bytes: a single one is not stored in a kernel",
                            name(memory.type.elem())));
        return {};
    }
    require_converts(b, *m.arguments[2], value, Type::scalar(memory.type.elem()).carrying(memory.type.policy()),
                     fmt::format("an element of `{}`", b.source(*m.arguments[0])));
    return typed(Type::none());
}

Value vector_access(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Matched& m) {
    Element element(b, row);
    bool load = row.id == Builtin::load_vector;
    Value memory = element.memory(*m.arguments[0]);
    const ast::Expr* index = load ? m.arguments[1] : m.arguments[2];
    if (load) {
        auto width = static_integer(b, *m.arguments[2], "the width of a vector");
        bool fits = memory.broken() || element.index(memory, e, index);
        if (!width || memory.broken() || !fits) return {};
        if (*width < 1 || *width > 64) {
            b.error("E0315", m.arguments[2]->span, fmt::format("a vector has 1 to 64 elements, not {}", *width));
            return {};
        }
        return typed(Type::vector(memory.type.elem(), *width).carrying(memory.type.policy()));
    }
    Value value = expression(b, *m.arguments[1]);
    if (memory.broken() || !element.index(memory, e, index) || value.broken()) return {};
    if (!require_writable(b, *m.arguments[0], memory)) return {};
    if (!value.type.is(Kind::vector)) {
        b.error("E0302", m.arguments[1]->span,
                fmt::format("`store_vector` stores a vector, this is {}", shown(value.type)));
    } else if (!converts(Type::scalar(value.type.elem()), {}, Type::scalar(memory.type.elem()))) {
        auto& d = b.error("E0302", m.arguments[1]->span,
                          fmt::format("an element of `{}` is `{}`, this is {}", b.source(*m.arguments[0]),
                                      name(memory.type.elem()), shown(value.type)));
        offer_cast(b, d, *m.arguments[1], value.type, memory.type.elem());
    } else if (is_packed(memory.type.elem()) && *value.type.length() * bits(memory.type.elem()) % 8 != 0) {
        b.error("E0322", m.arguments[1]->span,
                fmt::format("{} elements of `{}` are not whole bytes", *value.type.length(), name(memory.type.elem())));
    }
    return typed(Type::none());
}

Value atomic(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Matched& m) {
    bool compares = row.id == Builtin::atomic_compare_exchange;
    const ast::Expr& target = *m.arguments[0];
    const ast::Expr* index = m.arguments.back();
    Value memory;
    Type view;
    const auto* place = std::get_if<ast::Subscript>(&target.node);
    if (place && !index) {
        Value element = expression(b, target);
        if (element.broken()) return {};
        memory.type = b.instance.type(*place->base);
        memory.referent = b.instance.info(*place->base).referent;
        if (element.type.is(Kind::view)) view = element.type;
        if (!memory.type.is_memory()) {
            b.error("E0302", target.span,
                    fmt::format("`{}` takes an element of a tensor or buffer", row.paths.front()));
            return {};
        }
        if (!require_writable(b, *place->base, memory)) return {};
    } else {
        Element element(b, row);
        memory = element.memory(target);
        if (memory.broken() || !element.index(memory, e, index) || !require_writable(b, target, memory)) return {};
    }
    DType elem = memory.type.elem();
    bool bitwise =
        row.id == Builtin::atomic_bit_and || row.id == Builtin::atomic_bit_or || row.id == Builtin::atomic_bit_xor;
    const int64_t least = is_float(elem) ? 16 : 8;
    bool number = (is_float(elem) || is_integer(elem)) && bits(elem) >= least;
    if (!number || (bitwise && is_float(elem))) {
        b.error("E0414", target.span, fmt::format("`{}` is not possible on `{}`", row.paths.front(), name(elem)))
            .note(bitwise ? "it takes integers of 8 to 64 bits"
                          : "it takes integers of 8 to 64 bits, f16, bf16, f32 and f64");
        return {};
    }
    const std::optional<Rounding> round = memory.type.policy().round;
    if (is_float(elem) && bits(elem) == 16 && round && *round != Rounding::nearest_even) {
        b.error("E0414", target.span,
                fmt::format("`{}` rounds to nearest, this is a tensor of `{}{}`", row.paths.front(), name(elem),
                            memory.type.policy().text()));
        return {};
    }
    if (view.is(Kind::view)) {
        if (row.id != Builtin::atomic_exchange && !compares) {
            require_stores(b, target, view, *m.arguments[1], expression(b, *m.arguments[1]));
            return typed(Type::none());
        }
        b.error("E0310", target.span, fmt::format("`{}` gives an old value: it takes one element", row.paths.front()));
        return {};
    }
    Type type = Type::scalar(elem);
    require_converts(b, *m.arguments[1], expression(b, *m.arguments[1]), type, "the value");
    if (compares) require_converts(b, *m.arguments[2], expression(b, *m.arguments[2]), type, "the value");
    return typed(type);
}

Value cp_async(Body& b, const Matched& m) {
    Value dst = expression(b, *m.arguments[0]), src = expression(b, *m.arguments[1]);
    if (dst.broken() || src.broken()) return {};
    if (!dst.type.is(Kind::buffer)) {
        b.error("E0407", m.arguments[0]->span,
                fmt::format("a copy goes to a shared buffer, this is {}", shown(dst.type)));
        return {};
    }
    if (!require_untransposed(b, *m.arguments[0], dst.type)) return {};
    bool of_tensor = src.type.is(Kind::tensor) || (src.type.is(Kind::view) && src.type.parts()[0].is(Kind::tensor));
    if (!of_tensor) {
        b.error("E0407", m.arguments[1]->span,
                fmt::format("a copy comes from a view of a tensor, this is {}", shown(src.type)));
        return {};
    }
    if (src.type.elem() != dst.type.elem()) {
        b.error("E0407", m.arguments[1]->span,
                fmt::format("a copy converts nothing: the buffer has `{}`, this has `{}`", name(dst.type.elem()),
                            name(src.type.elem())))
            .label(m.arguments[0]->span, dst.type.text());
        return {};
    }
    if (src.type.shape() != dst.type.shape()) {
        b.error("E0407", m.arguments[1]->span,
                fmt::format("the view's extents are not the buffer's: {} into {}", shown(src.type), shown(dst.type)))
            .label(m.arguments[0]->span, dst.type.text());
        return {};
    }
    return typed(Type::none());
}

}  // namespace

Value memory_call(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Matched& m) {
    switch (row.id) {
        case Builtin::cp_async:
            return cp_async(b, m);
        case Builtin::load:
            return load_element(b, e, row, m);
        case Builtin::store:
            return store_element(b, e, row, m);
        case Builtin::load_vector:
        case Builtin::store_vector:
            return vector_access(b, e, row, m);
        default:
            return atomic(b, e, row, m);
    }
}

}  // namespace tsr::sema
