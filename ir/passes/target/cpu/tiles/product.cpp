// Products of register tiles in their homes, by panels of the accumulator that stay in vector registers (Goto and van
// de Geijn, Anatomy of High-Performance Matrix Multiplication, ACM TOMS 34(3), 2008).
#include "ir/passes/target/cpu/tiles/product.h"

#include <algorithm>

#include "ir/machine/cpu.h"
#include "ir/ops/control.h"
#include "ir/passes/target/cpu/tiles/wanted.h"

namespace tsr::ir {

void ProductCode::add(const MmaOp& op, const Operands& at) {
    if (by_matrix_unit(op, s_.plan)) return by_matrix(op, at);
    const Type& result = s_.tile.type(op.result());
    const Panel best = panel_of(result, s_.plan);
    const Factors f = op.op().kind == OpKind::mma_words ? word_factors(op, at) : factors(op, at);
    column_panels(f, best, wanted(op.result()), extents(result)[1]);
}

void ProductCode::sum(const MmaOp& op, const Home& c, const SumUp& sum_up) {
    const Type& result = s_.tile.type(op.result());
    Factors f = factors(op, {{}, {}, c, true, {}, {}});
    f.sum_up = &sum_up;
    column_panels(f, panel_of(result, s_.plan), wanted(op.result()), extents(result)[1]);
}

void ProductCode::add_rows(const MmaOp& op, const Panel& at, ValueId row, const Home& a, const Rows& b,
                           std::vector<ValueId>& sums) {
    const DType elem = s_.tile.type(op.result()).elem;
    const Factors f = factors(op, {a, {}, {}, true, {}, {}});
    const ValueId a_row = emit_.pointer_add(a.pointer, emit_.mul(row, emit_.integer(a.strides[0])));
    auto steps = [&](ValueId from, ValueId to, int64_t step) {
        emit_.carrying_loop(from, to, step, sums, [&](ValueId k) {
            for (int64_t i = 0; i < step; ++i) {
                const ValueId depth = emit_.add(k, emit_.integer(i));
                const ValueId b_row = emit_.pointer_add(b.first, emit_.mul(depth, b.distance));
                std::vector<ValueId> vectors;
                // The vectors of the next panel: rows that lie far apart are not foreseen by processors.
                if (b.masks.empty() && step == kUnroll)
                    emit_.statement(OpKind::prefetch, {b_row, emit_.integer(at.columns())});
                for (int64_t v = 0; v < at.vectors; ++v) {
                    const ValueId pointer = emit_.pointer_add(b_row, emit_.integer(v * at.elements));
                    const ValueId mask = b.masks.empty() ? ValueId{} : b.masks[static_cast<size_t>(v)];
                    vectors.push_back(emit_.cast(emit_.load(pointer, at.elements, mask), elem));
                }
                multiply_row(f, at, emit_.pointer_add(a_row, emit_.mul(depth, emit_.integer(a.strides[1]))), vectors,
                             sums);
            }
        });
    };
    const ValueId end = emit_.binary(OpKind::minimum, depth_left(op), emit_.integer(f.depth));
    const ValueId unrolled = emit_.integer(kUnroll);
    const ValueId whole = emit_.mul(emit_.op(OpKind::floordiv, {end, unrolled}), unrolled);
    steps(emit_.integer(0), whole, kUnroll);
    steps(whole, end, 1);
}

bool ProductCode::fills_vectors(const MmaOp& product) const {
    const Type& result = s_.tile.type(product.result());
    const bool matrix = by_matrix_unit(product, s_.plan);
    return extents(result)[1] % (matrix ? kMatrixColumns : panel_of(result, s_.plan).elements) == 0;
}

// What is left of a ragged tile behind whole panels takes half a panel where that is enough.
void ProductCode::column_panels(const Factors& f, const Panel& best, const Wanted& some, int64_t columns) {
    auto rows_of = [&](ValueId column, int64_t vectors) {
        Panel at = best;
        at.vectors = vectors;
        row_panels(f, at, some.rows, column);
    };
    const int64_t whole = best.columns();
    const int64_t half = best.vectors / 2 * best.elements;
    if (!some.columns.valid() || half == 0 || columns % whole != 0)
        return panels(columns, whole, some.columns,
                      [&](ValueId column, int64_t count) { rows_of(column, ceil_div(count, best.elements)); });
    const ValueId ends = emit_.add(some.columns, emit_.integer(whole - half - 1));
    const ValueId count = emit_.op(OpKind::floordiv, {ends, emit_.integer(whole)});
    const ValueId middle = emit_.mul(count, emit_.integer(whole));
    s_.counted_loop(emit_.integer(0), middle, whole, [&](ValueId column) { rows_of(column, best.vectors); });
    s_.counted_loop(middle, some.columns, half, [&](ValueId column) { rows_of(column, best.vectors / 2); });
}

// Of the depth, what is left of the loop around the product; invalid: the loop does not say.
ValueId ProductCode::depth_left(const MmaOp& product) {
    if (product.attrs().integer(Attr::masked, 0) == 0) return {};
    const Region& body = s_.tile.region(product.op().parent);
    const auto end = s_.scalars.find(ForOp(s_.tile, body.parent).upper());
    const auto at = s_.scalars.find(body.args[0]);
    if (end == s_.scalars.end() || at == s_.scalars.end()) return {};
    return emit_.binary(OpKind::sub, emit_.cast(end->second, DType::index), emit_.cast(at->second, DType::index));
}

// To the next multiple; `most` is one.
ValueId ProductCode::rounded_up(ValueId count, int64_t to, int64_t most) {
    if (most % to != 0) return {};
    const Type index = Type::scalar(DType::index);
    const ValueId parts = emit_.op(OpKind::floordiv, {emit_.add(count, emit_.integer(to - 1)), emit_.integer(to)});
    return emit_.binary(OpKind::minimum, emit_.mul(parts, emit_.integer(to)), emit_.integer(most));
}

ProductCode::Factors ProductCode::factors(const MmaOp& op, const Operands& at) {
    const Type& result = s_.tile.type(op.result());
    const Panel best = panel_of(result, s_.plan);
    const int64_t depth = extents(s_.tile.type(op.b()))[0];
    return {.a = at.a,
            .b = at.b,
            .c = at.c,
            .a_transposed = op.a_transposed(),
            .from_zero = at.from_zero,
            .first = at.first,
            .stored = at.stored,
            .type = Type::vector(result.elem, static_cast<uint32_t>(best.elements)),
            .depth = depth,
            .rows = extents(result)[0],
            .panel_rows = best.rows,
            .packed = {},
            .flipped = false,
            .depth_end = depth_read(op)};
}

ValueId ProductCode::depth_read(const MmaOp& product) {
    if (product.op().kind != OpKind::mma) return {};
    const ValueId left = depth_left(product);
    return left.valid() ? rounded_up(left, kUnroll, extents(s_.tile.type(product.b()))[0]) : left;
}

// What stands outside of the memory that a product is stored to is not computed: at ragged edges that is most of it.
ProductCode::Wanted ProductCode::wanted(ValueId product) {
    const auto shape = extents(s_.tile.type(product));
    const std::vector<OpId> stores = stores_of(s_.tile, uses_, product);
    if (stores.empty()) return {};
    return {inside_of(stores, 0, shape[0]), inside_of(stores, 1, shape[1])};
}

// Positions along an axis of a tile that lie before the end of the memory of one of the stores.
ValueId ProductCode::inside_of(const std::vector<OpId>& stores, size_t axis, int64_t extent) {
    ValueId most;
    for (OpId id : stores) {
        const TileViewOp view(s_.tile, id);
        const auto along = static_cast<size_t>(view.axes()[axis]);
        const auto start = s_.scalars.find(view.starts()[along]);
        if (start == s_.scalars.end()) return {};  // it is not known yet
        const ValueId inside = emit_.binary(OpKind::sub, s_.memories.at(view.memory()).extent(along),
                                            emit_.cast(start->second, DType::index));
        most = most.valid() ? emit_.binary(OpKind::maximum, most, inside) : inside;
    }
    most = emit_.binary(OpKind::minimum, most, emit_.integer(extent));
    return emit_.binary(OpKind::maximum, most, emit_.integer(0));
}

// By the matrix unit (runtime/device/cpu/matrix.cpp).
void ProductCode::by_matrix(const MmaOp& op, const Operands& at) {
    const DType a = s_.tile.type(op.a()).elem;
    const std::string b(name(op.packed()));
    const auto shape = extents(s_.tile.type(op.result()));
    const int64_t depth = extents(s_.tile.type(op.a()))[1];
    const int64_t a_row = at.a.strides[0] * bits(a) / 8;
    const Wanted some = wanted(op.result());
    auto known = [&](ValueId end, int64_t extent) { return end.valid() ? end : emit_.integer(extent); };
    const int64_t bytes = depth * bits(a) / 8;
    const ValueId left = depth_left(op);
    const ValueId end =
        left.valid() ? rounded_up(emit_.mul(left, emit_.integer(bits(a) / 8)), kMatrixRowBytes, bytes) : ValueId{};
    const ValueId no = emit_.integer(0);
    auto number = [&](ValueId condition) { return emit_.select(condition, emit_.integer(1), no); };
    const bool stored = at.stored.when.valid();
    const std::vector<ValueId> operands{at.a.pointer,
                                        at.b.pointer,
                                        at.c.pointer,
                                        emit_.integer(a_row),
                                        emit_.integer(at.b.panel_stride * 4),
                                        emit_.integer(at.c.strides[0] * 4),
                                        known(some.rows, shape[0]),
                                        known(some.columns, shape[1]),
                                        known(end, bytes),
                                        at.first.valid() ? number(at.first) : emit_.integer(at.from_zero ? 1 : 0),
                                        stored ? at.stored.pointer : at.c.pointer,
                                        stored ? emit_.mul(at.stored.row, emit_.integer(4)) : no,
                                        stored ? number(at.stored.when) : no};
    const std::string callee = a == DType::bf16 ? "tsr_product_bf16" : "tsr_product_" + std::string(name(a)) + "_" + b;
    emit_.statement(OpKind::runtime, operands, {{Attr::callee, callee}});
}

void ProductCode::row_panels(const Factors& f, const Panel& at, ValueId rows, ValueId column) {
    const std::vector<ValueId> too_much = f.flipped ? excess(f, at, column) : std::vector<ValueId>{};
    panels(f.rows, at.rows, rows, [&](ValueId row, int64_t count) {
        Panel of_rows = at;
        of_rows.rows = count;
        panel(f, of_rows, row, column, too_much);
    });
}

// Panels of b are as wide as those of the accumulator.
ValueId ProductCode::panel_of_b(const Factors& f, ValueId column) {
    const ValueId before = f.b.panel == 0 ? column : emit_.mul(column, emit_.integer(f.b.panel_stride / f.b.panel));
    return emit_.pointer_add(f.b.pointer, before);
}

// What the sums of a panel of the accumulator begin with: its elements or zeros, less what flipped bits add.
std::vector<ValueId> ProductCode::first_sums(const Factors& f, const Panel& at, ValueId c,
                                             const std::vector<ValueId>& excess) {
    const auto count = static_cast<size_t>(at.rows * at.vectors);
    auto zeros = [&] { return std::vector<ValueId>(count, emit_.splat(emit_.zero(f.type.elem), at.elements)); };
    auto loads = [&] {
        std::vector<ValueId> loaded;
        for (int64_t i = 0; i < at.rows; ++i) {
            for (int64_t v = 0; v < at.vectors; ++v) {
                const ValueId offset = emit_.integer(i * f.c.strides[0] + v * at.elements);
                loaded.push_back(emit_.load(emit_.pointer_add(c, offset), at.elements));
            }
        }
        return loaded;
    };
    std::vector<ValueId> sums;
    if (f.first.valid()) {
        sums = emit_.either(f.first, std::vector<Type>(count, f.type), zeros, loads);
    } else {
        sums = f.from_zero ? zeros() : loads();
    }
    for (size_t i = 0; i < count && !excess.empty(); ++i)
        sums[i] = emit_.binary(OpKind::sub, sums[i], excess[i % static_cast<size_t>(at.vectors)]);
    return sums;
}

void ProductCode::panel(const Factors& f, const Panel& at, ValueId row, ValueId column,
                        const std::vector<ValueId>& excess) {
    if (f.sum_up != nullptr) {
        std::vector<ValueId> sums = first_sums(f, at, {}, excess);
        (*f.sum_up)(at, row, column, sums);
        return store_sums(f, at, row, column, sums);
    }
    const int64_t c_row = f.c.strides[0];
    const ValueId a =
        emit_.pointer_add(f.a.pointer, emit_.mul(row, emit_.integer(f.a.strides[f.a_transposed ? 1 : 0])));
    const ValueId b = panel_of_b(f, column);
    const ValueId c = emit_.pointer_add(emit_.pointer_add(f.c.pointer, emit_.mul(row, emit_.integer(c_row))), column);
    std::vector<ValueId> sums = first_sums(f, at, c, excess);
    auto depth = [&](int64_t from, ValueId to, int64_t step) {
        emit_.carrying_loop(emit_.integer(from), to, step, sums, [&](ValueId k) {
            if (f.b.panel != 0 && step == kUnroll) fetch_panel(f, b, row, k);
            for (int64_t i = 0; i < step; ++i) multiply(f, at, a, b, emit_.add(k, emit_.integer(i)), sums);
        });
    };
    const int64_t whole = f.depth / kUnroll * kUnroll;
    if (whole > 0) depth(0, f.depth_end.valid() ? f.depth_end : emit_.integer(whole), kUnroll);
    if (whole < f.depth) depth(whole, emit_.integer(f.depth), 1);
    store_sums(f, at, row, column, sums);
}

void ProductCode::store_sums(const Factors& f, const Panel& at, ValueId row, ValueId column,
                             const std::vector<ValueId>& sums) {
    auto store = [&](ValueId to, ValueId pitch) {
        to = emit_.pointer_add(emit_.pointer_add(to, emit_.mul(row, pitch)), column);
        for (int64_t i = 0; i < at.rows; ++i) {
            const ValueId in_row = emit_.mul(emit_.integer(i), pitch);
            for (int64_t v = 0; v < at.vectors; ++v) {
                const ValueId offset = emit_.add(in_row, emit_.integer(v * at.elements));
                emit_.store(emit_.pointer_add(to, offset), sums[static_cast<size_t>(i * at.vectors + v)]);
            }
        }
    };
    auto home = [&] { store(f.c.pointer, emit_.integer(f.c.strides[0])); };
    if (!f.stored.when.valid()) return home();
    emit_.either(f.stored.when, [&] { store(f.stored.pointer, f.stored.row); }, home);
}

// The panel of b behind this one comes into the second cache while panels of rows go over this one, some lines at each
// round of k: memory would not give it as fast as the first of them takes it.
void ProductCode::fetch_panel(const Factors& f, ValueId b, ValueId row, ValueId k) {
    const int64_t line = int64_t{64} * 8 / bits(f.type.elem);
    const int64_t rounds = f.depth / kUnroll;
    const int64_t lines = ceil_div(f.b.panel_stride, line);
    const int64_t at_once = std::min(ceil_div(lines, ceil_div(f.rows, f.panel_rows) * rounds), kUnroll);
    const Type index = Type::scalar(DType::index);
    const ValueId panels_before = emit_.op(OpKind::floordiv, {row, emit_.integer(f.panel_rows)});
    const ValueId rounds_before = emit_.op(OpKind::floordiv, {k, emit_.integer(kUnroll)});
    const ValueId round = emit_.add(emit_.mul(panels_before, emit_.integer(rounds)), rounds_before);
    const ValueId first = emit_.mul(round, emit_.integer(at_once * line));
    for (int64_t i = 0; i < at_once; ++i)
        emit_.statement(OpKind::prefetch, {b, emit_.add(first, emit_.integer(f.b.panel_stride + i * line))});
}

// One column of a times one row of b.
void ProductCode::multiply(const Factors& f, const Panel& at, ValueId a, ValueId b, ValueId k,
                           std::vector<ValueId>& sums) {
    const ValueId b_row = emit_.pointer_add(b, emit_.mul(k, emit_.integer(f.b.strides[0])));
    const ValueId a_column = emit_.pointer_add(a, emit_.mul(k, emit_.integer(f.a.strides[f.a_transposed ? 0 : 1])));
    std::vector<ValueId> row;
    for (int64_t v = 0; v < at.vectors; ++v) {
        row.push_back(emit_.load(emit_.pointer_add(b_row, emit_.integer(v * at.elements)), at.elements));
    }
    multiply_row(f, at, a_column, row, sums);
}

void ProductCode::multiply_row(const Factors& f, const Panel& at, ValueId a_column, const std::vector<ValueId>& row,
                               std::vector<ValueId>& sums) {
    for (int64_t i = 0; i < at.rows; ++i) {
        const ValueId from = emit_.pointer_add(a_column, emit_.integer(i * f.a.strides[f.a_transposed ? 1 : 0]));
        const ValueId factor = emit_.splat(emit_.load(from, 0), at.elements);
        for (int64_t v = 0; v < at.vectors; ++v) {
            ValueId& sum = sums[static_cast<size_t>(i * at.vectors + v)];
            if (f.packed) {
                sum = sum_words(f, factor, row[static_cast<size_t>(v)], sum);
                continue;
            }
            sum = is_float(f.type.elem)
                      ? emit_.op(OpKind::fma, {factor, row[static_cast<size_t>(v)], sum})
                      : emit_.binary(OpKind::add, sum, emit_.binary(OpKind::mul, factor, row[static_cast<size_t>(v)]));
        }
    }
}

}  // namespace tsr::ir
