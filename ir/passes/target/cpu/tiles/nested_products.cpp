#include "ir/passes/target/cpu/tiles/nested_products.h"

#include <algorithm>

#include "ir/ops/control.h"
#include "ir/ops/register.h"

namespace tsr::ir {

namespace {

class NestReader {
public:
    NestReader(const Function& kernel, const Uses& uses) : kernel_(kernel), uses_(uses) {}

    // What the region yields is `sum` and the products in it, and nothing else comes out of it.
    bool region(RegionId region, ValueId sum) {
        const auto results = yielded(kernel_, region);
        if (results.size() != 1 || uses_.of(results[0]).size() != 1) return false;
        ValueId next;
        for (OpId id : kernel_.region(region).ops) {
            const Op& op = kernel_.op(id);
            if (op.kind == OpKind::yield || reads_only(op)) continue;
            if (next.valid() || op.results.size() != 1 || !carries(id, sum)) return false;
            next = op.results[0];
        }
        return next.valid() && next == results[0];
    }

    bool loop(OpId id) {
        const ForOp op(kernel_, id);
        const auto step = constant_integer(kernel_, op.step());
        ++loops;
        return op.inits().size() == 1 && step && *step > 0 && region(op.body(), op.carried()[0]);
    }

    std::optional<OpId> product;
    int loops = 0;

private:
    // Scalars, and what the product's operands are made of.
    [[nodiscard]] bool reads_only(const Op& op) const {
        if (op.kind == OpKind::load_tile) return true;
        const bool tile = std::ranges::any_of(op.operands, [&](ValueId v) { return is_tile(kernel_, v); });
        if (op.kind == OpKind::cast) return true;
        const bool scalar = op.kind == OpKind::constant || op.kind == OpKind::dim || is_element(op.kind);
        return !tile && scalar && op.regions.empty();
    }

    // The next sum of `sum`, by a product, a loop, or a branch of which the other goes on with what there is.
    bool carries(OpId id, ValueId sum) {
        const Op& op = kernel_.op(id);
        if (op.kind == OpKind::mma) {
            if (product || uses_.of(sum).size() != 1 || MmaOp(kernel_, id).accumulator() != sum) return false;
            product = id;
            return true;
        }
        if (op.kind == OpKind::for_) {
            const ForOp inner(kernel_, id);
            return inner.inits().size() == 1 && inner.inits()[0] == sum && uses_.of(sum).size() == 1 && loop(id);
        }
        if (op.kind != OpKind::if_) return false;
        const IfOp branch(kernel_, id);
        const auto otherwise = yielded(kernel_, branch.otherwise());
        return otherwise.size() == 1 && otherwise[0] == sum && kernel_.region(branch.otherwise()).ops.size() == 1 &&
               uses_.of(sum).size() == 2 && then(branch.then(), sum);
    }

    // As `region`, its own use of the sum beside that of the other branch.
    bool then(RegionId region, ValueId sum) {
        const auto results = yielded(kernel_, region);
        if (results.size() != 1 || uses_.of(results[0]).size() != 1) return false;
        std::optional<OpId> next;
        for (OpId id : kernel_.region(region).ops) {
            const Op& op = kernel_.op(id);
            if (op.kind == OpKind::yield || reads_only(op)) continue;
            if (next || op.kind != OpKind::for_) return false;
            next = id;
        }
        if (!next || kernel_.op(*next).results != std::vector<ValueId>{results[0]}) return false;
        const ForOp inner(kernel_, *next);
        return inner.inits().size() == 1 && inner.inits()[0] == sum && loop(*next);
    }

    const Function& kernel_;
    const Uses& uses_;
};

}  // namespace

std::optional<OpId> load_of_operand(const Function& kernel, const Uses& uses, ValueId operand) {
    ValueId loaded = operand;
    if (const auto cast = defined_by(kernel, operand, OpKind::cast)) loaded = CastOp(kernel, *cast).from();
    if (uses.of(operand).size() != 1 || uses.of(loaded).size() != 1) return std::nullopt;
    return defined_by(kernel, loaded, OpKind::load_tile);
}

std::optional<OpId> product_of_nest(const Function& kernel, const Uses& uses, OpId id) {
    if (kernel.op(id).kind != OpKind::for_) return std::nullopt;
    const ForOp loop(kernel, id);
    if (loop.inits().size() != 1 || !is_tile(kernel, loop.inits()[0]) || !is_zero(kernel, loop.inits()[0]))
        return std::nullopt;
    NestReader reader(kernel, uses);
    if (!reader.loop(id) || reader.loops < 2 || !reader.product) return std::nullopt;
    const MmaOp product(kernel, *reader.product);
    const RegionId body = product.op().parent;
    const OpId around = kernel.region(body).parent;
    if (product.a_transposed() || product.b_transposed() || kernel.op(around).kind != OpKind::for_) return std::nullopt;
    const ForOp innermost(kernel, around);
    if (constant_integer(kernel, innermost.lower()) != 0) return std::nullopt;
    const auto a = load_of_operand(kernel, uses, product.a());
    const auto b = load_of_operand(kernel, uses, product.b());
    if (!a || !b || kernel.op(*a).parent != body || kernel.op(*b).parent != body) return std::nullopt;
    const TileViewOp view(kernel, *b);
    const Type& memory = kernel.type(view.memory());
    const bool rows = memory.kind == TypeKind::tensor && bits(memory.elem) >= 8 && !view.fill() &&
                      view.axes().size() == 2 && view.axes()[1] + 1 == static_cast<int64_t>(memory.rank()) &&
                      view.axes()[0] < view.axes()[1] &&
                      view.starts()[static_cast<size_t>(view.axes()[0])] == innermost.iv();
    return rows ? reader.product : std::nullopt;
}

}  // namespace tsr::ir
