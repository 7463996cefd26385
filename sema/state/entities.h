// What names stand for in a body and at module level, as the table of names says it.
#pragma once

#include <optional>
#include <string>

#include "sema/program/names.h"
#include "sema/state/body.h"

namespace tsr::sema {

Entity variable_entity(const Body& b, const Slot& slot);      // also a parameter, and what is captured
Entity fixed_entity(const Body& b, const std::string& name);  // a tuning parameter or a static one
Entity dimension_entity(Body& b, const std::string& name);    // of a name in a shape
Entity type_variable_entity(const Body& b, const std::string& name);
Entity record_dimension_entity(const Body& b, const std::string& name);  // of a field's shape, in a method
Entity function_entity(const Program& program, FunctionId id);  // also a class, by its constructor, and a method
Entity parameter_entity(const Program& program, FunctionId id, const std::string& name);  // also a field
// Nothing of names that mean nothing.
std::optional<Entity> symbol_entity(const Program& program, const Symbol& symbol, const std::string& name);
// Nothing of expressions that are no names.
std::optional<Entity> referent_entity(Body& b, const Referent& referent);
// Of the language itself: of no module.
Entity language_entity(NameKind kind, std::string name);

// The table gets what each part of a dotted name stands for, at module level: `layers.Linear`. The last part is
// `as_last`, where that is given.
void note_path(Checker& checker, ModuleId module, const ast::Expr& e, std::vector<NameUse>& uses,
               std::optional<NameKind> as_last = {});
void note_path(Body& b, const ast::Expr& e);
// The names before the `=` of a call's arguments: parameters of this function, or of the builtin of this spelling.
void note_keywords(Body& b, const ast::Call& c, FunctionId callee);
void note_keywords(Body& b, const ast::Call& c, const BuiltinEntry& callee);

}  // namespace tsr::sema
