#include "sema/builtins/builtins.h"

#include <map>
#include <set>
#include <sstream>

#include "sema/builtins/library.h"

namespace tsr::sema {

namespace {

struct Row {
    Builtin id;
    std::string_view paths;
    std::string_view where;
    Feature feature;
    std::string_view parameters;
    std::string_view doc;
};

#define TSR_ROW(identifier, paths, where, feature, parameters, doc) \
    {Builtin::identifier, paths, #where, Feature::feature, parameters, doc},
constexpr Row kBuiltinRows[] = {
    TSR_BUILTINS_TILE(TSR_ROW) TSR_BUILTINS_GROUP(TSR_ROW) TSR_BUILTINS_REGISTER_TILE(TSR_ROW)
        TSR_BUILTINS_MATH(TSR_ROW) TSR_BUILTINS_HOST(TSR_ROW) TSR_BUILTINS_INDEXED(TSR_ROW) TSR_BUILTINS_AXES(TSR_ROW)
            TSR_BUILTINS_JOINING(TSR_ROW) TSR_BUILTINS_FORM(TSR_ROW) TSR_BUILTINS_DERIVATIVES(TSR_ROW)
                TSR_BUILTINS_TRANSFORMS(TSR_ROW) TSR_BUILTINS_LATER(TSR_ROW)};
#undef TSR_ROW

std::vector<std::string> words(std::string_view text) {
    std::istringstream stream{std::string(text)};
    std::vector<std::string> result;
    for (std::string word; stream >> word;) result.push_back(word);
    return result;
}

// "x, axis? | keepdims?": see builtin_list.h.
std::vector<BuiltinParameter> read_parameters(std::string_view text) {
    std::vector<BuiltinParameter> result;
    bool keyword_only = false;
    std::string word;
    auto flush = [&] {
        if (word.empty()) return;
        BuiltinParameter p;
        p.keyword_only = keyword_only;
        if (word.front() == '*') {
            p.variadic = true;
            word.erase(0, 1);
        }
        if (word.back() == '?') {
            p.optional = true;
            word.pop_back();
        }
        if (word.back() == '+') {
            p.extents = true;
            word.pop_back();
        }
        p.name = word;
        result.push_back(std::move(p));
        word.clear();
    };
    for (char c : text) {
        if (c == ',' || c == '|') flush();
        if (c == '|') keyword_only = true;
        if (c != ',' && c != '|' && c != ' ') word += c;
    }
    flush();
    return result;
}

BuiltinEntry make_entry(const Row& row) {
    BuiltinEntry e;
    e.id = row.id;
    e.paths = words(row.paths);
    e.in_kernel = row.where.find('K') != std::string_view::npos;
    e.on_host = row.where.find('H') != std::string_view::npos;
    e.in_graph = row.where.find('G') != std::string_view::npos;
    e.feature = row.feature;
    e.is_value = row.parameters == "-";
    if (!e.is_value) e.parameters = read_parameters(row.parameters);
    e.doc = row.doc;
    return e;
}

struct Table {
    std::vector<BuiltinEntry> entries;  // by Builtin
    std::map<std::string, const BuiltinEntry*, std::less<>> by_path;
    std::set<std::string, std::less<>> name_spaces;
};

// Immutable after its construction at first use.
const Table& table() {
    static const Table indexed = [] {
        Table t;
        for (const Row& row : kBuiltinRows) t.entries.push_back(make_entry(row));
        BuiltinEntry operators;
        operators.id = Builtin::graph_operator;
        operators.paths = words(TSR_OPERATOR_NAMES);
        operators.in_kernel = operators.on_host = operators.in_graph = true;
        operators.feature = Feature::graphs;
        operators.parameters = read_parameters("*values");
        operators.doc = "An operator of the standard library.";
        t.entries.push_back(std::move(operators));
        for (const BuiltinEntry& e : t.entries) {
            for (const std::string& path : e.paths) {
                t.by_path[path] = &e;  // entries do not move any more: a moved vector keeps its elements' places
                for (size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1)) {
                    t.name_spaces.insert(path.substr(0, dot));
                }
            }
        }
        return t;
    }();
    return indexed;
}

}  // namespace

std::string_view code(Feature feature) {
    switch (feature) {
        case Feature::none:
            return "";
        case Feature::graphs:
            return "E0601";
        case Feature::autodiff:
            return "E0602";
        case Feature::distribution:
            return "E0603";
        case Feature::tuning:
            return "E0413";
        case Feature::policies:
            return "E0607";
        case Feature::host:
            return "E0608";
    }
    return "";
}

std::string_view title(Feature feature) {
    switch (feature) {
        case Feature::none:
            return "";
        case Feature::graphs:
            return "operator graphs";
        case Feature::autodiff:
            return "derivatives";
        case Feature::distribution:
            return "distribution over devices";
        case Feature::tuning:
            return "this tuning space";
        case Feature::policies:
            return "this precision policy";
        case Feature::host:
            return "this form";
    }
    return "";
}

const BuiltinEntry& entry(Builtin name) { return table().entries[static_cast<size_t>(name)]; }

#define TSR_CASE(identifier, paths, where, feature, parameters, doc) case Builtin::identifier:
bool is_of_register_tiles(Builtin name) {
    switch (name) {
        TSR_BUILTINS_REGISTER_TILE(TSR_CASE)
        return true;
        default:
            return false;
    }
}

bool is_of_group(Builtin name) {
    switch (name) {
        TSR_BUILTINS_GROUP(TSR_CASE)
        return true;
        default:
            return is_of_register_tiles(name);
    }
}
#undef TSR_CASE

std::string_view spelling(Builtin name) { return entry(name).paths.front(); }

std::span<const BuiltinEntry> builtins() { return table().entries; }

const BuiltinEntry* builtin_at(std::string_view path) {
    auto found = table().by_path.find(path);
    return found == table().by_path.end() ? nullptr : found->second;
}

bool is_name_space(std::string_view path) { return table().name_spaces.contains(path); }

std::vector<std::string> members(std::string_view path) {
    std::set<std::string> names;
    std::string prefix = path.empty() ? "" : std::string(path) + ".";
    for (const auto& [full, unused] : table().by_path) {
        if (!full.starts_with(prefix)) continue;
        std::string rest = full.substr(prefix.size());
        names.insert(rest.substr(0, rest.find('.')));
    }
    for (const LibraryFunction& function : library_functions()) {
        if (path.empty() || path == function.file) names.insert(std::string(function.name));
    }
    return {names.begin(), names.end()};
}

}  // namespace tsr::sema
