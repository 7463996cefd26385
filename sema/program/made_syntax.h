// Expressions and statements that no text has: what some of a program's expressions stand for. Their ids count
// downwards from the largest one, so that tables hold them beside those of the text.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "frontend/ast.h"
#include "sema/types/type.h"

namespace tsr::sema {

// An expression of the program: ids of written ones are dense within a module.
using ExprKey = std::pair<ModuleId, ast::ExprId>;

// `*items` in a call: the items by number, of a name for the value where it is not a name itself.
struct UnpackedArgument {
    ast::ExprId name;
    bool named = false;  // `name` is used: it is given the value before the call
    std::vector<ast::ExprId> items;
};
// The key of a sort: its call for one item, as if it were written `key(item)`.
struct SortKey {
    ast::ExprId item, call;
};

// `vjp(f, *args)`: the arguments as a tuple, a name for it, the call of f with it.
struct VjpCall {
    ast::ExprId arguments, name, call;
};

// `x += y` of a tensor as an assignment: `x[:] = x + y`.
struct InPlace {
    ast::ExprId target, value;
};

// A loop that is checked as if its rounds were written one after the other: the rounds, in an `if` that holds; the
// names of the variables that each round has for itself.
struct LoopRounds {
    ast::StmtId rounds;
    std::vector<std::pair<ast::ExprId, std::optional<int64_t>>> names;  // with the number that it stands for
};

class MadeSyntax {
public:
    const ast::Expr& expr(Span at, ast::ExprNode node);
    const ast::Stmt& stmt(Span at, ast::StmtNode node);
    // The call of that function that the expression is; null where none is made yet.
    [[nodiscard]] const ast::Expr* library_call(const ExprKey& of, std::string_view function) const;
    // nullptr: the id is one of a text.
    [[nodiscard]] const ast::Expr* find(ast::ExprId id) const;
    [[nodiscard]] const ast::Stmt* find(ast::StmtId id) const;

    std::map<ExprKey, SortKey> sort_keys;  // by what stands behind `key=`
    // By the name of a dimension of a record's field, in a method: `self.field.shape[axis]`.
    std::map<ExprKey, ast::ExprId> field_extents;
    // By `net.run` that is not called: `lambda x: net.run(x)`.
    std::map<ExprKey, ast::ExprId> bound_methods;
    std::map<ExprKey, ast::ExprId> call_methods;  // by a record that is used as a function: `net.__call__`
    // By the call: `map(f, xs)` is `[f(x) for x in xs]`; of several iterables the clause goes through `zip` of them.
    std::map<ExprKey, ast::ExprId> mapped;
    // By an operator, subscript or call: the calls of functions that it is for some types of its operands.
    std::map<ExprKey, std::vector<ast::ExprId>> library_calls;
    std::map<ExprKey, VjpCall> vjp_calls;  // by the call
    // By a number or tuple of numbers, and the types that its literals take: `(f64(1.0),)`.
    std::map<std::pair<ExprKey, std::string>, ast::ExprId> typed_numbers;
    std::map<FunctionId, Type> pulled_back;  // by the function that `vjp` gives: what is differentiated gives
    // By the name of a built-in function that is differentiated: the function of the program that calls it.
    std::map<ExprKey, ast::ExprId> called_builtins;
    std::map<ExprKey, ast::ExprId> held_values;  // by the call of a function that holds values: these, as a tuple
    std::map<std::pair<ModuleId, ast::StmtId>, InPlace> in_place;  // by the statement
    // By `sum(items)` in a graph function and what tells the items apart: the items added one by one.
    std::map<std::pair<ExprKey, std::string>, ast::ExprId> sums_of_items;
    // By a comprehension over items that differ in type, and their keys: the display that it is.
    std::map<std::pair<ExprKey, std::string>, ast::ExprId> displays_of_items;
    // By the loop, what it goes through and the variables of a round.
    std::map<std::tuple<ModuleId, ast::StmtId, std::string>, LoopRounds> loop_rounds;
    std::map<ExprKey, UnpackedArgument> unpacked;  // by what stands behind the star
    // Of `tree.map(f, t)`, and of `q[a:b]` beside scales: by a tree that is no name, its name; by what reads a tree and
    // the name or number of a part, what reads the part; by the call and the leaves, `f(t.w)`.
    std::map<ExprKey, ast::ExprId> tree_names;
    std::map<std::pair<ExprKey, std::string>, ast::ExprId> tree_parts, tree_calls;
    // By the call and the numbers of items: the call with the items as its arguments.
    // The element type that is declared for what a call of the library gives.
    std::map<std::pair<ExprKey, DType>, ast::ExprId> declared_types;
    // Calls of which several arguments are one shape, by call and number of extents.
    std::map<std::pair<ExprKey, size_t>, ast::ExprId> calls_with_shape;
    std::map<std::pair<ExprKey, std::vector<size_t>>, ast::ExprId> unpacked_calls;

private:
    std::deque<ast::Expr> exprs_;
    std::deque<ast::Stmt> stmts_;
};

}  // namespace tsr::sema
