#include "ir/passes/target/gpu/align_pointers.h"

namespace tsr::ir {

std::optional<Function> align_pointers(const Function& thread) {
    constexpr int64_t kAccess = 16;
    if (!thread.plan || thread.plan->interleave <= 1) return std::nullopt;
    Function aligned = thread;
    bool any = false;
    for (size_t i = 0; i < aligned.op_count(); ++i) {
        Op& op = aligned.op(OpId(i));
        if (op.kind != OpKind::slot || !op.parent.valid()) continue;
        if (aligned.type(op.results[0]).kind != TypeKind::pointer) continue;
        op.attrs.set(Attr::alignment, kAccess);
        any = true;
    }
    if (!any) return std::nullopt;
    aligned.plan->reasons.emplace_back("tensors begin at multiples of 16 bytes");
    return aligned;
}

}  // namespace tsr::ir
