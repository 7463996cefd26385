// The standard library's files are modules that are read when a name of theirs is used: a program that uses none pays
// for none. The body of a function is read when the function is first checked.
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
    auto tree = parse(text, sources, diagnostics, file.bodies);
    const ModuleId id = load_module(*tree, std::string(file.name), true);
    program.modules[id.index].owned = std::move(tree);
    library_modules_.emplace(file.name, id);
    if (headers_read_) {
        read_headers(first);
        read_rules(first_module, first);
    }
    return id;
}

// The nodes of the body get ids behind those that were there: what is gathered from a whole tree (`NamePlaces`,
// `kernel_names_`) goes on where it stopped.
void Checker::read_body(FunctionId id) {
    const Function& function = program.function(id);
    const ast::FunctionDef& def = program.def(function);
    if (!def.later.valid()) return;
    parse_body(*program.modules[function.module.index].owned, function.stmt, sources, diagnostics);
    const size_t first = program.functions.size();
    declare_nested(function.module, def.body, functions_.at(&def));
    read_headers(first);
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
