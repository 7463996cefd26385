#include <algorithm>

#include <fmt/format.h>

#include "ir/numerics/function_bounds.h"
#include "ir/numerics/roundings.h"
#include "ir/ops/control.h"

namespace tsr::ir {

Dim FunctionBounds::dim_of(ValueId v) {
    if (const auto dim = defined_by(fn_, v, OpKind::dim)) return DimOp(fn_, *dim).dim();
    if (seen(v).constant) return Dim::constant(static_cast<int64_t>(*seen(v).constant));
    return Dim::symbol(text_of(v));
}

bool FunctionBounds::is_sum(ValueId v, ValueId carried, const Dim& step, Additions& all) {
    if (v == carried) return true;
    const OpId id = fn_.value(v).op;
    if (!id.valid()) return false;
    const Op& op = fn_.op(id);
    const auto item = [&](const ErrorTerms& error, double scale, const Magnitude& size, const Dim& many) {
        all.error += error;
        all.sizes.emplace_back(scale, size);
        all.many = all.many + many;
        all.rounded_to.insert(fn_.type(v).elem);
        return true;
    };
    const auto plain = [&](ValueId added) {
        const Seen& x = seen(added);
        all.unsaid.insert(x.unsaid.begin(), x.unsaid.end());
        all.whole_steps = false;
        return item(x.error, x.scale, x.size, Dim::constant(1));
    };
    const ValueSpan given = op.operands;
    switch (op.kind) {
        case OpKind::add:
            if (Additions side = all; is_sum(given[0], carried, step, side)) {
                all = side;
                return plain(given[1]);
            }
            return is_sum(given[1], carried, step, all) && plain(given[0]);
        case OpKind::sub:
            return is_sum(given[0], carried, step, all) && plain(given[1]);
        case OpKind::fma: {
            if (!is_sum(given[2], carried, step, all)) return false;
            const Seen &a = seen(given[0]), &b = seen(given[1]);
            all.whole_steps = false;
            return item(product_error(a, b), a.scale * b.scale, a.size * b.size, Dim::constant(1));
        }
        case OpKind::mma: {
            const MmaOp product(fn_, op);
            if (!product.accumulator() || !is_sum(*product.accumulator(), carried, step, all)) return false;
            const Seen &a = factor(id, product.a()), &b = factor(id, product.b());
            const Dim depth = depth_of(product);
            all.whole_steps = all.whole_steps && depth == step;
            all.unsaid.insert(a.unsaid.begin(), a.unsaid.end());
            all.unsaid.insert(b.unsaid.begin(), b.unsaid.end());
            return item(errors_of_factors(id, a, b), a.scale * b.scale, product_of(id, a.size, b.size), depth);
        }
        case OpKind::cast:
            if (!is_of_floats(given[0]) || !is_sum(given[0], carried, step, all)) return false;
            if (!roundings_of(fn_, id).empty()) {
                all.rounded_to.insert(fn_.type(v).elem);
                all.many = all.many + Dim::constant(1);
            }
            return true;
        default:
            return false;
    }
}

bool FunctionBounds::is_choice(ValueId v, ValueId carried, Seen& others) {
    if (v == carried) return true;
    const OpId id = fn_.value(v).op;
    if (!id.valid()) return false;
    const Op& op = fn_.op(id);
    if (op.kind != OpKind::minimum && op.kind != OpKind::maximum) return false;
    const BinaryOp pair(fn_, id);
    for (const auto& [kept, other] : {std::pair(pair.lhs(), pair.rhs()), std::pair(pair.rhs(), pair.lhs())}) {
        Seen inner = others;
        if (!is_choice(kept, carried, inner)) continue;
        others = inner;
        join(others, seen(other));
        return true;
    }
    return false;
}

void FunctionBounds::loop(OpId id) {
    const Op& op = fn_.op(id);
    const LoopOp loop(fn_, id);
    const bool counted = op.kind == OpKind::for_;
    // Rounds of a loop that promises nothing about its order touch nothing of each other.
    if (counted && loop.inits().empty() && ForOp(fn_, id).loop() == LoopKind::tile_range) {
        take(ForOp(fn_, id).iv());
        return region(loop.body());
    }
    const ValueSpan carried = counted ? ForOp(fn_, id).carried() : WhileOp(fn_, id).carried();
    const ValueSpan next = counted ? ForOp(fn_, id).next() : WhileOp(fn_, id).next();
    std::set<std::string> own;
    ++rounds_;
    const auto begin = [&](ValueId v, ValueId init) {
        take(v);
        if (!is_of_floats(v) || is_memory(v)) return;
        define(v, {}, {});
        own.insert(error_text(v));
        seen(v).unsaid = seen(init).unsaid;
    };
    const auto run = [&] {
        if (counted) take(ForOp(fn_, id).iv());
        for (size_t i = 0; i < carried.size(); ++i) begin(carried[i], loop.inits()[i]);
        if (!counted) {
            for (size_t i = 0; i < carried.size(); ++i) begin(WhileOp(fn_, id).tested()[i], loop.inits()[i]);
            region(WhileOp(fn_, id).test());
        }
        region(loop.body());
    };
    run();
    const auto before = written_;
    run();
    for (auto& [memory, state] : written_) {
        const auto was = before.find(memory);
        if (was == before.end() || !read_.contains(memory) || was->second.error == state.error) continue;
        state.unsaid.insert(fmt::format("no bound is stated for `{}`, which the loop of {} reads and writes",
                                        text_of(memory), line_of(id)));
    }
    --rounds_;
    for (size_t i = 0; i < carried.size(); ++i) {
        const ValueId v = carried[i], result = op.results[i];
        if (!is_of_floats(v) || is_memory(v)) continue;
        Definition made = carried_error(id, v, loop.inits()[i], next[i], own);
        definitions_[error_text(v)] = made;
        if (!counted) definitions_[error_text(WhileOp(fn_, id).tested()[i])] = made;
        seen(result).error = made.error;
        seen(result).unsaid = made.unsaid;
    }
}

FunctionBounds::Definition FunctionBounds::carried_error(OpId id, ValueId v, ValueId init, ValueId next,
                                                         const std::set<std::string>& own) {
    const Seen& first = seen(init);
    const bool counted = fn_.op(id).kind == OpKind::for_;
    if (next == v) return {first.error, first.unsaid};
    Additions added;
    const Dim step = counted ? dim_of(ForOp(fn_, id).step()) : Dim::constant(1);
    Seen others;
    if (counted && is_sum(next, v, step, added) && !mentions(added.error, own)) {
        const ForOp loop(fn_, id);
        const Dim length = dim_of(loop.upper()) - dim_of(loop.lower());
        const Dim rounds = Dim::floor_quotient(length + step - Dim::constant(1), step);
        // Products of the step's depth: what is behind the end is 0 and rounds nothing.
        const size_t products = added.sizes.size();
        const Dim many =
            added.whole_steps ? length * Dim::constant(static_cast<int64_t>(products)) : rounds * added.many;
        const auto over_rounds = [&](const Magnitude& of) {
            return Magnitude(fmt::format("sum[{}]{}", text_of(loop.iv()), in_parentheses(of)));
        };
        Definition made{first.error, first.unsaid};
        made.unsaid.insert(added.unsaid.begin(), added.unsaid.end());
        made.error += map(added.error, over_rounds);
        for (const DType type : added.rounded_to) {
            const RoundoffUnit unit = gamma_of(many, type);
            if (first.constant != 0) made.error.add(Coefficient(first.scale, unit), first.size);
            for (const auto& [scale, size] : added.sizes) made.error.add(Coefficient(scale, unit), over_rounds(size));
        }
        return made;
    }
    if (is_choice(next, v, others) && !mentions(others.error, own)) {
        join(others, first);
        return {greatest(others.error), others.unsaid};
    }
    if (!mentions(seen(next).error, own)) {
        Definition made{first.error, first.unsaid};
        made.error.join(seen(next).error);
        made.unsaid.insert(seen(next).unsaid.begin(), seen(next).unsaid.end());
        return made;
    }
    return {{},
            {fmt::format("no bound is stated for `{}`, which the loop of {} carries",
                         fn_.value(v).name.empty() ? text_of(v) : fn_.value(v).name, line_of(id))}};
}

}  // namespace tsr::ir
