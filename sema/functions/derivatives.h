// What derivatives of functions take and give.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// The body of a function that `grad` made: its header is read, and has the parameters of what is differentiated. Asks
// for the instance of that, and says what the result is.
void check_derivative(Body& b, const Request& request);

}  // namespace tsr::sema
