#include "ir/passes/autodiff/derive.h"

#include <fmt/format.h>

#include "ir/build/builder.h"
#include "ir/ops/graph.h"
#include "ir/ops/handle.h"
#include "ir/passes/autodiff/forward.h"
#include "ir/passes/autodiff/reverse.h"
#include "ir/passes/autodiff/types.h"

namespace tsr::ir::autodiff {

namespace {

// A copy of the function, to which its derivative is added.
struct Derived {
    Derived(const Function& of, const std::vector<int64_t>& wrt) : made(of), active(made, wrt) {
        ops = made.region(made.body).ops;
        ops.pop_back();  // the yield
    }
    [[nodiscard]] Values results() const {
        const ValueSpan all = yielded(made, made.body);
        return {all.begin(), all.end()};
    }
    // What the function gives, then the derivatives.
    void finish(const Values& derivatives) {
        Values all = results();
        all.insert(all.end(), derivatives.begin(), derivatives.end());
        made.remove(yield_of(made, made.body));
        made.results.clear();
        for (const ValueId value : all) made.results.push_back(made.type(value));
        Builder::at_end(made, made.body).yield(std::move(all));
    }

    Function made;
    Activity active;
    std::vector<OpId> ops;
};

}  // namespace

std::optional<Function> reverse_derivative(const Function& of, const std::vector<int64_t>& wrt,
                                           const std::vector<DType>& given_in, Diagnostics& said,
                                           const Functions& functions) {
    Derived derived(of, wrt);
    Function& fn = derived.made;
    Builder at = Builder::at_end(fn, fn.body);
    Reverse reverse(fn, derived.active, said, functions);
    const Values results = derived.results();
    for (size_t i = 0; i < results.size(); ++i) {
        const Type& type = fn.type(results[i]);
        if (!may_differentiate(type)) continue;
        const ValueId g = fn.add_arg(fn.body, derivative_type(type), fmt::format("cotangent_{}", i));
        reverse.add(at, results[i], {g, false});
    }
    if (!reverse.walk(at, derived.ops)) return std::nullopt;
    Values gradients;
    for (size_t i = 0; i < wrt.size(); ++i) {
        const ValueId param = fn.params()[static_cast<size_t>(wrt[i])];
        const Type type = derivative_type(fn.type(param)).with(given_in[i]);
        const auto found = reverse.read(at, param);
        gradients.push_back(found ? at.cast(found->value, type.elem) : zeros_of(at, type));
    }
    derived.finish(gradients);
    return std::move(fn);
}

std::optional<Function> forward_derivative(const Function& of, const std::vector<int64_t>& wrt, Diagnostics& said,
                                           const Functions& functions) {
    Derived derived(of, wrt);
    Function& fn = derived.made;
    Forward forward(fn, derived.active, said, functions);
    for (const int64_t number : wrt) {
        const ValueId param = fn.params()[static_cast<size_t>(number)];
        const ValueId tangent = fn.add_arg(fn.body, derivative_type(fn.type(param)), fmt::format("tangent_{}", number));
        if (derived.active.has(param)) forward.set(param, tangent);
    }
    if (!forward.walk(derived.ops)) return std::nullopt;
    Builder at = Builder::at_end(fn, fn.body);
    Values moved;
    for (const ValueId result : derived.results()) {
        const Type type = gradient_type(fn.type(result));
        if (!may_differentiate(type)) continue;
        const auto tangent = forward.of(result);
        moved.push_back(tangent ? at.cast(*tangent, type.elem) : zeros_of(at, type));
    }
    derived.finish(moved);
    return std::move(fn);
}

}  // namespace tsr::ir::autodiff
