#include "sema/program/tables.h"

#include <algorithm>

namespace tsr::sema {

int64_t KernelHeader::group_size() const {
    if (!group_shape) return 128;
    int64_t size = 1;
    for (int64_t extent : *group_shape) size *= extent;
    return size;
}

const ExprInfo& Instance::info(ast::ExprId expr) const {
    static const ExprInfo unknown;
    auto found = exprs.find(expr);
    return found == exprs.end() ? unknown : found->second;
}

std::string readable(const std::string& text) {
    std::string result;
    for (size_t i = 0; i < text.size();) {
        const bool part = std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_';
        size_t end = i + 1;
        while (part && end < text.size() &&
               (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) {
            ++end;
        }
        const std::string word = text.substr(i, end - i);
        i = end;
        const size_t mark = word.rfind("__");
        const bool made = mark != std::string::npos && mark > 0 && mark + 2 < word.size() &&
                          word.find_first_not_of("0123456789", mark + 2) == std::string::npos;
        result += !made ? word : word.starts_with("extent__") ? "?" : word.substr(0, mark);
    }
    return result;
}

bool Program::is_operator(const Instance& callee) const {
    const bool gives_value = callee.result.is(Kind::tensor) || callee.result.is_scalar();
    const bool own = modules[callee.module.index].library && !callee.derived_from.valid();
    const auto has = [&](Kind kind) {
        return std::ranges::any_of(callee.parameters, [&](const ParameterInfo& p) { return p.type.is(kind); });
    };
    return own && callee.context == Context::graph && gives_value && has(Kind::tensor) && !has(Kind::record);
}

const ast::Expr* Program::expr(ModuleId module, ast::ExprId id) const {
    if (!id.valid()) return nullptr;
    const ast::Expr* known = made.find(id);
    return known ? known : &modules[module.index].tree->exprs[id.index];
}

const ast::Stmt& Program::stmt(ModuleId module, ast::StmtId id) const {
    const ast::Stmt* known = made.find(id);
    return known ? *known : modules[module.index].tree->stmts[id.index];
}

const ast::FunctionDef& Program::def(const Function& function) const {
    return std::get<ast::FunctionDef>(stmt(function.module, function.stmt).node);
}

}  // namespace tsr::sema
