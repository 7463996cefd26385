// Products that no warp has: operands lie in shared memory, each thread adds up its elements, one inner position after
// the other.
#include <algorithm>
#include <bit>

#include "ir/passes/target/cpu/tiles/uses.h"
#include "ir/passes/target/gpu/tiles/code.h"

namespace tsr::ir {

// An operand in shared memory: its address, the distances between rows and columns, and a power of two of elements that
// rows begin at multiples of.
struct ThreadTiles::Factor {
    ValueId pointer;
    int64_t row = 0, column = 0;
    int64_t aligned = 1;
};

// The elements of a tile of two axes in rows that begin at multiples of 16 bytes, not of all banks.
void ThreadTiles::store_rows(const Registers& values, const Layout& lies, ValueId pointer, int64_t row) {
    const DType type = emit_.element_type(pointer);
    const int widest = std::countr_zero(static_cast<unsigned>(16 / std::max(1, bits(type) / 8)));
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

// `at`: elements of the tiles' memory before it; counted on.
ThreadTiles::Factor ThreadTiles::factor(ValueId value, bool transposed, int64_t& at) {
    const DType type = elem(value);
    if (!is_tile(code_.tile, value)) {
        const int64_t row = code_.tile.type(value).shape[1].constant_value().value_or(1);
        const Memory& buffer = code_.memories.at(value);
        const int64_t aligned = (row | buffer.elements) & -(row | buffer.elements);
        return transposed ? Factor{buffer.pointer, 1, row, 1} : Factor{buffer.pointer, row, 1, aligned};
    }
    const Layout& lies = layout(value);
    const int64_t access = 16 / std::max(1, bits(type) / 8);
    const int64_t row = (lies.extent(1) + access - 1) / access * access + access;
    const int64_t begin = (at + 15) / 16 * 16;
    at = begin + lies.extent(0) * row * std::max(1, bits(type) / 8);
    const ValueId pointer = emit_.pointer_add(memory(type, at / std::max(1, bits(type) / 8)),
                                              emit_.integer(begin / std::max(1, bits(type) / 8)));
    store_rows(code_.parts.at(value), lies, pointer, row);
    return transposed ? Factor{pointer, 1, row, 1} : Factor{pointer, row, 1, access};
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
            // What is beyond the tile is computed and never seen: of something that is there.
            const Beyond beyond = beyond_end(lies, 0, first + access[0]);
            ValueId along = beyond.always ? emit_.integer(0) : coordinate(lies, 0, first + access[0]);
            if (beyond.inside.valid()) along = emit_.select(beyond.inside, along, emit_.integer(0));
            const ValueId at = emit_.mul(along, emit_.integer(step));
            const Registers taken = load_vector(emit_.pointer_add(begin, at), accesses.width());
            for (size_t i = 0; i < taken.size(); ++i) {
                out[static_cast<size_t>(first + access[i])] = emit_.cast(taken[i], type);
            }
        }
    }
    return out;
}

void ThreadTiles::thread_product(OpId id) {
    const MmaOp op(code_.tile, id);
    const ValueId result = code_.tile.op(id).results[0];
    const Layout& lies = layout(result);
    const DType type = op.accumulates();
    const int64_t depth = code_.tile.type(op.a()).shape[op.a_transposed() ? 0 : 1].constant_value().value_or(1);
    const auto given = op.accumulator();
    const Registers start = given ? in(*given, lies) : Registers(static_cast<size_t>(lies.size()), zero(type));
    int64_t used = 0;
    before_write();
    const Factor a = factor(op.a(), op.a_transposed(), used), b = factor(op.b(), op.b_transposed(), used);
    if (used > 0) barrier();
    const Layout rows = lies.without_axis(1), columns = lies.without_axis(0);
    const std::vector<int64_t> row_of = lies.registers_without(1), column_of = lies.registers_without(0);
    const RegionId outside = emit_.region;
    std::vector<ValueId> operands{emit_.integer(0), emit_.integer(depth), emit_.integer(1)};
    operands.insert(operands.end(), start.begin(), start.end());
    const OpId loop = emit_.open(OpKind::for_, operands);
    emit_.region = emit_.add_region(loop);
    const ValueId k = code_.target.add_arg(emit_.region, Type::scalar(DType::index));
    Registers sums;
    for (size_t r = 0; r < start.size(); ++r) sums.push_back(code_.target.add_arg(emit_.region, Type::scalar(type)));
    auto position = [&](const Factor& f, int64_t step) {
        return emit_.pointer_add(f.pointer, emit_.mul(k, emit_.integer(step)));
    };
    // Of a transposed first operand the rows follow each other.
    const Registers of_rows = factor_values(rows, position(a, a.column), a.row, a.aligned, type);
    const Registers of_columns = factor_values(columns, position(b, b.row), b.column, b.aligned, type);
    for (size_t r = 0; r < sums.size(); ++r) {
        const ValueId x = of_rows[static_cast<size_t>(row_of[r])], y = of_columns[static_cast<size_t>(column_of[r])];
        sums[r] = is_float(type) ? emit_.op(OpKind::fma, {x, y, sums[r]})
                                 : emit_.binary(OpKind::add, sums[r], emit_.binary(OpKind::mul, x, y));
    }
    emit_.yield(sums);
    emit_.close(loop, outside);
    if (used > 0) others_read_ = true;
    code_.parts[result] = code_.target.op(loop).results;
}

}  // namespace tsr::ir
