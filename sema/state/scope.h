// What the names of a module stand for.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sema/program/tables.h"

namespace tsr::sema {

struct Symbol {
    enum class Kind : uint8_t {
        none,    // no such name
        broken,  // a name whose definition was refused: silent
        function,
        name_space,  // of the root, by `path`
        module,      // an imported file
        package,     // the folder of imported files, by `path`: `a` of `import a.b`
        builtin,
        dtype,
        variable,  // assigned by module-level statements
        class_,
        library,  // a function of the standard library, by `path`: its file may not be loaded yet
    };
    Kind kind = Kind::none;
    FunctionId function;  // class_: the constructor
    std::string path;     // of the root, or of a folder; variable: its name in its module
    ModuleId module;      // module; variable: whose it is
    const BuiltinEntry* builtin = nullptr;
    DType dtype = DType::f32;
    Span declared;
};

// A member of the root namespace by its path; `tessera` and `op` in front are ignored.
Symbol root_symbol(std::string_view path);

// By name, in no order.
struct NameHash {
    using is_transparent = void;
    size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
};
template <class T>
using NameMap = std::unordered_map<std::string, T, NameHash, std::equal_to<>>;

// One module's names. Those of the root namespace are not in it.
struct ModuleScope {
    // Modules of `import a.b` stand here by their whole path, beside the package `a`.
    std::map<std::string, Symbol, std::less<>> names;
    bool has_packages = false;
    // Module-level names assigned exactly once, outside of `if`, `for` and `while`: candidates for constants.
    std::map<std::string, const ast::Expr*, std::less<>> constants;
};

// `x` of `x[i]` and `x.parts[0]`.
const ast::Expr& written_root(const ast::Expr& e);
// The names that an assignment target binds: `a`, `a, b`, `(a, [b])`. Subscripts and attributes bind none.
void target_names(const ast::Expr& target, std::vector<const ast::Expr*>& names);

// The expressions that one is made of, from left to right; of lambdas none, which run where they are called.
void for_each_part(const ast::Expr& e, const std::function<void(const ast::Expr&)>& visit);

// How often each name is bound by the statements of a block and of the blocks in it; functions' bodies are their own.
void count_bindings(const ast::Block& block, std::map<std::string, int, std::less<>>& counts);

}  // namespace tsr::sema
