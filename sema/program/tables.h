// What the checker finds out about a program: tables beside the syntax tree, one set per instance of a function.
// An instance is a function checked for one signature: parameter types, static argument values, kernel or host.
// Tables name nodes of the tree by their ids, which are those of the module that the instance or function is in;
// `Program::expr` and `Program::def` give the nodes.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "frontend/ast.h"
#include "sema/builtins/builtins.h"
#include "sema/program/context.h"
#include "sema/program/made_syntax.h"
#include "sema/program/names.h"
#include "sema/program/stored_forms.h"
#include "sema/types/static.h"
#include "sema/types/type.h"

namespace tsr::sema {

using VariableId = Id<struct VariableTag>;  // dense within an instance
using InstanceId = Id<struct InstanceTag>;

// ---- what a name names ----

struct HostMethod;  // sema/host_methods.h

struct DimensionSymbol {
    std::string name;  // a symbol of the instance
};
struct FunctionName {
    FunctionId function;
};
struct BuiltinName {
    Builtin name;
};
struct NameSpace {
    std::string path;  // of the root: "tile"
};
struct ModuleName {
    ModuleId module;
};
struct TuningParameter {
    std::string name;  // its value is ExprInfo::value
};
struct ModuleConstant {
    ModuleId module;
    std::string name;  // its value is ExprInfo::value
};
struct ElementType {
    DType type;
};
struct FieldName {
    FunctionId record;  // the constructor of its class
    std::string name;
};
// monostate: nothing is named (an ordinary expression, or a name with an error).
using Referent = std::variant<std::monostate, VariableId, DimensionSymbol, FunctionName, BuiltinName, NameSpace,
                              ModuleName, TuningParameter, ModuleConstant, ElementType, FieldName>;

// ---- calls ----

// A symbol of the callee in terms of the caller's symbols.
struct DimBinding {
    std::string symbol;
    ir::Dim value;
};
// A text with dimensions as people read it. Symbols that stand for values of expressions have a number behind two
// underscores, which nobody wrote: `n__3` is the value that a variable `n` had, `extent__4`, here `?`, one without a
// name.
std::string readable(const std::string& text);

// What is left to check when the program runs: an argument's extent against what the callee's header says.
struct DimCheck {
    size_t parameter = 0;  // whose shape is checked
    size_t axis = 0;
    ir::Dim found;                 // the argument's extent, in the caller's symbols
    ir::Dim expected;              // the header's dimension, in the caller's symbols
    std::string header;            // the header's dimension as written: "K/tp"
    std::optional<size_t> origin;  // the parameter that bound it
    std::string symbol;            // the dimension of the header that it bound
    int element = -1;              // where the parameter is a tuple: which element of it (`nested_element`)
    int origin_element = -1;       // the same of the parameter that bound it
};
struct PassedArgument {
    ast::ExprId expr;           // as written; invalid: the default
    ast::ExprId default_value;  // of a user's function, in its module; its info stands in the callee's instance
};
enum class CallKind : uint8_t {
    builtin,     // arguments by the parameters of entry(builtin)
    function,    // a plain function: called on the host, inlined in kernels
    launch,      // a kernel
    conversion,  // `f32(x)`: x is arguments[0], the target is the call's type
    method,      // of a string, list or dictionary; the receiver is the first argument
    alloc,       // tshared.alloc[T](…), tile.alloc_shared((…), T): the call's type is the buffer
    inspection,  // `f.inspect_ir("tile")`: f is the attribute's base, the level a static string, arguments[0]
};
struct CallInfo {
    CallKind kind = CallKind::builtin;
    Builtin builtin = Builtin::print;
    const HostMethod* method = nullptr;
    InstanceId callee;  // function, launch
    // One per parameter (of a method: the receiver is the first). An argument of a variadic parameter is in `rest`.
    std::vector<PassedArgument> arguments;
    std::vector<ast::ExprId> rest;
    std::vector<ast::ExprId> groups;   // launch: the explicit numbers of groups, one to three
    InstanceId as_values;              // in a graph, launch of a kernel with a rule: the function of values that it is
    std::vector<DimBinding> bindings;  // one per symbol of the callee, in the callee's order
    std::vector<DimCheck> checks;
    // Pairs of parameters that are or have tensors, the first of them `mut`, that must not overlap; not known at
    // compile time.
    std::vector<std::pair<size_t, size_t>> overlap;
    // Where static arguments differ by the round of a loop that is unrolled: the call of each instance that some round
    // makes, this one among them. They differ in the values of the callees' static parameters.
    std::vector<CallInfo> by_round;
};

// ---- expressions and statements ----

struct ExprInfo {
    Type type;
    std::optional<Static> value;  // known when the program is compiled
    // Static once the loops it stands in are unrolled, the value differs by round: those loops, one bit each.
    uint64_t rounds = 0;
    std::optional<ir::Dim> dim;  // an integer known as an expression of dimensions
    Referent referent;           // of names and attributes
    // Of arithmetic: the type that operands are brought to and the operation works in; `type` is what the result is
    // rounded to where it is named, stored, passed or returned (numerics rules 2 and 3). Of a reduction: what it
    // accumulates in; of a product of tiles: what its factors are brought to; of a choice: what holds both values.
    std::optional<DType> compute;
    [[nodiscard]] bool by_round() const { return rounds != 0; }
};

enum class LoopKind : uint8_t { range, tile_range, list, tuple, progress_range, progress_list };
// One bound: an expression, or one element of a tuple that it gives.
struct Bound {
    ast::ExprId expr;  // invalid: start 0, step 1
    int element = -1;  // of a tuple-valued expression that is not written as a tuple; -1: the value itself
};
struct LoopAxis {
    Bound start, stop, step;
    VariableId variable;  // invalid where the target is `_`
};
struct ForInfo {
    LoopKind kind = LoopKind::range;
    std::vector<LoopAxis> axes;       // range kinds: one or more
    ast::ExprId elements;             // list kinds: what is iterated
    ast::ExprId target;               // list kinds
    std::vector<VariableId> targets;  // its names
    ast::ExprId prefetch;             // static
    ast::ExprId label, loss;          // of progress
    bool runs = false;                // at least once, for certain: what it assigns may be read behind it
    bool must_unroll = false;         // its index is needed as a static value; the bounds are static
    bool may_unroll = false;  // in a graph, whose part each iteration becomes if they are few; the bounds are static
    ast::StmtId rounds;       // stands for the loop: all rounds, one after the other (`LoopRounds`)
};
struct AugmentedInfo {
    Type type;                     // of `target op value`
    std::optional<DType> compute;  // as in ExprInfo
};

struct Variable {
    std::string name;
    Type type;           // the join of all that is assigned
    Span declared;       // its first assignment, or the parameter
    int parameter = -1;  // which parameter it is; -1: a local
    bool assigned_once = false;
    uint32_t last_read = 0;  // the place in the text behind which nothing reads it
    // Of a variable of an enclosing function or of the module: whose it is there. It comes in as a hidden parameter.
    std::optional<std::pair<InstanceId, VariableId>> captured;
};

// ---- functions and instances ----

struct ParameterInfo {
    std::string name;
    Span declared;              // its name
    ast::ExprId annotation;     // invalid: generic
    ast::ExprId default_value;  // invalid: it must be given
    Type type;
    std::optional<Static> value;  // of a static parameter
    bool any_tree = false;        // `Tree`: its type is that of what one call gave
    bool is_static = false;
    // An integer parameter that is a dimension: it binds the symbol of its name.
    bool is_dimension = false;
    std::vector<ir::Dim> values_shape;  // of a tensor beside its scales, a record: the declared extents
};

struct SymbolInfo {
    std::string name;
    // Where its value comes from: an axis of a parameter (solve `extent` for the name), an integer parameter, an
    // expression's result, a local integer that is assigned once, the launch (`grid_groups`), or a function around this
    // one, or around one that it calls: its `owner` passes it on under the same name.
    enum class Source : uint8_t { axis, parameter, expression, variable, launch, enclosing } source = Source::axis;
    size_t parameter = 0, axis = 0;
    // Source expression: its result's extent along `axis`; of an integer, itself. Invalid: the values of a parameter
    // that is a tensor beside its scales.
    ast::ExprId expr;
    int element = -1;     // which element of the tuple that the parameter is or the expression gives
                          // (`nested_element`); -1: no tuple
    VariableId variable;  // source variable
    InstanceId owner;     // source enclosing
    ir::Dim extent;       // source axis: that parameter's dimension there, an expression in the symbol
};

// One parameter of a tuning space with its values as they are written.
struct TuningEntry {
    std::string name;
    Span at;
    std::vector<ast::ExprId> values;
};
// A point of a tuning space: each parameter with the value it has there.
using TuningPoint = std::vector<std::pair<std::string, Static>>;

struct KernelHeader {
    std::optional<std::vector<int64_t>> group_shape;  // `tile[(128,)]`, or 32 * num_warps
    std::vector<ir::Dim> flat;                        // `tile[n]`, `tile[H*W]`
    std::optional<int64_t> shared_limit;              // bytes
    Span shared_span;
    TuningPoint tuning;                         // of a point: its values
    std::vector<std::string> tuned_dimensions;  // of a header: parameters of the space that are dimensions, too
    [[nodiscard]] int64_t group_size() const;   // 128 where nothing says otherwise
};

// A class: what its definition makes of it. A record is made by calling a function with a parameter for each field.
struct RecordClass {
    static constexpr std::string_view kCallMethod = "__call__";  // the method that calling a record means
    std::string name;
    FunctionId constructor;
    std::map<std::string, FunctionId, std::less<>> methods;
    std::optional<StoredForm> form;  // of a precision policy: its records are tensors beside their scales
};

enum class DerivationKind : uint8_t {
    // with the function's own parameters
    gradient,
    jacobian_forward,
    jacobian_reverse,
    recomputed,
    // with parameters of their own
    pushforward,  // the arguments as a tuple, and the tangents: `jvp`
    pullback,     // the arguments as a tuple, and the cotangent: what `vjp` gives
    batch,        // those of the function, with one more axis: `vmap`
    launch,  // the numbers of groups and a kernel's parameters as values: gives what the kernel leaves in `mut` ones
};

// What `grad` and its kin make of a function: another one.
struct Derivation {
    FunctionId of;
    DerivationKind kind = DerivationKind::gradient;
    std::vector<std::string> wrt;  // parameters; none: all that hold floats
    bool with_value = false;       // gives what the function gives, too
    bool has_aux = false;          // the first of the function's results is differentiated, the others are given
    std::optional<DType> out;      // the element type of gradients
    Span place;                    // where the program asks for it
    // Of those with parameters of their own: the call of the function with them, which stands for their body.
    ast::ExprId call;
    Span given;  // the tangents, or the cotangent
    // Of a batch: for each parameter the axis of the examples, and where the results have it.
    std::vector<std::optional<int64_t>> in_axes;
    int64_t out_axis = 0;
    size_t groups = 0;  // of a launch: how many numbers of groups it says
};

// `@custom_vjp def f`, `f.defvjp(fwd, bwd)`: where the derivative of a function, or of a kernel's launch, comes from.
struct CustomRule {
    bool in_reverse = false;
    Span declared;                       // the decorator
    const ast::Call* defined = nullptr;  // `f.defvjp(fwd, bwd)`
    std::vector<FunctionId> functions;   // what it names
    bool broken = false;                 // a message was given
};

struct Function {
    FunctionId id;
    ModuleId module;
    ast::StmtId stmt;  // its definition
    std::string name;
    FunctionKind kind = FunctionKind::plain;
    bool generic = false;
    std::string graph_name;           // `@graph.module("name")`: of the graph in traces and plans
    Feature refused = Feature::none;  // a feature that its decorators name: the body is not checked
    std::vector<TuningEntry> space;   // of a tuned kernel
    Span space_at;
    std::optional<FunctionId> enclosing;
    bool captures = false;               // it is in another function, and may name something of it
    const RecordClass* makes = nullptr;  // of a constructor: its class
    const RecordClass* method_of = nullptr;
    std::string self;                   // of a method of a precision policy: what its text calls the class
    std::optional<Derivation> derived;  // it is the derivative of a function: what it computes stands there
    std::optional<CustomRule> rule;
    std::optional<Span> differentiable;  // `@autodiff`: its place
    bool captured = false;               // `@jit(capture_graph=True)`: calls from the host are replayed
    std::optional<int64_t> memory;       // `@jit(memory="2_GiB")`: the most bytes of a call, beside its arguments
    Span memory_at;
};

struct Instance {
    InstanceId id;
    FunctionId function;  // invalid: a module's statements
    ModuleId module;
    std::string name;  // unique in the program: "saxpy", "norm.f32_n", "layers.init"
    Context context = Context::host;
    std::vector<ParameterInfo> parameters;
    std::vector<VariableId> captures;  // hidden parameters, after the others
    Type result;                       // none: gives nothing
    // A kernel that returns one of its `mut` parameters: which.
    std::optional<size_t> returned_parameter;
    std::vector<SymbolInfo> symbols;  // parameters' first, in order of binding
    std::deque<Variable> variables;
    KernelHeader kernel;  // of kernels
    // A tuned kernel is checked once for each point of its space. This instance then is its header: what a launch is
    // checked against; the points that fit are instances of their own, the first one first.
    bool tuned = false;
    std::vector<InstanceId> points;
    // Elaborated are those that were checked without an error and that something asks for in the end; others were asked
    // for by calls whose arguments were of other types before those of the variables were known.
    bool complete = false;
    bool reached = false;
    // Of the derivative of a function: the instance of that, and the parameters in which derivatives are taken.
    InstanceId derived_from;
    std::vector<size_t> derived_in;
    // Of a function with a rule of its own, in a graph: the instances of what the rule names.
    std::vector<InstanceId> rules;

    std::unordered_map<ast::ExprId, ExprInfo> exprs;
    std::unordered_map<ast::ExprId, CallInfo> calls;
    // Of `tree.map(f, t)`: `f(t.w)` for each leaf in order; of `tree.update(f, t)` behind each of them the target that
    // is given its value, if there is one; of `tree.leaves(t)` the leaves; of `save_checkpoint` and `load_checkpoint`
    // leaves and the targets behind them, in turn, which have names in the file.
    std::unordered_map<ast::ExprId, std::vector<ast::ExprId>> tree_leaves;
    std::unordered_map<ast::ExprId, std::vector<std::string>> leaf_names;
    std::unordered_map<ast::ExprId, ast::ExprId> typed_arguments;  // of `vjp(f, *args)`: with typed literals
    std::unordered_map<ast::ExprId, std::vector<DType>> compared;  // of a comparison: what each link compares in
    std::unordered_map<ast::StmtId, ForInfo> loops;
    std::unordered_map<ast::ExprId, std::vector<ForInfo>> comprehensions;  // one per clause
    // Of a `return` or an annotated assignment: extents that the declared type says and only the run can compare.
    std::unordered_map<ast::StmtId, std::vector<DimCheck>> checks;
    // The same of a tensor beside its scales: the extents that are declared of its values.
    std::unordered_map<ast::StmtId, std::vector<ir::Dim>> values_shapes;
    // Of an operator on whole tensors: extents of its operands that only the run can compare.
    std::unordered_map<ast::ExprId, std::vector<DimCheck>> extents;
    std::unordered_map<ast::StmtId, AugmentedInfo> augmented;

    // Each call of the program's functions, also those that only some rounds make.
    template <class Visit>
    void for_each_callee(Visit visit) const {
        for (const auto& [expr, call] : calls) {
            if (call.kind != CallKind::function && call.kind != CallKind::launch) continue;
            if (call.by_round.empty()) visit(call);
            for (const CallInfo& one : call.by_round) visit(one);
        }
    }
    // What was found out about an expression; unknown type if it was not reached.
    [[nodiscard]] const ExprInfo& info(ast::ExprId expr) const;
    [[nodiscard]] const ExprInfo& info(const ast::Expr& expr) const { return info(expr.id); }
    [[nodiscard]] const Type& type(const ast::Expr& expr) const { return info(expr).type; }
};

struct ModuleUnit {
    ModuleId id;
    std::string name;  // "layers"; "" for the root
    FileId file;
    const ast::Module* tree = nullptr;
    std::unique_ptr<ast::Module> owned;  // of imported modules
    bool library = false;                // a file of the standard library
    std::vector<ModuleId> imports;
    std::vector<NameUse> names;  // that stand in its text, in order
    // Its module-level statements; run once, imports first. Invalid of a library's file that no `import` names.
    InstanceId statements;
};

struct Program {
    std::deque<ModuleUnit> modules;  // by ModuleId, the root first
    std::vector<ModuleId> order;     // in which their statements run: each after what it imports, the root last
    std::deque<Function> functions;
    std::deque<RecordClass> classes;
    MadeSyntax made;
    std::deque<Instance> instances;
    std::optional<InstanceId> main;
    bool checks_local_indices = false;  // asked for: code that looks at each index of a `tile.local`
    bool scales_losses = false;         // a type says `@loss_scale(dynamic)`

    // Whether the calls of a function are operators of the graph that they stand in, on the host too: one of the
    // library's that takes whole tensors and gives one, or a number.
    [[nodiscard]] bool is_operator(const Instance& callee) const;
    [[nodiscard]] const Function& function(FunctionId id) const { return functions[id.index]; }
    [[nodiscard]] const Instance& instance(InstanceId id) const { return instances[id.index]; }
    // The node that a table of this module names, of the module's tree or a made one; nullptr for an id that was never
    // given.
    [[nodiscard]] const ast::Expr* expr(ModuleId module, ast::ExprId id) const;
    [[nodiscard]] const ast::Stmt& stmt(ModuleId module, ast::StmtId id) const;
    [[nodiscard]] const ast::FunctionDef& def(const Function& function) const;
    [[nodiscard]] const ast::FunctionDef& def(FunctionId id) const { return def(function(id)); }
};

}  // namespace tsr::sema
