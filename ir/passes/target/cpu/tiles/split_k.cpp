#include "ir/passes/target/cpu/tiles/split_k.h"

#include <algorithm>

#include "ir/build/builder.h"
#include "ir/ops/control.h"
#include "ir/ops/effects.h"
#include "ir/ops/register.h"
#include "ir/ops/tile.h"
#include "ir/passes/target/cpu/tiles/homes.h"
#include "ir/passes/target/cpu/tiles/merge_k.h"
#include "ir/passes/target/cpu/tiles/uses.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

// The parts of a kernel whose products can be split: a grid, and in it one loop over products.
struct Split {
    OpId grid, loop;
    int64_t step = 0;
};

// From 0 in constant steps to a dimension or a constant.
std::optional<BlockAxis> axis_of(const Function& kernel, ValueId lower, ValueId upper, ValueId step) {
    const auto by = constant_integer(kernel, step);
    if (constant_integer(kernel, lower) != 0 || !by || *by <= 0) return std::nullopt;
    BlockAxis axis{-1, 0, *by};
    if (const auto known = constant_integer(kernel, upper)) {
        axis.extent = *known;
        return axis;
    }
    const auto dim = defined_by(kernel, upper, OpKind::dim);
    const auto symbol = dim ? kernel.op(*dim).attrs.dim(Attr::dim).symbol_name() : std::nullopt;
    if (!symbol) return std::nullopt;
    axis.symbol = static_cast<int32_t>(std::ranges::find(kernel.symbols, *symbol) - kernel.symbols.begin());
    return axis;
}

// Everything in the region before `end` can be computed a second time.
bool can_repeat(const Function& kernel, RegionId region, OpId end) {
    for (OpId id : kernel.region(region).ops) {
        if (id == end) return true;
        const Op& op = kernel.op(id);
        if (!op.regions.empty() || (!is_pure(op.kind) && op.kind != OpKind::load_tile)) return false;
    }
    return false;
}

// No load in the loop is of memory that the kernel writes.
bool reads_only(const Function& kernel, RegionId body) {
    std::vector<ValueId> written;
    walk(kernel, kernel.body, [&](OpId id) {
        for (const ValueId memory : written_memories(kernel, kernel.op(id)))
            written.push_back(memory_root(kernel, memory));
    });
    return std::ranges::none_of(kernel.region(body).ops, [&](OpId id) {
        if (kernel.op(id).kind != OpKind::load_tile) return false;
        const ValueId memory = TileViewOp(kernel, id).memory();
        return kernel.type(memory).kind != TypeKind::tensor || std::ranges::find(written, memory) != written.end();
    });
}

std::optional<Split> find_split(const Function& kernel) {
    Split split;
    for (OpId id : kernel.region(kernel.body).ops) {
        if (kernel.op(id).kind == OpKind::grid) split.grid = id;
    }
    if (!split.grid.valid() || !can_repeat(kernel, kernel.body, split.grid)) return std::nullopt;
    // Behind the grid nothing is done.
    const auto& ops = kernel.region(kernel.body).ops;
    const auto behind = std::ranges::find(ops, split.grid) + 1;
    if (std::any_of(behind, ops.end(), [&](OpId id) { return kernel.op(id).kind != OpKind::yield; }))
        return std::nullopt;
    const GridOp grid(kernel, split.grid);
    for (size_t axis = 0; axis < grid.axes(); ++axis) {
        if (!axis_of(kernel, grid.lower(axis), grid.upper(axis), grid.step(axis))) return std::nullopt;
    }
    size_t products = 0;
    walk(kernel, kernel.body, [&](OpId id) { products += is_product(kernel.op(id)) ? 1 : 0; });
    for (OpId id : kernel.region(grid.body()).ops) {
        if (kernel.op(id).kind == OpKind::for_ && sums_products(kernel, id)) split.loop = id;
    }
    if (!split.loop.valid() || products != 1) return std::nullopt;
    const ForOp loop(kernel, split.loop);
    const auto axis = axis_of(kernel, loop.lower(), loop.upper(), loop.step());
    if (!axis || kernel.op(split.loop).results.size() != 1) return std::nullopt;
    if (!can_repeat(kernel, grid.body(), split.loop) || !reads_only(kernel, loop.body())) return std::nullopt;
    split.step = axis->step;
    return split;
}

class Splitter {
public:
    Splitter(Function& kernel, Split split)
        : kernel_(kernel), split_(split), length_(kernel.plan->cpu().split), tile_(kernel.type(result())) {
        const GridOp grid(kernel_, split_.grid);
        for (size_t i = 0; i < grid.axes(); ++i)
            axes_.push_back(*axis_of(kernel_, grid.lower(i), grid.upper(i), grid.step(i)));
        const ForOp loop(kernel_, split_.loop);
        along_k_ = *axis_of(kernel_, loop.lower(), loop.upper(), loop.step());
        along_k_.step = length_;
        Dim blocks = count_of(along_k_);
        for (const BlockAxis& axis : axes_) blocks = blocks * count_of(axis);
        row_ = home_strides(tile_, kernel_.plan->cpu().lanes)[0];
        buffer_ = Type::tensor(tile_.elem, {blocks, tile_.shape[0], Dim::constant(row_)}, true);
    }

    PackedOperand run() {
        PackedOperand out{parts(), axes_, 0};
        out.axes.push_back(along_k_);
        out.block_bytes = *tile_.shape[0].constant_value() * row_ * ((bits(tile_.elem) + 7) / 8);
        sum_parts();
        return out;
    }

private:
    [[nodiscard]] ValueId result() const { return kernel_.op(split_.loop).results[0]; }

    [[nodiscard]] Dim count_of(const BlockAxis& axis) const {
        const Dim extent = axis.symbol < 0 ? Dim::constant(axis.extent)
                                           : Dim::symbol(kernel_.symbols[static_cast<size_t>(axis.symbol)]);
        return Dim::floor_quotient(extent + Dim::constant(axis.step - 1), Dim::constant(axis.step));
    }

    // The number of the first part of the group whose indices these are.
    ValueId first_block(Builder& builder, std::span<const ValueId> indices) const {
        ValueId number = builder.index(0);
        for (size_t i = 0; i < axes_.size(); ++i) {
            number = builder.add(builder.mul(number, builder.dim(count_of(axes_[i]))),
                                 builder.floordiv(indices[i], builder.index(axes_[i].step)));
        }
        return builder.mul(number, builder.dim(count_of(along_k_)));
    }

    // The kernel that sums parts: the same up to the loop, which runs over a part and begins with zeros.
    Function parts() {
        Function out = kernel_;
        out.name += ".parts";
        const bool names_group = out.kernel.names_group;
        out.kernel = {};
        out.kernel.names_group = names_group;
        out.kernel.packed = 1;
        const ValueId to = out.add_arg(out.body, buffer_, "parts");
        const RegionId inside = GridOp(out, split_.grid).body();
        std::vector<OpId> behind;
        bool after = false;
        for (OpId id : out.region(inside).ops) {
            if (after && out.op(id).kind != OpKind::yield) behind.push_back(id);
            after = after || id == split_.loop;
        }
        std::ranges::reverse(behind);
        for (OpId id : behind) out.remove(id);
        add_axis(out);
        const std::vector<ValueId> indices = out.region(inside).args;
        Builder builder = Builder::at(out, split_.loop);
        const ValueId from = indices.back();
        const ValueId end = ForOp(out, split_.loop).upper();
        const ValueId until = builder.minimum(builder.add(from, builder.index(length_)), end);
        const ValueId zero = is_float(tile_.elem) ? builder.constant(0.0, tile_.elem) : builder.constant(0, tile_.elem);
        const ValueId zeros =
            builder.value(OpKind::expand, {zero}, {{Attr::axes, std::vector<int64_t>{}}, {Attr::shape, tile_.shape}});
        Op& changed = out.op(split_.loop);
        changed.operands[ForOp::kLower] = from;
        changed.operands[ForOp::kUpper] = until;
        changed.operands[ForOp::kFirstInit] = zeros;
        builder.after(split_.loop);
        const ValueId none = builder.index(0);
        const ValueId part = builder.floordiv(from, builder.index(length_));
        const ValueId block = builder.add(first_block(builder, indices), part);
        builder.emit(OpKind::store_tile, {to, out.op(split_.loop).results[0], block, none, none},
                     {{Attr::axes, std::vector<int64_t>{1, 2}}});
        return out;
    }

    // The grid goes over the parts, too.
    void add_axis(Function& out) const {
        Builder builder = Builder::at(out, split_.grid);
        const Dim extent = along_k_.symbol < 0 ? Dim::constant(along_k_.extent)
                                               : Dim::symbol(out.symbols[static_cast<size_t>(along_k_.symbol)]);
        const Values more{builder.index(0), builder.dim(extent), builder.index(length_)};
        Op& grid = out.op(split_.grid);
        grid.operands.insert(grid.operands.end(), more.begin(), more.end());
        out.add_arg(grid.regions[0], Type::scalar(DType::index), "part");
    }

    // In place of the loop over k one over its parts.
    void sum_parts() {
        const ValueId from = kernel_.add_arg(kernel_.body, buffer_, "parts");
        ++kernel_.kernel.packed;
        Builder builder = Builder::at(kernel_, split_.loop);
        const ForOp loop(kernel_, split_.loop);
        const std::vector<ValueId> indices = kernel_.region(GridOp(kernel_, split_.grid).body()).args;
        const ValueId first = first_block(builder, indices);
        const ValueId init = loop.inits()[0];
        const OpId sums = builder.for_(
            builder.index(0), builder.dim(count_of(along_k_)), builder.index(1), {init}, kernel_.op(split_.loop).attrs,
            [&](Builder& body, ValueId part, const Values& carried) {
                const ValueId none = body.index(0);
                const ValueId sum = body.value(OpKind::load_tile, {from, body.add(first, part), none, none},
                                               {{Attr::shape, tile_.shape}, {Attr::axes, std::vector<int64_t>{1, 2}}});
                return Values{body.add(carried[0], sum)};
            });
        kernel_.replace_uses(result(), kernel_.op(sums).results[0]);
        kernel_.remove(split_.loop);
    }

    Function& kernel_;
    Split split_;
    int64_t length_;  // of k in a part
    Type tile_;
    std::vector<BlockAxis> axes_;  // of the grid
    BlockAxis along_k_;
    int64_t row_ = 0;  // elements from row to row
    Type buffer_;
};

}  // namespace

std::optional<int64_t> splits_k(const Function& kernel) {
    const auto split = find_split(kernel);
    return split ? std::optional(split->step) : std::nullopt;
}

PackedOperand split_k(Function& kernel) { return Splitter(kernel, *find_split(kernel)).run(); }

}  // namespace tsr::ir
