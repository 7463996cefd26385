// Bounds of errors as sums of terms: a coefficient made of unit roundoffs, times magnitudes of values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "ir/core/dim.h"

namespace tsr::ir {

// What a coefficient counts: "u(f32)", "γ(k, f32)", or 1, whose name is empty.
struct RoundoffUnit {
    double roundoff = 0;      // u; 0: it is 1
    std::string type;         // "f32", "tf32"
    std::optional<Dim> many;  // n of γ

    [[nodiscard]] std::string text() const;
    // Where n is known: n u / (1 - n u), infinite where n u >= 1.
    [[nodiscard]] std::optional<double> value() const;
};

// A sum of units, each so many times.
class Coefficient {
public:
    Coefficient() = default;
    Coefficient(double times, const RoundoffUnit& unit);

    [[nodiscard]] bool zero() const { return parts_.empty(); }
    [[nodiscard]] const std::map<std::string, std::pair<double, RoundoffUnit>>& parts() const { return parts_; }
    [[nodiscard]] std::optional<double> value() const;
    [[nodiscard]] std::string text() const;  // in parentheses where it is a sum
    Coefficient& operator+=(const Coefficient& other);
    Coefficient& operator*=(double factor);
    void join(const Coefficient& other);  // at least each of the two
    bool operator==(const Coefficient& other) const;

private:
    std::map<std::string, std::pair<double, RoundoffUnit>> parts_;
};

// A product of magnitudes to powers: "|a|·|b|/|c|^2". Without factors it is 1.
class Magnitude {
public:
    Magnitude() = default;
    explicit Magnitude(const std::string& factor) : powers_{{factor, 1}} {}

    [[nodiscard]] const std::map<std::string, double>& powers() const { return powers_; }
    [[nodiscard]] bool one() const { return powers_.empty(); }
    [[nodiscard]] std::string text() const;
    [[nodiscard]] Magnitude power(double exponent) const;
    // Has each factor of the other one at least as often.
    [[nodiscard]] bool holds(const Magnitude& other) const;
    friend Magnitude operator*(const Magnitude& a, const Magnitude& b);
    auto operator<=>(const Magnitude&) const = default;

private:
    std::map<std::string, double> powers_;
};

// |computed - exact| is at most the sum of coefficient * magnitude.
class ErrorTerms {
public:
    [[nodiscard]] bool zero() const { return terms_.empty(); }
    [[nodiscard]] const std::map<Magnitude, Coefficient>& terms() const { return terms_; }
    void add(const Coefficient& coefficient, const Magnitude& magnitude);
    ErrorTerms& operator+=(const ErrorTerms& other);
    [[nodiscard]] ErrorTerms times(double factor, const Magnitude& magnitude) const;
    void join(const ErrorTerms& other);  // at least each of the two
    bool operator==(const ErrorTerms& other) const { return terms_ == other.terms_; }
    // Terms with |result| in the place of scale * `result`, where they have that.
    [[nodiscard]] std::string text(const Magnitude& result, double scale, bool values) const;
    // Whether each coefficient has a number.
    [[nodiscard]] bool has_values() const;

private:
    std::map<Magnitude, Coefficient> terms_;
};

}  // namespace tsr::ir
