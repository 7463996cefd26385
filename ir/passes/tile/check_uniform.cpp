#include "ir/passes/tile/check_uniform.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

#include "ir/core/total.h"
#include "ir/ops/control.h"
#include "ir/ops/effects.h"
#include "ir/ops/tile.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

constexpr std::string_view kAlone;  // each tile does it for itself
constexpr std::string_view kOfARing = "a collective operation";

// What messages call an operation that tiles do together.
constexpr Row<std::string_view> kSpelled[]{
    {OpKind::tile_id, kAlone},
    {OpKind::lane_id, kAlone},
    {OpKind::group_id, kAlone},
    {OpKind::group_size, kAlone},
    {OpKind::group_count, kAlone},
    {OpKind::buffer, kAlone},
    {OpKind::stage, kAlone},
    {OpKind::atomic, kAlone},
    {OpKind::copy_async, "an asynchronous copy"},
    {OpKind::commit, "a commit of copies"},
    {OpKind::wait_group, "a wait for copies"},
    {OpKind::barrier, "a barrier"},
    {OpKind::acquire, kOfARing},
    {OpKind::fill, kOfARing},
    {OpKind::take, kOfARing},
    {OpKind::release, kOfARing},
    {OpKind::group_reduce, "a reduction over the group"},
    {OpKind::group_scan, "a scan over the group"},
    {OpKind::shuffle, "a shuffle"},
    {OpKind::broadcast, "a broadcast"},
    {OpKind::ballot, "a ballot"},
    {OpKind::buffer_reduce, kAlone},
    {OpKind::grid, kAlone},
    {OpKind::lanes, kAlone},
    {OpKind::lane_read, kAlone},
    {OpKind::result, kAlone},
};
constexpr Total<kSpelled, kTileFamily> kSpellingOf;

class UniformityChecker {
public:
    UniformityChecker(const Function& kernel, const KernelShape& shape, Diagnostics& diagnostics)
        : kernel_(kernel), shape_(shape), diagnostics_(diagnostics) {}

    bool run() {
        walk(kernel_, kernel_.body, [&](OpId id) { check(id); });
        return good_;
    }

private:
    Diagnostic& refuse(const char* code, OpId id, std::string message) {
        good_ = false;
        return diagnostics_.error(code, kernel_.span_of(id), std::move(message));
    }

    void check(OpId id) {
        const Op& op = kernel_.op(id);
        const bool of_tiles = is_of_register_tiles(kernel_, op);
        if (of_tiles && (op.kind == OpKind::yield || !op.regions.empty())) return;  // said of what makes the tile
        if (is_collective(kernel_, op) && shape_.variability.is_divergent(id)) {
            if (std::ranges::any_of(op.operands, [&](ValueId v) { return is_refused_tile(v); })) return;
            auto& d = refuse("E0453", id,
                             std::string(of_tiles ? "an operation on a register tile" : kSpellingOf[op.kind].answer) +
                                 " that not all tiles of the group reach");
            if (Span cause = divergence(id); cause.valid()) d.label(cause, "this differs between tiles");
        }
        if (of_tiles) return uniform_operands(id, op);
        // Each use of a chosen buffer is a choice of its own: said of the first.
        if (op.kind == OpKind::stage && shape_.variability.is_varying(StageOp(kernel_, id).index()) &&
            choosers_.insert(StageOp(kernel_, id).index()).second) {
            const OpId chooser = kernel_.value(StageOp(kernel_, id).index()).op;
            const bool by_condition = chooser.valid() && kernel_.op(chooser).kind == OpKind::if_;
            auto& d = refuse("E0454", id,
                             fmt::format("a shared buffer is chosen here by a {} that differs between tiles",
                                         by_condition ? "condition" : "number"));
            if (by_condition) d.label(condition_span(chooser), "this differs between tiles");
        }
        if (op.kind == OpKind::if_ && op.attrs.has(Attr::of_tensor) &&
            shape_.variability.is_varying(IfOp(kernel_, op).condition())) {
            refuse("E0454", id, "a tensor is chosen here by a condition that differs between tiles")
                .note("read or write an element of each tensor under the condition instead");
        }
        if (op.kind == OpKind::copy_async && !shape_.variability.is_divergent(id) &&
            !shape_.variability.is_groups(kernel_, id)) {
            refuse("E0455", id, "the group copies one view, but where it starts differs between tiles");
        }
        if (op.kind == OpKind::result && !shape_.variability.is_groups(kernel_, id)) {
            refuse("E0456", id, "a kernel returns one value, but this one differs between tiles");
        }
    }

    // A tile made where not all tiles of the group are: said there, and not once more of what takes it.
    [[nodiscard]] bool is_refused_tile(ValueId value) const {
        if (kernel_.type(value).kind != TypeKind::tile) return false;
        const OpId maker = kernel_.value(value).op;
        return maker.valid() && kernel_.op(maker).regions.empty() && shape_.variability.is_divergent(maker);
    }

    // A register tile is one for the whole group, so is what it is made of.
    void uniform_operands(OpId id, const Op& op) {
        if (shape_.variability.is_divergent(id)) return;
        for (ValueId operand : op.operands) {
            if (!shape_.variability.is_varying(operand)) continue;
            const OpId maker = kernel_.value(operand).op;
            const bool tile = kernel_.type(operand).kind == TypeKind::tile;
            if (tile && maker.valid() && kernel_.op(maker).regions.empty()) continue;  // said where it is made
            auto& d =
                refuse("E0465", id,
                       "a register tile is one for the group, but is made here of a value that differs between tiles");
            OpId from = kernel_.value(operand).op;
            if (from.valid() && kernel_.span_of(from).valid())
                d.label(kernel_.span_of(from), "this differs between tiles");
            return;
        }
    }

    // The innermost condition or loop around the operation that tiles do not agree on.
    [[nodiscard]] Span divergence(OpId id) const {
        for (OpId at = kernel_.region(kernel_.op(id).parent).parent; at.valid();
             at = kernel_.region(kernel_.op(at).parent).parent) {
            if (!shape_.variability.is_divergent(at)) return condition_span(at);
        }
        return {};
    }

    [[nodiscard]] Span condition_span(OpId id) const {
        const Op& op = kernel_.op(id);
        if (op.kind == OpKind::if_) {
            OpId condition = kernel_.value(IfOp(kernel_, id).condition()).op;
            if (condition.valid() && kernel_.span_of(condition).valid()) return kernel_.span_of(condition);
        }
        return kernel_.span_of(id);
    }

    const Function& kernel_;
    const KernelShape& shape_;
    Diagnostics& diagnostics_;
    std::unordered_set<ValueId> choosers_;  // of buffers, that were refused
    bool good_ = true;
};

}  // namespace

bool check_uniform(const Function& kernel, const KernelShape& shape, Diagnostics& diagnostics) {
    return UniformityChecker(kernel, shape, diagnostics).run();
}

}  // namespace tsr::ir
