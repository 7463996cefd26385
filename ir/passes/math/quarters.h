// Large angles without the quarter turns in them.
#pragma once

#include "ir/passes/math/term.h"

namespace tsr::ir::math {

// |x| as angle + low + number pi/2.
struct Quarters {
    Term angle;   // |angle| <= pi/4
    Term low;     // what the angle lost by rounding
    Term number;  // an integer as wide as the angle; its two low bits count
};

namespace f32 {
Quarters quarters(Term x);  // for |x| >= 8192
}
namespace f64 {
Quarters quarters(Term x);  // for |x| >= 2^24
}

}  // namespace tsr::ir::math
