// Facts that a record states beside types and effects: how exact a result is, what it costs to compute, whether it
// becomes a formula, and an example.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tsr::ir {

// How far a result of floats may be from the exact one.
enum class Exactness : uint8_t {
    unsaid,
    exact,    // it is the exact one: bits are moved, compared, or computed without rounding
    rounded,  // the exact one rounded once, to nearest even unless the record says otherwise
    bounded,  // within a bound
};
struct ErrorBound {
    Exactness exactness = Exactness::unsaid;
    double f32 = 0, f64 = 0;  // in units in the last place of the exact result; narrower floats are computed in f32

    [[nodiscard]] constexpr bool said() const {
        return exactness != Exactness::unsaid && (exactness == Exactness::bounded) == (f32 > 0 && f64 > 0);
    }
    [[nodiscard]] std::string text() const;  // as pages of docs/ops say it
};
inline constexpr ErrorBound kExact{Exactness::exact};
inline constexpr ErrorBound kRounded{Exactness::rounded};
constexpr ErrorBound within(double f32, double f64) { return {Exactness::bounded, f32, f64}; }

// What one element costs on a CPU, about.
enum class Cost : uint8_t {
    unsaid,
    free,     // no instruction: a value is read in another place
    light,    // one instruction or two
    slow,     // one that takes as long as several: a division, a root
    across,   // elements of several vectors in one
    heavy,    // a dozen
    formula,  // dozens: what becomes a formula, or a call of the C library
};
constexpr int64_t instructions(Cost cost) {
    switch (cost) {
        case Cost::unsaid:
        case Cost::free:
            return 0;
        case Cost::light:
            return 1;
        case Cost::slow:
            return 4;
        case Cost::across:
            return 8;
        case Cost::heavy:
            return 12;
        case Cost::formula:
            return 40;
    }
    return 0;
}

// Whether an operation becomes a formula over other element operations, before a machine sees it.
enum class Formula : uint8_t {
    none,
    of_floats,  // by `expand_math`, where its operands are floats
    always,     // by `expand_rounding`
};

// IR text that shows an operation: parameters in parentheses, then the lines of a body. Of a pure operation that the
// evaluator runs: numbers for the parameters, and what `%r` is then.
struct Example {
    std::string_view text;
    std::string_view given, gives;
};

}  // namespace tsr::ir
