#include "ir/passes/graph/indexed_code.h"

#include "ir/core/internal.h"
#include "ir/passes/graph/axis_map.h"

namespace tsr::ir {

OpId alone_in(const Function& fused) {
    for (OpId id : fused.region(fused.body).ops) {
        if (stands_alone(fused.op(id).kind)) return id;
    }
    return {};
}

StepCode indexed_code(const Function& fused, OpId op) {
    switch (fused.op(op).kind) {
        case OpKind::reduce_index:
            return reduce_index_code(fused, op);
        case OpKind::scan:
            return scan_code(fused, op);
        case OpKind::gather_axis:
            return gather_code(fused, op);
        case OpKind::scatter_axis:
            return scatter_code(fused, op);
        case OpKind::sort:
        case OpKind::sort_index:
            return sort_code(fused, op);
        default:
            internal_error("an operation without kernels of its own");
    }
}

}  // namespace tsr::ir
