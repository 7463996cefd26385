#include "sema/types/static.h"

#include <cmath>

#include <fmt/format.h>

namespace tsr::sema {

Static Static::of_unsigned(uint64_t v) {
    if (v <= static_cast<uint64_t>(INT64_MAX)) return of(static_cast<int64_t>(v));
    return {v};
}

std::optional<int64_t> Static::integer() const {
    if (const auto* v = std::get_if<int64_t>(&value)) return *v;
    return std::nullopt;
}

std::optional<double> Static::real() const {
    if (const auto* v = std::get_if<double>(&value)) return *v;
    if (const auto* v = std::get_if<int64_t>(&value)) return static_cast<double>(*v);
    if (const auto* v = std::get_if<uint64_t>(&value)) return static_cast<double>(*v);
    return std::nullopt;
}

std::optional<bool> Static::boolean() const {
    if (const auto* v = std::get_if<bool>(&value)) return *v;
    return std::nullopt;
}

std::optional<bool> Static::truth() const {
    if (const auto holds = boolean()) return holds;
    if (const auto number = real()) return *number != 0;
    if (string()) return !string()->empty();
    if (tuple()) return !tuple()->empty();
    return std::nullopt;
}

std::optional<DType> Static::dtype() const {
    if (const auto* v = std::get_if<DType>(&value)) return *v;
    return std::nullopt;
}

namespace {

std::string real_text(double v) {
    if (std::isnan(v)) return "nan";
    if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
    std::string text = fmt::format("{}", v);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

std::string tuple_text(const std::vector<Static>& elements, bool is_list) {
    std::string text = is_list ? "[" : "(";
    for (size_t i = 0; i < elements.size(); ++i) text += (i ? ", " : "") + elements[i].text();
    if (is_list) return text + "]";
    return text + (elements.size() == 1 ? ",)" : ")");
}

}  // namespace

std::string Static::text() const {
    if (is_none()) return "None";
    if (const auto* v = std::get_if<int64_t>(&value)) return std::to_string(*v);
    if (const auto* v = std::get_if<uint64_t>(&value)) return std::to_string(*v);
    if (const auto* v = std::get_if<double>(&value)) return real_text(*v);
    if (const auto* v = std::get_if<bool>(&value)) return *v ? "True" : "False";
    if (const auto* v = std::get_if<std::string>(&value)) return "\"" + *v + "\"";
    if (const auto* v = std::get_if<DType>(&value)) return std::string(name(*v));
    return tuple_text(*tuple(), is_list);
}

}  // namespace tsr::sema
