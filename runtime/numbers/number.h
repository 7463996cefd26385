// A number of any element type, held exactly, on its way from one type to another.
#pragma once

#include <cstdint>

#include "runtime/numbers/float_format.h"

namespace tsr::runtime {

struct Number {
    enum class Kind : uint8_t { integer, unsigned_integer, floating } kind = Kind::integer;
    union {
        int64_t integer = 0;
        uint64_t unsigned_integer;
        double floating;
    };
    float imaginary = 0;

    static Number of(int64_t value) {
        Number n;
        n.integer = value;
        return n;
    }
    static Number of_unsigned(uint64_t value) {
        Number n;
        n.kind = Kind::unsigned_integer;
        n.unsigned_integer = value;
        return n;
    }
    static Number of(double value) {
        Number n;
        n.kind = Kind::floating;
        n.floating = value;
        return n;
    }
};

// The value of a storage representation; what stands above the type's own bits is ignored.
Number number_of(uint64_t bits, int32_t dtype);
// The laws of cast (abi.h).
uint64_t bits_of(const Number& number, int32_t dtype, Rounding rounding = {});
double to_f64(const Number& number);
int64_t to_i64(const Number& number);

}  // namespace tsr::runtime
