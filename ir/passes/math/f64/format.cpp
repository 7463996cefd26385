#include "ir/passes/math/format.h"

#include "ir/passes/math/f64/coefficients.h"

namespace tsr::ir::math {

const Format kF64{
    .type = DType::f64,
    .fraction_bits = 52,
    .bias = 1023,
    .ln2 = {0.693147180559945286226764, 2.319046813846299558417771e-17},
    .two_over_ln2 = {2.8853900817779268, 4.0710547481862066e-17},
    .half_pi = {1.5707963267948966, 6.123233995736766e-17},
    .pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53, -0x1.f1976b7ed8fbcp-109},
    .quarter_turn = {0x1.921fb54442d18p+0, 0x1.1a62632p-54, 0x1.145c06e0e6895p-82},
    .exp_normal = 708.0,
    .exp_zero = -746.0,
    .exp_infinity = 710.0,
    .half_exp_normal = 707.0,
    .half_exp_infinity = 710.5,
    .power_normal = 1020.0,
    .power_ends = 1200.0,
    .tanh_one = 20.0,
    .large = 0x1p24,
    .large_for_tan = 0x1p24,
    .exp = {f64::kExp, two_chains},
    .expm1 = {f64::kExp, two_chains},
    .exp2 = {f64::kExp2, two_chains},
    .sinh = {f64::kSinh, two_chains},
    .cosh = {f64::kCosh, two_chains},
    .tanh = {f64::kTanh, two_chains},
    .sin = {f64::kSin, first_at_last},
    .tan = {f64::kTan, two_chains},
    .sin_quarter = {f64::kSinQuarter, two_chains},
    .cos_quarter = {f64::kCosQuarter, two_chains},
    .asin = {f64::kAsin, two_chains},
    .log2_ratio = {f64::kLog2Ratio, two_chains},
};

}  // namespace tsr::ir::math
