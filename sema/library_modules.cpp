// The standard library's files are modules that are read when a name of theirs is used: a program that uses none pays
// for none.
#include <fmt/format.h>

#include "frontend/parse.h"
#include "ir/core/internal.h"
#include "sema/state/checker.h"

namespace tsr::sema {

// Their functions are checked for each signature that they are called with. Module-level statements of theirs run only
// in programs that import the module.
ModuleId Checker::library_module(const LibraryFile& file) {
    if (const auto found = library_modules_.find(file.name); found != library_modules_.end()) return found->second;
    const size_t first = program.functions.size(), first_module = program.modules.size();
    const FileId text = sources.add(fmt::format("stdlib/{}.tsr", file.name), std::string(file.text));
    auto tree = parse(text, sources, diagnostics);
    const ModuleId id = load_module(*tree, std::string(file.name), true);
    program.modules[id.index].owned = std::move(tree);
    library_modules_.emplace(file.name, id);
    if (!headers_read_) return id;
    read_headers(first);
    for (size_t i = first_module; i < program.modules.size(); ++i) {  // and what it imports
        for (const ast::Stmt* stmt : program.modules[i].tree->body) {
            const auto* alone = std::get_if<ast::ExprStmt>(&stmt->node);
            const auto* call = alone ? std::get_if<ast::Call>(&alone->value->node) : nullptr;
            const auto* method = call ? std::get_if<ast::Attribute>(&call->callee->node) : nullptr;
            const bool defines = method && (method->name.text == "defvjp" || method->name.text == "defjvp");
            if (defines) read_rule(program.modules[i].id, *call);
        }
    }
    return id;
}

FunctionId Checker::library_function(const LibraryFunction& function) {
    const ModuleId module = library_module(*library_file(function.file));
    const auto& names = scopes[module.index].names;
    const auto found = names.find(function.name);
    if (found == names.end() || found->second.kind != Symbol::Kind::function)
        ir::internal_error(fmt::format("stdlib/{}.tsr has no function `{}`", function.file, function.name));
    return found->second.function;
}

Symbol Checker::loaded(Symbol symbol) {
    if (symbol.kind != Symbol::Kind::library) return symbol;
    const FunctionId function = library_function(*sema::library_function(symbol.path));
    symbol.kind = Symbol::Kind::function;
    symbol.function = function;
    return symbol;
}

}  // namespace tsr::sema
