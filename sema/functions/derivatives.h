// What derivatives of functions take and give.
#pragma once

#include "sema/state/body.h"

namespace tsr::sema {

// The body of a function that `grad` made: its header is read, and has the parameters of what is differentiated. Asks
// for the instance of that, and says what the result is.
void check_derivative(Body& b, const Request& request);

// The same of one with parameters of its own, in each pass: the call of the function with them is checked as if it were
// its body.
void check_transform(Body& b);

}  // namespace tsr::sema
