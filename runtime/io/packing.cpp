#include "runtime/io/packing.h"

#include "runtime/numbers/dtypes.h"
#include "runtime/tensor/rows.h"

namespace tsr::runtime {

bool rows_fill_packs(const TsrTensor& tensor) {
    if (size(tensor) == 0) return true;
    int64_t row = tensor.dl.ndim > 0 ? tensor.shape[tensor.dl.ndim - 1] : 1;
    return row % pack_elements(tensor.dtype) == 0 || (row == size(tensor) && gapless_bits(tensor) % 8 == 0);
}

void unpack_gapless(TsrTensor& tensor, std::span<const uint8_t> bytes) {
    int width = bits(tensor.dtype);
    int64_t at = 0;
    for_rows<1>(shape(tensor), {tensor.strides}, [&](Offsets<1> start, int64_t length, Offsets<1> step) {
        for (int64_t i = 0; i < length; ++i, at += width) {
            auto byte = static_cast<size_t>(at / 8);
            unsigned pair = bytes[byte] | (byte + 1 < bytes.size() ? bytes[byte + 1] << 8 : 0);
            write_bits(tensor, start[0] + i * step[0], (pair >> (at % 8)) & ((1u << width) - 1));
        }
    });
}

std::vector<uint8_t> pack_gapless(const TsrTensor& tensor) {
    int width = bits(tensor.dtype);
    std::vector<uint8_t> result(static_cast<size_t>((gapless_bits(tensor) + 7) / 8));
    int64_t at = 0;
    for_rows<1>(shape(tensor), {tensor.strides}, [&](Offsets<1> start, int64_t length, Offsets<1> step) {
        for (int64_t i = 0; i < length; ++i, at += width) {
            auto byte = static_cast<size_t>(at / 8);
            auto value = static_cast<unsigned>(read_bits(tensor, start[0] + i * step[0])) << (at % 8);
            result[byte] = static_cast<uint8_t>(result[byte] | value);
            if (value >> 8 != 0) result[byte + 1] = static_cast<uint8_t>(result[byte + 1] | value >> 8);
        }
    });
    return result;
}

}  // namespace tsr::runtime
