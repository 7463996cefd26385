#include "ir/passes/target/gpu/tiles/groups.h"

#include <algorithm>

#include "ir/layout/layout.h"
#include "ir/ops/tile.h"
#include "ir/passes/target/cpu/tiles/uses.h"
#include "ir/passes/target/gpu/tiles/warp_products.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

constexpr int64_t kMostColumns = 256;
constexpr int64_t kMostSums = 128;  // registers of a thread for one accumulator
constexpr int64_t kMostGroups = 2;  // more of them share what one reads of the second operand worse

// One element, or pieces of 16 bytes; or it names the buffer and touches nothing of it.
bool goes_by_elements(OpKind kind) {
    return kind == OpKind::read || kind == OpKind::write || kind == OpKind::copy_async || kind == OpKind::stage ||
           is_of_ring(kind);
}

// What touches a buffer whose pieces change places goes by elements, pieces of 16 bytes, or fragments of products.
bool follows_swizzle(const Function& kernel, ValueId buffer, const GpuMachine& machine) {
    const Op& op = kernel.op(kernel.value(buffer).op);
    const Type& type = kernel.type(buffer);
    if (!op.attrs.has(Attr::swizzle) || op.attrs.string(Attr::swizzle) != "xor") return false;
    if (type.rank() < 2 || is_packed(type.elem)) return false;
    return !any_below(kernel, kernel.body, [&](const Op& user) {
        if (std::ranges::none_of(user.operands, [&](ValueId v) { return memory_root(kernel, v) == buffer; }))
            return false;
        if (user.kind == OpKind::mma)
            return !product_of(kernel, MmaOp(kernel, kernel.value(user.results[0]).op), machine.capability);
        return !goes_by_elements(user.kind);
    });
}

struct Extents {
    int64_t rows, columns, inner;
};
Extents extents_of(const Function& kernel, const MmaOp& op) {
    const Coordinates shape = extents(kernel.type(op.op().results[0]));
    const Type& a = kernel.type(op.a());
    return {shape[0], shape[1], a.shape[op.a_transposed() ? 0 : 1].constant_value().value_or(0)};
}

// With the transpositions that made the operand.
bool turned(const Function& kernel, ValueId value, bool transposed) {
    const OpId made = kernel.value(value).op;
    if (!made.valid() || kernel.op(made).kind != OpKind::transpose) return transposed;
    return turned(kernel, TransposeOp(kernel, made).value(), !transposed);
}

// PTX ISA 9.0, section 9.7.15.2, "Matrix shape".
bool suits_by_size(const Function& kernel, const MmaOp& op, const GpuMachine& machine) {
    if (!machine.group_products) return false;
    const auto product = product_of(kernel, op, machine.capability);
    if (!product || bits(product->input) > 16 || product->input != kernel.type(op.a()).elem ||
        op.accumulates() != (is_integer(product->input) ? DType::i32 : DType::f32))
        return false;
    const Extents e = extents_of(kernel, op);
    const int64_t even = is_integer(product->input) && e.columns > 32 ? 16 : 8;
    const bool columns = e.columns % even == 0 && e.columns <= kMostColumns;
    return e.rows % kGroupRows == 0 && columns && e.inner > 0 && e.inner % product->inner == 0;
}

// Operands of 8 bits are along k: PTX ISA 9.0, section 9.7.15.5.1, "Register fragments and shared memory matrix
// layouts".
bool lies_along(const Function& kernel, const MmaOp& op) {
    return bits(kernel.type(op.b()).elem) == 16 || turned(kernel, op.b(), op.b_transposed());
}

bool suits(const Function& kernel, const MmaOp& op, const GpuMachine& machine) {
    return suits_by_size(kernel, op, machine) && lies_along(kernel, op);
}

// A thread has registers for its sums.
bool holds(const Function& kernel, const MmaOp& op, int64_t groups) {
    const Extents e = extents_of(kernel, op);
    return e.rows / groups * e.columns / (kGroupWarps * kWarp) <= kMostSums;
}

// A buffer, or a load that a ring may bring.
bool may_be_shared(const Function& kernel, ValueId value) {
    if (!is_tile(kernel, value)) return true;
    const OpId made = kernel.value(value).op;
    if (!made.valid()) return false;
    const Op& op = kernel.op(made);
    return op.kind == OpKind::load_tile ||
           (op.kind == OpKind::transpose && may_be_shared(kernel, TransposeOp(kernel, op).value()));
}

bool in_panels(const Function& kernel, ValueId handle, const GpuMachine& machine) {
    if (is_tile(kernel, handle)) return false;
    return swizzle_of(kernel, memory_root(kernel, handle), machine).panel != 0;
}

}  // namespace

Memory::Swizzle swizzle_of(const Function& kernel, ValueId buffer, const GpuMachine& machine) {
    if (!follows_swizzle(kernel, buffer, machine)) return {};
    const Type& type = kernel.type(buffer);
    const int64_t columns = type.shape.back().constant_value().value_or(0), size = (bits(type.elem) + 7) / 8;
    if (machine.group_products && type.rank() == 2) {
        const int64_t rows = type.shape[0].constant_value().value_or(0);
        if (const auto panels = Memory::Swizzle::of_panels(rows, columns, size); panels.panel != 0) return panels;
    }
    return Memory::Swizzle::of_rows(columns, size);
}

GroupOperand group_operand(const Function& kernel, const MmaOp& op, int64_t warps, const GpuMachine& machine) {
    if (warps < kGroupWarps || !suits(kernel, op, machine) || !in_panels(kernel, op.b(), machine))
        return GroupOperand::none;
    const Extents e = extents_of(kernel, op);
    const int64_t rows = e.rows / (warps / kGroupWarps);  // of a group
    if (rows % kGroupRows != 0 || !holds(kernel, op, warps / kGroupWarps)) return GroupOperand::none;
    const bool described =
        in_panels(kernel, op.a(), machine) && (bits(kernel.type(op.a()).elem) == 16 || !op.a_transposed());
    return described ? GroupOperand::memory : GroupOperand::registers;
}

std::optional<int64_t> group_threads(const Function& kernel, const GpuMachine& machine) {
    int64_t groups = 0;
    bool fits = true;
    walk(kernel, kernel.body, [&](OpId id) {
        if (kernel.op(id).kind != OpKind::mma) return;
        const MmaOp op(kernel, id);
        if (!suits(kernel, op, machine) || !may_be_shared(kernel, op.b())) return;
        const Extents e = extents_of(kernel, op);
        const int64_t most = e.rows % (kMostGroups * kGroupRows) == 0 ? kMostGroups : 1;
        groups = groups == 0 ? most : std::min(groups, most);
    });
    if (groups == 0) return std::nullopt;
    walk(kernel, kernel.body, [&](OpId id) {
        if (kernel.op(id).kind != OpKind::mma || !suits(kernel, MmaOp(kernel, id), machine)) return;
        fits &= holds(kernel, MmaOp(kernel, id), groups);
    });
    return fits ? std::optional(groups * kGroupWarps * kWarp) : std::nullopt;
}

bool turned_would_suit(const Function& kernel, const GpuMachine& machine) {
    bool any = false;
    walk(kernel, kernel.body, [&](OpId id) {
        if (kernel.op(id).kind != OpKind::mma) return;
        const MmaOp op(kernel, id);
        any |= suits_by_size(kernel, op, machine) && !lies_along(kernel, op) && may_be_shared(kernel, op.b());
    });
    return any;
}

}  // namespace tsr::ir
