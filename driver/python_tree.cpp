#include "driver/python_tree.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "base/dtype.h"

namespace tsr::driver {

namespace {

using sema::Kind;
using sema::Type;

// What Python's `ctypes` and NumPy have, or hold the bits of: no types of fewer than 8 bits, and no floats of 8.
bool is_known(DType type, bool tensor) {
    if (type == DType::c64) return tensor;
    if (type == DType::boolean) return true;
    return bits(type) > 8 || (bits(type) == 8 && tsr::is_integer(type));
}

// A list as the types of its items; the fields of a record and the elements of a tuple are its parts.
std::vector<Type> items(const Type& type) {
    if (!type.is(Kind::list)) return type.parts();
    return std::vector<Type>(static_cast<size_t>(type.length().value_or(0)), type.parts().front());
}

// Of a record: without the name of its class.
std::vector<std::string> fields(const Type& type) {
    std::vector<std::string> out;
    for (size_t i = type.names().size() - type.parts().size(); i < type.names().size(); ++i)
        out.push_back(type.is_keyed_dict() ? type.names()[i] : python_name(type.names()[i]));
    return out;
}

std::string quoted(const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& name : names) out += python_string(name) + ", ";
    return "(" + out + ")";
}

}  // namespace

std::string python_name(const std::string& name) {
    // Those that are no words of Tessera.
    static constexpr std::array kKeywords{"async", "await",    "del",   "except", "finally", "global",
                                          "is",    "nonlocal", "raise", "try",    "with",    "yield"};
    return std::ranges::find(kKeywords, name) == kKeywords.end() ? name : name + "_";
}

std::string python_string(std::string_view text) {
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\')
            out += fmt::format("\\{}", c);
        else if (c == '\n')
            out += "\\n";
        else if (static_cast<unsigned char>(c) < 32)
            out += fmt::format("\\x{:02x}", c);
        else
            out += c;
    }
    return out + "\"";
}

bool passes_to_python(const Type& type) {
    switch (type.kind()) {
        case Kind::tensor:
            return is_known(type.elem(), true);
        case Kind::scalar:
            return is_known(type.elem(), false);
        case Kind::string:
        case Kind::none:
            return true;
        case Kind::list:
            return type.length() && passes_to_python(type.parts().front());
        case Kind::tuple:
        case Kind::record:
            return std::ranges::all_of(type.parts(), passes_to_python);
        default:
            return false;
    }
}

std::string python_tree(const Type& type, bool pairs) {
    switch (type.kind()) {
        case Kind::tensor:
            return fmt::format(R"(("tensor", "{}{}", {}))", name(type.elem()),
                               pairs && type.elem() == DType::c64 ? " in pairs" : "",
                               type.tensor().mut ? "True" : "False");
        case Kind::scalar:
            return fmt::format(R"(("number", "{}"))", name(type.elem()));
        case Kind::string:
            return R"(("str",))";
        case Kind::none:
            return R"(("none",))";
        default:
            break;
    }
    std::string parts;
    for (const Type& part : items(type)) parts += python_tree(part, pairs) + ", ";
    if (type.is_keyed_dict()) return fmt::format(R"(("dict", {}, ({})))", quoted(fields(type)), parts);
    if (type.is(Kind::record))
        return fmt::format(R"(("record", {}, {}, ({})))", type.names().front(), quoted(fields(type)), parts);
    return fmt::format(R"(("{}", ({})))", type.is(Kind::list) ? "list" : "tuple", parts);
}

std::string python_hint(const Type& type, bool given) {
    switch (type.kind()) {
        case Kind::tensor:
            return given ? "ArrayLike" : "Array";
        case Kind::scalar:
            return type.is_bool() ? "bool" : type.is_integer() ? "int" : "float";
        case Kind::string:
            return "str";
        case Kind::none:
            return "None";
        default:
            break;
    }
    if (type.is_keyed_dict()) return "dict[str, Any]";
    if (type.is(Kind::record)) return type.names().front() + (given ? " | Mapping[str, Any]" : "");
    if (type.is(Kind::list)) return fmt::format("list[{}]", python_hint(type.parts().front(), given));
    std::string parts;
    for (const Type& part : type.parts()) parts += (parts.empty() ? "" : ", ") + python_hint(part, given);
    return fmt::format("tuple[{}]", parts);
}

void add_record_classes(const Type& type, std::vector<Type>& classes) {
    if (!type.is(Kind::list) && !type.is(Kind::tuple) && !type.is(Kind::record)) return;
    for (const Type& part : type.parts()) add_record_classes(part, classes);
    if (!type.is(Kind::record) || type.is_keyed_dict()) return;
    const auto same = [&](const Type& one) { return one.names() == type.names(); };
    if (std::ranges::none_of(classes, same)) classes.push_back(type);
}

}  // namespace tsr::driver
