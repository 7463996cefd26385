#include "sema/elaborate/strings.h"

#include "sema/elaborate/host.h"

namespace tsr::elaborate {

using ir::OpKind;
using ir::ValueId;

bool is_text(Body& b, const Val& value) {
    if (value.is_fixed()) return value.fixed.string() != nullptr;
    return value.is_ssa() && b.type_of(value.id).kind == ir::TypeKind::string;
}

Val compare_text(Body& b, OpKind op, const Val& lhs, const Val& rhs) {
    const ValueId order =
        host(b, "string_compare", {b.handle(lhs, sema::Type::string()), b.handle(rhs, sema::Type::string())},
             ir::Type::scalar(DType::i32));
    return Val::ssa(b.emit.inferred(op, {order, b.emit.constant(int64_t{0}, DType::i32)}), DType::boolean);
}

Val concatenate(Body& b, const Val& lhs, const Val& rhs) {
    return Val::ssa(host(b, "concat", {b.handle(lhs, sema::Type::string()), b.handle(rhs, sema::Type::string())},
                         ir::Type::string()));
}

}  // namespace tsr::elaborate
