// Products of register tiles: sums over k in order, every product and sum rounded once together.
#include <algorithm>
#include <cmath>

#include "ir/eval/one_tile/team.h"
#include "ir/law/float_format.h"
#include "ir/ops/register.h"

namespace tsr::ir::eval::one_tile {

namespace {

// An operand as numbers, row by row, not transposed.
template <typename Number, typename Get>
std::vector<Number> factor(const Type& of, bool transposed, bool tf32, Get&& get) {
    const auto rows = static_cast<size_t>(of.shape[0].constant_value().value_or(0));
    const auto columns = static_cast<size_t>(of.shape[1].constant_value().value_or(0));
    std::vector<Number> numbers(rows * columns);
    for (size_t i = 0; i < rows; ++i) {
        for (size_t j = 0; j < columns; ++j) {
            Bits bits = get(i * columns + j);
            if (tf32) {
                Bits rounded = 0;
                lane_ops().nearest_tf32(&rounded, &bits, nullptr, nullptr, 1);
                bits = rounded;
            }
            numbers[transposed ? j * rows + i : i * columns + j] =
                is_integer(of.elem) ? static_cast<Number>(static_cast<int64_t>(bits))
                                    : static_cast<Number>(decode_float(of.elem, bits));
        }
    }
    return numbers;
}

struct Extents {
    size_t rows, columns, inner;
};

template <typename Number, typename Step>
void add_products(std::vector<Number>& sums, const std::vector<Number>& a, const std::vector<Number>& b,
                  const Extents& extents, Step&& step) {
    for (size_t i = 0; i < extents.rows; ++i) {
        Number* row = sums.data() + i * extents.columns;
        for (size_t k = 0; k < extents.inner; ++k) {
            const Number left = a[i * extents.inner + k];
            const Number* right = b.data() + k * extents.columns;
            for (size_t j = 0; j < extents.columns; ++j) row[j] = step(left, right[j], row[j]);
        }
    }
}

}  // namespace

void Team::product(OpId id) {
    const MmaOp mma(kernel_, id);
    if (mma.pending()) stop(kernel_, id, "`--interpret=tile` does not run products that are only started");
    const DType sum = mma.accumulates();
    const Type& result = type(mma.result());
    const auto extent = [](const Type& of, size_t axis) {
        return static_cast<size_t>(of.shape[axis].constant_value().value_or(0));
    };
    const Extents extents{extent(result, 0), extent(result, 1), extent(type(mma.a()), mma.a_transposed() ? 0 : 1)};
    std::vector<Bits> start(extents.rows * extents.columns, 0);
    if (mma.accumulator()) start = cells_[mma.accumulator()->index].bits;
    const auto compute = [&]<typename Number>(Number, auto&& begin, auto&& step, auto&& end) {
        const auto numbers = [&](ValueId v, bool transposed) {
            const Type& of = type(v);
            return factor<Number>(of, transposed, mma.in_tf32(), [&](size_t i) {
                return of.kind == TypeKind::buffer ? handle(v).get(static_cast<int64_t>(i)) : cells_[v.index].bits[i];
            });
        };
        std::vector<Number> sums;
        for (Bits bits : start) sums.push_back(begin(bits));
        add_products(sums, numbers(mma.a(), mma.a_transposed()), numbers(mma.b(), mma.b_transposed()), extents, step);
        std::vector<Bits>& made = make(mma.result());
        for (size_t i = 0; i < sums.size(); ++i) made[i] = end(sums[i]);
    };
    const auto decoded = [&](Bits bits) { return decode_float(sum, bits); };
    const auto encoded = [&](double number) { return encode_float(sum, number); };
    if (is_integer(sum)) {
        return compute(
            uint64_t{}, [](Bits bits) { return bits; },
            [](uint64_t a, uint64_t b, uint64_t before) { return before + a * b; },
            [&](uint64_t number) { return canonical(sum, number); });
    }
    const DType a = type(mma.a()).elem;
    const DType b = type(mma.b()).elem;
    if (sum == DType::f32 && a != DType::f64) {
        return compute(
            float{}, decoded, [](float x, float y, float before) { return std::fma(x, y, before); }, encoded);
    }
    const auto fused = [](double x, double y, double before) { return std::fma(x, y, before); };
    if (sum == DType::f64) return compute(double{}, decoded, fused, encoded);
    // A narrow sum: by the law where it holds the operands, else rounded to double first.
    const ScalarFn law = scalar_function(OpKind::fma, sum);
    const bool holds = widens_exactly(a, sum) && widens_exactly(b, sum);
    compute(
        double{}, decoded,
        [&](double x, double y, double before) {
            if (!holds) return decoded(encoded(fused(x, y, before)));
            const Bits operands[] = {encoded(x), encoded(y), encoded(before)};
            return decoded(law(operands, sum, sum));
        },
        encoded);
}

}  // namespace tsr::ir::eval::one_tile
