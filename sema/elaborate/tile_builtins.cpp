// The builtins of register tiles: how they are made, combined along an axis and multiplied.
#include <algorithm>
#include <limits>
#include <utility>

#include "base/numerics.h"
#include "ir/ops/register.h"
#include "sema/elaborate/arguments.h"
#include "sema/elaborate/arithmetic.h"
#include "sema/elaborate/builtins.h"
#include "sema/elaborate/recursion.h"
#include "sema/elaborate/tiles.h"
#include "sema/elaborate/types.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::OpKind;
using ir::ReduceOp;
using ir::ValueId;
using sema::Builtin;
using sema::CallInfo;
using sema::Kind;

namespace {

Val full(Body& b, const sema::Type& type, const Val& value) {
    return Val::ssa(b.tile(b.rounded(value), type.elem(), type.shape()), type.elem());
}

// A static axis counted from the front; `otherwise` where none is given.
int64_t axis_of(Body& b, const CallInfo& info, size_t parameter, size_t rank, int64_t otherwise) {
    const Val axis = argument_value(b, info, parameter);
    const int64_t written = axis.is_fixed() ? axis.fixed.integer().value_or(otherwise) : otherwise;
    return written < 0 ? written + static_cast<int64_t>(rank) : written;
}

ValueId iota(Body& b, const std::vector<ir::Dim>& shape, int64_t axis) {
    return b.emit.inferred(OpKind::tile_iota, {}, {{Attr::axis, axis}, {Attr::shape, shape}});
}

ReduceOp reduce_op(Body& b, const CallInfo& info, size_t parameter) {
    const Val op = argument_value(b, info, parameter);
    const std::string* text = op.is_fixed() ? op.fixed.string() : nullptr;
    if (!text || *text == "add" || *text == "sum") return ReduceOp::add;
    if (*text == "mul" || *text == "prod") return ReduceOp::mul;
    if (*text == "min") return ReduceOp::min;
    if (*text == "max") return ReduceOp::max;
    return *text == "any" ? ReduceOp::any : ReduceOp::all;
}

// Along the axis, in the type that sums accumulate in; the result is not rounded to its own yet.
Val along(Body& b, const ast::Expr& e, const Val& tile, OpKind kind, ReduceOp op, int64_t axis) {
    const sema::ExprInfo& info = b.info(e);
    const ValueId operand = b.emit.cast(tile.id, compute_of(b, e));
    const ValueId id = b.emit.inferred(kind, {operand}, {{Attr::op, static_cast<int64_t>(op)}, {Attr::axis, axis}});
    return Val::ssa(id, info.type.elem());
}

Val reduction(Body& b, const ast::Expr& e, const CallInfo& info) {
    const Val tile = argument_value(b, info, 0);
    const size_t rank = b.type_of(tile.id).rank();
    if (info.builtin == Builtin::tile_reduce) {
        const int64_t axis = axis_of(b, info, 1, rank, 0);
        return along(b, e, tile, OpKind::reduce, reduce_op(b, info, 2), axis);
    }
    const ReduceOp op = info.builtin == Builtin::tile_row_sum ? ReduceOp::add : ReduceOp::max;
    return along(b, e, tile, OpKind::reduce, op, static_cast<int64_t>(rank) - 1);
}

Val scan(Body& b, const ast::Expr& e, const CallInfo& info) {
    const Val tile = argument_value(b, info, 0);
    const ReduceOp op = reduce_op(b, info, 1);
    return along(b, e, tile, OpKind::scan, op, axis_of(b, info, 2, b.type_of(tile.id).rank(), 0));
}

Val flip(Body& b, const ast::Expr&, const CallInfo& info) {
    const Val tile = argument_value(b, info, 0);
    const int64_t axis = axis_of(b, info, 1, b.type_of(tile.id).rank(), 0);
    return Val::ssa(b.emit.inferred(OpKind::flip, {tile.id}, {{Attr::axis, axis}}), tile.type);
}

// -inf where k0 + j > q0 + i. Differences are compared: j - i is small, and q0 - k0 beyond i32 decides alike for all.
Val causal_mask(Body& b, const ast::Expr& e, const CallInfo& info) {
    const sema::Type& type = b.info(e).type;
    const Val scores = argument_value(b, info, 0);
    const Val row = argument_value(b, info, 1);
    const Val column = argument_value(b, info, 2);
    const At at(b.emit, e.span);
    const std::vector<ir::Dim> shape = type.shape();
    const auto last = static_cast<int64_t>(shape.size()) - 1;
    const ValueId ahead = b.emit.inferred(OpKind::sub, {iota(b, shape, last), iota(b, shape, last - 1)});
    ValueId allowed = b.emit.inferred(OpKind::sub, {b.index(row), b.index(column)});
    const auto limit = [&](int64_t value) { return b.emit.constant(value, DType::index); };
    allowed = b.emit.inferred(OpKind::maximum, {allowed, limit(std::numeric_limits<int32_t>::min())});
    allowed = b.emit.inferred(OpKind::minimum, {allowed, limit(std::numeric_limits<int32_t>::max())});
    const ValueId masked = b.emit.inferred(OpKind::gt, {ahead, b.tile(Val::ssa(allowed), DType::i32, shape)});
    // An expression that is not rounded yet stays so.
    const DType held = b.type_of(scores.id).elem;
    const DType elem = is_storage_only(held) ? type.elem() : held;
    const Val infinity = Val::of(sema::Static::of(-std::numeric_limits<double>::infinity()));
    const ValueId id =
        b.emit.inferred(OpKind::select, {masked, b.tile(infinity, elem, shape), b.tile(scores, elem, shape)});
    return Val::ssa(id, type.elem());
}

// ---- products ----

struct ProductOperands {
    ValueId a, b;
    ir::Attrs attrs;
};

// A factor as it goes into a product: rounded to its type, as what is passed; widened where the other is wider. A
// buffer is multiplied where it lies, if nothing is to be widened.
ValueId factor(Body& b, const ast::Expr& e, DType type) {
    const sema::Type& known = b.info(e).type;
    Val value = expression(b, e);
    const bool buffer = known.is(Kind::buffer);
    if (buffer && known.elem() == type) return b.memory(value);
    if (buffer) {
        const sema::Type plain = known.buffer().transposed ? known.with_last_axes_swapped() : known;
        value = load_tile(b, value, plain, {});
    }
    return b.emit.cast(b.coerce(value, known.elem()).id, type);
}

ProductOperands factors(Body& b, const ast::Expr& product) {
    const CallInfo& info = b.instance().calls.at(product.id);
    const ast::Expr* written[] = {argument(b, info, 0), argument(b, info, 1)};
    ProductOperands made;
    const DType both = compute_of(b, product);
    for (const ast::Expr* e : written) {
        const sema::Type& type = b.info(*e).type;
        const bool transposed = type.is(Kind::buffer) && type.buffer().transposed;
        if (transposed) made.attrs.set_flag(e == written[0] ? Attr::a_transposed : Attr::b_transposed);
        (e == written[0] ? made.a : made.b) = factor(b, *e, keeps_factors(both) ? type.elem() : both);
    }
    const sema::Type& type = b.info(product).type;
    made.attrs.set(Attr::type, type.elem());
    // Values of narrower floats are all of tf32.
    if (type.policy().compute_tf32 && both == DType::f32) made.attrs.set_flag(Attr::tf32);
    return made;
}

Val multiply(Body& b, const ProductOperands& factors, std::vector<ValueId> start) {
    std::vector<ValueId> operands{factors.a, factors.b};
    operands.insert(operands.end(), start.begin(), start.end());
    return Val::ssa(b.emit.inferred(OpKind::mma, std::move(operands), factors.attrs), factors.attrs.dtype(Attr::type));
}

// A product that gives the type: the sum of it and another is an accumulation that starts there.
bool is_product(Body& b, const ast::Expr& e, const sema::Type& type) {
    const auto found = b.instance().calls.find(e.id);
    if (found == b.instance().calls.end() || !std::holds_alternative<ast::Call>(e.node)) return false;
    const sema::Type& own = b.info(e).type;
    return found->second.kind == sema::CallKind::builtin && found->second.builtin == Builtin::tile_mma &&
           type.is(Kind::tile) && own.is(Kind::tile) && own.elem() == type.elem() &&
           own.tile_shape() == type.tile_shape();
}

ValueId start(Body& b, const Val& value, const sema::Type& type) {
    const auto own = element_type(b, value);
    return b.tile(own ? b.coerce(value, *own) : value, type.elem(), type.shape());
}

}  // namespace

std::optional<Val> accumulated_sum(Body& b, const ast::Binary& sum, const sema::Type& type) {
    if (sum.op != ast::BinaryOp::add) return std::nullopt;
    if (is_product(b, *sum.rhs, type)) return accumulated_sum(b, expression(b, *sum.lhs), *sum.rhs, type);
    if (!is_product(b, *sum.lhs, type)) return std::nullopt;
    const ProductOperands left = factors(b, *sum.lhs);
    const Val right = expression(b, *sum.rhs);
    return multiply(b, left, {start(b, right, type)});
}

std::optional<Val> accumulated_sum(Body& b, const Val& before, const ast::Expr& value, const sema::Type& type) {
    if (!is_product(b, value, type)) return std::nullopt;
    const ValueId from = start(b, before, type);
    const At at(b.emit, value.span);
    const ProductOperands product = factors(b, value);
    return multiply(b, product, {from});
}

namespace {

using Code = Val (*)(Body& b, const ast::Expr& e, const CallInfo& info);

// The code of each. One that has none does not compile: the error names it.
template <Builtin name>
struct CodeOf;
template <>
struct CodeOf<Builtin::tile_zeros> {
    static constexpr Code code = [](Body& b, const ast::Expr& e, const CallInfo&) {
        return full(b, b.info(e).type, Val::of(sema::Static::of(int64_t{0})));
    };
};
template <>
struct CodeOf<Builtin::tile_full> {
    static constexpr Code code = [](Body& b, const ast::Expr& e, const CallInfo& info) {
        return full(b, b.info(e).type, argument_value(b, info, 1));
    };
};
template <>
struct CodeOf<Builtin::tile_iota> {
    static constexpr Code code = [](Body& b, const ast::Expr& e, const CallInfo& info) {
        const sema::Type& type = b.info(e).type;
        return Val::ssa(iota(b, type.shape(), axis_of(b, info, 1, type.rank(), 0)), DType::i32);
    };
};
template <>
struct CodeOf<Builtin::tile_flip> {
    static constexpr Code code = flip;
};
struct Reduction {
    static constexpr Code code = reduction;
};
template <>
struct CodeOf<Builtin::tile_row_max> : Reduction {};
template <>
struct CodeOf<Builtin::tile_row_sum> : Reduction {};
template <>
struct CodeOf<Builtin::tile_reduce> : Reduction {};
template <>
struct CodeOf<Builtin::tile_causal_mask> {
    static constexpr Code code = causal_mask;
};
template <>
struct CodeOf<Builtin::tile_mma> {
    static constexpr Code code = [](Body& b, const ast::Expr& e, const CallInfo&) {
        return multiply(b, factors(b, e), {});
    };
};

constexpr std::pair<Builtin, Code> kCodes[] = {
#define TSR_CODE(identifier, paths, where, feature, parameters, doc) \
    {Builtin::identifier, CodeOf<Builtin::identifier>::code},
    TSR_BUILTINS_REGISTER_TILE(TSR_CODE)
#undef TSR_CODE
};

}  // namespace

std::optional<Val> tile_builtin(Body& b, const ast::Expr& e, const CallInfo& info) {
    if (info.builtin == Builtin::scan && b.info(e).type.is(Kind::tile)) return scan(b, e, info);
    const auto* const found = std::ranges::find(kCodes, info.builtin, &std::pair<Builtin, Code>::first);
    if (found == std::end(kCodes)) return std::nullopt;
    return found->second(b, e, info);
}

}  // namespace tsr::elaborate
