// Homes of values, constants, what launches and lanes are numbered by, vectors.
#include <algorithm>

#include <fmt/format.h>

#include "ir/eval/compile.h"
#include "ir/eval/steps.h"
#include "ir/ops/memory.h"
#include "ir/ops/record.h"
#include "ir/ops/tile.h"

namespace tsr::ir::eval {

uint32_t Compiler::size_of(ValueId v) const { return static_cast<uint32_t>(stored_size(fn_.type(v).elem)); }
uint32_t Compiler::width_of(ValueId v) const {
    const Type& type = fn_.type(v);
    uint32_t count = std::max(type.width, 1U);
    if (type.kind == TypeKind::tile) {
        for (const Dim& extent : type.shape) count *= static_cast<uint32_t>(*extent.constant_value());
    }
    return count;
}
uint64_t Compiler::array_bytes(ValueId v) const {
    return static_cast<uint64_t>(size_of(v)) * width_of(v) * program_.lanes;
}

Slot Compiler::take_array(ValueId v) { return frame_.take(array_bytes(v)); }

void Compiler::take_home(ValueId v) {
    Home& at = home(v);
    if (varies(v)) {
        if (at.many == 0) at.many = take_array(v);
        return;
    }
    // Single values are small: their slots are not used again. Register tiles are not.
    if (at.one == 0) {
        at.one = frame_.take(static_cast<uint64_t>(size_of(v)) * width_of(v));
        at.owned_one = fn_.type(v).kind == TypeKind::tile;
    }
    if (facts_.needs_array[v.index] && at.many == 0) at.many = take_array(v);
}

// A constant, dimension or parameter: its array is filled once per launch and stays.
void Compiler::take_fixed(ValueId v, Slot one) {
    Home& at = home(v);
    at.one = one;
    at.owned = false;
    if (facts_.needs_array[v.index]) at.many = fixed_array(one, size_of(v), width_of(v));
}

Slot Compiler::fixed_array(Slot one, uint32_t size, uint32_t width) {
    Slot& many = fixed_arrays_[one];
    if (many == 0) {
        many = frame_.take_for_good(static_cast<uint64_t>(size) * width * program_.lanes);
        program_.fills.push_back({one, many, size, width});
    }
    return many;
}

void Compiler::take_params() {
    for (ValueId param : fn_.params()) {
        const Type& type = fn_.type(param);
        if (type.kind == TypeKind::tensor) {
            ViewData view;
            view.name = fn_.value(param).name;
            view.elem = type.elem;
            view.shape = type.shape;
            view.of = static_cast<uint32_t>(program_.views.size());
            view_of_[param.index] = view.of;
            program_.views.push_back(std::move(view));
            program_.params.push_back(0);
            continue;
        }
        take_fixed(param, frame_.take_for_good(8));
        program_.params.push_back(home(param).one);
    }
}

Slot Compiler::constant_slot(DType type, uint64_t bits) {
    Slot& slot = constants_[{type, bits}];
    if (slot == 0) {
        slot = frame_.take_for_good(8);
        program_.constants.emplace_back(slot, bits);
    }
    return slot;
}

Slot Compiler::constant_slot(const Op& constant) {
    const DType type = constant.attrs.dtype(Attr::type);
    const AttrValue& value = *constant.attrs.find(Attr::value);
    uint64_t bits = 0;
    if (const auto* whole = std::get_if<int64_t>(&value))
        ops_.cast(DType::i64, type)(&bits, whole, nullptr, nullptr, 1);
    else
        ops_.cast(DType::f64, type)(&bits, &std::get<double>(value), nullptr, nullptr, 1);
    return constant_slot(type, bits);
}

Slot Compiler::table_slot(const Op& table) {
    const std::vector<int64_t>& elements = table.attrs.integers(Attr::elements);
    const size_t size = stored_size(table.attrs.dtype(Attr::type));
    std::vector<uint64_t> words((elements.size() * size + 7) / 8);
    for (size_t i = 0; i < elements.size(); ++i) {
        const uint64_t bits = static_cast<uint64_t>(elements[i]) & (~uint64_t{0} >> (64 - 8 * size));
        words[i * size / 8] |= bits << (i * size % 8 * 8);
    }
    const Slot slot = frame_.take_for_good(words.size() * 8);
    for (size_t i = 0; i < words.size(); ++i) {
        program_.constants.emplace_back(slot + static_cast<Slot>(i * 8), words[i]);
    }
    return slot;
}

void Compiler::release_after(OpId op) {
    for (ValueId v : dying_[op.index]) {
        Home& at = home(v);
        if (at.owned_one) {
            frame_.give_back(at.one, static_cast<uint64_t>(size_of(v)) * width_of(v));
            at.one = 0;
            at.owned_one = false;
        }
        if (at.many == 0 || !at.owned) continue;
        frame_.give_back(at.many, array_bytes(v));
        at.many = 0;
    }
}

void Compiler::spread_into(ValueId v, Slot many, bool whole_frame) {
    const uint32_t size = size_of(v);
    for (uint32_t k = 0; k < width_of(v); ++k) {
        Inst& inst = emit(whole_frame ? &steps::fill_all : &steps::fill, {});
        inst.loop = ops_.fill(size);
        inst.result = many + k * program_.lanes * size;
        inst.a = home(v).one + k * size;
    }
}

void Compiler::spread(ValueId v) {
    if (!varies(v) && facts_.needs_array[v.index] && home(v).owned) spread_into(v, home(v).many, !in_lanes_);
}

Slot Compiler::temporary(uint64_t bytes) {
    const Slot slot = frame_.take(bytes);
    temporaries_.emplace_back(slot, bytes);
    return slot;
}

void Compiler::drop_temporaries(size_t down_to) {
    while (temporaries_.size() > down_to) {
        frame_.give_back(temporaries_.back().first, temporaries_.back().second);
        temporaries_.pop_back();
    }
}

namespace {
DType wide_type(DType type) { return is_signed(type) ? DType::i64 : DType::u64; }
}  // namespace

Slot Compiler::wide_one(ValueId v) {
    const DType type = fn_.type(v).elem;
    if (stored_size(type) == 8) return home(v).one;
    Inst& inst = emit(&steps::one, {});
    inst.loop = ops_.cast(type, wide_type(type));
    inst.a = home(v).one;
    inst.count = 1;
    return inst.result = frame_.take(8);  // bounds live as long as their loop
}

Slot Compiler::wide_many(ValueId v) {
    const DType type = fn_.type(v).elem;
    if (varies(v) && stored_size(type) == 8) return home(v).many;
    const Slot slot = temporary(8ULL * program_.lanes);
    if (varies(v)) {
        Inst& inst = emit(&steps::lanes, {});
        inst.loop = ops_.cast(type, wide_type(type));
        inst.result = slot;
        inst.a = home(v).many;
        return slot;
    }
    const Slot from = wide_one(v);
    Inst& inst = emit(in_lanes_ ? &steps::fill : &steps::fill_all, {});
    inst.loop = ops_.fill(8);
    inst.result = slot;
    inst.a = from;
    return slot;
}

Operand Compiler::wide(ValueId v) {
    if (varies(v)) return {wide_many(v), false};
    return {wide_one(v), true};
}

Operand Compiler::operand_of(ValueId v) {
    return varies(v) ? Operand{home(v).many, false} : Operand{home(v).one, true};
}

void Compiler::vector_extract(OpId id, const Op& op) {
    const ValueId result = op.results[0];
    const ValueId from = VectorExtractOp(fn_, id).vector();
    take_home(result);
    const auto at = static_cast<uint32_t>(op.attrs.integer(Attr::axis));
    Inst& inst = emit(varies(result) ? &steps::copy_lanes : &steps::copy_bytes, id);
    if (varies(result)) {
        inst.result = home(result).many;
        inst.a = home(from).many + at * size_of(from) * program_.lanes;
        inst.data = size_of(from);
    } else {
        inst.result = home(result).one;
        inst.a = home(from).one + at * size_of(from);
        inst.count = size_of(from);
    }
    spread(result);
}

void Compiler::vector_build(OpId, const Op& op) {
    const ValueId result = op.results[0];
    take_home(result);
    const uint32_t stride = size_of(result) * (varies(result) ? program_.lanes : 1);
    for (uint32_t k = 0; k < op.operands.size(); ++k) {
        Move part{op.operands[k], {}, varies(result)};
        (varies(result) ? part.to.many : part.to.one) =
            (varies(result) ? home(result).many : home(result).one) + k * stride;
        move_one(part, false);
    }
    spread(result);
}

void Compiler::constant(OpId, const Op& op) { take_fixed(op.results[0], constant_slot(op)); }

void Compiler::group_size(OpId, const Op& op) {
    take_fixed(op.results[0], constant_slot(DType::index, program_.group_size));
}

void Compiler::dimension(OpId, const Op& op) {
    const Slot slot = frame_.take_for_good(8);
    program_.dims.push_back({slot, op.attrs.dim(Attr::dim)});
    take_fixed(op.results[0], slot);
}

void Compiler::group_number(OpId id, const Op& op) {
    take_home(op.results[0]);
    Inst& inst = emit(&steps::number, id);
    inst.result = home(op.results[0]).one;
    const auto first =
        static_cast<uint32_t>(op.kind == OpKind::group_id ? steps::LaunchNumber::group : steps::LaunchNumber::count);
    inst.data = first + static_cast<uint32_t>(op.attrs.integer(Attr::axis, -1) + 1);
    spread(op.results[0]);
}

void Compiler::lane_number(OpId id, const Op& op) {
    take_home(op.results[0]);
    emit(&steps::lane_number, id).result = home(op.results[0]).many;
}

void Compiler::lane_read(OpId, const Op& op) {
    home(op.results[0]) = {0, home(LaneReadOp(fn_, op).array()).many, false};
}

}  // namespace tsr::ir::eval
