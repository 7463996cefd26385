#include "sema/elaborate/conversions.h"

#include "sema/elaborate/arithmetic.h"
#include "sema/elaborate/host.h"
#include "sema/elaborate/strings.h"
#include "sema/elaborate/types.h"
#include "sema/types/fold.h"

namespace tsr::elaborate {

using ir::ValueId;

Val convert(Body& b, const Val& value, const sema::Type& type) {
    const bool tensor = value.is_ssa() && b.type_of(value.id).kind == ir::TypeKind::tensor;
    if (tensor && b.rules().host_objects) {
        return Val::ssa(host(b, "cast", {value.id}, ir_type(type), {{ir::Attr::type, type.elem()}}));
    }
    const auto target = b.computed_dtype(type);
    if (!target) return value;
    if (is_text(b, value)) {  // int("12"), float("0.5")
        const ValueId text = b.handle(value, sema::Type::string());
        const bool whole = is_integer(*target);
        const ir::Type read = ir::Type::scalar(whole ? DType::index : DType::f64);
        const ValueId number = host(b, whole ? "string_to_integer" : "string_to_real", {text}, read);
        return b.coerce(Val::ssa(number, read.elem), *target);
    }
    if (value.is_fixed() && value.fixed.is_number()) {
        return Val::of(sema::cast_to(value.fixed, *target), *target);
    }
    return b.coerce(value, *target);
}

}  // namespace tsr::elaborate
