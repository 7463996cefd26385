#include "ir/passes/host/asked_kernels.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/build/builder.h"
#include "ir/ops/host.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

// The question without a kernel in this condition; invalid where there is none.
OpId open_question(const Function& host, ValueId condition) {
    const OpId id = host.value(condition).op;
    if (!id.valid()) return {};
    const Op& op = host.op(id);
    if (op.kind == OpKind::bit_and) {
        for (const ValueId part : op.operands) {
            if (const OpId found = open_question(host, part); found.valid()) return found;
        }
        return {};
    }
    return HostOp::asks_for_gpu(op) && !op.attrs.has(Attr::text) ? id : OpId();
}

// A tensor of the first kernel each, and of every other kernel the tensor that the program asks about.
std::vector<std::pair<ValueId, std::string>> questions(const Function& host, OpId branching, ValueId asked) {
    std::vector<std::pair<ValueId, std::string>> found;
    std::set<std::string> kernels;
    walk(host, host.op(branching).regions.front(), [&](OpId id) {
        if (host.op(id).kind != OpKind::launch) return;
        const std::string kernel = LaunchOp(host, id).points().front();
        if (!kernels.insert(kernel).second) return;
        found.emplace_back(asked, kernel);
        if (kernels.size() > 1) return;
        for (const ValueId argument : LaunchOp(host, id).arguments()) {
            const OpId made = defining_op(host, argument);
            const bool outside = !made.valid() || !stands_below(host, made, branching);
            if (host.type(argument).kind == TypeKind::tensor && outside && argument != asked)
                found.emplace_back(argument, kernel);
        }
    });
    return found;
}

void ask(Function& host, OpId branching, OpId question) {
    const ValueId asked = host.op(question).operands.front();
    const auto all = questions(host, branching, asked);
    if (all.empty()) return;
    Builder builder = Builder::at(host, branching);
    ValueId condition = host.op(branching).operands.front();
    for (const auto& [tensor, kernel] : all) {
        const OpId more =
            builder.host("on_gpu", {tensor}, {Type::scalar(DType::boolean)}, {{Attr::text, std::string(kernel)}});
        condition = builder.bit_and(condition, host.op(more).results.front());
    }
    host.op(branching).operands.front() = condition;
}

}  // namespace

void ask_for_kernels(Function& host) {
    std::vector<OpId> branchings;
    walk(host, host.body, [&](OpId id) {
        if (host.op(id).kind == OpKind::if_) branchings.push_back(id);
    });
    for (const OpId id : branchings) {
        const OpId question = open_question(host, host.op(id).operands.front());
        if (question.valid()) ask(host, id, question);
    }
}

}  // namespace tsr::ir
