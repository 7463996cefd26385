// The root namespace: what a name of it is, where it may be used, what it takes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sema/builtins/builtin_list.h"

namespace tsr::sema {

#define TSR_NAME(identifier, paths, where, feature, parameters, doc) identifier,
enum class Builtin : uint16_t {
    TSR_BUILTINS_TILE(TSR_NAME) TSR_BUILTINS_GROUP(TSR_NAME) TSR_BUILTINS_REGISTER_TILE(TSR_NAME)
        TSR_BUILTINS_MATH(TSR_NAME) TSR_BUILTINS_HOST(TSR_NAME) TSR_BUILTINS_INDEXED(TSR_NAME)
            TSR_BUILTINS_AXES(TSR_NAME) TSR_BUILTINS_JOINING(TSR_NAME) TSR_BUILTINS_FORM(TSR_NAME)
                TSR_BUILTINS_DERIVATIVES(TSR_NAME) TSR_BUILTINS_TRANSFORMS(TSR_NAME) TSR_BUILTINS_LATER(TSR_NAME)
    // An operator of TSR_OPERATOR_NAMES.
    graph_operator,
};
#undef TSR_NAME

// Parts of the language that are parsed and not compiled. One diagnostic code each.
enum class Feature : uint8_t {
    none,          // compiled
    graphs,        // E0601: @jit, operators on tensors
    autodiff,      // E0602
    distribution,  // E0603: meshes, collectives between devices
    tuning,        // E0413: a tuning space that is not one
    policies,      // E0607: stochastic rounding, block scales, precision policy classes
    host,          // E0608: forms of host programs: classes, escaping functions
};
std::string_view code(Feature feature);
std::string_view title(Feature feature);  // "operator graphs", "register tiles and products"

struct BuiltinParameter {
    std::string name;
    bool optional = false;
    bool variadic = false;
    bool keyword_only = false;
    bool extents = false;  // a shape: by position its extents may stand one by one
};

struct BuiltinEntry {
    Builtin id;
    std::vector<std::string> paths;  // without the root: "tile.linear_id"; the usual one first
    bool in_kernel = false, on_host = false, in_graph = false;
    Feature feature = Feature::none;
    bool is_value = false;  // `math.pi`, `grid_groups`: not called
    std::vector<BuiltinParameter> parameters;
    std::string_view doc;
};

// The row of a builtin.
const BuiltinEntry& entry(Builtin name);
// The usual spelling: "tile.linear_id".
std::string_view spelling(Builtin name);
// How it is called: "tile.scan(value, *, op=…, axis=…)"; of a value its spelling.
std::string signature(const BuiltinEntry& row);
// "In kernels and on the host. Also written `math.abs`."
std::string usage(const BuiltinEntry& row);
// All rows, in the order of the list.
std::span<const BuiltinEntry> builtins();

// Of the list of register tiles.
bool is_of_register_tiles(Builtin name);
// Whether it is the thread block's: kernels without one may not use it.
bool is_of_group(Builtin name);

// A member of the root by its path without the root: "tile.linear_id", "sqrt".
const BuiltinEntry* builtin_at(std::string_view path);
// True of "tile", "math", "cp_async.shared", "op", …: a path with members below it.
bool is_name_space(std::string_view path);
// The names that may follow a path ("" is the root), sorted: for messages and completion.
std::vector<std::string> members(std::string_view path);

}  // namespace tsr::sema
