// The checker of a whole program: modules, functions, instances. What it knows about one function body is in body.h.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/sources.h"
#include "sema/builtins/library.h"
#include "sema/program/program.h"
#include "sema/program/tables.h"
#include "sema/state/loop_names.h"
#include "sema/state/scope.h"

namespace tsr::sema {

class Body;

// What a call asks for: a function with these argument types.
struct Request {
    FunctionId function;
    Context context = Context::host;
    // Of a generic function, one per parameter, in symbols of the instance to be made; unknown for the others.
    std::vector<Type> types;
    std::vector<std::optional<Static>> values;  // of static parameters
    Body* enclosing = nullptr;                  // of a nested function: the body around it, being checked
    std::optional<TuningPoint> point;           // of a tuned kernel: the point; without one its header is asked for
};

// Beside the tables: what only the checker needs to know of an instance.
struct InstanceState {
    enum class Progress : uint8_t { open, busy, done } progress = Progress::open;
    Diagnostics found;  // of a generic one: kept until a call that stays asks for it
    bool reported = false;
    Span called_at;  // of a generic one and of the library's: the first call with this signature
    InstanceId called_by;
    ast::ExprId call;
    bool declared_result = false;
    std::vector<std::pair<Span, std::pair<std::string, int64_t>>> allocations;  // place, name, bytes
    std::set<InstanceId> callees;
    std::set<ast::StmtId> left_out_behind;  // a static condition leaves out what stands behind these in their blocks
    std::vector<NameUse> names;             // of its last pass
    Span group_name;                        // the first name of the group that it uses, if any
    std::string group_spelling;
    InstanceId header;                   // of a point: the header of its kernel
    std::vector<InstanceId> all_points;  // of a header: those that do not fit, too
};

class Checker {
public:
    Checker(Sources& sources, const CheckOptions& options, Diagnostics& diagnostics);
    ~Checker();

    void run(const ast::Module& root);

    // What a name means at module level: the module's own names, then the root namespace's.
    [[nodiscard]] Symbol lookup(ModuleId module, std::string_view name) const;
    // Names that could be meant instead, for "did you mean".
    [[nodiscard]] std::vector<std::string> names_of(ModuleId module) const;
    // What a dotted name means, seen from module level; kind none if it is not one or means nothing.
    [[nodiscard]] Symbol resolve(ModuleId module, const ast::Expr& expr) const;
    // What `import a.b` has bound, where `expr` is `a.b`; nullptr elsewhere.
    [[nodiscard]] const Symbol* imported_at(ModuleId module, const ast::Expr& expr) const;
    // The standard library's function; its file is read when the first of its names is used.
    FunctionId library_function(const LibraryFunction& function);
    [[nodiscard]] bool is_library(ModuleId module) const { return program.modules[module.index].library; }
    // A function that is in another one, and may name something of it.
    [[nodiscard]] bool is_capturing(const Type& type) const {
        return type.is(Kind::function) && program.function(type.function_id()).captures;
    }
    // The value of a module-level name, if it is a constant.
    std::optional<Static> constant(ModuleId module, const std::string& name);
    // The bodies of its functions are read when they are needed.
    void read_body(FunctionId function);
    // A mistake in the text was told in this line: what its names mean is not known.
    [[nodiscard]] bool is_broken_line(Span at) const;

    // A module-level expression by itself: its type (literals settled) and value, if it is static. Says nothing.
    struct Constant {
        Type type;
        std::optional<Static> value;
    };
    Constant evaluate(ModuleId module, const ast::Expr& expr);

    [[nodiscard]] static bool is_static(const ast::Parameter& parameter);
    // Whether the lists and dictionaries in the parameter have the lengths and keys of what is given: in a graph
    // function, and in a plain function that is declared to take a record with such fields.
    [[nodiscard]] bool takes_given_form(const Function& function, const ast::Parameter& parameter) const;

    // The instance for a request, checked before this returns unless it is being checked already (recursion).
    InstanceId instantiate(const Request& request);
    void check_statements(ModuleId module);
    // Says what is wrong in a generic function that nobody calls, whatever its arguments were. Of a nested one,
    // `enclosing` is the body around it.
    void check_untyped(FunctionId id, Body* enclosing);
    // Each call of a generic function by another with two types that nobody used before doubles the signatures.
    static constexpr size_t kMostInstances = 1 << 15;
    [[nodiscard]] bool has_most_instances() const { return program.instances.size() >= kMostInstances; }
    [[nodiscard]] bool is_called(FunctionId id) const { return called_.contains(id); }
    // The records of a class; unknown where its definition is wrong, nothing while it is being read.
    std::optional<Type> record_type(FunctionId constructor);
    // Whether its fields are numbers, truth values or records of such: a kernel holds them in registers.
    bool holds_numbers(FunctionId constructor);
    // The class whose records are tensors of a block format; of a named format, or of a precision policy of the
    // program, that a symbol means.
    FunctionId class_of(const StoredForm& form);
    std::optional<FunctionId> stored_class(const Symbol& symbol);
    // Gives the messages of an instance, and of those it calls, once.
    void report(InstanceId instance);

    [[nodiscard]] FunctionId function_of(const ast::FunctionDef& def) const;
    // The function that a lambda stands for; `enclosing`: the one that it is written in, if any.
    FunctionId function_of(const ast::Expr& e, const ast::Lambda& lambda, ModuleId module,
                           std::optional<FunctionId> enclosing);
    // The function that a derivation makes; the same for the same derivation.
    FunctionId derived_function(Derivation derivation);
    // The same of one with parameters of its own, at one place of the program. `call` makes the call of the function
    // with them.
    FunctionId transformed_function(Derivation derivation, ExprKey site, std::vector<ast::Parameter> parameters,
                                    const std::function<ast::ExprId()>& call);
    // The instance for a launch of this kernel, which has a rule, with so many numbers of groups: what it computes as a
    // function of values, whose derivative the rule is.
    InstanceId launch_as_values(InstanceId kernel, size_t groups);
    const SortKey& sort_key(ModuleId module, const ast::Expr& key);
    // The innermost body of a function that is being checked; nullptr: none is.
    [[nodiscard]] Body* open_body(FunctionId function) const;
    // Where names stand in a module's text.
    const NamePlaces& places_of(ModuleId module);
    [[nodiscard]] bool cancelled() const { return options.cancel && options.cancel->load(); }

    Sources& sources;
    const CheckOptions& options;
    Diagnostics& diagnostics;
    Program program;
    std::deque<ModuleScope> scopes;          // by ModuleId
    std::deque<InstanceState> states;        // by InstanceId
    std::vector<NameUse> names;              // outside of bodies
    std::map<ModuleId, Body*> open_modules;  // module-level statements that are being checked
    int fresh = 0;                           // numbers symbols that have no name of their own

private:
    FunctionId add_derived(Derivation derivation);
    FunctionId add_with_parameters(Derivation derivation, std::vector<ast::Parameter> parameters);
    FunctionId launch_function(const Function& kernel, size_t groups);
    ModuleId load_module(const ast::Module& tree, std::string name, bool library);
    std::optional<ModuleId> import_module(const std::string& name, ModuleId importer, Span at);
    ModuleId library_module(const LibraryFile& file);
    Symbol loaded(Symbol symbol);  // a function for a member of the standard library
    std::optional<FileId> find_module(const std::string& name, FileId importer);
    void declare(ModuleId module, const ast::Block& block);
    void declare_statement(ModuleId module, const ast::Stmt& stmt);
    void declare_import(ModuleId module, const ast::Import& import);
    void declare_from(ModuleId module, const ast::FromImport& import);
    void declare_class(ModuleId module, const ast::ClassDef& def);
    void declare_member(ModuleId module, RecordClass& made, ast::FunctionDef& constructor, const ast::Stmt& stmt);
    void declare_policy(ModuleId module, RecordClass& made, ast::FunctionDef& constructor, const ast::ClassDef& def);
    void declare_policy_member(ModuleId module, RecordClass& made, const ast::Stmt& stmt);
    void bind(ModuleId module, const ast::Identifier& name, Symbol symbol);
    FunctionId declare_function(ModuleId module, const ast::Stmt& stmt, std::optional<FunctionId> enclosing);
    // Whether a nested function names something that a function around it binds. What names nothing of them means the
    // same wherever it is called.
    [[nodiscard]] bool may_capture(const Function& function, Span text) const;
    void declare_nested(ModuleId module, const ast::Block& block, FunctionId enclosing);
    void read_headers(size_t first);  // of this function and those declared after it
    void read_decorators(Function& function);
    void read_space(Function& function, const ast::Call& call);
    // `f.defvjp(fwd, bwd)` of the modules and functions from these on.
    void read_rules(size_t first_module, size_t first_function);
    void read_rule(ModuleId module, const ast::Call& call);
    // Of an instance that was checked: what `@custom_vjp`, `@custom_jvp` and `@autodiff` say of it.
    void check_promises(InstanceId instance, const Request& request);
    void check_rule(InstanceId instance);
    void check_reverse_rule(InstanceId instance, const CustomRule& rule);
    void check_forward_rule(InstanceId instance, const CustomRule& rule);
    [[nodiscard]] bool is_generic(const Function& function) const;
    [[nodiscard]] bool is_generic(const Function& function, const ast::Parameter& parameter) const;
    bool uses_kernel_names(const Function& function);
    Context context_of(const Function& function);  // of one that nobody calls
    void check_functions(ModuleId module);
    void check_uncalled(FunctionId id);
    void check_main();
    std::vector<Diagnostic> at_users_call(InstanceId instance) const;
    void pass_captures_on();
    void publish_names();
    Instance& new_instance(ModuleId module, Context context, std::string name);
    std::string instance_key(const Request& request) const;
    void check_points(InstanceId header, const Request& request, const std::vector<TuningPoint>& points);
    void say_wrong_values(InstanceId header);
    void say_unfit(InstanceId header, const std::vector<InstanceId>& unfit);
    [[nodiscard]] bool at_every_point(const InstanceState& point, const Diagnostic& found) const;

    mutable NameMap<Symbol> root_names_;                            // what `lookup` found in the root namespace
    std::map<std::string, ModuleId> loaded_;                        // by path
    std::vector<std::string> loading_;                              // paths, for cycles
    std::map<std::string, ModuleId, std::less<>> library_modules_;  // by name
    std::map<std::string, FunctionId, std::less<>> block_classes_;  // by the name of the format
    bool headers_read_ = false;                                     // of the functions of all modules that imports name
    std::map<const ast::FunctionDef*, FunctionId> functions_;
    std::map<const ast::Lambda*, FunctionId> lambdas_;
    std::map<std::string, FunctionId> derived_;    // by what was asked
    std::vector<Body*> open_bodies_;               // of functions, the innermost last
    std::map<std::string, InstanceId> instances_;  // by what was asked
    std::set<FunctionId> called_;                  // functions with an instance
    std::map<std::pair<ModuleId, std::string>, std::optional<Static>> constants_;
    std::set<std::pair<ModuleId, std::string>> evaluating_;
    std::map<ModuleId, std::unique_ptr<Body>> module_bodies_;
    std::vector<std::pair<std::string, InstanceId>> busy_nested_;  // by what was asked
    std::vector<InstanceId> rules_to_check_;                       // of functions that the rule being checked calls
    bool checking_rule_ = false;
    std::map<std::string, int> used_names_;
    struct KernelNames {
        size_t exprs = 0;           // of the module, that were looked at
        std::set<uint32_t> places;  // where names stand that only kernels know
    };
    std::map<ModuleId, KernelNames> kernel_names_;
    std::map<ModuleId, NamePlaces> places_;
    std::set<FunctionId> reported_;  // functions with an instance that was reported
    int depth_ = 0;
};

// `tile.linear_id` of an expression that is a dotted name, else empty.
std::string dotted(const ast::Expr& expr);
inline bool is_dotted(std::string_view name) { return name.find('.') != std::string_view::npos; }

}  // namespace tsr::sema
