// Strings of the host.
#pragma once

#include "sema/elaborate/body.h"

namespace tsr::elaborate {

bool is_text(Body& b, const Val& value);

// Strings compare by bytes.
Val compare_text(Body& b, ir::OpKind op, const Val& lhs, const Val& rhs);

Val concatenate(Body& b, const Val& lhs, const Val& rhs);

}  // namespace tsr::elaborate
