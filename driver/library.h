// `--emit=shared`, `--emit=header`, `--emit=manifest`: a program's functions for callers in C and for other tools.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "codegen/codegen.h"
#include "ir/core/function.h"
#include "sema/program/tables.h"

namespace tsr::driver {

// What a library offers: every kernel and host function of the program's own file that has one signature of tensors,
// numbers and strings, and no name that begins with `_`.
struct Library {
    std::string name;  // of the program, as an identifier of C; all symbols begin with it
    struct Function {
        std::string name;  // as written
        bool kernel = false;
        std::string documentation;
        codegen::Export exported;
    };
    std::vector<Function> functions;
    struct LeftOut {
        std::string kernel;
        std::string why;
    };
    std::vector<LeftOut> left_out;
    [[nodiscard]] std::string last_error() const { return name + "_last_error"; }
};

// The names in the module of the graph functions among them.
std::set<std::string> offered_graphs(const sema::Program& program);

// Kernels must be lowered already; their launchers join the module.
Library make_library(const std::string& name, const sema::Program& program, ir::Module& module);

// The header of C, with DLPack's structures where DLPack's own header is not there.
std::string header_text(const Library& library, const ir::Module& module);
// The same as JSON, for generators of bindings.
std::string manifest_text(const Library& library, const ir::Module& module);

}  // namespace tsr::driver
