#include "ir/machine/fragments.h"

#include <algorithm>
#include <bit>

namespace tsr::ir {

namespace {

int exponent_of(int value) { return std::countr_zero(static_cast<unsigned>(value)); }

// The core that all fragments share, 8 rows (columns of B) in eight groups of four lanes: `row` is the axis of the
// group, `held` elements in one register of 32 bits (or one of 64) follow each other along the other axis, the four
// lanes of a group hold the next ones.
LinearMap core(size_t row, int held) {
    const Counted group = axis(row), other = axis(1 - row);
    LinearMap in_lane = LinearMap::identity({{Counted::reg, exponent_of(held)}}, {{other, exponent_of(held)}});
    LinearMap of_group = LinearMap::identity({{Counted::lane, 2}}, {{other, 2}});
    return in_lane.times(of_group).times(LinearMap::identity({{Counted::lane, 3}}, {{group, 3}}));
}

LinearMap more(size_t along, int bits) { return LinearMap::identity({{Counted::reg, bits}}, {{axis(along), bits}}); }

// Of the largest shapes; PTX ISA 9.0, sections 9.7.14.5.1 to 9.7.14.5.14, "Matrix fragments for mma.m…": the
// accumulator is c0 c1 in row groupID, c2 c3 in row groupID + 8; A's registers go over rows, then over the inner axis.
constexpr WarpProduct kProducts[] = {
    {DType::f16, DType::f32, 16, 8, 16, 80},      {DType::f16, DType::f16, 16, 8, 16, 80},
    {DType::bf16, DType::f32, 16, 8, 16, 80},     {DType::f64, DType::f64, 8, 8, 4, 80},
    {DType::i8, DType::i32, 16, 8, 32, 80},       {DType::u8, DType::i32, 16, 8, 32, 80},
    {DType::fp8_e4m3, DType::f32, 16, 8, 32, 89}, {DType::fp8_e5m2, DType::f32, 16, 8, 32, 89},
};

}  // namespace

std::optional<WarpProduct> warp_product(DType input, DType accumulator, int capability) {
    for (const WarpProduct& product : kProducts) {
        if (product.input == input && product.accumulator == accumulator && product.capability <= capability) {
            return product;
        }
    }
    return std::nullopt;
}

std::optional<WarpProduct> tf32_product(int capability) {
    constexpr WarpProduct kProduct{DType::f32, DType::f32, 16, 8, 8, 80};
    return capability >= kProduct.capability ? std::optional(kProduct) : std::nullopt;
}

LinearMap fragment(const WarpProduct& product, Operand operand) {
    const int held = std::max(1, 32 / bits(product.input));  // elements in a register
    const int row_bits = exponent_of(product.rows) - 3;
    switch (operand) {
        case Operand::a:
            return core(0, held).times(more(0, row_bits)).times(more(1, exponent_of(product.inner / (4 * held))));
        case Operand::b:
            return core(1, held).times(more(0, exponent_of(product.inner / (4 * held))));
        case Operand::accumulator:
            return core(0, 2).times(more(0, row_bits));
    }
    return {};
}

// PTX ISA 9.0, section 9.7.15.5.1.1, "Register fragments … for wgmma.mma_async.m64nNk16": warp w holds rows 16 w to
// 16 w + 15, each as mma.sync's accumulator, columns by eights.
LinearMap group_accumulator(int columns) {
    const int bits = exponent_of(columns);
    return core(0, 2)
        .times(more(0, 1))
        .times(more(1, bits - 3))
        .times(LinearMap::identity({{Counted::warp, 2}}, {{axis(0), 2}}));
}

}  // namespace tsr::ir
