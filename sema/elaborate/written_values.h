// Graphs: what a call writes of its arguments is a new value of the variables that they name.
#pragma once

#include "sema/elaborate/body.h"
#include "sema/elaborate/effects.h"

namespace tsr::elaborate {

// The variable that the argument names holds the value from here on; another argument has no name.
void write_value(Body& b, const ast::Expr* argument, const Val& value);

// Adds the variables of the frame that calls in the range write so.
void add_written_values(Body& b, Span range, LoopEffects& found);

}  // namespace tsr::elaborate
