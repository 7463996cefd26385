#include "ir/passes/autodiff/derive.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/numerics.h"
#include "ir/ops/handle.h"
#include "ir/passes/autodiff/activity.h"
#include "ir/passes/autodiff/movements.h"
#include "ir/passes/autodiff/partials.h"
#include "ir/passes/autodiff/structured.h"

namespace tsr::ir::autodiff {

Type derivative_type(const Type& of) {
    Type type = of.with(accumulation_type(of.elem, {}));
    type.mut = false;
    return type;
}

Type gradient_type(const Type& of) {
    Type type = bits(of.elem) >= 16 ? of : of.with(accumulation_type(of.elem, {}));
    type.mut = false;
    return type;
}

namespace {

using math::Term;

bool is_active_result(const Type& type) {
    return (type.is_scalar() || type.kind == TypeKind::tensor) && is_float(type.elem);
}

// What both modes do with a copy of the function.
class Derivation {
public:
    Derivation(const Function& of, const std::vector<int64_t>& wrt, Diagnostics& said)
        : made(of), active_(made, wrt), said_(said) {
        ops_ = made.region(made.body).ops;
        const OpId yield = ops_.back();
        ops_.pop_back();
        results = made.op(yield).operands;
        made.remove(yield);
    }

    Function made;
    Values results;

protected:
    [[nodiscard]] bool active(ValueId value) const { return active_.has(value); }
    [[nodiscard]] bool gives_active(OpId id) const {
        for (const ValueId result : made.op(id).results) {
            if (active(result)) return true;
        }
        return false;
    }

    // False after a message.
    bool has_rule(OpId id) {
        const OpKind kind = made.op(id).kind;
        std::string_view why;
        if (is_element(kind)) {
            why = partial_rule(kind).refused;
        } else if (const Refusal refuses = structured_rule(kind).refuses) {
            why = refuses(made, id);
        }
        if (why.empty()) return true;
        said_.error("E0611", made.span_of(id), fmt::format("no derivative passes here: {}", why));
        return false;
    }

    void finish(Builder& at, const Values& derivatives) {
        Values all = results;
        all.insert(all.end(), derivatives.begin(), derivatives.end());
        made.results.clear();
        for (const ValueId value : all) made.results.push_back(made.type(value));
        at.yield(std::move(all));
    }

    std::vector<OpId> ops_;

private:
    Activity active_;
    Diagnostics& said_;
};

class ReverseDerivation : Derivation {
public:
    using Derivation::Derivation;

    std::optional<Function> run(const std::vector<int64_t>& wrt) {
        cotangents_.resize(made.value_count());
        Builder at = Builder::at_end(made, made.body);
        seed(at);
        for (size_t i = ops_.size(); i-- > 0;) {
            if (!pass(at, ops_[i])) return std::nullopt;
        }
        Values gradients;
        for (const int64_t number : wrt) {
            const ValueId param = made.params()[static_cast<size_t>(number)];
            const Type type = gradient_type(made.type(param));
            const auto& found = cotangents_[param.index];
            gradients.push_back(found ? at.cast(found->value, type.elem) : zeros_of(at, type));
        }
        finish(at, gradients);
        return std::move(made);
    }

private:
    // `chosen`: it came here through a choice, by element operations and what moves elements alone.
    struct Cotangent {
        ValueId value;
        bool chosen = false;
    };

    void seed(Builder& at) {
        for (size_t i = 0; i < results.size(); ++i) {
            const Type& type = made.type(results[i]);
            if (!is_active_result(type)) continue;
            const ValueId g = made.add_arg(made.body, derivative_type(type), fmt::format("cotangent_{}", i));
            add(at, results[i], {g, false});
        }
    }

    void add(Builder& at, ValueId to, const Cotangent& more) {
        if (!active(to)) return;
        auto& known = cotangents_[to.index];
        known = known ? Cotangent{at.add(known->value, more.value), known->chosen || more.chosen} : more;
    }

    bool pass(Builder& at, OpId id) {
        if (!gives_active(id)) return true;
        const Op op = made.op(id);
        const auto g = cotangents_[op.results[0].index];
        if (!g) return true;
        if (!has_rule(id)) return false;
        at.take_place(id);
        for (size_t i = 0; i < op.operands.size(); ++i) {
            if (!active(op.operands[i])) continue;
            if (is_element(op.kind)) {
                element(at, id, i, *g);
            } else {
                add(at, op.operands[i], {structured_rule(op.kind).adjoint(at, id, i, g->value), g->chosen});
            }
        }
        return true;
    }

    void element(Builder& at, OpId id, size_t operand, const Cotangent& g) {
        const PartialRule& rule = partial_rule(made.op(id).kind);
        const ValueId to = made.op(id).operands[operand];
        const Term seed{&at, g.value};
        auto passed = rule.along({at, id}, operand, seed);
        if (!passed) return;
        if (rule.singular && g.chosen) passed = select(seed == 0.0, 0.0, *passed);
        add(at, to, {at.cast(passed->id, derivative_type(made.type(to)).elem), g.chosen || rule.chooses});
    }

    std::vector<std::optional<Cotangent>> cotangents_;  // of values of the function that is differentiated
};

class ForwardDerivation : Derivation {
public:
    using Derivation::Derivation;

    std::optional<Function> run(const std::vector<int64_t>& wrt) {
        tangents_.resize(made.value_count());
        Builder at = Builder::at_end(made, made.body);
        for (const int64_t number : wrt) {
            const ValueId param = made.params()[static_cast<size_t>(number)];
            const ValueId tangent =
                made.add_arg(made.body, derivative_type(made.type(param)), fmt::format("tangent_{}", number));
            if (active(param)) tangents_[param.index] = tangent;
        }
        for (const OpId id : ops_) {
            if (!pass(at, id)) return std::nullopt;
        }
        Values moved;
        for (const ValueId result : results) {
            const Type type = gradient_type(made.type(result));
            if (!is_active_result(type)) continue;
            const auto& tangent = tangents_[result.index];
            moved.push_back(tangent ? at.cast(*tangent, type.elem) : zeros_of(at, type));
        }
        finish(at, moved);
        return std::move(made);
    }

private:
    bool pass(Builder& at, OpId id) {
        if (!gives_active(id)) return true;
        const Op op = made.op(id);
        Tangents given;
        for (const ValueId operand : op.operands) given.push_back(tangents_[operand.index]);
        if (std::ranges::none_of(given, [](const auto& tangent) { return tangent.has_value(); })) return true;
        if (!has_rule(id)) return false;
        at.take_place(id);
        tangents_[op.results[0].index] =
            is_element(op.kind) ? element(at, id, given) : structured_rule(op.kind).tangent(at, id, given);
        return true;
    }

    std::optional<ValueId> element(Builder& at, OpId id, const Tangents& given) {
        const DType type = derivative_type(made.type(made.op(id).results[0])).elem;
        std::optional<ValueId> sum;
        for (size_t i = 0; i < given.size(); ++i) {
            if (!given[i]) continue;
            const auto passed = partial_rule(made.op(id).kind).along({at, id}, i, Term{&at, at.cast(*given[i], type)});
            if (passed) sum = sum ? at.add(*sum, passed->id) : passed->id;
        }
        return sum;
    }

    Tangents tangents_;  // of values of the function that is differentiated
};

}  // namespace

std::optional<Function> reverse_derivative(const Function& of, const std::vector<int64_t>& wrt, Diagnostics& said) {
    return ReverseDerivation(of, wrt, said).run(wrt);
}

std::optional<Function> forward_derivative(const Function& of, const std::vector<int64_t>& wrt, Diagnostics& said) {
    return ForwardDerivation(of, wrt, said).run(wrt);
}

}  // namespace tsr::ir::autodiff
