// Operands of products out of shared memory by the instruction that brings four matrices of eight rows of 16 bytes at
// once (Target, `load_matrix`): an address for each lane, linear in the bits of the thread's number.
#include <bit>

#include "ir/passes/target/gpu/tiles/part.h"

namespace tsr::ir {

namespace {

constexpr int64_t kPieceBytes = 16;
constexpr int64_t kMatrixRows = 8;

// What each bit of the thread's number adds to the row of the buffer, and to the piece of 16 bytes in it.
struct Columns {
    std::vector<Bits> rows, pieces;
    bool along_inner;  // rows of the buffer run along the inner axis of the product

    void outer(int64_t by) {
        rows.push_back(along_inner ? static_cast<Bits>(by) : 0);
        pieces.push_back(along_inner ? 0 : static_cast<Bits>(by / kMatrixRows));
    }
    void second_half() {
        rows.push_back(along_inner ? 0 : Bits{kMatrixRows});
        pieces.push_back(along_inner ? 1 : 0);
    }
    void nothing() {
        rows.push_back(0);
        pieces.push_back(0);
    }
};

// The matrices of A are rows 0 to 7 and 8 to 15 of the first half of the inner extent, then of the second; of B both
// halves of one atom, then of the next one.
Columns columns_of(const ProductPlan& plan, Operand operand, bool along_inner, bool pairs) {
    Columns out{{1, 2, 4}, {0, 0, 0}, along_inner};
    if (operand == Operand::a) {
        out.outer(kMatrixRows);
        out.second_half();
    } else {
        out.second_half();
        pairs ? out.outer(int64_t{plan.product.columns} << plan.column_warps) : out.nothing();
    }
    for (int i = 0; i < plan.row_warps; ++i) {
        operand == Operand::a ? out.outer(int64_t{plan.product.rows} << i) : out.nothing();
    }
    for (int i = 0; i < plan.column_warps; ++i) {
        operand == Operand::b ? out.outer(int64_t{plan.product.columns} << i) : out.nothing();
    }
    return out;
}

}  // namespace

std::optional<ThreadTiles::Part> ThreadTiles::matrices(ValueId value, bool transposed, Operand operand,
                                                       const ProductPlan& plan, const Layout& lies) {
    if (is_tile(code_.tile, value) || elem(value) != plan.product.input) return std::nullopt;
    const Memory& memory = code_.memories.at(value);
    const int64_t bytes = bits(elem(value)) / 8, row = code_.tile.type(value).shape[1].constant_value().value_or(1);
    const bool along_inner = (operand == Operand::a) != transposed;
    if (bytes > 4 || (bytes != 2 && !along_inner) || row * bytes % kPieceBytes != 0) return std::nullopt;
    // What is beyond the inner extent would have to be zero.
    const size_t outer = operand == Operand::a ? 0 : 1;
    if (lies.extent(1 - outer) != lies.shape[1 - outer]) return std::nullopt;
    Part out;
    out.operand = operand;
    out.layout = lies;
    out.along_inner = along_inner;
    out.transposed = !along_inner;
    const Memory::Swizzle& swizzle = memory.swizzle;
    out.row = memory.pitch(row);
    out.piece = kPieceBytes / bytes;
    if (out.row != row) {
        out.panel = memory.elements / row * out.row;
        out.panel_bits = std::countr_zero(static_cast<uint64_t>(out.row / out.piece));
    }
    const size_t atoms = static_cast<size_t>(lies.repeat[outer]);
    for (bool pairs : {true, false}) {
        if (pairs ? atoms < 2 && operand == Operand::b : operand == Operand::a || atoms % 2 == 0) continue;
        Columns columns = columns_of(plan, operand, along_inner, pairs);
        std::vector<Bits> panels(columns.rows.size(), 0);
        for (size_t i = 0; i < columns.rows.size(); ++i) {
            if (out.panel != 0) {
                panels[i] = columns.pieces[i] >> out.panel_bits;
                columns.pieces[i] &= (Bits{1} << out.panel_bits) - 1;
            }
            if (swizzle.piece == 0) continue;
            columns.pieces[i] ^= columns.rows[i] >> swizzle.drop & static_cast<Bits>(swizzle.phases - 1);
        }
        Part::Place& place = pairs ? out.pair : out.single;
        const ValueId rows = emit_.mul(thread_part(columns.rows).value, emit_.integer(out.row));
        place.row = emit_.pointer_add(memory.pointer, rows);
        place.first_row = memory.pointer;
        place.rows = thread_part(columns.rows).value;
        place.piece = thread_part(columns.pieces);
        place.panel = thread_part(panels);
    }
    return out;
}

// The address of a piece of this thread's row. `begin`: where the row begins in the first panel.
ValueId ThreadTiles::piece_of(const Part& part, bool pairs, ValueId begin, Bits piece) {
    const Part::Place& place = pairs ? part.pair : part.single;
    if (part.panel == 0)
        return emit_.pointer_add(begin, emit_.mul(plus(place.piece, piece), emit_.integer(part.piece)));
    const Bits in_panel = piece & ((Bits{1} << part.panel_bits) - 1);
    const ValueId panels = emit_.mul(plus(place.panel, piece >> part.panel_bits), emit_.integer(part.panel));
    return emit_.pointer_add(emit_.pointer_add(begin, panels),
                             emit_.mul(plus(place.piece, in_panel), emit_.integer(part.piece)));
}

// Of atoms that lie beyond the tile in part: lanes there give the first row, or the first piece. What they bring is
// multiplied, and never seen.
ValueId ThreadTiles::row_inside(const Part& part, bool pairs, int64_t row, Bits piece) {
    const Part::Place& place = pairs ? part.pair : part.single;
    auto within_extent = [&](ValueId number, int64_t extent) {
        const ValueId in = emit_.compare(OpKind::lt, number, emit_.integer(extent));
        return emit_.select(in, number, emit_.integer(0));
    };
    ValueId rows = emit_.add(place.rows, emit_.integer(row));
    const int64_t outer_extent = part.layout.shape[part.operand == Operand::a ? 0 : 1];
    if (part.along_inner) {
        rows = within_extent(rows, outer_extent);
        const ValueId begin = emit_.pointer_add(place.first_row, emit_.mul(rows, emit_.integer(part.row)));
        return piece_of(part, pairs, begin, piece);
    }
    const ValueId begin = emit_.pointer_add(place.first_row, emit_.mul(rows, emit_.integer(part.row)));
    const Bits low = part.panel == 0 ? ~Bits{0} : (Bits{1} << part.panel_bits) - 1;
    ValueId pieces = plus(place.piece, piece & low);
    if (part.panel != 0) {
        const ValueId panels = plus(place.panel, piece >> part.panel_bits);
        pieces = emit_.add(pieces, emit_.mul(panels, emit_.integer(int64_t{1} << part.panel_bits)));
    }
    pieces = within_extent(pieces, outer_extent / part.piece);
    ValueId offset = emit_.mul(pieces, emit_.integer(part.piece));
    if (part.panel != 0) {
        const ValueId panels = emit_.binary(OpKind::shr, pieces, emit_.integer(part.panel_bits));
        offset = emit_.add(offset, emit_.mul(panels, emit_.integer(part.panel - part.row)));
    }
    return emit_.pointer_add(begin, offset);
}

// Of atom number `atom` along the outer axis (for B: and the next one) at step `k` of the inner one.
ThreadTiles::Registers ThreadTiles::load_matrices(Part& part, int64_t atom, int64_t k, bool pairs) {
    Part::Place& place = pairs || part.operand == Operand::a ? part.pair : part.single;
    const size_t outer = part.operand == Operand::a ? 0 : 1;
    const int64_t along_outer = atom * part.layout.atom_extent(outer);
    const int64_t along_inner = k * part.layout.atom_extent(1 - outer);
    const int64_t row = part.along_inner ? along_outer : along_inner;
    const auto piece = static_cast<Bits>((part.along_inner ? along_inner : along_outer) / part.piece);
    const int64_t end = along_outer + part.layout.atom_extent(outer) * (pairs ? 2 : 1);
    ValueId pointer;
    if (end > part.layout.shape[outer]) {
        pointer = row_inside(part, &place == &part.pair, row, piece);
    } else {
        ValueId& begin = place.known[piece];
        if (!begin.valid()) begin = piece_of(part, &place == &part.pair, place.row, piece);
        pointer = emit_.pointer_add(begin, emit_.integer(row * part.row));
    }
    const int64_t count = part.operand == Operand::a ? 1 : 2;
    const DType type = emit_.element_type(pointer);
    Attrs attrs{{Attr::count, count}};
    if (part.transposed) attrs.set_flag(Attr::transposed);
    const std::vector<Type> types(static_cast<size_t>(count),
                                  Type::vector(type, static_cast<uint32_t>(4 * 32 / bits(type) / count)));
    Registers loaded = emit_.many(OpKind::load_matrix, {pointer}, attrs);
    if (part.operand == Operand::b && !pairs) loaded.pop_back();
    return loaded;
}

}  // namespace tsr::ir
