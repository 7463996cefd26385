// The state of the check of one instance's body: what its variables are at one point of the text, the flow of control,
// the loops around; and the few steps that the rules are made of. The rules are functions in the folders of sema/.
//
// A body is checked several times in silence, until the types of its variables do not change any more, and then once
// aloud: a variable's type is the join of all that is assigned to it, also further down in the text. An expression with
// an error, or one that reads what has no type yet, adds nothing to the join; so each expression is checked aloud with
// the types that its variables have in the end.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "sema/state/checker.h"
#include "sema/state/value.h"

namespace tsr::sema {

// The value of the last `x: T = e`, or of the last `return e` of a function with a declared result.
struct DeclaredValue {
    const ast::Expr* value = nullptr;
    const ast::Expr* annotation = nullptr;  // of an assignment
    std::optional<Annotation> read;         // where the value had to read it first
    std::optional<DType> elem;              // of a number or tensor, where the declared type is known before the value
};

class Body {
public:
    Body(Checker& checker, Instance& instance, const Function* function, Body* enclosing);

    Checker& checker;
    Instance& instance;
    const Function* function;  // nullptr: module-level statements
    Body* enclosing;

    [[nodiscard]] ContextRules rules() const { return rules_of(instance.context); }
    // Whether the function is checked for each signature or point of a tuning space: of it only what can be reached.
    [[nodiscard]] bool is_checked_for_each() const;
    // In such a function: what a static condition says. What it leaves out is not checked.
    [[nodiscard]] std::optional<bool> decides(const Value& condition) const;
    // Of a constant that is evaluated by itself there is no instance: what is noted then is forgotten.
    [[nodiscard]] InstanceState& state() { return instance.id.valid() ? checker.states[instance.id.index] : no_state_; }
    [[nodiscard]] Body* body_of(InstanceId id);  // this one, or one around it
    // Forgets what the pass before found. `final`: what is wrong is said.
    void begin_pass(bool final);

    // ---- messages ----
    Diagnostic& error(std::string code, Span span, std::string message);
    Diagnostic& warning(std::string code, Span span, std::string message);
    // The one message for a part of the language that is not compiled.
    Value refuse(Feature feature, Span span, const std::string& what);
    [[nodiscard]] std::string source(const ast::Expr& expr) const;
    [[nodiscard]] const ast::FunctionDef& def() const { return checker.program.def(*function); }

    // ---- the tables ----
    [[nodiscard]] const ast::Expr* expr(ast::ExprId id) const;  // that a table names; nullptr for an invalid id
    [[nodiscard]] ExprKey key(const ast::Expr& e) const { return {instance.module, e.id}; }
    // What an expression was found to be. In the last pass this is said once of each: `found` gives it to rules that
    // ask again, and a second time is an internal error where the program is verified.
    Value record(const ast::Expr& e, Value value);
    [[nodiscard]] const Value* found(const ast::Expr& e) const;
    // What a target holds once it is assigned; that of an augmented assignment was an expression before.
    void record_target(const ast::Expr& e, const Value& value);
    CallInfo& record_call(const ast::Expr& e, CallInfo info);
    // What is used of the group, for the message about kernels that have none; the first one counts.
    void name_group(Span at, const std::string& spelling);

    // The table of names gets this place, in the last pass. Not of names that the checker made.
    void note(Span at, Entity entity, bool binds = false);
    void note(const ast::Expr& name, const Entity& entity);

    // ---- names ----
    Slot& add_slot(const std::string& name, Span at);
    Slot* find_slot(std::string_view name);
    // A name that a comprehension or loop around has for itself.
    [[nodiscard]] bool is_inner(std::string_view name) const;
    std::optional<Static> fixed_name(std::string_view name);  // tuning parameters, static parameters, constants
    // By the name that the text has, or by its own.
    [[nodiscard]] const SymbolInfo* find_symbol(std::string_view name) const;
    // The symbol that a name of the header stands for. A function that is given one with dimensions of functions around
    // it, and passes them on, has none of the same name: `D__7`.
    std::string header_dimension(const std::string& name);
    bool passes_dimensions_on = false;
    std::map<std::string, std::string, std::less<>> header_dimensions;  // where they differ
    // What an argument bound the `T` of `T[M, K]` to, in this function or one around it.
    [[nodiscard]] std::optional<DType> bound_type(std::string_view name) const;

    // ---- variables ----
    void mark_assigned(const Slot& slot);
    void mark_own(const Slot& slot, bool own);
    // How many items the variable's list has from here on; Flow::kAnyLength where that is not known.
    void mark_length(const Slot& slot, int64_t length);
    [[nodiscard]] std::optional<int64_t> length_here(const Slot& slot) const;
    // The type that a read of the variable finds: from the pass before, or in the first one what was assigned so far.
    [[nodiscard]] Type type_to_read(Slot& slot) const;
    // What is assigned to a variable becomes part of its type, where the two join.
    void add_to_type(Slot& slot, const Type& type, const std::optional<Static>& value);

    // ---- state of a pass ----
    std::deque<Slot> slots;  // by VariableId
    std::map<std::string, VariableId, std::less<>> names;
    // Targets of comprehensions, and of loops whose variables are their own; the innermost last.
    std::vector<std::pair<std::string, VariableId>> inner_names;
    std::map<ast::ExprId, VariableId> inner_slots;  // by target
    std::set<std::string, std::less<>> loop_names;  // that each loop has for itself
    std::map<std::string, FunctionId, std::less<>> nested;
    std::set<FunctionId> inner_generics;               // generic functions and lambdas that stand in this body
    std::map<std::string, Static, std::less<>> fixed;  // tuning and static parameters
    std::vector<std::pair<std::string, std::vector<Static>>> space;  // of a tuned kernel's header
    std::map<std::string, DType, std::less<>> bound_types;           // the `T` of `T[M, K]`, bound by an argument
    std::set<std::string, std::less<>> type_variables;               // that parameters name
    std::map<std::string, std::string> opaque_names;  // a name that has no value of its own → the expression it is in
    std::map<VariableId, std::string> variable_symbols;  // symbols of locals, of the pass that runs
    std::set<ast::ExprId> taken_generators;
    // Names of symbols that the header does not bind: the same in every pass.
    std::map<std::tuple<ast::ExprId, size_t, int>, std::string> fresh_names;
    std::map<VariableId, std::string> fresh_variable_names;
    Flow flow;
    std::vector<Loop> loops;
    std::vector<RoundLoop> round_loops;  // by bit of Value::rounds
    // Conditions under which the text that is checked runs; of those that depend on rounds. And whether they hold.
    std::vector<std::pair<const ast::Expr*, bool>> round_conditions;
    std::set<std::string> unknown_names;  // said once
    std::set<VariableId> lengths_said;    // of lists whose length is not known where they are read
    std::optional<Type> returned;         // the join of what was returned so far
    std::optional<Type> result_type;
    std::vector<ir::Dim> result_values_shape;  // where that is a tensor beside its scales
    Span result_at;
    DeclaredValue declared_value;
    bool aloud = false;
    bool constant_only = false;
    bool folds_items = false;         // of a module's constant list, once for each item
    std::vector<size_t> unpacked_at;  // of the target that is assigned: which part of what is unpacked it is given
    Flow entry_flow;                  // where the body begins
    size_t header_symbols = 0;        // so many of the instance's symbols are the header's
    bool new_dimensions = false;      // a pass made dimensions of parameters, or of integers in trees
    // Of a graph function: where integers in trees are read (`layer.heads`), and those of them that shapes are made of.
    std::set<ast::ExprId> integers_read, integers_in_shapes;
    std::unordered_map<ast::ExprId, ExprInfo> header_exprs;  // what stands in the header is recorded there

private:
    void write(const ast::Expr& e, Value& value);

    std::unordered_map<ast::ExprId, Value> found_;  // in the last pass
    InstanceState no_state_;
    Diagnostics scratch_;
};

// What the message calls a type: with an article-free name in back quotes for scalars, plain words else.
std::string shown(const Type& type);

}  // namespace tsr::sema
