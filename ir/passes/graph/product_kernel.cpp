#include "ir/passes/graph/product_kernel.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "ir/build/builder.h"
#include "ir/ops/graph.h"
#include "ir/passes/graph/axis_map.h"

namespace tsr::ir {

namespace {

constexpr int64_t kRows = 64, kColumns = 128, kDepth = 64;  // of a block of the result; of one step of its sum
// Of floats of 8 bits or fewer, which GPUs without such products widen in registers, and of f64, which takes twice as
// many.
constexpr int64_t kShortDepth = 32;

class ProductKernelMaker {
public:
    explicit ProductKernelMaker(const Function& fused)
        : fused_(fused),
          contract_(fused, product_in(fused)),
          axes_(product_axes(contract_)),
          letters_(contract_.letters()),
          root_(out_.kernel),
          builder_(&root_) {}

    FusedKernel run() {
        out_.begin(fused_, true);
        add_parameters();
        root_.to_end_of(out_.kernel.body);
        root_.set_place(out_.kernel.place);
        zero_ = builder_->index(0);
        one_ = builder_->index(1);
        at_.resize(letters_.result.size());
        choose_blocks();
        loops(0);
        builder_->yield({});
        return std::move(out_);
    }

private:
    // Parameters have the shapes that the fused function has.
    void add_parameters() {
        for (ValueId param : fused_.params()) {
            const Value& value = fused_.value(param);
            if (value.role.kind == ParamRole::Kind::dimension) continue;
            inputs_[param] = out_.add_parameter(value.type, false, value.name);
        }
        for (ValueId result : yielded(fused_, fused_.body))
            outputs_.push_back(out_.add_parameter(fused_.type(result), true, fused_.value(result).name));
    }

    // ---- loops ----
    Dim extent_of(char letter) const {
        const bool in_a = letters_.a.find(letter) != std::string_view::npos;
        const Type& type = fused_.type(in_a ? contract_.a() : contract_.b());
        return type.shape[(in_a ? letters_.a : letters_.b).find(letter)];
    }
    int64_t block_extent(char letter, int64_t most) const {
        const auto extent = extent_of(letter).constant_value();
        return extent && *extent > 0 ? std::min(*extent, most) : most;
    }
    // What is asked for says the rows of a first.
    void choose_blocks() {
        if (const auto asked = contract_.blocks()) {
            block_ = {*(*asked)[axes_.swapped ? 1 : 0].constant_value(),
                      *(*asked)[axes_.swapped ? 0 : 1].constant_value()};
            depth_ = *(*asked)[2].constant_value();
            return;
        }
        block_ = {block_extent(axes_.row, kRows), block_extent(axes_.column, kColumns)};
        const DType a = fused_.type(contract_.a()).elem, b = fused_.type(contract_.b()).elem;
        const bool in_registers = (is_storage_only(a) && is_storage_only(b)) || a == DType::f64;
        depth_ = block_extent(axes_.sum, in_registers ? kShortDepth : kDepth);
    }
    size_t axis_in_result(char letter) const { return letters_.result.find(letter); }

    template <typename Fill>
    Values inside(Builder& body, Fill&& fill) {
        Builder* const outer = std::exchange(builder_, &body);
        Values result = fill();
        builder_ = outer;
        return result;
    }

    void loops(size_t axis) {
        if (axis == letters_.result.size()) return block();
        const char letter = letters_.result[axis];
        const int64_t step = letter == axes_.row ? block_[0] : letter == axes_.column ? block_[1] : 1;
        Attrs attrs{{Attr::loop, static_cast<int64_t>(LoopKind::tile_range)}};
        if (axis > 0) attrs.set(Attr::axis, static_cast<int64_t>(axis));
        const ValueId extent = builder_->dim(out_.renamed(extent_of(letter)));
        builder_->for_(zero_, extent, builder_->index(step), {}, attrs, [&](Builder& body, ValueId iv, const Values&) {
            return inside(body, [&] {
                at_[axis] = iv;
                loops(axis + 1);
                return Values{};
            });
        });
    }

    void block() {
        values_[contract_.result()] = sum();
        const ValueSpan results = yielded(fused_, fused_.body);
        for (size_t i = 0; i < results.size(); ++i) store(outputs_[i], results[i]);
        values_.clear();
    }

    // A result has the long axes of the product in their order; axes of one element may have been added or left out.
    void store(ValueId memory, ValueId result) {
        const std::vector<Dim> shape = fused_.type(result).shape;
        const std::vector<size_t> long_axes = long_result_axes();
        const std::array<size_t, 2> of_block{axis_in_result(axes_.row), axis_in_result(axes_.column)};
        std::array<std::optional<int64_t>, 2> places;  // of the block's rows and columns in the result
        Values starts;
        std::vector<int64_t> short_axes;
        size_t next = 0;
        for (size_t axis = 0; axis < shape.size(); ++axis) {
            if (shape[axis].constant_value() == 1) {
                short_axes.push_back(static_cast<int64_t>(axis));
                starts.push_back(zero_);
                continue;
            }
            const size_t own = long_axes[next++];
            starts.push_back(at_[own]);
            for (size_t side : {0, 1}) {
                if (of_block[side] == own) places[side] = static_cast<int64_t>(axis);
            }
        }
        ValueId tile = computed_value(result);
        next = 0;
        for (size_t side : {1, 0}) {
            if (places[side]) continue;
            if (next < short_axes.size()) {
                places[side] = short_axes[short_axes.size() - ++next];
            } else {
                tile = without_axis(tile, static_cast<int64_t>(side));
            }
        }
        std::vector<int64_t> axes;
        for (const auto& place : places) {
            if (place) axes.push_back(*place);
        }
        if (axes.empty()) {
            builder_->write(memory, tile, starts);
            return;
        }
        if (axes.size() == 2 && axes[0] > axes[1]) {
            tile = builder_->value(OpKind::transpose, {tile});
            std::swap(axes[0], axes[1]);
        }
        Values operands{memory, tile};
        operands.insert(operands.end(), starts.begin(), starts.end());
        builder_->emit(OpKind::store_tile, std::move(operands), {{Attr::axes, axes}});
    }

    // An axis of one element is left out: what the greatest of it is, it is.
    ValueId without_axis(ValueId tile, int64_t axis) {
        const ReduceOp greatest = out_.kernel.type(tile).elem == DType::boolean ? ReduceOp::any : ReduceOp::max;
        return builder_->value(OpKind::reduce, {tile},
                               {{Attr::op, static_cast<int64_t>(greatest)}, {Attr::axis, axis}});
    }

    ValueId sum() {
        const DType type = contract_.accumulates();
        const ValueId start =
            repeated(is_float(type) ? builder_->constant(0.0, type) : builder_->constant(int64_t{0}, type));
        return summed(0, start);
    }

    // The sum so far and what the loops from the `number`th on add: one for each summed letter, the depth innermost.
    ValueId summed(size_t number, ValueId so_far) {
        const bool innermost = number == axes_.others.size();
        const char letter = innermost ? axes_.sum : axes_.others[number];
        const ValueId extent = builder_->dim(out_.renamed(extent_of(letter)));
        const int64_t step = innermost ? depth_ : 1;
        const OpId loop = builder_->for_(
            zero_, extent, builder_->index(step), {so_far}, {{Attr::loop, static_cast<int64_t>(LoopKind::tile_range)}},
            [&](Builder& body, ValueId k, const Values& carried) {
                return inside(body, [&] {
                    summed_at_[letter] = k;
                    return Values{innermost ? with_product(step, carried[0]) : summed(number + 1, carried[0])};
                });
            });
        return out_.kernel.op(loop).results[0];
    }

    ValueId with_product(int64_t depth, ValueId so_far) {
        const auto [a, a_turned] = operand(!axes_.swapped, axes_.row, depth);
        const auto [b, b_turned] = operand(axes_.swapped, axes_.column, depth);
        Attrs attrs{{Attr::type, contract_.accumulates()}};
        if (a_turned) attrs.set_flag(Attr::a_transposed);
        if (!b_turned) attrs.set_flag(Attr::b_transposed);
        if (contract_.in_tf32()) attrs.set_flag(Attr::tf32);
        return builder_->value(OpKind::mma, {a, b, so_far}, std::move(attrs));
    }

    // A block of an operand, and whether the summed axis stands before the other in it.
    std::pair<ValueId, bool> operand(bool is_a, char other, int64_t depth) {
        const std::string_view letters = is_a ? letters_.a : letters_.b;
        Values operands{inputs_.at(is_a ? contract_.a() : contract_.b())};
        std::vector<int64_t> axes;
        std::vector<Dim> shape;
        bool sum_first = false;
        for (size_t axis = 0; axis < letters.size(); ++axis) {
            const char letter = letters[axis];
            const auto summed = summed_at_.find(letter);
            operands.push_back(summed != summed_at_.end() ? summed->second : at_[axis_in_result(letter)]);
            if (letter != axes_.sum && letter != other) continue;
            sum_first = sum_first || (axes.empty() && letter == axes_.sum);
            axes.push_back(static_cast<int64_t>(axis));
            shape.push_back(Dim::constant(letter == axes_.sum ? depth : block_[other == axes_.row ? 0 : 1]));
        }
        return {builder_->value(OpKind::load_tile, std::move(operands), {{Attr::shape, shape}, {Attr::axes, axes}}),
                sum_first};
    }

    // ---- what else is computed on the block ----
    std::vector<Dim> block_shape() const { return {Dim::constant(block_[0]), Dim::constant(block_[1])}; }
    ValueId repeated(ValueId value, const std::vector<int64_t>& axes = {}) {
        return builder_->value(OpKind::expand, {value}, {{Attr::shape, block_shape()}, {Attr::axes, axes}});
    }

    ValueId computed_value(ValueId v) {
        if (const auto known = values_.find(v); known != values_.end()) return known->second;
        const OpId id = fused_.value(v).op;
        Values operands;
        for (const AxisMap& source : sources_of(fused_, id)) operands.push_back(element_of(source));
        const Op& op = fused_.op(id);
        builder_->set_place(op.place);
        // Along an axis of one element: the block has no such axis.
        if (op.kind == OpKind::reduce) return values_[v] = builder_->cast(operands.front(), fused_.type(v).elem);
        return values_[v] = builder_->value(op.kind, std::move(operands), op.attrs);
    }

    ValueId element_of(const AxisMap& source) {
        const ValueId base = source.base;
        if (fused_.type(base).is_scalar()) {
            if (const auto input = inputs_.find(base); input != inputs_.end()) return repeated(input->second);
            return repeated(builder_->value(OpKind::constant, {}, fused_.op(fused_.value(base).op).attrs));
        }
        return inputs_.contains(base) ? loaded(source) : computed_value(base);
    }

    // Which axes of the result are long.
    std::vector<size_t> long_result_axes() const {
        std::vector<size_t> all;
        const Type& type = fused_.type(contract_.result());
        for (size_t axis = 0; axis < type.rank(); ++axis) {
            if (type.shape[axis].constant_value() != 1) all.push_back(axis);
        }
        return all;
    }

    ValueId loaded(const AxisMap& source) {
        const Type& type = fused_.type(source.base);
        const std::vector<size_t> long_axes = long_result_axes();
        const size_t row = axis_in_result(axes_.row), column = axis_in_result(axes_.column);
        const ValueId memory = inputs_.at(source.base);
        Values starts;
        std::vector<int64_t> axes, places;
        std::vector<Dim> shape;
        size_t next = 0;
        for (size_t axis = 0; axis < type.rank(); ++axis) {
            if (type.shape[axis].constant_value() == 1) {
                starts.push_back(zero_);
                continue;
            }
            const size_t result = long_axes[source.axes[next++]];
            starts.push_back(at_[result]);
            if (result != row && result != column) continue;
            axes.push_back(static_cast<int64_t>(axis));
            places.push_back(result == row ? 0 : 1);
            shape.push_back(Dim::constant(block_[static_cast<size_t>(places.back())]));
        }
        if (axes.empty()) return repeated(builder_->read(memory, starts));
        Values operands{memory};
        operands.insert(operands.end(), starts.begin(), starts.end());
        ValueId tile =
            builder_->value(OpKind::load_tile, std::move(operands), {{Attr::shape, shape}, {Attr::axes, axes}});
        if (places.size() == 1) return repeated(tile, places);
        return places[0] == 0 ? tile : builder_->value(OpKind::transpose, {tile});
    }

    const Function& fused_;
    ContractOp contract_;
    ProductAxes axes_;
    ContractOp::Letters letters_;
    FusedKernel out_;
    Builder root_;
    Builder* builder_;  // of the region where operations are made now
    ValueId zero_, one_;
    Values at_;                          // of each axis of the result: where the block begins
    std::map<char, ValueId> summed_at_;  // of each summed letter: where the step begins
    std::vector<int64_t> block_;         // its rows and columns
    int64_t depth_ = 0;                  // of a step of the sum
    std::map<ValueId, ValueId> inputs_, values_;
    Values outputs_;
};

}  // namespace

OpId product_in(const Function& fused) {
    for (OpId id : fused.region(fused.body).ops) {
        if (fused.op(id).kind == OpKind::contract) return id;
    }
    return {};
}

ProductAxes product_axes(const ContractOp& contract) {
    const ContractOp::Letters letters = contract.letters();
    ProductAxes axes;
    const auto has = [](std::string_view text, char letter) { return text.find(letter) != std::string_view::npos; };
    for (char letter : letters.result) {
        if (!has(letters.b, letter)) axes.row = letter;
        if (!has(letters.a, letter)) axes.column = letter;
    }
    axes.swapped = letters.result.find(axes.row) > letters.result.find(axes.column);
    if (axes.swapped) std::swap(axes.row, axes.column);
    for (char letter : letters.a) {
        if (has(letters.b, letter) && !has(letters.result, letter)) axes.sum = letter;
    }
    for (std::string_view operand : {letters.a, letters.b}) {
        for (char letter : operand) {
            if (letter != axes.sum && !has(letters.result, letter) && !has(axes.others, letter)) axes.others += letter;
        }
    }
    return axes;
}

FusedKernel product_kernel(const Function& fused) { return ProductKernelMaker(fused).run(); }

}  // namespace tsr::ir
