#include "ir/ops/memory.h"

#include <algorithm>
#include <map>

#include "ir/ops/control.h"
#include "ir/ops/effects.h"
#include "ir/ops/tile.h"
#include "ir/passes/target/cpu/lanes/code.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

LaneCode::Access LaneCode::access(const Memory& memory, const std::vector<LaneValue>& indices, int64_t shift) {
    constexpr auto kAffine = LaneValue::Kind::affine;
    constexpr auto kUniform = LaneValue::Kind::uniform;
    bool scalar_outer = std::ranges::all_of(indices.begin(), indices.empty() ? indices.end() : indices.end() - 1,
                                            [](const LaneValue& v) { return v.kind == kUniform; });
    bool last_uniform = indices.empty() || indices.back().kind == kUniform;
    bool consecutive = !indices.empty() && indices.back().kind == kAffine && indices.back().stride == 1;
    if (scalar_outer && (last_uniform || consecutive)) {
        std::vector<ValueId> scalars;
        for (const LaneValue& v : indices) scalars.push_back(v.scalar);
        ValueId at = emit_.add(s_.linear(memory, scalars), emit_.integer(shift));
        return {
            last_uniform ? Access::Kind::uniform : Access::Kind::contiguous, emit_.pointer_add(memory.pointer, at), {}};
    }
    // A vector of offsets. One index alone is the offset, at the width it has: the machine extends its sign.
    std::vector<ValueId> sum;
    for (size_t axis = 0; axis < indices.size(); ++axis) {
        DType type = DType::index;
        bool alone = indices.size() == 1 && shift == 0;
        if (alone && indices[0].kind == LaneValue::Kind::vectors &&
            emit_.element_type(indices[0].copies[0]) == DType::i32) {
            type = DType::i32;
        }
        std::vector<ValueId> index = vectors(indices[axis], type);
        for (size_t copy = 0; copy < index.size(); ++copy) {
            if (axis == 0) {
                sum.push_back(index[copy]);
            } else {
                ValueId extent = emit_.splat(memory.dims[axis], width_);
                sum[copy] = emit_.binary(OpKind::add, emit_.binary(OpKind::mul, sum[copy], extent), index[copy]);
            }
        }
    }
    if (shift != 0) {
        for (ValueId& offset : sum)
            offset = emit_.binary(OpKind::add, offset, emit_.splat(emit_.integer(shift), width_));
    }
    return {Access::Kind::offsets, memory.pointer, sum};
}

std::vector<ValueId> LaneCode::load(const Memory&, const Access& access) {
    std::vector<ValueId> out;
    for (int64_t copy = 0; copy < copies_; ++copy) {
        auto c = static_cast<size_t>(copy);
        ValueId mask = mask_.empty() ? ValueId{} : mask_[c];
        if (access.kind == Access::Kind::contiguous) {
            out.push_back(emit_.load(emit_.pointer_add(access.address, emit_.integer(copy * width_)), width_, mask));
            continue;
        }
        out.push_back(emit_.gather(access.address, access.offsets[c], mask));
    }
    return out;
}

// ---- neighbours ----

// An index as one that is no sum with a constant, and the constant; an invalid base: a constant alone.
std::pair<ValueId, int64_t> LaneCode::from_base(ValueId index) const {
    const OpId made = defining_op(s_.tile, index);
    if (!made.valid()) return {index, 0};
    const Op& op = s_.tile.op(made);
    if (op.kind == OpKind::constant) return {{}, op.attrs.integer(Attr::value)};
    if (op.kind != OpKind::add) return {index, 0};
    const BinaryOp both(s_.tile, op);
    for (const auto& [one, other] : {std::pair(both.lhs(), both.rhs()), std::pair(both.rhs(), both.lhs())}) {
        const auto number = defined_by(s_.tile, other, OpKind::constant);
        if (!number) continue;
        const auto [base, more] = from_base(one);
        return {base, more + ConstantOp(s_.tile, *number).integer()};
    }
    return {index, 0};
}

// Between the elements of neighbouring lanes, where that is a number.
std::optional<int64_t> LaneCode::distance(const Memory& memory, const std::vector<LaneValue>& indices) const {
    int64_t sum = 0, row = 1;
    bool known = true;
    for (size_t axis = indices.size(); axis-- > 0;) {
        const LaneValue& index = indices[axis];
        if (index.kind != LaneValue::Kind::uniform && index.kind != LaneValue::Kind::affine) return std::nullopt;
        if (index.kind == LaneValue::Kind::affine) {
            if (!known) return std::nullopt;
            sum += index.stride * row;
        }
        const auto extent = emit_.integer_value(memory.dims[axis]);
        known = known && extent;
        row *= extent.value_or(1);
    }
    return sum;
}

std::optional<LaneCode::Neighbours> LaneCode::neighbours(OpId first) {
    const AccessOp access(s_.tile, first);
    const ValueId tensor = access.memory();
    const Memory& memory = s_.memories.at(tensor);
    const ValueSpan here = access.indices();
    if (!mask_.empty() || width_ < 4 || memory.packed || s_.tile.type(tensor).elem == DType::boolean || here.empty())
        return std::nullopt;
    const auto apart = distance(memory, values(here));
    if (apart != 2 && apart != 4 && apart != 8 && apart != 16) return std::nullopt;
    const auto [base, number] = from_base(here.back());
    std::map<int64_t, OpId> found{{number, first}};
    Neighbours together{.ops = {}, .first = first, .before = 0, .last = first};
    const auto& text = s_.tile.region(access.op().parent).ops;
    for (auto at = std::ranges::find(text, first) + 1; at != text.end() && std::ssize(found) < *apart; ++at) {
        const Op& next = s_.tile.op(*at);
        if (next.kind == access.op().kind && AccessOp(s_.tile, *at).memory() == tensor) {
            const ValueSpan there = AccessOp(s_.tile, *at).indices();
            const auto [its_base, its_number] = from_base(there.back());
            if (its_base == base && std::equal(here.begin(), here.end() - 1, there.begin(), there.end() - 1)) {
                if (!found.emplace(its_number, *at).second) break;
                together.last = *at;
                continue;
            }
        }
        const Touches other = touches(s_.tile, *at);
        const auto is_it = [&](ValueId v) { return memory_root(s_.tile, v) == memory_root(s_.tile, tensor); };
        if (std::ranges::any_of(other.writes, is_it)) break;
        if (access.writes() && (std::ranges::any_of(other.reads, is_it) || !other.effects.empty())) break;
    }
    const int64_t begin = found.begin()->first;
    if (std::ssize(found) != *apart || found.rbegin()->first - begin != *apart - 1) return std::nullopt;
    for (const auto& [place, id] : found) together.ops.push_back(id);
    together.before = number - begin;
    return together;
}

// The address of the first lane's first element.
ValueId LaneCode::begin_of(const Neighbours& together) {
    const AccessOp access(s_.tile, together.first);
    std::vector<ValueId> scalars;
    for (ValueId index : access.indices()) scalars.push_back(value(index).scalar);
    return emit_.pointer_add(s_.address(s_.memories.at(access.memory()), scalars), emit_.integer(-together.before));
}

void LaneCode::read_together(const Neighbours& together) {
    const ValueId first = begin_of(together);
    const auto count = static_cast<int64_t>(together.ops.size());
    std::vector<LaneValue> all(together.ops.size(), of({}));
    for (int64_t copy = 0; copy < copies_; ++copy) {
        std::vector<ValueId> loaded;
        for (int64_t i = 0; i < count; ++i) {
            const ValueId at = emit_.integer((copy * count + i) * width_);
            loaded.push_back(emit_.load(emit_.pointer_add(first, at), width_));
        }
        const std::vector<ValueId> parts = separated(emit_, loaded);
        for (size_t i = 0; i < parts.size(); ++i) all[i].copies.push_back(parts[i]);
    }
    for (size_t i = 0; i < all.size(); ++i) read_before_[together.ops[i]] = all[i];
}

void LaneCode::write_together(const Neighbours& together) {
    const ValueId first = begin_of(together);
    std::vector<std::vector<ValueId>> written;
    for (OpId id : together.ops) {
        const WriteOp write(s_.tile, id);
        written.push_back(vectors(value(write.value()), s_.tile.type(write.memory()).elem));
    }
    for (int64_t copy = 0; copy < copies_; ++copy) {
        std::vector<ValueId> parts;
        for (const auto& copies : written) parts.push_back(copies[static_cast<size_t>(copy)]);
        int64_t offset = copy * static_cast<int64_t>(parts.size()) * width_;
        for (ValueId vector : interleaved(emit_, std::move(parts))) {
            emit_.store(emit_.pointer_add(first, emit_.integer(offset)), vector);
            offset += width_;
        }
    }
}

void LaneCode::read(OpId id) {
    const Op& op = s_.tile.op(id);
    if (uniform_operation(op)) return;
    if (const auto known = read_before_.find(id); known != read_before_.end()) {
        values_[op.results[0]] = std::move(known->second);
        read_before_.erase(known);
        return;
    }
    if (const auto together = neighbours(id)) {
        read_together(*together);
        return read(id);
    }
    const ReadOp read(s_.tile, op);
    const Memory& memory = s_.memories.at(read.memory());
    std::vector<LaneValue> indices = values(read.indices());
    if (memory.packed) {
        values_[op.results[0]] = read_packed(memory, std::move(indices), 0);
        return;
    }
    Access where = access(memory, indices);
    if (where.kind == Access::Kind::uniform) {
        values_[op.results[0]] = uniform(emit_.load(where.address, 0));
    } else {
        values_[op.results[0]] = of(load(memory, where));
    }
}

void LaneCode::store(const Memory&, const Access& access, const LaneValue& value, DType elem, bool past_caches) {
    constexpr int64_t kLine = 64;
    if (access.kind == Access::Kind::uniform) {
        if (value.kind == LaneValue::Kind::uniform) return emit_.store(access.address, value.scalar);
        // Several lanes write one place only where the program lets them; the last one stays.
        for_each_active(
            [&](int64_t copy, ValueId lane) { emit_.store(access.address, lane_scalar(value, elem, copy, lane)); });
        return;
    }
    std::vector<ValueId> copies = vectors(value, elem);
    for (int64_t copy = 0; copy < copies_; ++copy) {
        auto c = static_cast<size_t>(copy);
        ValueId mask = mask_.empty() ? ValueId{} : mask_[c];
        if (access.kind == Access::Kind::contiguous) {
            const ValueId to = emit_.pointer_add(access.address, emit_.integer(copy * width_));
            if (past_caches && !mask.valid()) {
                const int64_t alignment = std::min(width_ * bits(elem) / 8, kLine);
                emit_.statement(OpKind::store, {to, copies[c]},
                                {{Attr::past_caches, kFlag}, {Attr::alignment, alignment}});
            } else {
                emit_.store(to, copies[c], mask);
            }
            continue;
        }
        std::vector<ValueId> operands{access.address, copies[c], access.offsets[c]};
        Attrs attrs;
        if (mask.valid()) {
            operands.push_back(mask);
            attrs.set(Attr::masked, int64_t{1});
        }
        emit_.statement(OpKind::scatter, operands, attrs);
    }
}

void LaneCode::write(OpId id) {
    if (wait_.erase(id) > 0) return;
    if (const auto later = written_later_.find(id); later != written_later_.end()) {
        write_together(later->second);
        written_later_.erase(later);
        return;
    }
    if (const auto together = neighbours(id)) {
        for (OpId other : together->ops) {
            if (other != id && other != together->last) wait_.insert(other);
        }
        written_later_[together->last] = *together;
        return;
    }
    const WriteOp write(s_.tile, id);
    const Memory& memory = s_.memories.at(write.memory());
    store(memory, access(memory, values(write.indices())), value(write.value()), s_.tile.type(write.memory()).elem,
          past_caches_.contains(id));
}

void LaneCode::read_vector(const Op& op) {
    const ReadOp read(s_.tile, op);
    const Memory& memory = s_.memories.at(read.memory());
    const std::vector<LaneValue> indices = values(read.indices());
    LaneValue result{LaneValue::Kind::parts, {}, 0, {}, {}};
    const Type& type = s_.tile.type(op.results[0]);
    for (uint32_t part = 0; part < type.width; ++part) {
        if (memory.packed) {
            result.parts.push_back(read_packed(memory, indices, part));
            continue;
        }
        Access where = access(memory, indices, part);
        result.parts.push_back(where.kind == Access::Kind::uniform ? uniform(emit_.load(where.address, 0))
                                                                   : of(load(memory, where)));
    }
    values_[op.results[0]] = result;
}

void LaneCode::write_vector(const Op& op) {
    const WriteOp write(s_.tile, op);
    const Memory& memory = s_.memories.at(write.memory());
    std::vector<LaneValue> indices = values(write.indices());
    LaneValue written = value(write.value());
    if (memory.packed) return write_packed(memory, std::move(indices), written.parts);
    for (size_t part = 0; part < written.parts.size(); ++part) {
        store(memory, access(memory, indices, static_cast<int64_t>(part)), written.parts[part],
              s_.tile.type(write.memory()).elem);
    }
}

void LaneCode::lane_read(const Op& op) {
    const Type& type = s_.tile.type(op.results[0]);
    ValueId array = s_.arrays.at(LaneReadOp(s_.tile, op).array());
    auto load_at = [&](ValueId base) {
        std::vector<ValueId> copies;
        for (int64_t copy = 0; copy < copies_; ++copy) {
            ValueId mask = mask_.empty() ? ValueId{} : mask_[static_cast<size_t>(copy)];
            copies.push_back(emit_.load(emit_.pointer_add(base, emit_.integer(copy * width_)), width_, mask));
        }
        return of(copies);
    };
    ValueId here = emit_.pointer_add(array, first_tile_);
    if (!type.is_vector()) {
        values_[op.results[0]] = load_at(here);
        return;
    }
    LaneValue parts{LaneValue::Kind::parts, {}, 0, {}, {}};
    for (uint32_t part = 0; part < type.width; ++part) {
        parts.parts.push_back(load_at(emit_.pointer_add(here, emit_.integer(part * s_.tile.kernel.group_size()))));
    }
    values_[op.results[0]] = parts;
}

void LaneCode::store_arrays(const std::vector<ValueId>& arrays, const std::vector<ValueId>& yielded) {
    auto store_at = [&](ValueId base, const LaneValue& value, DType elem) {
        std::vector<ValueId> copies = vectors(value, elem);
        for (int64_t copy = 0; copy < copies_; ++copy) {
            auto c = static_cast<size_t>(copy);
            ValueId mask = mask_.empty() ? ValueId{} : mask_[c];
            emit_.store(emit_.pointer_add(base, emit_.integer(copy * width_)), copies[c], mask);
        }
    };
    for (size_t i = 0; i < arrays.size(); ++i) {
        const Type& type = s_.tile.type(arrays[i]);
        ValueId here = emit_.pointer_add(s_.arrays.at(arrays[i]), first_tile_);
        LaneValue v = value(yielded[i]);
        if (v.kind != LaneValue::Kind::parts) {
            store_at(here, v, type.elem);
            continue;
        }
        for (size_t part = 0; part < v.parts.size(); ++part) {
            ValueId offset = emit_.integer(static_cast<int64_t>(part) * s_.tile.kernel.group_size());
            store_at(emit_.pointer_add(here, offset), v.parts[part], type.elem);
        }
    }
}

// ---- one lane after the other ----

template <typename Body>
void LaneCode::for_each_active(Body body) {
    std::vector<ValueId> masks = mask_.empty() ? all_lanes() : mask_;
    RegionId outside = emit_.region;
    for (int64_t copy = 0; copy < copies_; ++copy) {
        OpId op = emit_.open(OpKind::for_active, {masks[static_cast<size_t>(copy)]});
        emit_.region = emit_.add_region(op);
        ValueId lane = s_.target.add_arg(emit_.region, Type::scalar(DType::i32), "lane");
        body(copy, lane);
        emit_.yield({});
        emit_.close(op, outside);
    }
}

ValueId LaneCode::lane_scalar(const LaneValue& value, DType type, int64_t copy, ValueId lane) {
    if (value.kind == LaneValue::Kind::uniform) return emit_.cast(value.scalar, type);
    if (value.kind == LaneValue::Kind::affine) {
        ValueId number = emit_.add(emit_.cast(lane, DType::index), emit_.integer(copy * width_));
        return emit_.cast(emit_.add(value.scalar, emit_.mul(number, emit_.integer(value.stride))), type);
    }
    ValueId vector = value.copies[static_cast<size_t>(copy)];
    ValueId element = emit_.op(OpKind::extract, {vector, lane});
    return emit_.cast(element, type);
}

void LaneCode::atomic(const Op& op) {
    const AtomicUpdateOp update(s_.tile, op);
    const Memory memory = s_.memories.at(update.memory());
    DType elem = s_.tile.type(update.memory()).elem;
    // What each lane found, gathered on the stack: the lanes run one after the other.
    ValueId found = s_.stack(elem, width_ * copies_);
    for_each_active([&](int64_t copy, ValueId lane) {
        std::vector<ValueId> indices;
        for (ValueId index : update.indices()) indices.push_back(lane_scalar(value(index), DType::index, copy, lane));
        std::vector<ValueId> operands{s_.address(memory, indices),
                                      lane_scalar(value(update.value()), elem, copy, lane)};
        if (update.compares()) operands.push_back(lane_scalar(value(update.compare()), elem, copy, lane));
        Attrs attrs{{Attr::op, op.attrs.integer(Attr::op)}};
        ValueId old = emit_.op(OpKind::atomic_rmw, operands, attrs);
        ValueId at = emit_.add(emit_.cast(lane, DType::index), emit_.integer(copy * width_));
        emit_.store(emit_.pointer_add(found, at), old);
    });
    if (op.results.empty()) return;
    std::vector<ValueId> copies;
    for (int64_t copy = 0; copy < copies_; ++copy) {
        ValueId mask = mask_.empty() ? ValueId{} : mask_[static_cast<size_t>(copy)];
        copies.push_back(emit_.load(emit_.pointer_add(found, emit_.integer(copy * width_)), width_, mask));
    }
    values_[op.results[0]] = of(copies);
}

void LaneCode::message(const Op& op) {
    std::vector<ValueId> outer = mask_;
    if (op.kind == OpKind::assert_) {  // only the lanes whose condition is false have something to say
        std::vector<ValueId> failed;
        for (ValueId held : vectors(AssertOp(s_.tile, op).condition()))
            failed.push_back(emit_.op(OpKind::bit_not, {held}));
        mask_ = mask_.empty() ? failed : mask_and(mask_, failed);
    }
    for_each_active([&](int64_t copy, ValueId lane) {
        std::vector<ValueId> operands;
        for (ValueId v : op.operands) operands.push_back(lane_scalar(value(v), s_.tile.type(v).elem, copy, lane));
        ValueId number = lane_scalar(number_, DType::index, copy, lane);
        operands.insert(operands.begin() + (op.kind == OpKind::assert_ ? 1 : 0), number);
        emit_.statement(op.kind, operands, op.attrs);
    });
    mask_ = outer;
}

}  // namespace tsr::ir
