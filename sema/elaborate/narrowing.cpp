#include "sema/elaborate/narrowing.h"

#include "base/numerics.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::OpKind;
using ir::ValueId;

ValueId cut(Body& b, ValueId value, DType type) {
    const auto wide = unrounded_type(b.type_of(value).elem, type);
    if (!wide) return b.emit.cast(value, type);
    return b.emit.cast(b.emit.inferred(OpKind::cut, {b.emit.cast(value, *wide)}, {{Attr::type, type}}), type);
}

}  // namespace tsr::elaborate
