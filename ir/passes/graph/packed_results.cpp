#include "ir/passes/graph/packed_results.h"

#include <algorithm>
#include <map>
#include <string>

#include "ir/build/builder.h"
#include "ir/ops/effects.h"
#include "ir/passes/graph/indexed_code.h"
#include "ir/passes/graph/kernel_writer.h"

namespace tsr::ir {

namespace {

constexpr int64_t kPackedAtOnce = 256;  // elements that a thread block packs: whole bytes of all packed types

Type codes_of(Type type) {
    type.elem = DType::u8;
    type.policy = {};
    return type;
}

}  // namespace

void give_codes(Function& fused) {
    if (alone_in(fused).valid()) return;  // kernels of its own, which take no packed tensors
    const OpId yield = fused.region(fused.body).ops.back();
    Builder before = Builder::at(fused, yield);
    for (size_t i = 0; i < fused.op(yield).operands.size(); ++i) {
        const ValueId result = fused.op(yield).operands[i];
        if (!is_packed(fused.type(result).elem)) continue;
        const ValueId codes = before.bitcast(result, DType::u8);
        fused.op(yield).operands[i] = codes;
        fused.results[i] = fused.type(codes);
    }
}

Function packing_function(const Function& graph, ValueId like) {
    Function made;
    made.level = Level::graph;
    made.share_places(graph);
    made.place = graph.op(graph.value(like).op).place;
    Type type = graph.type(like);
    std::map<std::string, std::string> names;
    for (Dim& extent : type.shape) {
        if (extent.constant_value()) continue;
        const auto [name, is_new] = names.try_emplace(extent.text(), "d" + std::to_string(names.size()));
        if (is_new) made.symbols.push_back(name->second);
        extent = Dim::symbol(name->second);
    }
    const ValueId codes = made.add_arg(made.body, codes_of(type), "codes");
    made.results = {type};
    const OpId bits = made.add_op(OpKind::bitcast, made.place, {codes}, {type}, {{Attr::type, type.elem}});
    made.append(made.body, bits);
    made.append(made.body, made.add_op(OpKind::yield, made.place, {made.op(bits).results[0]}, {}));
    return made;
}

bool packs_codes(const Function& fused) {
    const auto& ops = fused.region(fused.body).ops;
    return ops.size() == 2 && fused.op(ops.front()).kind == OpKind::bitcast && is_packed(fused.results.front().elem);
}

StepCode packing_code(const Function& fused) {
    const Type& type = fused.results.front();
    const Dim one = Dim::constant(1);
    Dim rows = one;
    for (size_t axis = 0; axis + 1 < type.rank(); ++axis) rows = rows * type.shape[axis];
    const Dim columns = type.shape.back();
    const Dim pieces = Dim::floor_quotient(columns + Dim::constant(kPackedAtOnce - 1), Dim::constant(kPackedAtOnce));
    StepCode code;
    KernelWriter kernel(fused, true);
    const ValueId codes = kernel.tensor(0, DType::u8, {rows, columns}, false, "codes");
    const ValueId packed = kernel.tensor(1, type.elem, {rows, columns}, true, "packed");
    kernel.grid({rows, pieces}, [&](Builder& b, const Values& at) {
        const Values from{at[0], b.mul(at[1], b.index(kPackedAtOnce))};
        store_row(b, packed, b.bitcast(load_row(b, codes, from, kPackedAtOnce), type.elem), from);
    });
    kernel.finish(code.steps);
    return code;
}

}  // namespace tsr::ir
