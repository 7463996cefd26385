// The syntax tree: immutable after parsing, also of broken programs (holes). What is found out about it stands in
// tables beside it, indexed by the ids.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/span.h"

namespace tsr::ast {

using ExprId = Id<struct ExprTag>;  // dense within a module
using StmtId = Id<struct StmtTag>;  // dense within a module

struct Expr;
struct Stmt;
using Block = std::vector<const Stmt*>;

struct Identifier {
    std::string text;
    Span span;
};

// ---- expressions ----

enum class UnaryOp { plus, minus, invert, logical_not };
enum class BinaryOp { add, sub, mul, div, floordiv, mod, pow, matmul, bit_and, bit_or, bit_xor, shl, shr };
enum class CompareOp { eq, ne, lt, le, gt, ge, in, not_in };
enum class BoolOp { logical_and, logical_or };

struct Hole {};  // where the parser found no expression; the message was given
struct Name {
    std::string text;
};
struct IntLiteral {
    uint64_t value = 0;     // size suffix applied: 8_KiB is 8192
    bool overflow = false;  // does not fit 64 bits (reported by the parser)
};
struct FloatLiteral {
    double value = 0;
};
struct StringLiteral {
    std::string value;         // escapes resolved, adjacent literals joined
    std::vector<Span> pieces;  // the literals as written, one or more
};
struct BoolLiteral {
    bool value = false;
};
struct NoneLiteral {};
struct EllipsisLiteral {};
struct FString {
    struct Part {
        std::string text;             // literal text before the hole
        const Expr* value = nullptr;  // nullptr in the last part
        std::string format;           // after ':', empty if absent
        const Expr* spec = nullptr;   // a format with holes of its own, an FString; `format` is empty then
        char conversion = 0;          // after '!': 'r' or 's'; 0 if absent
    };
    std::vector<Part> parts;
    std::vector<Span> pieces;  // the literals as written, plain ones among them
};
struct Unary {
    UnaryOp op;
    const Expr* operand;
};
struct Binary {
    BinaryOp op;
    const Expr* lhs;
    const Expr* rhs;
    Span op_span;
};
// a < b <= c: first a, then (lt, b), (le, c).
struct Compare {
    struct Link {
        CompareOp op;
        const Expr* rhs;
    };
    const Expr* first;
    std::vector<Link> links;
};
struct Logical {
    BoolOp op;
    std::vector<const Expr*> operands;  // two or more
};
struct Conditional {
    const Expr* condition;
    const Expr* then;
    const Expr* otherwise;
};
struct Parameter;
struct Lambda {
    std::vector<Parameter> parameters;
    const Expr* body;
};
struct Argument {
    std::optional<Identifier> keyword;
    const Expr* value;
    bool unpacked = false;  // `*value`
};
struct Call {
    const Expr* callee;
    std::vector<Argument> arguments;
};
struct Subscript {
    const Expr* base;
    std::vector<const Expr*> indices;  // A[i, j] has two; A[(i, j)] one tuple
};
struct Slice {
    const Expr* lower = nullptr;
    const Expr* upper = nullptr;
    const Expr* step = nullptr;
};
struct Attribute {
    const Expr* base;
    Identifier name;
};
struct Tuple {
    std::vector<const Expr*> elements;
};
struct List {
    std::vector<const Expr*> elements;
};
struct Dict {
    std::vector<std::pair<const Expr*, const Expr*>> entries;
};
// [a for x in xs if c for y in ys]: the clauses from the outermost loop to the innermost.
struct Comprehension {
    struct Clause {
        const Expr* target;
        const Expr* iterable;
        std::vector<const Expr*> conditions;
    };
    const Expr* element;
    const Expr* value = nullptr;  // of a dictionary's: `element: value`
    std::vector<Clause> clauses;  // one or more
    bool generator = false;       // without brackets of its own: `sum(x for x in xs)`
};
// In annotations only: `mut f32[n]`, a bare `mut` (type is nullptr), `static i32`, `param bf16[D, K]`.
struct Qualified {
    enum class Qualifier { mut, fixed, param };
    Qualifier qualifier;
    const Expr* type;
};
// In annotations only: `bf16[M, K] @accum(f32) @stochastic_round`.
struct WithPolicy {
    const Expr* type;
    std::vector<const Expr*> policies;  // names or calls
};

using ExprNode = std::variant<Hole, Name, IntLiteral, FloatLiteral, StringLiteral, BoolLiteral, NoneLiteral,
                              EllipsisLiteral, FString, Unary, Binary, Compare, Logical, Conditional, Lambda, Call,
                              Subscript, Slice, Attribute, Tuple, List, Dict, Comprehension, Qualified, WithPolicy>;

struct Expr {
    ExprId id;
    Span span;
    ExprNode node;
    bool parenthesized = false;  // kept for the formatter
};

// ---- statements ----

struct Parameter {
    Identifier name;
    const Expr* annotation = nullptr;  // nullptr: generic
    const Expr* default_value = nullptr;
    bool keyword_only = false;  // after a bare `*`
};

// `@kernel tile[(128,)] shared(8_KiB)`: the decorator expression `kernel`, the clauses `tile[…]` and `shared(…)`.
struct Decorator {
    Span span;
    const Expr* value;
    std::vector<const Expr*> clauses;  // a Subscript or Call whose base is a Name
};

struct BrokenStmt {};
struct ExprStmt {
    const Expr* value;
};
struct Assign {
    std::vector<const Expr*> targets;  // a = b = value has two; `a, b = …` has one Tuple
    const Expr* value;
};
struct AugmentedAssign {
    BinaryOp op;
    const Expr* target;
    const Expr* value;
    Span op_span;
};
struct AnnotatedAssign {
    const Expr* target;
    const Expr* annotation;
    const Expr* value = nullptr;
};
struct If {
    struct Branch {
        const Expr* condition;
        Block body;
        Span header;
    };
    std::vector<Branch> branches;  // if, elif, …
    Block otherwise;
};
struct For {
    const Expr* target;
    const Expr* iterable;
    Block body;
    Span header;
    Block otherwise;  // after the last round, if no `break` left the loop
};
struct While {
    const Expr* condition;
    Block body;
    Span header;
    Block otherwise;
};
struct Break {};
struct Continue {};
struct Return {
    const Expr* value = nullptr;
};
struct Pass {};
struct Assert {
    const Expr* condition;
    const Expr* message = nullptr;
};
struct FunctionDef {
    Identifier name;
    std::vector<Decorator> decorators;
    std::vector<Parameter> parameters;
    const Expr* result = nullptr;
    std::optional<std::string> docstring;
    Span docstring_span;
    Block body;  // without the docstring
    Span header;
    Span later;  // where the body stands while it is not read yet (`parse_body`); else invalid
};
struct ClassDef {
    Identifier name;
    std::vector<Decorator> decorators;
    std::vector<const Expr*> bases;
    std::optional<std::string> docstring;
    Span docstring_span;
    Block body;
    Span header;
};
struct ImportedName {
    std::vector<Identifier> path;  // a.b.c
    std::optional<Identifier> alias;
};
struct Import {
    std::vector<ImportedName> names;
};
struct FromImport {
    std::vector<Identifier> module;
    std::vector<ImportedName> names;  // each path has one element; empty means `*`
};

using StmtNode = std::variant<BrokenStmt, ExprStmt, Assign, AugmentedAssign, AnnotatedAssign, If, For, While, Break,
                              Continue, Return, Pass, Assert, FunctionDef, ClassDef, Import, FromImport>;

struct Stmt {
    StmtId id;
    Span span;
    StmtNode node;
};

struct Comment {
    Span span;      // from '#' to the end of the line
    bool own_line;  // nothing but white space before it
};

// One file. Owns every node below it.
struct Module {
    FileId file;
    std::optional<std::string> docstring;
    Span docstring_span;
    Block body;
    std::vector<Comment> comments;

    std::deque<Expr> exprs;  // by ExprId
    std::deque<Stmt> stmts;  // by StmtId
};

}  // namespace tsr::ast
