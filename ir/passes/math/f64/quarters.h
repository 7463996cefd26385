// Large angles of f64 without the quarter turns in them.
#pragma once

#include "ir/passes/math/term.h"

namespace tsr::ir::math::f64 {

// |x| as angle + low + number pi/2.
struct Quarters {
    Term angle;   // |angle| <= pi/4
    Term low;     // what the angle lost by rounding
    Term number;  // i64; its two low bits count
};

// For |x| >= 2^24.
Quarters quarters(Term x);

}  // namespace tsr::ir::math::f64
