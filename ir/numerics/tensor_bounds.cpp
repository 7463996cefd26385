#include <algorithm>

#include <fmt/format.h>

#include "ir/numerics/function_bounds.h"
#include "ir/numerics/roundings.h"
#include "ir/ops/indexed.h"
#include "ir/ops/memory.h"
#include "ir/ops/tile.h"

namespace tsr::ir {

std::string FunctionBounds::in_parentheses(const Magnitude& magnitude) {
    const std::string text = text_or_one(magnitude);
    const bool already = magnitude.powers().size() == 1 && text.starts_with("(") && text.ends_with(")");
    return already ? text : "(" + text + ")";
}

ErrorTerms FunctionBounds::greatest(const ErrorTerms& terms) {
    return map(terms, [](const Magnitude& magnitude) {
        return magnitude.one() ? magnitude : Magnitude("max" + in_parentheses(magnitude));
    });
}

Magnitude FunctionBounds::summed(const Magnitude& of, const Seen& x, const Seen& sum) {
    if (x.nonnegative && of == x.size && x.scale == 1) return sum.size;
    return Magnitude("sum" + in_parentheses(of));
}

void FunctionBounds::move(OpId id) {
    const Op& op = fn_.op(id);
    Seen& made = seen(op.results[0]);
    const bool named = !fn_.value(op.results[0]).name.empty() && fn_.value(op.operands.front()).name.empty();
    const Magnitude own = made.size;
    made = seen(op.operands.front());
    if (named && made.error.zero() && !made.constant) made.size = own;
}

void FunctionBounds::gather_all(OpId id) {
    const Op& op = fn_.op(id);
    Seen& made = seen(op.results[0]);
    made.nonnegative = true;
    for (const ValueId v : op.operands) {
        if (!is_of_floats(v)) continue;
        join(made, seen(v));
        made.nonnegative = made.nonnegative && seen(v).nonnegative;
    }
}

Dim FunctionBounds::depth_of(const ContractOp& product) const {
    const ContractOp::Letters letters = product.letters();
    Dim depth = Dim::constant(1);
    std::string counted;
    const auto count = [&](std::string_view axes, const Type& type) {
        for (size_t i = 0; i < axes.size(); ++i) {
            if (letters.result.find(axes[i]) != std::string_view::npos) continue;
            if (counted.find(axes[i]) != std::string::npos) continue;
            counted += axes[i];
            depth = depth * type.shape[i];
        }
    };
    count(letters.a, fn_.type(product.a()));
    count(letters.b, fn_.type(product.b()));
    return depth;
}

Magnitude FunctionBounds::product_of(OpId id, const Magnitude& a, const Magnitude& b) const {
    const Op& op = fn_.op(id);
    const std::string left = text_or_one(a), right = text_or_one(b);
    if (op.kind != OpKind::contract) return Magnitude(fmt::format("({} @ {})", left, right));
    const std::string text = product_text(ContractOp(fn_, op), left, right);
    return Magnitude(text.starts_with("contract(") ? text : "(" + text + ")");
}

ErrorTerms FunctionBounds::errors_of_factors(OpId id, const Seen& a, const Seen& b) const {
    ErrorTerms error;
    for (const auto& [magnitude, coefficient] : a.error.terms()) {
        Coefficient scaled = coefficient;
        scaled *= b.scale;
        error.add(scaled, product_of(id, magnitude, b.size));
    }
    for (const auto& [magnitude, coefficient] : b.error.terms()) {
        Coefficient scaled = coefficient;
        scaled *= a.scale;
        error.add(scaled, product_of(id, a.size, magnitude));
    }
    if (roundings_of(fn_, id).size() > 1)
        error.add(Coefficient(2 * a.scale * b.scale, RoundoffUnit{kTf32Roundoff, "tf32", std::nullopt}),
                  product_of(id, a.size, b.size));
    return error;
}

void FunctionBounds::contract(OpId id, ValueId left, ValueId right, const Dim& depth, DType accumulates) {
    Seen& made = seen(fn_.op(id).results[0]);
    if (!is_float(accumulates)) return;
    const Seen &a = factor(id, left), &b = factor(id, right);
    made.nonnegative = a.nonnegative && b.nonnegative;
    const bool plain = made.nonnegative && a.scale == 1 && b.scale == 1;
    const Magnitude size = plain ? made.size : product_of(id, a.size, b.size);
    made.error = errors_of_factors(id, a, b);
    made.error.add(Coefficient(a.scale * b.scale, gamma_of(depth, accumulates)), size);
    made.unsaid.insert(a.unsaid.begin(), a.unsaid.end());
    made.unsaid.insert(b.unsaid.begin(), b.unsaid.end());
}

const FunctionBounds::Seen& FunctionBounds::factor(OpId id, ValueId v) {
    if (fn_.type(v).kind == TypeKind::buffer) seen(v) = memory(id, v);
    return seen(v);
}

Dim FunctionBounds::depth_of(const MmaOp& product) const {
    const Type& a = fn_.type(product.a());
    return a.shape[product.a_transposed() ? 0 : 1];
}

void FunctionBounds::multiply_tiles(OpId id) {
    const MmaOp product(fn_, id);
    if (!is_float(product.accumulates())) return;
    Dim depth = depth_of(product);
    const auto start = product.accumulator();
    const bool from_zero = !start || seen(*start).constant == 0;
    contract(id, product.a(), product.b(), depth, product.accumulates());
    if (from_zero) return;
    Seen& made = seen(product.result());
    made.error += seen(*start).error;
    made.error.add(Coefficient(seen(*start).scale, gamma_of(depth, product.accumulates())), seen(*start).size);
    made.unsaid.insert(seen(*start).unsaid.begin(), seen(*start).unsaid.end());
}

void FunctionBounds::combine(OpId id, ReduceOp what, const Dim& many) {
    const Op& op = fn_.op(id);
    Seen& made = seen(op.results[0]);
    const Seen& x = seen(op.operands.front());
    if (!is_of_floats(op.results[0])) return;
    made.nonnegative = x.nonnegative;
    const RoundoffUnit unit = gamma_of(many - Dim::constant(1), fn_.type(op.results[0]).elem);
    switch (what) {
        case ReduceOp::add:
            made.error = map(x.error, [&](const Magnitude& of) { return summed(of, x, made); });
            made.error.add(Coefficient(x.scale, unit), summed(x.size, x, made));
            return;
        case ReduceOp::mul:
            made.error = map(x.error, [&](const Magnitude& of) {
                return made.size * Magnitude("sum" + in_parentheses(of * x.size.power(-1)));
            });
            made.error = made.error.times(1 / x.scale, {});
            made.error.add(Coefficient(1, unit), made.size);
            return;
        case ReduceOp::min:
        case ReduceOp::max:
            made.error = greatest(x.error);
            return;
        case ReduceOp::any:
        case ReduceOp::all:
            return;
    }
}

void FunctionBounds::scatter(OpId id) {
    const Op& op = fn_.op(id);
    Seen& made = seen(op.results[0]);
    const IndexedOp indexed(fn_, id);
    const Seen &x = seen(indexed.x()), &values = seen(indexed.values());
    if (!is_of_floats(op.results[0])) return;
    made.error = x.error;
    if (!op.attrs.has(Attr::op)) {
        made.error.join(values.error);
        return;
    }
    switch (static_cast<ReduceOp>(op.attrs.integer(Attr::op))) {
        case ReduceOp::add: {
            const RoundoffUnit unit =
                gamma_of(element_count(fn_.type(indexed.ids()).shape), fn_.type(op.results[0]).elem);
            made.error += map(values.error, [](const Magnitude& of) { return Magnitude("sum" + in_parentheses(of)); });
            made.error.add(Coefficient(values.scale, unit), Magnitude("sum" + in_parentheses(values.size)));
            made.error.add(Coefficient(x.scale, unit), x.size);
            return;
        }
        case ReduceOp::min:
        case ReduceOp::max:
            made.error.join(greatest(values.error));
            return;
        default:
            return unsaid(id, "products of `scatter_axis`");
    }
}

std::optional<ValueId> FunctionBounds::root_of(ValueId v) const {
    while (const auto stage = defined_by(fn_, v, OpKind::stage)) v = StageOp(fn_, *stage).buffer();
    const bool param = std::ranges::find(fn_.params(), v) != fn_.params().end();
    return param || defined_by(fn_, v, OpKind::buffer) ? std::optional(v) : std::nullopt;
}

FunctionBounds::Seen FunctionBounds::memory(OpId id, ValueId v) {
    Seen made;
    const auto root = root_of(v);
    made.size = Magnitude("|" + text_of(root.value_or(v)) + "|");
    if (!is_of_floats(v)) return made;
    if (!root) {
        made.unsaid.insert(
            fmt::format("no bound is stated for what a buffer holds that is exchanged, {}", line_of(id)));
        return made;
    }
    read_.insert(*root);
    if (const auto written = written_.find(*root); written != written_.end()) join(made, written->second);
    return made;
}

void FunctionBounds::write(ValueId to, const Seen& value) {
    const auto root = root_of(to);
    if (!root || !is_of_floats(*root)) return;
    const auto [at, first] = written_.emplace(*root, value);
    if (first) return;
    join(at->second, value);
    if (at->second.size != value.size || at->second.scale != value.scale) {
        at->second.size = {};
        at->second.scale = 1;
    }
}

void FunctionBounds::update_atomically(OpId id) {
    const Op& op = fn_.op(id);
    for (const ValueId v : op.results) seen(v) = memory(id, op.operands.front());
    if (!is_of_floats(stored_by(id))) return;
    Seen value = seen(stored_by(id));
    if (static_cast<AtomicOp>(op.attrs.integer(Attr::op)) == AtomicOp::add) {
        value.unsaid.insert(fmt::format("no bound is stated for `{}`, {}: how many values are added is not known",
                                        name(op.kind), line_of(id)));
    }
    write(op.operands.front(), value);
}

void FunctionBounds::combine_buffer(OpId id) {
    const GroupReduceOp reduction(fn_, id);
    seen(reduction.value()) = memory(id, reduction.value());
    combine(id, reduction.what(), element_count(fn_.type(reduction.value()).shape));
}

ValueId FunctionBounds::stored_by(OpId id) const {
    const OpKind kind = fn_.op(id).kind;
    if (WriteOp::suits(kind)) return WriteOp(fn_, id).value();
    return kind == OpKind::atomic ? AtomicUpdateOp(fn_, id).value() : TileViewOp(fn_, id).value();
}

}  // namespace tsr::ir
