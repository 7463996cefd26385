#include "ir/core/names.h"

#include <bit>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

namespace tsr::ir {

namespace {

constexpr uint64_t kPlainNan = 0x7ff8'0000'0000'0000;

// A whole float keeps its point, so that it is not read as an integer.
std::string with_point(const std::string& digits) {
    const bool whole = digits.find_first_of(".en") == std::string::npos;
    return whole ? digits + ".0" : digits;
}

std::string clean(const std::string& name) {
    std::string text;
    for (char c : name) text += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' ? c : '_';
    if (!text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) != 0) text.insert(text.begin(), '_');
    return text;
}

}  // namespace

std::string double_text(double value) {
    if (std::isnan(value)) {
        const auto bits = std::bit_cast<uint64_t>(value);
        return bits == kPlainNan ? "nan" : fmt::format("nan({:#x})", bits);
    }
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    return with_point(fmt::format("{}", value));
}

std::string constant_text(const Attrs& attrs) {
    const AttrValue* value = attrs.find(Attr::value);
    const AttrValue* type = attrs.find(Attr::type);
    if (value == nullptr || type == nullptr || !std::holds_alternative<DType>(*type)) return "?";
    const DType dtype = std::get<DType>(*type);
    if (const auto* whole = std::get_if<int64_t>(value)) {
        if (dtype == DType::boolean) return *whole != 0 ? "true" : "false";
        return dtype == DType::u64 ? std::to_string(static_cast<uint64_t>(*whole)) : std::to_string(*whole);
    }
    const auto* real = std::get_if<double>(value);
    if (real == nullptr) return "?";
    if (dtype == DType::f64 || !std::isfinite(*real)) return double_text(*real);
    return with_point(fmt::format("{}", static_cast<float>(*real)));
}

std::string default_constant_name(const Attrs& attrs) {
    std::string text = constant_text(attrs);
    if (text == "true" || text == "false") return text;
    return "c" + text.substr(0, text.find('('));
}

ValueNames::ValueNames(const Function& function, NamesOfValues used) : used_(used), names_(function.value_count()) {
    name_region(function, function.body);
    if (function.kernel.launch.valid()) name_region(function, function.kernel.launch);
}

void ValueNames::name_region(const Function& function, RegionId id) {
    const Region& region = function.region(id);
    for (ValueId arg : region.args) name_value(function, arg);
    for (OpId op : region.ops) {
        for (ValueId result : function.op(op).results) name_value(function, result);
        for (RegionId inner : function.op(op).regions) name_region(function, inner);
    }
}

void ValueNames::name_value(const Function& function, ValueId id) {
    const Value& value = function.value(id);
    const bool constant = value.op.valid() && function.op(value.op).kind == OpKind::constant;
    if (used_ == NamesOfValues::given && !value.name.empty()) {
        names_[id.index] = unique(clean(value.name));
    } else if (constant) {
        names_[id.index] = unique(default_constant_name(function.op(value.op).attrs));
    } else {
        names_[id.index] = std::to_string(next_number_++);
    }
}

std::string ValueNames::unique(const std::string& base) {
    if (taken_.insert(base).second) return base;
    size_t& suffix = last_suffix_[base];
    std::string name;
    do name = base + "." + std::to_string(++suffix);
    while (!taken_.insert(name).second);
    return name;
}

std::string ValueNames::of(ValueId value) const {
    if (!value.valid() || value.index >= names_.size()) return "%?";
    const std::string& name = names_[value.index];
    return name.empty() ? "%?" + std::to_string(value.index) : "%" + name;
}

}  // namespace tsr::ir
