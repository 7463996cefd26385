#include "ir/eval/one_tile/team.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/ops/memory.h"
#include "ir/ops/record.h"
#include "ir/ops/tile.h"

namespace tsr::ir::eval::one_tile {

namespace {

size_t extent_product(const Type& type) {
    size_t count = 1;
    for (const Dim& extent : type.shape) count *= static_cast<size_t>(extent.constant_value().value_or(0));
    return count;
}

}  // namespace

Team::Team(Launch& launch, size_t tiles)
    : launch_(launch),
      kernel_(launch.kernel),
      who_(launch.who),
      tiles_(tiles),
      cells_(kernel_.value_count()),
      buffer_(kernel_.op_count(), nullptr) {
    size_t tensor = 0;
    for (size_t i = 0; i < kernel_.params().size(); ++i) {
        const ValueId param = kernel_.params()[i];
        if (type(param).kind == TypeKind::tensor)
            cells_[param.index].memory = {&launch.tensors[tensor++], 0};
        else
            set_one(param, canonical(type(param).elem, std::get<ScalarValue>(launch.arguments[i]).bits));
    }
    for (size_t i = 0; i < kernel_.op_count(); ++i) {
        const Op& op = kernel_.op(OpId(i));
        commits_ |= op.parent.valid() && op.kind == OpKind::commit;
    }
}

void Team::start(int64_t group) {
    group_ = group;
    section_ = 0;
    iterations_ = 0;
    committed_ = 0;
    copies_.clear();
    for (Memory& buffer : buffers_) buffer.forget();
}

void Team::run_group(int64_t group) {
    start(group);
    region(kernel_.body, Mask(tiles_, tiles_));
}

void Team::run_flat() {
    for (first_ = 0; first_ < launch_.size.total; first_ += static_cast<int64_t>(tiles_)) {
        const auto left = static_cast<size_t>(launch_.size.total - first_);
        region(kernel_.body, Mask(tiles_, std::min(left, tiles_)));
    }
}

void Team::run_elements() {
    start(0);
    if (launch_.size.total > 0) region(kernel_.body, Mask(tiles_, tiles_));
}

size_t Team::parts(ValueId v) const {
    const Type& of = type(v);
    if (of.kind == TypeKind::tile) return extent_product(of);
    return std::max<size_t>(of.width, 1);
}

Team::Source Team::source(ValueId v, size_t result_parts) const {
    const size_t step = varies(v) ? tiles_ : 1;
    const bool repeats = result_parts > 1 && type(v).is_scalar();  // one condition for a whole vector or tile
    return {cells_[v.index].bits.data(), repeats ? 0 : step, varies(v) ? 1U : 0U};
}

std::vector<Bits>& Team::make(ValueId v) {
    std::vector<Bits>& bits = cells_[v.index].bits;
    const bool each = v.index < who_.varying.size() && varies(v) && type(v).kind != TypeKind::tile;
    bits.resize(parts(v) * (each ? tiles_ : 1));
    return bits;
}

// All at once: what is given may be what is assigned.
void Team::assign(ValueSpan to, ValueSpan from, const Mask& mask) {
    std::vector<Cell> given;
    for (ValueId v : from.first(to.size())) given.push_back(cells_[v.index]);
    for (size_t k = 0; k < to.size(); ++k) {
        Cell& target = cells_[to[k].index];
        if (type(to[k]).is_memory() || !varies(to[k]) || type(to[k]).kind == TypeKind::tile) {
            target = std::move(given[k]);
            continue;
        }
        std::vector<Bits>& bits = make(to[k]);
        const bool each = varies(from[k]);
        for (size_t part = 0; part < parts(to[k]); ++part) {
            for (size_t i = 0; i < tiles_; ++i) {
                if (mask.on[i] != 0) bits[part * tiles_ + i] = given[k].bits[each ? part * tiles_ + i : part];
            }
        }
    }
}

void Team::region(RegionId id, const Mask& mask) {
    for (OpId at : kernel_.region(id).ops) {
        if (kernel_.op(at).kind != OpKind::yield) op(at, mask);
    }
}

void Team::op(OpId id, const Mask& mask) {
    const Op& op = kernel_.op(id);
    for (ValueId v : op.results) {
        if (type(v).kind != TypeKind::none && type(v).elem == DType::c64)
            stop(kernel_, id, "the evaluator has no complex numbers");
    }
    if (plain(id, op, mask) || control(id, op, mask) || tiles(id, op, mask) || memory(id, op, mask) ||
        together(id, op, mask))
        return;
    stop(kernel_, id, fmt::format("`--interpret=tile` does not run '{}'", name(op.kind)));
}

void Team::element(OpId id, const Op& op, const Mask& mask) {
    const Element compute = launch_.elements.find(kernel_, op);
    if (!compute.known())
        stop(kernel_, id, fmt::format("the evaluator has no '{}' of {}", name(op.kind), tsr::name(compute.type)));
    const ValueId result = op.results[0];
    if (type(result).kind == TypeKind::tile) need_all(id, mask);
    std::vector<Bits>& bits = make(result);
    const size_t count = parts(result);
    const bool each = varies(result) && type(result).kind != TypeKind::tile;
    const size_t tiles = each ? tiles_ : 1;
    std::array<Source, 3> from{};
    for (size_t k = 0; k < op.operands.size(); ++k) from[k] = source(op.operands[k], count);
    std::array<Bits, 3> operands{};
    for (size_t part = 0; part < count; ++part) {
        for (size_t i = 0; i < tiles; ++i) {
            if (each && mask.on[i] == 0) continue;
            for (size_t k = 0; k < op.operands.size(); ++k) operands[k] = from[k].at(part, i);
            bits[part * tiles + i] = compute(operands.data());
        }
    }
}

// The number of each tile: in its group, in the launch of a flat kernel; in a tile loop of the one that does the
// iteration, which are dealt in turn.
void Team::tile_number(const Op& op) {
    int64_t below = 1;
    int64_t extent = 0;  // 0: no end
    if (op.kind == OpKind::lane_id) {
        extent = 32;
    } else if (op.attrs.has(Attr::axis)) {
        const auto axis = static_cast<size_t>(op.attrs.integer(Attr::axis));
        const std::vector<int64_t>& shape = kernel_.kernel.group_shape;
        for (size_t k = 0; k < axis && k < shape.size(); ++k) below *= shape[k];
        if (axis + 1 < shape.size()) extent = shape[axis];
    }
    std::vector<Bits>& bits = make(op.results[0]);
    for (size_t i = 0; i < tiles_; ++i) {
        int64_t number = (static_cast<int64_t>(i) + (who_.flat ? first_ : 0)) / below;
        if (extent != 0) number %= extent;
        bits[i] = static_cast<Bits>(number);
    }
}

Bits Team::group_number(const Op& op) const {
    const int64_t axis = op.attrs.integer(Attr::axis, -1);
    const auto& [groups, total] = launch_.size;
    if (op.kind == OpKind::group_count) return static_cast<Bits>(axis < 0 ? total : groups[static_cast<size_t>(axis)]);
    int64_t number = group_;
    if (axis < 0) return static_cast<Bits>(number);
    for (int64_t k = 0; k < axis; ++k) number /= std::max<int64_t>(groups[static_cast<size_t>(k)], 1);
    if (axis < 2) number %= std::max<int64_t>(groups[static_cast<size_t>(axis)], 1);
    return static_cast<Bits>(number);
}

bool Team::plain(OpId id, const Op& op, const Mask& mask) {
    if (is_element(op.kind)) return element(id, op, mask), true;
    switch (op.kind) {
        case OpKind::constant:
            return set_one(op.results[0], constant_bits(op.attrs)), true;
        case OpKind::dim:
            return set_one(op.results[0], static_cast<Bits>(launch_.dimension(id, op.attrs.dim(Attr::dim)))), true;
        case OpKind::tile_id:
        case OpKind::lane_id:
            return tile_number(op), true;
        case OpKind::group_size:
            return set_one(op.results[0], static_cast<Bits>(kernel_.kernel.group_size())), true;
        case OpKind::group_id:
        case OpKind::group_count:
            return set_one(op.results[0], group_number(op)), true;
        case OpKind::vector_extract: {
            const VectorExtractOp extract(kernel_, id);
            const Source from = source(extract.vector(), 0);
            std::vector<Bits>& bits = make(extract.result());
            for (size_t i = 0; i < bits.size(); ++i) bits[i] = from.at(static_cast<size_t>(extract.position()), i);
            return true;
        }
        case OpKind::vector_build: {
            std::vector<Bits>& bits = make(op.results[0]);
            const size_t tiles = bits.size() / op.operands.size();
            for (size_t k = 0; k < op.operands.size(); ++k) {
                for (size_t i = 0; i < tiles; ++i) bits[k * tiles + i] = of_tile(op.operands[k], i);
            }
            return true;
        }
        default:
            return false;
    }
}

}  // namespace tsr::ir::eval::one_tile
