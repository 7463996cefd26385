#include "sema/program/host_methods.h"

#include <string>

namespace tsr::sema {

namespace {

constexpr HostMethod kMethods[] = {
    {Kind::string, "upper", "", 's', "string_upper"},
    {Kind::string, "lower", "", 's', "string_lower"},
    {Kind::string, "strip", "s=", 's', "string_strip"},
    {Kind::string, "lstrip", "s=", 's', "string_lstrip"},
    {Kind::string, "rstrip", "s=", 's', "string_rstrip"},
    {Kind::string, "replace", "s s", 's', "string_replace"},
    {Kind::string, "split", "s=", 'S', "string_split"},
    {Kind::string, "splitlines", "", 'S', "string_lines"},
    {Kind::string, "join", "S", 's', "string_join"},
    {Kind::string, "find", "s", 'i', "string_find"},
    {Kind::string, "count", "s", 'i', "string_count"},
    {Kind::string, "startswith", "s", 'b', "string_starts"},
    {Kind::string, "endswith", "s", 'b', "string_ends"},
    {Kind::string, "isdigit", "", 'b', "string_is_digits"},
    {Kind::list, "append", "E", 'n', "list_append", true},
    {Kind::list, "insert", "i E", 'n', "list_insert", true},
    {Kind::list, "extend", "x", 'n', "list_extend", true},
    {Kind::list, "pop", "i=-1", 'e', "list_pop", true},
    {Kind::list, "remove", "e", 'n', "list_remove", true},
    {Kind::list, "clear", "", 'n', "list_clear", true},
    {Kind::list, "reverse", "", 'n', "list_reverse", true},
    {Kind::list, "index", "e", 'i', "list_index"},
    {Kind::list, "count", "e", 'i', "list_count"},
    {Kind::list, "copy", "", 'x', "list_slice"},
    {Kind::record, "copy", "", 'x', "record_copy"},
    {Kind::dict, "get", "k v", 'v', "dict_get_or"},
    {Kind::dict, "setdefault", "K V", 'v', "dict_set_default", true},
    {Kind::dict, "pop", "k", 'v', "dict_pop", true},
    {Kind::dict, "pop", "k v", 'v', "dict_pop_or", true},
    {Kind::dict, "update", "x", 'n', "dict_update", true},
    {Kind::dict, "clear", "", 'n', "list_clear", true},
    {Kind::dict, "copy", "", 'x', "dict_copy"},
    {Kind::dict, "keys", "", 'K', "dict_keys"},
    {Kind::dict, "values", "", 'V', "dict_values"},
    {Kind::dict, "items", "", 'I', "dict_items"},
};

}  // namespace

std::vector<const HostMethod*> host_methods(Kind receiver, std::string_view name) {
    std::vector<const HostMethod*> rows;
    for (const HostMethod& method : kMethods) {
        if (method.receiver == receiver && method.name == name) rows.push_back(&method);
    }
    return rows;
}

std::vector<std::string> host_method_names(Kind receiver) {
    std::vector<std::string> names;
    for (const HostMethod& method : kMethods) {
        if (method.receiver == receiver) names.emplace_back(method.name);
    }
    if (receiver == Kind::list) names.emplace_back("sort");
    return names;
}

std::vector<MethodParameter> method_parameters(const HostMethod& method) {
    std::vector<MethodParameter> parameters;
    std::string_view rest = method.parameters;
    while (!rest.empty()) {
        const std::string_view one = rest.substr(0, rest.find(' '));
        rest.remove_prefix(one.size() == rest.size() ? one.size() : one.size() + 1);
        parameters.push_back({one[0], one.size() > 1, one.size() > 1 ? one.substr(2) : std::string_view()});
    }
    return parameters;
}

}  // namespace tsr::sema
