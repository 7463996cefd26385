#include "ir/passes/autodiff/kernel_graph.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "ir/build/builder.h"
#include "ir/build/dim_code.h"
#include "ir/build/products.h"
#include "ir/ops/bound_dim.h"
#include "ir/ops/control.h"
#include "ir/ops/memory.h"
#include "ir/ops/record.h"
#include "ir/ops/register.h"
#include "ir/ops/tile.h"
#include "ir/passes/autodiff/control.h"
#include "ir/passes/autodiff/kernel_memory.h"
#include "ir/passes/tile/classify.h"
#include "ir/passes/tile/domain.h"

namespace tsr::ir::autodiff {

namespace {

struct Refused {};  // a message was given

class KernelGraph : KernelMemory {
public:
    KernelGraph(const Function& kernel, Diagnostics& said) : kernel_(kernel), said_(said) {}

    std::optional<Function> run() {
        try {
            make();
            return std::move(out_);
        } catch (const Refused&) {
            return std::nullopt;
        }
    }

private:
    void make() {
        out_.name = kernel_.name;
        out_.level = Level::graph;
        out_.share_places(kernel_);
        out_.place = kernel_.place;
        out_.symbols = kernel_.symbols;
        root_.to_end_of(out_.body);
        find_domain();
        std::vector<ValueId> written;
        std::set<std::string> given;
        for (const ValueId param : kernel_.params()) {
            const Value& value = kernel_.value(param);
            Type type = value.type;
            type.mut = false;
            const ValueId made = out_.add_arg(out_.body, type, value.name);
            if (type.kind == TypeKind::tensor) {
                memory_[param] = made;
                for (const Dim& extent : type.shape) {
                    if (const auto name = extent.symbol_name()) given.insert(*name);
                }
                if (value.type.mut) written.push_back(param);
            } else {
                values_[param] = number(made);
            }
        }
        for (const std::string& symbol : out_.symbols) {
            if (!given.contains(symbol))
                refuse(kernel_.span(), fmt::format("no tensor says how large `{}` is", symbol));
        }
        region(kernel_.body);
        Values results;
        for (const ValueId param : written) {
            results.push_back(memory_.at(param));
            out_.results.push_back(out_.type(results.back()));
        }
        root_.yield(std::move(results));
    }

    [[noreturn]] void refuse(Span at, std::string_view why) {
        said_.error("E0611", at, fmt::format("no derivative passes here: {}", why))
            .note("`@custom_vjp` on the kernel and `defvjp` give it a derivative of its own");
        throw Refused();
    }
    [[noreturn]] void refuse(OpId op, std::string_view why) { refuse(kernel_.span_of(op), why); }

    // ---- tiles of flat kernels ----
    void find_domain() {
        Function copy = kernel_;
        Diagnostics ignored;
        auto shape = classify(copy, ignored);
        if (!shape) refuse(kernel_.span(), "the kernel has an error");
        roles_ = std::move(shape->roles);
        flat_ = copy.kernel.flat;
        if (flat_) limits_ = find_guards(kernel_).limits;
    }

    // All tiles, of which the largest guard says the number, or the elements of the one tensor that is written.
    Held all_tiles(OpId op) {
        if (!flat_ || kernel_.op(op).attrs.has(Attr::axis))
            refuse(op, fmt::format("`{}` numbers the tiles of a group", name(kernel_.op(op).kind)));
        if (tiles_) return *tiles_;
        std::optional<Dim> count;
        for (const Dim& header : kernel_.kernel.header_tiles) count = count ? *count * header : header;
        if (!count && !limits_.empty()) {
            const auto as_index = [&](ValueId limit) { return at_->cast(computed_early(limit).id, DType::index); };
            ValueId largest = as_index(limits_.front());
            for (size_t i = 1; i < limits_.size(); i++) largest = at_->maximum(largest, as_index(limits_[i]));
            count = extent_of(largest);
        }
        if (!count) {
            for (const auto& [param, made] : memory_) {
                if (!kernel_.type(param).mut) continue;
                if (count) refuse(op, "the kernel writes several tensors and does not say how many tiles it has");
                count = element_count(kernel_.type(param).shape);
            }
        }
        if (!count) refuse(op, "the kernel does not say how many tiles it has");
        const auto tiles = new_axis(*count);
        nest_.insert(nest_.begin(), tiles);
        tiles_ = rounds(tiles, at_->index(0), 1);
        return *tiles_;
    }

    // A number that stands further down in the text.
    Held computed_early(ValueId value) {
        if (const auto known = values_.find(value); known != values_.end()) return known->second;
        const OpId op = kernel_.value(value).op;
        if (!op.valid()) refuse(kernel_.span(), "a guard is no number that the launch knows");
        for (const ValueId operand : kernel_.op(op).operands) computed_early(operand);
        operation(op);
        return values_.at(value);
    }

    // ---- what an index is ----
    std::optional<Line> line_of(OpId id, const std::vector<Held>& given) {
        const Op& op = kernel_.op(id);
        if (kernel_.type(op.results[0]).elem != DType::index || !kernel_.type(op.results[0]).is_scalar()) return {};
        if (op.kind == OpKind::cast && given.front().line) return given.front().line;
        if (op.kind != OpKind::add && op.kind != OpKind::sub) return {};
        const auto &a = given.front().line, &b = given.back().line;
        if (!a || !b || (a->axis && b->axis) || (op.kind == OpKind::sub && b->axis)) return {};
        const ValueId start = at_->element(op.kind, {a->start, b->start});
        return Line{a->axis ? a->axis : b->axis, a->axis ? a->stride : b->stride, start};
    }

    // ---- elements of memory ----
    ValueId& tensor(OpId op, ValueId memory) {
        const auto found = memory_.find(memory);
        if (found == memory_.end()) refuse(op, "memory of a thread block, or of each tile");
        return found->second;
    }

    // ---- register tiles ----
    static std::vector<size_t> tiled_axes(const TileViewOp& view) {
        std::vector<size_t> tiled;
        for (const int64_t axis : view.axes()) tiled.push_back(static_cast<size_t>(axis));
        return tiled;
    }

    Held load(OpId id) {
        const TileViewOp view(kernel_, id);
        const ValueId x = tensor(id, view.memory());
        const std::vector<Dim> tile = kernel_.type(kernel_.op(id).results[0]).shape;
        const Places at = places(out_.type(x).shape, held(view.starts()), tiled_axes(view), tile);
        const Held found = gathered(x, at);
        return view.fill() ? element(OpKind::select, {*at.inside, found, values_.at(*view.fill())}) : found;
    }

    void store(OpId id, std::optional<ReduceOp> how) {
        const TileViewOp view(kernel_, id);
        ValueId& x = tensor(id, view.memory());
        const Held value = values_.at(view.value());
        const std::vector<Dim> tile = kernel_.type(view.value()).shape;
        scattered(x, places(out_.type(x).shape, held(view.starts()), tiled_axes(view), tile), value, how);
    }

    Held product(OpId id) {
        const MmaOp mma(kernel_, id);
        const Held a = values_.at(mma.a()), b = values_.at(mma.b());
        Held made{{}, joined(a.axes, b.axes), kernel_.type(kernel_.op(id).results[0]).shape, {}};
        const auto letters_of = [&](const Axes& axes) {
            std::string all;
            for (const size_t axis : axes)
                all += static_cast<char>('A' + (std::ranges::find(made.axes, axis) - made.axes.begin()));
            return all;
        };
        const MakeOperation make = [&](OpKind kind, Values operands, Attrs attrs) {
            return at_->value(kind, std::move(operands), std::move(attrs));
        };
        const DType type = mma.accumulates();
        made.id = sum_of_products(
            out_, make,
            {at_->cast(a.id, type), at_->cast(b.id, type), letters_of(a.axes) + (mma.a_transposed() ? "km" : "mk"),
             letters_of(b.axes) + (mma.b_transposed() ? "nk" : "kn"), letters_of(made.axes) + "mn", type});
        return mma.accumulator() ? element(OpKind::add, {values_.at(*mma.accumulator()), made}) : made;
    }

    // Along or between axes of the tile, which stand behind those of the loops.
    Held of_axes(OpId id) {
        const Op& op = kernel_.op(id);
        const Held v = values_.at(op.kind == OpKind::expand      ? ExpandOp(kernel_, id).value()
                                  : op.kind == OpKind::transpose ? TransposeOp(kernel_, id).value()
                                                                 : AlongOp(kernel_, id).value());
        const Type& type = kernel_.type(op.results[0]);
        Held made{{}, v.axes, type.is_scalar() ? std::vector<Dim>{} : type.shape, {}};
        const auto before = static_cast<int64_t>(v.axes.size());
        Attrs attrs = op.attrs;
        if (op.kind == OpKind::expand) {
            if (v.is_number()) return {spread(v, {}, made.tile), {}, made.tile, {}};
            std::vector<int64_t> axes(v.axes.size());
            std::iota(axes.begin(), axes.end(), 0);
            if (v.tile.empty()) {
                made.id = at_->value(OpKind::expand, {v.id},
                                     {{Attr::axes, axes}, {Attr::shape, shape_of(made.axes, made.tile)}});
                return made;
            }
            for (const int64_t axis : op.attrs.integers(Attr::axes)) axes.push_back(before + axis);
            attrs.set(Attr::axes, std::move(axes));
            attrs.set(Attr::shape, shape_of(made.axes, made.tile));
        } else if (op.kind == OpKind::transpose) {
            std::vector<int64_t> axes(v.axes.size() + v.tile.size());
            std::iota(axes.begin(), axes.end(), 0);
            if (op.attrs.has(Attr::axes)) {
                for (size_t i = 0; i < v.tile.size(); ++i)
                    axes[v.axes.size() + i] = before + op.attrs.integers(Attr::axes)[i];
            } else {
                std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
            }
            attrs.set(Attr::axes, std::move(axes));
        } else {
            attrs.set(Attr::axis, before + op.attrs.integer(Attr::axis));
        }
        made.id = at_->value(op.kind, {v.id}, std::move(attrs));
        return made.is_number() ? number(made.id) : made;
    }

    // ---- control ----
    std::vector<Held> held(ValueSpan values) {
        std::vector<Held> all;
        for (const ValueId value : values) all.push_back(values_.at(value));
        return all;
    }

    std::vector<Held> region(RegionId id) {
        std::vector<Held> yields;
        for (const OpId op : kernel_.region(id).ops) {
            if (kernel_.op(op).kind == OpKind::yield) {
                yields = held({kernel_.op(op).operands.data(), kernel_.op(op).operands.size()});
            } else if (kernel_.op(op).results.empty() || !values_.contains(kernel_.op(op).results[0])) {
                operation(op);
            }
        }
        return yields;
    }

    void branch(OpId id) {
        const IfOp op(kernel_, id);
        const Held condition = values_.at(op.condition());
        const std::optional<Held> around = mask_;
        const auto side = [&](RegionId part, const Held& holds) {
            mask_ = around ? element(OpKind::bit_and, {*around, holds}) : holds;
            return region(part);
        };
        if (is_whole_guard(op.condition())) {  // all tiles that there are
            const std::vector<Held> then = region(op.then());
            for (size_t i = 0; i < then.size(); ++i) values_[kernel_.op(id).results[i]] = then[i];
            return;
        }
        const std::vector<Held> then = side(op.then(), condition);
        const std::vector<Held> otherwise = side(op.otherwise(), element(OpKind::bit_not, {condition}));
        mask_ = around;
        for (size_t i = 0; i < then.size(); ++i)
            values_[kernel_.op(id).results[i]] = element(OpKind::select, {condition, then[i], otherwise[i]});
    }

    // `tile < E` of a flat kernel, where E is the number of tiles.
    bool is_whole_guard(ValueId condition) const {
        const OpId id = kernel_.value(condition).op;
        if (!id.valid() || limits_.size() != 1 || !kernel_.kernel.header_tiles.empty()) return false;
        const Op& op = kernel_.op(id);
        const auto is_tile = [&](ValueId value) {
            const OpId by = kernel_.value(value).op;
            return by.valid() && kernel_.op(by).kind == OpKind::tile_id;
        };
        if (op.kind != OpKind::lt && op.kind != OpKind::gt) return false;
        const BinaryOp compared(kernel_, id);
        const bool less = op.kind == OpKind::lt;
        return is_tile(less ? compared.lhs() : compared.rhs()) &&
               (less ? compared.rhs() : compared.lhs()) == limits_[0];
    }

    struct Touched {
        std::set<ValueId> read, written;
    };
    void touch(RegionId id, Touched& all) const {
        for (const OpId at : kernel_.region(id).ops) {
            const Op& op = kernel_.op(at);
            for (const RegionId inner : op.regions) touch(inner, all);
            if (AccessOp::suits(op.kind)) {
                const AccessOp access(kernel_, at);
                (access.writes() ? all.written : all.read).insert(access.memory());
            } else if (TileViewOp::suits(op.kind)) {
                const TileViewOp view(kernel_, at);
                (view.loads() ? all.read : all.written).insert(view.memory());
            } else if (op.kind == OpKind::atomic) {
                all.written.insert(AtomicUpdateOp(kernel_, at).memory());
            }
        }
    }

    void loop(OpId id) {
        const ForOp op(kernel_, id);
        for (const ValueId bound : op.bounds()) {
            if (!values_.at(bound).is_number())
                refuse(id, "a loop of the kernel that has other rounds for other elements");
        }
        const auto bound = [&](ValueId value) { return at_->cast(values_.at(value).id, DType::index); };
        const ValueId lower = bound(op.lower()), upper = bound(op.upper()), step = bound(op.step());
        Touched touched;
        touch(op.body(), touched);
        const bool apart = std::ranges::none_of(touched.written, [&](ValueId x) { return touched.read.contains(x); });
        const auto by = dimension_of(out_, step);
        const bool upwards = by && by->constant_value().value_or(0) > 0;
        const bool together = op.inits().empty() && upwards && (roles_[id.index] != LoopRole::in_order || apart);
        if (together) return all_at_once(op, lower, upper, *by->constant_value());
        in_order(id, op, lower, upper, step, touched);
    }

    void all_at_once(const ForOp& op, ValueId lower, ValueId upper, int64_t step) {
        const auto from = dimension_of(out_, lower), to = dimension_of(out_, upper);
        std::optional<Dim> extent;
        if (from && to) {
            const Dim span = Dim::maximum(*to - *from, Dim()) + Dim::constant(step - 1);
            extent = from->constant_value() == 0 && step == 1 ? *to : Dim::floor_quotient(span, Dim::constant(step));
        } else {
            const ValueId span = at_->maximum(at_->sub(upper, lower), at_->index(0));
            extent = extent_of(at_->floordiv(at_->add(span, at_->index(step - 1)), at_->index(step)));
        }
        nest_.push_back(new_axis(*extent));
        values_[op.iv()] = rounds(nest_.back(), lower, step);
        region(op.body());
        nest_.pop_back();
    }

    // What it carries has the axes of all loops around; so do the tensors that it writes, as they are before each
    // round.
    void in_order(OpId id, const ForOp& op, ValueId lower, ValueId upper, ValueId step, const Touched& touched) {
        Values initial;
        std::vector<std::vector<Dim>> tiles;
        for (const ValueId init : op.inits()) {
            const Type& type = kernel_.type(init);
            tiles.push_back(type.is_scalar() ? std::vector<Dim>{} : type.shape);
            initial.push_back(spread(values_.at(init), nest_, tiles.back()));
        }
        const std::vector<ValueId> written(touched.written.begin(), touched.written.end());
        for (const ValueId memory : written) initial.push_back(tensor(id, memory));
        const auto enter = [&](const Values& now) {
            for (size_t i = 0; i < written.size(); ++i) memory_[written[i]] = now[tiles.size() + i];
        };
        const auto as_held = [&](ValueId value, size_t i) {
            return nest_.empty() && tiles[i].empty() ? number(value) : Held{value, nest_, tiles[i], {}};
        };
        Builder* const around = at_;
        const OpId made =
            at_->for_(lower, upper, step, initial, {{Attr::loop, static_cast<int64_t>(LoopKind::in_order)}},
                      [&](Builder& in, ValueId round, const Values& now) {
                          at_ = &in;
                          values_[op.iv()] = number(round);
                          enter(now);
                          for (size_t i = 0; i < tiles.size(); ++i) values_[op.carried()[i]] = as_held(now[i], i);
                          const std::vector<Held> yields = region(op.body());
                          Values next;
                          for (size_t i = 0; i < tiles.size(); ++i) next.push_back(spread(yields[i], nest_, tiles[i]));
                          for (const ValueId memory : written) next.push_back(memory_.at(memory));
                          at_ = around;
                          return next;
                      });
        const Values results = out_.op(made).results;
        enter(results);
        for (size_t i = 0; i < tiles.size(); ++i) values_[op.results()[i]] = as_held(results[i], i);
    }

    static std::optional<ReduceOp> combining(AtomicOp op) {
        if (op == AtomicOp::add) return ReduceOp::add;
        if (op == AtomicOp::min) return ReduceOp::min;
        if (op == AtomicOp::max) return ReduceOp::max;
        return std::nullopt;
    }

    bool is_used(ValueId value) const {
        for (size_t i = 0; i < kernel_.op_count(); ++i) {
            const Op& op = kernel_.op(OpId(i));
            if (op.parent.valid() && std::ranges::find(op.operands, value) != op.operands.end()) return true;
        }
        return false;
    }

    void operation(OpId id) {
        const Op& op = kernel_.op(id);
        at_->set_place(op.place);
        const auto set = [&](const Held& made) { values_[op.results[0]] = made; };
        if (is_element(op.kind)) {
            const std::vector<Held> operands = held({op.operands.data(), op.operands.size()});
            Held made = element(op.kind, operands, op.attrs);
            if (!made.is_number()) made.line = line_of(id, operands);
            return set(made);
        }
        switch (op.kind) {
            case OpKind::constant:
            case OpKind::dim:
                return set(number(at_->value(op.kind, {}, op.attrs)));
            case OpKind::print:
            case OpKind::assert_:
                return;  // the launch says it
            case OpKind::tile_id:
                return set(all_tiles(id));
            case OpKind::read: {
                const ReadOp read_op(kernel_, id);
                return set(read(tensor(id, read_op.memory()), held(read_op.indices())));
            }
            case OpKind::write: {
                const WriteOp write_op(kernel_, id);
                return write(tensor(id, write_op.memory()), values_.at(write_op.value()), held(write_op.indices()), {});
            }
            case OpKind::atomic: {
                const AtomicUpdateOp update(kernel_, id);
                const auto how = combining(update.what());
                if (!how || is_used(op.results[0])) break;
                return write(tensor(id, update.memory()), values_.at(update.value()), held(update.indices()), how);
            }
            case OpKind::load_tile:
                return set(load(id));
            case OpKind::store_tile:
                return store(id, std::nullopt);
            case OpKind::atomic_tile: {
                const auto how = combining(TileViewOp(kernel_, id).what());
                if (!how) break;
                return store(id, how);
            }
            case OpKind::tile_iota: {
                const std::vector<Dim>& tile = kernel_.type(op.results[0]).shape;
                return set(numbers_along(op.attrs.integer(Attr::axis), tile, DType::i32));
            }
            case OpKind::mma:
                return set(product(id));
            case OpKind::expand:
            case OpKind::transpose:
            case OpKind::reduce:
            case OpKind::scan:
                return set(of_axes(id));
            case OpKind::if_:
                return branch(id);
            case OpKind::for_:
                return loop(id);
            default:
                break;
        }
        refuse(id, fmt::format("`{}` in a kernel", name(op.kind)));
    }

    const Function& kernel_;
    Diagnostics& said_;
    std::map<ValueId, Held> values_;
    std::map<ValueId, ValueId> memory_;  // what stands in each tensor now
    bool flat_ = false;
    LoopRoles roles_;
    std::vector<ValueId> limits_;
    std::optional<Held> tiles_;
};

}  // namespace

std::optional<Function> kernel_as_graph(const Function& kernel, Diagnostics& said) {
    return KernelGraph(kernel, said).run();
}

}  // namespace tsr::ir::autodiff
