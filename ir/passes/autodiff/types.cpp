#include "ir/passes/autodiff/types.h"

#include "base/numerics.h"

namespace tsr::ir::autodiff {

Type derivative_type(const Type& of) {
    Type type = of.with(tsr::derivative_type(of.elem));
    type.mut = false;
    return type;
}

Type gradient_type(const Type& of) {
    Type type = of.with(tsr::gradient_type(of.elem));
    type.mut = false;
    return type;
}

ValueId zeros_of(Builder& at, const Type& type) {
    const ValueId zero = at.constant(0.0, type.elem);
    return type.kind == TypeKind::tensor ? at.value(OpKind::full, {zero}, {{Attr::shape, type.shape}}) : zero;
}

}  // namespace tsr::ir::autodiff
