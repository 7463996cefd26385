// Products that no warp has: operands lie in shared memory, each thread adds up its elements, one inner position after
// the other.
#include <algorithm>
#include <bit>
#include <vector>

#include "ir/passes/target/cpu/tiles/uses.h"
#include "ir/passes/target/gpu/tiles/code.h"
#include "ir/passes/target/gpu/tiles/registers.h"

namespace tsr::ir {

// An operand in shared memory: its address, the distances between rows and columns, and a power of two of elements that
// rows begin at multiples of.
struct ThreadTiles::Factor {
    ValueId pointer;
    int64_t row = 0, column = 0;
    int64_t aligned = 1;
};

// The elements of a tile of two axes in rows that begin at multiples of 16 bytes or less, not of all banks.
void ThreadTiles::store_rows(const Registers& values, const Layout& lies, ValueId pointer, int64_t row) {
    const DType type = emit_.element_type(pointer);
    const int64_t most = std::min<int64_t>(16 / std::max(1, bits(type) / 8), row & -row);
    const int widest = std::countr_zero(static_cast<uint64_t>(most));
    const VectorAccess accesses = vector_access(row_offsets(lies.atom), std::min(widest, lies.atom.out_bits(axis(1))));
    when(writers(lies.atom), [&] {
        for (int64_t atom = 0; atom < lies.atoms(); ++atom) {
            for (const auto& access : accesses.registers) {
                Registers parts;
                for (int64_t r : access) parts.push_back(values[static_cast<size_t>(atom * lies.atom_size() + r)]);
                const int64_t first = atom * lies.atom_size() + access[0];
                const ValueId at =
                    emit_.add(emit_.mul(coordinate(lies, 0, first), emit_.integer(row)), coordinate(lies, 1, first));
                store_vector(emit_.pointer_add(pointer, at), parts);
            }
        }
    });
}

// `at`: elements of the tiles' memory before it; counted on. `together`: so many of a row are read at once, and rows
// begin at multiples of that: not more of them are to become one access, and wait in registers.
ThreadTiles::Factor ThreadTiles::factor(ValueId value, bool transposed, int64_t together, int64_t& at) {
    const DType type = elem(value);
    if (!is_tile(code_.tile, value)) {
        const int64_t row = code_.tile.type(value).shape[1].constant_value().value_or(1);
        const Memory& buffer = code_.memories.at(value);
        const int64_t aligned = (row | buffer.elements) & -(row | buffer.elements);
        return transposed ? Factor{buffer.pointer, 1, row, aligned} : Factor{buffer.pointer, row, 1, aligned};
    }
    const Layout& lies = layout(value);
    const int64_t whole = 16 / std::max(1, bits(type) / 8), access = together > 1 ? std::min(together, whole) : whole;
    const int64_t row = (lies.extent(1) + access - 1) / access * access + access;
    const int64_t begin = (at + 15) / 16 * 16;
    at = begin + lies.extent(0) * row * std::max(1, bits(type) / 8);
    const ValueId pointer = emit_.pointer_add(memory(type, at / std::max(1, bits(type) / 8)),
                                              emit_.integer(begin / std::max(1, bits(type) / 8)));
    store_rows(code_.parts.at(value), lies, pointer, row);
    return transposed ? Factor{pointer, 1, row, access} : Factor{pointer, row, 1, access};
}

// Where the row or column of a register lies. What is beyond the tile is computed and never seen: of something that is
// there.
ValueId ThreadTiles::factor_place(const Layout& lies, int64_t number) {
    const Beyond beyond = beyond_end(lies, 0, number);
    const ValueId along = beyond.always ? emit_.integer(0) : coordinate(lies, 0, number);
    return beyond.inside.valid() ? emit_.select(beyond.inside, along, emit_.integer(0)) : along;
}

// The values of one inner position: of the rows or columns that the registers of `lies` stand for.
ThreadTiles::Registers ThreadTiles::factor_values(const Layout& lies, ValueId begin, int64_t step, int64_t aligned,
                                                  DType type) {
    const LinearMap offsets = row_offsets(lies.atom);
    const DType held = emit_.element_type(begin);
    const int64_t most = step == 1 ? std::min<int64_t>(aligned, 16 / std::max(1, bits(held) / 8)) : 1;
    const int widest = std::countr_zero(static_cast<uint64_t>(most));
    const VectorAccess accesses = vector_access(offsets, std::min(widest, lies.atom.out_bits(axis(0))));
    Registers out(static_cast<size_t>(lies.size()));
    for (int64_t atom = 0; atom < lies.atoms(); ++atom) {
        for (const auto& access : accesses.registers) {
            const int64_t first = atom * lies.atom_size();
            const ValueId at = emit_.mul(factor_place(lies, first + access[0]), emit_.integer(step));
            const Registers taken = load_vector(emit_.pointer_add(begin, at), accesses.width());
            for (size_t i = 0; i < taken.size(); ++i) {
                out[static_cast<size_t>(first + access[i])] = emit_.cast(taken[i], type);
            }
        }
    }
    return out;
}

// The same of `many` inner positions from `k` on that lie side by side, by one access for each row or column.
std::vector<ThreadTiles::Registers> ThreadTiles::factor_values_along(const Layout& lies, const Factor& factor,
                                                                     ValueId k, int64_t step, int64_t many,
                                                                     DType type) {
    const ValueId begin = emit_.pointer_add(factor.pointer, k);
    std::vector<Registers> out(static_cast<size_t>(many), Registers(static_cast<size_t>(lies.size())));
    for (int64_t r = 0; r < lies.size(); ++r) {
        const ValueId at = emit_.mul(factor_place(lies, r), emit_.integer(step));
        const Registers taken = load_vector(emit_.pointer_add(begin, at), many);
        for (size_t i = 0; i < taken.size(); ++i) out[i][static_cast<size_t>(r)] = emit_.cast(taken[i], type);
    }
    return out;
}

namespace {

constexpr int64_t kRegisters = 100;      // for sums and factors: blocks of 256 threads then have room beside each other
constexpr int64_t kRoundProducts = 512;  // of a thread, that are written out
// The same where other tiles are in registers: ptxas starts the loads of all products that are written out together.
constexpr int64_t kFewRoundProducts = 64;
constexpr int64_t kOtherTiles = 24;

// How many inner positions are added up in one round: not more than an access holds, and so that their factors have
// room in registers beside the sums and other tiles. Of `along` factors all positions are read at once.
int64_t positions_together(int64_t depth, int64_t most, int64_t sums, int64_t along, int64_t others) {
    while (most > 1 && (depth % most != 0 || sums + along * most + others > kRegisters)) most /= 2;
    return most;
}

}  // namespace

void ThreadTiles::thread_product(OpId id) {
    const MmaOp op(code_.tile, id);
    const ValueId result = code_.tile.op(id).results[0];
    const Layout& lies = layout(result);
    const DType type = op.accumulates();
    const int64_t depth = code_.tile.type(op.a()).shape[op.a_transposed() ? 0 : 1].constant_value().value_or(1);
    const auto given = op.accumulator();
    const Registers start = given ? in(*given, lies) : Registers(static_cast<size_t>(lies.size()), emit_.zero(type));
    int64_t used = 0;
    before_write();
    const Layout rows = lies.without_axis(1), columns = lies.without_axis(0);
    const std::vector<int64_t> row_of = lies.registers_without(1), column_of = lies.registers_without(0);
    const RegionId outside = emit_.region;
    const int64_t beside = (op.a_transposed() ? 0 : rows.size()) + (op.b_transposed() ? columns.size() : 0);
    const int64_t others = rows.size() + columns.size() - beside;
    const int64_t bytes = std::max<int64_t>(bits(type) / 8, 4), most = 16 / bytes, words = bytes / 4;
    const int64_t kept = lies.size() * words;
    const int64_t tiles = std::max<int64_t>(crowded_registers(code_.tile, code_.plan.gpu().threads) - 2 * kept, 0);
    const int64_t many = positions_together(depth, most, kept + tiles, beside * words, others * words);
    const Factor a = factor(op.a(), op.a_transposed(), op.a_transposed() ? 1 : many, used);
    const Factor b = factor(op.b(), op.b_transposed(), op.b_transposed() ? many : 1, used);
    if (used > 0) barrier();
    std::vector<ValueId> operands{emit_.integer(0), emit_.integer(depth), emit_.integer(many)};
    operands.insert(operands.end(), start.begin(), start.end());
    const int64_t together = std::clamp<int64_t>(
        (tiles > kOtherTiles ? kFewRoundProducts : kRoundProducts) / (lies.size() * many), 1, depth / many);
    const OpId loop = emit_.open(OpKind::for_, operands, {{Attr::unroll, together}});
    emit_.region = emit_.add_region(loop);
    const ValueId k = code_.target.add_arg(emit_.region, Type::scalar(DType::index));
    Registers sums;
    for (size_t r = 0; r < start.size(); ++r) sums.push_back(code_.target.add_arg(emit_.region, Type::scalar(type)));
    // Of a transposed first operand the rows follow each other. What is not read along the inner positions is read
    // where it is multiplied, to wait in no register.
    const auto along = [&](const Layout& lies, const Factor& f, int64_t inner, int64_t step) {
        const bool beside = many > 1 && inner == 1 && f.aligned % many == 0;
        return beside ? factor_values_along(lies, f, k, step, many, type) : std::vector<Registers>{};
    };
    const auto position = [&](const Layout& lies, const Factor& f, int64_t inner, int64_t step, int64_t number) {
        const ValueId begin = emit_.pointer_add(f.pointer, emit_.mul(k, emit_.integer(inner)));
        const ValueId at = number == 0 ? begin : emit_.pointer_add(begin, emit_.integer(number * inner));
        return factor_values(lies, at, step, f.aligned, type);
    };
    const auto all_rows = along(rows, a, a.column, a.row), all_columns = along(columns, b, b.row, b.column);
    for (int64_t i = 0; i < many; ++i) {
        const auto number = static_cast<size_t>(i);
        const Registers of_rows = all_rows.empty() ? position(rows, a, a.column, a.row, i) : all_rows[number];
        const Registers of_columns =
            all_columns.empty() ? position(columns, b, b.row, b.column, i) : all_columns[number];
        for (size_t r = 0; r < sums.size(); ++r) {
            const ValueId x = of_rows[static_cast<size_t>(row_of[r])],
                          y = of_columns[static_cast<size_t>(column_of[r])];
            sums[r] = is_float(type) ? emit_.op(OpKind::fma, {x, y, sums[r]})
                                     : emit_.binary(OpKind::add, sums[r], emit_.binary(OpKind::mul, x, y));
        }
    }
    emit_.yield(sums);
    emit_.close(loop, outside);
    if (used > 0) others_read_ = true;
    code_.parts[result] = code_.target.op(loop).results;
}

}  // namespace tsr::ir
