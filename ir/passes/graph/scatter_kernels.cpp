// Scatters: the ids are checked, x is copied, then each lane owns a part of the result and goes through all ids in
// order. What it gives does not depend on the number of threads, and nothing is atomic.
#include "ir/ops/reduction.h"
#include "ir/passes/graph/indexed_code.h"
#include "ir/passes/graph/position_axes.h"

namespace tsr::ir {

namespace {

// The axis that ids number is cut into so many parts where the others alone give too little to do at once.
constexpr int64_t kParts = 64, kEnoughLanes = 256;

class ScatterKernels {
public:
    ScatterKernels(const Function& fused, OpId id)
        : fused_(fused), op_(fused, id), axes_(op_), elem_(fused.type(op_.x()).elem) {
        for (size_t axis = 0; axis < axes_.all().size(); ++axis) {
            (axes_.all()[axis].in_x ? kept_ : walked_).push_back(axis);
        }
    }

    StepCode run() {
        StepCode code;
        if (!op_.allows_outside()) check(code.steps);
        copy(code.steps);
        update(code.steps);
        return code;
    }

private:
    size_t number(ValueId v) const { return number_of(fused_, v); }
    size_t result() const { return number_of_result(fused_); }

    void check(KernelSteps& steps) const {
        KernelWriter kernel(fused_, false);
        const Dim count = element_count(axes_.ids_shape());
        const ValueId ids = kernel.tensor(number(op_.ids()), fused_.type(op_.ids()).elem, {count}, false, "ids");
        const ValueId extent = kernel.extent(axes_.indexed());
        kernel.grid({count}, [&](Builder& b, const Values& at) {
            refuse_id(b, checked_id(b, b.read(ids, at), extent), at[0], extent);
        });
        kernel.finish(steps);
    }

    void copy(KernelSteps& steps) const {
        KernelWriter kernel(fused_, false);
        const Dim count = element_count(axes_.x_shape());
        const ValueId x = kernel.tensor(number(op_.x()), elem_, {count}, false, "x");
        const ValueId y = kernel.tensor(result(), elem_, {count}, true, "y");
        kernel.grid({count}, [&](Builder& b, const Values& at) { b.write(y, b.read(x, at), at); });
        kernel.finish(steps);
    }

    int64_t parts() const {
        Dim lanes = Dim::constant(1);
        for (size_t axis : kept_) lanes = lanes * axes_.all()[axis].extent;
        const auto known = lanes.constant_value();
        if (!known) return kParts / 4;
        return *known >= kEnoughLanes ? 1 : kParts;
    }

    void update(KernelSteps& steps) const {
        KernelWriter kernel(fused_, false);
        const ValueId ids =
            kernel.tensor(number(op_.ids()), fused_.type(op_.ids()).elem, axes_.ids_shape(), false, "ids");
        const ValueId values = kernel.tensor(number(op_.values()), elem_, axes_.positions_shape(), false, "values");
        const ValueId y = kernel.tensor(result(), elem_, axes_.x_shape(), true, "y");
        const ValueId extent = kernel.extent(axes_.indexed());
        Values walked;
        for (size_t axis : walked_) walked.push_back(kernel.extent(axes_.all()[axis].extent));
        std::vector<Dim> lanes{Dim::constant(parts())};
        for (size_t axis : kept_) lanes.push_back(axes_.all()[axis].extent);
        kernel.grid(lanes, [&](Builder& b, const Values& lane) {
            const Range own = part(b, lane[0], extent);
            Values at(axes_.all().size());
            for (size_t i = 0; i < kept_.size(); ++i) at[kept_[i]] = lane[i + 1];
            walk(b, walked, 0, at, [&](Builder& body, const Values& position) {
                const ValueId id = body.read(ids, axes_.ids_at(position));
                const DType type = body.function().type(checked_id(body, id, extent).number).elem;
                const ValueId number = body.cast(id, type);
                const ValueId mine = body.bit_and(body.ge(number, body.cast(own.begin, type)),
                                                  body.lt(number, body.cast(own.end, type)));
                body.if_(mine, [&](Builder& hit) {
                    const Values to = axes_.x_at(position, hit.cast(number, DType::index));
                    const ValueId value = hit.read(values, position);
                    const auto what = op_.what();
                    hit.write(y, what ? hit.element(combining(*what), {hit.read(y, to), value}) : value, to);
                    return Values{};
                });
            });
        });
        kernel.finish(steps);
    }

    struct Range {
        ValueId begin, end;
    };
    Range part(Builder& b, ValueId number, ValueId extent) const {
        if (parts() == 1) return {b.index(0), extent};
        const ValueId count = b.index(parts());
        return {b.floordiv(b.mul(number, extent), count), b.floordiv(b.mul(b.add(number, b.index(1)), extent), count)};
    }

    // The axes that x lacks, in order.
    void walk(Builder& b, const Values& extents, size_t depth, Values& at,
              const std::function<void(Builder&, const Values&)>& body) const {
        if (depth == walked_.size()) return body(b, at);
        b.for_(b.index(0), extents[depth], b.index(1), {}, {}, [&](Builder& inner, ValueId i, const Values&) {
            at[walked_[depth]] = i;
            walk(inner, extents, depth + 1, at, body);
            return Values{};
        });
    }

    const Function& fused_;
    IndexedOp op_;
    PositionAxes axes_;
    DType elem_;
    std::vector<size_t> kept_, walked_;  // position axes that x has, and those that it lacks
};

}  // namespace

StepCode scatter_code(const Function& fused, OpId op) { return ScatterKernels(fused, op).run(); }

}  // namespace tsr::ir
