// Loops on register tiles: matrix products, transposed and strided copies.
#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "ir/eval/lane_element.h"
#include "ir/eval/lane_loops.h"

namespace tsr::ir::eval::TSR_ISA {

namespace {

#if defined(__AVX512F__)
constexpr size_t kVectorBytes = 64;
constexpr size_t kRows = 12;  // 12 rows of two vectors, two factors and one element fill 27 of 32 registers
#elif defined(__AVX2__)
constexpr size_t kVectorBytes = 32;
constexpr size_t kRows = 6;  // 15 of 16 registers
#else
constexpr size_t kVectorBytes = 16;
constexpr size_t kRows = 6;
#endif
static_assert(2 * kVectorBytes <= kPanelBytes);

template <typename T>
struct VectorOf {
    typedef T Type
        __attribute__((vector_size(kVectorBytes)));  // NOLINT(modernize-use-using): the attribute of a using is lost
};
template <typename T>
using Vector = typename VectorOf<T>::Type;
template <typename T>
constexpr size_t kWidth = kVectorBytes / sizeof(T);
template <typename T>
constexpr size_t kColumns = 2 * kWidth<T>;

// a * b + c, rounded once.
template <typename T>
Vector<T> fused(Vector<T> a, Vector<T> b, Vector<T> c) {
    if constexpr (kInteger<T>) {
        return a * b + c;
    } else {
#if defined(__AVX512F__)
        if constexpr (sizeof(T) == 8)
            return _mm512_fmadd_pd(a, b, c);
        else
            return _mm512_fmadd_ps(a, b, c);
#elif defined(__FMA__)
        if constexpr (sizeof(T) == 8)
            return _mm256_fmadd_pd(a, b, c);
        else
            return _mm256_fmadd_ps(a, b, c);
#else
        for (size_t i = 0; i < kWidth<T>; ++i) c[i] = std::fma(a[i], b[i], c[i]);
        return c;
#endif
    }
}

template <typename T>
Vector<T> load(const T* from) {
    Vector<T> value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
}
template <typename T>
void store(T* to, Vector<T> value) {
    __builtin_memcpy(to, &value, sizeof value);
}

// `rows` rows of the sum, its columns from `sum` on as many as the panel has.
template <typename T, size_t rows>
void block(T* sum, size_t stride, const T* a, const T* panel, size_t inner) {
    Vector<T> low[rows];
    Vector<T> high[rows];
#pragma GCC unroll 12
    for (size_t i = 0; i < rows; ++i) {
        low[i] = load(sum + i * stride);
        high[i] = load(sum + i * stride + kWidth<T>);
    }
    for (size_t k = 0; k < inner; ++k) {
        const Vector<T> left = load(panel + k * kColumns<T>);
        const Vector<T> right = load(panel + k * kColumns<T> + kWidth<T>);
#pragma GCC unroll 12
        for (size_t i = 0; i < rows; ++i) {
            const Vector<T> factor = a[i * inner + k] - Vector<T>{};  // x - 0 is x, of -0 too
            low[i] = fused<T>(factor, left, low[i]);
            high[i] = fused<T>(factor, right, high[i]);
        }
    }
#pragma GCC unroll 12
    for (size_t i = 0; i < rows; ++i) {
        store(sum + i * stride, low[i]);
        store(sum + i * stride + kWidth<T>, high[i]);
    }
}

// The same where fewer than a panel's columns are left: by way of a whole one.
template <typename T, size_t rows>
void block_of(T* sum, size_t stride, size_t columns, const T* a, const T* panel, size_t inner) {
    if (columns == kColumns<T>) return block<T, rows>(sum, stride, a, panel, inner);
    T whole[rows * kColumns<T>] = {};
    for (size_t i = 0; i < rows; ++i) {
        for (size_t j = 0; j < columns; ++j) whole[i * kColumns<T> + j] = sum[i * stride + j];
    }
    block<T, rows>(whole, kColumns<T>, a, panel, inner);
    for (size_t i = 0; i < rows; ++i) {
        for (size_t j = 0; j < columns; ++j) sum[i * stride + j] = whole[i * kColumns<T> + j];
    }
}

// Panel by panel of b: its columns stand together in `scratch`, the missing ones as zeros.
template <typename T>
void product(void* result, const void* left, const void* right, void* scratch, const ProductSize& size) {
    auto* panel = static_cast<T*>(scratch);
    for (size_t j = 0; j < size.columns; j += kColumns<T>) {
        const size_t columns = size.columns - j < kColumns<T> ? size.columns - j : kColumns<T>;
        const T* b = static_cast<const T*>(right) + j;
        for (size_t k = 0; k < size.inner; ++k, b += size.columns) {
            T* row = panel + k * kColumns<T>;
            for (size_t at = 0; at < columns; ++at) row[at] = b[at];
            for (size_t at = columns; at < kColumns<T>; ++at) row[at] = T{};
        }
        const T* a = static_cast<const T*>(left);
        T* sum = static_cast<T*>(result) + j;
        size_t rows = size.rows;
        for (; rows >= kRows; rows -= kRows, a += kRows * size.inner, sum += kRows * size.columns) {
            block_of<T, kRows>(sum, size.columns, columns, a, panel, size.inner);
        }
        for (; rows > 0; --rows, a += size.inner, sum += size.columns) {
            block_of<T, 1>(sum, size.columns, columns, a, panel, size.inner);
        }
    }
}

// A sum that is kept in fewer bits than it is computed in: rounded after each step. Products of two floats are exact in
// double and the sum is rounded once; of doubles, whose sum is rounded to double first.
template <typename Factor, typename Element>
void narrow_product(void* result, const void* left, const void* right, void*, const ProductSize& size) {
    for (size_t i = 0; i < size.rows; ++i) {
        auto* sum = static_cast<typename Element::Stored*>(result) + i * size.columns;
        for (size_t k = 0; k < size.inner; ++k) {
            const Factor a = static_cast<const Factor*>(left)[i * size.inner + k];
            const Factor* b = static_cast<const Factor*>(right) + k * size.columns;
            for (size_t j = 0; j < size.columns; ++j) {
                const auto before = Element::load(sum[j]);
                if constexpr (std::is_same_v<Factor, float>)
                    sum[j] = Element::store(fused_to_odd(a, b[j], before));
                else if constexpr (std::is_same_v<typename Element::Stored, float>)
                    sum[j] = static_cast<float>(std::fma(a, b[j], static_cast<double>(before)));
                else
                    sum[j] = Element::store(std::fma(a, b[j], static_cast<double>(before)));
            }
        }
    }
}

ProductFn product_loop(DType factor, DType sum) {
    const bool wide = factor == DType::f64;
    if (factor == DType::i32) return sum == DType::i32 ? &product<uint32_t> : nullptr;
    if (!wide && factor != DType::f32) return nullptr;
    if (sum == DType::f64) return wide ? &product<double> : nullptr;
    if (sum == DType::f32) return wide ? &narrow_product<double, Plain<float>> : &product<float>;
    if (sum == DType::f16) return wide ? &narrow_product<double, Half> : &narrow_product<float, Half>;
    if (sum == DType::bf16) return wide ? &narrow_product<double, BFloat> : &narrow_product<float, BFloat>;
    return nullptr;
}

// In squares that stay in the first cache.
template <typename T>
void transposed(void* result, const void* from, size_t rows, size_t columns) {
    constexpr size_t kSide = 16;
    auto* out = static_cast<T*>(result);
    const auto* in = static_cast<const T*>(from);
    for (size_t top = 0; top < rows; top += kSide) {
        const size_t bottom = rows - top < kSide ? rows : top + kSide;
        for (size_t j = 0; j < columns; ++j) {
            for (size_t i = top; i < bottom; ++i) out[j * rows + i] = in[i * columns + j];
        }
    }
}

void transpose(void* result, const void* from, size_t size, size_t rows, size_t columns) {
    if (size == 1)
        transposed<uint8_t>(result, from, rows, columns);
    else if (size == 2)
        transposed<uint16_t>(result, from, rows, columns);
    else if (size == 4)
        transposed<uint32_t>(result, from, rows, columns);
    else
        transposed<uint64_t>(result, from, rows, columns);
}

template <typename T>
void strided(void* result, int64_t to, const void* from, int64_t step, size_t n) {
    auto* out = static_cast<T*>(result);
    const auto* in = static_cast<const T*>(from);
    for (size_t i = 0; i < n; ++i, out += to, in += step) *out = *in;
}

void copy_strided(void* result, int64_t to, const void* from, int64_t step, size_t size, size_t n) {
    if (size == 1)
        strided<uint8_t>(result, to, from, step, n);
    else if (size == 2)
        strided<uint16_t>(result, to, from, step, n);
    else if (size == 4)
        strided<uint32_t>(result, to, from, step, n);
    else
        strided<uint64_t>(result, to, from, step, n);
}

}  // namespace

void set_tile_loops(LaneOps& ops) {
    ops.product = &product_loop;
    ops.transpose = &transpose;
    ops.copy_strided = &copy_strided;
}

}  // namespace tsr::ir::eval::TSR_ISA
