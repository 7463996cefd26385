#include "ir/passes/autodiff/differentiate.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "ir/build/builder.h"
#include "ir/build/inline_call.h"
#include "ir/ops/control.h"
#include "ir/ops/graph.h"
#include "ir/passes/autodiff/derive.h"

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

class Differentiation {
public:
    Differentiation(Module& module, PassContext& context) : module_(module), context_(context) {}

    bool run() {
        for (Function& function : module_.functions) {
            if (function.level == Level::graph && !expand(function)) return false;
        }
        drop_unused();
        return true;
    }

private:
    static std::vector<OpId> derivatives_in(const Function& fn) {
        return standing(fn, [](const Op& op) { return op.kind == OpKind::vjp || op.kind == OpKind::jvp; });
    }

    bool expand(Function& fn) {
        for (const OpId id : derivatives_in(fn)) {
            const DerivativeOp op(fn, id);
            differentiated_.insert(op.callee());
            const Function* derivative = derivative_of(op);
            if (derivative == nullptr) return false;
            put(fn, id, *derivative);
        }
        return true;
    }

    // Nothing after a message.
    const Function* derivative_of(const DerivativeOp& op) {
        const auto key = std::tuple{op.callee(), op.in_reverse(), op.wrt()};
        if (const auto found = made_.find(key); found != made_.end()) return &found->second;
        Function* callee = module_.find(op.callee());
        if (callee == nullptr || !expand(*callee)) return nullptr;
        auto derivative = op.in_reverse() ? autodiff::reverse_derivative(*callee, op.wrt(), context_.diagnostics)
                                          : autodiff::forward_derivative(*callee, op.wrt(), context_.diagnostics);
        return derivative ? &made_.emplace(key, std::move(*derivative)).first->second : nullptr;
    }

    static void put(Function& fn, OpId id, const Function& derivative) {
        Builder at = Builder::at(fn, id);
        const Values results = fn.op(id).results;
        std::vector<Type> types;
        for (const ValueId result : results) types.push_back(fn.type(result));
        const OpId call = at.emit(OpKind::call, fn.op(id).operands, {{Attr::callee, derivative.name}}, types);
        const Values given = fn.op(call).results;
        fn.remove(id);
        for (size_t i = 0; i < results.size(); ++i) fn.replace_uses(results[i], given[i]);
        // Extents that must be equal were compared where the function is called.
        if (auto conditions = inline_call(fn, call, derivative); !conditions) internal_error(conditions.message());
    }

    void drop_unused() {
        std::set<std::string> called;
        for (const Function& fn : module_.functions) {
            for (const OpId id : standing(fn, [](const Op& op) { return op.kind == OpKind::call; }))
                called.insert(CallOp(fn, id).callee());
        }
        std::erase_if(module_.functions, [&](const Function& fn) {
            return differentiated_.contains(fn.name) && !called.contains(fn.name);
        });
    }

    Module& module_;
    PassContext& context_;
    std::map<std::tuple<std::string, bool, std::vector<int64_t>>, Function> made_;
    std::set<std::string> differentiated_;
};

}  // namespace

ModulePass differentiate_pass() {
    return {"differentiate",
            [](Module& module, PassContext& context) { return Differentiation(module, context).run(); }};
}

}  // namespace tsr::ir
