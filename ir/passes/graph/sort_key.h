// The keys by whose digits elements are sorted.
#pragma once

#include "ir/build/builder.h"

namespace tsr::ir {

constexpr int64_t kDigits = 256, kDigitBits = 8;

// An unsigned number whose order is that of the values: -0 and 0 have one, NaNs the greatest.
class OrderKey {
public:
    OrderKey(DType elem, bool descends);

    [[nodiscard]] int64_t digits() const { return bits_ / kDigitBits; }
    // u32 or u64.
    ValueId of(Builder& b, ValueId value) const;
    // Eight bits of the key, from the bit `shift` on, in the key's type.
    ValueId digit(Builder& b, ValueId value, ValueId shift) const;
    [[nodiscard]] DType type() const { return type_; }

private:
    [[nodiscard]] bool is_signed_integer() const;
    ValueId number(Builder& b, uint64_t value) const { return b.constant(static_cast<int64_t>(value), type_); }
    ValueId all(Builder& b) const { return number(b, ~uint64_t{0} >> (64 - bits_)); }
    [[nodiscard]] uint64_t middle() const { return uint64_t{1} << (bits_ - 1); }
    ValueId shifted(Builder& b, ValueId value) const;
    ValueId of_float(Builder& b, ValueId value) const;

    DType elem_, type_ = DType::u32;
    int bits_;
    bool descends_;
};

}  // namespace tsr::ir
