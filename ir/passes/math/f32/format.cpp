#include "ir/passes/math/format.h"

#include "ir/passes/math/f32/coefficients.h"

namespace tsr::ir::math {

const Format kF32{
    .type = DType::f32,
    .fraction_bits = 23,
    .bias = 127,
    // With both parts of ln 2 positive, -0 stays.
    .ln2 = {0.693147122859954833984375, 5.7699990475432857e-8},
    .two_over_ln2 = {2.88539004325866699219, 3.8519187e-8},
    .half_pi = {1.57079637050628662109375, -4.37113882867379e-8},
    .pi = {0x1.921fb6p+1, -0x1.777a5cp-24, -0x1.ee59dap-49},
    .quarter_turn = {0x1.921fb4p+0, 0x1.444p-24, 0x1.68c234p-39},
    .exp_normal = 87.0,
    .exp_zero = -104.0,
    .exp_infinity = 89.0,
    .half_exp_normal = 86.0,
    .half_exp_infinity = 89.5,
    .power_normal = 125.0,
    .power_ends = 200.0,
    .tanh_one = 10.0,
    .large = 100000.0,
    .large_for_tan = 8192.0,
    .exp = {f32::kExp, one_chain},
    .expm1 = {f32::kExpm1, one_chain},
    .exp2 = {f32::kExp2, two_chains},
    .sinh = {f32::kSinh, one_chain},
    .cosh = {f32::kCosh, one_chain},
    .tanh = {f32::kTanh, one_chain},
    .sin = {f32::kSin, one_chain},
    .tan = {f32::kTan, two_chains},
    .sin_quarter = {f32::kSinQuarter, one_chain},
    .cos_quarter = {f32::kCosQuarter, one_chain},
    .asin = {f32::kAsin, one_chain},
    .log2_ratio = {f32::kLog2Ratio, one_chain},
};

}  // namespace tsr::ir::math
