#include "ir/passes/target/cpu/tiles/merge_k.h"

#include <algorithm>
#include <optional>

#include "ir/build/clone.h"
#include "ir/ops/control.h"
#include "ir/ops/register.h"
#include "ir/passes/target/cpu/tiles/nested_products.h"
#include "ir/passes/target/cpu/tiles/uses.h"
#include "ir/passes/target/cpu/tiles/widen_products.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

// What there is to know of loops over products.
class Products {
public:
    explicit Products(const Function& kernel) : kernel_(kernel) {}

    // Loads that advance by their own extent, conversions of them, products that add to what is carried.
    [[nodiscard]] bool only_products(const ForOp& loop, int64_t step) const {
        const RegionId body = loop.body();
        const ValueId k = kernel_.region(body).args[0];
        const auto suits = [&](OpId id) {
            const Op& op = kernel_.op(id);
            if (op.kind == OpKind::load_tile) return advances(id, k, step);
            if (op.kind == OpKind::mma) return adds_to_carried(id, body) && sums_over(id, body, k);
            return op.kind == OpKind::yield || (converts(op) && is_tile(kernel_, op.results[0]));
        };
        const auto results = yielded(kernel_, body);
        return std::ranges::all_of(kernel_.region(body).ops, suits) &&
               std::ranges::all_of(results, [&](ValueId v) { return defined_by(kernel_, v, OpKind::mma).has_value(); });
    }

    // What a step takes too much lies outside of all memories, where both factors are 0.
    [[nodiscard]] ValueId converted(const Op& op) const {
        return op.kind == OpKind::cast ? CastOp(kernel_, op).from() : TransposeOp(kernel_, op).value();
    }

    [[nodiscard]] bool ends_with_memory(const ForOp& loop) const {
        return std::ranges::all_of(kernel_.region(loop.body()).ops, [&](OpId id) {
            return kernel_.op(id).kind != OpKind::load_tile || ends_with_memory(loop, id);
        });
    }

    // The same of one product, whatever else the loop does.
    [[nodiscard]] bool ends_with_memory(const ForOp& loop, const MmaOp& product) const {
        const ValueId k = kernel_.region(loop.body()).args[0];
        return sums_over(product.id, loop.body(), k) && ends_with_memory(loop, load_under(product.a())) &&
               ends_with_memory(loop, load_under(product.b()));
    }

    // The axis of the load's tile that runs along k.
    [[nodiscard]] std::optional<size_t> axis_of(OpId load, ValueId k) const {
        const TileViewOp view(kernel_, load);
        for (size_t i = 0; i < view.axes().size(); ++i) {
            if (view.starts()[static_cast<size_t>(view.axes()[i])] == k) return i;
        }
        return std::nullopt;
    }

private:
    // The same elements, each for itself: what is merged of them is so, too.
    [[nodiscard]] static bool converts(const Op& op) { return op.kind == OpKind::cast || op.kind == OpKind::transpose; }

    [[nodiscard]] bool ends_with_memory(const ForOp& loop, OpId load) const {
        const OpId end = kernel_.value(loop.upper()).op;
        if (!end.valid() || kernel_.op(end).kind != OpKind::dim) return false;
        const Dim& extent = kernel_.op(end).attrs.dim(Attr::dim);
        const TileViewOp view(kernel_, load);
        const auto along = axis_of(load, kernel_.region(loop.body()).args[0]);
        if (!along) return false;
        const auto axis = static_cast<size_t>(view.axes()[*along]);
        return !view.fill() && compare(kernel_.type(view.memory()).shape[axis], extent) == Equality::equal;
    }

    // The load at the bottom of conversions.
    [[nodiscard]] OpId load_under(ValueId factor) const {
        const OpId id = kernel_.value(factor).op;
        return kernel_.op(id).kind == OpKind::load_tile ? id : load_under(converted(kernel_.op(id)));
    }

    [[nodiscard]] bool advances(OpId load, ValueId k, int64_t step) const {
        const TileViewOp view(kernel_, load);
        if (std::ranges::count(view.starts(), k) != 1 || view.fill()) return false;
        const auto axis = axis_of(load, k);
        return axis && extents(kernel_.type(view.result()))[*axis] == step;
    }

    [[nodiscard]] bool adds_to_carried(OpId mma, RegionId body) const {
        const MmaOp product(kernel_, mma);
        const auto start = product.accumulator();
        const auto& args = kernel_.region(body).args;
        const auto results = yielded(kernel_, body);
        for (size_t i = 0; i < results.size(); ++i) {
            if (results[i] == product.result()) return start == args[1 + i];
        }
        return false;
    }

    // Both factors are blocks along k, whose steps are summed over.
    [[nodiscard]] bool sums_over(OpId mma, RegionId body, ValueId k) const {
        const MmaOp product(kernel_, mma);
        return runs_along(product.a(), product.a_transposed() ? 0 : 1, body, k) &&
               runs_along(product.b(), product.b_transposed() ? 1 : 0, body, k);
    }

    [[nodiscard]] bool runs_along(ValueId factor, size_t axis, RegionId body, ValueId k) const {
        const OpId id = kernel_.value(factor).op;
        if (!id.valid() || kernel_.op(id).parent != body) return false;
        const Op& op = kernel_.op(id);
        if (op.kind == OpKind::load_tile) return axis_of(id, k) == axis;
        return converts(op) && runs_along(converted(op), op.kind == OpKind::transpose ? 1 - axis : axis, body, k);
    }

    const Function& kernel_;
};

class Merger {
public:
    explicit Merger(Function& kernel) : kernel_(kernel), loops_(kernel), depth_(kernel.plan->cpu().depth) {}

    // Sums that stay in registers through several loops gain nothing from longer steps.
    void run() {
        const Uses uses(kernel_);
        std::vector<OpId> loops;
        std::vector<OpId> kept;
        walk(kernel_, kernel_.body, [&](OpId id) {
            if (kernel_.op(id).kind != OpKind::for_) return;
            loops.push_back(id);
            const auto product = product_of_nest(kernel_, uses, id);
            if (!product || sums_as_words(*product)) return;
            const OpId innermost = kernel_.region(kernel_.op(*product).parent).parent;
            if (loops_.ends_with_memory(ForOp(kernel_, innermost), MmaOp(kernel_, *product))) kept.push_back(innermost);
        });
        for (OpId id : loops) {
            if (std::ranges::find(kept, id) == kept.end()) merge(id);
        }
    }

private:
    [[nodiscard]] bool sums_as_words(OpId product) const {
        const CpuMachine* machine = cpu_machine(kernel_.plan->machine);
        return machine == nullptr || sums_words(kernel_, product, *machine) ||
               (machine->matrix_unit && suits_matrix_unit(kernel_, product));
    }

    void merge(OpId id) {
        const ForOp loop(kernel_, id);
        const auto step = constant_integer(kernel_, loop.step());
        if (!step || *step <= 0 || *step * 2 > depth_ || loop.inits().empty()) return;
        if (!loops_.only_products(loop, *step)) return;
        const int64_t factor = depth_ / *step;
        Builder builder = Builder::at(kernel_, id);
        const ValueId lower = loop.lower();
        const ValueId upper = loop.upper();
        ValueId middle = upper;
        if (!loops_.ends_with_memory(loop)) {
            // lower + floor(rounds / factor) * factor * step; of an empty range it is not above lower.
            const ValueId span = builder.sub(upper, lower);
            const ValueId one = builder.constant(*step, DType::index);
            const ValueId rounds = builder.neg(builder.floordiv(builder.neg(span), one));
            const ValueId many = builder.floordiv(rounds, builder.constant(factor, DType::index));
            middle = builder.add(lower, builder.mul(many, builder.constant(factor * *step, DType::index)));
        }
        const OpId merged = longer(id, factor, *step, middle, builder);
        if (middle == upper) {
            const std::vector<ValueId> results = kernel_.op(id).results;
            for (size_t i = 0; i < results.size(); ++i) kernel_.replace_uses(results[i], kernel_.op(merged).results[i]);
            kernel_.remove(id);
            return;
        }
        Op& rest = kernel_.op(id);
        rest.operands[ForOp::kLower] = builder.maximum(lower, middle);
        for (size_t i = 0; i < rest.results.size(); ++i)
            rest.operands[ForOp::kFirstInit + i] = kernel_.op(merged).results[i];
    }

    // The loop with `factor` times its step, up to `upper`, in front of it.
    OpId longer(OpId id, int64_t factor, int64_t step, ValueId upper, Builder& builder) {
        const ForOp loop(kernel_, id);
        const ValueId longer_step = builder.constant(factor * step, DType::index);
        const OpId made = builder.open_for(loop.lower(), upper, longer_step, {loop.inits().begin(), loop.inits().end()},
                                           loop.attrs());
        const RegionId body = kernel_.op(made).regions[0];
        ValueMap values;
        const std::vector<ValueId>& args = kernel_.region(loop.body()).args;
        for (size_t i = 0; i < args.size(); ++i) {
            const ValueId arg = kernel_.region(body).args[i];
            kernel_.value(arg).name = kernel_.value(args[i]).name;
            values[args[i]] = arg;
        }
        Cloner cloner(kernel_, kernel_, values);
        cloner.names = false;
        cloner.replaces = [&](Builder& at, OpId inner) {
            const Op& op = kernel_.op(inner);
            if (op.kind != OpKind::load_tile) return false;
            std::vector<Dim> shape = op.attrs.dims(Attr::shape);
            Dim& extent = shape[*loops_.axis_of(inner, args[0])];
            extent = extent * Dim::constant(factor);
            Attrs attrs = op.attrs;
            attrs.set(Attr::shape, std::move(shape));
            at.insert(cloner.make(inner, std::move(attrs)));
            return true;
        };
        Builder inside = Builder::at_end(kernel_, body);
        inside.take_place(id);
        inside.yield(cloner.contents(inside, loop.body()));
        return made;
    }

    Function& kernel_;
    Products loops_;
    int64_t depth_;  // of a step, at most
};

}  // namespace

void merge_k(Function& kernel) { Merger(kernel).run(); }

bool ends_with_loop(const Function& kernel, OpId mma) {
    const OpId around = kernel.region(kernel.op(mma).parent).parent;
    if (!around.valid() || kernel.op(around).kind != OpKind::for_) return false;
    return Products(kernel).ends_with_memory(ForOp(kernel, around), MmaOp(kernel, mma));
}

bool sums_products(const Function& kernel, OpId id) {
    const ForOp loop(kernel, id);
    const auto step = constant_integer(kernel, loop.step());
    const Products products(kernel);
    return step && *step > 0 && !loop.inits().empty() && products.only_products(loop, *step) &&
           products.ends_with_memory(loop);
}

}  // namespace tsr::ir
