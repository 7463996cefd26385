// The checking of one instance's body: what the variables are at one point of the text, and a function per kind of
// statement and expression, a file per idea.
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
#include <vector>

#include "sema/checker.h"
#include "sema/containers.h"
#include "sema/numeric.h"
#include "sema/value.h"

namespace tsr::sema {

class Body {
public:
    Body(Checker& checker, Instance& instance, const Function* function, Body* enclosing);

    void check_function(const Request& request);  // header, then the body
    void check_module(const ast::Module& tree);
    // Of the header of a tuned kernel: the points of its space, the last parameter fastest. Empty after an error.
    [[nodiscard]] std::vector<TuningPoint> space_points() const;
    // The value of a module-level expression, if it is static; says nothing.
    std::optional<Static> evaluate_constant(const ast::Expr& expr);

    Checker& checker;
    Instance& instance;
    const Function* function;  // nullptr: module-level statements
    Body* enclosing;

    [[nodiscard]] bool in_kernel() const { return instance.context == Context::kernel; }
    // Of a constant that is evaluated by itself there is no instance: what is noted then is forgotten.
    [[nodiscard]] InstanceState& state() { return instance.id.valid() ? checker.states[instance.id.index] : no_state_; }

    // ---- messages ----
    Diagnostic& error(std::string code, Span span, std::string message);
    Diagnostic& warning(std::string code, Span span, std::string message);
    // The one message for a part of the language that is not compiled.
    Value refuse(Feature feature, Span span, const std::string& what);
    [[nodiscard]] std::string source(const ast::Expr& expr) const;

    // ---- statements ----
    void block(const ast::Block& block);
    void statement(const ast::Stmt& stmt);

    // ---- expressions ----
    Value expr(const ast::Expr& e);
    Value record(const ast::Expr& e, Value value);
    // An element type named by an expression: `f32`, `ts.bf16`; says so if it is none.
    std::optional<DType> dtype(const ast::Expr& e);
    // A static integer; where it must be, loops that it depends on are unrolled. `what` begins the message.
    std::optional<int64_t> static_integer(const ast::Expr& e, const std::string& what);
    std::optional<std::string> static_string(const ast::Expr& e, const std::string& what);
    bool require_static(const ast::Expr& e, const Value& v, const std::string& what);
    void say_not_static(Diagnostic& d, const Slot& slot, Span read) const;
    void require_bool(const ast::Expr& e, const Value& v);
    // What `if`, `while`, `not` and their kin ask: a truth value as Python has it of numbers, strings and containers.
    Value condition(const ast::Expr& e);
    Value truth(const ast::Expr& e, const Value& value);
    void require_integer(const ast::Expr& e, const Value& v, const std::string& what);
    // Says so (E0302) where a value may not stand for a type; `cast` is offered where it helps.
    bool require_converts(const ast::Expr& e, const Value& v, const Type& to, const std::string& what);
    void offer_cast(Diagnostic& d, const ast::Expr& e, const Type& from, DType to);
    void offer_joining_cast(Diagnostic& d, const ast::Expr& le, const Type& l, const ast::Expr& re, const Type& r);

    // ---- names ----
    Value name(const ast::Expr& e, const std::string& text);
    // In a method: what a dimension that a field of the record names stands for; null for another name.
    const ast::Expr* field_extent(const ast::Expr& e, const std::string& text);
    Value symbol_value(const ast::Expr& e, const Symbol& symbol, Span at, const std::string& text);
    Value read_variable(const ast::Expr& e, Slot& slot);
    // Says that there is no such name, once in a function.
    void say_unknown(Span at, const std::string& text);
    Value attribute(const ast::Expr& e, const ast::Attribute& a);
    Value module_member(const ast::Expr& e, const ast::Attribute& a, const Type& module);
    Value member(const ast::Expr& e, const Value& base, const ast::Attribute& a);
    Value field(const ast::Expr& e, const Value& base, const ast::Attribute& a);
    Value builtin_value(const ast::Expr& e, const BuiltinEntry& entry);
    Slot* find_slot(std::string_view name);
    // A name that a comprehension or loop around has for itself.
    [[nodiscard]] bool is_inner(std::string_view name) const;
    Slot& capture(Body& owner, Slot& slot, const ast::Expr& at);
    // A module's tensor in symbols of this function: its extents are bound where it is first read.
    Type captured_type(const Type& type, const std::string& variable, const ast::Expr& at);
    std::optional<Static> fixed_name(std::string_view name);  // tuning parameters, static parameters, constants
    [[nodiscard]] const SymbolInfo* find_symbol(std::string_view name) const;

    // ---- operators ----
    Value unary(const ast::Expr& e, const ast::Unary& u);
    Value binary(const ast::Expr& e, const ast::Binary& b);
    Value arithmetic(const ast::Expr& at, ast::BinaryOp op, const ast::Expr& lhs_expr, const Value& lhs,
                     const ast::Expr& rhs_expr, const Value& rhs, Span op_span);
    Value compare(const ast::Expr& e, const ast::Compare& c);
    std::optional<Value> sequence_arithmetic(ast::BinaryOp op, const Value& l, const Value& r);
    bool compare_sequences(ast::CompareOp op, const ast::Expr& lhs_expr, const Value& lhs, const ast::Expr& rhs_expr,
                           const Value& rhs);
    void contains(const ast::Expr& item_expr, const Value& item, const ast::Expr& container_expr,
                  const Value& container);
    // `asked`: only whether it holds; else the value of the operand that decides, as in Python.
    Value logical(const ast::Expr& e, const ast::Logical& l, bool asked);
    Value conditional(const ast::Expr& e, const ast::Conditional& c);
    // The join of two operands' types with the message if there is none.
    std::optional<Type> operands_join(const ast::Expr& lhs_expr, const Value& lhs, const ast::Expr& rhs_expr,
                                      const Value& rhs, Span op_span, const std::string& what);
    // A scalar function of numbers: types, compute type, value. For math functions and methods.
    Value elementwise(const ast::Expr& e, Builtin function, const std::vector<const ast::Expr*>& operands);

    // ---- literals and displays ----
    Value tuple(const ast::Expr& e, const std::vector<const ast::Expr*>& elements);
    Value list(const ast::Expr& e, const std::vector<const ast::Expr*>& elements);
    Value dict(const ast::Expr& e, const ast::Dict& d);
    void bind_inner(const ast::Expr& target);
    void comprehension_clause(const ast::Comprehension::Clause& clause, ForInfo& info);
    Value comprehension(const ast::Expr& e, const ast::Comprehension& c);
    // In an element of such a list what is made an f32 or i32 is a literal.
    [[nodiscard]] std::optional<Value> item_literal(const Value& value, DType to) const;
    bool add_constant_item(const ast::Comprehension& c, const Static& item, std::vector<Static>& elements);
    std::optional<Static> constant_list(const ast::Comprehension& c, const ForInfo& info);
    // The generator, if it is one, stands where it is gone through: as an argument of `function`.
    void take_generator(const ast::Expr& e);
    Value fstring(const ast::Expr& e, const ast::FString& f);
    // What `print` and `assert` write: also in kernels made of values.
    Value message_part(const ast::Expr& e);
    std::optional<Type> join_items(const std::optional<Type>& before, const ast::Expr& e, const Value& value,
                                   const char* what);
    bool require_known(const ast::Expr& e, const Value& value);
    // What a function that is called reads of this one's variables is assigned on every path to the call.
    void require_captured(InstanceId callee, const ast::Expr& at);
    bool require_hashable(const ast::Expr& e, const Value& key);
    Type item_type(const Type& item, const ast::Expr& source, int element = -1);
    std::optional<Type> items_of(const ast::Expr& e, const Value& value);
    Value item_for(const Type& item, const ast::Expr& target);
    void widen(const ast::Expr& container, const Type& type);
    // A container that is made here has no other name: it may be made of another type that its items convert to.
    bool makes(const ast::Expr& e, const Value& value, const Type& to);
    bool makes_or_converts(const ast::Expr& e, const Value& value, const Type& to);
    [[nodiscard]] bool may_make(const ast::Expr& e, const Type& to) const;
    void make(const ast::Expr& e, const Type& to);
    bool require_changeable(const ast::Expr& container, Span at);

    // ---- indexing ----
    Value subscript(const ast::Expr& e, const ast::Subscript& s);
    Value index_memory(const ast::Expr& e, const ast::Subscript& s, const Value& base);
    Value index_host(const ast::Expr& e, const Value& base, const std::vector<const ast::Expr*>& indices,
                     size_t unnamed);
    Value index_elements(const ast::Expr& e, const ast::Subscript& s, const Value& base);
    Value index_local(const ast::Expr& e, const std::vector<const ast::Expr*>& indices, const Value& base);
    Value table_item(const ast::Expr& at, const Static& table, const Value& base);
    Value element_by_round(const ast::Expr& at, const Value& base);
    Value index_dict(const ast::Expr& e, const ast::Subscript& s, const Value& base);
    Value slice_sequence(const ast::Slice& slice, const Value& base);
    std::optional<ViewAxis> view_axis(const ast::Expr& index, const ir::Dim& extent);
    void check_index(const ast::Expr& e, const Value& v, const ir::Dim& extent);
    // The expression as a sum of atoms: dimensions, numbers, and source text for what is neither.
    ir::Dim affine(const ast::Expr& e);

    // ---- register tiles ----
    // A tile type of static extents, with the message if there is none.
    std::optional<Type> tile_type(Span at, DType elem, std::vector<int64_t> shape);
    std::optional<Type> viewed_tile(const ast::Expr& e, const Type& view);
    // A static axis, counted from the front.
    std::optional<int64_t> tile_axis(const ast::Expr& e, size_t rank);
    Value index_tile(const ast::Expr& e, const std::vector<const ast::Expr*>& indices, const Value& base);
    // Says so where two tiles have no common shape, or a tile meets a vector.
    bool require_broadcast(const ast::Expr& le, const Value& l, const ast::Expr& re, const Value& r, Span at,
                           const std::string& what);
    bool require_whole_bytes(const ast::Expr& target, const Type& view);
    bool require_stores(const ast::Expr& target, const Type& view, const ast::Expr& e, const Value& value);
    bool require_plain(const ast::Expr& e, const Type& memory);  // no `.T` of a buffer
    void offer_load(Diagnostic& d, const ast::Expr& e, const Type& type);
    Value local_array(const ast::Expr& e, const Matched& m);
    Value register_tile_call(const ast::Expr& e, const BuiltinEntry& entry, const Matched& m);
    // What is used of the group, for the message about kernels that have none; the first one counts.
    void name_group(Span at, const std::string& spelling);

    // ---- calls ----
    Value call(const ast::Expr& e, const ast::Call& c);
    Value plain_call(const ast::Expr& e, const ast::Call& c);
    // `f(*items)` as a call with each item by itself; nothing after a message.
    const ast::Call* unpacked(const ast::Call& c);
    std::optional<std::pair<Value, CallInfo>> call_instance(const ast::Expr& e, const Request& request,
                                                            std::vector<PassedValue>& arguments);
    Value call_function(const ast::Expr& e, const ast::Call& c, FunctionId id,
                        const std::vector<const ast::Expr*>& groups, const ast::Expr* receiver = nullptr);
    Value call_builtin(const ast::Expr& e, const ast::Call& c, const BuiltinEntry& entry, const ast::Expr* receiver);
    Value call_method(const ast::Expr& e, const ast::Call& c, const ast::Attribute& a, const Value& base);
    Value host_method(const ast::Expr& e, const ast::Call& c, const ast::Attribute& a, const Value& base);
    bool method_argument(const ast::Expr& receiver, const Type& type, char letter, const ast::Expr& argument);
    Value convert(const ast::Expr& e, const ast::Call& c, DType type);
    Value launch_groups(const ast::Expr& e, const ast::Subscript& s, FunctionId kernel);
    Matched match(const ast::Call& c, Span callee, const std::string& what,
                  const std::vector<BuiltinParameter>& parameters, const std::vector<bool>& has_default, size_t skip);
    void evaluate_arguments(const ast::Call& c);
    CallInfo& record_call(const ast::Expr& e, CallInfo info);

    // ---- the builtins' own rules ----
    Value tile_call(const ast::Expr& e, const BuiltinEntry& entry, const Matched& m);
    Value memory_call(const ast::Expr& e, const BuiltinEntry& entry, const Matched& m);
    Value host_call(const ast::Expr& e, const BuiltinEntry& entry, const Matched& m);
    Value sequence_call(const ast::Expr& e, const BuiltinEntry& entry, const Matched& m);
    // sum, any, all, and min and max of one iterable.
    Value reduction_call(const ast::Expr& e, const BuiltinEntry& entry, const ast::Expr* iterable);
    Value sorted(const ast::Expr& e, const Type& item, const ast::Expr* key, const ast::Expr* descending);
    Value map_call(const ast::Expr& e, const Matched& m);
    Type key_type(const ast::Expr& key, const Type& item);  // unknown after a message
    Value random_call(const BuiltinEntry& entry, const Matched& m);
    Value math_call(const ast::Expr& e, const BuiltinEntry& entry, const Matched& m);
    Value alloc(const ast::Expr& e, const std::optional<DType>& elem, const Matched& m, bool by_tuple);

    // ---- types and dimensions ----
    Annotation annotation(const ast::Expr& e, bool in_header);
    Type record_annotation(const ast::Expr& e, FunctionId constructor);
    Type own_record() const;  // of a constructor: what it makes
    // What an argument bound the `T` of `T[M, K]` to, in this function or one around it.
    [[nodiscard]] std::optional<DType> bound_type(std::string_view name) const;
    std::optional<Type> container_annotation(const ast::Subscript& s, bool in_header);
    Type tensor_annotation(const ast::Expr& e, const ast::Subscript& s, bool in_header, Annotation& out);
    Type tensor_spelling(const ast::Expr& e, const ast::Subscript& s, bool in_header, Annotation& out);
    void region(const ast::Expr& e, const ast::Subscript& s, bool in_header, Annotation& out);
    bool policies(const std::vector<const ast::Expr*>& written, Policy& policy);
    std::optional<ir::Dim> dimension(const ast::Expr& e, bool in_header);
    // A shape argument: `(n, 2*m)`, `n`, `x.shape`; static where it must be.
    std::optional<std::vector<ir::Dim>> shape_argument(const ast::Expr& e);
    // An extent that is not positive gets the code.
    std::optional<std::vector<int64_t>> static_shape(const ast::Expr& e, const std::string& what, const char* code);
    // A dimension for an integer that runs: its own expression, or a symbol that it binds.
    ir::Dim dim_of(const ast::Expr& e, const Value& v);
    ir::Dim variable_dimension(VariableId variable);
    std::optional<ir::Dim> integer_dimension(const ast::Expr& name);
    ir::Dim fresh_symbol(const std::string& base, const ast::Expr& source, size_t axis, int element = -1);
    // A callee's type in this body's symbols; symbols that nothing bound are bound by the expression's result.
    Type imported_type(const Type& type, const std::vector<DimBinding>& bindings, const ast::Expr& source,
                       int element = -1);

    // ---- the header ----
    void read_header(const Request& request);
    void read_parameters(const Request& request);
    void bind_dimensions();
    void bind_integer_parameters();
    void bind_opaque(size_t parameter, size_t axis, const ir::Dim& dim);
    void read_clauses();
    void read_tuning(const Request& request);
    void read_space();
    void bind_space();
    // Says so where an extent known here is not among the values of the kernel's tuning space.
    bool listed_dimensions(const ast::Expr& e, const Instance& kernel, const CallInfo& info);

    // ---- statements, one by one ----
    void assign(const ast::Stmt& stmt, const ast::Assign& a);
    void assign_to(const ast::Expr& target, const Value& value, const ast::Expr& source);
    void assign_name(const ast::Expr& target, const Value& value, const ast::Expr& source);
    // What is assigned to a variable becomes part of its type, where the two join.
    void add_to_type(Slot& slot, const Type& type, const std::optional<Static>& value);
    // Says so where a variable of this type is not assigned this; its uses then say no more.
    void require_assigns(Slot& slot, const Type& held, const ast::Expr& target, const Value& value,
                         const ast::Expr& source);
    void assign_element(const ast::Expr& target, const ast::Subscript& s, const Value& value, const ast::Expr& source);
    void assign_item(const ast::Subscript& s, const Value& base, const Value& value, const ast::Expr& source);
    void assign_field(const ast::Expr& target, const ast::Attribute& a, const Value& value, const ast::Expr& source);
    void unpack(const ast::Expr& target, const std::vector<const ast::Expr*>& targets, const Value& value,
                const ast::Expr& source);
    void augmented(const ast::Stmt& stmt, const ast::AugmentedAssign& a);
    void warn_of_narrow_sum(const ast::Stmt& stmt, const ast::Expr& target, ast::BinaryOp op, const Type& sum,
                            const ast::Expr& added);
    void annotated(const ast::Stmt& stmt, const ast::AnnotatedAssign& a);
    // Says so where memory may not be written: its place in the text is `e`.
    bool require_writable(const ast::Expr& e, const Value& memory);
    bool require_writable_record(const ast::Expr& e, const Value& record);
    void branch(const ast::If& i);
    // In a function that is checked for each signature or point of a space: what a static condition says. What it
    // leaves out is not checked.
    [[nodiscard]] std::optional<bool> decides(const Value& condition) const;
    void loop(const ast::Stmt& stmt, const ast::For& f);
    void loop_while(const ast::Stmt& stmt, const ast::While& w);
    void iterate(const ast::Expr& iterable, const ast::Expr& target, ForInfo& info, bool& runs, uint64_t rounds_bit);
    void iterate_range(const ast::Expr& iterable, const ast::Expr& target, ForInfo& info, bool& runs,
                       uint64_t rounds_bit);
    void leave(const ast::Stmt& stmt, bool is_break);

    // ---- rounds of unrolled loops (rounds.cpp) ----
    // The bit that stands for the loop in Value::rounds; 0: there are too many loops.
    uint64_t add_round_loop(ForInfo& info);
    void unroll(uint64_t rounds);
    // Where they have `most` rounds together; false where they have more.
    bool unroll_short_loops(uint64_t rounds, int64_t most);
    // Ends the loops behind the first ones: what was assigned in them does not depend on a round any more.
    void end_round_loops(size_t first);
    // The loops on whose rounds a variable depends where it is read, also those of a body around this one.
    uint64_t rounds_of_variable(const Slot& slot);
    // Whether unrolling makes it static: the host calls nested functions, which know only when they run what they
    // captured.
    [[nodiscard]] bool unrolling_fixes(uint64_t rounds) const;
    [[nodiscard]] Body* body_of(InstanceId id);  // this one, or one around it

    void give_back(const ast::Stmt& stmt, const ast::Return& r);
    bool kernel_result(const ast::Expr& e, const Value& value);
    void inferred_result(const ast::Stmt& stmt, const ast::Return& r, const Value& value);
    void declared_result(const ast::Stmt& stmt, const ast::Return& r, const Value& value);
    bool result_part(const ast::Expr& e, const Type& found, const Type& wanted, size_t part,
                     std::vector<DimCheck>& checks);
    void assertion(const ast::Assert& a);
    void define(const ast::Stmt& stmt, const ast::FunctionDef& def);

    // ---- flow ----
    static Flow meet(const Flow& a, const Flow& b);
    void mark_assigned(const Slot& slot);
    void mark_own(const Slot& slot, bool own);
    void forget_own(const ast::Block& block);  // what a loop's rounds assign may be any of it where a round begins

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
    std::optional<Type> returned;         // the join of what was returned so far
    std::optional<Type> result_type;
    Span result_at;
    bool aloud = false;
    bool constant_only = false;
    bool folds_items = false;         // of a module's constant list, once for each item
    std::vector<size_t> unpacked_at;  // of the target that is assigned: which part of what is unpacked it is given

private:
    void passes(const std::function<void()>& once);
    bool adopt(bool settle);
    bool settle_types(const std::function<void()>& once);
    void say_unsettled(const std::function<void()>& once);
    void begin_pass(bool final);
    Slot& add_slot(const std::string& name, Span at);
    void finish_result(const ast::Block& body);
    void check_defaults();
    void finish_kernel();
    void publish_variables();

    InstanceState no_state_;
    Diagnostics scratch_;
    Flow entry_flow_;
    size_t header_symbols_ = 0;
};

// Where `Body::unrolling_fixes` does not hold.
inline constexpr const char* kCapturedNote =
    "a function inside of another one is given what it captures when the program runs";

// What a class makes of arguments of these types: what of it may be written depends on them.
Type made_record(const Type& type, const std::vector<Type>& given);

// What the message calls a type: with an article-free name in back quotes for scalars, plain words else.
std::string shown(const Type& type);

}  // namespace tsr::sema
