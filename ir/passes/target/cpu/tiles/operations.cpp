// How the code of a CPU makes each operation on register tiles: one row for each, in `Makers::row`.
//
// What is computed where it is wanted gives an element, or a vector of a row's columns, at coordinates. What has loops
// of its own (`making` says which) reads homes and writes one. Stores and sums are done by nests (nest.cpp).
#include <algorithm>
#include <utility>

#include "ir/core/total.h"
#include "ir/ops/reduction.h"
#include "ir/ops/register.h"
#include "ir/passes/target/cpu/tiles/code.h"

namespace tsr::ir {

struct TileCode::Makers {
    using Inlined = ValueId (*)(TileCode&, OpId, const Coordinates&);
    using Alone = void (*)(TileCode&, OpId);
    struct Row {
        OpKind kind = OpKind::count_;
        Inlined inlined = nullptr;
        Alone alone = nullptr;
    };
    static const Row& row(OpKind kind);
    // The row has what `making` says of the operation.
    template <typename Make>
    static Make given(Make make) {
        if (make == nullptr) internal_error("no code on a CPU for an operation on tiles");
        return make;
    }

    // ---- computed where they are wanted ----

    static ValueId load(TileCode& code, OpId id, const Coordinates& at) { return code.load(id, at); }
    static ValueId expand(TileCode& code, OpId id, const Coordinates& at) { return code.expand(id, at); }

    static ValueId transpose(TileCode& code, OpId id, const Coordinates& at) {
        Coordinates swapped = at;
        std::swap(swapped[swapped.size() - 1], swapped[swapped.size() - 2]);
        return code.value(TransposeOp(code.s_.tile, id).value(), swapped);
    }

    static ValueId iota(TileCode& code, OpId id, const Coordinates& at) {
        const Op& op = code.s_.tile.op(id);
        const Coordinate& along = at[static_cast<size_t>(op.attrs.integer(Attr::axis))];
        const ValueId first = code.emit_.cast(along.at, DType::i32);
        if (!has_column(at)) return first;
        const ValueId all = code.emit_.splat(first, code.width_);
        return along.column ? code.emit_.binary(OpKind::add, all, code.emit_.iota(code.width_, DType::i32)) : all;
    }

    static ValueId pack_rows(TileCode& code, OpId id, const Coordinates& at) {
        return code.packed_rows(code.s_.tile.op(id), at);
    }

    // ---- with loops of their own ----

    static void product(TileCode& code, OpId id) { code.product(id); }

    // What is done along an axis of one home into another.
    struct Along {
        std::vector<int64_t> shape;
        size_t axis;
        const Home& from;
        const Home& to;
    };
    static Along along(TileCode& code, const AlongOp& op) {
        return {extents(code.s_.tile.type(op.value())), static_cast<size_t>(op.axis()), code.homes_.at(op.value()),
                code.homes_.at(op.result())};
    }

    // Sets the coordinates from axis `i` on to every position, the axis of `a` left out or element by element; along
    // the last one, if it is another, to vectors of columns.
    template <typename Body>
    static void positions(TileCode& code, const Along& a, bool leave_out, Coordinates& at, const Body& body,
                          size_t i = 0) {
        if (i == a.shape.size()) return body();
        if (i == a.axis && leave_out) return positions(code, a, leave_out, at, body, i + 1);
        const bool columns = i + 1 == a.shape.size() && i != a.axis;
        at[i].column = columns;
        code.s_.counted_loop(a.shape[i], columns ? code.width_ : 1, [&](ValueId number) {
            at[i].at = number;
            positions(code, a, leave_out, at, body, i + 1);
        });
    }

    // Along the last axis element after element, along another row after row.
    static void scan(TileCode& code, OpId id) {
        const AlongOp op(code.s_.tile, id);
        const Along a = along(code, op);
        Emit& emit = code.emit_;
        Coordinates at(a.shape.size());
        positions(code, a, true, at, [&] {
            at[a.axis].at = emit.integer(0);
            const ValueId first = code.load_home(a.from, at);
            code.store_home(a.to, first, at);
            std::vector<ValueId> sum{first};
            emit.carrying_loop(emit.integer(1), emit.integer(a.shape[a.axis]), 1, sum, [&](ValueId index) {
                at[a.axis].at = index;
                sum[0] = emit.binary(combining(op.what()), sum[0], code.load_home(a.from, at));
                code.store_home(a.to, sum[0], at);
            });
        });
    }

    static void flip(TileCode& code, OpId id) {
        const Along a = along(code, AlongOp(code.s_.tile, id));
        Coordinates at(a.shape.size());
        positions(code, a, false, at, [&] {
            Coordinates mirrored = at;
            mirrored[a.axis].at =
                code.emit_.binary(OpKind::sub, code.emit_.integer(a.shape[a.axis] - 1), at[a.axis].at);
            code.store_home(a.to, code.load_home(a.from, mirrored), at);
        });
    }

    // By blocks: their rows are loaded as vectors, transposed in registers, and stored to the home of the result. What
    // is left beside whole blocks is moved element after element.
    static void turn(TileCode& code, OpId id) {
        const TransposeOp op(code.s_.tile, id);
        const OpId made = code.s_.tile.value(op.value()).op;
        const auto all = [&] { turn_matrices(code, op, {}); };
        code.clipped_ = false;
        if (code.homes_.contains(op.value()) || code.s_.tile.op(made).kind != OpKind::load_tile || code.is_inside(made))
            return all();
        const auto clipped = [&] {
            code.clipped_ = true;
            all();
            code.clipped_ = false;
        };
        code.emit_.either(code.all_inside({made}), all, clipped);
    }

    static void turn_matrices(TileCode& code, const TransposeOp& op, const Coordinates& at) {
        const std::vector<int64_t> shape = extents(code.s_.tile.type(op.value()));
        if (at.size() + 2 == shape.size()) return turn_matrix(code, op, at);
        code.s_.counted_loop(shape[at.size()], 1, [&](ValueId number) {
            Coordinates inner = at;
            inner.push_back({number});
            turn_matrices(code, op, inner);
        });
    }

    static void turn_matrix(TileCode& code, const TransposeOp& op, const Coordinates& leading) {
        Emit& emit = code.emit_;
        const Type& type = code.s_.tile.type(op.value());
        const std::vector<int64_t> shape = extents(type);
        const Home& to = code.homes_.at(op.result());
        const int64_t rows = shape[shape.size() - 2], columns = shape.back();
        const int64_t block = transposed_rows(type.elem, code.width_);
        const int64_t whole_rows = rows / block * block, whole_columns = columns / block * block;
        const auto place = [&](ValueId row, ValueId column, bool vector) {
            Coordinates at = leading;
            at.push_back({row});
            at.push_back({column, vector});
            return at;
        };
        const auto one_by_one = [&](int64_t first_row, int64_t last_row, int64_t first_column, int64_t last_column) {
            if (first_row == last_row || first_column == last_column) return;
            code.s_.counted_loop(emit.integer(first_row), emit.integer(last_row), 1, [&](ValueId row) {
                code.s_.counted_loop(emit.integer(first_column), emit.integer(last_column), 1, [&](ValueId column) {
                    code.row_region_ = emit.region;
                    code.row_values_.clear();
                    const ValueId element = code.value(op.value(), place(row, column, false));
                    code.store_home(to, element, place(column, row, false));
                });
            });
        };
        const int64_t width = std::exchange(code.width_, block);  // of the vectors here
        code.s_.counted_loop(whole_rows, block, [&](ValueId first) {
            code.row_region_ = emit.region;
            code.row_values_.clear();
            std::vector<ValueId> numbers;
            for (int64_t i = 0; i < block; ++i) numbers.push_back(emit.add(first, emit.integer(i)));
            code.s_.counted_loop(whole_columns, block, [&](ValueId column) {
                code.vector_values_.clear();
                std::vector<ValueId> loaded;
                for (ValueId row : numbers) loaded.push_back(code.value(op.value(), place(row, column, true)));
                int64_t number = 0;
                for (ValueId turned : transposed(emit, loaded)) {
                    const ValueId row = emit.add(column, emit.integer(number++));
                    code.store_home(to, turned, place(row, first, true));
                }
            });
        });
        code.width_ = width;
        one_by_one(0, whole_rows, whole_columns, columns);
        one_by_one(whole_rows, rows, 0, columns);
    }

    static void atomic(TileCode& code, OpId id) {
        const TileViewOp view(code.s_.tile, id);
        const auto shape = extents(code.s_.tile.type(view.value()));
        Coordinates at(shape.size());
        code.clipped_ = true;
        auto one = [&] {
            code.row_region_ = code.emit_.region;
            code.row_values_.clear();
            code.s_.when(code.inside(id, at), [&] {
                const ValueId pointer = code.place(id, at).pointer;
                const ValueId value = code.load_home(code.homes_.at(view.value()), at);
                code.emit_.op(OpKind::atomic_rmw, {pointer, value}, {{Attr::op, static_cast<int64_t>(view.what())}});
            });
        };
        auto axes = [&](auto&& self, size_t i) -> void {
            if (i == shape.size()) return one();
            code.s_.counted_loop(shape[i], 1, [&](ValueId number) {
                at[i] = {number};
                self(self, i + 1);
            });
        };
        axes(axes, 0);
        code.clipped_ = false;
    }
};

const TileCode::Makers::Row& TileCode::Makers::row(OpKind kind) {
    static constexpr Row kTileMakers[]{
        {.kind = OpKind::load_tile, .inlined = load},
        {.kind = OpKind::store_tile},  // by nests
        {.kind = OpKind::atomic_tile, .alone = atomic},
        {.kind = OpKind::expand, .inlined = expand},
        {.kind = OpKind::tile_iota, .inlined = iota},
        {.kind = OpKind::transpose, .inlined = transpose, .alone = turn},
        {.kind = OpKind::flip, .alone = flip},
        {.kind = OpKind::reduce},  // by nests
        {.kind = OpKind::scan, .alone = scan},
        {.kind = OpKind::mma, .alone = product},
        {.kind = OpKind::pack_rows, .inlined = pack_rows},
        {.kind = OpKind::mma_words, .alone = product},
    };
    static constexpr Total<kTileMakers, kRegisterFamily> kMakers;
    return kMakers[kind];
}

ValueId TileCode::compute(ValueId tile, const Coordinates& at) {
    const OpId id = s_.tile.value(tile).op;
    const Op& op = s_.tile.op(id);
    return is_element(op.kind) ? element(op, at) : Makers::given(Makers::row(op.kind).inlined)(*this, id, at);
}

void TileCode::alone(OpId id) {
    emit_.place = s_.tile.op(id).place;
    Makers::given(Makers::row(s_.tile.op(id).kind).alone)(*this, id);
}

}  // namespace tsr::ir
