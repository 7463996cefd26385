// Accesses, buffers, copies, what the group does together, text.

#include <fmt/format.h>

#include "ir/eval/compile.h"
#include "ir/eval/expanded.h"
#include "ir/eval/steps.h"
#include "ir/eval/text_parts.h"
#include "ir/law/reduction.h"
#include "ir/ops/control.h"
#include "ir/ops/memory.h"
#include "ir/ops/record.h"
#include "ir/ops/reduction.h"
#include "ir/ops/tile.h"

namespace tsr::ir::eval {

LaneFn combine_of(const LaneOps& ops, AtomicOp op, DType type) {
    switch (op) {
        case AtomicOp::add:
            return ops.element(OpKind::add, type);
        case AtomicOp::min:
            return ops.element(OpKind::minimum, type);
        case AtomicOp::max:
            return ops.element(OpKind::maximum, type);
        case AtomicOp::bit_and:
            return ops.element(OpKind::bit_and, type);
        case AtomicOp::bit_or:
            return ops.element(OpKind::bit_or, type);
        case AtomicOp::bit_xor:
            return ops.element(OpKind::bit_xor, type);
        case AtomicOp::exchange:
        case AtomicOp::compare_exchange:
            return nullptr;
    }
    return nullptr;
}

namespace {

bool combines(AtomicOp op) { return op != AtomicOp::exchange && op != AtomicOp::compare_exchange; }

}  // namespace

void Compiler::access(OpId id, const Op& op) {
    const size_t temporaries = temporaries_.size();
    const bool reads = ReadOp::suits(op.kind), stores = WriteOp::suits(op.kind);
    const ValueId memory = reads    ? ReadOp(fn_, id).memory()
                           : stores ? WriteOp(fn_, id).memory()
                                    : AtomicUpdateOp(fn_, id).memory();
    AccessData access;
    access.view = view_of_[memory.index];
    access.elem = fn_.type(memory).elem;
    access.size = static_cast<uint32_t>(stored_size(access.elem));
    if (op.kind == OpKind::atomic) {
        access.atomic = static_cast<AtomicOp>(op.attrs.integer(Attr::op));
        access.combine = combine_of(ops_, access.atomic, access.elem);
        const bool packed = fn_.type(memory).kind == TypeKind::tensor && is_packed(access.elem);
        if (packed || (combines(access.atomic) && access.combine == nullptr)) {
            refuse(id, fmt::format("there is no such atomic on {}", name(access.elem)));
            return;
        }
        const AtomicUpdateOp update(fn_, id);
        if (update.compares()) access.compare = operand_of(update.compare());
        for (ValueId index : update.indices()) access.indices.push_back(wide(index));
        access.value = operand_of(update.value());
    } else {
        for (ValueId index : AccessOp(fn_, id).indices()) access.indices.push_back(wide(index));
    }
    if (stores) {
        const ValueId value = WriteOp(fn_, id).value();
        access.value = operand_of(value);
        access.width = width_of(value);
        if (in_lanes_) access.value = {home(value).many, false};
    }
    access.uniform = !in_lanes_;
    if (!op.results.empty()) {
        const ValueId result = op.results[0];
        take_home(result);
        access.width = width_of(result);
        if (reads) access.uniform = !varies(result);
        access.result = varies(result) ? home(result).many : home(result).one;
    }
    Inst& inst = emit(reads ? &steps::read : stores ? &steps::write : &steps::atomic, id);
    inst.data = static_cast<uint32_t>(program_.accesses.size());
    program_.accesses.push_back(std::move(access));
    drop_temporaries(temporaries);
    if (!op.results.empty()) spread(op.results[0]);
}

void Compiler::buffer(OpId, const Op& op) {
    const ValueId result = op.results[0];
    const Type& type = fn_.type(result);
    ViewData view;
    view.name = fn_.value(result).name;
    if (const AttrValue* given = op.attrs.find(Attr::name)) view.name = std::get<std::string>(*given);
    view.elem = type.elem;
    view.shape = type.shape;
    view.buffer = true;
    view.stages = static_cast<uint32_t>(op.attrs.integer(Attr::count, 1));
    view.of = static_cast<uint32_t>(program_.views.size());
    view.offset = program_.shared_bytes;
    uint64_t elements = view.stages;
    for (const Dim& extent : type.shape) elements *= static_cast<uint64_t>(extent.constant_value().value_or(0));
    program_.shared_bytes += (elements * stored_size(type.elem) + 63) / 64 * 64;
    view_of_[result.index] = view.of;
    program_.views.push_back(std::move(view));
}

void Compiler::stage(OpId id, const Op&) {
    const StageOp chosen(fn_, id);
    ViewData view = program_.views[view_of_[chosen.buffer().index]];
    if (varies(chosen.index())) {
        refuse(id, "tiles choose different stages of a buffer: the number of a stage is uniform");
        return;
    }
    const Slot index = wide_one(chosen.index());
    view_of_[chosen.result().index] = static_cast<uint32_t>(program_.views.size());
    Inst& inst = emit(&steps::stage, id);
    inst.data = static_cast<uint32_t>(program_.views.size());
    inst.a = index;
    program_.views.push_back(std::move(view));
}

void Compiler::copy_async(OpId id, const Op&) {
    const CopyAsyncOp op(fn_, id);
    CopyData copy;
    copy.to = view_of_[op.to().index];
    copy.from = view_of_[op.from().index];
    for (ValueId start : op.starts()) copy.starts.push_back(wide_one(start));
    emit(&steps::copy_async, id).data = static_cast<uint32_t>(program_.copies.size());
    program_.copies.push_back(std::move(copy));
}

void Compiler::reduction(OpId id, const Op& op) {
    const auto how = static_cast<ReduceOp>(op.attrs.integer(Attr::op));
    CollectiveData data;
    const ValueId value = GroupReduceOp(fn_, id).value();
    data.elem = fn_.type(value).elem;
    data.size = static_cast<uint32_t>(stored_size(data.elem));
    data.combine = ops_.element(combining(how), data.elem);
    data.identity = reduction_identity(how, data.elem);
    take_home(op.results[0]);
    const Home& result = home(op.results[0]);
    if (op.kind == OpKind::buffer_reduce) data.view = view_of_[value.index];
    const bool scan = op.kind == OpKind::group_scan;
    Inst& inst = emit(scan                               ? &steps::group_scan
                      : op.kind == OpKind::buffer_reduce ? &steps::buffer_reduce
                                                         : &steps::group_reduce,
                      id);
    inst.result = scan ? result.many : result.one;
    if (op.kind != OpKind::buffer_reduce) inst.a = home(value).many;
    inst.data = static_cast<uint32_t>(program_.collectives.size());
    program_.collectives.push_back(data);
    spread(op.results[0]);
}

void Compiler::barrier(OpId id, const Op&) { emit(&steps::barrier, id); }

// Of a ring: `fill` ends a group of copies, `take` waits for one, both say who meets. Who waits for arrivals meets all,
// and waits for all copies.
void Compiler::commit(OpId id, const Op&) {
    program_.commits = true;
    emit(&steps::commit, id);
}

void Compiler::wait_group(OpId id, const Op& op) {
    if (!WaitOp(fn_, id).of_products()) {
        emit(&steps::wait_group, id).count = static_cast<uint32_t>(op.attrs.integer(Attr::count));
        return;
    }
    for (size_t i = 0; i < op.results.size(); ++i) {  // products are done when they start
        take_home(op.results[i]);
        move({{op.operands[i], home(op.results[i]), varies(op.results[i])}}, false);
    }
}

void Compiler::acquire(OpId id, const Op&) {
    const RingOp ring(fn_, id);
    if (ring.meets() || ring.by_arrivals()) emit(&steps::barrier, id);
}

void Compiler::take(OpId id, const Op& op) {
    emit(&steps::wait_group, id).count = static_cast<uint32_t>(op.attrs.integer(Attr::count, 0));
    acquire(id, op);
}

void Compiler::release(OpId id, const Op&) {
    if (RingOp(fn_, id).closes()) emit(&steps::barrier, id);
}

void Compiler::group_result(OpId id, const Op&) { emit(&steps::result, id).a = home(ResultOp(fn_, id).value()).one; }

// Reductions, scans and exchanges among the tiles of the group.
void Compiler::across_lanes(OpId id, const Op& op) {
    if (in_lanes_) {
        refuse(id, fmt::format("'{}' stands among the code of one tile", name(op.kind)));
        return;
    }
    if (op.kind != OpKind::group_reduce && !op.results.empty() && !varies(op.results[0])) {
        if (op.kind == OpKind::shuffle || op.kind == OpKind::broadcast) {
            // Every tile has the value that it asks another one for.
            take_home(op.results[0]);
            move_one({ShuffleOp(fn_, id).value(), home(op.results[0]), false}, false);
            return spread(op.results[0]);
        }
        refuse(id, fmt::format("'{}' of a value that is the same for all tiles", name(op.kind)));
        return;
    }
    if (op.kind == OpKind::group_reduce || op.kind == OpKind::group_scan) return reduction(id, op);
    const size_t temporaries = temporaries_.size();
    take_home(op.results[0]);
    CollectiveData data;
    const bool asks = op.kind == OpKind::ballot;
    const ValueId given = asks ? BallotOp(fn_, id).condition() : ShuffleOp(fn_, id).value();
    data.elem = fn_.type(given).elem;
    data.size = size_of(given);
    const Slot source = asks ? 0 : wide_many(ShuffleOp(fn_, id).source());
    Inst& inst = emit(asks ? &steps::ballot : &steps::shuffle, id);
    inst.result = home(op.results[0]).many;
    inst.a = home(given).many;
    inst.b = source;
    inst.data = static_cast<uint32_t>(program_.collectives.size());
    program_.collectives.push_back(data);
    drop_temporaries(temporaries);
}

// The operands and the result of an operation that was expanded.
void Compiler::watched(OpId id, const Op& op) {
    TextData text;
    for (ValueId v : op.operands) text.parts.push_back({"", true, "", operand_of(v), fn_.type(v).elem});
    text.parts.front().text = op.attrs.string(Attr::text);
    Inst& inst = emit(&steps::check_finite, id);
    inst.data = static_cast<uint32_t>(program_.texts.size());
    inst.count = width_of(op.operands.back());
    program_.texts.push_back(std::move(text));
}

void Compiler::text(OpId id, const Op& op) {
    if (op.attrs.has(Attr::watched)) return watched(id, op);
    TextData text{parse_text_parts(op.attrs.string(Attr::text))};
    size_t at = op.kind == OpKind::assert_ ? 1 : 0;
    for (TextPart& part : text.parts) {
        if (!part.value) continue;
        if (at >= op.operands.size() || !fn_.type(op.operands[at]).is_scalar()) {
            refuse(id, "the text has more holes than numbers to fill them");
            return;
        }
        part.type = fn_.type(op.operands[at]).elem;
        part.operand = operand_of(op.operands[at++]);
    }
    Inst& inst = emit(op.kind == OpKind::print ? &steps::print : &steps::assert_true, id);
    inst.data = static_cast<uint32_t>(program_.texts.size());
    program_.texts.push_back(std::move(text));
    if (op.kind == OpKind::assert_) {
        const Operand condition = operand_of(AssertOp(fn_, id).condition());
        inst.a = condition.slot;
        inst.count = condition.uniform ? 1 : 0;
    }
}

}  // namespace tsr::ir::eval
