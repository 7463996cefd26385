// What only kernels have: ids, collectives, shared buffers, copies, atomics, vectors.
#include "ir/ops/reduction.h"
#include "sema/builtins/builtin_cases.h"
#include "sema/elaborate/arguments.h"
#include "sema/elaborate/arithmetic.h"
#include "sema/elaborate/builtins.h"
#include "sema/elaborate/local_arrays.h"
#include "sema/elaborate/memory.h"
#include "sema/elaborate/recursion.h"
#include "sema/elaborate/rounding.h"
#include "sema/elaborate/tiles.h"
#include "sema/elaborate/types.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::OpKind;
using ir::ReduceOp;
using ir::ValueId;
using sema::Builtin;
using sema::CallInfo;

Val allocation(Body& b, const ast::Expr& e) {
    const std::string key =
        b.frame().path + ":" + std::to_string(b.instance().id.index) + "." + std::to_string(e.id.index) + b.site_path;
    const uint32_t site = b.buffers.site(key, b.info(e).type, b.site_name, e.span);
    return Val::buffer(b.buffers.group(site), Val::index(b.buffers.stage(site)));
}

namespace {

Val id(Body& b, OpKind kind, const Val& axis = {}) {
    ir::Attrs attrs;
    if (axis.is_fixed() && axis.fixed.integer()) attrs.set(Attr::axis, *axis.fixed.integer());
    return Val::ssa(b.emit.inferred(kind, {}, std::move(attrs)), DType::index);
}

Val copy(Body& b, const CallInfo& info) {
    const Val to = argument_value(b, info, 0);
    const Val from = argument_value(b, info, 1);
    const bool view = from.is(Val::Kind::view);
    const ValueId buffer = b.memory(to), tensor = b.memory(from);
    std::vector<ValueId> operands{buffer, tensor};
    const size_t rank = b.type_of(tensor).rank();
    for (size_t axis = 0; axis < rank; ++axis) {
        operands.push_back(b.index(view && axis + 1 < from.parts.size() ? from.parts[axis + 1] : Val::index(0)));
    }
    b.emit.op(OpKind::copy_async, std::move(operands));
    return Val::none();
}

Val load(Body& b, const ast::Expr& e, const CallInfo& info) {
    Val source = argument_value(b, info, 0);
    if (b.info(e).type.is(sema::Kind::tile)) {
        return load_tile(b, source, b.info(*argument(b, info, 0)).type, argument_value(b, info, 2));
    }
    // An element that was read where the argument stands: `tile.load(x[i])`.
    if (source.is_ssa() && b.type_of(source.id).is_scalar()) return source;
    return read_element(b, source, element_index(b, source, argument(b, info, 1)));
}

Val store(Body& b, const CallInfo& info) {
    const Val target = argument_value(b, info, 0);
    const sema::Type& type = b.info(*argument(b, info, 0)).type;
    if (type.is(sema::Kind::view)) {
        store_tile(b, target, type, to_be_stored(b, *argument(b, info, 2)), argument(b, info, 0));
        return Val::none();
    }
    const std::vector<Val> index = element_index(b, target, argument(b, info, 1));
    write_element(b, target, index, to_be_stored(b, *argument(b, info, 2)), *argument(b, info, 0));
    return Val::none();
}

Val load_vector(Body& b, const ast::Expr& e, const CallInfo& info) {
    const Val source = argument_value(b, info, 0);
    const std::vector<Val> index = element_index(b, source, argument(b, info, 1));
    const int64_t width = b.info(e).type.length().value_or(1);
    const DType type = memory_type(b, source);
    std::vector<ValueId> operands{b.memory(source)};
    for (const Val& i : index) operands.push_back(b.index(i));
    return Val::ssa(b.emit.inferred(OpKind::read_vector, std::move(operands), {{Attr::width, width}}), type);
}

Val store_vector(Body& b, const CallInfo& info) {
    const Val target = argument_value(b, info, 0);
    const Val value = to_be_stored(b, *argument(b, info, 1));
    const std::vector<Val> index = element_index(b, target, argument(b, info, 2));
    const int64_t width = b.info(*argument(b, info, 1)).type.length().value_or(1);
    const ir::Type type = ir::Type::vector(memory_type(b, target), static_cast<uint32_t>(width));
    std::vector<ValueId> operands;
    for (const Val& i : index) operands.push_back(b.index(i));
    const ValueId place = b.memory(target);
    const ValueId stored = stored_vector(b, argument(b, info, 0), place, operands, value, type);
    operands.insert(operands.begin(), {place, stored});
    b.emit.op(OpKind::write_vector, std::move(operands));
    return Val::none();
}

std::optional<ir::AtomicOp> atomic_op(Builtin builtin) {
    switch (builtin) {
        case Builtin::atomic_add:
            return ir::AtomicOp::add;
        case Builtin::atomic_min:
            return ir::AtomicOp::min;
        case Builtin::atomic_max:
            return ir::AtomicOp::max;
        case Builtin::atomic_bit_and:
            return ir::AtomicOp::bit_and;
        case Builtin::atomic_bit_or:
            return ir::AtomicOp::bit_or;
        case Builtin::atomic_bit_xor:
            return ir::AtomicOp::bit_xor;
        case Builtin::atomic_exchange:
            return ir::AtomicOp::exchange;
        case Builtin::atomic_compare_exchange:
            return ir::AtomicOp::compare_exchange;
        default:
            return std::nullopt;
    }
}

Val atomic(Body& b, const CallInfo& info, ir::AtomicOp op) {
    const bool compares = op == ir::AtomicOp::compare_exchange;
    const ast::Expr& target = *argument(b, info, 0);
    if (b.info(target).type.is(sema::Kind::view)) {
        const Val view = expression(b, target);
        atomic_tile(b, view, b.info(target).type, argument_value(b, info, 1), op);
        return Val::none();
    }
    Val memory;
    std::vector<Val> index;
    if (const auto* element = std::get_if<ast::Subscript>(&target.node); element && b.info(target).type.is_scalar()) {
        // `atomic.add(x[i], v)` names the element itself.
        const Target place = evaluate_target(b, target);
        memory = place.memory;
        index = place.indices;
    } else {
        memory = expression(b, target);
        index = element_index(b, memory, argument(b, info, compares ? 3 : 2));
    }
    const DType type = memory_type(b, memory);
    const Val first = argument_value(b, info, 1);
    const Val second = compares ? argument_value(b, info, 2) : Val{};
    std::vector<ValueId> operands{b.memory(memory), b.scalar(compares ? second : first, type)};
    if (compares) operands.push_back(b.scalar(first, type));
    for (const Val& i : index) operands.push_back(b.index(i));
    return Val::ssa(b.emit.inferred(OpKind::atomic, std::move(operands), {{Attr::op, static_cast<int64_t>(op)}}), type);
}

Val group_reduce(Body& b, const ast::Expr& e, const CallInfo& info, ReduceOp op) {
    const Val value = argument_value(b, info, 0);
    const bool logical = ir::is_logical(op);
    const DType type = logical ? DType::boolean : compute_of(b, e);
    const ValueId operand = logical ? b.truth(value) : b.scalar(value, type);
    const ValueId result = b.emit.inferred(OpKind::group_reduce, {operand}, {{Attr::op, static_cast<int64_t>(op)}});
    return Val::ssa(result, logical ? type : b.info(e).type.elem());
}

ReduceOp scan_op(Body& b, const CallInfo& info) {
    const Val op = argument_value(b, info, 1);
    const std::string* text = op.is_fixed() ? op.fixed.string() : nullptr;
    if (!text || *text == "add" || *text == "sum") return ReduceOp::add;
    if (*text == "mul" || *text == "prod") return ReduceOp::mul;
    return *text == "min" ? ReduceOp::min : ReduceOp::max;
}

// Elements in row-major order, each brought to the accumulation type: for elements that are narrower than it.
ValueId widened_reduce(Body& b, ValueId memory, ReduceOp op, DType type) {
    const ir::Type buffer = b.type_of(memory);
    std::vector<ValueId> zeros;
    for (size_t axis = 0; axis < buffer.rank(); ++axis) zeros.push_back(b.emit.constant(int64_t{0}, DType::index));
    const auto element = [&](const std::vector<ValueId>& index) {
        std::vector<ValueId> operands{memory};
        operands.insert(operands.end(), index.begin(), index.end());
        return b.emit.cast(b.emit.inferred(OpKind::read, std::move(operands)), type);
    };
    // A sum starts at nothing; the least and the greatest at the first element, which may be met twice.
    const bool extreme = op == ReduceOp::min || op == ReduceOp::max;
    const ValueId first = extreme ? element(zeros) : b.emit.constant(int64_t{op == ReduceOp::mul}, type);
    const std::function<ValueId(std::vector<ValueId>, ValueId)> over = [&](std::vector<ValueId> index,
                                                                           ValueId carried) -> ValueId {
        if (index.size() == buffer.rank()) return b.emit.inferred(ir::combining(op), {carried, element(index)});
        const int64_t extent = buffer.shape[index.size()].constant_value().value_or(0);
        const ir::OpId loop =
            b.emit.op(OpKind::for_,
                      {b.emit.constant(int64_t{0}, DType::index), b.emit.constant(extent, DType::index),
                       b.emit.constant(int64_t{1}, DType::index), carried},
                      {{Attr::loop, static_cast<int64_t>(ir::LoopKind::in_order)}});
        const ir::RegionId region = b.function().add_region(loop);
        const Inside inside(b.emit, region);
        index.push_back(b.function().add_arg(region, ir::Type::scalar(DType::index)));
        const ValueId arg = b.function().add_arg(region, ir::Type::scalar(type));
        b.emit.yield({over(std::move(index), arg)});
        return b.function().op(loop).results[0];
    };
    return over({}, first);
}

Val buffer_reduce(Body& b, const ast::Expr& e, const CallInfo& info, ReduceOp op) {
    const Val buffer = argument_value(b, info, 0);
    const DType element = memory_type(b, buffer);
    const DType type = compute_of(b, e);
    const ValueId memory = b.memory(buffer);
    const ValueId result =
        type == element ? b.emit.inferred(OpKind::buffer_reduce, {memory}, {{Attr::op, static_cast<int64_t>(op)}})
                        : widened_reduce(b, memory, op, type);
    return Val::ssa(result, b.info(e).type.elem());
}

// A value of another lane keeps its type; an expression that is not rounded is rounded: it leaves the tile.
Val from_lane(Body& b, const CallInfo& info, OpKind kind) {
    const Val value = argument_value(b, info, 0);
    const Val lane = argument_value(b, info, 1);
    const DType type = element_type_alone(b, value);
    const ValueId source = lane.is(Val::Kind::undefined) ? b.emit.constant(int64_t{0}, DType::index) : b.index(lane);
    const ValueId operand = b.scalar(value, type);
    return Val::ssa(b.emit.inferred(kind, {operand, source}), type);
}

Val effect(Body& b, OpKind kind, ir::Attrs attrs = {}) {
    b.emit.op(kind, {}, std::move(attrs));
    return Val::none();
}

Val collective(Body& b, const ast::Expr& e, const CallInfo& info) {
    switch (info.builtin) {
        case Builtin::barrier:
            return effect(b, OpKind::barrier);
        case Builtin::cp_commit_group:
            return effect(b, OpKind::commit);
        case Builtin::cp_wait_group: {
            const Val count = argument_value(b, info, 0);
            const int64_t left = count.is_fixed() ? count.fixed.integer().value_or(0) : 0;
            return effect(b, OpKind::wait_group, {{Attr::count, left}});
        }
        case Builtin::cp_async:
            return copy(b, info);
        case Builtin::group_reduce_sum:
            return group_reduce(b, e, info, ReduceOp::add);
        case Builtin::group_reduce_max:
            return group_reduce(b, e, info, ReduceOp::max);
        case Builtin::group_reduce_min:
            return group_reduce(b, e, info, ReduceOp::min);
        case Builtin::group_reduce_prod:
            return group_reduce(b, e, info, ReduceOp::mul);
        case Builtin::group_any:
            return group_reduce(b, e, info, ReduceOp::any);
        case Builtin::group_all:
            return group_reduce(b, e, info, ReduceOp::all);
        case Builtin::scan: {
            const Val value = argument_value(b, info, 0);
            const DType type = compute_of(b, e);
            const ValueId id = b.emit.inferred(OpKind::group_scan, {b.scalar(value, type)},
                                               {{Attr::op, static_cast<int64_t>(scan_op(b, info))}});
            return Val::ssa(id, b.info(e).type.elem());
        }
        case Builtin::shuffle:
            return from_lane(b, info, OpKind::shuffle);
        case Builtin::warp_broadcast:
            return from_lane(b, info, OpKind::broadcast);
        case Builtin::ballot:
            return Val::ssa(b.emit.inferred(OpKind::ballot, {b.truth(argument_value(b, info, 0))}), DType::u32);
        case Builtin::linear_id:
        case Builtin::context:
        case Builtin::tile_range:
        case Builtin::alloc_register:
        case Builtin::load:
        case Builtin::store:
        case Builtin::load_vector:
        case Builtin::store_vector:
        case Builtin::atomic_add:
        case Builtin::atomic_min:
        case Builtin::atomic_max:
        case Builtin::atomic_bit_and:
        case Builtin::atomic_bit_or:
        case Builtin::atomic_bit_xor:
        case Builtin::atomic_exchange:
        case Builtin::atomic_compare_exchange:
        case Builtin::tile_local:
        case Builtin::local_id:
        case Builtin::lane_id:
        case Builtin::group_size:
        case Builtin::group_id:
        case Builtin::grid_groups:
        case Builtin::alloc_shared:
        case Builtin::tshared_alloc:
        case Builtin::buffer_reduce_sum:
        case Builtin::buffer_reduce_max:
        case Builtin::buffer_reduce_min:
        case Builtin::buffer_reduce_prod:
            TSR_CASES_REGISTER_TILE
            TSR_CASES_MATH
            TSR_CASES_MADE
            TSR_CASES_FORM
            return Val::none();  // no collectives
    }
    __builtin_unreachable();
}

}  // namespace

Val kernel_builtin(Body& b, const ast::Expr& e, const CallInfo& info) {
    if (const auto op = atomic_op(info.builtin)) return atomic(b, info, *op);
    if (auto tile = tile_builtin(b, e, info)) return *tile;
    switch (info.builtin) {
        case Builtin::linear_id:
            return id(b, OpKind::tile_id);
        case Builtin::local_id:
            return id(b, OpKind::tile_id, argument_value(b, info, 0));
        case Builtin::lane_id:
            return id(b, OpKind::lane_id);
        case Builtin::group_size:
            return Val::index(b.frames.front().instance->kernel.group_size());
        case Builtin::group_id:
            return id(b, OpKind::group_id, argument_value(b, info, 0));
        case Builtin::grid_groups:
            return id(b, OpKind::group_count);
        case Builtin::load:
            return load(b, e, info);
        case Builtin::store:
            return store(b, info);
        case Builtin::load_vector:
            return load_vector(b, e, info);
        case Builtin::store_vector:
            return store_vector(b, info);
        case Builtin::alloc_register:
            return Val{};
        case Builtin::tile_local:
            return new_local_array(b, b.info(e).type);
        case Builtin::buffer_reduce_sum:
            return buffer_reduce(b, e, info, ReduceOp::add);
        case Builtin::buffer_reduce_max:
            return buffer_reduce(b, e, info, ReduceOp::max);
        case Builtin::buffer_reduce_min:
            return buffer_reduce(b, e, info, ReduceOp::min);
        case Builtin::buffer_reduce_prod:
            return buffer_reduce(b, e, info, ReduceOp::mul);
        default:
            return collective(b, e, info);
    }
}

}  // namespace tsr::elaborate
