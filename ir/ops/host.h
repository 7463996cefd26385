// Handles of host operations.
#pragma once

#include "ir/ops/handle.h"

namespace tsr::ir {

// Before launches are lowered: arguments, then explicit numbers of groups. After: arguments, one value per symbol of
// the kernel, groups along x, y, z, their total; of a tuned kernel these four for each of its points.
struct LaunchOp : Handle<OpKind::launch> {
    using Handle::Handle;
    static constexpr size_t kGrid = 4;  // x, y, z, total

    [[nodiscard]] const std::string& callee() const { return attrs().string(Attr::callee); }
    [[nodiscard]] bool lowered() const { return attrs().has(Attr::lowered); }
    [[nodiscard]] size_t symbol_count() const {
        return attrs().has(Attr::names) ? attrs().strings(Attr::names).size() : 0;
    }
    // Of a tuned kernel: its points, the callee first. Of others the callee alone.
    [[nodiscard]] std::vector<std::string> points() const { return points_of(op()); }
    static std::vector<std::string> points_of(const Op& launch);
    static void set_points(Op& launch, const std::vector<std::string>& points);
    // In a graph: the arguments that the kernel writes. What it leaves there are the first results.
    [[nodiscard]] std::vector<int64_t> written() const {
        return attrs().has(Attr::written) ? attrs().integers(Attr::written) : std::vector<int64_t>{};
    }
    [[nodiscard]] size_t group_operands() const {
        return lowered() ? kGrid * points().size() : static_cast<size_t>(attrs().integer(Attr::count, 0));
    }
    [[nodiscard]] ValueSpan arguments() const {
        return operands(0).first(op().operands.size() - group_operands() - symbol_count());
    }
    [[nodiscard]] ValueSpan symbols() const { return operands(arguments().size()).first(symbol_count()); }
    [[nodiscard]] ValueSpan groups() const {
        return operands(0).last(group_operands());
    }  // lowered: x, y, z, total of each point
};

struct HostOp : Handle<OpKind::host> {
    using Handle::Handle;
    [[nodiscard]] const std::string& callee() const { return attrs().string(Attr::callee); }
    [[nodiscard]] ValueSpan arguments() const { return operands(0); }
    // `on_gpu` of a tensor: about the kernel that `text` names, or about none.
    static bool asks_for_gpu(const Op& op) {
        return op.kind == OpKind::host && op.attrs.string(Attr::callee) == "on_gpu";
    }
};

struct ShapeOfOp : Handle<OpKind::shape_of> {
    using Handle::Handle;
    [[nodiscard]] ValueId tensor() const { return operand(0); }
    [[nodiscard]] int64_t axis() const { return attrs().integer(Attr::axis); }
};

struct StringOp : Handle<OpKind::string> {
    using Handle::Handle;
    [[nodiscard]] const std::string& text() const { return attrs().string(Attr::value); }
    // Whether the text is to be filled in.
    [[nodiscard]] bool is_open() const { return attrs().has(Attr::names); }
};

}  // namespace tsr::ir
