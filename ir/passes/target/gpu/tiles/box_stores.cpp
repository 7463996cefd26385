// Accumulators of warp groups that go to their tensor in boxes (PTX ISA, cp.async.bulk.tensor to global memory): each
// warp writes its 16 rows, a panel of columns at a time, to a place of its own in shared memory, from where one lane
// starts the copy. No other warp is waited for.
#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "ir/ops/tile.h"
#include "ir/passes/target/cpu/tiles/uses.h"
#include "ir/passes/target/gpu/tiles/code.h"
#include "ir/passes/target/gpu/tiles/groups.h"
#include "ir/passes/target/index_range.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

constexpr int64_t kBoxRows = 16;      // of a warp in an accumulator's atom
constexpr int64_t kBlockColumns = 8;  // of which a lane has two that follow each other
constexpr int64_t kStoredPiece = 16;  // bytes that change places
constexpr int64_t kPanelRow = 128;    // bytes of a panel's row
constexpr int64_t kBoxBytes = kBoxRows * kPanelRow;
constexpr int64_t kBoxes = 2;  // places of a warp: one is written while the other one is read

// What a row's pieces are exchanged by in panels of so many bytes (PTX ISA, "Swizzling modes"): linear in the row.
Bits phase(int64_t width, Bits row) {
    const Bits bytes = row * static_cast<Bits>(width);
    return width < 2 * kStoredPiece ? 0 : bytes >> 7 & static_cast<Bits>(width / kStoredPiece - 1);
}

// The widest panel that the columns left fill.
int64_t panel_width(int64_t bytes) {
    return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::min(bytes, kPanelRow))));
}

// Once for each group: copies of one kernel have no order among each other, and what is loaded does not wait for them.
bool alone(const Function& kernel, OpId store, ValueId memory) {
    for (OpId at = kernel.region(kernel.op(store).parent).parent; at.valid();
         at = kernel.region(kernel.op(at).parent).parent) {
        if (kernel.op(at).kind != OpKind::grid && kernel.op(at).kind != OpKind::if_) return false;
    }
    int64_t users = 0;
    walk(kernel, kernel.body, [&](OpId id) { users += std::ranges::count(kernel.op(id).operands, memory); });
    return users == 1;
}

}  // namespace

// Some rows of the tile, a panel of columns.
struct ThreadTiles::Box {
    int64_t width = 0;  // bytes of its rows
    Registers values;   // of this lane, block after block
    ValueId place;      // of the warp, in shared memory
};

bool ThreadTiles::goes_in_boxes(OpId id) const {
    constexpr size_t kMostAxes = 5;
    if (!code_.plan.gpu().box_stores) return false;
    const TileViewOp op(code_.tile, id);
    const Type &memory = code_.tile.type(op.memory()), &tile = code_.tile.type(op.value());
    const int64_t size = bits(memory.elem);
    if (memory.kind != TypeKind::tensor || tile.rank() != 2 || memory.rank() > kMostAxes) return false;
    if (size != 16 && size != 32) return false;
    const auto rank = static_cast<int64_t>(memory.rank());
    if (op.axes() != std::vector<int64_t>{rank - 2, rank - 1} || !alone(code_.tile, id, op.memory())) return false;
    // Boxes that begin before their tensor are brought by copies, but not stored: an illegal instruction on an H200.
    IndexRanges ranges(code_.tile);
    if (!std::ranges::all_of(op.starts(), [&](ValueId start) { return ranges.is_natural(start); })) return false;
    return std::ranges::any_of(layouts_.products, [&](const auto& product) {
        const ProductPlan& plan = product.second;
        const LinearMap atom = operand_atom(plan, Operand::accumulator);
        const Layout& lies = layout(op.value());
        return plan.group != GroupOperand::none && lies == Layout::covering(lies.shape, atom) &&
               lies.extent(0) == lies.shape[0] && lies.extent(1) == lies.shape[1];
    });
}

// Of the thread's warp, for boxes of all stores.
ValueId ThreadTiles::box_memory(DType type) {
    const int64_t warps = code_.plan.gpu().threads / kWarp, size = bits(type) / 8;
    box_bytes_ = warps * kBoxes * kBoxBytes;
    const ValueId place = emit_.op(OpKind::scratch, {},
                                   {{Attr::count, int64_t{0}}, {Attr::type, type}, {Attr::alignment, kBoxAlignment}});
    box_places_.push_back(code_.target.value(place).op);
    std::vector<Bits> columns(5, 0);
    for (int64_t warp = 1; warp < warps; warp *= 2)
        columns.push_back(static_cast<Bits>(warp * kBoxes * kBoxBytes / size));
    return emit_.pointer_add(place, thread_part(columns).value);
}

void ThreadTiles::first_lane(const std::function<void()>& body) { code_.when(without_bits(kWarp - 1, 0), body); }

// What is to be read of a place has been read, but for the newest `count` boxes.
void ThreadTiles::boxes_read(int64_t count) {
    first_lane([&] { emit_.statement(OpKind::boxes_read, {}, {{Attr::count, count}}); });
}

// A lane has two columns of rows g and g + 8 of each block: 8 bytes each. Rows that would meet in the same banks write
// another block at a time.
void ThreadTiles::write_words(const Box& box) {
    const auto width = static_cast<Bits>(box.width);
    const int64_t size = bits(emit_.element_type(box.place)) / 8, blocks = box.width / (kBlockColumns * size);
    const Bits other = blocks >= 4 ? 2 : blocks == 2 ? 1 : 0;  // the block that is written instead
    const int lane = other == 2 ? 2 : 3;                       // the bit of the lane for which it is
    std::vector<Bits> columns{8, kStoredPiece};
    for (int bit = 0; bit < 3; ++bit) {
        const Bits row = Bits{1} << bit;
        columns.push_back((row * width) ^ (phase(box.width, row) * kStoredPiece));
    }
    columns[static_cast<size_t>(lane)] ^= other * 2 * kStoredPiece;
    for (Bits& column : columns) column /= static_cast<Bits>(size);
    const ThreadPart mine = thread_part(columns);
    const ValueId turned = other == 0 ? ValueId{} : parity(Bits{1} << lane);
    for (int64_t half = 0; half < 2; ++half) {
        for (int64_t block = 0; block < blocks; ++block) {
            Registers pair;
            for (int64_t i = 0; i < 2; ++i) {
                const auto at = [&](int64_t of) { return box.values[static_cast<size_t>(of * 4 + half * 2 + i)]; };
                const ValueId value = at(block);
                pair.push_back(other == 0 ? value
                                          : emit_.select(turned, at(block ^ static_cast<int64_t>(other)), value));
            }
            const auto offset = static_cast<Bits>(block * 2 * kStoredPiece / size);
            const ValueId row = emit_.integer(half * kBlockColumns * box.width / size);
            store_vector(emit_.pointer_add(box.place, emit_.add(plus(mine, offset), row)), pair);
        }
    }
}

// Matrices of eight rows of 16 bytes: of rows 0 to 7 and 8 to 15 of a block, then of the next one; lane l has the
// address of row l % 8 of matrix l / 8.
void ThreadTiles::write_matrices(const Box& box) {
    const int64_t blocks = box.width / kStoredPiece, at_once = std::min<int64_t>(blocks, 2);
    std::vector<Bits> columns;
    for (int bit = 0; bit < 4; ++bit) {
        const Bits row = Bits{1} << bit;
        columns.push_back((row * static_cast<Bits>(box.width)) ^ (phase(box.width, row) * kStoredPiece));
    }
    columns.push_back(at_once == 2 ? kStoredPiece : 0);
    for (Bits& column : columns) column /= 2;
    const ThreadPart mine = thread_part(columns);
    for (int64_t block = 0; block < blocks; block += at_once) {
        Registers words;
        for (int64_t i = 0; i < at_once * 4; ++i) words.push_back(box.values[static_cast<size_t>(block * 4 + i)]);
        const ValueId place = emit_.pointer_add(box.place, plus(mine, static_cast<Bits>(block * kStoredPiece / 2)));
        emit_.statement(OpKind::store_matrix, {place, vector(words)});
    }
}

// From here one lane of the warp goes on. `starts`: of the box, per axis of the tensor.
void ThreadTiles::send(const Box& box, ValueId tensor, const std::vector<ValueId>& starts) {
    emit_.statement(OpKind::proxy_fence, {});
    emit_.statement(OpKind::warp_barrier, {});
    std::vector<int64_t> extents(starts.size(), 1);
    extents.end()[-2] = kBoxRows;
    extents.end()[-1] = box.width * 8 / bits(emit_.element_type(box.place));
    Attrs attrs{{Attr::extents, extents}};
    if (box.width > kStoredPiece) attrs.set(Attr::width, box.width);
    std::vector<ValueId> operands{box.place, tensor};
    operands.insert(operands.end(), starts.begin(), starts.end());
    first_lane([&] { emit_.statement(OpKind::store_box, operands, attrs); });
}

void ThreadTiles::store_boxes(OpId id) {
    const TileViewOp op(code_.tile, id);
    const Layout& lies = layout(op.value());
    const Registers& values = code_.parts.at(op.value());
    const DType type = elem(op.memory());
    const int64_t size = bits(type) / 8, row_bytes = lies.shape[1] * size;
    const ValueId place = box_memory(type);
    std::vector<Bits> rows = thread_columns(lies.atom);
    for (size_t bit = 0; bit < rows.size(); ++bit)
        rows[bit] = bit < 5 ? 0 : static_cast<Bits>(lies.atom.part(rows[bit], axis(0)));
    const ValueId of_warp = thread_part(rows).value;
    // What is far outside stays there.
    std::vector<ValueId> begin;
    for (ValueId start : op.starts()) {
        const int64_t far = std::numeric_limits<int32_t>::max() - lies.shape[0] - lies.shape[1];
        const ValueId near =
            emit_.binary(OpKind::minimum, emit_.cast(code_.scalars.at(start), DType::index), emit_.integer(far));
        begin.push_back(emit_.binary(OpKind::maximum, near, emit_.integer(-far)));
    }
    int64_t number = 0;
    for (int64_t row = 0; row < lies.repeat[0]; ++row) {
        for (int64_t at = 0; at < row_bytes; ++number) {
            Box box{.width = panel_width(row_bytes - at)};
            const int64_t first = at / (kBlockColumns * size), blocks = box.width / (kBlockColumns * size);
            const auto begins = values.begin() + (row * lies.repeat[1] + first) * lies.atom_size();
            box.values.assign(begins, begins + blocks * lies.atom_size());
            box.place = emit_.pointer_add(place, emit_.integer(number % kBoxes * kBoxBytes / size));
            // The first one may follow any number of boxes of another store.
            boxes_read(number == 0 ? 0 : kBoxes - 1);
            emit_.statement(OpKind::warp_barrier, {});
            size == 4 ? write_words(box) : write_matrices(box);
            std::vector<ValueId> starts = begin;
            starts.end()[-2] =
                emit_.add(emit_.add(starts.end()[-2], of_warp), emit_.integer(row * lies.atom_extent(0)));
            starts.end()[-1] = emit_.add(starts.end()[-1], emit_.integer(at / size));
            for (ValueId& start : starts) start = emit_.cast(start, DType::i32);
            send(box, code_.memories.at(op.memory()).pointer, starts);
            at += box.width;
        }
    }
}

void ThreadTiles::end_boxes() {
    if (!box_places_.empty()) boxes_read(0);
}

}  // namespace tsr::ir
