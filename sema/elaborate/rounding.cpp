#include "sema/elaborate/rounding.h"

#include "base/numerics.h"
#include "sema/elaborate/arguments.h"
#include "sema/elaborate/conversions.h"
#include "sema/elaborate/host.h"
#include "sema/elaborate/narrowing.h"
#include "sema/elaborate/random.h"
#include "sema/elaborate/recursion.h"
#include "sema/elaborate/types.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::OpKind;
using ir::Type;
using ir::ValueId;

namespace {

struct Mode {
    Rounding rounding;
    DType wide;  // what holds the value before
};

// How a value is rounded to the type of what it is stored in; nothing: to nearest.
std::optional<Mode> mode_of(Body& b, const ast::Expr* written, ValueId memory, const Val& value, DType type) {
    std::optional<Rounding> rounding = b.type_of(memory).policy.round;
    if (!rounding && written) rounding = b.info(*written).type.policy().round;
    if (!rounding) rounding = value.round;
    if (!rounding || *rounding == Rounding::nearest_even) return std::nullopt;
    if (!value.is_ssa() || value.type != type) return std::nullopt;
    const auto wide = unrounded_type(b.type_of(value.id).elem, type);
    if (!wide) return std::nullopt;
    return Mode{*rounding, *wide};
}

// ---- numbers of elements, counted row-major in the whole tensor ----

ValueId extent(Body& b, ValueId memory, size_t axis) {
    if (b.rules().tensor_values) {
        return b.emit.inferred(OpKind::shape_of, {memory}, {{Attr::axis, static_cast<int64_t>(axis)}});
    }
    const ir::Dim dim = b.type_of(memory).shape[axis];
    if (const auto known = dim.constant_value()) return b.emit.constant(*known, DType::index);
    return b.emit.inferred(OpKind::dim, {}, {{Attr::dim, dim}});
}

// On the host an index below 0 counts from the end.
ValueId from_the_front(Body& b, ValueId memory, size_t axis, ValueId index) {
    if (!b.rules().counts_from_end) return index;
    const ValueId below = b.emit.inferred(OpKind::lt, {index, b.emit.constant(int64_t{0}, DType::index)});
    const ValueId moved = b.emit.inferred(OpKind::add, {index, extent(b, memory, axis)});
    return b.emit.inferred(OpKind::select, {below, moved, index});
}

ValueId first_number(Body& b, ValueId memory, const std::vector<ValueId>& indices) {
    ValueId number = b.emit.constant(int64_t{0}, DType::index);
    for (size_t axis = 0; axis < indices.size(); ++axis) {
        if (axis != 0) number = b.emit.inferred(OpKind::mul, {number, extent(b, memory, axis)});
        number = b.emit.inferred(OpKind::add, {number, from_the_front(b, memory, axis, indices[axis])});
    }
    return number;
}

ValueId repeated(Body& b, ValueId scalar, const Type& like) {
    if (like.kind == ir::TypeKind::tile) {
        return b.emit.inferred(OpKind::expand, {scalar},
                               {{Attr::axes, std::vector<int64_t>{}}, {Attr::shape, like.shape}});
    }
    if (!like.is_vector()) return scalar;
    return b.emit.inferred(OpKind::vector_build, std::vector<ValueId>(like.width, scalar));
}

// Of a view's elements: the first one's and so many steps along each axis of the tile.
ValueId tile_numbers(Body& b, ValueId memory, ValueId first, const std::vector<int64_t>& axes, const Type& type) {
    ValueId numbers = repeated(b, first, type);
    const size_t rank = b.type_of(memory).rank();
    for (size_t i = 0; i < axes.size(); ++i) {
        ValueId steps =
            b.emit.inferred(OpKind::tile_iota, {}, {{Attr::axis, static_cast<int64_t>(i)}, {Attr::shape, type.shape}});
        steps = b.emit.cast(steps, DType::index);
        ValueId stride;
        for (size_t axis = static_cast<size_t>(axes[i]) + 1; axis < rank; ++axis) {
            const ValueId by = extent(b, memory, axis);
            stride = stride.valid() ? b.emit.inferred(OpKind::mul, {stride, by}) : by;
        }
        if (stride.valid()) steps = b.emit.inferred(OpKind::mul, {steps, repeated(b, stride, type)});
        numbers = b.emit.inferred(OpKind::add, {numbers, steps});
    }
    return numbers;
}

ValueId vector_numbers(Body& b, ValueId first, const Type& type) {
    std::vector<ValueId> numbers;
    for (uint32_t i = 0; i < type.width; ++i) {
        const ValueId step = b.emit.constant(static_cast<int64_t>(i), DType::index);
        numbers.push_back(i == 0 ? first : b.emit.inferred(OpKind::add, {first, step}));
    }
    return b.emit.inferred(OpKind::vector_build, std::move(numbers));
}

// `wide` in the type, rounded by the words of the elements with the numbers.
ValueId by_chance(Body& b, const ast::Expr& written, ValueId wide, DType type, ValueId numbers) {
    const RandomKey key = random_key(b, written);
    const Type like = b.type_of(wide);
    const ValueId word = b.emit.inferred(
        OpKind::philox, {b.emit.cast(numbers, DType::u64), repeated(b, key.seed, like), repeated(b, key.stream, like)});
    return b.emit.cast(b.emit.inferred(OpKind::dither, {wide, word}, {{Attr::type, type}}), type);
}

}  // namespace

ValueId stored_element(Body& b, const ast::Expr* written, ValueId memory, const std::vector<ValueId>& indices,
                       const Val& value, DType type) {
    const auto mode = mode_of(b, written, memory, value, type);
    if (!mode) return b.scalar(b.rounded(value), type);
    if (mode->rounding == Rounding::toward_zero) return cut(b, value.id, type);
    return by_chance(b, *written, b.emit.cast(value.id, mode->wide), type, first_number(b, memory, indices));
}

ValueId stored_vector(Body& b, const ast::Expr* written, ValueId memory, const std::vector<ValueId>& indices,
                      const Val& value, const Type& type) {
    const auto mode = mode_of(b, written, memory, value, type.elem);
    if (!mode) return b.vector(b.rounded(value), type.elem, type.width);
    const ValueId held = b.vector(value, mode->wide, type.width);
    if (mode->rounding == Rounding::toward_zero) return cut(b, held, type.elem);
    return by_chance(b, *written, held, type.elem, vector_numbers(b, first_number(b, memory, indices), type));
}

ValueId stored_tile(Body& b, const ast::Expr* written, ValueId memory, const std::vector<ValueId>& starts,
                    const std::vector<int64_t>& axes, const Val& value, const Type& type) {
    const auto mode = mode_of(b, written, memory, value, type.elem);
    if (!mode) return b.tile(b.rounded(value), type.elem, type.shape);
    const ValueId held = b.tile(value, mode->wide, type.shape);
    if (mode->rounding == Rounding::toward_zero) return cut(b, held, type.elem);
    const ValueId first = first_number(b, memory, starts);
    return by_chance(b, *written, held, type.elem, tile_numbers(b, memory, first, axes, type));
}

namespace {

// Of a whole tensor of the host.
Val cast_tensor(Body& b, const Val& tensor, const sema::Type& type, const Declared& declared) {
    const DType from = b.type_of(tensor.id).elem;
    const bool chance = declared.round == Rounding::stochastic;
    if ((!chance && declared.round != Rounding::toward_zero) || !is_float(from)) return convert(b, tensor, type);
    ir::Attrs attrs{{Attr::type, type.elem()}};
    if (chance) attrs.set(Attr::count, random_site(b, *declared.written));
    return Val::ssa(host(b, chance ? "cast_dither" : "cast_cut", {tensor.id}, ir_type(type), std::move(attrs)));
}

}  // namespace

Declared declared_by(Body& b, const ast::Expr& written) { return {&written, b.info(written).type.policy().round}; }

Val to_be_stored(Body& b, const ast::Expr& e, const Declared& declared) {
    const auto call = b.instance().calls.find(e.id);
    const bool cast = call != b.instance().calls.end() && call->second.kind == sema::CallKind::builtin &&
                      call->second.builtin == sema::Builtin::cast;
    const sema::Type& type = b.info(e).type;
    const bool elements = type.is_scalar() || type.is(sema::Kind::vector) || type.is(sema::Kind::tile);
    const bool tensor = type.is(sema::Kind::tensor);
    if (tensor && !cast) b.rounding = declared.round;
    if (!cast || (!elements && !tensor) || b.info(e).value || !is_float(type.elem())) return expression(b, e);
    if (tensor && !declared.round) return expression(b, e);
    const At at(b.emit, e.span);
    const Val value = argument_value(b, call->second, 0);
    if (tensor && value.is_ssa() && b.function().level != ir::Level::graph)
        return cast_tensor(b, value, type, declared);
    if (value.is_ssa() && (value.type || tensor) && unrounded_type(b.type_of(value.id).elem, type.elem())) {
        return Val::ssa(value.id, type.elem());
    }
    return convert(b, value, type);
}

}  // namespace tsr::elaborate
