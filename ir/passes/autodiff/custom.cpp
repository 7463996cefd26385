#include "ir/passes/autodiff/custom.h"

#include <algorithm>

#include "ir/build/inline_call.h"
#include "ir/core/internal.h"
#include "ir/ops/graph.h"
#include "ir/ops/host.h"
#include "ir/passes/autodiff/types.h"

namespace tsr::ir::autodiff {

namespace {

using Given = std::vector<std::optional<ValueId>>;

// A derivative of a function: `seeds` for its results, of which `result_types` are the types; what the operands `wrt`
// get, not rounded.
Values transposed(Builder& at, const std::string& of, Values operands, const std::vector<int64_t>& wrt,
                  const Values& seeds, std::vector<Type> result_types) {
    const size_t own = result_types.size();
    for (const int64_t i : wrt)
        result_types.push_back(derivative_type(at.function().type(operands[static_cast<size_t>(i)])));
    operands.insert(operands.end(), seeds.begin(), seeds.end());
    const OpId op = at.emit(OpKind::vjp, std::move(operands), {{Attr::callee, of}, {Attr::axes, wrt}}, result_types);
    const Values all = at.function().op(op).results;
    return {all.begin() + static_cast<std::ptrdiff_t>(own), all.end()};
}

// One call that is differentiated. Its function is called F(x); a rule R is linear in tangents, B in cotangents.
class Rule {
public:
    Rule(Builder& at, OpId call, const Functions& functions)
        : at_(at), fn_(at.function()), functions_(functions), call_(fn_, call) {
        const ValueSpan all = call_.arguments();
        arguments_.assign(all.begin() + static_cast<std::ptrdiff_t>(call_.unruled()), all.end());
        results_.assign(call_.results().begin(), call_.results().end());
    }

    std::optional<Given> adjoint(const Given& cotangents, const std::vector<bool>& wanted) {
        if (!call_.has_rule()) return recomputed(cotangents, wanted);
        auto given = call_.is_reverse() ? by_backward(cotangents) : of_forward_rule(cotangents);
        if (given) given->insert(given->begin(), call_.unruled(), std::nullopt);
        return given;
    }

    std::optional<Given> tangents(const Tangents& moving) {
        if (!call_.has_rule()) return of_operations(moving);
        const Tangents told(moving.begin() + static_cast<std::ptrdiff_t>(call_.unruled()), moving.end());
        return call_.is_reverse() ? of_backward(told) : by_rule(told);
    }

private:
    [[nodiscard]] bool is_float_value(ValueId value) const { return may_differentiate(fn_.type(value)); }

    // As rules take and give them: rounded to the type that a gradient has.
    ValueId given_as(ValueId value, ValueId of) { return at_.cast(value, gradient_type(fn_.type(of)).elem); }
    ValueId computed(ValueId value) { return at_.cast(value, derivative_type(fn_.type(value)).elem); }
    ValueId or_zeros(const std::optional<ValueId>& value, ValueId of) {
        return value ? *value : zeros_of(at_, derivative_type(fn_.type(of)));
    }

    // The function for the arguments; nothing after a message.
    std::optional<Values> put(Builder& at, const std::string& name, const Values& arguments) {
        const Function* function = functions_(name);
        if (function == nullptr) return std::nullopt;
        auto results = put_body(at, *function, arguments);
        if (!results) internal_error(results.message());
        return std::move(results.value());
    }

    // What F's rule gives before the call stands, in place of the call's results; what it saves.
    std::optional<Values> run_forward() {
        Builder before = Builder::at(fn_, call_.id);
        auto all = put(before, call_.rule(), arguments_);
        if (!all) return std::nullopt;
        return Values(all->begin() + static_cast<std::ptrdiff_t>(results_.size()), all->end());
    }

    // What is given for the floats among the values, in their order; other things that are given stand for no float.
    Given for_floats(const Values& of, const Values& given) {
        Given all(of.size());
        auto next = given.begin();
        for (size_t i = 0; i < of.size(); ++i) {
            if (!is_float_value(of[i])) continue;
            while (!is_float_value(*next)) ++next;
            all[i] = computed(*next++);
        }
        return all;
    }
    Given by_argument(const Values& given) { return for_floats(arguments_, given); }
    Given by_result(const Values& given) { return for_floats(results_, given); }

    std::optional<Given> by_backward(const Given& cotangents) {
        auto operands = run_forward();
        if (!operands) return std::nullopt;
        for (size_t i = 0; i < results_.size(); ++i) {
            const bool moves = is_float_value(results_[i]);
            operands->push_back(moves ? given_as(or_zeros(cotangents[i], results_[i]), results_[i]) : results_[i]);
        }
        const auto given = put(at_, call_.backward(), *operands);
        return given ? std::optional(by_argument(*given)) : std::nullopt;
    }

    // B is linear in the cotangents: its own adjoint, for tangents, is J v.
    std::optional<Given> of_backward(const Tangents& moving) {
        auto operands = run_forward();
        if (!operands) return std::nullopt;
        std::vector<int64_t> wrt;
        for (const ValueId result : results_) {
            const bool moves = is_float_value(result);
            if (moves) wrt.push_back(static_cast<int64_t>(operands->size()));
            operands->push_back(moves ? zeros_of(at_, gradient_type(fn_.type(result))) : result);
        }
        Values seeds;
        std::vector<Type> types;
        for (size_t i = 0; i < arguments_.size(); ++i) {
            if (!is_float_value(arguments_[i])) continue;
            types.push_back(gradient_type(fn_.type(arguments_[i])));
            seeds.push_back(or_zeros(moving[i], arguments_[i]));
        }
        return by_result(transposed(at_, call_.backward(), std::move(*operands), wrt, seeds, std::move(types)));
    }

    Values with_tangents(const Tangents& moving) {
        Values operands = arguments_;
        for (size_t i = 0; i < arguments_.size(); ++i) {
            const bool moves = is_float_value(arguments_[i]);
            operands.push_back(moves ? given_as(or_zeros(moving[i], arguments_[i]), arguments_[i]) : arguments_[i]);
        }
        return operands;
    }

    std::optional<Given> by_rule(const Tangents& moving) {
        const auto all = put(at_, call_.rule(), with_tangents(moving));
        if (!all) return std::nullopt;
        return by_result({all->begin() + static_cast<std::ptrdiff_t>(results_.size()), all->end()});
    }

    // R is linear in the tangents: its adjoint in them, at 0.
    std::optional<Given> of_forward_rule(const Given& cotangents) {
        Values operands = with_tangents(Tangents(arguments_.size()));
        std::vector<int64_t> wrt;
        for (size_t i = arguments_.size(); i < operands.size(); ++i) {
            if (is_float_value(operands[i])) wrt.push_back(static_cast<int64_t>(i));
        }
        Values seeds;
        std::vector<Type> types;
        for (const ValueId result : results_) {
            types.push_back(fn_.type(result));
            if (is_float_value(result)) seeds.push_back(or_zeros({}, result));
        }
        for (size_t i = 0; i < results_.size(); ++i) {
            const bool moves = is_float_value(results_[i]);  // what is no float stands for its tangent
            types.push_back(moves ? gradient_type(fn_.type(results_[i])) : fn_.type(results_[i]));
            if (moves) seeds.push_back(or_zeros(cotangents[i], results_[i]));
        }
        return by_argument(transposed(at_, call_.rule(), std::move(operands), wrt, seeds, std::move(types)));
    }

    [[nodiscard]] std::vector<Type> result_types() const {
        std::vector<Type> types;
        for (const ValueId result : results_) types.push_back(fn_.type(result));
        return types;
    }

    // From the arguments alone, not from what the forward pass kept. In the one round of a loop: its operations are
    // done where the loop stands, not together with those of the forward pass.
    std::optional<Given> recomputed(const Given& cotangents, const std::vector<bool>& wanted) {
        std::vector<int64_t> wrt;
        Values none, seeds;
        for (size_t i = 0; i < arguments_.size(); ++i) {
            if (!wanted[i]) continue;
            wrt.push_back(static_cast<int64_t>(i));
            none.push_back(zeros_of(at_, derivative_type(fn_.type(arguments_[i]))));
        }
        for (size_t i = 0; i < results_.size(); ++i) {
            if (is_float_value(results_[i])) seeds.push_back(or_zeros(cotangents[i], results_[i]));
        }
        const OpId once = at_.for_(
            at_.index(0), at_.index(1), at_.index(1), none, {{Attr::loop, static_cast<int64_t>(LoopKind::in_order)}},
            [&](Builder& in, ValueId, const Values&) {
                Values operands;
                for (const ValueId argument : arguments_) {
                    if (fn_.type(argument).kind != TypeKind::tensor) {  // a number, such as a random key, holds nothing
                        operands.push_back(argument);
                        continue;
                    }
                    const std::vector<Dim> shape = fn_.type(argument).shape;
                    operands.push_back(
                        in.value(OpKind::reshape, {argument}, {{Attr::shape, shape}, {Attr::anew, kFlag}}));
                }
                Values given = transposed(in, call_.callee(), std::move(operands), wrt, seeds, result_types());
                for (ValueId& value : given) value = in.cast(value, derivative_type(fn_.type(value)).elem);
                return given;
            });
        Given all(arguments_.size());
        for (size_t i = 0; i < wrt.size(); ++i) all[static_cast<size_t>(wrt[i])] = fn_.op(once).results[i];
        return all;
    }

    std::optional<Given> of_operations(const Tangents& moving) {
        Values operands = arguments_;
        std::vector<int64_t> wrt;
        for (size_t i = 0; i < arguments_.size(); ++i) {
            if (!moving[i]) continue;
            wrt.push_back(static_cast<int64_t>(i));
            operands.push_back(*moving[i]);
        }
        std::vector<Type> types = result_types();
        for (const ValueId result : results_) {
            if (is_float_value(result)) types.push_back(gradient_type(fn_.type(result)));
        }
        const OpId op =
            at_.emit(OpKind::jvp, std::move(operands), {{Attr::callee, call_.callee()}, {Attr::axes, wrt}}, types);
        const Values all = fn_.op(op).results;
        return by_result({all.begin() + static_cast<std::ptrdiff_t>(results_.size()), all.end()});
    }

    Builder& at_;
    Function& fn_;
    const Functions& functions_;
    CustomCallOp call_;
    Values arguments_;  // that the rule is told of
    Values results_;
};

}  // namespace

std::optional<Given> call_adjoint(Builder& at, OpId call, const Given& cotangents, const std::vector<bool>& wanted,
                                  const Functions& functions) {
    return Rule(at, call, functions).adjoint(cotangents, wanted);
}

std::vector<std::optional<ValueId>> launch_adjoint(Builder& at, OpId id, const Given& cotangents,
                                                   const std::vector<bool>& wanted) {
    Function& fn = at.function();
    const LaunchOp launch(fn, id);
    const std::string& kernel = launch.callee();
    const Values arguments(launch.arguments().begin(), launch.arguments().end()), results = fn.op(id).results;
    std::vector<int64_t> wrt;
    for (size_t i = 0; i < arguments.size(); ++i) {
        if (wanted[i]) wrt.push_back(static_cast<int64_t>(i));
    }
    Values seeds;
    std::vector<Type> types;
    for (size_t i = 0; i < results.size(); ++i) {
        types.push_back(fn.type(results[i]));
        if (!may_differentiate(types.back())) continue;
        seeds.push_back(cotangents[i] ? *cotangents[i] : zeros_of(at, derivative_type(types.back())));
    }
    const Values shares = transposed(at, kernel, arguments, wrt, seeds, std::move(types));
    Given all(wanted.size());
    for (size_t i = 0; i < wrt.size(); ++i) {
        const auto argument = static_cast<size_t>(wrt[i]);
        all[argument] = at.cast(shares[i], derivative_type(fn.type(arguments[argument])).elem);
    }
    return all;
}

std::vector<std::optional<ValueId>> launch_tangents(Builder& at, OpId id, const Tangents& tangents) {
    Function& fn = at.function();
    const LaunchOp launch(fn, id);
    const std::string& kernel = launch.callee();
    Values operands(launch.arguments().begin(), launch.arguments().end());
    const Values results = fn.op(id).results;
    std::vector<int64_t> wrt;
    for (size_t i = 0, count = operands.size(); i < count; ++i) {
        if (!tangents[i]) continue;
        wrt.push_back(static_cast<int64_t>(i));
        operands.push_back(*tangents[i]);
    }
    std::vector<Type> types;
    for (const ValueId result : results) types.push_back(fn.type(result));
    for (const ValueId result : results) {
        if (may_differentiate(fn.type(result))) types.push_back(gradient_type(fn.type(result)));
    }
    const OpId op = at.emit(OpKind::jvp, std::move(operands), {{Attr::callee, kernel}, {Attr::axes, wrt}}, types);
    const Values made = fn.op(op).results;
    Given all(results.size());
    for (size_t i = 0, next = results.size(); i < results.size(); ++i) {
        if (!may_differentiate(fn.type(results[i]))) continue;
        all[i] = at.cast(made[next++], derivative_type(fn.type(results[i])).elem);
    }
    return all;
}

std::optional<Given> call_tangents(Builder& at, OpId call, const Tangents& tangents, const Functions& functions) {
    return Rule(at, call, functions).tangents(tangents);
}

}  // namespace tsr::ir::autodiff
