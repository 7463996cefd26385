#include "ir/passes/target/cpu/tiles/pack_operands.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "ir/build/clone.h"
#include "ir/ops/control.h"
#include "ir/ops/register.h"
#include "ir/ops/tile.h"
#include "ir/passes/target/cpu/tiles/homes.h"
#include "ir/passes/target/cpu/tiles/panel.h"
#include "ir/passes/target/cpu/tiles/uses.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

// A start of a view that takes whole steps from 0.
struct Stepping {
    ValueId index;
    BlockAxis axis;
    bool of_grid = false;
};

class Packer {
public:
    explicit Packer(Function& kernel) : kernel_(kernel), uses_(kernel) {}

    std::vector<PackedOperand> run() {
        std::vector<std::pair<ValueId, int64_t>> operands;
        size_t grid_axes = 0;
        walk(kernel_, kernel_.body, [&](OpId id) {
            const Op& op = kernel_.op(id);
            if (op.kind == OpKind::grid) grid_axes = GridOp(kernel_, id).axes();
            for (ValueId memory : written_memories(kernel_, op)) written_.push_back(memory_root(kernel_, memory));
            if (!is_product(op)) return;
            const MmaOp product(kernel_, id);
            operands.emplace_back(product.a(), 0);
            operands.emplace_back(product.b(), panel_columns(product, *kernel_.plan));
        });
        for (const auto& [operand, panel] : operands) pack(operand, panel, grid_axes);
        return std::move(packed_);
    }

private:
    // `panel`: the columns of a panel; 0: the operand lies in rows.
    void pack(ValueId operand, int64_t panel, size_t grid_axes) {
        const auto load = load_under(operand);
        if (!load) return;
        const TileViewOp view(kernel_, *load);
        if (kernel_.type(view.memory()).kind != TypeKind::tensor || view.fill()) return;
        if (std::ranges::find(written_, view.memory()) != written_.end()) return;
        std::vector<Stepping> steps;
        size_t shared = grid_axes;
        for (size_t axis = 0; axis < view.starts().size(); ++axis) {
            auto taken = std::ranges::find(view.axes(), static_cast<int64_t>(axis));
            const Type& tile = kernel_.type(view.result());
            const int64_t extent =
                taken == view.axes().end() ? 1 : extents(tile)[static_cast<size_t>(taken - view.axes().begin())];
            if (constant_integer(kernel_, view.starts()[axis])) continue;
            const auto stepping = stepping_of(view.starts()[axis], extent);
            if (!stepping) return;
            if (stepping->of_grid) --shared;
            steps.push_back(*stepping);
        }
        // The blocks that one group walks through lie one behind the other.
        std::ranges::stable_partition(steps, &Stepping::of_grid);
        // A block that one group alone asks for is made where it is.
        if (shared == 0 || steps.empty()) return;
        const Op made = kernel_.op(kernel_.value(operand).op);
        Block block{kernel_.type(operand), panel, 1};
        const auto shape = extents(block.tile);
        if (panel > 0) {
            block.panels = (shape[1] + panel - 1) / panel;
            block.tile.shape[1] = Dim::constant(panel);
        }
        const Type buffer = buffer_type(steps, block);
        PackedOperand out{pack_kernel(operand, steps, block, buffer), {}, 0};
        for (const Stepping& step : steps) out.axes.push_back(step.axis);
        if (panel > 0) out.axes.push_back({-1, block.panels * panel, panel});
        out.block_bytes =
            *buffer.shape[1].constant_value() * *buffer.shape[2].constant_value() * ((bits(buffer.elem) + 7) / 8);
        packed_.push_back(std::move(out));
        take_from_buffer(operand, steps, block, buffer, made.place);
    }

    // What one group of the packing kernel fills: the operand, or a panel of it.
    struct Block {
        Type tile;
        int64_t panel;   // columns; 0: the whole operand
        int64_t panels;  // of one operand
    };

    // The load at the bottom of conversions that nothing else uses.
    [[nodiscard]] std::optional<OpId> load_under(ValueId value) const {
        if (kernel_.type(value).rank() != 2 || uses_.of(value).size() != 1) return std::nullopt;
        const OpId id = kernel_.value(value).op;
        if (!id.valid()) return std::nullopt;
        const Op& op = kernel_.op(id);
        if (op.kind == OpKind::load_tile) return id;
        const bool converts = op.kind == OpKind::cast || op.kind == OpKind::transpose || op.kind == OpKind::pack_rows ||
                              (op.kind == OpKind::bit_xor && known_everywhere(BinaryOp(kernel_, op).rhs()));
        return converts ? load_under(converted(op)) : std::nullopt;
    }

    // What a conversion converts; `bit_xor` with a constant is one.
    [[nodiscard]] ValueId converted(const Op& op) const {
        if (op.kind == OpKind::cast) return CastOp(kernel_, op).from();
        if (op.kind == OpKind::transpose) return TransposeOp(kernel_, op).value();
        return op.kind == OpKind::pack_rows ? PackRowsOp(kernel_, op).value() : BinaryOp(kernel_, op).lhs();
    }

    // The constant that all elements of the tile are.
    [[nodiscard]] std::optional<int64_t> known_everywhere(ValueId value) const {
        const auto expand = defined_by(kernel_, value, OpKind::expand);
        return expand ? constant_integer(kernel_, ExpandOp(kernel_, *expand).value()) : std::nullopt;
    }

    // The index of a grid or of a loop in order, from 0 in steps of `extent` to a dimension.
    [[nodiscard]] std::optional<Stepping> stepping_of(ValueId start, int64_t extent) const {
        const Value& value = kernel_.value(start);
        const auto by = bounds_of_counter(kernel_, value);
        if (!by) return std::nullopt;
        const OpKind kind = kernel_.op(kernel_.region(value.region).parent).kind;
        if (kind == OpKind::lanes) return std::nullopt;
        if (constant_integer(kernel_, by->lower) != 0 || constant_integer(kernel_, by->step) != extent)
            return std::nullopt;
        Stepping out{start, {-1, 0, extent}, kind == OpKind::grid};
        const ValueId end = by->upper;
        if (auto known = constant_integer(kernel_, end)) {
            out.axis.extent = *known;
            return out;
        }
        const auto dim = defined_by(kernel_, end, OpKind::dim);
        const auto symbol = dim ? kernel_.op(*dim).attrs.dim(Attr::dim).symbol_name() : std::nullopt;
        if (!symbol) return std::nullopt;
        auto number = std::ranges::find(kernel_.symbols, *symbol);
        out.axis.symbol = static_cast<int32_t>(number - kernel_.symbols.begin());
        return out;
    }

    [[nodiscard]] Dim blocks_along(const BlockAxis& axis) const {
        const Dim extent = axis.symbol < 0 ? Dim::constant(axis.extent)
                                           : Dim::symbol(kernel_.symbols[static_cast<size_t>(axis.symbol)]);
        return Dim::floor_quotient(extent + Dim::constant(axis.step - 1), Dim::constant(axis.step));
    }

    [[nodiscard]] Type buffer_type(const std::vector<Stepping>& steps, const Block& block) const {
        Dim blocks = Dim::constant(block.panels);
        for (const Stepping& step : steps) blocks = blocks * blocks_along(step.axis);
        const int64_t row = block.panel > 0 ? block.panel : home_strides(block.tile, kernel_.plan->cpu().lanes)[0];
        return Type::tensor(block.tile.elem, {blocks, block.tile.shape[0], Dim::constant(row)}, true);
    }

    // The number of the block that the indices stand in.
    ValueId block_number(Builder& builder, const std::vector<Stepping>& steps,
                         const std::vector<ValueId>& indices) const {
        ValueId number;
        for (size_t i = 0; i < steps.size(); ++i) {
            const ValueId at = builder.floordiv(indices[i], builder.index(steps[i].axis.step));
            number = i == 0 ? at : builder.add(builder.mul(number, builder.dim(blocks_along(steps[i].axis))), at);
        }
        return number;
    }

    // The kernel that fills the buffer: a grid over the blocks.
    Function pack_kernel(ValueId operand, const std::vector<Stepping>& steps, const Block& block, const Type& buffer) {
        Function out = kernel_;
        out.name += ".pack" + std::to_string(packed_.size());
        out.region(out.body).ops.clear();
        out.kernel = {};
        out.kernel.packed = packed_.size() + 1;
        const ValueId to = out.add_arg(out.body, buffer, "packed");
        Builder builder = Builder::at_end(out, out.body);
        builder.take_place(kernel_.value(operand).op);
        std::vector<Builder::Axis> axes;
        for (const Stepping& step : steps) {
            const Dim end = step.axis.symbol < 0 ? Dim::constant(step.axis.extent)
                                                 : Dim::symbol(out.symbols[static_cast<size_t>(step.axis.symbol)]);
            axes.push_back({builder.index(0), builder.dim(end), builder.index(step.axis.step)});
        }
        if (block.panel > 0) {
            axes.push_back({builder.index(0), builder.index(block.panels * block.panel), builder.index(block.panel)});
        }
        builder.grid(axes, {}, [&](Builder& body, const Values& indices) {
            const ValueId column = block.panel > 0 ? indices.back() : ValueId{};
            const ValueId value = again(body, operand, steps, indices, block, column);
            const ValueId zero = body.index(0);
            ValueId number = block_number(body, steps, indices);
            if (block.panel > 0) {
                number = body.mul(number, body.index(block.panels));
                number = body.add(number, body.floordiv(column, body.index(block.panel)));
            }
            body.emit(OpKind::store_tile, {to, value, number, zero, zero}, {{Attr::axes, std::vector<int64_t>{1, 2}}});
            return Values{};
        });
        builder.yield({});
        return out;
    }

    // The operand, or its panel from `column` on, computed from the tensor.
    ValueId again(Builder& body, ValueId operand, const std::vector<Stepping>& steps, const Values& indices,
                  const Block& block, ValueId column) const {
        const ValueId memory = TileViewOp(kernel_, load_under(operand).value()).memory();
        ValueMap values{{memory, memory}};  // a parameter of both kernels
        for (size_t i = 0; i < steps.size(); ++i) values[steps[i].index] = indices[i];
        const auto columns = column_axes(operand);
        Cloner cloner(kernel_, body.function(), values);
        cloner.names = false;
        cloner.replaces = [&](Builder& at, OpId id) {
            const auto axis = columns.find(id);
            if (block.panel == 0 || axis == columns.end()) return false;
            Attrs attrs = kernel_.op(id).attrs;
            std::vector<Dim> shape = attrs.dims(Attr::shape);
            shape[axis->second] = Dim::constant(block.panel);
            attrs.set(Attr::shape, std::move(shape));
            const OpId made = cloner.make(id, std::move(attrs));
            if (kernel_.op(id).kind == OpKind::load_tile) {
                const TileViewOp view(kernel_, id);
                const size_t place = view.first_start() + static_cast<size_t>(view.axes()[axis->second]);
                const ValueId start = at.add(at.function().op(made).operands[place], column);
                at.function().op(made).operands[place] = start;
            }
            at.insert(made);
            return true;
        };
        return cloner.value(body, operand);
    }

    // Of what the operand begins with, its load and constants that are everywhere: the axis that runs along its
    // columns.
    [[nodiscard]] std::unordered_map<OpId, size_t> column_axes(ValueId operand) const {
        std::unordered_map<OpId, size_t> axes;
        size_t axis = 1;
        for (ValueId at = operand;; at = converted(kernel_.op(kernel_.value(at).op))) {
            const OpId id = kernel_.value(at).op;
            const OpKind kind = kernel_.op(id).kind;
            if (kind == OpKind::load_tile) {
                axes.emplace(id, axis);
                return axes;
            }
            if (kind == OpKind::transpose) axis = 1 - axis;
            if (kind == OpKind::bit_xor) axes.emplace(kernel_.value(BinaryOp(kernel_, id).rhs()).op, axis);
        }
    }

    // The load of the block stands for it; where it lies in panels they follow each other.
    void take_from_buffer(ValueId operand, const std::vector<Stepping>& steps, const Block& block, const Type& buffer,
                          PlaceId place) {
        const ValueId from = kernel_.add_arg(kernel_.body, buffer, "packed");
        ++kernel_.kernel.packed;
        Builder builder = Builder::at(kernel_, kernel_.value(operand).op);
        builder.set_place(place);
        std::vector<ValueId> indices;
        for (const Stepping& step : steps) indices.push_back(step.index);
        const ValueId zero = builder.index(0);
        const ValueId number = builder.mul(block_number(builder, steps, indices), builder.index(block.panels));
        const ValueId taken =
            builder.value(OpKind::load_tile, {from, number, zero, zero},
                          {{Attr::shape, kernel_.type(operand).shape}, {Attr::axes, std::vector<int64_t>{1, 2}}});
        // What led to the operand goes, from its end on.
        ValueId gone = operand;
        kernel_.replace_uses(operand, taken);
        while (true) {
            const OpId id = kernel_.value(gone).op;
            const Op op = kernel_.op(id);
            kernel_.remove(id);
            if (op.kind == OpKind::load_tile) break;
            gone = converted(op);
        }
    }

    Function& kernel_;
    Uses uses_;
    std::vector<ValueId> written_;
    std::vector<PackedOperand> packed_;
};

}  // namespace

std::vector<PackedOperand> pack_operands(Function& kernel) {
    return kernel.plan->cpu().pack ? Packer(kernel).run() : std::vector<PackedOperand>{};
}

}  // namespace tsr::ir
