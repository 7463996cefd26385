#include "sema/state/scope.h"

#include "sema/builtins/library.h"

namespace tsr::sema {

Symbol root_symbol(std::string_view path) {
    for (std::string_view root : {"tessera", "op"}) {
        if (path == root) path = "";
        if (path.starts_with(root) && path.size() > root.size() && path[root.size()] == '.')
            path.remove_prefix(root.size() + 1);
    }
    Symbol symbol;
    symbol.path = std::string(path);
    if (path.empty()) {
        symbol.kind = Symbol::Kind::name_space;
    } else if (const BuiltinEntry* found = builtin_at(path)) {
        symbol.kind = Symbol::Kind::builtin;
        symbol.builtin = found;
    } else if (library_function(path)) {
        symbol.kind = Symbol::Kind::library;
    } else if (auto type = dtype_named(path)) {
        symbol.kind = Symbol::Kind::dtype;
        symbol.dtype = *type;
    } else if (is_name_space(path)) {
        symbol.kind = Symbol::Kind::name_space;
    }
    return symbol;
}

const ast::Expr& written_root(const ast::Expr& e) {
    if (const auto* s = std::get_if<ast::Subscript>(&e.node)) return written_root(*s->base);
    if (const auto* a = std::get_if<ast::Attribute>(&e.node)) return written_root(*a->base);
    return e;
}

void target_names(const ast::Expr& target, std::vector<const ast::Expr*>& names) {
    if (std::holds_alternative<ast::Name>(target.node)) names.push_back(&target);
    if (const auto* tuple = std::get_if<ast::Tuple>(&target.node)) {
        for (const ast::Expr* element : tuple->elements) target_names(*element, names);
    }
    if (const auto* list = std::get_if<ast::List>(&target.node)) {
        for (const ast::Expr* element : list->elements) target_names(*element, names);
    }
}

namespace {

struct Parts {
    const std::function<void(const ast::Expr&)>& visit;

    void one(const ast::Expr* e) const {
        if (e) visit(*e);
    }
    void all(const std::vector<const ast::Expr*>& list) const {
        for (const ast::Expr* e : list) one(e);
    }
    void operator()(const ast::FString& n) const {
        for (const ast::FString::Part& part : n.parts) one(part.value), one(part.spec);
    }
    void operator()(const ast::Unary& n) const { one(n.operand); }
    void operator()(const ast::Binary& n) const { one(n.lhs), one(n.rhs); }
    void operator()(const ast::Compare& n) const {
        one(n.first);
        for (const ast::Compare::Link& link : n.links) one(link.rhs);
    }
    void operator()(const ast::Logical& n) const { all(n.operands); }
    void operator()(const ast::Conditional& n) const { one(n.condition), one(n.then), one(n.otherwise); }
    void operator()(const ast::Call& n) const {
        one(n.callee);
        for (const ast::Argument& argument : n.arguments) one(argument.value);
    }
    void operator()(const ast::Subscript& n) const { one(n.base), all(n.indices); }
    void operator()(const ast::Slice& n) const { one(n.lower), one(n.upper), one(n.step); }
    void operator()(const ast::Attribute& n) const { one(n.base); }
    void operator()(const ast::Tuple& n) const { all(n.elements); }
    void operator()(const ast::List& n) const { all(n.elements); }
    void operator()(const ast::Dict& n) const {
        for (const auto& [key, value] : n.entries) one(key), one(value);
    }
    void operator()(const ast::Comprehension& n) const {
        one(n.element), one(n.value);
        for (const ast::Comprehension::Clause& clause : n.clauses) one(clause.iterable), all(clause.conditions);
    }
    template <class Leaf>
    void operator()(const Leaf&) const {}
};

}  // namespace

void for_each_part(const ast::Expr& e, const std::function<void(const ast::Expr&)>& visit) {
    std::visit(Parts{visit}, e.node);
}

namespace {

using Counts = std::map<std::string, int, std::less<>>;

// `list[i] = x` changes what the name stands for, as `list = x` does.
void count_target(const ast::Expr& target, Counts& counts) {
    if (const auto* name = std::get_if<ast::Name>(&target.node)) {
        ++counts[name->text];
    } else if (const auto* tuple = std::get_if<ast::Tuple>(&target.node)) {
        for (const ast::Expr* element : tuple->elements) count_target(*element, counts);
    } else if (const auto* list = std::get_if<ast::List>(&target.node)) {
        for (const ast::Expr* element : list->elements) count_target(*element, counts);
    } else if (const auto* place = std::get_if<ast::Subscript>(&target.node)) {
        const ast::Expr* base = place->base;
        while (const auto* outer = std::get_if<ast::Subscript>(&base->node)) base = outer->base;
        const auto* name = std::get_if<ast::Name>(&base->node);
        if (name && counts.contains(name->text)) ++counts[name->text];
    }
}

void count_statement(const ast::Stmt& stmt, Counts& counts) {
    if (const auto* assign = std::get_if<ast::Assign>(&stmt.node)) {
        for (const ast::Expr* target : assign->targets) count_target(*target, counts);
    } else if (const auto* augmented = std::get_if<ast::AugmentedAssign>(&stmt.node)) {
        count_target(*augmented->target, counts);
    } else if (const auto* annotated = std::get_if<ast::AnnotatedAssign>(&stmt.node)) {
        count_target(*annotated->target, counts);
        // A declared type is the variable's own: what is assigned is converted to it, so it is not a bare constant.
        count_target(*annotated->target, counts);
    } else if (const auto* statement = std::get_if<ast::ExprStmt>(&stmt.node)) {
        // `list.append(x)` changes what the name stands for.
        const auto* call = std::get_if<ast::Call>(&statement->value->node);
        const auto* method = call ? std::get_if<ast::Attribute>(&call->callee->node) : nullptr;
        if (method && method->name.text == "append") {
            const auto* name = std::get_if<ast::Name>(&method->base->node);
            if (name && counts.contains(name->text)) ++counts[name->text];
        }
    } else if (const auto* branch = std::get_if<ast::If>(&stmt.node)) {
        for (const auto& b : branch->branches) count_bindings(b.body, counts);
        count_bindings(branch->otherwise, counts);
    } else if (const auto* loop = std::get_if<ast::For>(&stmt.node)) {
        count_target(*loop->target, counts);
        count_bindings(loop->body, counts);
        count_bindings(loop->otherwise, counts);
    } else if (const auto* loop_while = std::get_if<ast::While>(&stmt.node)) {
        count_bindings(loop_while->body, counts);
        count_bindings(loop_while->otherwise, counts);
    }
}

}  // namespace

void count_bindings(const ast::Block& block, Counts& counts) {
    for (const ast::Stmt* stmt : block) count_statement(*stmt, counts);
}

}  // namespace tsr::sema
