// Gathers: an element, or a row where whole rows move, for each position.
#include "ir/passes/graph/fused_call.h"
#include "ir/passes/graph/indexed_code.h"
#include "ir/passes/graph/position_axes.h"

namespace tsr::ir {

namespace {

constexpr int64_t kRowPiece = 512, kLongestRow = 2048;

class GatherKernels {
public:
    GatherKernels(const Function& fused, OpId id)
        : fused_(fused), op_(fused, id), axes_(op_), elem_(fused.type(op_.x()).elem) {}

    StepCode run() {
        StepCode code;
        code.row = axes_.all().back().extent;
        const auto row = code.row.constant_value();
        if (!axes_.moves_rows() || (row && *row < kShortRow)) {
            by_elements(code.steps);
        } else {
            by_rows(code.steps);
            if (!row) by_elements(code.short_steps.emplace());
        }
        return code;
    }

private:
    struct Parameters {
        ValueId x, ids, y, extent;
        std::vector<ValueId> ids_extents;
    };

    Parameters parameters(KernelWriter& kernel) const {
        Parameters p;
        p.x = kernel.tensor(number_of(fused_, op_.x()), elem_, axes_.x_shape(), false, "x");
        p.ids =
            kernel.tensor(number_of(fused_, op_.ids()), fused_.type(op_.ids()).elem, axes_.ids_shape(), false, "ids");
        p.y = kernel.tensor(number_of_result(fused_), elem_, axes_.positions_shape(), true, "y");
        p.extent = kernel.extent(axes_.indexed());
        for (const Dim& dim : axes_.ids_shape()) p.ids_extents.push_back(kernel.extent(dim));
        return p;
    }

    // How many ids stand in front of the one at these indices.
    static ValueId place(Builder& b, const Parameters& p, const Values& at) {
        ValueId number = at[0];
        for (size_t axis = 1; axis < at.size(); ++axis) number = b.add(b.mul(number, p.ids_extents[axis]), at[axis]);
        return number;
    }

    ValueId zero(Builder& b) const { return is_float(elem_) ? b.constant(0.0, elem_) : b.constant(int64_t{0}, elem_); }

    CheckedId read_id(Builder& b, const Parameters& p, const Values& at) const {
        return checked_id(b, b.read(p.ids, axes_.ids_at(at)), p.extent);
    }
    void refuse_outside(Builder& b, const Parameters& p, const CheckedId& id, const Values& at) const {
        if (!op_.allows_outside()) refuse_id(b, id, place(b, p, axes_.ids_at(at)), p.extent);
    }

    void by_elements(KernelSteps& steps) const {
        KernelWriter kernel(fused_, false);
        const Parameters p = parameters(kernel);
        kernel.grid(axes_.positions_shape(), [&](Builder& b, const Values& at) {
            const CheckedId id = read_id(b, p, at);
            const OpId read = b.if_(
                id.inside,
                [&](Builder& body) {
                    return Values{body.read(p.x, axes_.x_at(at, body.cast(id.number, DType::index)))};
                },
                [&](Builder& body) {
                    refuse_outside(body, p, id, at);
                    return Values{zero(body)};
                });
            b.write(p.y, b.function().op(read).results[0], at);
        });
        kernel.finish(steps);
    }

    // A thread block moves a row.
    void by_rows(KernelSteps& steps) const {
        KernelWriter kernel(fused_, true);
        const Parameters p = parameters(kernel);
        const Dim& row = axes_.all().back().extent;
        const ValueId length = kernel.extent(row);
        std::vector<Dim> rows = axes_.positions_shape();
        rows.pop_back();
        kernel.grid(rows, [&](Builder& b, const Values& row_at) {
            Values at = row_at;
            at.push_back(b.index(0));
            const CheckedId id = read_id(b, p, at);
            const auto move = [&](Builder& body, bool inside) {
                pieces(body, row, length, [&](Builder& piece, ValueId i, int64_t width) {
                    Values here = row_at;
                    here.push_back(i);
                    const ValueId tile =
                        inside ? load_row(piece, p.x, axes_.x_at(here, piece.cast(id.number, DType::index)), width)
                               : repeated(piece, zero(piece), width);
                    store_row(piece, p.y, tile, here);
                });
            };
            b.if_(
                id.inside,
                [&](Builder& body) {
                    move(body, true);
                    return Values{};
                },
                [&](Builder& body) {
                    refuse_outside(body, p, id, at);
                    if (op_.allows_outside()) move(body, false);
                    return Values{};
                });
        });
        kernel.finish(steps);
    }

    // A row in register tiles: one where it is short, else pieces, the last of which may reach over the end.
    static void pieces(Builder& b, const Dim& row, ValueId length,
                       const std::function<void(Builder&, ValueId, int64_t)>& piece) {
        const auto known = row.constant_value();
        if (known && *known <= kLongestRow) return piece(b, b.index(0), *known);
        const ValueId width = b.index(kRowPiece);
        const ValueId whole = b.mul(b.floordiv(length, width), width);
        b.for_(b.index(0), whole, width, {}, {}, [&](Builder& body, ValueId i, const Values&) {
            piece(body, i, kRowPiece);
            return Values{};
        });
        b.if_(b.lt(whole, length), [&](Builder& body) {
            piece(body, whole, kRowPiece);
            return Values{};
        });
    }

    const Function& fused_;
    IndexedOp op_;
    PositionAxes axes_;
    DType elem_;
};

}  // namespace

StepCode gather_code(const Function& fused, OpId op) { return GatherKernels(fused, op).run(); }

}  // namespace tsr::ir
