// What an editor asks of a checked program, also of one with mistakes. Offsets are bytes of a module's text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sema/program/program.h"

namespace tsr::sema {

// ---- names ----

// The name that stands at this place, or ends right before it; nullptr where none does.
const NameUse* name_at(const Program& program, ModuleId module, uint32_t offset);

// All places that name it: by module, in the order of the text.
std::vector<NameUse> occurrences(const Program& program, const Entity& entity);

// The name where it is defined; of a variable where the text assigns it first. Nothing of the language's own names and
// of modules.
std::optional<Span> definition(const Program& program, const Entity& entity);

// The types of its values: of a function that is checked for several signatures each of them once. None of what is no
// value, and where nothing is known.
std::vector<Type> types_of(const Program& program, const Entity& entity);

// ---- expressions ----

// The smallest expression of the text around this place; nullptr where none is.
const ast::Expr* expression_at(const Program& program, ModuleId module, uint32_t offset);
std::vector<Type> types_of(const Program& program, ModuleId module, ast::ExprId expr);
// Its values that are known when the program is compiled: of several signatures or points of a tuning space each once.
// None where one of them does not know it.
std::vector<Static> values_of(const Program& program, ModuleId module, ast::ExprId expr);

// What a dot behind a value of this type may be followed by.
struct Member {
    enum class Kind : uint8_t { property, field, method };
    std::string name;
    Kind kind = Kind::property;
    std::string path;  // of the documentation: "sum", "list.append"; empty: there is none
};
std::vector<Member> members_of(const Program& program, const Type& type);

// ---- functions ----

// The function whose text holds this place, the innermost; invalid at module level. Lines behind its last statement
// belong to a function as long as they are indented more than its `def`. `text`: of the module.
FunctionId function_at(const Program& program, ModuleId module, std::string_view text, uint32_t offset);

// What it gives: for several signatures each type once. None where nothing is known, or it gives nothing.
std::vector<Type> results_of(const Program& program, FunctionId function);

// A name that may be written at this place, in the text of `function` or at module level.
struct VisibleName {
    std::string name;
    std::optional<Entity> entity;  // none: an import whose module has a mistake
};
// Of the program alone, without those of the language (`members`).
std::vector<VisibleName> visible_names(const Program& program, ModuleId module, FunctionId function);

// The names of another module that its importers see.
std::vector<VisibleName> names_of_module(const Program& program, ModuleId module);

}  // namespace tsr::sema
