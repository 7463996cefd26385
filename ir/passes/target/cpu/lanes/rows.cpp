// Loops along rows that differ between lanes: of `x[i, j]`, i a lane's number and j the index of a loop, each iteration
// would gather one element of each lane's row. Instead a block of the rows is loaded as vectors, transposed in
// registers and put on the stack, where the elements of one iteration lie side by side.
//
// Where the loop along the row stands in another one that always takes the same row (over the centers that a point is
// compared with), the row is transposed once, before that loop, if it is short enough for the first cache. Otherwise
// the loop goes through its row in pieces, each transposed before it is needed.
//
// The loops must not write the memory. What is transposed may be more than the program reads, where a loop has no
// iteration or a lane is out: rows and columns are kept inside of the tensor.
#include <algorithm>

#include "ir/ops/control.h"
#include "ir/ops/effects.h"
#include "ir/ops/memory.h"
#include "ir/passes/target/cpu/lanes/code.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

constexpr int64_t kStackBytes = 16384;  // of rows that are transposed at once: half of a first cache
constexpr int64_t kPiece = 64;          // columns

// Those elements of `a` and `b`, one behind the other, in this order. LLVM makes one shuffle of it.
ValueId shuffled(Emit& emit, ValueId a, ValueId b, const std::vector<int64_t>& order) {
    const auto width = static_cast<int64_t>(order.size());
    ValueId result = a;
    for (int64_t i = 0; i < width; ++i) {
        const int64_t from = order[static_cast<size_t>(i)];
        const ValueId one = emit.op(OpKind::extract, {from < width ? a : b}, {{Attr::axis, from % width}});
        result = emit.op(OpKind::insert, {result, one}, {{Attr::axis, i}});
    }
    return result;
}

}  // namespace

// Stage after stage the elements of a vector and of the one half the vectors behind it stand by turns: of elements of
// 16 bits and fewer each such shuffle is one instruction of SSE.
std::vector<ValueId> interleaved(Emit& emit, std::vector<ValueId> vectors) {
    const int64_t width = emit.width(vectors.front());
    std::vector<int64_t> low, high;
    for (int64_t i = 0; i < width / 2; ++i) {
        low.insert(low.end(), {i, i + width});
        high.insert(high.end(), {i + width / 2, i + width / 2 + width});
    }
    const size_t half = vectors.size() / 2;
    for (size_t stage = 1; stage < vectors.size(); stage *= 2) {
        std::vector<ValueId> next;
        for (size_t i = 0; i < half; ++i) {
            next.push_back(shuffled(emit, vectors[i], vectors[i + half], low));
            next.push_back(shuffled(emit, vectors[i], vectors[i + half], high));
        }
        vectors = std::move(next);
    }
    return vectors;
}

std::vector<ValueId> separated(Emit& emit, const std::vector<ValueId>& vectors) {
    if (vectors.size() == 1) return vectors;
    const int64_t width = emit.width(vectors.front());
    std::vector<ValueId> result(vectors.size());
    for (int64_t odd : {0, 1}) {
        std::vector<int64_t> order;
        for (int64_t i = 0; i < width; ++i) order.push_back(2 * i + odd);
        std::vector<ValueId> half;
        for (size_t i = 0; i < vectors.size(); i += 2)
            half.push_back(shuffled(emit, vectors[i], vectors[i + 1], order));
        const std::vector<ValueId> parts = separated(emit, half);
        for (size_t i = 0; i < parts.size(); ++i) result[2 * i + static_cast<size_t>(odd)] = parts[i];
    }
    return result;
}

int64_t transposed_rows(DType type, int64_t lanes) {
    const int64_t rows = bits(type) == 8 ? 16 : bits(type) > 32 ? 4 : 8;
    return std::min(rows, lanes);
}

std::vector<ValueId> transposed(Emit& emit, const std::vector<ValueId>& rows) {
    const auto width = static_cast<int64_t>(rows.size());
    if (width == 1) return rows;
    if (width < 4 || bits(emit.element_type(rows.front())) <= 16) return interleaved(emit, rows);
    // Blocks of 4 x 4 by the shuffles that SSE has for them, then halves of 8.
    auto by_blocks = [&](ValueId a, ValueId b, const std::vector<int64_t>& block) {
        std::vector<int64_t> order;
        for (int64_t base = 0; base < width; base += 4) {
            for (int64_t from : block) order.push_back(from < 4 ? base + from : base + from - 4 + width);
        }
        return shuffled(emit, a, b, order);
    };
    std::vector<std::vector<ValueId>> blocks;
    for (size_t first = 0; first < rows.size(); first += 4) {
        const ValueId low0 = by_blocks(rows[first], rows[first + 1], {0, 4, 1, 5});
        const ValueId low1 = by_blocks(rows[first + 2], rows[first + 3], {0, 4, 1, 5});
        const ValueId high0 = by_blocks(rows[first], rows[first + 1], {2, 6, 3, 7});
        const ValueId high1 = by_blocks(rows[first + 2], rows[first + 3], {2, 6, 3, 7});
        blocks.push_back({by_blocks(low0, low1, {0, 1, 4, 5}), by_blocks(low0, low1, {2, 3, 6, 7}),
                          by_blocks(high0, high1, {0, 1, 4, 5}), by_blocks(high0, high1, {2, 3, 6, 7})});
    }
    if (width == 4) return blocks[0];
    std::vector<ValueId> columns;
    for (int64_t half : {0, 4}) {
        for (size_t i = 0; i < 4; ++i) {
            const std::vector<int64_t> order{half,     half + 1, half + 2,  half + 3,
                                             half + 8, half + 9, half + 10, half + 11};
            columns.push_back(shuffled(emit, blocks[0][i], blocks[1][i], order));
        }
    }
    return columns;
}

// Reads of rows below the loop, by loop along the row.
std::vector<LaneCode::Rows> LaneCode::rows_below(OpId loop) {
    std::vector<ValueId> written;
    for (ValueId memory : touches(s_.tile, loop).writes) written.push_back(memory_root(s_.tile, memory));
    std::vector<Rows> found;
    auto visit = [&](auto&& self, OpId along) -> void {
        const ForOp counted(s_.tile, along);
        for (OpId id : s_.tile.region(counted.body()).ops) {
            const Op& op = s_.tile.op(id);
            if (op.kind == OpKind::for_) self(self, id);
            if (op.kind != OpKind::read) continue;
            const ReadOp read(s_.tile, id);
            const ValueSpan indices = read.indices();
            if (indices.size() != 2 || indices.back() != counted.iv()) continue;
            const Memory& memory = s_.memories.at(read.memory());
            const bool changes = std::ranges::find(written, memory_root(s_.tile, read.memory())) != written.end();
            if (changes || memory.packed || staged_.contains(id) || !is_counted_alike(counted, loop)) continue;
            const LaneValue row = before_loop(indices.front(), loop);
            if (row.kind != LaneValue::Kind::affine) continue;
            auto same = std::ranges::find_if(found, [&](const Rows& r) {
                return r.loop == along && r.memory == read.memory() && r.row == indices.front();
            });
            if (same == found.end()) {
                Rows& added = found.emplace_back();
                added = {.loop = along, .memory = read.memory(), .row = indices.front(), .reads = {id}};
                added.first_row = row;
                added.lower = before_loop(counted.lower(), loop).scalar;
                added.upper = before_loop(counted.upper(), loop).scalar;
            } else {
                same->reads.push_back(id);
            }
        }
    };
    visit(visit, loop);
    return found;
}

bool LaneCode::is_made_below(ValueId v, OpId loop) const {
    const OpId from = defining_op(s_.tile, v);
    return from.valid() && stands_below(s_.tile, from, loop);
}

LaneValue LaneCode::before_loop(ValueId v, OpId loop) {
    LaneValue unknown = of({});
    if (s_.tile.type(v).elem != DType::index) return unknown;
    if (!is_made_below(v, loop)) return value(v);
    const OpId from = s_.tile.value(v).op;
    if (!from.valid()) return unknown;
    const Op& op = s_.tile.op(from);
    if (op.kind == OpKind::constant) return uniform(emit_.integer(op.attrs.integer(Attr::value)));
    if (op.kind == OpKind::dim) return uniform(s_.dimension(op.attrs.dim(Attr::dim)));
    if (op.kind != OpKind::add && op.kind != OpKind::sub && op.kind != OpKind::mul) return unknown;
    const BinaryOp both(s_.tile, op);
    const LaneValue lhs = before_loop(both.lhs(), loop), rhs = before_loop(both.rhs(), loop);
    if (lhs.kind == LaneValue::Kind::vectors || rhs.kind == LaneValue::Kind::vectors) return unknown;
    if (lhs.kind == LaneValue::Kind::uniform && rhs.kind == LaneValue::Kind::uniform)
        return uniform(emit_.binary(op.kind, lhs.scalar, rhs.scalar));
    return affine_element(op, {lhs, rhs}) ? value(v) : unknown;
}

// From one bound to another, one by one, alike for all lanes and in every iteration of the outer loop.
bool LaneCode::is_counted_alike(const ForOp& counted, OpId outer) {
    const auto known = [&](ValueId v) { return before_loop(v, outer).kind == LaneValue::Kind::uniform; };
    const OpId step = s_.tile.value(counted.step()).op;
    const bool by_one =
        step.valid() && s_.tile.op(step).kind == OpKind::constant && s_.tile.op(step).attrs.integer(Attr::value) == 1;
    return by_one && s_.tile.type(counted.iv()).elem == DType::index && known(counted.lower()) &&
           known(counted.upper());
}

bool LaneCode::loop_over_rows(OpId id) {
    const ForOp loop(s_.tile, id);
    const std::vector<Rows> rows = rows_below(id);
    if (rows.empty()) return false;
    const bool along = std::ranges::any_of(rows, [&](const Rows& r) { return r.loop == id; });
    along ? loop_in_pieces(loop, rows) : loop_with_rows(loop, rows);
    return true;
}

// Whole rows, for loops inside of this one; the loop without them where they are too long.
void LaneCode::loop_with_rows(const ForOp& loop, const std::vector<Rows>& rows) {
    int64_t lane_bytes = 0;
    for (const Rows& r : rows) lane_bytes += bits(s_.tile.type(r.memory).elem) / 8;
    const int64_t columns = kStackBytes / (lane_bytes * width_ * copies_);
    ValueId fit = emit_.boolean(true);
    for (const Rows& r : rows) {
        const ValueId length = emit_.binary(OpKind::sub, r.upper, r.lower);
        fit = emit_.binary(OpKind::bit_and, fit, emit_.compare(OpKind::le, length, emit_.integer(columns)));
    }
    const Carried results = carried(loop.op().results);
    std::vector<ValueId> stacks;
    for (const Rows& r : rows) {
        stacks.push_back(s_.stack(s_.tile.type(r.memory).elem, columns * width_ * copies_));
    }
    const auto outcome = [&] {
        std::vector<ValueId> out;
        flatten(results, loop.op().results, out);
        return out;
    };
    const std::vector<ValueId> given = emit_.either(
        fit, results.types,
        [&] {
            for (size_t i = 0; i < rows.size(); ++i) stage_rows(rows[i], stacks[i], rows[i].lower, rows[i].upper);
            uniform_loop(loop.op());
            for (const Rows& r : rows) {
                for (OpId read : r.reads) staged_.erase(read);
            }
            return outcome();
        },
        [&] {
            uniform_loop(loop.op());
            return outcome();
        });
    size_t at = 0;
    unflatten(loop.op().results, given, at);
}

// The loop in pieces of its range: an outer loop carries what it carries.
void LaneCode::loop_in_pieces(const ForOp& loop, const std::vector<Rows>& rows) {
    const Carried state = carried(loop.op().results);
    std::vector<ValueId> stacks;
    for (const Rows& r : rows) stacks.push_back(s_.stack(s_.tile.type(r.memory).elem, kPiece * width_ * copies_));
    std::vector<ValueId> current;
    flatten(state, {loop.inits().begin(), loop.inits().end()}, current);
    const ValueId upper = value(loop.upper()).scalar;
    emit_.carrying_loop(value(loop.lower()).scalar, upper, kPiece, current, [&](ValueId first) {
        const ValueId last = emit_.binary(OpKind::minimum, emit_.add(first, emit_.integer(kPiece)), upper);
        for (size_t i = 0; i < rows.size(); ++i) {
            if (rows[i].loop == loop.id) stage_rows(rows[i], stacks[i], first, last);
        }
        current = counted_iterations(loop.op(), state, first, last, current);
        for (const Rows& r : rows) {
            for (OpId read : r.reads) staged_.erase(read);
        }
    });
    size_t at = 0;
    unflatten(loop.op().results, current, at);
}

// Columns [first, last) of the rows of all lanes: column after column on the stack, lanes side by side.
void LaneCode::stage_rows(const Rows& rows, ValueId stack, ValueId first, ValueId last) {
    const Memory& memory = s_.memories.at(rows.memory);
    const DType type = s_.tile.type(rows.memory).elem;
    const LaneValue& row = rows.first_row;
    const int64_t block = transposed_rows(type, width_);
    const ValueId zero = emit_.integer(0);
    const ValueId begin = emit_.binary(OpKind::maximum, first, zero);
    const ValueId some = emit_.compare(OpKind::gt, memory.dims[0], zero);
    const ValueId end = emit_.select(some, emit_.binary(OpKind::minimum, last, memory.dims[1]), zero);
    const ValueId bottom = emit_.binary(OpKind::sub, memory.dims[0], emit_.integer(1));
    const ValueId length = emit_.binary(OpKind::maximum, emit_.binary(OpKind::sub, end, begin), zero);
    const ValueId rest = emit_.binary(OpKind::mod, length, emit_.integer(block));
    const ValueId whole = emit_.add(begin, emit_.binary(OpKind::sub, length, rest));
    s_.counted_loop(width_ * copies_, block, [&](ValueId lane) {
        std::vector<ValueId> starts;  // of the rows of this lane and the next ones
        for (int64_t i = 0; i < block; ++i) {
            const ValueId ahead = emit_.mul(emit_.add(lane, emit_.integer(i)), emit_.integer(row.stride));
            const ValueId above = emit_.binary(OpKind::minimum, emit_.add(row.scalar, ahead), bottom);
            const ValueId number = emit_.binary(OpKind::maximum, above, zero);
            starts.push_back(emit_.pointer_add(memory.pointer, emit_.mul(number, memory.dims[1])));
        }
        const auto place = [&](ValueId column) {
            const ValueId number = emit_.binary(OpKind::sub, column, first);
            return emit_.pointer_add(stack, emit_.add(emit_.mul(number, emit_.integer(width_ * copies_)), lane));
        };
        s_.counted_loop(begin, whole, block, [&](ValueId column) {
            std::vector<ValueId> loaded;
            for (ValueId start : starts) loaded.push_back(emit_.load(emit_.pointer_add(start, column), block));
            const ValueId to = place(column);
            int64_t offset = 0;
            for (ValueId made : transposed(emit_, loaded)) {
                emit_.store(emit_.pointer_add(to, emit_.integer(offset)), made);
                offset += width_ * copies_;
            }
        });
        s_.counted_loop(whole, end, 1, [&](ValueId column) {
            const ValueId to = place(column);
            for (int64_t i = 0; i < block; ++i) {
                const ValueId element = emit_.load(emit_.pointer_add(starts[static_cast<size_t>(i)], column), 0);
                emit_.store(emit_.pointer_add(to, emit_.integer(i)), element);
            }
        });
    });
    for (OpId read : rows.reads) staged_[read] = {stack, first};
}

// What a read finds on the stack.
void LaneCode::read_staged(const Op& op, const Staged& staged) {
    const ValueId column = emit_.binary(OpKind::sub, value(ReadOp(s_.tile, op).indices().back()).scalar, staged.first);
    const ValueId at = emit_.pointer_add(staged.stack, emit_.mul(column, emit_.integer(width_ * copies_)));
    std::vector<ValueId> copies;
    for (int64_t copy = 0; copy < copies_; ++copy)
        copies.push_back(emit_.load(emit_.pointer_add(at, emit_.integer(copy * width_)), width_));
    values_[op.results[0]] = of(std::move(copies));
}

}  // namespace tsr::ir
