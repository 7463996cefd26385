// Elements of shared buffers as the threads of a product want them.
#include <algorithm>
#include <bit>

#include "ir/passes/target/gpu/tiles/part.h"
#include "ir/passes/target/gpu/tiles/view.h"

namespace tsr::ir {

namespace {

// Of an element, from the beginning of its panel: linear in the bits of both where rows are a power of two long.
Bits place_in_panel(const Memory::Swizzle& swizzle, int64_t pitch, Bits row, Bits column) {
    const Bits phase = row >> swizzle.drop & static_cast<Bits>(swizzle.phases - 1);
    return row * static_cast<Bits>(pitch) ^ column ^ phase * static_cast<Bits>(swizzle.piece);
}

}  // namespace

ThreadTiles::Registers ThreadTiles::load_buffer(ValueId buffer, const Layout& lies) {
    const Memory& memory = code_.memories.at(buffer);
    if (memory.swizzle.piece != 0) {
        Registers out;
        for (int64_t atom = 0; atom < lies.atoms(); ++atom) {
            const Registers loaded = load_swizzled(memory, elem(buffer), lies, atom);
            out.insert(out.end(), loaded.begin(), loaded.end());
        }
        return out;
    }
    const std::vector<ValueId> starts(2, emit_.integer(0));
    return load_view(view(code_.memories.at(buffer), elem(buffer), {0, 1}, starts, lies), emit_.zero(elem(buffer)));
}

// The pointer to a register's element. What the thread's number and the register's exchange in one place is the same
// for most registers: those are a constant apart.
ValueId ThreadTiles::swizzled_pointer(const Memory& memory, const Layout& lies, int64_t reg) {
    const int64_t rows = emit_.integer_value(memory.dims[0]).value_or(1);
    const int64_t pitch = memory.pitch(emit_.integer_value(memory.dims[1]).value_or(1));
    std::vector<Bits> columns = thread_columns(lies.atom);
    bool in_panel = std::has_single_bit(static_cast<uint64_t>(pitch));
    for (Bits& column : columns) {
        const auto along = static_cast<Bits>(lies.atom.part(column, axis(1)));
        in_panel &= along < static_cast<Bits>(pitch);
        column = place_in_panel(memory.swizzle, pitch, static_cast<Bits>(lies.atom.part(column, axis(0))), along);
    }
    if (!in_panel) return code_.address(memory, {coordinate(lies, 0, reg), coordinate(lies, 1, reg)});
    const Coordinates at = lies.at(reg);
    const ThreadPart mine = thread_part(columns);
    const Bits place =
        place_in_panel(memory.swizzle, pitch, static_cast<Bits>(at[0]), static_cast<Bits>(at[1] % pitch));
    const ValueId exchanged = emit_.pointer_add(memory.pointer, plus(mine, place & mine.bits));
    return emit_.pointer_add(exchanged,
                             emit_.integer(static_cast<int64_t>(place & ~mine.bits) + at[1] / pitch * rows * pitch));
}

// Of one atom. Accesses stay in the pieces that change places.
ThreadTiles::Registers ThreadTiles::load_swizzled(const Memory& memory, DType type, const Layout& lies, int64_t atom) {
    const int widest =
        std::min(std::countr_zero(static_cast<uint64_t>(memory.swizzle.piece)),
                 std::min(lies.atom.out_bits(axis(1)), std::countr_zero(static_cast<uint64_t>(lies.shape[1]))));
    const VectorAccess accesses = vector_access(row_offsets(lies.atom), widest);
    const ValueId nothing = emit_.zero(type);
    Registers out(static_cast<size_t>(lies.atom_size()), nothing);
    for (const std::vector<int64_t>& registers : accesses.registers) {
        const int64_t first = registers[0] + atom * lies.atom_size();
        const Beyond beyond = beyond_end(lies, first);
        if (beyond.always) continue;
        auto take = [&] { return load_vector(swizzled_pointer(memory, lies, first), accesses.width()); };
        auto none = [&] { return Registers(registers.size(), nothing); };
        const std::vector<Type> types(registers.size(), Type::scalar(type));
        const Registers taken = beyond.inside.valid() ? choose(beyond.inside, types, take, none) : take();
        for (size_t i = 0; i < registers.size(); ++i) out[static_cast<size_t>(registers[i])] = taken[i];
    }
    return out;
}

// What lies in a buffer in other than matrices of 16 bytes is read where a step multiplies it.
bool ThreadTiles::reads_by_steps(ValueId value, Operand operand, const Layout& lies) const {
    if (is_tile(code_.tile, value)) return false;
    const size_t inner = operand == Operand::a ? 1 : 0;
    return code_.memories.at(value).swizzle.piece != 0 && lies.extent(inner) == lies.shape[inner];
}

ThreadTiles::Registers ThreadTiles::load_fragment(const Part& part, int64_t row, int64_t column) {
    const Layout& wanted = part.layout;
    const int64_t size = wanted.atom_size(), first = (row * wanted.repeat[1] + column) * size;
    const std::vector<size_t> turn{1, 0};
    const Layout lies = part.turned ? wanted.permuted(turn) : wanted;
    std::vector<int64_t> from;
    if (part.turned) from = lies.registers_permuted(turn);
    const auto of = [&](int64_t r) { return part.turned ? from[static_cast<size_t>(r)] : r; };
    const Registers loaded = load_swizzled(code_.memories.at(part.buffer), elem(part.buffer), lies, of(first) / size);
    Registers out;
    for (int64_t r = first; r < first + size; ++r) out.push_back(loaded[static_cast<size_t>(of(r) % size)]);
    return out;
}

}  // namespace tsr::ir
