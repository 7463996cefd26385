// Loops over single elements that read along one axis and write along the other: `b[x, y] = a[y, x]`. Written or read
// by neighbouring threads, such elements lie a row apart, each in a sector of its own. A block therefore does squares
// of 32 x 32 elements: what is accessed across goes through shared memory, so that every access of global memory is of
// neighbouring elements.
//
//     first   thread (i, j) computes the element of row i, column j, or reads what is across for row j, column i
//     meet
//     then    thread (i, j) writes across for row j, column i, or computes the element of row i, column j
#include <algorithm>
#include <unordered_set>

#include "ir/ops/effects.h"
#include "ir/ops/memory.h"
#include "ir/passes/target/gpu/thread_code.h"

namespace tsr::ir {

namespace {

constexpr int64_t kSide = 32;          // of a square
constexpr int64_t kPitch = kSide + 1;  // of its rows in shared memory: columns lie in different banks, too

// Which of the two last axes values depend on.
class Axes {
public:
    Axes(const Function& tile, RegionId body) {
        const auto& args = tile.region(body).args;
        row_.insert(args[args.size() - 2]);
        column_.insert(args.back());
        for (OpId id : tile.region(body).ops) {
            const Op& op = tile.op(id);
            for (auto* set : {&row_, &column_}) {
                if (std::ranges::any_of(op.operands, [&](ValueId v) { return set->contains(v); }))
                    set->insert(op.results.begin(), op.results.end());
            }
        }
    }
    // The elements of neighbouring rows lie side by side, those of neighbouring columns do not.
    [[nodiscard]] bool is_across(ValueSpan indices) const { return along(row_, column_, indices); }
    [[nodiscard]] bool is_beside(ValueSpan indices) const { return along(column_, row_, indices); }

private:
    using Set = std::unordered_set<ValueId>;
    [[nodiscard]] static bool along(const Set& last, const Set& other, ValueSpan indices) {
        if (indices.size() < 2) return false;
        return last.contains(indices.back()) && !other.contains(indices.back()) &&
               std::any_of(indices.begin(), indices.end() - 1, [&](ValueId v) { return other.contains(v); });
    }

    Set row_, column_;
};

// The operations of a region that values are made by; nothing where memory is read for them.
std::optional<std::vector<OpId>> makers(const Function& tile, RegionId body, std::vector<ValueId> wanted) {
    std::unordered_set<ValueId> needed(wanted.begin(), wanted.end());
    std::vector<OpId> found;
    const std::vector<OpId>& ops = tile.region(body).ops;
    for (size_t i = ops.size(); i-- > 0;) {
        const Op& op = tile.op(ops[i]);
        if (std::ranges::none_of(op.results, [&](ValueId v) { return needed.contains(v); })) continue;
        if (!is_element(op.kind) && op.kind != OpKind::constant && op.kind != OpKind::dim) return std::nullopt;
        needed.insert(op.operands.begin(), op.operands.end());
        found.push_back(ops[i]);
    }
    std::ranges::reverse(found);
    return found;
}

}  // namespace

std::optional<ThreadCode::Turned> ThreadCode::turned(const Op& op) const {
    const RegionId body = op.regions[0];
    if (op.operands.size() < 6 || plan.gpu().threads * plan.gpu().tiles_per_thread != kSide * kSide)
        return std::nullopt;
    if (plan.gpu().threads % kSide != 0) return std::nullopt;
    const Axes axes(tile, body);
    std::optional<OpId> write, across;
    for (OpId id : tile.region(body).ops) {
        const Op& inner = tile.op(id);
        const bool reads = inner.kind == OpKind::read;
        if (inner.kind == OpKind::yield || inner.kind == OpKind::constant || inner.kind == OpKind::dim) continue;
        if (!is_element(inner.kind) && !reads && inner.kind != OpKind::write) return std::nullopt;
        if (write) return std::nullopt;  // it comes last
        if (inner.kind == OpKind::write) write = id;
        if (reads && axes.is_across(ReadOp(tile, id).indices())) {
            if (across) return std::nullopt;
            across = id;
        }
    }
    if (!write) return std::nullopt;
    const WriteOp written(tile, *write);
    const bool written_across = axes.is_across(written.indices());
    if (written_across == across.has_value() || (across && !axes.is_beside(written.indices()))) return std::nullopt;
    const ValueId memory = across ? ReadOp(tile, *across).memory() : written.memory();
    if (is_packed(tile.type(memory).elem) || memories.at(memory).packed) return std::nullopt;
    const ValueSpan places = across ? ReadOp(tile, *across).indices() : written.indices();
    auto indices = makers(tile, body, {places.begin(), places.end()});
    if (!indices) return std::nullopt;
    return Turned{across.value_or(*write), !across.has_value(), std::move(*indices)};
}

// The operations with the element at a place of the square: as a row and column of it.
template <typename Body>
void ThreadCode::in_square(const Op& op, const std::vector<Axis>& all, std::vector<ValueId> places,
                           const Square& square, bool across, Body body) {
    const size_t row = all.size() - 2, column = all.size() - 1;
    const auto& args = tile.region(op.regions[0]).args;
    const int64_t rows = plan.gpu().threads / kSide;
    const auto elements = [&](bool whole) {
        for (int64_t i = 0; i < kSide; i += rows) {
            const ValueId far = emit.add(square.far, emit.integer(i));
            const ValueId y = across ? square.near : far, x = across ? far : square.near;
            places[row] = emit.add(square.row, y);
            places[column] = emit.add(square.column, x);
            const auto one = [&] {
                for (size_t k = 0; k < all.size(); ++k)
                    scalars[args[k]] = emit.add(all[k].lower, emit.mul(places[k], all[k].step));
                in_lanes_ = true;
                body(emit.pointer_add(square.memory, emit.add(emit.mul(y, emit.integer(kPitch)), x)));
                in_lanes_ = false;
            };
            if (whole) {
                one();
                continue;
            }
            when(emit.binary(OpKind::bit_and, emit.compare(OpKind::lt, places[row], all[row].count),
                             emit.compare(OpKind::lt, places[column], all[column].count)),
                 one);
        }
    };
    emit.either(square.whole, [&] { elements(true); }, [&] { elements(false); });
}

void ThreadCode::lanes_turned(const Op& op, const std::vector<Axis>& all, const Turned& turned) {
    const ValueId value = turned.writes ? WriteOp(tile, turned.access).value() : ReadOp(tile, turned.access).result();
    const DType elem = tile.type(value).elem;
    const size_t row = all.size() - 2, column = all.size() - 1;
    Square square;
    square.memory = shared(elem, kSide * kPitch * ((bits(elem) + 7) / 8), kAccess);
    square.near = emit.binary(OpKind::bit_and, thread_, emit.integer(kSide - 1));
    square.far = emit.binary(OpKind::shr, thread_, emit.integer(5));
    const auto squares_along = [&](size_t axis) {
        return emit.binary(OpKind::floordiv, emit.add(all[axis].count, emit.integer(kSide - 1)), emit.integer(kSide));
    };
    const ValueId down = squares_along(row), beside = squares_along(column), elements = rounds(all);
    ValueId squares = emit.mul(down, beside);
    for (size_t i = 0; i < row; ++i) squares = emit.mul(squares, all[i].count);
    // No more than elements, whose number is known to fit in 32 bits where indices have so many.
    squares = emit.binary(OpKind::minimum, squares, elements);
    const ValueId task = emit.integer(plan.task);
    const ValueId block =
        emit.add(emit.binary(OpKind::floordiv, emit.op(OpKind::task_begin, {}), task), emit.op(OpKind::block_id, {}));
    const ValueId blocks = emit.binary(
        OpKind::maximum, emit.binary(OpKind::floordiv, emit.add(elements, emit.integer(plan.task - 1)), task),
        emit.integer(1));
    const RegionId outside = emit.region;
    const OpId loop = emit.open(OpKind::for_, {block, squares, blocks}, {{Attr::unroll, int64_t{1}}});
    emit.region = emit.add_region(loop);
    number_ = target.add_arg(emit.region, Type::scalar(DType::index));
    std::vector<ValueId> places(all.size());
    const Division by = divide(number_, beside);
    Division above{by.quotient, {}};
    if (row > 0) above = divide(by.quotient, down);
    if (row > 0) place_outside(all, above.quotient, places);
    square.row = emit.mul(row > 0 ? above.rest : above.quotient, emit.integer(kSide));
    square.column = emit.mul(by.rest, emit.integer(kSide));
    const auto is_inside = [&](ValueId first, size_t axis) {
        return emit.compare(OpKind::le, emit.add(first, emit.integer(kSide)), all[axis].count);
    };
    square.whole = emit.binary(OpKind::bit_and, is_inside(square.row, row), is_inside(square.column, column));
    const std::vector<OpId>& body = tile.region(op.regions[0]).ops;
    const auto all_but = [&](OpId left) {
        for (OpId id : body) {
            if (id != left && tile.op(id).kind != OpKind::yield) operation(id);
        }
    };
    in_square(op, all, places, square, !turned.writes, [&](ValueId at) {
        if (turned.writes) all_but(turned.access);
        for (OpId id : turned.writes ? std::vector<OpId>{} : turned.indices) operation(id);
        if (!turned.writes) operation(turned.access);
        emit.store(at, scalars.at(value));
    });
    block_barrier();
    in_square(op, all, places, square, turned.writes, [&](ValueId at) {
        for (OpId id : turned.writes ? turned.indices : std::vector<OpId>{}) operation(id);
        scalars[value] = emit.load(at, 0);
        if (turned.writes) return operation(turned.access);
        all_but(turned.access);
    });
    block_barrier();
    emit.yield({});
    emit.close(loop, outside);
}

}  // namespace tsr::ir
