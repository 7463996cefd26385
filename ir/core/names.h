// Names of values in IR text: the programmer's made unique, constants by what they hold, else a number.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/core/function.h"

namespace tsr::ir {

// Whether values are called as the programmer named them, or all by what they are.
enum class NamesOfValues : uint8_t { given, none };

class ValueNames {
public:
    // Names are given in the order of the text, so that the same text always comes out.
    explicit ValueNames(const Function& function, NamesOfValues used = NamesOfValues::given);

    // With the percent sign. A value that stands nowhere has a name too, beginning with `%?`.
    [[nodiscard]] std::string of(ValueId value) const;

private:
    void name_region(const Function& function, RegionId region);
    void name_value(const Function& function, ValueId value);
    std::string unique(const std::string& base);

    NamesOfValues used_;
    std::vector<std::string> names_;
    std::unordered_set<std::string> taken_;
    std::unordered_map<std::string, size_t> last_suffix_;
    size_t next_number_ = 0;
};

// A constant's value as IR text: `64`, `true`, `0.1` (the shortest text that reads back as the same value of the type).
std::string constant_text(const Attrs& attrs);
// What the result of a constant without a name is called: `c64`, `true`.
std::string default_constant_name(const Attrs& attrs);
// A double as the shortest text that reads back; NaN that is not the plain one with its bits.
std::string double_text(double value);

}  // namespace tsr::ir
