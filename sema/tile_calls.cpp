// The builtins of kernels: ids, memory, copies, collectives.
#include <algorithm>

#include <fmt/format.h>

#include "sema/body.h"

namespace tsr::sema {

namespace {

Value typed(Type type) {
    Value value;
    value.type = std::move(type);
    return value;
}

// Names of the group: a kernel that is flat by its header has none (language reference, section 4, "Flat kernels").
bool names_group(Builtin name) {
    switch (name) {
        case Builtin::linear_id:
        case Builtin::tile_range:
        case Builtin::alloc_register:
        case Builtin::context:
        case Builtin::load:
        case Builtin::store:
        case Builtin::load_vector:
        case Builtin::store_vector:
            return false;
        default:
            return name < Builtin::atomic_add || name > Builtin::atomic_compare_exchange;
    }
}

// Numerics rule 4: what sums and products of a type are accumulated in.
DType accumulation(DType elem, const Policy& policy) {
    if (policy.accum) return *policy.accum;
    if (is_float(elem)) return elem == DType::f64 ? DType::f64 : DType::f32;
    if (elem == DType::index) return DType::index;
    return bits(elem) <= 8 ? DType::i32 : DType::i64;
}

// A tensor or buffer that is read or written by index, with `index=`.
class Element {
public:
    Element(Body& body, const BuiltinEntry& row) : body_(body), row_(row) {}

    // The memory's value; unknown after a message.
    Value memory(const ast::Expr& e) {
        Value value = body_.expr(e);
        if (value.broken() || value.type.is_memory()) return value;
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
            body_.expr(*index);
        }
        std::vector<ir::Dim> shape = memory.type.shape();
        if (parts.size() != shape.size()) {
            body_.error("E0310", index->span, fmt::format("{} indices for {}", parts.size(), shown(memory.type)));
            return false;
        }
        bool ok = true;
        for (size_t i = 0; i < parts.size(); ++i) {
            Value v = body_.expr(*parts[i]);
            body_.check_index(*parts[i], v, shape[i]);
            ok &= v.type.is_integer();
        }
        return ok;
    }

private:
    Body& body_;
    const BuiltinEntry& row_;
};

}  // namespace

namespace {

Value load_element(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Matched& m) {
    Value source = b.expr(*m.arguments[0]);
    if (source.broken()) return {};
    if (source.type.is(Kind::view)) {
        for (size_t i = 1; i < 3; ++i) {
            if (m.arguments[i]) b.expr(*m.arguments[i]);
        }
        return b.refuse(Feature::register_tiles, e.span, "`tile.load` of a view is");
    }
    Element element(b, row);
    Value memory = element.memory(*m.arguments[0]);
    if (m.arguments[2]) {
        b.expr(*m.arguments[2]);
        b.error("E0315", m.arguments[2]->span, "`fill` belongs to the load of a view");
        return {};
    }
    if (memory.broken() || !element.index(memory, e, m.arguments[1])) return {};
    return typed(Type::scalar(memory.type.elem()).carrying(memory.type.policy()));
}

Value store_element(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Matched& m) {
    Element element(b, row);
    Value memory = element.memory(*m.arguments[0]);
    Value value = b.expr(*m.arguments[2]);
    if (memory.broken() || !element.index(memory, e, m.arguments[1])) return {};
    if (!b.require_writable(*m.arguments[0], memory)) return {};
    if (is_packed(memory.type.elem())) {
        b.error("E0322", e.span,
                fmt::format("elements of `{}` share bytes: a single one is not stored in a kernel",
                            name(memory.type.elem())));
        return {};
    }
    b.require_converts(*m.arguments[2], value, Type::scalar(memory.type.elem()).carrying(memory.type.policy()),
                       fmt::format("an element of `{}`", b.source(*m.arguments[0])));
    return typed(Type::none());
}

Value vector_access(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Matched& m) {
    Element element(b, row);
    bool load = row.id == Builtin::load_vector;
    Value memory = element.memory(*m.arguments[0]);
    const ast::Expr* index = load ? m.arguments[1] : m.arguments[2];
    if (load) {
        auto width = b.static_integer(*m.arguments[2], "the width of a vector");
        bool fits = memory.broken() || element.index(memory, e, index);
        if (!width || memory.broken() || !fits) return {};
        if (*width < 1 || *width > 64) {
            b.error("E0315", m.arguments[2]->span, fmt::format("a vector has 1 to 64 elements, not {}", *width));
            return {};
        }
        return typed(Type::vector(memory.type.elem(), *width).carrying(memory.type.policy()));
    }
    Value value = b.expr(*m.arguments[1]);
    if (memory.broken() || !element.index(memory, e, index) || value.broken()) return {};
    if (!b.require_writable(*m.arguments[0], memory)) return {};
    if (!value.type.is(Kind::vector)) {
        b.error("E0302", m.arguments[1]->span,
                fmt::format("`store_vector` stores a vector, this is {}", shown(value.type)));
    } else if (!converts(Type::scalar(value.type.elem()), {}, Type::scalar(memory.type.elem()))) {
        auto& d = b.error("E0302", m.arguments[1]->span,
                          fmt::format("an element of `{}` is `{}`, this is {}", b.source(*m.arguments[0]),
                                      name(memory.type.elem()), shown(value.type)));
        b.offer_cast(d, *m.arguments[1], value.type, memory.type.elem());
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
    const auto* place = std::get_if<ast::Subscript>(&target.node);
    if (place && !index) {
        Value element = b.expr(target);
        if (element.broken()) return {};
        memory.type = b.instance.type(*place->base);
        memory.referent = b.instance.info(*place->base).referent;
        if (element.type.is(Kind::view))
            return b.refuse(Feature::register_tiles, target.span, "an atomic on a view is");
        if (!memory.type.is_memory()) {
            b.error("E0302", target.span,
                    fmt::format("`{}` takes an element of a tensor or buffer", row.paths.front()));
            return {};
        }
        if (!b.require_writable(*place->base, memory)) return {};
    } else {
        Element element(b, row);
        memory = element.memory(target);
        if (memory.broken() || !element.index(memory, e, index) || !b.require_writable(target, memory)) return {};
    }
    DType elem = memory.type.elem();
    bool bitwise =
        row.id == Builtin::atomic_bit_and || row.id == Builtin::atomic_bit_or || row.id == Builtin::atomic_bit_xor;
    bool wide = elem == DType::i32 || elem == DType::u32 || elem == DType::i64 || elem == DType::u64 ||
                elem == DType::f32 || elem == DType::f64;
    if (!wide || (bitwise && is_float(elem))) {
        b.error("E0414", target.span, fmt::format("`{}` is not possible on `{}`", row.paths.front(), name(elem)))
            .note(bitwise ? "it takes i32, u32, i64 and u64" : "it takes i32, u32, i64, u64, f32 and f64");
        return {};
    }
    Type type = Type::scalar(elem);
    b.require_converts(*m.arguments[1], b.expr(*m.arguments[1]), type, "the value");
    if (compares) b.require_converts(*m.arguments[2], b.expr(*m.arguments[2]), type, "the value");
    return typed(type);
}

Value cp_async(Body& b, const Matched& m) {
    Value dst = b.expr(*m.arguments[0]), src = b.expr(*m.arguments[1]);
    if (dst.broken() || src.broken()) return {};
    if (!dst.type.is(Kind::buffer)) {
        b.error("E0407", m.arguments[0]->span,
                fmt::format("a copy goes to a shared buffer, this is {}", shown(dst.type)));
        return {};
    }
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

Value group_value(Body& b, const BuiltinEntry& row, const Matched& m) {
    const ast::Expr& e = *m.arguments[0];
    Value value = b.expr(e);
    if (value.broken()) return {};
    bool of_buffer = row.id >= Builtin::buffer_reduce_sum && row.id <= Builtin::buffer_reduce_prod;
    if (of_buffer && !value.type.is(Kind::buffer)) {
        if (value.type.is(Kind::tensor)) return b.refuse(Feature::graphs, e.span, "a reduction of a whole tensor is");
        b.error("E0302", e.span,
                fmt::format("`{}` takes a shared buffer, this is {}", row.paths.front(), shown(value.type)));
        return {};
    }
    if (!of_buffer && !value.type.is_number()) {
        b.error("E0302", e.span,
                fmt::format("`{}` takes a number of each tile, this is {}", row.paths.front(), shown(value.type)));
        return {};
    }
    DType elem = of_buffer ? value.type.elem() : settled(value.type, value.value);
    bool sums = row.id == Builtin::group_reduce_sum || row.id == Builtin::group_reduce_prod ||
                row.id == Builtin::buffer_reduce_sum || row.id == Builtin::buffer_reduce_prod;
    if (row.id == Builtin::scan) {
        auto op = m.arguments[1] ? b.static_string(*m.arguments[1], "the operation of a scan") : std::string("add");
        if (!op) return {};
        if (*op != "add" && *op != "mul" && *op != "min" && *op != "max") {
            b.error("E0315", m.arguments[1]->span,
                    fmt::format("\"{}\" is no operation of a scan: \"add\", \"mul\", \"min\", \"max\"", *op));
            return {};
        }
        if (m.arguments[2]) return b.refuse(Feature::register_tiles, m.arguments[2]->span, "a scan along an axis is");
        sums = *op == "add" || *op == "mul";
    }
    Value result;
    if (!sums) {
        result.type = Type::scalar(elem);
        result.compute = elem;
        return result;
    }
    DType accum = accumulation(elem, value.type.policy());
    result.compute = accum;
    bool narrow = is_integer(elem) || bits(elem) < 16;
    result.type = Type::scalar(narrow ? accum : elem);
    return result;
}

Value local_id(Body& b, const Matched& m) {
    if (!m.arguments[0]) return typed(Type::index());
    auto axis = b.static_integer(*m.arguments[0], "an axis");
    const auto& shape = b.instance.kernel.group_shape;
    size_t rank = shape ? shape->size() : 1;
    bool known = b.function && b.function->kind == FunctionKind::kernel;
    if (axis && (*axis < 0 || (known && static_cast<size_t>(*axis) >= rank) || *axis > 2)) {
        b.error("E0416", m.arguments[0]->span,
                fmt::format("the group has {} ax{}, there is no axis {}", rank, rank == 1 ? "is" : "es", *axis));
        return {};
    }
    return typed(Type::index());
}

Value warp_value(Body& b, const BuiltinEntry& row, const Matched& m) {
    Value value = b.expr(*m.arguments[0]);
    if (m.arguments[1]) b.require_integer(*m.arguments[1], b.expr(*m.arguments[1]), "a lane");
    if (value.broken()) return {};
    if (!value.type.is_number() && !value.type.is_bool()) {
        b.error("E0302", m.arguments[0]->span,
                fmt::format("`{}` takes a value of one element, this is {}", row.paths.front(), shown(value.type)));
        return {};
    }
    return typed(settled_type(value.type, value.value));
}

}  // namespace

Value Body::tile_call(const ast::Expr& e, const BuiltinEntry& row, const Matched& m) {
    if (names_group(row.id) && !state().group_name.valid()) {
        state().group_name = e.span;
        state().group_spelling = std::string(row.paths.front());
    }
    switch (row.id) {
        case Builtin::linear_id:
        case Builtin::lane_id:
            return typed(Type::index());
        case Builtin::local_id:
            return local_id(*this, m);
        case Builtin::group_id:
            if (m.arguments[0]) {
                auto axis = static_integer(*m.arguments[0], "an axis");
                if (axis && (*axis < 0 || *axis > 2))
                    error("E0416", m.arguments[0]->span,
                          fmt::format("groups have axes 0 to 2, there is no axis {}", *axis));
            }
            return typed(Type::index());
        case Builtin::group_size: {
            Value value = typed(Type::index());
            if (function && function->kind == FunctionKind::kernel) {
                value.type = Type::int_literal();
                value.value = Static::of(instance.kernel.group_size());
                value.dim = ir::Dim::constant(instance.kernel.group_size());
            }
            return value;
        }
        case Builtin::context:
            return typed(Type::context());
        case Builtin::barrier:
        case Builtin::cp_commit_group:
            return typed(Type::none());
        case Builtin::cp_wait_group: {
            auto n = static_integer(*m.arguments[0], "the number of copies left under way");
            if (n && *n < 0)
                error("E0302", m.arguments[0]->span, "the number of copies left under way is not negative");
            return typed(Type::none());
        }
        case Builtin::cp_async:
            return cp_async(*this, m);
        case Builtin::load:
            return load_element(*this, e, row, m);
        case Builtin::store:
            return store_element(*this, e, row, m);
        case Builtin::load_vector:
        case Builtin::store_vector:
            return vector_access(*this, e, row, m);
        case Builtin::atomic_add:
        case Builtin::atomic_min:
        case Builtin::atomic_max:
        case Builtin::atomic_bit_and:
        case Builtin::atomic_bit_or:
        case Builtin::atomic_bit_xor:
        case Builtin::atomic_exchange:
        case Builtin::atomic_compare_exchange:
            return atomic(*this, e, row, m);
        case Builtin::group_any:
        case Builtin::group_all:
        case Builtin::ballot:
            require_bool(*m.arguments[0], expr(*m.arguments[0]));
            return typed(row.id == Builtin::ballot ? Type::scalar(DType::u32) : Type::boolean());
        case Builtin::shuffle:
        case Builtin::warp_broadcast:
            return warp_value(*this, row, m);
        case Builtin::alloc_register: {
            Value written = expr(*m.arguments[0]);
            if (written.type.is(Kind::dtype)) return typed(Type::scalar(written.type.elem()));
            if (!written.broken()) error("E0309", m.arguments[0]->span, "`tile.alloc_register` takes an element type");
            return {};
        }
        case Builtin::tile_range:
            for (const ast::Expr* argument : m.arguments) {
                if (argument) expr(*argument);
            }
            return typed(Type::range());
        default:
            return group_value(*this, row, m);
    }
}

}  // namespace tsr::sema
