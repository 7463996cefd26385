#include "ir/numerics/error_terms.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace tsr::ir {

namespace {

std::string number_text(double value) { return fmt::format("{:.3g}", value); }

// "a" and "2·a"; of the unit 1 the number.
std::string part_text(double times, const std::string& unit) {
    if (unit.empty()) return number_text(times);
    return times == 1 ? unit : number_text(times) + "·" + unit;
}

std::string power_text(const std::string& factor, double exponent) {
    if (exponent == 1) return factor;
    return fmt::format("{}^{}", factor, number_text(exponent));
}

}  // namespace

std::string RoundoffUnit::text() const {
    if (roundoff == 0) return "";
    return many ? fmt::format("γ({}, {})", many->text(), type) : fmt::format("u({})", type);
}

std::optional<double> RoundoffUnit::value() const {
    if (roundoff == 0) return 1;
    if (!many) return roundoff;
    const auto n = many->constant_value();
    if (!n) return std::nullopt;
    const double share = static_cast<double>(std::max<int64_t>(*n, 0)) * roundoff;
    return share < 1 ? share / (1 - share) : std::numeric_limits<double>::infinity();
}

Coefficient::Coefficient(double times, const RoundoffUnit& unit) {
    const bool none = unit.many && unit.many->constant_value() && *unit.many->constant_value() <= 0;
    if (times != 0 && !none) parts_.emplace(unit.text(), std::pair(times, unit));
}

std::optional<double> Coefficient::value() const {
    double sum = 0;
    for (const auto& [name, part] : parts_) {
        const auto unit = part.second.value();
        if (!unit) return std::nullopt;
        sum += part.first * *unit;
    }
    return sum;
}

std::string Coefficient::text() const {
    std::string all;
    for (const auto& [name, part] : parts_) all += (all.empty() ? "" : " + ") + part_text(part.first, name);
    return parts_.size() > 1 ? "(" + all + ")" : all;
}

Coefficient& Coefficient::operator+=(const Coefficient& other) {
    for (const auto& [name, part] : other.parts_) {
        const auto [at, made] = parts_.emplace(name, part);
        if (!made) at->second.first += part.first;
    }
    return *this;
}

Coefficient& Coefficient::operator*=(double factor) {
    if (factor == 0) parts_.clear();
    for (auto& [name, part] : parts_) part.first *= factor;
    return *this;
}

void Coefficient::join(const Coefficient& other) {
    for (const auto& [name, part] : other.parts_) {
        const auto [at, made] = parts_.emplace(name, part);
        if (!made) at->second.first = std::max(at->second.first, part.first);
    }
}

bool Coefficient::operator==(const Coefficient& other) const {
    return std::ranges::equal(parts_, other.parts_, [](const auto& a, const auto& b) {
        return a.first == b.first && a.second.first == b.second.first;
    });
}

std::string Magnitude::text() const {
    std::string over, under;
    for (const auto& [factor, power] : powers_) {
        std::string& side = power > 0 ? over : under;
        side += (side.empty() ? "" : "·") + power_text(factor, std::abs(power));
    }
    if (under.empty()) return over;
    const bool several = under.find("·") != std::string::npos;
    return (over.empty() ? "1" : over) + "/" + (several ? "(" + under + ")" : under);
}

Magnitude Magnitude::power(double exponent) const {
    Magnitude made;
    for (const auto& [factor, power] : powers_) made.powers_.emplace(factor, power * exponent);
    return made;
}

bool Magnitude::holds(const Magnitude& other) const {
    return std::ranges::all_of(other.powers_, [&](const auto& wanted) {
        const auto at = powers_.find(wanted.first);
        return at != powers_.end() && (wanted.second > 0 ? at->second >= wanted.second : at->second <= wanted.second);
    });
}

Magnitude operator*(const Magnitude& a, const Magnitude& b) {
    Magnitude made = a;
    for (const auto& [factor, power] : b.powers_) {
        const auto [at, fresh] = made.powers_.emplace(factor, power);
        if (fresh) continue;
        at->second += power;
        if (at->second == 0) made.powers_.erase(at);
    }
    return made;
}

void ErrorTerms::add(const Coefficient& coefficient, const Magnitude& magnitude) {
    if (!coefficient.zero()) terms_[magnitude] += coefficient;
}

ErrorTerms& ErrorTerms::operator+=(const ErrorTerms& other) {
    for (const auto& [magnitude, coefficient] : other.terms_) add(coefficient, magnitude);
    return *this;
}

ErrorTerms ErrorTerms::times(double factor, const Magnitude& magnitude) const {
    ErrorTerms made;
    for (const auto& [own, coefficient] : terms_) {
        Coefficient scaled = coefficient;
        scaled *= factor;
        made.add(scaled, own * magnitude);
    }
    return made;
}

void ErrorTerms::join(const ErrorTerms& other) {
    for (const auto& [magnitude, coefficient] : other.terms_) terms_[magnitude].join(coefficient);
}

bool ErrorTerms::has_values() const {
    return std::ranges::all_of(terms_, [](const auto& term) { return term.second.value().has_value(); });
}

std::string ErrorTerms::text(const Magnitude& result, double scale, bool values) const {
    if (terms_.empty()) return "0";
    std::string all;
    for (const auto& [magnitude, given] : terms_) {
        const bool whole = !result.one() && scale > 0 && magnitude.holds(result);
        Coefficient coefficient = given;
        if (whole) coefficient *= 1 / scale;
        const Magnitude shown = whole ? magnitude * result.power(-1) * Magnitude("|result|") : magnitude;
        const std::optional<double> known = values ? coefficient.value() : std::nullopt;
        const std::string factor = known ? number_text(*known) : coefficient.text();
        const bool alone = factor == "1" && !shown.one();  // the unit 1, once
        std::string term = alone ? "" : factor;
        if (!shown.one()) term += (term.empty() ? "" : "·") + shown.text();
        all += (all.empty() ? "" : " + ") + term;
    }
    return all;
}

}  // namespace tsr::ir
