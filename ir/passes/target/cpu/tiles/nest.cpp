// Nests of loops: rows, in each row phases, in each phase vectors of columns.
#include <algorithm>
#include <unordered_set>

#include "ir/law/reduction.h"
#include "ir/ops/element.h"
#include "ir/ops/reduction.h"
#include "ir/ops/register.h"
#include "ir/passes/target/cpu/tiles/code.h"
#include "ir/passes/target/cpu/tiles/inside.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

// How many vectors a round takes, by the instructions that one takes.
int64_t unrolling(int64_t cost) { return cost <= 12 ? 4 : cost <= 60 ? 2 : 1; }

}  // namespace

// The loads and stores of some phases.
std::vector<OpId> TileCode::views(std::span<const Phase> phases) const {
    std::vector<OpId> found;
    std::unordered_set<ValueId> seen;
    auto visit = [&](auto&& self, ValueId value, bool computed) -> void {
        if (!is_tile(s_.tile, value) || !seen.insert(value).second) return;
        if (!computed && homes_.contains(value)) return;
        const OpId id = s_.tile.value(value).op;
        if (!id.valid()) return;
        const Op& op = s_.tile.op(id);
        if (op.kind == OpKind::load_tile) found.push_back(id);
        if (is_inline(op)) {
            for (ValueId operand : op.operands) self(self, operand, false);
        }
    };
    for (const Phase& phase : phases) {
        for (const Root& root : phase.roots) {
            if (root.kind == Root::Kind::store) found.push_back(root.op);
            if (root.kind == Root::Kind::keep)
                visit(visit, root.value, true);
            else
                visit(visit, root.kind == Root::Kind::store ? root.value : AlongOp(s_.tile, root.op).value(), false);
        }
    }
    return found;
}

// How many positions along an axis of its memory a view has.
int64_t TileCode::extent_along(const TileViewOp& view, size_t axis) const {
    const auto taken = std::ranges::find(view.axes(), static_cast<int64_t>(axis));
    if (taken == view.axes().end()) return 1;
    const Type& type = s_.tile.type(view.loads() ? view.result() : view.value());
    return extents(type)[static_cast<size_t>(taken - view.axes().begin())];
}

// Whether the view lies in its memory as a whole, whatever the dimensions are.
bool TileCode::is_inside(OpId id) const {
    const TileViewOp view(s_.tile, id);
    for (size_t axis = 0; axis < view.starts().size(); ++axis) {
        const Dim& end = s_.tile.type(view.memory()).shape[axis];
        if (!s_.ranges.is_natural(view.starts()[axis]) ||
            !ends_inside(s_.tile, view.starts()[axis], extent_along(view, axis), end))
            return false;
    }
    return true;
}

// True where every view of the nest lies in its memory as a whole; `first_extent`, where it is valid, is how many
// positions of the first axis of the tiles count.
ValueId TileCode::all_inside(const std::vector<OpId>& views, ValueId first_extent) {
    ValueId all = emit_.boolean(true);
    for (OpId id : views) {
        const TileViewOp view(s_.tile, id);
        const Memory& memory = s_.memories.at(view.memory());
        for (size_t axis = 0; axis < memory.dims.size(); ++axis) {
            const bool of_first = !view.axes().empty() && view.axes()[0] == static_cast<int64_t>(axis);
            const ValueId extent =
                of_first && first_extent.valid() ? first_extent : emit_.integer(extent_along(view, axis));
            const ValueId start = emit_.cast(s_.scalars.at(view.starts()[axis]), DType::index);
            const ValueId room = emit_.binary(OpKind::sub, memory.extent(axis), extent);
            all = emit_.binary(OpKind::bit_and, all, emit_.compare(OpKind::ge, start, emit_.integer(0)));
            all = emit_.binary(OpKind::bit_and, all, emit_.compare(OpKind::le, start, room));
        }
    }
    return all;
}

void TileCode::nest(const Nest& nest) {
    for (const Phase& phase : nest.phases) {
        for (const Root& root : phase.roots) {
            if (root.kind == Root::Kind::fold) fill(root);
        }
    }
    std::vector<OpId> edges = views(nest.phases);
    std::erase_if(edges, [&](OpId view) { return is_inside(view); });
    row_.assign(nest.rows.size(), {});
    rows_end_ = rows_read(nest);
    clipped_ = false;
    // Once more where stores may pass by the caches.
    const std::vector<OpId> large = stores_past_caches(nest);
    const auto inside = [&] {
        if (large.empty()) return rows(nest, 0);
        const auto past = [&] {
            past_caches_ = large;
            rows(nest, 0);
            past_caches_.clear();
        };
        emit_.either(pass_caches(large), past, [&] { rows(nest, 0); });
    };
    const auto clipped = [&] {
        clipped_ = true;
        rows(nest, 0);
        clipped_ = false;
    };
    // Tiles inside need no masks.
    if (edges.empty())
        inside();
    else
        emit_.either(all_inside(edges, rows_end_), inside, clipped);
    for (const Phase& phase : nest.phases) {
        for (const Root& root : phase.roots) {
            if (root.kind != Root::Kind::store) give(root.value);
        }
    }
}

// The sum of a tile of one axis is a scalar of the group.
void TileCode::give(ValueId sum) {
    if (is_tile(s_.tile, sum)) return;
    s_.scalars[sum] = emit_.load(homes_.at(sum).pointer, 0);
}

// Of a loaded tile that a product alone reads, as its second operand: the rows that it reads. A product in a loop over
// a short k looks at few of them. Invalid: all rows are made.
ValueId TileCode::rows_read(const Nest& nest) {
    if (nest.phases.size() != 1 || nest.phases[0].roots.size() != 1) return {};
    const Root& root = nest.phases[0].roots[0];
    if (root.kind != Root::Kind::keep || root.per_row || uses_.of(root.value).size() != 1) return {};
    auto loaded = [&](auto&& self, ValueId value) -> bool {
        const OpId made = s_.tile.value(value).op;
        if (!made.valid()) return false;
        const Op& op = s_.tile.op(made);
        return op.kind == OpKind::load_tile ||
               (op.kind == OpKind::cast && !homes_.contains(CastOp(s_.tile, op).from()) &&
                self(self, CastOp(s_.tile, op).from()));
    };
    const OpId user = uses_.of(root.value).front();
    if (!is_product(s_.tile.op(user)) || !loaded(loaded, root.value)) return {};
    const MmaOp product(s_.tile, user);
    return product.b() == root.value ? products_.depth_read(product) : ValueId{};
}

void TileCode::rows(const Nest& nest, size_t axis) {
    if (axis == nest.rows.size()) return row(nest);
    if (nest.rows[axis] == 1) {
        row_[axis] = emit_.integer(0);
        return rows(nest, axis + 1);
    }
    const ValueId end = axis == 0 && rows_end_.valid() ? rows_end_ : emit_.integer(nest.rows[axis]);
    s_.counted_loop(emit_.integer(0), end, 1, [&](ValueId at) {
        row_[axis] = at;
        rows(nest, axis + 1);
    });
}

void TileCode::row(const Nest& nest) {
    row_region_ = emit_.region;
    row_values_.clear();
    choose_pieces_ahead(nest);
    for (size_t i = 0; i < nest.phases.size(); ++i) {
        if (i == 1) choose_ahead(nest);
        phase(nest.phases[i]);
        ahead_.clear();
    }
}

// Memory works in the first and the last phase of a row, and arithmetic between them: what the first phase of the next
// row loads and the last of this one stores is fetched in between.
void TileCode::choose_ahead(const Nest& nest) {
    constexpr int64_t kWorthwhile = 2048;  // bytes of a row; shorter ones are in the cache before anybody could ask
    auto consider = [&](const Phase& phase, bool loads) {
        for (OpId id : views({&phase, 1})) {
            const TileViewOp view(s_.tile, id);
            const Type& memory = s_.tile.type(view.memory());
            const int64_t bytes = phase.columns * bits(memory.elem) / 8;
            const bool contiguous = view.axes().back() + 1 == static_cast<int64_t>(memory.rank());
            const bool whole = view.axes().size() == nest.rows.size() + 1;  // not the same row for all rows of the tile
            if (whole && view.loads() == loads && memory.kind == TypeKind::tensor && memory.rank() > 1 && contiguous &&
                bytes >= kWorthwhile && bits(memory.elem) >= 8)
                ahead_.push_back(id);
        }
    };
    if (clipped_ || nest.phases.front().columns != nest.phases[1].columns) return;
    consider(nest.phases.front(), true);
    if (nest.phases.size() > 2 && nest.phases.back().columns == nest.phases[1].columns)
        consider(nest.phases.back(), false);
}

// The same of rows whose length only the run knows, which loops of the round go through in pieces: the second loop over
// a row finds it in the caches, and fetches the next one.
void TileCode::choose_pieces_ahead(const Nest& nest) {
    if (clipped_ || !nest.rows.empty()) return;
    const auto differs = [&](ValueId start) {
        const Value& value = s_.tile.value(start);
        const OpId owner = value.op.valid() ? OpId() : s_.tile.region(value.region).parent;
        return owner.valid() && s_.tile.op(owner).kind == OpKind::grid;
    };
    for (OpId id : views({&nest.phases.front(), 1})) {
        const TileViewOp view(s_.tile, id);
        const Type& memory = s_.tile.type(view.memory());
        const OpId loop = s_.tile.region(s_.tile.op(id).parent).parent;
        const bool in_loop = loop.valid() && s_.tile.op(loop).kind == OpKind::for_;
        const bool of_row = memory.kind == TypeKind::tensor && memory.rank() > 1 && view.axes().size() == 1 &&
                            view.axes().front() + 1 == static_cast<int64_t>(memory.rank());
        if (!view.loads() || !in_loop || !of_row || bits(memory.elem) < 8 || s_.tile.op(id).attrs.has(Attr::waits))
            continue;
        std::vector<ValueId> row{view.memory()};
        row.insert(row.end(), view.starts().begin(), view.starts().begin() + static_cast<int64_t>(memory.rank()) - 1);
        if (std::ranges::none_of(row, differs)) continue;
        Pieces& pieces = pieces_.try_emplace(row, Pieces{loop, {}}).first->second;
        if (pieces.first == loop) continue;
        if (!pieces.fetches.valid()) pieces.fetches = loop;
        if (pieces.fetches == loop) ahead_.push_back(id);
    }
}

void TileCode::fetch_ahead(const Coordinates& at) {
    for (OpId id : ahead_) {
        const TileViewOp view(s_.tile, id);
        if (std::ranges::find(past_caches_, id) != past_caches_.end()) continue;
        const ValueId further = view.loads() ? s_.memories.at(view.memory()).dims.back() : emit_.integer(0);
        emit_.statement(OpKind::prefetch, {place(id, at).pointer, further});
    }
}

ValueId TileCode::identity(OpId reduce) {
    const AlongOp op(s_.tile, reduce);
    const DType elem = s_.tile.type(op.value()).elem;
    return emit_.constant(reduction_start(op.what(), elem), elem);
}

void TileCode::phase(const Phase& phase) {
    std::vector<Sum> sums;
    int64_t cost = 0;
    for (const Root& root : phase.roots) {
        if (root.per_row) per_row(root);
        if (root.kind == Root::Kind::reduce) sums.push_back({&root, {}});
        cost += inline_cost(s_.tile, root.kind == Root::Kind::reduce || root.kind == Root::Kind::fold
                                         ? AlongOp(s_.tile, root.op).value()
                                         : root.value);
    }
    if (phase.columns == 0) return;
    int64_t unroll = std::min(unrolling(cost), std::max<int64_t>(phase.columns / width_, 1));
    for (Sum& sum : sums) sum.partials.assign(static_cast<size_t>(unroll), emit_.splat(identity(sum.root->op), width_));
    columns(phase, unroll, sums);
    for (const Sum& sum : sums) finish_sum(sum);
}

// Whole rounds of `unroll` vectors, then single vectors, then a part of one.
void TileCode::columns(const Phase& phase, int64_t unroll, std::vector<Sum>& sums) {
    const int64_t round = unroll * width_;
    int64_t rounds = phase.columns / round;
    int64_t done = 0;
    if (rounds > 2) {
        std::vector<ValueId> carried;
        for (const Sum& sum : sums) carried.insert(carried.end(), sum.partials.begin(), sum.partials.end());
        auto give_back = [&] {
            size_t next = 0;
            for (Sum& sum : sums) {
                for (ValueId& partial : sum.partials) partial = carried[next++];
            }
        };
        emit_.carrying_loop(emit_.integer(0), emit_.integer(rounds * round), round, carried, [&](ValueId column) {
            give_back();
            for (int64_t i = 0; i < unroll; ++i) {
                vector(phase, emit_.add(column, emit_.integer(i * width_)), width_, sums, static_cast<size_t>(i));
            }
            carried.clear();
            for (const Sum& sum : sums) carried.insert(carried.end(), sum.partials.begin(), sum.partials.end());
        });
        give_back();
        done = rounds * round;
    }
    for (size_t i = 0; done < phase.columns; done += width_, ++i) {
        vector(phase, emit_.integer(done), phase.columns - done, sums, i % static_cast<size_t>(unroll));
    }
}

// The elements from `column` on, of which `left` are there.
void TileCode::vector(const Phase& phase, ValueId column, int64_t left, std::vector<Sum>& sums, size_t partial) {
    vector_values_.clear();
    tail_ = {};
    if (left < width_) {
        tail_ = emit_.compare(OpKind::lt, emit_.iota(width_, DType::i32),
                              emit_.splat(emit_.integer(left, DType::i32), width_));
    }
    Coordinates at;
    for (ValueId row : row_) at.push_back({row});
    at.push_back({column, true});
    fetch_ahead(at);
    for (const Root& root : phase.roots) {
        if (root.per_row) continue;
        emit_.place = s_.tile.op(root.op).place;
        switch (root.kind) {
            case Root::Kind::store:
                store(root.op, value(root.value, at), at);
                break;
            case Root::Kind::keep: {
                const ValueId made = compute(root.value, at);
                store_home(homes_.at(root.value), made, at);
                vector_values_[Key{root.value, at, 0}] = made;
                break;
            }
            case Root::Kind::fold: {
                const AlongOp op(s_.tile, root.op);
                Coordinates to = at;
                to.erase(to.begin() + op.axis());
                const Home& sum = homes_.at(root.value);
                const ValueId before = load_home(sum, to);
                store_home(sum, emit_.binary(combining(op.what()), before, value(op.value(), at)), to);
                break;
            }
            case Root::Kind::reduce: {
                const AlongOp op(s_.tile, root.op);
                Sum& sum = *std::ranges::find(sums, &root, &Sum::root);
                const ValueId before = sum.partials[partial];
                const ValueId after = emit_.binary(combining(op.what()), before, value(op.value(), at));
                sum.partials[partial] = tail_.valid() ? emit_.select(tail_, after, before) : after;
                break;
            }
        }
    }
    tail_ = {};
}

void TileCode::finish_sum(const Sum& sum) {
    const AlongOp op(s_.tile, sum.root->op);
    std::vector<ValueId> partials = sum.partials;
    while (partials.size() > 1) {
        const size_t half = (partials.size() + 1) / 2;
        for (size_t i = 0; i + half < partials.size(); ++i) {
            partials[i] = emit_.binary(combining(op.what()), partials[i], partials[i + half]);
        }
        partials.resize(half);
    }
    const ValueId total = emit_.op(OpKind::vector_reduce, {partials[0]}, {{Attr::op, static_cast<int64_t>(op.what())}});
    Coordinates at;
    for (ValueId row : row_) at.push_back({row});
    row_values_[Key{op.result(), at, 0}] = total;
    if (auto home = homes_.find(op.result()); home != homes_.end()) store_home(home->second, total, at);
}

void TileCode::per_row(const Root& root) {
    emit_.place = s_.tile.op(root.op).place;
    Coordinates at;
    for (ValueId row : row_) at.push_back({row});
    if (root.kind == Root::Kind::store) return store(root.op, value(root.value, at), at);
    const ValueId made = compute(root.value, at);
    store_home(homes_.at(root.value), made, at);
    row_values_[Key{root.value, at, 0}] = made;
}

// A fold starts at what changes nothing.
void TileCode::fill(const Root& fold) {
    const Type& type = s_.tile.type(fold.value);
    const Home& home = homes_.at(fold.value);
    const ValueId start = emit_.splat(identity(fold.op), width_);
    const int64_t columns = extents(type).back();
    const int64_t stride = type.rank() > 1 ? home.strides[type.rank() - 2] : 0;
    s_.counted_loop(element_count(type) / columns, 1, [&](ValueId row) {
        const ValueId at = emit_.pointer_add(home.pointer, emit_.mul(row, emit_.integer(stride)));
        s_.counted_loop((columns + width_ - 1) / width_ * width_, width_,
                        [&](ValueId column) { emit_.store(emit_.pointer_add(at, column), start); });
    });
}

}  // namespace tsr::ir
