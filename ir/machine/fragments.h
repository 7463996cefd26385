// Which thread holds what of the operands of matrix products: fragments, as atoms of layouts.
#pragma once

#include <optional>

#include "base/dtype.h"
#include "ir/layout/linear_map.h"

namespace tsr::ir {

enum class Operand : uint8_t { a, b, accumulator };

// mma.sync of a warp: rows x columns x inner extent. A is rows x inner, B is inner x columns, the accumulator and the
// result rows x columns.
struct WarpProduct {
    DType input;
    DType accumulator;
    int rows, columns, inner;
    int capability;  // 10 * major + minor of the first machine that has it
};
// The largest that a machine has for operands of a type; nothing where it has none.
std::optional<WarpProduct> warp_product(DType input, DType accumulator, int capability);
// With operands of f32, whose bits below those of tf32 are ignored.
std::optional<WarpProduct> tf32_product(int capability);

// (register, lane) → (axis 0, axis 1) of the operand.
LinearMap fragment(const WarpProduct& product, Operand operand);
// wgmma's accumulator, and its operand A in registers: (register, lane, warp) → 64 x columns. Of `columns` the largest
// power of two that divides them: the rest is a repeat.
LinearMap group_accumulator(int columns);

}  // namespace tsr::ir
