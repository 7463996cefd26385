// What the names in a program's texts stand for, wherever they stand: also in annotations, decorators, imports, before
// the `=` of an argument. An editor asks through `sema/query.h`. Nothing here refers to a syntax tree.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "frontend/ast.h"
#include "sema/types/type.h"

namespace tsr::sema {

enum class NameKind : uint8_t {
    variable,  // of a function, or of a module where `function` is invalid
    parameter,
    tuning_parameter,
    dimension,      // `n` of `f32[n]`, where no parameter has that name
    type_variable,  // `T` of `T[M, K]`
    function,       // also a kernel
    class_,
    field,
    method,    // of a class, or of values: "list.append"
    property,  // of values: "shape"
    module,
    name_space,         // of the root: "tile"
    builtin,            // "tile.load"
    builtin_parameter,  // "tile.load.fill"
    element_type,       // "f32"
    decorator,          // "kernel.autotune"
    clause,             // of a kernel's decorator: "tile", "shared"
    policy,             // of an annotation, its mode or a privilege: "accum", "rz", "write"
};
std::string_view text(NameKind kind);

// One thing that names stand for. The same thing is equal, whatever function it is named in and for whatever types that
// function is checked.
struct Entity {
    NameKind kind = NameKind::variable;
    std::string name;
    ModuleId module;      // whose it is; invalid of the language's own
    FunctionId function;  // the function itself, or whose it is; of a class and its fields the constructor
    ast::ExprId own;      // of a variable that a comprehension or loop has for itself: the target that binds it
    auto operator<=>(const Entity&) const = default;
};

// One place that names it.
struct NameUse {
    Span at;
    Entity entity;
    bool binds = false;  // declares it, or assigns it
};

}  // namespace tsr::sema
