#include <algorithm>

#include "ir/core/total.h"
#include "ir/ops/memory.h"
#include "ir/ops/record.h"
#include "ir/passes/target/cpu/lanes/code.h"
#include "ir/passes/target/handler.h"

namespace tsr::ir {

namespace {

// What says the same with the operands in the other order.
constexpr Row<OpKind> kMirroredComparisons[]{
    {OpKind::eq, OpKind::eq}, {OpKind::ne, OpKind::ne}, {OpKind::lt, OpKind::gt},
    {OpKind::le, OpKind::ge}, {OpKind::gt, OpKind::lt}, {OpKind::ge, OpKind::le},
};
constexpr Total<kMirroredComparisons, kComparisonFamily> kMirrored;

}  // namespace

void LaneCode::run(RegionId region) {
    for (OpId op : s_.tile.region(region).ops) {
        if (s_.tile.op(op).kind != OpKind::yield) operation(op);
    }
}

LaneValue LaneCode::value(ValueId old) const {
    if (auto found = values_.find(old); found != values_.end()) return found->second;
    if (auto found = s_.parts.find(old); found != s_.parts.end()) {
        LaneValue vector{LaneValue::Kind::parts, {}, 0, {}, {}};
        for (ValueId part : found->second) vector.parts.push_back(uniform(part));
        return vector;
    }
    return uniform(s_.scalars.at(old));
}

std::vector<LaneValue> LaneCode::values(ValueSpan old) const {
    std::vector<LaneValue> all;
    for (ValueId v : old) all.push_back(value(v));
    return all;
}

bool LaneCode::is_uniform(const Op& op) const {
    return std::ranges::all_of(op.operands, [&](ValueId v) {
        if (s_.memories.contains(v)) return true;
        auto found = values_.find(v);
        if (found == values_.end()) return !s_.parts.contains(v);
        return found->second.kind == LaneValue::Kind::uniform;
    });
}

void LaneCode::operation(OpId id) {
    // What the lanes do with each operation that is neither an element operation nor one on register tiles.
    static constexpr Row<Handler<LaneCode>> kLaneHandlers[]{
        {OpKind::constant, &LaneCode::same_for_all},
        {OpKind::yield, &LaneCode::elsewhere},  // by what the region belongs to
        {OpKind::for_, &LaneCode::loop},
        {OpKind::while_, &LaneCode::repeat},
        {OpKind::if_, &LaneCode::branch},
        {OpKind::call, &LaneCode::elsewhere},
        {OpKind::dim, &LaneCode::same_for_all},
        {OpKind::print, &LaneCode::message},
        {OpKind::assert_, &LaneCode::message},
        {OpKind::read, &LaneCode::read},
        {OpKind::write, &LaneCode::write},
        {OpKind::read_vector, &LaneCode::read_vector},
        {OpKind::write_vector, &LaneCode::write_vector},
        {OpKind::vector_extract, &LaneCode::vector_extract},
        {OpKind::vector_build, &LaneCode::vector_build},
        {OpKind::tile_id, &LaneCode::elsewhere},  // arguments of `lanes` since `form_groups`
        {OpKind::lane_id, &LaneCode::elsewhere},
        {OpKind::group_id, &LaneCode::same_for_all},
        {OpKind::group_size, &LaneCode::same_for_all},
        {OpKind::group_count, &LaneCode::same_for_all},
        {OpKind::buffer, &LaneCode::elsewhere},  // what the group does together stands in no lane, from here on
        {OpKind::stage, &LaneCode::same_for_all},
        {OpKind::atomic, &LaneCode::atomic},
        {OpKind::copy_async, &LaneCode::elsewhere},
        {OpKind::commit, &LaneCode::elsewhere},
        {OpKind::wait_group, &LaneCode::elsewhere},
        {OpKind::barrier, &LaneCode::elsewhere},
        {OpKind::acquire, &LaneCode::elsewhere},
        {OpKind::fill, &LaneCode::elsewhere},
        {OpKind::take, &LaneCode::elsewhere},
        {OpKind::release, &LaneCode::elsewhere},
        {OpKind::group_reduce, &LaneCode::elsewhere},
        {OpKind::group_scan, &LaneCode::elsewhere},
        {OpKind::shuffle, &LaneCode::elsewhere},
        {OpKind::broadcast, &LaneCode::elsewhere},
        {OpKind::ballot, &LaneCode::elsewhere},
        {OpKind::buffer_reduce, &LaneCode::same_for_all},
        {OpKind::grid, &LaneCode::elsewhere},
        {OpKind::lanes, &LaneCode::elsewhere},
        {OpKind::lane_read, &LaneCode::lane_read},
        {OpKind::result, &LaneCode::elsewhere},
    };
    static constexpr Total<kLaneHandlers, kControlFamily, kMemoryFamily, kTileFamily> kHandlers;
    const Op& op = s_.tile.op(id);
    if (!op.results.empty() && given_.contains(op.results[0])) return;
    if (auto staged = staged_.find(id); staged != staged_.end()) return read_staged(op, staged->second);
    emit_.place = op.place;
    if (is_element(op.kind)) {
        if (!uniform_operation(op)) element(op);
        return;
    }
    kHandlers[op.kind].answer(*this, s_.tile, id);
}

bool LaneCode::uniform_operation(const Op& op) {
    if (!is_uniform(op)) return false;
    for (ValueId v : op.operands) {  // a uniform value made in here is a scalar like those from outside
        if (auto found = values_.find(v); found != values_.end()) s_.scalars[v] = found->second.scalar;
    }
    for (ValueId result : op.results) values_.erase(result);
    return s_.scalar_operation(op);
}

void LaneCode::same_for_all(const Op& op) {
    if (!uniform_operation(op)) elsewhere(op);
}

void LaneCode::elsewhere(const Op& op) {
    internal_error("lanes of a CPU do not do '" + std::string(name(op.kind)) + "'");
}

void LaneCode::vector_extract(const Op& op) {
    const VectorExtractOp extract(s_.tile, op);
    values_[extract.result()] = value(extract.vector()).parts.at(static_cast<size_t>(extract.position()));
}

void LaneCode::vector_build(const Op& op) {
    LaneValue built{LaneValue::Kind::parts, {}, 0, {}, {}};
    for (ValueId part : op.operands) built.parts.push_back(value(part));
    values_[op.results[0]] = built;
}

DType LaneCode::lane_type(ValueId old) {
    DType elem = s_.tile.type(old).elem;
    if (elem != DType::index) return elem;
    return s_.plan.narrow_index && s_.ranges.fits_32_bits(old) ? DType::i32 : DType::index;
}

std::vector<ValueId> LaneCode::vectors(ValueId old) { return vectors(value(old), lane_type(old)); }

std::vector<ValueId> LaneCode::vectors(const LaneValue& value, DType type) {
    std::vector<ValueId> out;
    switch (value.kind) {
        case LaneValue::Kind::uniform:
            out.assign(static_cast<size_t>(copies_), emit_.splat(emit_.cast(value.scalar, type), width_));
            return out;
        case LaneValue::Kind::vectors:
            for (ValueId copy : value.copies) out.push_back(emit_.cast(copy, type));
            return out;
        case LaneValue::Kind::affine: {
            ValueId lanes = emit_.iota(width_, type);
            if (value.stride != 1)
                lanes = emit_.binary(OpKind::mul, lanes, emit_.splat(emit_.integer(value.stride, type), width_));
            for (int64_t copy = 0; copy < copies_; ++copy) {
                ValueId base = emit_.add(value.scalar, emit_.integer(copy * width_ * value.stride));
                out.push_back(emit_.binary(OpKind::add, emit_.splat(emit_.cast(base, type), width_), lanes));
            }
            return out;
        }
        case LaneValue::Kind::parts:
            break;
    }
    return out;
}

// ---- element operations ----

void LaneCode::element(const Op& op) {
    std::vector<LaneValue> operands;
    for (ValueId v : op.operands) operands.push_back(value(v));
    bool parts = std::ranges::any_of(operands, [](const LaneValue& v) { return v.kind == LaneValue::Kind::parts; });
    if (parts) return element_parts(op, operands);
    if (affine_element(op, operands)) return;
    values_[op.results[0]] = of(element_vectors(op, operands));
}

std::vector<ValueId> LaneCode::element_vectors(const Op& op, const std::vector<LaneValue>& operands) {
    // Index values of one operation share a width: 32 bits when all of them fit.
    bool narrow = s_.plan.narrow_index;
    auto narrows = [&](ValueId v) { return s_.tile.type(v).elem != DType::index || lane_type(v) == DType::i32; };
    narrow = narrow && std::ranges::all_of(op.operands, narrows) && std::ranges::all_of(op.results, narrows);
    auto type_of = [&](ValueId v) {
        DType elem = s_.tile.type(v).elem;
        return elem == DType::index && narrow ? DType::i32 : elem;
    };
    std::vector<std::vector<ValueId>> inputs;
    for (size_t i = 0; i < operands.size(); ++i) inputs.push_back(vectors(operands[i], type_of(op.operands[i])));
    DType result = type_of(op.results[0]);
    Attrs attrs = op.attrs;
    if (op.kind == OpKind::cast) attrs.set(Attr::type, result);
    std::vector<ValueId> out;
    for (size_t copy = 0; copy < static_cast<size_t>(copies_); ++copy) {
        std::vector<ValueId> values;
        for (const auto& input : inputs) values.push_back(input[copy]);
        if (op.kind == OpKind::cast && emit_.element_type(values[0]) == result) {
            out.push_back(values[0]);
        } else {
            out.push_back(emit_.op(op.kind, values, attrs));
        }
    }
    return out;
}

void LaneCode::element_parts(const Op& op, const std::vector<LaneValue>& operands) {
    size_t count = s_.tile.type(op.results[0]).width;
    LaneValue result{LaneValue::Kind::parts, {}, 0, {}, {}};
    for (size_t part = 0; part < count; ++part) {
        std::vector<LaneValue> inputs;
        for (const LaneValue& v : operands) inputs.push_back(v.kind == LaneValue::Kind::parts ? v.parts[part] : v);
        result.parts.push_back(of(element_vectors(op, inputs)));
    }
    values_[op.results[0]] = result;
}

// Sums and multiples of consecutive indices stay consecutive; comparisons with a uniform limit need no 64-bit vectors.
bool LaneCode::affine_element(const Op& op, const std::vector<LaneValue>& operands) {
    auto is = [&](size_t i, LaneValue::Kind kind) { return i < operands.size() && operands[i].kind == kind; };
    auto index = [&](ValueId v) { return s_.tile.type(v).elem == DType::index; };
    constexpr auto kAffine = LaneValue::Kind::affine;
    constexpr auto kUniform = LaneValue::Kind::uniform;
    if (op.operands.size() == 1 && op.kind == OpKind::cast && is(0, kAffine) &&
        bits(s_.tile.type(op.results[0]).elem) == 64 && is_integer(s_.tile.type(op.results[0]).elem)) {
        if (!index(op.results[0])) return false;
        values_[op.results[0]] = operands.front();
        return true;
    }
    if (operands.size() != 2 || !std::ranges::all_of(op.operands, index)) return false;
    const LaneValue &lhs = operands.front(), &rhs = operands.back();
    if (is_comparison(op.kind)) return affine_compare(op, lhs, rhs);
    LaneValue result;
    if (op.kind == OpKind::add && is(0, kAffine) && is(1, kUniform)) {
        result = affine(emit_.add(lhs.scalar, rhs.scalar), lhs.stride);
    } else if (op.kind == OpKind::add && is(0, kUniform) && is(1, kAffine)) {
        result = affine(emit_.add(lhs.scalar, rhs.scalar), rhs.stride);
    } else if (op.kind == OpKind::add && is(0, kAffine) && is(1, kAffine)) {
        result = affine(emit_.add(lhs.scalar, rhs.scalar), lhs.stride + rhs.stride);
    } else if (op.kind == OpKind::sub && is(0, kAffine) && is(1, kUniform)) {
        result = affine(emit_.binary(OpKind::sub, lhs.scalar, rhs.scalar), lhs.stride);
    } else if (op.kind == OpKind::sub && is(0, kUniform) && is(1, kAffine)) {
        result = affine(emit_.binary(OpKind::sub, lhs.scalar, rhs.scalar), -rhs.stride);
    } else if (op.kind == OpKind::mul) {
        const LaneValue& lanes = is(0, kAffine) ? lhs : rhs;
        const LaneValue& other = is(0, kAffine) ? rhs : lhs;
        if (lanes.kind != kAffine || other.kind != kUniform) return false;
        auto factor = emit_.integer_value(other.scalar);
        if (!factor || std::abs(*factor) > (1 << 20) || std::abs(lanes.stride) > (1 << 20)) return false;
        result = affine(emit_.mul(lanes.scalar, other.scalar), lanes.stride * *factor);
    } else {
        return false;
    }
    values_[op.results[0]] = result;
    return true;
}

bool LaneCode::affine_compare(const Op& op, const LaneValue& a, const LaneValue& b) {
    constexpr auto kAffine = LaneValue::Kind::affine;
    constexpr auto kUniform = LaneValue::Kind::uniform;
    if (a.kind == kAffine && b.kind == kUniform) {
        values_[op.results[0]] = of(compare_affine(op.kind, a, b.scalar));
        return true;
    }
    if (a.kind == kUniform && b.kind == kAffine) {
        values_[op.results[0]] = of(compare_affine(kMirrored[op.kind].answer, b, a.scalar));
        return true;
    }
    return false;
}

// base + l * stride ? limit  is  l * stride ? limit - base, and the right side can be brought into 32 bits: outside of
// them it is beyond every lane. The limit is brought near first, so that the difference does not wrap.
std::vector<ValueId> LaneCode::compare_affine(OpKind kind, const LaneValue& affine, ValueId limit) {
    auto clamped = [&](ValueId v, int64_t bound) {
        ValueId above = emit_.binary(OpKind::maximum, v, emit_.integer(-bound));
        return emit_.binary(OpKind::minimum, above, emit_.integer(bound));
    };
    ValueId distance = emit_.binary(OpKind::sub, clamped(limit, int64_t{1} << 61), affine.scalar);
    ValueId near = emit_.splat(emit_.cast(clamped(distance, int64_t{1} << 30), DType::i32), width_);
    ValueId lanes = emit_.iota(width_, DType::i32);
    if (affine.stride != 1)
        lanes = emit_.binary(OpKind::mul, lanes, emit_.splat(emit_.integer(affine.stride, DType::i32), width_));
    std::vector<ValueId> out;
    for (int64_t copy = 0; copy < copies_; ++copy) {
        ValueId offset = emit_.splat(emit_.integer(copy * width_ * affine.stride, DType::i32), width_);
        ValueId here = copy == 0 ? lanes : emit_.binary(OpKind::add, lanes, offset);
        out.push_back(emit_.compare(kind, here, near));
    }
    return out;
}

}  // namespace tsr::ir
