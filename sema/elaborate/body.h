// The elaboration of one function of the IR: where it stands, what the variables hold there, and the steps that all
// kinds of statements and expressions are made of. The kinds themselves are functions of their own files.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/diagnostics.h"
#include "frontend/ast.h"
#include "sema/elaborate/buffers.h"
#include "sema/elaborate/emitter.h"
#include "sema/elaborate/value.h"
#include "sema/program/tables.h"

namespace tsr::elaborate {

struct GraphOperands;  // elaborate/graph_expressions.h

// A loop that stands around what is elaborated. Its flags are true while the loop, or this round of it, goes on.
struct LoopFlags {
    Slot loop_live;
    Slot round_live;
};

// A function whose body is elaborated: the function itself, or one inlined into it.
struct Frame {
    const sema::Instance* instance = nullptr;
    uint32_t number = 0;
    Slot live;    // true until it returned
    Slot result;  // what it returned
    std::vector<LoopFlags> loops;
    std::string path;  // the calls it was inlined at: tells the allocations of two calls apart
    // Of an inlined function: its symbols in those of the function that the IR has.
    std::map<std::string, ir::Dim> dims;
    bool inlined = false;
};

class Body {
public:
    Body(const sema::Program& program, Diagnostics& diagnostics, ir::Function& function, BufferSites& buffers)
        : program(program), diagnostics(diagnostics), emit(function), buffers(buffers) {}

    const sema::Program& program;
    Diagnostics& diagnostics;
    Emitter emit;
    BufferSites& buffers;
    const ir::Module* kernels = nullptr;          // of host functions: the kernels they may launch
    std::vector<ir::Function>* graphs = nullptr;  // of host functions: where the graphs of their expressions go
    int64_t graph_count = 0;
    std::optional<Rounding> rounding;   // that is declared for what the next expression gives
    GraphOperands* operands = nullptr;  // of the graph of an expression: what it takes from the host function
    // Whether an expression is one of the host function's: it is an operator, or taken from there.
    // Not of an operator's graph of the host, whose results the host rounds.
    [[nodiscard]] bool is_graph_function() { return rules().new_values && !operands; }
    [[nodiscard]] bool takes_operands() const { return operands && !frames.back().inlined; }
    Env env;
    std::deque<Frame> frames;

    [[nodiscard]] ir::Function& function() { return emit.function(); }
    [[nodiscard]] sema::Context context();  // an inlined function runs where its caller does
    [[nodiscard]] sema::ContextRules rules() { return sema::rules_of(context()); }
    [[nodiscard]] Frame& frame() { return frames.back(); }
    [[nodiscard]] const sema::Instance& instance() { return *frames.back().instance; }
    [[nodiscard]] const sema::ExprInfo& info(const ast::Expr& e) { return instance().info(e); }
    [[nodiscard]] const sema::ExprInfo& info(ast::ExprId e) { return instance().info(e); }
    // That a table names; nullptr for an id that was never given.
    [[nodiscard]] const ast::Expr* expr(ast::ExprId id) { return program.expr(instance().module, id); }
    [[nodiscard]] sema::ExprKey key(const ast::Expr& e) { return {instance().module, e.id}; }
    Frame& push_frame(const sema::Instance& instance, std::string path);
    void pop_frame();  // forgets its variables

    // ---- slots ----
    [[nodiscard]] Slot slot(sema::VariableId variable) { return {frame().number, variable.index}; }
    Slot fresh_slot() { return {0, next_flag_++}; }
    [[nodiscard]] Val get(Slot slot) const;
    void set(Slot slot, Val value) { env[slot] = std::move(value); }
    // Brings the value to the variable's type, as naming it does.
    void assign(sema::VariableId variable, const Val& value);
    // An internal error where the checker let pass what has no type: `what` is it, `at` its place.
    void require_type(const sema::Type& type, const char* what, Span at);
    // What was given for a parameter: its variable is wider where something wider is assigned to it.
    void set_parameter(size_t parameter, const Val& value);
    // The type that a slot's values have, where its frame says one.
    [[nodiscard]] const sema::Type* declared(Slot slot);

    // ---- values ----
    // An expression of narrow floats, computed in a wider type, is rounded to its own where it is named, stored, passed
    // or returned (language reference, numerics rule 3), also where something wider takes it.
    Val rounded(const Val& value);
    // The value with the type.
    Val coerce(const Val& value, const sema::Type& type);
    Val coerce(const Val& value, DType type);
    // The IR scalar, vector, tile or tensor of a graph in the element type.
    ir::ValueId scalar(const Val& value, DType type);
    ir::ValueId index(const Val& value) { return scalar(value, DType::index); }
    // A tile, in graphs a tensor: a scalar or a smaller one is repeated.
    ir::ValueId tile(const Val& value, DType type, const std::vector<ir::Dim>& shape);
    // A scalar is repeated.
    ir::ValueId vector(const Val& value, DType type, int64_t width);
    ir::ValueId truth(const Val& value);
    // Any value as one value of the IR (tensors, strings and lists of the host too).
    ir::ValueId handle(const Val& value, const sema::Type& type);
    ir::ValueId text_handle(const std::string& text);
    ir::ValueId memory(const Val& value);  // a tensor, or the handle of a buffer's stage
    [[nodiscard]] const ir::Type& type_of(ir::ValueId id) { return function().type(id); }
    // Whether values of the type are computed with: tensors in graphs; on the host they are references.
    [[nodiscard]] bool computes_on(const ir::Type& type);
    // The element type of what is computed with.
    [[nodiscard]] std::optional<DType> computed_dtype(const sema::Type& type);
    Val undefined(const sema::Type& type);  // a value of the type that no read reaches
    std::set<ir::OpId> placeholders;        // register tiles that were made so
    // The value of a dimension expression over the symbols of the frame's instance.
    Val dimension(const ir::Dim& dim);
    // Of a kernel or graph: over the symbols of the function that the IR has.
    Val function_dimension(const ir::Dim& known);

    // ---- leaves: the IR values that a value consists of ----
    void flatten(const Val& value, const sema::Type* type, std::vector<ir::ValueId>& leaves);
    Val unflatten(const Val& shape, const std::vector<ir::ValueId>& leaves, size_t& next);

    // ---- control flow ----
    // The flag that is false where the statements that follow are not reached.
    [[nodiscard]] Slot live_flag();
    [[nodiscard]] bool dead() { return get(live_flag()).is_fixed_bool(false); }
    // An `if` whose sides may be extended after they were made, until `close_if` joins what the slots hold.
    struct OpenIf {
        ir::OpId op;
        ir::RegionId outer;
        ir::RegionId regions[2];
        Env envs[2];
        std::vector<ir::ValueId> yields[2];
    };
    OpenIf open_if(ir::ValueId condition);
    void in_side(OpenIf& open, int side, const std::function<void()>& body);
    // One value for what the two sides hold. Before the `if` is closed.
    Val join(const Val& then, const Val& otherwise, const sema::Type* type, OpenIf& open);
    void close_if(OpenIf& open);
    // Exchanges the sides under the opposite comparison, of integers: `if i >= n: return` guards what follows like
    // `if i < n:` does.
    void turn_round(ir::OpId choice);
    // Runs the body only where the flag holds; in it the flag is known to.
    void guarded(Slot flag, const std::function<void()>& body);

    // Of a line of the standard library it is said at the program's call.
    Diagnostic& error(std::string code, Span span, std::string message);
    bool failed = false;
    int64_t unrolled_rounds = 0;
    int64_t rounds_around = 1;  // of the unrolled loops around what is elaborated, multiplied
    int64_t inlined_calls = 0;

    // Slots for the values of the instance's symbols (host).
    [[nodiscard]] Slot symbol_slot(size_t symbol) { return {frame().number, kSymbols + static_cast<uint32_t>(symbol)}; }
    static constexpr uint32_t kSymbols = 1u << 30;

    // Of a graph: symbols of the function that get their value while it runs.
    std::map<std::string, ir::ValueId> late_symbols;

    std::set<Slot> local_arrays;  // the slots that hold the elements of arrays of each tile
    std::string site_path;        // rounds of list comprehensions around what is elaborated
    std::string site_name;        // the variable that a buffer is being assigned to
    bool names_group = false;     // of a kernel: KernelInfo::names_group

private:
    Val join_leaf(const Val& then, const Val& otherwise, const sema::Type* type, OpenIf& open);
    ir::ValueId undefined_leaf(ir::Type type);  // by value: it makes values, and types move then
    Val symbol(const std::string& name);
    Val kernel_dimension(const ir::Dim& dim);
    Val function_dimension(const ir::Dim& known, const ir::Dim& written);

    uint32_t next_flag_ = 0;
    uint32_t next_frame_ = 1;
    std::map<std::string, ir::ValueId> dims_;  // of a kernel: operations `dim` at its start, by text
};

}  // namespace tsr::elaborate
