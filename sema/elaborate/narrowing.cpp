#include "sema/elaborate/narrowing.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::OpKind;
using ir::ValueId;

std::optional<DType> wide_type(DType held, DType type) {
    if (!is_float(held) || !is_float(type) || held == type) return std::nullopt;
    const DType wide = held == DType::f64 ? DType::f64 : DType::f32;
    if (bits(type) >= bits(wide)) return std::nullopt;
    return wide;
}

ValueId cut(Body& b, ValueId value, DType type) {
    const auto wide = wide_type(b.type_of(value).elem, type);
    if (!wide) return b.emit.cast(value, type);
    return b.emit.cast(b.emit.inferred(OpKind::cut, {b.emit.cast(value, *wide)}, {{Attr::type, type}}), type);
}

}  // namespace tsr::elaborate
