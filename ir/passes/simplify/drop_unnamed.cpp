#include "ir/passes/simplify/drop_unnamed.h"

#include <vector>

#include "ir/ops/effects.h"
#include "ir/ops/graph.h"

namespace tsr::ir {

namespace {

bool names_function(OpKind kind) {
    return kind == OpKind::call || kind == OpKind::launch || kind == OpKind::vjp || kind == OpKind::jvp ||
           kind == OpKind::batch;
}

}  // namespace

std::set<std::string> named_functions(const Module& module, const Function& function, Naming naming) {
    std::set<std::string> names;
    const auto note = [&](const std::string& name) {
        if (module.find(name) != nullptr) names.insert(name);
    };
    for_each_op(function, function.body, [&](OpId id) {
        const Op& op = function.op(id);
        if (!names_function(op.kind)) return;
        note(op.attrs.string(Attr::callee));
        if (naming == Naming::calls || !CustomCallOp::is_one(op)) return;
        for (const std::string& rule : op.attrs.strings(Attr::names)) note(rule);
    });
    return names;
}

void drop_unnamed(Module& module, std::set<std::string> candidates, Naming naming) {
    std::vector<const Function*> open;
    for (const Function& function : module.functions) {
        if (!candidates.contains(function.name)) open.push_back(&function);
    }
    while (!open.empty()) {
        const Function& function = *open.back();
        open.pop_back();
        for (const std::string& name : named_functions(module, function, naming)) {
            if (candidates.erase(name) != 0) open.push_back(module.find(name));
        }
    }
    std::erase_if(module.functions, [&](const Function& function) { return candidates.contains(function.name); });
}

}  // namespace tsr::ir
