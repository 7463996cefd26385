// Whole tensors from one element type to another (the laws stand in abi.h).
#include <algorithm>
#include <bit>

#include "runtime/fail.h"
#include "runtime/numbers/dtypes.h"
#include "runtime/numbers/philox.h"
#include "runtime/tensor/home.h"
#include "runtime/tensor/lanes.h"
#include "runtime/tensor/rows.h"
#include "runtime/tensor/tensor.h"

namespace tsr::runtime {

namespace {

// Types that C++ converts as the laws say, from lanes of the same kind.
template <typename Element, typename Value>
void store_as(TsrTensor& tensor, int64_t offset, const Value* from, int64_t count) {
    auto* to = static_cast<Element*>(tensor.dl.data) + offset;
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<Element>(from[i]);
}

// bf16 is the upper half of f32, rounded to nearest even. False where a value is no f32 (it would be rounded twice) or
// NaN.
bool store_bf16(TsrTensor& tensor, int64_t offset, const double* from, int64_t count) {
    auto* to = static_cast<uint16_t*>(tensor.dl.data) + offset;
    bool exact = true;
    for (int64_t i = 0; i < count; ++i) {
        const auto single = static_cast<float>(from[i]);
        exact &= static_cast<double>(single) == from[i];
        const auto bits = std::bit_cast<uint32_t>(single);
        to[i] = static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
    }
    return exact;
}

// True when the pair of kinds has a fast way.
bool store_fast(TsrTensor& to, int64_t offset, const Lanes& lanes, int64_t count) {
    bool integers = lanes.kind != Number::Kind::floating;
    if (integers && family(to.dtype) != Family::floating) {
        const uint64_t* from = lanes.values.unsigned_integer.data();
        switch (to.dtype) {
            case TSR_I8:
            case TSR_U8:
                return store_as<uint8_t>(to, offset, from, count), true;
            case TSR_I16:
            case TSR_U16:
                return store_as<uint16_t>(to, offset, from, count), true;
            case TSR_I32:
            case TSR_U32:
                return store_as<uint32_t>(to, offset, from, count), true;
            case TSR_I64:
            case TSR_INDEX:
            case TSR_U64:
                return store_as<uint64_t>(to, offset, from, count), true;
            default:
                return false;
        }
    }
    if (to.dtype == TSR_BF16 && lanes.kind == Number::Kind::floating) {
        return store_bf16(to, offset, lanes.values.floating.data(), count);
    }
    if (to.dtype == TSR_F64 || to.dtype == TSR_F32) {
        auto both = [&](const auto* from) {
            if (to.dtype == TSR_F64) {
                store_as<double>(to, offset, from, count);
            } else {
                store_as<float>(to, offset, from, count);
            }
        };
        switch (lanes.kind) {
            case Number::Kind::integer:
                both(lanes.values.integer.data());
                break;
            case Number::Kind::unsigned_integer:
                both(lanes.values.unsigned_integer.data());
                break;
            case Number::Kind::floating:
                both(lanes.values.floating.data());
                break;
        }
        return true;
    }
    return false;
}

// `element` numbers the elements of the whole tensor in row-major order.
void store(TsrTensor& to, int64_t offset, const Lanes& lanes, int64_t count, TsrRounding mode, PhiloxWords* words,
           int64_t element) {
    if (mode == TSR_ROUND_NEAREST && store_fast(to, offset, lanes, count)) return;
    for (int64_t i = 0; i < count; ++i) {
        Rounding rounding{mode, words != nullptr ? words->word(static_cast<uint64_t>(element + i)) : 0};
        write_bits(to, offset + i, bits_of(lanes.number(i), to.dtype, rounding));
    }
}

}  // namespace

}  // namespace tsr::runtime

using namespace tsr::runtime;

extern "C" TsrTensor* tsr_cast(const TsrTensor* tensor, int32_t dtype, int32_t rounding, const TsrRandomKey* key,
                               const TsrPlace* place) {
    if (same_storage(tensor->dtype, dtype)) {
        TensorRef same(tsr_copy(tensor, place));
        same->dtype = dtype;
        return same.give();
    }
    read_at_home(*tensor);
    if (rounding == TSR_ROUND_STOCHASTIC && key == nullptr) fail(place, "stochastic rounding needs a random key");
    PhiloxWords words(key != nullptr ? *key : TsrRandomKey{});
    TensorRef result = make_tensor(dtype, shape(*tensor), before_writing(dtype), place);
    if (tensor->dtype == TSR_C64 && dtype == TSR_BOOL) {  // the one cast that looks at the imaginary part
        for_rows<2>(shape(*tensor), {result->strides, tensor->strides},
                    [&](Offsets<2> start, int64_t length, Offsets<2> step) {
                        for (int64_t i = 0; i < length; ++i) {
                            uint64_t bits = read_bits(*tensor, start[1] + i * step[1]);
                            write_bits(*result, start[0] + i, tsr_convert_bits(bits, TSR_C64, TSR_BOOL));
                        }
                    });
        return result.give();
    }
    Lanes lanes;
    int64_t element = 0;
    for_rows<2>(shape(*tensor), {result->strides, tensor->strides},
                [&](Offsets<2> start, int64_t length, Offsets<2> step) {
                    for (int64_t i = 0; i < length; i += Lanes::kMost) {
                        int64_t count = std::min(length - i, Lanes::kMost);
                        load(lanes, *tensor, start[1] + i * step[1], step[1], count);
                        store(*result, start[0] + i, lanes, count, static_cast<TsrRounding>(rounding),
                              rounding == TSR_ROUND_STOCHASTIC ? &words : nullptr, element);
                        element += count;
                    }
                });
    return result.give();
}

extern "C" TsrTensor* tsr_cast_cut(const TsrTensor* tensor, int32_t dtype, const TsrPlace* place) {
    return tsr_cast(tensor, dtype, TSR_ROUND_TO_ZERO, nullptr, place);
}

extern "C" TsrTensor* tsr_cast_dither(const TsrTensor* tensor, int32_t dtype, const TsrRandomKey* key,
                                      const TsrPlace* place) {
    return tsr_cast(tensor, dtype, TSR_ROUND_STOCHASTIC, key, place);
}
