#include "ir/passes/graph/indexed_code.h"

#include <algorithm>
#include <iterator>

#include "ir/core/internal.h"
#include "ir/passes/graph/axis_map.h"

namespace tsr::ir {

OpId alone_in(const Function& fused) {
    for (OpId id : fused.region(fused.body).ops) {
        if (stands_alone(fused.op(id).kind)) return id;
    }
    return {};
}

namespace {

// Who writes the kernels of an operation that stands alone.
struct Writer {
    OpKind kind;
    StepCode (*code)(const Function& fused, OpId op);
};
constexpr Writer kWriters[] = {
    {OpKind::reduce_index, reduce_index_code}, {OpKind::scan, scan_code}, {OpKind::gather_axis, gather_code},
    {OpKind::scatter_axis, scatter_code},      {OpKind::sort, sort_code}, {OpKind::sort_index, sort_code}};

}  // namespace

StepCode indexed_code(const Function& fused, OpId op) {
    const auto* writer = std::ranges::find(kWriters, fused.op(op).kind, &Writer::kind);
    if (writer == std::end(kWriters)) internal_error("an operation without kernels of its own");
    return writer->code(fused, op);
}

}  // namespace tsr::ir
