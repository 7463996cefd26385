#include "ir/passes/autodiff/kernel_graph.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "ir/build/builder.h"
#include "ir/build/products.h"
#include "ir/ops/bound_dim.h"
#include "ir/ops/control.h"
#include "ir/ops/memory.h"
#include "ir/ops/record.h"
#include "ir/ops/register.h"
#include "ir/ops/tile.h"
#include "ir/passes/autodiff/control.h"
#include "ir/passes/autodiff/types.h"
#include "ir/passes/tile/classify.h"
#include "ir/passes/tile/domain.h"

namespace tsr::ir::autodiff {

namespace {

// An axis for each loop whose rounds are done together: a value of the body has those that it depends on, the outer
// ones first, and behind them the axes of a register tile.
using Axes = std::vector<size_t>;

// An index: start + stride * the round along an axis. Without an axis it is the start.
struct Line {
    std::optional<size_t> axis;
    int64_t stride = 0;
    ValueId start;  // a number of type index
};

// A value of the kernel in the graph. Indices with axes are i64, others stay numbers of type index.
struct Held {
    ValueId id;
    Axes axes;
    std::vector<Dim> tile;
    std::optional<Line> line;
    [[nodiscard]] bool is_number() const { return axes.empty() && tile.empty(); }
};

struct Refused {};  // a message was given

class KernelGraph {
public:
    KernelGraph(const Function& kernel, Diagnostics& said) : kernel_(kernel), said_(said), root_(out_), at_(&root_) {}

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
            .note("`defvjp` gives a function that launches the kernel a derivative of its own");
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
            std::optional<ValueId> largest;
            for (const ValueId limit : limits_) {
                const ValueId one = at_->cast(computed_early(limit).id, DType::index);
                largest = largest ? at_->maximum(*largest, one) : one;
            }
            count = extent_of(*largest);
        }
        if (!count) {
            for (const auto& [param, made] : memory_) {
                if (!kernel_.type(param).mut) continue;
                if (count) refuse(op, "the kernel writes several tensors and does not say how many tiles it has");
                count = element_count(kernel_.type(param).shape);
            }
        }
        if (!count) refuse(op, "the kernel does not say how many tiles it has");
        nest_.insert(nest_.begin(), new_axis(*count));
        tiles_ = rounds(nest_[0], at_->index(0), 1);
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

    // ---- axes ----
    size_t new_axis(const Dim& extent) {
        extents_.push_back(extent);
        return extents_.size() - 1;
    }

    // A dimension with the value of a number: a formula, or a symbol that gets the value here.
    Dim extent_of(ValueId value) {
        if (auto known = dimension_of(out_, value)) return *known;
        const Dim symbol = make_symbol(out_, "rounds");
        at_->value(OpKind::dim, {at_->maximum(value, at_->index(0))}, {{Attr::dim, symbol}});
        return symbol;
    }

    Held number(ValueId id) {
        Held held{id, {}, {}, {}};
        if (out_.type(id).is_scalar() && out_.type(id).elem == DType::index) held.line = Line{std::nullopt, 0, id};
        return held;
    }

    Held rounds(size_t axis, ValueId start, int64_t stride) {
        const ValueId numbers = at_->value(OpKind::positions, {},
                                           {{Attr::shape, std::vector<Dim>{extents_[axis]}}, {Attr::type, DType::i64}});
        const Held first = number(at_->cast(start, DType::i64)), by = number(at_->constant(stride, DType::i64));
        Held line{numbers, {axis}, {}, {}};
        line = element(OpKind::add, {element(OpKind::mul, {line, by}), first});
        line.line = Line{axis, stride, start};
        return line;
    }

    [[nodiscard]] std::vector<Dim> shape_of(const Axes& axes, const std::vector<Dim>& tile) const {
        std::vector<Dim> shape;
        for (const size_t axis : axes) shape.push_back(extents_[axis]);
        shape.insert(shape.end(), tile.begin(), tile.end());
        return shape;
    }

    static Axes joined(const Axes& a, const Axes& b) {
        Axes all;
        std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
        return all;
    }

    // Indices have axes as i64.
    ValueId wide(ValueId id) { return out_.type(id).elem == DType::index ? at_->cast(id, DType::i64) : id; }

    // The value with these axes, of which it has some. A number is repeated in the tile, too.
    ValueId spread(const Held& v, const Axes& axes, const std::vector<Dim>& tile) {
        const std::vector<Dim> shape = shape_of(axes, tile);
        if (v.axes == axes && v.tile.size() == tile.size()) return shape.empty() ? v.id : wide(v.id);
        if (v.is_number()) return at_->value(OpKind::full, {wide(v.id)}, {{Attr::shape, shape}});
        std::vector<int64_t> to;
        for (const size_t axis : v.axes) {
            const auto place = std::find(axes.begin(), axes.end(), axis);
            to.push_back(place - axes.begin());
        }
        for (size_t i = 0; i < v.tile.size(); ++i) to.push_back(static_cast<int64_t>(axes.size() + i));
        return at_->value(OpKind::expand, {wide(v.id)}, {{Attr::axes, to}, {Attr::shape, shape}});
    }

    Held element(OpKind kind, const std::vector<Held>& operands, Attrs attrs = {}) {
        Held made;
        for (const Held& operand : operands) {
            made.axes = joined(made.axes, operand.axes);
            if (made.tile.empty()) made.tile = operand.tile;
        }
        if (made.is_number()) {
            Values numbers;
            for (const Held& operand : operands) numbers.push_back(operand.id);
            return number(at_->value(kind, std::move(numbers), std::move(attrs)));
        }
        if (attrs.has(Attr::type) && attrs.dtype(Attr::type) == DType::index) attrs.set(Attr::type, DType::i64);
        Values all;
        for (const Held& operand : operands) all.push_back(spread(operand, made.axes, made.tile));
        made.id = at_->value(kind, std::move(all), std::move(attrs));
        return made;
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

    [[nodiscard]] bool is_zero(ValueId value) const {
        const auto known = dimension_of(out_, value);
        return known && known->constant_value() == 0;
    }

    // ---- elements of memory ----
    ValueId& tensor(OpId op, ValueId memory) {
        const auto found = memory_.find(memory);
        if (found == memory_.end()) refuse(op, "memory of a thread block, or of each tile");
        return found->second;
    }

    // Where each element of a block of memory stands, and whether it is one. `tiled`: which axis of the block an axis
    // of the memory runs along.
    struct Places {
        Held place;                  // in the elements in order
        std::optional<Held> inside;  // nothing: all are
    };
    Places places(const std::vector<Dim>& shape, const std::vector<Held>& starts, const std::vector<size_t>& tiled,
                  const std::vector<Dim>& tile) {
        Places made;
        std::optional<Held> sum;
        for (size_t axis = 0; axis < shape.size(); ++axis) {
            Held index = element(OpKind::cast, {starts[axis]}, {{Attr::type, DType::i64}});
            const Held extent = number(at_->cast(at_->dim(shape[axis]), DType::i64));
            const auto along = std::find(tiled.begin(), tiled.end(), axis);
            if (along != tiled.end()) {
                index = element(OpKind::add, {index, numbers_along(along - tiled.begin(), tile, DType::i64)});
            }
            if (!tile.empty()) {
                const Held zero = number(at_->constant(0, DType::i64));
                const Held here = element(OpKind::bit_and,
                                          {element(OpKind::ge, {index, zero}), element(OpKind::lt, {index, extent})});
                made.inside = made.inside ? element(OpKind::bit_and, {*made.inside, here}) : here;
            }
            sum = sum ? element(OpKind::add, {element(OpKind::mul, {*sum, extent}), index}) : index;
        }
        made.place = sum ? *sum : number(at_->constant(0, DType::i64));
        if (mask_) made.inside = made.inside ? element(OpKind::bit_and, {*made.inside, *mask_}) : *mask_;
        return made;
    }

    // The numbers along an axis of a register tile.
    Held numbers_along(std::ptrdiff_t axis, const std::vector<Dim>& tile, DType type) {
        const std::vector<Dim> line{tile[static_cast<size_t>(axis)]};
        ValueId made = at_->value(OpKind::positions, {}, {{Attr::shape, line}, {Attr::type, type}});
        if (tile.size() > 1)
            made = at_->value(OpKind::expand, {made},
                              {{Attr::axes, std::vector<int64_t>{static_cast<int64_t>(axis)}}, {Attr::shape, tile}});
        return {made, {}, tile, {}};
    }

    // Of places that are one number: with an axis of one.
    std::string letters(const Held& ids) {
        std::string all(std::max<size_t>(ids.axes.size() + ids.tile.size(), 1), 'a');
        std::iota(all.begin(), all.end(), 'a');
        return "z," + all + "->" + all;
    }
    ValueId with_axis(const Held& v) {
        if (!v.is_number()) return v.id;
        return at_->value(OpKind::full, {wide(v.id)}, {{Attr::shape, std::vector<Dim>{Dim::constant(1)}}});
    }
    ValueId as_line(ValueId tensor) {
        const std::vector<Dim> shape = out_.type(tensor).shape;
        if (shape.size() == 1) return tensor;
        return at_->value(OpKind::reshape, {tensor}, {{Attr::shape, std::vector<Dim>{element_count(shape)}}});
    }
    // The place, or none where nothing is read or written.
    Held guarded(const Places& of) {
        if (!of.inside) return of.place;
        return element(OpKind::select, {*of.inside, of.place, number(at_->constant(-1, DType::i64))});
    }

    Held gathered(ValueId x, const Places& of) {
        const Held ids = guarded(of);
        const ValueId found = at_->value(OpKind::gather_axis, {as_line(x), with_axis(ids)},
                                         {{Attr::letters, letters(ids)}, {Attr::outside, kFlag}});
        if (!ids.is_number()) return {found, ids.axes, ids.tile, {}};
        return number(at_->value(OpKind::reshape, {found}, {{Attr::shape, std::vector<Dim>{}}}));
    }

    void scattered(ValueId& x, const Places& of, const Held& value, std::optional<ReduceOp> how) {
        Places all = of;
        all.place = {spread(of.place, nest_, of.place.tile), nest_, of.place.tile, {}};
        if (nest_.empty() && of.place.tile.empty()) all.place = of.place;
        const Held ids = guarded(all);
        const Held values = ids.is_number() ? value : Held{spread(value, ids.axes, ids.tile), ids.axes, ids.tile, {}};
        Attrs attrs{{Attr::letters, letters(ids)}, {Attr::outside, kFlag}};
        if (how) attrs.set(Attr::op, static_cast<int64_t>(*how));
        const std::vector<Dim> shape = out_.type(x).shape;
        const ValueId into = as_line(x);
        x = at_->value(OpKind::scatter_axis, {into, with_axis(ids), with_axis(values)}, std::move(attrs));
        if (shape.size() != 1) x = at_->value(OpKind::reshape, {x}, {{Attr::shape, shape}});
    }

    // Each index runs along an axis of its own, or along none.
    static bool is_block(const std::vector<Held>& indices) {
        std::set<size_t> seen;
        return std::ranges::all_of(indices, [&](const Held& index) {
            return index.line &&
                   (!index.line->axis || (index.line->stride == 1 && seen.insert(*index.line->axis).second));
        });
    }

    // The axes in the order of the memory, and a permutation that sorts them.
    struct Order {
        Axes axes;
        std::vector<int64_t> sorted;
    };
    static Order order_of(const std::vector<Held>& indices) {
        Order order;
        for (const Held& index : indices) {
            if (index.line->axis) order.axes.push_back(*index.line->axis);
        }
        order.sorted.resize(order.axes.size());
        std::iota(order.sorted.begin(), order.sorted.end(), 0);
        std::ranges::sort(order.sorted, {}, [&](int64_t i) { return order.axes[static_cast<size_t>(i)]; });
        return order;
    }
    ValueId permuted(ValueId value, const std::vector<int64_t>& axes) {
        if (std::ranges::is_sorted(axes)) return value;
        return at_->value(OpKind::transpose, {value}, {{Attr::axes, axes}});
    }

    struct Block {
        Values starts;
        std::vector<Dim> shape;
        bool whole = true;
    };
    Block block_of(const std::vector<Held>& indices, const std::vector<Dim>& shape) {
        Block block;
        for (size_t i = 0; i < indices.size(); ++i) {
            const Line& line = *indices[i].line;
            block.starts.push_back(line.start);
            block.shape.push_back(line.axis ? extents_[*line.axis] : Dim::constant(1));
            block.whole = block.whole && is_zero(line.start) && block.shape.back() == shape[i];
        }
        return block;
    }

    Held read(OpId op, ValueId memory, const std::vector<Held>& indices) {
        const ValueId x = tensor(op, memory);
        const std::vector<Dim> shape = out_.type(x).shape;
        if (mask_ || !is_block(indices) || indices.empty()) return gathered(x, places(shape, indices, {}, {}));
        const Block block = block_of(indices, shape);
        const Order order = order_of(indices);
        ValueId value = x;
        if (!block.whole) {
            Values operands{x};
            operands.insert(operands.end(), block.starts.begin(), block.starts.end());
            value = at_->value(OpKind::slice, std::move(operands), {{Attr::shape, block.shape}});
        }
        if (order.axes.size() != shape.size())
            value = at_->value(OpKind::reshape, {value}, {{Attr::shape, shape_of(order.axes, {})}});
        if (order.axes.empty()) return number(value);
        Held held{permuted(value, order.sorted), order.axes, {}, {}};
        std::ranges::sort(held.axes);
        return held;
    }

    void write(OpId op, ValueId memory, const Held& value, const std::vector<Held>& indices,
               std::optional<ReduceOp> how) {
        ValueId& x = tensor(op, memory);
        const std::vector<Dim> shape = out_.type(x).shape;
        Order order;
        bool block = !mask_ && !how && is_block(indices) && !indices.empty();
        if (block) {
            order = order_of(indices);
            Axes sorted = order.axes;
            std::ranges::sort(sorted);
            block = sorted == nest_;  // each round has an element of its own
        }
        if (!block) return scattered(x, places(shape, indices, {}, {}), value, how);
        const Block at = block_of(indices, shape);
        std::vector<int64_t> back(order.sorted.size());
        for (size_t i = 0; i < back.size(); ++i) back[static_cast<size_t>(order.sorted[i])] = static_cast<int64_t>(i);
        ValueId made = permuted(spread(value, nest_, {}), back);
        if (out_.type(made).is_scalar()) {
            made = at_->value(OpKind::full, {made}, {{Attr::shape, at.shape}});
        } else if (order.axes.size() != shape.size()) {
            made = at_->value(OpKind::reshape, {made}, {{Attr::shape, at.shape}});
        }
        if (at.whole) {
            x = made;
            return;
        }
        Values operands{x, made};
        operands.insert(operands.end(), at.starts.begin(), at.starts.end());
        x = at_->value(OpKind::update, std::move(operands));
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
        const auto letters_of = [](const Axes& axes) {
            std::string all;
            for (const size_t axis : axes) all += static_cast<char>('A' + axis);
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
                return set(read(id, read_op.memory(), held(read_op.indices())));
            }
            case OpKind::write: {
                const WriteOp write_op(kernel_, id);
                return write(id, write_op.memory(), values_.at(write_op.value()), held(write_op.indices()), {});
            }
            case OpKind::atomic: {
                const AtomicUpdateOp update(kernel_, id);
                const auto how = combining(update.what());
                if (!how || is_used(op.results[0])) break;
                return write(id, update.memory(), values_.at(update.value()), held(update.indices()), how);
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
    Function out_;
    Builder root_;
    Builder* at_;  // where operations are made now
    std::map<ValueId, Held> values_;
    std::map<ValueId, ValueId> memory_;  // what stands in each tensor now
    std::vector<Dim> extents_;           // of each axis
    Axes nest_;                          // of the loops around
    std::optional<Held> mask_;           // where what is read and written is done at all
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
