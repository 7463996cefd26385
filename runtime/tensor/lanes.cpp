#include "runtime/tensor/lanes.h"

#include "runtime/numbers/dtypes.h"

namespace tsr::runtime {

namespace {

template <typename Element, typename Value>
void load_as(Value* to, const TsrTensor& tensor, int64_t offset, int64_t step, int64_t count) {
    const auto* from = static_cast<const Element*>(tensor.dl.data) + offset;
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): an i8 is a number
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<Value>(from[i * step]);
}

void load_narrow(Lanes& lanes, const TsrTensor& tensor, int64_t offset, int64_t step, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
        Number n = number_of(read_bits(tensor, offset + i * step), tensor.dtype);
        lanes.kind = n.kind;
        lanes.values.unsigned_integer[static_cast<size_t>(i)] = n.unsigned_integer;
    }
}

}  // namespace

Number Lanes::number(int64_t i) const {
    Number n;
    n.kind = kind;
    n.unsigned_integer = values.unsigned_integer[static_cast<size_t>(i)];
    return n;
}

void load(Lanes& lanes, const TsrTensor& tensor, int64_t offset, int64_t step, int64_t count) {
    auto integers = [&]<typename Element>(Element) {
        lanes.kind = Number::Kind::integer;
        load_as<Element>(lanes.values.integer.data(), tensor, offset, step, count);
    };
    auto unsigned_integers = [&]<typename Element>(Element) {
        lanes.kind = Number::Kind::unsigned_integer;
        load_as<Element>(lanes.values.unsigned_integer.data(), tensor, offset, step, count);
    };
    auto floats = [&]<typename Element>(Element) {
        lanes.kind = Number::Kind::floating;
        load_as<Element>(lanes.values.floating.data(), tensor, offset, step, count);
    };
    switch (tensor.dtype) {
        case TSR_I8:
            return integers(int8_t{});
        case TSR_I16:
            return integers(int16_t{});
        case TSR_I32:
            return integers(int32_t{});
        case TSR_I64:
        case TSR_INDEX:
            return integers(int64_t{});
        case TSR_U8:
            return unsigned_integers(uint8_t{});
        case TSR_U16:
            return unsigned_integers(uint16_t{});
        case TSR_U32:
            return unsigned_integers(uint32_t{});
        case TSR_U64:
            return unsigned_integers(uint64_t{});
        case TSR_F64:
            return floats(double{});
        case TSR_F32:
            return floats(float{});
        default:
            return load_narrow(lanes, tensor, offset, step, count);
    }
}

}  // namespace tsr::runtime
