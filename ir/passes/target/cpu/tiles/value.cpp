// Elements of register tiles, computed where they are wanted: a vector of a row's columns, or one element.
#include <algorithm>

#include "ir/ops/register.h"
#include "ir/passes/target/cpu/tiles/code.h"

namespace tsr::ir {

bool TileCode::has_column(const Coordinates& at) {
    return std::ranges::any_of(at, [](const Coordinate& c) { return c.column; });
}

// What all vectors of a row share is computed in front of its loop.
template <typename Make>
ValueId TileCode::once_per_row(ValueId key, const Coordinates& at, int what, Make make) {
    auto [known, added] = row_values_.try_emplace(Key{key, at, what});
    if (!added) return known->second;
    const RegionId inside = emit_.region;
    emit_.region = row_region_;
    const ValueId made = make();
    emit_.region = inside;
    return row_values_[Key{key, at, what}] = made;
}

ValueId TileCode::value(ValueId tile, const Coordinates& at) {
    if (!is_tile(s_.tile, tile)) {
        auto sum = row_values_.find(Key{tile, {}, 0});
        return sum == row_values_.end() ? s_.scalars.at(tile) : sum->second;
    }
    if (!has_column(at)) {
        return once_per_row(tile, at, 0, [&] { return found(tile, at); });
    }
    auto [known, added] = vector_values_.try_emplace(Key{tile, at, 0});
    if (!added) return known->second;
    const ValueId made = found(tile, at);
    return vector_values_[Key{tile, at, 0}] = made;
}

// In its home, else computed.
ValueId TileCode::found(ValueId tile, const Coordinates& at) {
    auto home = homes_.find(tile);
    return home == homes_.end() ? compute(tile, at) : load_home(home->second, at);
}

ValueId TileCode::element(const Op& op, const Coordinates& at) {
    std::vector<ValueId> operands;
    for (ValueId v : op.operands) operands.push_back(value(v, at));
    const DType elem = s_.tile.type(op.results[0]).elem;
    const Type type = has_column(at) ? Type::vector(elem, static_cast<uint32_t>(width_)) : Type::scalar(elem);
    return emit_.op(op.kind, operands, op.attrs);
}

ValueId TileCode::expand(OpId id, const Coordinates& at) {
    const ExpandOp op(s_.tile, id);
    NestAxes axes(at.size());
    for (size_t i = 0; i < at.size(); ++i) axes[i] = static_cast<int>(i);
    Coordinates inner;
    for (int axis : through_expand(s_.tile, id, axes)) {
        if (axis != kZero) {
            inner.push_back(at[static_cast<size_t>(axis)]);
            continue;
        }
        // One zero for all: coordinates are compared by their values.
        inner.push_back({once_per_row({}, {}, 1, [&] { return emit_.integer(0); })});
    }
    if (!has_column(at) || has_column(inner)) return value(op.value(), inner);
    return once_per_row(op.value(), inner, 2, [&] { return emit_.splat(value(op.value(), inner), width_); });
}

ValueId TileCode::packed_rows(const Op& op, const Coordinates& at) {
    const ValueId rows = PackRowsOp(s_.tile, op).value();
    const DType elem = s_.tile.type(rows).elem;
    const int64_t count = 32 / bits(elem);
    const DType whole = bits(elem) == 16 ? DType::u16 : DType::u8;
    ValueId word;
    for (int64_t i = 0; i < count; ++i) {
        Coordinates row = at;
        row[0].at = once_per_row(op.results[0], {at[0]}, 20 + static_cast<int>(i), [&] {
            return emit_.add(emit_.mul(at[0].at, emit_.integer(count)), emit_.integer(i));
        });
        const ValueId from = value(rows, row);
        const Type type = s_.target.type(from);
        ValueId part = elem == whole ? from : emit_.op(OpKind::bitcast, {from}, {{Attr::type, whole}});
        part = emit_.cast(part, DType::u32);
        if (i > 0) {
            const ValueId by = emit_.integer(i * bits(elem), DType::u32);
            part = emit_.binary(OpKind::shl, part, type.is_vector() ? emit_.splat(by, width_) : by);
        }
        word = i == 0 ? part : emit_.binary(OpKind::bit_or, word, part);
    }
    return word;
}

// ---- memory ----

// One tile may be stored in several views: what is remembered of a view is remembered by its operation.
int TileCode::view_key(OpId view, int what) { return 100 + 8 * static_cast<int>(view.index) + what; }

// `stride` times 0, 1, 2, …
ValueId TileCode::offsets(ValueId stride) {
    return emit_.binary(OpKind::mul, emit_.iota(width_, DType::index), emit_.splat(stride, width_));
}

ValueId TileCode::mask_and(ValueId a, ValueId b) {
    if (!a.valid()) return b;
    return b.valid() ? emit_.binary(OpKind::bit_and, a, b) : a;
}

TileCode::ViewRow TileCode::row_of(const TileViewOp& view, const Coordinates& at) {
    ViewRow row{view.loads() ? view.result() : view.value(), at, {}, {}};
    for (size_t i = 0; i < at.size(); ++i) {
        if (!at[i].column) continue;
        row.first = at[i].at;
        row.at[i] = {{}, true};
        row.column = static_cast<size_t>(view.axes()[i]);
    }
    return row;
}

// Along an axis of the memory: of the element, or of the first of its row.
ValueId TileCode::index_along(const TileViewOp& view, size_t axis, const Coordinates& at) {
    ValueId start = emit_.cast(s_.scalars.at(view.starts()[axis]), DType::index);
    for (size_t i = 0; i < at.size(); ++i) {
        if (view.axes()[i] == static_cast<int64_t>(axis) && !at[i].column) start = emit_.add(start, at[i].at);
    }
    return start;
}

// Whether the row is in the memory.
ValueId TileCode::row_inside(const TileViewOp& view, const ViewRow& row) {
    const Memory& memory = s_.memories.at(view.memory());
    return once_per_row(row.key, row.at, view_key(view.id, 0), [&] {
        ValueId in = emit_.boolean(true);
        for (size_t axis = 0; axis < memory.dims.size(); ++axis) {
            if (axis == row.column) continue;
            const ValueId index = index_along(view, axis, row.at);
            if (!s_.ranges.is_natural(view.starts()[axis]))
                in = emit_.binary(OpKind::bit_and, in, emit_.compare(OpKind::ge, index, emit_.integer(0)));
            in = emit_.binary(OpKind::bit_and, in, emit_.compare(OpKind::lt, index, memory.extent(axis)));
        }
        return in;
    });
}

// Which elements of the view are in the memory; a packed operand holds whole blocks, and nobody asks. In front of the
// loop: whether the row is, and the columns [lower, upper) that are; both are brought near the vector at hand before
// they are narrowed to 32 bits.
ValueId TileCode::inside(OpId id, const Coordinates& at) {
    const TileViewOp view(s_.tile, id);
    const Memory& memory = s_.memories.at(view.memory());
    const ViewRow row = row_of(view, at);
    const ValueId row_in = row_inside(view, row);
    if (!row.column) return row_in;
    const int what = view_key(id, 0);
    const ValueId along = once_per_row(row.key, row.at, what + 5, [&] { return index_along(view, *row.column, at); });
    const ValueId upper = once_per_row(row.key, row.at, what + 2, [&] {
        const ValueId end = emit_.binary(OpKind::sub, memory.extent(*row.column), along);
        return emit_.select(row_in, end, emit_.integer(-1));
    });
    auto near = [&](ValueId bound) {
        ValueId distance = emit_.binary(OpKind::sub, bound, row.first);
        distance = emit_.binary(OpKind::maximum, distance, emit_.integer(0));
        distance = emit_.binary(OpKind::minimum, distance, emit_.integer(width_));
        return emit_.splat(emit_.cast(distance, DType::i32), width_);
    };
    const ValueId lanes = emit_.iota(width_, DType::i32);
    const ValueId before_end = emit_.compare(OpKind::lt, lanes, near(upper));
    if (s_.ranges.is_natural(view.starts()[*row.column])) return before_end;
    const ValueId lower =
        once_per_row(row.key, row.at, what + 1, [&] { return emit_.binary(OpKind::sub, emit_.integer(0), along); });
    return emit_.binary(OpKind::bit_and, emit_.compare(OpKind::ge, lanes, near(lower)), before_end);
}

// A row outside of the memory has the address of the first: processors take hundreds of cycles over a masked access
// none of whose elements is wanted where its page is not there.
TileCode::Place TileCode::place(OpId id, const Coordinates& at) {
    const TileViewOp view(s_.tile, id);
    const Memory& memory = s_.memories.at(view.memory());
    const ViewRow row = row_of(view, at);
    const bool clipped = clipped_ && !is_packed_operand(view.memory());
    const ValueId pointer = once_per_row(row.key, row.at, view_key(id, 3), [&] {
        const size_t last = memory.dims.size() - 1;
        if (s_.tile.op(id).attrs.has(Attr::waits))
            return emit_.pointer_add(waiting(view).row, index_along(view, last, at));
        std::vector<ValueId> indices;
        for (size_t axis = 0; axis < memory.dims.size(); ++axis) {
            ValueId index = index_along(view, axis, at);
            if (clipped && row.column && axis != row.column)
                index = emit_.select(row_inside(view, row), index, emit_.integer(0));
            indices.push_back(index);
        }
        return s_.address(memory, indices);
    });
    Place out;
    out.pointer = pointer;
    out.vector = row.column.has_value();
    out.mask = clipped ? inside(id, at) : ValueId{};
    if (!out.vector) return out;
    out.mask = mask_and(out.mask, tail_);
    if (*row.column + 1 < memory.dims.size()) {
        out.stride = once_per_row(row.key, row.at, view_key(id, 4), [&] {
            ValueId stride = emit_.integer(1);
            for (size_t axis = *row.column + 1; axis < memory.dims.size(); ++axis) {
                stride = emit_.mul(stride, memory.dims[axis]);
            }
            return stride;
        });
        out.pointer = emit_.pointer_add(out.pointer, emit_.mul(row.first, out.stride));
    } else {
        out.pointer = emit_.pointer_add(out.pointer, row.first);
    }
    return out;
}

ValueId TileCode::load(OpId id, const Coordinates& at) {
    const TileViewOp view(s_.tile, id);
    const bool packed = s_.memories.at(view.memory()).packed.has_value();
    const Place from = packed ? Place{{}, {}, {}, has_column(at)} : place(id, at);
    ValueId loaded;
    if (packed) {
        loaded = load_packed(id, at);
    } else if (!from.stride.valid()) {
        loaded = emit_.load(from.pointer, from.vector ? width_ : 0, from.mask);
    } else {
        loaded = emit_.gather(from.pointer, offsets(from.stride), from.mask);
    }
    if (!view.fill() || !clipped_) return loaded;
    const ValueId outside = s_.scalars.at(*view.fill());
    return emit_.select(inside(id, at), loaded, from.vector ? emit_.splat(outside, width_) : outside);
}

void TileCode::store(OpId id, ValueId value, const Coordinates& at) {
    if (s_.memories.at(TileViewOp(s_.tile, id).memory()).packed) return store_packed(id, value, at);
    const Place to = place(id, at);
    if (std::ranges::find(past_caches_, id) != past_caches_.end())
        return emit_.statement(
            OpKind::store, {to.pointer, value},
            {{Attr::past_caches, kFlag}, {Attr::alignment, width_ * bits(emit_.element_type(value)) / 8}});
    if (!to.stride.valid()) return emit_.store(to.pointer, value, to.mask);
    std::vector<ValueId> operands{to.pointer, value, offsets(to.stride)};
    Attrs attrs;
    if (to.mask.valid()) {
        operands.push_back(to.mask);
        attrs.set(Attr::masked, int64_t{1});
    }
    emit_.statement(OpKind::scatter, operands, attrs);
}

// ---- homes ----

ValueId TileCode::home_address(const Home& home, const Coordinates& at) {
    ValueId pointer = home.pointer;
    for (size_t i = 0; i < at.size(); ++i) {
        if (home.strides[i] == 0) continue;
        if (home.panel > 0 && i + 1 == at.size()) {
            const ValueId panel = emit_.integer(home.panel);
            const ValueId first =
                emit_.mul(emit_.binary(OpKind::floordiv, at[i].at, panel), emit_.integer(home.panel_stride));
            pointer = emit_.pointer_add(pointer, emit_.add(first, emit_.binary(OpKind::mod, at[i].at, panel)));
            continue;
        }
        pointer = emit_.pointer_add(pointer, emit_.mul(at[i].at, emit_.integer(home.strides[i])));
    }
    return pointer;
}

// Columns of a home that lie in its padding hold anything; whoever combines columns leaves them out.
ValueId TileCode::load_home(const Home& home, const Coordinates& at) {
    const ValueId pointer = home_address(home, at);
    if (!has_column(at)) return emit_.load(pointer, 0);
    const auto column = static_cast<size_t>(std::ranges::find(at, true, &Coordinate::column) - at.begin());
    if (column + 1 == at.size()) return emit_.load(pointer, width_);
    return emit_.gather(pointer, offsets(emit_.integer(home.strides[column])), tail_);
}

void TileCode::store_home(const Home& home, ValueId value, const Coordinates& at) {
    emit_.store(home_address(home, at), value);
}

}  // namespace tsr::ir
