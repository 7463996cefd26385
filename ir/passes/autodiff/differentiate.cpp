#include "ir/passes/autodiff/differentiate.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/cancel.h"
#include "ir/build/builder.h"
#include "ir/build/inline_call.h"
#include "ir/core/internal.h"
#include "ir/ops/control.h"
#include "ir/ops/graph.h"
#include "ir/ops/host.h"
#include "ir/ops/record.h"
#include "ir/passes/autodiff/batch.h"
#include "ir/passes/autodiff/derive.h"
#include "ir/passes/autodiff/kernel_graph.h"
#include "ir/passes/simplify/drop_unnamed.h"
#include "ir/passes/simplify/liveness.h"

namespace tsr::ir {

namespace {

template <typename Wanted>
std::vector<OpId> standing(const Function& fn, const Wanted& wanted) {
    std::vector<OpId> found;
    for (size_t i = 0; i < fn.op_count(); ++i) {
        const Op& op = fn.op(OpId(i));
        if (op.parent.valid() && wanted(op)) found.emplace_back(i);
    }
    return found;
}

// The derivative of a function in these parameters; of several directions at once. In reverse: the types of the
// elements that gradients are given in.
struct Wanted {
    std::string of;
    bool in_reverse = false;
    std::vector<int64_t> wrt;
    std::vector<DType> given_in;
    bool many = false;
    auto operator<=>(const Wanted&) const = default;
};

class Differentiation {
public:
    Differentiation(Module& module, PassContext& context, const std::set<std::string>& kept)
        : module_(module),
          context_(context),
          kept_(kept),
          functions_([this](const std::string& name) { return expanded(name); }) {}

    bool run() {
        bool ok = true;
        for (const Function& function : module_.functions) {
            if (function.level == Level::graph) note_named(function);
        }
        for (Function& function : module_.functions) ok = (function.level != Level::graph || expand(function)) && ok;
        if (!ok) return false;
        for (Function& function : module_.functions) ok = (function.level != Level::graph || finish(function)) && ok;
        drop_unused();
        return ok;
    }

private:
    // Calls of functions with rules of their own stay: who differentiates this function needs them. Functions that run
    // on the host are called between the kernels.
    bool is_expanded(const Op& op) const {
        if (op.kind == OpKind::vjp || op.kind == OpKind::jvp || op.kind == OpKind::batch) return true;
        return op.kind == OpKind::call && !CustomCallOp::is_one(op) && !is_called_on_host(op);
    }
    bool is_called_on_host(const Op& call) const {
        const Function* callee = module_.find(call.attrs.string(Attr::callee));
        return callee != nullptr && callee->level == Level::host;
    }

    // What rules make is expanded in turn. False after a message.
    bool expand(Function& fn) {
        const auto expands = [this](const Op& op) { return is_expanded(op); };
        for (auto open = standing(fn, expands); !open.empty(); open = standing(fn, expands)) {
            for (const OpId id : open) {
                stop_if_cancelled();
                const Function* by = replacement(fn, id);
                if (by == nullptr) return false;
                if (!put(fn, id, *by)) return false;
            }
        }
        return true;
    }

    const Function* expanded(const std::string& name) {
        Function* function = module_.find(name);
        if (function != nullptr && function->is_kernel) return as_graph(*function);
        used_.insert(name);
        return function != nullptr && expand(*function) ? function : nullptr;
    }

    // Nothing after a message.
    const Function* as_graph(const Function& kernel) {
        const auto [found, fresh] = kernels_.try_emplace(kernel.name);
        if (fresh) found->second = autodiff::kernel_as_graph(kernel, context_.diagnostics);
        return found->second ? &*found->second : nullptr;
    }

    // Nothing after a message.
    const Function* replacement(const Function& fn, OpId id) {
        const Op& op = fn.op(id);
        if (op.kind == OpKind::call) return expanded(CallOp(fn, id).callee());
        if (op.kind == OpKind::batch) {
            const BatchOp batch(fn, id);
            const Function* callee = expanded(batch.callee());
            return callee == nullptr ? nullptr : batched(*callee, batch.batched());
        }
        const DerivativeOp derivative(fn, id);
        std::vector<DType> given_in;
        const auto gradients = op.results.end() - static_cast<std::ptrdiff_t>(derivative.wrt().size());
        if (derivative.in_reverse()) {
            for (auto result = gradients; result != op.results.end(); ++result)
                given_in.push_back(fn.type(*result).elem);
        }
        return derivative_of({derivative.callee(), derivative.in_reverse(), derivative.wrt(), std::move(given_in),
                              derivative.directions().has_value()});
    }

    const Function* derivative_of(const Wanted& wanted) {
        if (const auto found = made_.find(wanted); found != made_.end()) return &found->second;
        if (refused_.contains(wanted)) return nullptr;
        const Function* callee = expanded(wanted.of);
        if (callee == nullptr) return nullptr;
        if (wanted.many) {
            const size_t own = callee->params().size(), results = callee->results.size();
            const Function* one = derivative_of({wanted.of, wanted.in_reverse, wanted.wrt, wanted.given_in, false});
            if (one == nullptr) return nullptr;
            std::vector<bool> varies(one->params().size()), gives(one->results.size());
            std::fill(varies.begin() + static_cast<std::ptrdiff_t>(own), varies.end(), true);
            std::fill(gives.begin() + static_cast<std::ptrdiff_t>(results), gives.end(), true);
            return &made_.emplace(wanted, autodiff::batched_function(*one, varies, gives)).first->second;
        }
        auto derivative =
            wanted.in_reverse
                ? autodiff::reverse_derivative(*callee, wanted.wrt, wanted.given_in, context_.diagnostics, functions_)
                : autodiff::forward_derivative(*callee, wanted.wrt, context_.diagnostics, functions_);
        if (!derivative || !expand(*derivative)) {
            refused_.insert(wanted);
            return nullptr;
        }
        return &made_.emplace(wanted, std::move(*derivative)).first->second;
    }

    const Function* batched(const Function& of, const std::vector<int64_t>& arguments) {
        const auto key = std::pair{of.name, arguments};
        if (const auto found = batched_.find(key); found != batched_.end()) return &found->second;
        std::vector<bool> varies;
        for (const int64_t one : arguments) varies.push_back(one != 0);
        const std::vector<bool> gives(of.results.size(), true);
        return &batched_.emplace(key, autodiff::batched_function(of, varies, gives)).first->second;
    }

    // False after a message: of extents that are different numbers.
    bool may_be_one_shape(const Function& fn, OpId id, const std::vector<Dim>& found, const std::vector<Dim>& said) {
        for (size_t axis = 0; axis < found.size() && axis < said.size(); ++axis) {
            if (compare(found[axis], said[axis]) != Equality::different) continue;
            context_.diagnostics.error("E0312", fn.place_of(fn.op(id).place).span,
                                       fmt::format("what is given here has {} elements along axis {}, needs {}",
                                                   found[axis].text(), axis, said[axis].text()));
            return false;
        }
        return true;
    }

    // False after a message.
    bool put(Function& fn, OpId id, const Function& by) {
        Builder at = Builder::at(fn, id);
        const Values results = fn.op(id).results;
        const Values operands = with_equal_extents(at, by, fn.op(id).operands);
        const auto given = put_body(at, by, operands);
        if (!given) {
            context_.diagnostics.error("E0312", fn.place_of(fn.op(id).place).span, given.message())
                .note("with the extents that this is called with");
            return false;
        }
        Values values = given.value();
        name_extents(fn, results, values);
        // Extents that only the run shows to be equal are those that the operation said.
        for (size_t i = 0; i < results.size(); ++i) {
            const Type& said = fn.type(results[i]);
            if (said.kind != TypeKind::tensor || fn.type(values[i]).shape == said.shape) continue;
            if (!may_be_one_shape(fn, id, fn.type(values[i]).shape, said.shape)) return false;
            values[i] = at.value(OpKind::reshape, {values[i]}, {{Attr::shape, said.shape}});
        }
        fn.remove(id);
        for (size_t i = 0; i < results.size(); ++i) fn.replace_uses(results[i], values[i]);
        return true;
    }

    // Extents that must be equal were compared where the function is called: here they get the same name, as those of a
    // tangent and of what it belongs to.
    static Values with_equal_extents(Builder& at, const Function& by, Values operands) {
        std::map<std::string, Dim> bound;
        for (size_t i = 0; i < operands.size(); ++i) {
            const std::vector<Dim>& declared = by.type(by.params()[i]).shape;
            const std::vector<Dim> given = at.function().type(operands[i]).shape;
            std::vector<Dim> wanted;
            for (size_t axis = 0; axis < declared.size(); ++axis) {
                if (const auto name = declared[axis].symbol_name()) bound.try_emplace(*name, given[axis]);
                wanted.push_back(declared[axis].substitute(bound));
            }
            const auto known = [&](const Dim& dim) {
                return std::ranges::all_of(dim.symbols(), [&](const auto& name) { return bound.contains(name); });
            };
            if (wanted != given && std::ranges::all_of(declared, known))
                operands[i] = at.value(OpKind::reshape, {operands[i]}, {{Attr::shape, wanted}});
        }
        return operands;
    }

    // An extent that had a name of its own until the derivative was made is what the derivative says.
    static void name_extents(Function& fn, const Values& results, const Values& values) {
        const auto is_given = [&](const std::string& name) {
            return std::ranges::any_of(fn.params(), [&](ValueId param) {
                const Value& value = fn.value(param);
                const bool dimension = value.role.kind == ParamRole::Kind::dimension;
                if (dimension && fn.symbols[static_cast<size_t>(value.role.number)] == name) return true;
                return std::ranges::any_of(value.type.shape, [&](const Dim& dim) { return dim.symbol_name() == name; });
            });
        };
        std::map<std::string, Dim> known;
        for (size_t i = 0; i < results.size(); ++i) {
            const std::vector<Dim> said = fn.type(results[i]).shape, found = fn.type(values[i]).shape;
            for (size_t axis = 0; axis < said.size() && axis < found.size(); ++axis) {
                const auto name = said[axis].symbol_name();
                if (name && !is_given(*name) && !(said[axis] == found[axis])) known.emplace(*name, found[axis]);
            }
        }
        if (known.empty()) return;
        const auto substitute = [&](std::vector<Dim>& shape) {
            for (Dim& dim : shape) dim = dim.substitute(known);
        };
        for (size_t i = 0; i < fn.value_count(); ++i) substitute(fn.value(ValueId(i)).type.shape);
        for (Type& type : fn.results) substitute(type.shape);
        for (size_t i = 0; i < fn.op_count(); ++i) {
            Attrs& attrs = fn.op(OpId(i)).attrs;
            if (attrs.has(Attr::dim)) attrs.set(Attr::dim, attrs.dim(Attr::dim).substitute(known));
            if (attrs.has(Attr::shape)) {
                std::vector<Dim> shape = attrs.dims(Attr::shape);
                substitute(shape);
                attrs.set(Attr::shape, std::move(shape));
            }
        }
        std::erase_if(fn.symbols, [&](const std::string& name) { return known.contains(name); });
    }

    // Of what is not differentiated any more: calls become their functions, and what no derivative passes is the value.
    // False after a message.
    bool finish(Function& fn) {
        const auto calls = [](const Op& op) { return CustomCallOp::is_one(op); };
        drop_quiet(fn);
        for (auto open = standing(fn, calls); !open.empty(); open = standing(fn, calls)) {
            for (const OpId id : open) {
                const CustomCallOp call(fn, id);
                if (CustomCallOp::is_stored(fn.op(id))) {
                    stand_for(fn, id, call.value());
                } else if (!put(fn, id, *expanded(call.callee()))) {
                    return false;
                }
            }
            drop_quiet(fn);
        }
        for (const OpId id : standing(fn, [](const Op& op) { return op.kind == OpKind::stop; })) {
            stand_for(fn, id, StopOp(fn, id).value());
        }
        return true;
    }

    // What the operation gives is the value.
    static void stand_for(Function& fn, OpId id, ValueId value) {
        const ValueId result = fn.op(id).results[0];
        fn.remove(id);
        fn.replace_uses(result, value);
    }

    // Calls and launches that do nothing but give values, where nobody uses these: a rule computes the result of its
    // function again, and cotangents that nobody asked for.
    void drop_quiet(Function& fn) {
        sweep(fn, Liveness(fn, [&](OpId id) { return has_effect(fn.op(id)) && !is_quiet(fn.op(id)); }));
    }

    bool is_quiet(const Op& op) {
        if (op.kind == OpKind::call) {
            if (!CustomCallOp::is_one(op)) return false;
            return CustomCallOp::is_stored(op) || is_quiet(op.attrs.string(Attr::callee));
        }
        if (op.kind != OpKind::launch) return false;
        const std::vector<std::string> kernels = LaunchOp::points_of(op);
        return std::ranges::all_of(kernels, [this](const std::string& name) { return is_quiet(name); });
    }

    bool is_quiet(const std::string& name) {
        const auto [found, fresh] = quiet_.try_emplace(name, false);  // one that calls itself is not
        if (!fresh) return found->second;
        const Function* function = module_.find(name);
        if (function == nullptr) return false;
        const bool kernel = function->level != Level::graph;
        const auto shows = [&](const Op& op) {
            return kernel ? record(op.kind).has(Effect::io) : has_effect(op) && !is_quiet(op);
        };
        return quiet_[name] = standing(*function, shows).empty();
    }

    // Graph functions that this one calls or differentiates, and the rules that its calls name.
    void note_named(const Function& fn) {
        const auto note = [this](const std::string& name) {
            const Function* named = module_.find(name);
            if (named != nullptr && named->level == Level::graph) used_.insert(name);
        };
        const auto names = [this](const Op& op) { return op.kind == OpKind::call || is_expanded(op); };
        for (const OpId id : standing(fn, names)) {
            const Op& op = fn.op(id);
            note(op.attrs.string(Attr::callee));
            if (!CustomCallOp::is_one(op)) continue;
            for (const std::string& name : op.attrs.strings(Attr::names)) note(name);
        }
    }

    // Functions that only derivatives named, and what only those call or launch.
    void drop_unused() {
        std::set<std::string> unused = used_;
        for (const Function& fn : module_.functions) {
            const bool checks = fn.name.ends_with(kDifferentiabilityCheck);
            if (checks) unused.insert(fn.name);
            if (checks || used_.contains(fn.name)) unused.merge(named_functions(module_, fn, Naming::calls));
        }
        for (const std::string& name : kept_) unused.erase(name);
        drop_unnamed(module_, std::move(unused), Naming::calls);
    }

    Module& module_;
    PassContext& context_;
    const std::set<std::string>& kept_;
    autodiff::Functions functions_;
    std::map<Wanted, Function> made_;
    std::set<Wanted> refused_;  // a message was given
    std::map<std::pair<std::string, std::vector<int64_t>>, Function> batched_;
    std::map<std::string, std::optional<Function>> kernels_;  // that are differentiated, as graphs
    std::set<std::string> used_;
    std::map<std::string, bool> quiet_;  // functions and kernels that do nothing but give values
};

}  // namespace

ModulePass differentiate_pass(std::set<std::string> kept) {
    return {"differentiate", [kept = std::move(kept)](Module& module, PassContext& context) {
                return Differentiation(module, context, kept).run();
            }};
}

}  // namespace tsr::ir
