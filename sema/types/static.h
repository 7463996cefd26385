// Values known when the program is compiled: literals, module constants, tuning parameters, static parameters, and
// what is computed from them (language reference, section 3, "Static").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/dtype.h"

namespace tsr::sema {

struct Static {
    // uint64_t only for integers above the largest int64_t, so that equal values compare equal.
    // The vector is a tuple or a list of static values; monostate is `None`.
    std::variant<std::monostate, int64_t, uint64_t, double, bool, std::string, DType, std::vector<Static>> value;
    bool is_list = false;  // of the vector: it was written with brackets

    static Static none() { return {}; }
    static Static of(int64_t v) { return {v}; }
    static Static of_unsigned(uint64_t v);
    static Static of(double v) { return {v}; }
    static Static of(bool v) { return {v}; }
    static Static of(std::string v) { return {std::move(v)}; }
    static Static of(DType v) { return {v}; }
    static Static of(std::vector<Static> v) { return {std::move(v)}; }
    static Static list(std::vector<Static> v) { return {std::move(v), true}; }

    [[nodiscard]] bool is_none() const { return value.index() == 0; }
    [[nodiscard]] bool is_integer() const { return integer() || std::holds_alternative<uint64_t>(value); }
    [[nodiscard]] bool is_number() const { return is_integer() || std::holds_alternative<double>(value); }
    // An integer that int64_t holds.
    [[nodiscard]] std::optional<int64_t> integer() const;
    // Any number, integers too, as the nearest double.
    [[nodiscard]] std::optional<double> real() const;
    [[nodiscard]] std::optional<bool> boolean() const;
    [[nodiscard]] std::optional<DType> dtype() const;
    // As a condition: numbers that are not 0, strings and sequences that are not empty hold. Nothing for others.
    [[nodiscard]] std::optional<bool> truth() const;
    [[nodiscard]] const std::string* string() const { return std::get_if<std::string>(&value); }
    // Of a tuple or a list.
    [[nodiscard]] const std::vector<Static>* tuple() const { return std::get_if<std::vector<Static>>(&value); }

    // As it is written in source: `128`, `0.5`, `True`, `"xor"`, `f32`, `(64, 128)`, `[1, 2]`.
    [[nodiscard]] std::string text() const;

    bool operator==(const Static&) const = default;
};

}  // namespace tsr::sema
