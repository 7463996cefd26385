// Products of warp groups: four warps multiply 64 rows at once, and read their operands out of panels of shared memory
// by themselves (Target, `group_mma`).
#include <algorithm>

#include "ir/passes/target/gpu/tiles/groups.h"
#include "ir/passes/target/gpu/tiles/part.h"

namespace tsr::ir {

namespace {

constexpr int64_t kPhaseRows = 8;          // rows of a panel after which its swizzle begins anew
constexpr int64_t kMostUnpromoted = 128;   // of k: sums of narrow floats have fewer bits than f32 until they leave
constexpr int64_t kMostPromoted = 128;     // columns of a piece
constexpr int64_t kLeastColumns = 8;       // that an instruction multiplies
constexpr int64_t kColumnsOfRegister = 2;  // of 64 rows, spread over the threads of a group

// Part of a product: these parts of 64 rows, these columns, from `first` to `last` along k.
struct Piece {
    int64_t part, parts;
    int64_t column, columns;
    int64_t first, last;
    bool waits;
};

// What leaves the sums of narrow floats for those of f32, in an order in which each of the latter grows along k.
// Registers of a thread are those of its sums and of one piece.
std::vector<Piece> promoted_pieces(int64_t parts, int64_t columns, int64_t depth) {
    const int64_t pieces = (columns + kMostPromoted - 1) / kMostPromoted;
    const int64_t width = (columns / kLeastColumns + pieces - 1) / pieces * kLeastColumns;
    std::vector<Piece> out;
    for (int64_t first = 0; first < depth; first += kMostUnpromoted) {
        for (int64_t part = 0; part < parts; ++part) {
            for (int64_t column = 0; column < columns; column += width) {
                out.push_back({part, 1, column, std::min(width, columns - column), first,
                               std::min(first + kMostUnpromoted, depth), true});
            }
        }
    }
    return out;
}

}  // namespace

// An operand in panels of shared memory.
struct ThreadTiles::Panels {
    ValueId begin;        // the descriptor of its first element for this warp group
    int64_t panel = 0;    // bytes of a row of a panel
    int64_t rows = 0;     // of the buffer
    int64_t size = 0;     // bytes of an element
    bool turned = false;  // rows of the buffer run along the axis that is not summed over

    // From the first element to one, in bytes; `outer` a multiple of the elements of a panel's row, or of 8 rows.
    [[nodiscard]] int64_t offset(int64_t outer, int64_t inner) const {
        const int64_t row = turned ? inner : outer, along = (turned ? outer : inner) * size;
        return along / panel * rows * panel + row * panel + along % panel;
    }
};

ThreadTiles::Panels ThreadTiles::panels(ValueId buffer, bool turned, bool of_group, int warps) {
    const Memory& memory = code_.memories.at(buffer);
    Panels out;
    out.size = bits(elem(buffer)) / 8;
    out.panel = memory.swizzle.panel * out.size;
    out.rows = code_.tile.type(buffer).shape[0].constant_value().value_or(1);
    out.turned = turned;
    ValueId pointer = memory.pointer;
    if (of_group && warps > kGroupWarps) {
        const ValueId offset = emit_.mul(group_number(), emit_.integer(out.offset(kGroupRows, 0) / out.size));
        pointer = emit_.pointer_add(pointer, offset);
    }
    const std::vector<int64_t> strides{turned ? out.rows * out.panel : 0, kPhaseRows * out.panel};
    out.begin = emit_.op(OpKind::matrix_descriptor, {pointer}, {{Attr::width, out.panel}, {Attr::strides, strides}});
    return out;
}

ValueId ThreadTiles::described(const Panels& panels, int64_t outer, int64_t inner) {
    constexpr int64_t kUnit = 16;  // bytes
    return emit_.add(panels.begin, emit_.integer(panels.offset(outer, inner) / kUnit, DType::u64));
}

void ThreadTiles::group_product(OpId id) {
    const MmaOp op(code_.tile, id);
    const ValueId result = code_.tile.op(id).results[0];
    const ProductPlan& plan = layouts_.products.at(id);
    const Coordinates shape = extents(code_.tile.type(result));
    const Type& of_a = code_.tile.type(op.a());
    const int64_t depth = of_a.shape[op.a_transposed() ? 0 : 1].constant_value().value_or(1);
    const Layout c = Layout::covering(shape, operand_atom(plan, Operand::accumulator));
    const int warps = 1 << plan.row_warps;
    const bool from_memory = plan.group == GroupOperand::memory;
    const Panels b = panels(op.b(), !op.b_transposed(), false, warps);
    const Panels a = from_memory ? panels(op.a(), op.a_transposed(), true, warps) : Panels{};
    Part held = from_memory ? Part{} : part(op.a(), op.a_transposed(), Operand::a, plan, {shape[0], depth});
    const DType type = op.accumulates();
    const auto before = op.accumulator();
    Registers sums = before ? in(*before, c) : Registers{};
    const int64_t parts = c.repeat[0], inner = plan.product.inner;
    const auto multiply = [&](const Piece& piece, const Registers& onto) {
        Registers operands;
        for (int64_t k = piece.first; k < piece.last; k += inner) {
            for (int64_t part = piece.part; part < piece.part + piece.parts; ++part) {
                operands.push_back(from_memory ? described(a, part * kGroupRows * warps / kGroupWarps, k)
                                               : fragments(held, part, k / inner)[0]);
            }
            operands.push_back(described(b, piece.column, k));
        }
        operands.insert(operands.end(), onto.begin(), onto.end());
        Attrs attrs{
            {Attr::type, plan.product.input},
            {Attr::extents, std::vector<int64_t>{piece.parts * kGroupRows, piece.columns, piece.last - piece.first}}};
        if (a.turned) attrs.set_flag(Attr::a_transposed);
        if (!b.turned) attrs.set_flag(Attr::b_transposed);
        const std::vector<Type> types(static_cast<size_t>(piece.parts * piece.columns / kColumnsOfRegister),
                                      Type::scalar(type));
        if (op.turns(Turn::awaits)) await_turn();
        Registers made = emit_.many(OpKind::group_mma, operands, attrs);
        if (op.turns(Turn::passes)) pass_turn();
        // What is only started stays in the registers where it is summed.
        if (piece.waits) made = emit_.many(OpKind::group_wait, made, {{Attr::count, int64_t{0}}});
        return made;
    };
    if (is_storage_only(plan.product.input) && is_float(plan.product.input)) {
        for (const Piece& piece : promoted_pieces(parts, shape[1], depth)) {
            const Registers made = multiply(piece, {});
            const auto at = static_cast<size_t>((piece.part * shape[1] + piece.column) / kColumnsOfRegister);
            sums.resize(std::max(sums.size(), at + made.size()));
            for (size_t i = 0; i < made.size(); ++i) {
                ValueId& sum = sums[at + i];
                sum = sum.valid() ? emit_.binary(OpKind::add, sum, made[i]) : made[i];
            }
        }
    } else {
        const bool waits = !op.pending() || layout(result) != c;
        sums = multiply({0, parts, 0, shape[1], 0, depth, waits}, sums);
    }
    code_.parts[result] = convert(sums, c, layout(result), type);
}

void ThreadTiles::await_turn() {
    emit_.statement(OpKind::await_turn, {emit_.cast(group_number(), DType::i32)},
                    {{Attr::count, code_.plan.gpu().threads}});
}

void ThreadTiles::pass_turn() {
    const ValueId other = emit_.binary(OpKind::sub, emit_.integer(1), group_number());
    emit_.statement(OpKind::pass_turn, {emit_.cast(other, DType::i32)}, {{Attr::count, code_.plan.gpu().threads}});
}

void ThreadTiles::begin_turns() {
    code_.when(emit_.compare(OpKind::eq, group_number(), emit_.integer(1)), [&] { pass_turn(); });
}

void ThreadTiles::end_turns() {
    code_.when(emit_.compare(OpKind::eq, group_number(), emit_.integer(0)), [&] { await_turn(); });
}

void ThreadTiles::wait_for_sums(const Op& op) {
    for (size_t i = 0; i < op.results.size(); ++i) {
        const Registers sums = in(op.operands[i], layout(op.results[i]));
        const std::vector<Type> types(sums.size(), Type::scalar(elem(op.results[i])));
        code_.parts[op.results[i]] =
            emit_.many(OpKind::group_wait, sums, {{Attr::count, op.attrs.integer(Attr::count)}});
    }
}

}  // namespace tsr::ir
