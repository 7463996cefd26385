#include "ir/passes/target/cpu/lanes/spread.h"

#include "ir/law/reduction.h"
#include "ir/ops/reduction.h"
#include "ir/ops/tile.h"
#include "ir/passes/target/cpu/lanes/uniformity.h"

namespace tsr::ir {

Spread::Spread(const Function& kernel) : KernelCode(kernel), differing(find_differing(kernel)), ranges(kernel) {
    if (lanes() == 1) differing.assign(differing.size(), false);  // one lane differs from no other
    entry = target.body;
}

ValueId Spread::at_entry(OpKind kind, const Type& type, Attrs attrs) {
    OpId op = target.add_op(kind, target.place, {}, {type}, std::move(attrs));
    target.insert(entry, entry_position++, op);
    return target.op(op).results[0];
}

ValueId Spread::stack(DType type, int64_t count) {
    return at_entry(OpKind::stack, Type::pointer(type, Space::stack),
                    {{Attr::type, type}, {Attr::count, count}, {Attr::alignment, int64_t{64}}});
}

ValueId Spread::reduce_buffer(const Op& op) {
    const ValueId buffer = GroupReduceOp(tile, op).value();
    const Memory& memory = memories.at(buffer);
    auto kind = static_cast<ReduceOp>(op.attrs.integer(Attr::op));
    DType elem = tile.type(buffer).elem;
    DType accumulator = tile.type(op.results[0]).elem;
    constexpr int64_t kPartials = 16;
    Type vector = Type::vector(accumulator, kPartials);
    ValueId start = emit.splat(emit.constant(reduction_start(kind, accumulator), accumulator), kPartials);
    int64_t whole = memory.elements / kPartials * kPartials;
    auto step = [&](ValueId sum, ValueId at, ValueId mask) {
        ValueId loaded = emit.load(emit.pointer_add(memory.pointer, at), kPartials, mask);
        loaded = elem == accumulator ? loaded : emit.cast(loaded, accumulator);
        ValueId next = emit.binary(combining(kind), sum, loaded);
        return mask.valid() ? emit.select(mask, next, sum) : next;
    };
    RegionId outside = emit.region;
    OpId loop = emit.open(OpKind::for_, {emit.integer(0), emit.integer(whole), emit.integer(kPartials), start});
    emit.region = emit.add_region(loop);
    ValueId at = target.add_arg(emit.region, Type::scalar(DType::index));
    ValueId sum = target.add_arg(emit.region, vector);
    emit.yield({step(sum, at, {})});
    emit.close(loop, outside);
    ValueId result = target.op(loop).results[0];
    if (whole < memory.elements) {
        ValueId left = emit.splat(emit.integer(memory.elements - whole, DType::i32), kPartials);
        result = step(result, emit.integer(whole), emit.compare(OpKind::lt, emit.iota(kPartials, DType::i32), left));
    }
    return emit.op(OpKind::vector_reduce, {result}, {{Attr::op, op.attrs.integer(Attr::op)}});
}

}  // namespace tsr::ir
