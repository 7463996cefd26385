#include "ir/passes/target/gpu/tiles/layouts.h"

#include <algorithm>
#include <functional>
#include <map>

#include "ir/passes/target/cpu/tiles/uses.h"
#include "ir/passes/target/gpu/tiles/rows.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

// So many bits of the warp's number count along an axis, or do nothing.
struct WarpBits {
    int bits;
    std::optional<size_t> along;
};
LinearMap spread_warps(const LinearMap& lanes, WarpBits first, WarpBits second) {
    auto part = [](const WarpBits& warps) {
        if (!warps.along) return LinearMap::copies(Counted::warp, warps.bits);
        return LinearMap::identity({{Counted::warp, warps.bits}}, {{axis(*warps.along), warps.bits}});
    };
    return lanes.times(part(first)).times(part(second));
}

// Tiles that lie alike.
class Classes {
public:
    ValueId find(ValueId value) {
        auto found = parent_.find(value);
        if (found == parent_.end()) return parent_[value] = value;
        if (found->second == value) return value;
        const ValueId root = find(found->second);
        return parent_[value] = root;
    }
    void join(ValueId a, ValueId b) { parent_[find(a)] = find(b); }

private:
    std::unordered_map<ValueId, ValueId> parent_;
};

// A product's accumulator, or tiles in rows.
struct Class {
    std::vector<ValueId> values;
    int64_t elements = 0;
    int bytes = 0;          // of the largest element in an access to memory
    bool row_sums = false;  // something is combined along the last axis
    std::optional<OpId> product;
    std::optional<Layout> layout;
};

// A layout that follows from another one.
struct Link {
    ValueId from, to;
    std::function<Layout(const Layout&)> derive;
};

class Assigner {
public:
    Assigner(const Function& kernel, int64_t threads, const GpuMachine& machine)
        : kernel_(kernel), warp_bits_(log2_up(threads / kWarp)), machine_(machine) {}

    TileLayouts run() {
        walk(kernel_, kernel_.body, [&](OpId id) { visit(id); });
        collect();
        std::vector<ValueId> order;
        for (const auto& [root, c] : classes_) order.push_back(root);
        std::ranges::sort(order, [&](ValueId a, ValueId b) {
            const Class &x = classes_.at(a), &y = classes_.at(b);
            if (x.product.has_value() != y.product.has_value()) return x.product.has_value();
            if (x.elements != y.elements) return x.elements > y.elements;
            return a.index < b.index;
        });
        for (ValueId root : order) {
            Class& c = classes_.at(root);
            if (c.layout) continue;
            const Coordinates shape = extents(kernel_.type(root));
            c.layout = c.product ? accumulator(c, shape) : layout_in_rows(shape, c.bytes, warp_bits_);
            follow(root);
        }
        for (const auto& [root, c] : classes_) {
            for (ValueId v : c.values) out_.of[v] = *c.layout;
        }
        for (OpId id : products_) plan_product(id);
        return std::move(out_);
    }

private:
    [[nodiscard]] bool tile(ValueId v) const { return is_tile(kernel_, v); }
    void join_all(const std::vector<ValueId>& values) {
        ValueId first;
        for (ValueId v : values) {
            if (!tile(v) || made_anywhere(v)) continue;
            if (first.valid()) joined_.join(first, v);
            first = v;
        }
    }
    // Made in every layout for nothing: no reason to lie as its other users want it.
    [[nodiscard]] bool made_anywhere(ValueId v) const {
        const OpId op = kernel_.value(v).op;
        if (!op.valid()) return false;
        const Op& made = kernel_.op(op);
        return made.kind == OpKind::tile_iota || (made.kind == OpKind::expand && !tile(ExpandOp(kernel_, op).value()));
    }

    void visit(OpId id) {
        const Op& op = kernel_.op(id);
        for (ValueId v : op.results) {
            if (tile(v)) values_.push_back(v);
        }
        for (RegionId region : op.regions) {
            for (ValueId v : kernel_.region(region).args) {
                if (tile(v)) values_.push_back(v);
            }
        }
        const Flow how = flow(op.kind);
        if (how == Flow::counted || how == Flow::repeated || how == Flow::branch) return carry(op);
        switch (axis_rule(op.kind)) {
            case AxisRule::none:
            case AxisRule::pack:  // of CPUs
            case AxisRule::move:  // of graphs
                return;
            case AxisRule::made:
                if (!is_pure(op.kind)) accesses_.push_back(id);
                return;
            case AxisRule::drop: {
                const AlongOp along(kernel_, id);
                const auto gone = static_cast<size_t>(along.axis());
                if (gone + 1 == kernel_.type(along.value()).rank()) row_sums_.push_back(along.value());
                if (tile(op.results[0])) {
                    links_.push_back(
                        {along.value(), op.results[0], [gone](const Layout& l) { return l.without_axis(gone); }});
                }
                return;
            }
            case AxisRule::repeat: {
                const ExpandOp expand(kernel_, id);
                if (tile(expand.value())) {
                    links_.push_back({expand.result(), expand.value(),
                                      [axes = expand.axes(), shape = extents(kernel_.type(expand.value()))](
                                          const Layout& l) { return before_expand(l, axes, shape); }});
                }
                return;
            }
            case AxisRule::permute: {
                auto turn = [](const Layout& l) { return l.permuted(last_two_swapped(l.rank())); };
                const TransposeOp transpose(kernel_, id);
                links_.push_back({transpose.value(), transpose.result(), turn});
                links_.push_back({transpose.result(), transpose.value(), turn});
                return;
            }
            case AxisRule::contract: {
                products_.push_back(id);
                const MmaOp product(kernel_, id);
                if (product.accumulator()) join_all({op.results[0], *product.accumulator()});
                return;
            }
            case AxisRule::along:
                return join_all({AlongOp(kernel_, id).value(), op.results[0]});
            case AxisRule::each:
                for (size_t i = 0; i < op.results.size(); ++i) join_all({op.operands[i], op.results[i]});
                return;
            case AxisRule::same:
                if (tile(op.results[0])) {
                    std::vector<ValueId> all = op.operands;
                    all.push_back(op.results[0]);
                    join_all(all);
                }
        }
    }

    static std::vector<size_t> last_two_swapped(size_t rank) {
        std::vector<size_t> order(rank);
        for (size_t i = 0; i < rank; ++i) order[i] = i;
        std::swap(order[rank - 1], order[rank - 2]);
        return order;
    }

    void carry(const Op& op) {
        const size_t bounds = op.kind == OpKind::for_ ? 3 : op.kind == OpKind::if_ ? 1 : 0;
        for (size_t i = 0; i < op.results.size(); ++i) {
            if (!tile(op.results[i])) continue;
            std::vector<ValueId> all{op.results[i]};
            if (op.kind != OpKind::if_) all.push_back(op.operands[bounds + i]);
            for (size_t number = 0; number < op.regions.size(); ++number) {
                const Region& region = kernel_.region(op.regions[number]);
                const size_t index = op.kind == OpKind::for_ ? 1 : 0;
                if (op.kind != OpKind::if_) all.push_back(region.args[index + i]);
                const bool tests = op.kind == OpKind::while_ && number == 0;
                if (!tests) all.push_back(kernel_.op(region.ops.back()).operands[i]);
            }
            join_all(all);
        }
    }

    void collect() {
        for (ValueId v : values_) {
            Class& c = classes_[joined_.find(v)];
            c.values.push_back(v);
            c.elements = element_count(kernel_.type(v));
        }
        for (OpId id : accesses_) {
            const TileViewOp view(kernel_, id);
            const ValueId value = view.loads() ? kernel_.op(id).results[0] : view.value();
            Class& c = classes_[joined_.find(value)];
            c.bytes = std::max(c.bytes, std::max(1, bits(kernel_.type(value).elem) / 8));
        }
        for (ValueId v : row_sums_) classes_[joined_.find(v)].row_sums = true;
        for (OpId id : products_) {
            classes_[joined_.find(kernel_.op(id).results[0])].product = id;
            const ValueId a = MmaOp(kernel_, id).a();
            if (tile(a)) classes_[joined_.find(a)].row_sums = true;  // an accumulator that becomes operand A
        }
        // What becomes operand A of a product has its rows where the product has them.
        for (OpId id : products_) {
            const ValueId a = MmaOp(kernel_, id).a();
            if (tile(a) && classes_[joined_.find(a)].product)
                classes_[joined_.find(kernel_.op(id).results[0])].row_sums = true;
        }
    }

    // What follows from a class that has its layout now.
    void follow(ValueId root) {
        for (const Link& link : links_) {
            if (joined_.find(link.from) != root || made_anywhere(link.to)) continue;
            const ValueId to = joined_.find(link.to);
            Class& c = classes_.at(to);
            if (c.layout || c.product) continue;
            c.layout = link.derive(*classes_.at(root).layout);
            follow(to);
        }
    }

    // Warps along rows where rows are combined, or warp groups multiply; else so that a warp's part is nearly square.
    Layout accumulator(const Class& c, const Coordinates& shape) {
        const auto product = product_of(kernel_, MmaOp(kernel_, *c.product), machine_.capability);
        const LinearMap lanes = product ? fragment(*product, Operand::accumulator) : block_of_lanes(shape);
        const int64_t least_rows = int64_t{1} << lanes.out_bits(axis(0));
        const int64_t least_columns = int64_t{1} << lanes.out_bits(axis(1));
        int row_warps = 0, column_warps = 0;
        if (by_groups(*c.product) != GroupOperand::none) row_warps = warp_bits_;
        for (int i = row_warps; i < warp_bits_; ++i) {
            const int64_t rows = shape[0] >> row_warps, columns = shape[1] >> column_warps;
            bool more_rows = rows > least_rows && (c.row_sums || rows >= columns || columns <= least_columns);
            more_rows |= columns <= least_columns;
            // Not along an axis that it would lengthen, where the other one can take it.
            const bool even_rows = rows % (2 * least_rows) == 0 && shape[0] % rows == 0;
            const bool even_columns = columns % (2 * least_columns) == 0 && shape[1] % columns == 0;
            if (more_rows ? !even_rows && even_columns && !c.row_sums : !even_columns && even_rows)
                more_rows = !more_rows;
            ++(more_rows ? row_warps : column_warps);
        }
        return Layout::covering(shape, spread_warps(lanes, {row_warps, 0}, {column_warps, 1}));
    }

    // Of a warp that multiplies by itself: a lane has four columns, so that it reads 16 bytes of a row of the second
    // operand, and rows four apart.
    [[nodiscard]] static LinearMap block_of_lanes(const Coordinates& shape) {
        const int rows = log2_up(shape[0]), columns = log2_up(shape[1]);
        const int wide = std::min(columns, 2), lane_columns = std::min(columns - wide, 3);
        const int lane_rows = std::min(rows, 5 - lane_columns);
        auto along = [](Counted counted, size_t number, int bits) {
            return LinearMap::identity({{counted, bits}}, {{axis(number), bits}});
        };
        return along(Counted::reg, 1, wide)
            .times(along(Counted::lane, 1, lane_columns))
            .times(along(Counted::lane, 0, lane_rows))
            .times(LinearMap::copies(Counted::lane, 5 - lane_columns - lane_rows))
            .times(along(Counted::reg, 0, std::min(rows - lane_rows, 2)));
    }

    // The warps as the accumulator's layout has them.
    void plan_product(OpId id) {
        const Layout& layout = out_.of.at(kernel_.op(id).results[0]);
        const auto product = product_of(kernel_, MmaOp(kernel_, id), machine_.capability);
        if (!product) return;
        ProductPlan plan{*product};
        for (Bits column : layout.atom.columns(Counted::warp)) {
            ++(layout.atom.part(column, axis(0)) != 0 ? plan.row_warps : plan.column_warps);
        }
        if (plan.column_warps == 0) plan.group = by_groups(id);
        // Where warps have no unit for products of fp8 ptxas would make those of f16 of them, and keep more in
        // registers.
        if (plan.group == GroupOperand::none && !machine_.multiplies_fp8) {
            const auto wider = warp_product(DType::f16, product->accumulator, machine_.capability);
            if (is_storage_only(product->input) && wider) plan.product = *wider;
        }
        out_.products.emplace(id, plan);
    }
    [[nodiscard]] GroupOperand by_groups(OpId id) const {
        return group_operand(kernel_, MmaOp(kernel_, id), int64_t{1} << warp_bits_, machine_);
    }

    const Function& kernel_;
    int warp_bits_;
    const GpuMachine& machine_;
    Classes joined_;
    std::vector<ValueId> values_, row_sums_;
    std::vector<OpId> accesses_, products_;
    std::vector<Link> links_;
    std::map<ValueId, Class> classes_;
    TileLayouts out_;
};

}  // namespace

TileLayouts assign_layouts(const Function& kernel, int64_t threads, const GpuMachine& machine) {
    return Assigner(kernel, threads, machine).run();
}

bool multiplies_by_groups(const TileLayouts& layouts) {
    return std::ranges::any_of(layouts.products,
                               [](const auto& product) { return product.second.group != GroupOperand::none; });
}

LinearMap operand_atom(const ProductPlan& plan, Operand operand) {
    const bool rows = operand != Operand::b, columns = operand != Operand::a;
    return spread_warps(fragment(plan.product, operand),
                        {plan.row_warps, rows ? std::optional<size_t>(0) : std::nullopt},
                        {plan.column_warps, columns ? std::optional<size_t>(1) : std::nullopt});
}

bool touches_tiles(const Function& kernel, const Op& op) {
    auto tile = [&](ValueId v) { return is_tile(kernel, v); };
    return op.regions.empty() && op.kind != OpKind::yield &&
           (std::ranges::any_of(op.operands, tile) || std::ranges::any_of(op.results, tile));
}

std::optional<int64_t> tile_threads(const Function& kernel) {
    int64_t elements = 0;
    bool product = false, rows = true;  // rows: no tile has two axes
    walk(kernel, kernel.body, [&](OpId id) {
        const Op& op = kernel.op(id);
        product |= op.kind == OpKind::mma;
        for (ValueId v : op.results) {
            if (!is_tile(kernel, v)) continue;
            elements = std::max(elements, element_count(kernel.type(v)));
            rows &= kernel.type(v).rank() < 2;
        }
    });
    if (elements == 0) return std::nullopt;
    const auto so_many = [&](int64_t each, int64_t most) {
        return std::clamp<int64_t>(int64_t{1} << log2_up(std::max<int64_t>(elements / each, 1)), kWarp, most);
    };
    if (product) return so_many(32, 256);
    // Of a long row 32 elements have room in the registers of a thread.
    return rows ? std::max(so_many(16, 256), so_many(32, 512)) : so_many(16, 256);
}

Layout before_expand(const Layout& result, const std::vector<int64_t>& axes, const Coordinates& operand_shape) {
    Layout out = result;
    for (size_t i = result.rank(); i-- > 0;) {
        const auto found = std::ranges::find(axes, static_cast<int64_t>(i));
        if (found == axes.end()) {
            out = out.without_axis(i);
        } else if (operand_shape[static_cast<size_t>(found - axes.begin())] == 1) {
            out = out.without_axis(i).with_axis(i);
        }
    }
    return out;
}

}  // namespace tsr::ir
