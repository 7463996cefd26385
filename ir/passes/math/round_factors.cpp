#include "ir/passes/math/round_factors.h"

#include <map>

#include "ir/ops/register.h"
#include "ir/passes/math/rounding.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

// Of a region's argument before the region's first operation: there is one, that uses it or holds what does.
Builder behind(Function& kernel, ValueId value) {
    const Value& made = kernel.value(value);
    const OpId at = made.op.valid() ? made.op : kernel.region(made.region).ops.front();
    Builder builder = Builder::at(kernel, at);
    if (made.op.valid()) builder.after(at);
    return builder;
}

ValueId load_whole(Builder& builder, ValueId buffer) {
    const Type type = builder.function().type(buffer);
    const ValueId zero = builder.constant(int64_t{0}, DType::index);
    return builder.value(OpKind::load_tile, {buffer, zero, zero},
                         {{Attr::shape, type.shape}, {Attr::axes, std::vector<int64_t>{0, 1}}});
}

}  // namespace

void round_factors(Function& kernel, const std::function<bool(OpId)>& wants) {
    std::vector<OpId> products;
    walk(kernel, kernel.body, [&](OpId id) {
        if (kernel.op(id).kind == OpKind::mma && MmaOp(kernel, id).in_tf32() && wants(id)) products.push_back(id);
    });
    std::map<ValueId, ValueId> rounded;
    for (OpId id : products) {
        for (size_t i : {MmaOp::kA, MmaOp::kB}) {
            const ValueId value = kernel.op(id).operands[i];
            const bool tile = !kernel.type(value).is_memory();
            ValueId made = tile ? rounded[value] : ValueId{};
            if (!made.valid()) {
                Builder builder = tile ? behind(kernel, value) : Builder::at(kernel, id);
                made = math::nearest_tf32({&builder, tile ? value : load_whole(builder, value)}).id;
                if (tile) rounded[value] = made;
            }
            kernel.op(id).operands[i] = made;
        }
        kernel.op(id).attrs.erase(Attr::tf32);
    }
}

}  // namespace tsr::ir
