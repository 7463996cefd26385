// Where a function runs, how it is declared, and what the language says of either. A rule asks for what it depends on,
// not for the context or the kind: one that is new answers every question before it compiles.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sema/builtins/builtins.h"

namespace tsr::sema {

enum class Context : uint8_t { host, kernel, graph };

// A truth value without a default: a context that leaves out an answer does not compile.
struct Answer {
    constexpr Answer(bool holds) : holds(holds) {}
    constexpr operator bool() const { return holds; }
    bool holds;
};

struct ContextRules {
    // Lists, dictionaries, strings and records are objects of the run: a list grows, its length is not known. Else a
    // list is a value of known length.
    Answer host_objects;
    Answer host_io;          // prints and stops by itself; else the launch brings messages back to the host
    Answer tensor_values;    // tensors are made, sliced and reshaped; else they are memory of which views are taken
    Answer has_elements;     // tensors are memory: elements and views are read and written; else they are whole values
    Answer new_values;       // who writes a tensor gives its name a new value; else it is written where it lies
    Answer counts_from_end;  // an index below 0 counts from the end
    Answer checks_zero;    // a division of integers by zero and a step of zero end the program; else the quotient is 0
    Answer inlines_calls;  // what is called becomes a part of the caller: no recursion, what it captured is known
    Answer calls_graphs;   // graph functions are called
    Answer launches;       // kernels are called: a launch, which gives them what they need beside their arguments
    Answer reads_modules;  // variables of modules are read; else only constants
    Answer in_group;       // runs as one tile of a group: ids, shared buffers, register tiles
};

constexpr ContextRules rules_of(Context context) {
    switch (context) {
        case Context::host:
            return {.host_objects = true,
                    .host_io = true,
                    .tensor_values = true,
                    .has_elements = true,
                    .new_values = false,
                    .counts_from_end = true,
                    .checks_zero = true,
                    .inlines_calls = false,
                    .calls_graphs = true,
                    .launches = true,
                    .reads_modules = true,
                    .in_group = false};
        case Context::kernel:
            return {.host_objects = false,
                    .host_io = false,
                    .tensor_values = false,
                    .has_elements = true,
                    .new_values = false,
                    .counts_from_end = false,
                    .checks_zero = false,
                    .inlines_calls = true,
                    .calls_graphs = false,
                    .launches = false,
                    .reads_modules = false,
                    .in_group = true};
        case Context::graph:
            return {.host_objects = false,
                    .host_io = false,
                    .tensor_values = true,
                    .has_elements = false,
                    .new_values = true,
                    .counts_from_end = true,
                    .checks_zero = false,
                    .inlines_calls = true,
                    .calls_graphs = true,
                    .launches = true,
                    .reads_modules = false,
                    .in_group = false};
    }
    __builtin_unreachable();
}

// `def`, `@kernel def`, `@jit def`, `@on_host def`.
enum class FunctionKind : uint8_t { plain, kernel, graph, host };

struct KindRules {
    std::string_view word;           // of messages
    std::optional<Context> context;  // where its body runs; nothing: where its caller does
    Answer launched;                 // it is called by a launch, which may name the groups in brackets
    Answer inlined;                  // kernels call it: it becomes a part of them
    // It is the program of a group of tiles: `tile[…]` and `shared(…)` stand behind its decorator, it takes and gives
    // tensors and numbers alone, and what it allocates has limits.
    Answer of_group;
    Answer of_values;  // it is a graph: it takes values, which it does not write, and gives new ones
};

constexpr KindRules rules_of(FunctionKind kind) {
    switch (kind) {
        case FunctionKind::plain:
            return {.word = "function",
                    .context = std::nullopt,
                    .launched = false,
                    .inlined = true,
                    .of_group = false,
                    .of_values = false};
        case FunctionKind::kernel:
            return {.word = "kernel",
                    .context = Context::kernel,
                    .launched = true,
                    .inlined = false,
                    .of_group = true,
                    .of_values = false};
        case FunctionKind::graph:
            return {.word = "graph function",
                    .context = Context::graph,
                    .launched = false,
                    .inlined = false,
                    .of_group = false,
                    .of_values = true};
        case FunctionKind::host:
            return {.word = "function of the host",
                    .context = Context::host,
                    .launched = false,
                    .inlined = false,
                    .of_group = false,
                    .of_values = false};
    }
    __builtin_unreachable();
}

constexpr bool is_known_in(const BuiltinEntry& builtin, Context context) {
    switch (context) {
        case Context::host:
            return builtin.on_host;
        case Context::kernel:
            return builtin.in_kernel;
        case Context::graph:
            return builtin.in_graph;
    }
    __builtin_unreachable();
}

// What is said of a builtin that is not known in this context: "`tile.id` is only known in kernels".
struct ElsewhereMessage {
    const char* code;
    const char* text;
};
constexpr ElsewhereMessage elsewhere_message(Context context) {
    switch (context) {
        case Context::host:
            return {"E0401", "only known in kernels"};
        case Context::kernel:
            return {"E0402", "for host programs, this runs in a kernel"};
        case Context::graph:
            return {"E0601", "not compiled in graph functions yet"};
    }
    __builtin_unreachable();
}

}  // namespace tsr::sema
