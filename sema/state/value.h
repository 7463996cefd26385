// What the checker holds in its hands while it reads a body: values, variables, the flow of control, annotations.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sema/program/tables.h"

namespace tsr::sema {

class Body;

// What is known of an expression while a body is checked; ExprInfo is what stays of it.
struct Value {
    Type type;
    std::optional<Static> value;
    std::optional<ir::Dim> dim;
    // The unrollable loops on whose rounds the value depends, one bit each; then it is static though `value` is not
    // set.
    uint64_t rounds = 0;
    Referent referent;
    std::optional<DType> compute;
    std::vector<Value> elements;  // of a tuple or list whose elements are known one by one

    [[nodiscard]] bool is_static() const { return value.has_value() || rounds != 0; }
    [[nodiscard]] bool broken() const { return type.is_unknown(); }
};

// Of a value and the parts of a tuple that are known one by one.
void set_rounds(Value& value, uint64_t rounds);

// The join of two operands; a scalar beside a vector or tile counts as one of it. Nothing where elements do not join
// or shapes do not meet.
std::optional<Type> join_elements(const Value& a, const Value& b);
// True when the value may stand where `to` is wanted: of a tuple whose parts are known one by one, when each may.
bool converts(const Value& value, const Type& to);

// A value of which only the type is known.
Value typed(Type type);
// A static value of a type.
Value typed(Type type, Static constant);

// A static value with the type that it has by itself.
Value static_value(const Static& value, Referent referent);

// One name bound in this function.
struct Slot {
    std::string name;
    VariableId id;
    ast::ExprId own;     // of a name that a comprehension or loop has for itself: its target
    int bindings = 0;    // places in the text that bind it
    bool known = false;  // `settled` is from an earlier pass
    Type settled;
    std::optional<Type> declared;  // by an annotation, or by alloc_register
    Span declared_at;
    std::optional<Type> given;  // of a parameter: what the caller gives
    bool keeps_type = false;    // of a parameter: it is of the type that the header says
    bool any_keys = false;  // of a dictionary: some use of it, in any pass, puts in keys that its type does not have
    // Of the pass that runs:
    bool broken = false;  // it was assigned what has no type after a message
    std::optional<Type> joined;
    std::optional<Type> read_as;           // by its first read in a pass that began without `settled`
    std::optional<Static> only_value;      // of the values joined so far, if there was one
    std::optional<Value> once;             // what was assigned, where the text binds it once
    const ast::Expr* once_from = nullptr;  // the expression that gave it, or a tuple that it is a part of
    std::vector<size_t> once_part;         // which part: the second one of the first one …
    bool outlived = false;                 // `once` depends on the rounds of a loop that has ended
    Span first_at;
    std::vector<Span> assigned_at;  // in the order of the text
    uint32_t last_read = 0;         // the end of the text if a function inside reads it
    uint64_t rounds = 0;            // in the body of the loop whose index it is, if nothing else there binds it
};

struct Flow {
    std::vector<bool> assigned;  // by VariableId: on every path
    // By VariableId: holds a tensor that may be written, on every path, though its type does not say so.
    std::vector<bool> own;
    // By VariableId: how many items a list has there, where lists are values and the variable holds lists of several
    // lengths; kAnyLength where paths differ.
    std::vector<int64_t> lengths;
    static constexpr int64_t kAnyLength = -1;
    bool reachable = true;
    bool decided = false;  // not reachable in this instance: a condition that is known was decided
};

// What holds where two paths meet; a path that ends says nothing.
Flow meet(const Flow& a, const Flow& b);

// A type as written, with the words around it.
struct Annotation {
    Type type;  // unknown: nothing was said (generic), or an error was given
    bool generic = false;
    bool tree = false;  // `Tree`: what is given says the type, also of a field
    bool mut = false;
    bool fixed = false;  // `static`
    Privilege privilege = Privilege::none;
    std::string type_variable;          // the `T` of `T[M, K]`
    std::vector<ir::Dim> values_shape;  // of a tensor beside its scales, whose type is a record
};

// A loop whose rounds values depend on, and the body that it stands in: this one, or one around it.
struct RoundLoop {
    ForInfo* info;
    Body* body;
};

struct Loop {
    const ast::Stmt* stmt = nullptr;
    std::vector<Flow> breaks, continues;
};

// What is given for a parameter of one of the program's functions.
struct PassedValue {
    const ast::Expr* expr;  // nullptr: the default
    Value value;
};

// Arguments put to parameters.
struct Matched {
    bool ok = true;
    std::vector<const ast::Expr*> arguments;  // one per parameter; nullptr: not given
    std::vector<const ast::Expr*> rest;
};

// What tables say of an expression; an invalid id for nullptr.
inline ast::ExprId id_of(const ast::Expr* e) { return e ? e->id : ast::ExprId{}; }
std::vector<ast::ExprId> ids_of(const std::vector<const ast::Expr*>& exprs);

}  // namespace tsr::sema
