// Functions of level Host: ordinary code that calls the runtime. Tensors, strings and lists are pointers.
#pragma once

#include <map>
#include <set>
#include <string>

#include "codegen/codegen.h"
#include "codegen/llvm/body.h"

namespace tsr::codegen {

// What functions of level Host refer to by name, of a whole program.
struct ProgramNames {
    explicit ProgramNames(const Program& program, const Sources& sources);

    std::map<std::string, const ir::Function*> functions;
    std::set<std::string> library;                // those of the standard library
    std::map<std::string, std::string> families;  // the linker's names of their tables
    struct Points {
        const Tuning* tuning = nullptr;
        std::string table;  // the linker's name
    };
    std::map<std::vector<std::string>, Points> tunings;  // by the points that a launch names
    bool exported = false;  // tables of kernels are seen from outside: the program is a library of kernels
    std::string on_gpus;    // a kernel that has code for one; empty: none has

    [[nodiscard]] bool with_gpus() const { return !on_gpus.empty(); }
};

// The same in one LLVM module, which declares what it refers to and does not define.
class HostNames {
public:
    HostNames(const ProgramNames& program, llvm::Module& module) : program_(program), module_(module) {}

    llvm::Function* function(const std::string& name);
    llvm::Constant* family(const std::string& name);            // const TsrKernelFamily*
    llvm::Constant* table(const ProgramNames::Points& points);  // const TsrTuning*
    [[nodiscard]] const ProgramNames& program() const { return program_; }
    [[nodiscard]] bool is_of_library(const std::string& name) const { return program_.library.contains(name); }

private:
    llvm::Constant* variable(const std::string& symbol);

    const ProgramNames& program_;
    llvm::Module& module_;
};

class HostBody : public Body {
public:
    HostBody(const ir::Function& source, llvm::Function& target, const Machine& machine, Data& data, DebugInfo* debug,
             HostNames& names)
        : Body(source, target, machine, data, debug), names_(names) {}

    // The whole function: checks of the arguments, the body, the return.
    void emit_function();

private:
    friend class EntryCall;

    struct Emits;  // what each operation becomes: a table in body.cpp
    void emit_own(const ir::Op& op) override;
    void emit_element_op(const ir::Op& op) override;
    void emit_call(const ir::Op& op);
    void emit_launch(const ir::Op& op);
    void emit_tuned_launch(const ir::Op& op, llvm::Value* slots, llvm::Value* tensors, llvm::Value* result);
    void emit_read(const ir::Op& op);
    void emit_write(const ir::Op& op);
    void emit_print(const ir::Op& op);
    void emit_assert(const ir::Op& op);
    void emit_shape_of(const ir::Op& op);
    void emit_string(const ir::Op& op);
    void emit_dimension(const ir::Op& op);
    void emit_entry(const ir::Op& op);
    void check_divisor(const ir::Op& op);

    // Binds the dimension symbols by tsr_check_arguments.
    void check_arguments();

    llvm::Value* as_i64(ir::ValueId id);
    // Any value in the eight bytes of a TsrSlot, and back.
    llvm::Value* slot_of(ir::ValueId id);
    llvm::Value* from_slot(const ir::Type& type, llvm::Value* bits);
    // Values of one type side by side on the stack.
    llvm::Value* row(const Values& values);
    llvm::Constant* place_of(const ir::Op& op) { return data_.place(users_span(op)); }
    [[nodiscard]] Span users_span(const ir::Op& op) const;
    // What the program is in from here on (runtime/abi/library_calls.h); gives what it was in.
    llvm::Value* enter_library(llvm::Value* call);
    llvm::Constant* library_call(const ir::Op& op, const std::string& callee);
    // The text with its values put in, a new string.
    llvm::Value* formatted(const ir::Op& op, const std::string& format, size_t first);
    llvm::Value* formatted_value(const ir::Op& op, size_t number, const std::string& spec);
    void fail_when(llvm::Value* condition, llvm::Constant* place, const std::string& message);

    HostNames& names_;
    std::map<std::string, llvm::Value*> dims_;
};

// A function of level Host as its callers see it. It gives nothing for no result, the value, or a structure of several.
llvm::Function* declare_host(const ir::Function& source, llvm::Module& module);

// The data of TsrSignature for a function's parameters; `defaults` as in the program's description, or empty; `shown`
// its name in messages, where that is another.
struct DefaultValue {
    std::string text;  // as written
    uint64_t bits = 0;
    std::string string;
};
llvm::Constant* signature_of(Data& data, const ir::Function& source,
                             const std::map<std::string, DefaultValue>& defaults, const std::string& shown = {});
int kind_of(const ir::Type& type);  // TsrKind

}  // namespace tsr::codegen
