#include "sema/elaborate/host.h"

#include "ir/passes/host/entries.h"
#include "sema/elaborate/types.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::OpKind;
using ir::ValueId;
using sema::Kind;

ValueId host(Body& b, const std::string& entry, std::vector<ValueId> operands, const ir::Type& result,
             ir::Attrs attrs) {
    attrs.set(Attr::callee, entry);
    return b.emit.given(OpKind::host, std::move(operands), result, std::move(attrs));
}

void host_effect(Body& b, const std::string& entry, std::vector<ValueId> operands, ir::Attrs attrs) {
    attrs.set(Attr::callee, entry);
    b.emit.op_giving(OpKind::host, std::move(operands), {}, std::move(attrs));
}

Val host_args(Body& b, const sema::Type& type) {
    const ir::Type held = type.is(Kind::list) ? ir_type(type) : ir::Type::list(ir::Type::string());
    return Val::ssa(host(b, "args", {}, held));
}

ir::ValueId whole_view(Body& b, ir::ValueId tensor, const ir::Type& type) {
    return host(b, "view", {tensor}, type, {{ir::Attr::codes, std::vector<int64_t>{ir::index_ellipsis}}});
}

// ---- progress lines ----

ValueId progress_begin(Body& b, const Val& label, const Val& total) {
    return host(b, "progress_begin", {b.handle(label, sema::Type::string()), b.index(total)},
                ir::Type::scalar(DType::u64));
}
void progress_loss(Body& b, ValueId line, const Val& loss) {
    host_effect(b, "progress_loss", {line, b.scalar(b.rounded(loss), DType::f64)});
}
void progress_step(Body& b, ValueId line) { host_effect(b, "progress_step", {line}); }
void progress_end(Body& b, ValueId line) { host_effect(b, "progress_end", {line}); }

}  // namespace tsr::elaborate
