// Handles and rules of what takes elements of whole tensors by their number along an axis: gather_axis, scatter_axis,
// reduce_index.
#pragma once

#include <optional>
#include <string_view>

#include "ir/ops/handle.h"
#include "ir/ops/inferred.h"

namespace tsr::ir {

// Which axis is which, a letter for each: "nd,bs->bsd" takes rows of x by ids. An id stands for the letter that x alone
// has; each other letter of x and of the ids is one of the positions, which are what is gathered or scattered.
struct IndexLetters {
    std::string_view x, ids, positions;
    // The letter that the ids stand for; 0 where the text has none, or more than one.
    [[nodiscard]] char indexed() const;
};

// gather_axis, scatter_axis.
struct IndexedOp : Handle<OpKind::gather_axis, OpKind::scatter_axis> {
    using Handle::Handle;
    [[nodiscard]] bool scatters() const { return op().kind == OpKind::scatter_axis; }
    [[nodiscard]] ValueId x() const { return operand(0); }
    [[nodiscard]] ValueId ids() const { return operand(1); }
    [[nodiscard]] ValueId values() const { return operand(2); }  // of scatter_axis
    [[nodiscard]] IndexLetters letters() const;
    // Of scatter_axis: how a value meets what is there; nothing: it takes its place.
    [[nodiscard]] std::optional<ReduceOp> what() const;
    [[nodiscard]] bool allows_outside() const { return attrs().has(Attr::outside); }
};

struct ReduceIndexOp : Handle<OpKind::reduce_index> {
    using Handle::Handle;
    [[nodiscard]] ValueId value() const { return operand(0); }
    [[nodiscard]] bool least() const { return attrs().is(Attr::op, ReduceOp::min); }
    // Nothing: of all elements in row-major order.
    [[nodiscard]] std::optional<size_t> axis() const;
};

// sort, sort_index.
struct SortOp : Handle<OpKind::sort, OpKind::sort_index> {
    using Handle::Handle;
    [[nodiscard]] bool gives_numbers() const { return op().kind == OpKind::sort_index; }
    [[nodiscard]] ValueId value() const { return operand(0); }
    [[nodiscard]] size_t axis() const { return static_cast<size_t>(attrs().integer(Attr::axis)); }
    [[nodiscard]] bool descends() const { return attrs().has(Attr::descending); }
};

Inferred infer_reduce_index(std::span<const Type> operands, const Attrs& attrs);
Inferred infer_gather_axis(std::span<const Type> operands, const Attrs& attrs);
Inferred infer_scatter_axis(std::span<const Type> operands, const Attrs& attrs);
Inferred infer_sort(std::span<const Type> operands, const Attrs& attrs);
Inferred infer_sort_index(std::span<const Type> operands, const Attrs& attrs);

}  // namespace tsr::ir
