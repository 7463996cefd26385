// Elements that share bytes, in the lanes.
#include <algorithm>

#include "ir/passes/target/cpu/lanes/code.h"

namespace tsr::ir {

namespace {

// The elements of two vectors by turns, in one of `width`. LLVM makes one shuffle of it.
ValueId interleaved(Emit& emit, ValueId even, ValueId odd, int64_t width) {
    const Type element = Type::scalar(DType::u8);
    ValueId result = emit.splat(emit.integer(0, DType::u8), width);
    for (int64_t i = 0; i < width; ++i) {
        const ValueId one = emit.op(OpKind::extract, {i % 2 == 0 ? even : odd}, {{Attr::axis, i / 2}});
        result = emit.op(OpKind::insert, {result, one}, {{Attr::axis, i}});
    }
    return result;
}

}  // namespace

LaneValue LaneCode::moved(const LaneValue& value, int64_t distance) {
    if (distance == 0) return value;
    LaneValue result = value;
    if (value.kind != LaneValue::Kind::vectors) {
        result.scalar = emit_.add(emit_.cast(value.scalar, DType::index), emit_.integer(distance));
        return result;
    }
    for (ValueId& copy : result.copies) {
        copy = emit_.cast(copy, DType::index);
        copy = emit_.binary(OpKind::add, copy, emit_.splat(emit_.integer(distance), width_));
    }
    return result;
}

LaneValue LaneCode::read_packed(const Memory& memory, std::vector<LaneValue> indices, int64_t part) {
    using Kind = LaneValue::Kind;
    if (!indices.empty()) indices.back() = moved(indices.back(), part);
    const auto is_uniform = [](const LaneValue& v) { return v.kind == Kind::uniform; };
    if (std::ranges::all_of(indices, is_uniform)) {
        std::vector<ValueId> scalars;
        for (const LaneValue& v : indices) scalars.push_back(v.scalar);
        return uniform(s_.load_packed(memory, std::move(scalars)));
    }
    const bool rows_are_one = std::all_of(indices.begin(), indices.end() - 1, is_uniform);
    const bool consecutive = indices.back().kind == Kind::affine && indices.back().stride == 1;
    if (rows_are_one && consecutive && mask_.empty() && width_ % 2 == 0 && bits(*memory.packed) == 4) {
        return read_pairs(memory, std::move(indices));
    }
    std::vector<PackedPlace> places;
    for (const ValueId element : vectors(indices.back(), DType::index)) {
        places.push_back(packed_place(emit_, *memory.packed, element, width_));
    }
    const auto bytes = [&](ValueId PackedPlace::* which) {
        std::vector<ValueId> at;
        for (const PackedPlace& place : places) at.push_back(place.*which);
        indices.back() = of(std::move(at));
        return load(memory, access(memory, indices));
    };
    const std::vector<ValueId> low = bytes(&PackedPlace::byte);
    const bool together = places[0].next == places[0].byte;
    const std::vector<ValueId> high = together ? low : bytes(&PackedPlace::next);
    std::vector<ValueId> out;
    for (size_t copy = 0; copy < places.size(); ++copy) {
        out.push_back(unpacked(emit_, *memory.packed, low[copy], high[copy], places[copy].shift, width_));
    }
    return of(std::move(out));
}

// Consecutive elements, two to a byte. Where the first stands high in its byte, lanes of odd number begin in the byte
// after their neighbour's: two loads, one of them a byte further, meet both cases and read no byte too many.
LaneValue LaneCode::read_pairs(const Memory& memory, std::vector<LaneValue> indices) {
    std::vector<ValueId> out;
    std::vector<ValueId> scalars;
    for (const LaneValue& v : indices) scalars.push_back(v.scalar);
    const ValueId first = emit_.cast(indices.back().scalar, DType::index);
    const ValueId odd = emit_.binary(OpKind::bit_and, first, emit_.integer(1));
    scalars.back() = emit_.binary(OpKind::shr, first, emit_.integer(1));
    const ValueId start = s_.address(memory, scalars);
    const ValueId four = emit_.splat(emit_.integer(4, DType::u8), width_);
    const ValueId lanes = emit_.binary(OpKind::mul, emit_.iota(width_, DType::u8), four);
    const ValueId half = emit_.splat(emit_.mul(odd, emit_.integer(4)), width_);
    const ValueId shift =
        emit_.binary(OpKind::bit_and, emit_.binary(OpKind::bit_xor, lanes, emit_.cast(half, DType::u8)), four);
    for (int64_t copy = 0; copy < copies_; ++copy) {
        const ValueId at = emit_.pointer_add(start, emit_.integer(copy * width_ / 2));
        const ValueId even_bytes = emit_.load(at, width_ / 2);
        const ValueId odd_bytes = emit_.load(emit_.pointer_add(at, odd), width_ / 2);
        const ValueId bytes = interleaved(emit_, even_bytes, odd_bytes, width_);
        out.push_back(unpacked(emit_, *memory.packed, bytes, bytes, shift, width_));
    }
    return of(std::move(out));
}

// Whole bytes, from the byte on that the first element begins.
void LaneCode::write_packed(const Memory& memory, std::vector<LaneValue> indices, const std::vector<LaneValue>& parts) {
    using Kind = LaneValue::Kind;
    const DType type = *memory.packed;
    const auto pack = static_cast<size_t>(pack_size(type));
    const auto bytes = static_cast<int64_t>(pack) * bits(type) / 8;
    LaneValue start = indices.back();
    if (start.kind == Kind::affine && start.stride * bits(type) % 8 == 0) {
        start.scalar = packed_place(emit_, type, emit_.cast(start.scalar, DType::index), 0).byte;
        start.stride = start.stride * bits(type) / 8;
    } else if (start.kind == Kind::uniform) {
        start.scalar = packed_place(emit_, type, emit_.cast(start.scalar, DType::index), 0).byte;
    } else {
        std::vector<ValueId> at;
        for (const ValueId e : vectors(start, DType::index)) at.push_back(packed_place(emit_, type, e, width_).byte);
        start = of(std::move(at));
    }
    int64_t distance = 0;
    for (size_t first = 0; first + pack <= parts.size(); first += pack) {
        for (int64_t byte = 0; byte < bytes; ++byte, ++distance) {
            indices.back() = moved(start, distance);
            store(memory, access(memory, indices), byte_of({&parts[first], pack}, type, byte), DType::u8);
        }
    }
}

LaneValue LaneCode::byte_of(std::span<const LaneValue> parts, DType type, int64_t byte) {
    if (std::ranges::all_of(parts, [](const LaneValue& v) { return v.kind == LaneValue::Kind::uniform; })) {
        std::vector<ValueId> scalars;
        for (const LaneValue& v : parts) scalars.push_back(v.scalar);
        return uniform(packed_byte(emit_, type, scalars, byte, 0));
    }
    std::vector<std::vector<ValueId>> elements;
    for (const LaneValue& v : parts) elements.push_back(vectors(v, type));
    std::vector<ValueId> out;
    for (size_t copy = 0; copy < static_cast<size_t>(copies_); ++copy) {
        std::vector<ValueId> group;
        for (const auto& element : elements) group.push_back(element[copy]);
        out.push_back(packed_byte(emit_, type, group, byte, width_));
    }
    return of(std::move(out));
}

}  // namespace tsr::ir
