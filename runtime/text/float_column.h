// The common format of the floats of one tensor: NumPy's FloatingFormat with floatmode "maxprec" and precision 8.
#pragma once

#include <string>
#include <vector>

#include "runtime/abi.h"

namespace tsr::runtime {

class FloatColumn {
public:
    // `values` are all that will be printed. `plus`: positive numbers carry a sign.
    FloatColumn(const std::vector<double>& values, int32_t dtype, bool plus);
    std::string text(double value) const;

private:
    struct Parts {
        std::string whole, fraction, exponent;  // "-1", "25", "+08"
    };
    // `full`: as it is printed; else as it is measured for the column.
    Parts parts(double value, bool full) const;
    static bool wants_exponents(const std::vector<double>& finite, int32_t dtype);

    int32_t dtype_;
    bool plus_;
    bool exponents_ = false;
    size_t left_ = 0, right_ = 0;
    size_t fraction_ = 0;  // with exponents: digits of every fraction
};

}  // namespace tsr::runtime
