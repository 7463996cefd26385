#include "ir/passes/target/gpu/thread_code.h"

#include <algorithm>

#include "ir/core/internal.h"
#include "ir/ops/control.h"
#include "ir/ops/tile.h"
#include "ir/passes/target/gpu/barriers.h"
#include "ir/passes/target/gpu/choose_threads.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

constexpr int64_t kSharedAlignment = 16;  // of a buffer whose program asks for none

ValueId index_of(Emit& emit, OpKind kind) { return emit.op(kind, {}); }

}  // namespace

ThreadCode::ThreadCode(const Function& kernel, const GpuMachine& machine)
    : KernelCode(kernel), machine_(machine), barriers_(place_barriers(kernel)) {
    auto has = [&](OpKind kind) {
        return any_below(kernel, kernel.body, [&](const Op& op) { return op.kind == kind; });
    };
    if (kernel.kernel.flat || kernel.kernel.elements) total = counts[0];  // launches give tiles one number
    if (!plan.gpu().parts.empty()) total = emit.mul(total, emit.integer(parts_of(plan.gpu())));
    copies_ = has(OpKind::copy_async);
    commits_ = has(OpKind::commit) || has(OpKind::fill);
    find_arrivals();
    if (plan.gpu().producers > 0) producer_ = producer_part(kernel);
    if (plan.gpu().producers > 0 && !producer_) internal_error("producers are planned that have nothing to copy");
    thread_ = index_of(emit, OpKind::thread_id);
    lane_ = emit.cast(emit.binary(OpKind::bit_and, thread_, emit.integer(kWarp - 1)), DType::i32);
    warp_ = emit.binary(OpKind::shr, thread_, emit.integer(5));
    if (tile_threads(kernel)) tiles_.emplace(*this, thread_, machine);
}

void ThreadCode::run() {
    const bool by_tile = tile.kernel.flat || tile.kernel.elements;
    ValueId block = index_of(emit, OpKind::block_id);
    group = by_tile ? emit.integer(0) : emit.add(index_of(emit, OpKind::task_begin), block);
    if (in_clusters()) begin_cluster();
    if (!rings_.empty()) begin_rings();
    if (producer_) {
        roles();
        // Nobody leaves while others may write to its memory.
        if (in_clusters()) cluster_barrier();
    } else {
        region(tile.body);
        if (tiles_) tiles_->end_boxes();
    }
    emit.yield({});
    if (tiles_) shared_bytes_ = tiles_->finish(shared_bytes_);
}

ValueId ThreadCode::shared(DType type, int64_t bytes, int64_t alignment) {
    shared_bytes_ = (shared_bytes_ + alignment - 1) / alignment * alignment;
    const int64_t at = shared_bytes_;
    shared_bytes_ += bytes;
    return emit.op(OpKind::scratch, {}, {{Attr::count, at}, {Attr::type, type}, {Attr::alignment, alignment}});
}

void ThreadCode::proxy_fence() {
    if (tiles_ && tiles_->by_groups()) emit.statement(OpKind::proxy_fence, {});
}

void ThreadCode::block_barrier() {
    proxy_fence();
    emit.statement(OpKind::block_barrier, {});
}

ValueId ThreadCode::shuffle(ShuffleBy by, ValueId value, ValueId lane) {
    return emit.op(OpKind::warp_shuffle, {value, lane}, {{Attr::shuffle, code(by)}});
}

void ThreadCode::region(RegionId region) {
    for (OpId id : tile.region(region).ops) {
        if (tile.op(id).kind != OpKind::yield && is_of_role(id)) operation(id);
    }
}

void ThreadCode::operation(OpId id) {
    const Op& op = tile.op(id);
    emit.place = op.place;
    if (!in_lanes_ && barriers_.contains(id) && role_ != Role::producer) block_barrier();
    if (touches_tiles(tile, op)) return tiles_->operation(id);
    if (is_element(op.kind)) return scalar(op);
    statement(id);
}

// It has one place, whichever role comes to it.
void ThreadCode::buffer(OpId id) {
    const Op& op = tile.op(id);
    const int64_t used = shared_bytes_;
    const auto known = places_.find(id);
    if (known != places_.end()) shared_bytes_ = known->second;
    const Type& type = tile.type(op.results[0]);
    Memory memory;
    memory.elements = 1;
    for (const Dim& dim : type.shape) {
        const int64_t extent = dim.constant_value().value_or(0);
        memory.elements *= extent;
        memory.dims.push_back(emit.integer(extent));
    }
    const int64_t bytes = memory.elements * op.attrs.integer(Attr::count, 1) * ((bits(type.elem) + 7) / 8);
    int64_t alignment = std::max(op.attrs.integer(Attr::alignment, 0), kSharedAlignment);
    memory.swizzle = swizzle_of(tile, op.results[0], machine_);
    if (memory.swizzle.panel != 0) alignment = std::max(alignment, kBoxAlignment);
    memory.pointer = shared(type.elem, bytes, alignment);
    if (known != places_.end()) {
        shared_bytes_ = used;
    } else {
        places_[id] = shared_bytes_ - bytes;
    }
    memories[op.results[0]] = memory;
}

// ---- values ----

std::vector<ValueId> ThreadCode::registers(ValueId old) {
    if (auto found = parts.find(old); found != parts.end()) return found->second;
    return {scalars.at(old)};
}

std::vector<ValueId> ThreadCode::registers_as(ValueId old, ValueId like) {
    return tile.type(old).kind == TypeKind::tile ? tiles_->as(old, like) : registers(old);
}

bool ThreadCode::is_flattened(ValueId old) const {
    const Type& type = tile.type(old);
    const bool small = type.is_vector() || (type.kind == TypeKind::lane_array && type.width > 0);
    return small || type.kind == TypeKind::tile;
}

std::vector<Type> ThreadCode::register_types(ValueId old) const {
    const Type& type = tile.type(old);
    const size_t count = type.kind == TypeKind::tile ? static_cast<size_t>(tiles_->registers(old))
                         : is_flattened(old)         ? type.width
                                                     : 1;
    return std::vector<Type>(count, Type::scalar(type.elem));
}

void ThreadCode::bind(ValueId old, const std::vector<ValueId>& made, size_t& at) {
    const size_t count = register_types(old).size();
    if (is_flattened(old)) {
        parts[old].assign(made.begin() + static_cast<std::ptrdiff_t>(at),
                          made.begin() + static_cast<std::ptrdiff_t>(at + count));
    } else {
        scalars[old] = made[at];
    }
    at += count;
}

void ThreadCode::control(const Op& op) {
    // Operands before what is carried.
    const size_t bounds = op.kind == OpKind::if_ ? op.operands.size() : LoopOp(tile, op).bounds();
    std::vector<ValueId> operands;
    std::vector<Type> types;
    for (size_t i = 0; i < op.operands.size(); ++i) {
        if (i >= bounds && !carries(op.results[i - bounds])) continue;
        const std::vector<ValueId> parts_of =
            i < bounds ? std::vector{scalars.at(op.operands[i])} : registers_as(op.operands[i], op.results[i - bounds]);
        operands.insert(operands.end(), parts_of.begin(), parts_of.end());
    }
    for (ValueId result : carried(op.results)) {
        for (const Type& type : register_types(result)) types.push_back(type);
    }
    RegionId outside = emit.region;
    const bool turns = op.kind == OpKind::for_ && std::ranges::any_of(tile.region(op.regions[0]).ops, [&](OpId id) {
                           return tile.op(id).attrs.has(Attr::turn) && role_ == Role::consumer;
                       });
    if (turns) tiles_->await_turn();
    const OpId awaits = turns ? target.region(emit.region).ops.back() : OpId{};
    const OpId made = op.kind == OpKind::if_
                          ? emit.open_if(operands.front(), types)
                          : emit.open(op.kind, operands, op.kind == OpKind::for_ ? Attrs{} : op.attrs);
    for (size_t number = 0; number < op.regions.size(); ++number) {
        const std::vector<ValueId> given = carried(tile.region(op.regions[number]).args);
        emit.region = emit.add_region(made);
        std::vector<ValueId> args;
        for (ValueId arg : given) {
            for (const Type& type : register_types(arg))
                args.push_back(target.add_arg(emit.region, type, tile.value(arg).name));
        }
        size_t at = 0;
        for (ValueId arg : given) bind(arg, args, at);
        if (tiles_) tiles_->forget();
        region(op.regions[number]);
        std::vector<ValueId> out;
        const std::vector<ValueId>& values = yielded(op.regions[number]);
        const bool tests = op.kind == OpKind::while_ && number == 0;
        for (size_t i = 0; i < values.size(); ++i) {
            if (!tests && !carries(op.results[i])) continue;
            for (ValueId part : tests ? registers(values[i]) : registers_as(values[i], op.results[i]))
                out.push_back(part);
        }
        emit.yield(out);
    }
    emit.close(made, outside);
    if (turns) end_turns(made, awaits);
    size_t at = 0;
    const std::vector<ValueId> results = target.op(made).results;
    for (ValueId result : carried(op.results)) bind(result, results, at);
}

// ---- lanes ----

void ThreadCode::lanes(const Op& op) {
    switch (static_cast<LanesOver>(op.attrs.integer(Attr::over))) {
        case LanesOver::tiles:
            return lanes_over_tiles(op);
        case LanesOver::loop:
            return lanes_over_loop(op);
        case LanesOver::domain:
            return lanes_over_domain(op);
    }
}

void ThreadCode::in_lanes(RegionId inner, ValueId number) {
    in_lanes_ = true;
    number_ = number;
    region(inner);
    in_lanes_ = false;
}

// A thread is a tile; those that fill the last warp up are none.
void ThreadCode::lanes_over_tiles(const Op& op) {
    const RegionId inner = op.regions[0];
    scalars[tile.region(inner).args[0]] = thread_;
    std::vector<ValueId> made;
    auto body = [&] {
        in_lanes(inner, group);
        made.clear();
        for (ValueId v : yielded(inner)) {
            for (ValueId part : registers(v)) made.push_back(part);
        }
    };
    if (plan.gpu().threads == tile.kernel.group_size()) {
        body();
    } else {
        std::vector<Type> types;
        for (ValueId result : op.results) {
            for (const Type& type : register_types(result)) types.push_back(type);
        }
        RegionId outside = emit.region;
        ValueId inside = emit.compare(OpKind::lt, thread_, emit.integer(tile.kernel.group_size()));
        OpId branch = emit.open_if(inside, types);
        emit.region = emit.add_region(branch);
        body();
        emit.yield(made);
        emit.region = emit.add_region(branch);
        std::vector<ValueId> nothing;
        for (const Type& type : types) {
            nothing.push_back(emit.constant(is_float(type.elem) ? AttrValue{0.0} : AttrValue{int64_t{0}}, type.elem));
        }
        emit.yield(nothing);
        emit.close(branch, outside);
        made = target.op(branch).results;
    }
    size_t at = 0;
    for (ValueId result : op.results) bind(result, made, at);
}

void ThreadCode::round(const Op& op, const std::vector<Axis>& all, ValueId number) {
    bind_round(op, all, number);
    const bool by_tile = tile.kernel.flat || tile.kernel.elements;
    in_lanes(op.regions[0], by_tile ? number : group);
}

// Neighbouring rounds go to neighbouring threads.
void ThreadCode::lanes_over_loop(const Op& op) {
    std::vector<Axis> all = axes(op);
    counted_loop(thread_, rounds(all), plan.gpu().threads, [&](ValueId number) { round(op, all, number); });
}

// Behind the last tile, which is not before the first one of a thread: an end below 0 is as good as 0.
ValueId ThreadCode::end_of_domain(const Op& op, const std::vector<Axis>& all) {
    const bool counts = all.size() == 1 && emit.is_integer(all[0].lower, 0) && emit.is_integer(all[0].step, 1);
    const ValueId end = counts ? scalars.at(NestOp(tile, op).upper(0)) : rounds(all);
    const OpId made = target.value(end).op;
    const bool bounded = made.valid() && target.op(made).kind == OpKind::minimum &&
                         std::ranges::find(target.op(made).operands, total) != target.op(made).operands.end();
    return bounded ? end : emit.binary(OpKind::minimum, end, total);
}

// Tiles of the launch. Where a thread does several they are neighbours, and the last ones are done one by one.
void ThreadCode::lanes_over_domain(const Op& op) {
    std::vector<Axis> all = axes(op);
    // A launch has all elements of such a loop, or none.
    if (all.size() > 1 && plan.gpu().tiles_per_thread > 1) {
        if (const auto across = turned(op)) return lanes_turned(op, all, *across);
        return lanes_in_rows(op, all);
    }
    ValueId end = end_of_domain(op, all);
    if (plan.gpu().tiles_per_thread > 1 && !side_by_side(tile, op)) return lanes_apart(op, all, end);
    ValueId begin = index_of(emit, OpKind::task_begin);
    const int64_t many = plan.gpu().tiles_per_thread;
    ValueId block = emit.mul(index_of(emit, OpKind::block_id), emit.integer(plan.task));
    ValueId first = emit.add(emit.add(begin, block), emit.mul(thread_, emit.integer(many)));
    if (many == 1) return when(emit.compare(OpKind::lt, first, end), [&] { round(op, all, first); });
    RegionId outside = emit.region;
    ValueId whole = emit.compare(OpKind::le, emit.add(first, emit.integer(many)), end);
    OpId branch = emit.open_if(whole);
    emit.region = emit.add_region(branch);
    neighbours(op, all[0], first);
    emit.yield({});
    emit.region = emit.add_region(branch);
    counted_loop(first, end, 1, [&](ValueId number) { round(op, all, number); }, {{Attr::unroll, int64_t{1}}});
    emit.yield({});
    emit.close(branch, outside);
}

void ThreadCode::message(const Op& op, ValueId number) {
    std::vector<ValueId> operands;
    for (ValueId v : op.operands) operands.push_back(scalars.at(v));
    operands.insert(operands.begin() + (op.kind == OpKind::assert_ ? 1 : 0), number);
    emit.statement(op.kind, operands, op.attrs);
}

void ThreadCode::result(const Op& op) {
    ValueId start = role_ != Role::all ? group
                                       : emit.binary(OpKind::bit_or, index_of(emit, OpKind::task_begin),
                                                     index_of(emit, OpKind::block_id));
    ValueId first = emit.binary(OpKind::bit_or, start, thread_);
    when(emit.compare(OpKind::eq, first, emit.integer(0)), [&] {
        emit.statement(OpKind::runtime, {scalars.at(ResultOp(tile, op).value())},
                       {{Attr::callee, std::string("task_result")}});
    });
}

}  // namespace tsr::ir
