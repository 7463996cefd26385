// From lowered functions to code: LLVM seen from outside.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/sources.h"
#include "ir/core/function.h"

namespace tsr::codegen {

// slots[slot] `op` value, both signed 64 bits; `divisible` also says that a pointer is aligned.
struct Guard {
    enum class Op { less, at_least, equal, divisible };
    Op op = Op::less;
    int32_t slot = 0;
    int64_t value = 0;
};

// A buffer that a launch makes and fills before its groups run, block by block.
struct PackedOperand {
    struct Axis {
        int32_t slot = -1;   // of the extent; -1: a constant one
        int64_t extent = 0;  // where it is constant
        int64_t step = 1;
    };
    const ir::Function* function = nullptr;  // level Target: its groups are the blocks
    std::vector<Axis> axes;                  // the product of ceil(extent / step) blocks
    int64_t block_bytes = 0;
    int64_t task = 1;
    int64_t scratch = 0;
};

// One compiled form of a kernel.
//
// Slots are numbered: the kernel's parameters in order, then its symbols in order, then its groups along x, y, z, then
// the buffers of its packed operands.
// Beside what the operations' records say, level Target holds to this:
//  - `print` and `assert` take first (behind the condition) the number of the group, of a flat kernel the tile, as an
//    index: it orders the lines of a launch. Then come the values of the text. A failed assertion ends the task.
//  - `runtime {callee = "task_result"} v` gives the scalar that the kernel returns; group 0 alone may do it.
struct KernelVariant {
    const ir::Function* function = nullptr;  // level Target
    std::string machine;                     // "x86-64-v4", "native", "sm_80", …
    std::vector<Guard> guards;               // all must hold; the last variant of a family has none
    // Products of some slots are below their limits, too; each slot alone is below 2^31, by a guard.
    struct Product {
        std::vector<int32_t> slots;
        int64_t limit = 0;
    };
    std::vector<Product> products;
    int64_t task = 1;     // groups (tiles of a flat kernel) worth one task; `task_begin` is a multiple of it
    int64_t scratch = 0;  // bytes per worker behind `scratch`
    std::vector<PackedOperand> packed;
    std::string plan;  // its text
    // Of a GPU, where a task is a block: its threads, and whether it is assembled for the target, too. Its scratch is
    // shared memory.
    int64_t threads = 0;
    int64_t cluster = 1;  // blocks that launches may put together
    int64_t parts = 1;    // blocks that share the work of a group
    bool cubin = false;
    // Code that LLVM can not make fails. Otherwise its table has no image, and the kernel runs elsewhere.
    bool required = true;

    [[nodiscard]] bool on_gpu() const { return machine.starts_with("sm_"); }
};

// A kernel by its variants; the first that the machine has and whose guards hold is run.
struct KernelFamily {
    std::string name;  // what `launch` calls
    Span place;
    std::vector<std::string> slots;  // names, for traces
    std::vector<KernelVariant> variants;
    std::string shown;  // what people call it, where that differs: of a point the tuned kernel
    enum class Use : uint8_t { value, read, written };
    std::vector<Use> uses;  // of each slot; of kernels without tensors it may be empty
};

// The points of a tuned kernel that launches name together.
struct Tuning {
    struct Point {
        std::string family;
        std::string text;     // "BM=64, BN=128"
        size_t launched = 0;  // its number among `names`
    };
    std::vector<std::string> names;  // as the launches have them
    std::vector<Point> points;       // those that are compiled; without the ones that have the code of another
    std::string kernel;
    std::string content;               // tells their code from that of any other kernel
    std::string known;                 // records of winners (runtime/tune/record.h)
    int32_t first_dim = 0, ndims = 0;  // the kernel's symbols among its slots
};

// What `--help` and the command line need to know of a parameter of main that may be left out.
struct Default {
    std::string text;  // as written
    uint64_t bits = 0;
    std::string string;
};

// A function of level Host that C calls: int32_t SYMBOL(arguments…, where results go…), see `tsr_call`.
struct Export {
    std::string symbol;
    std::string name;  // as written, for messages
    std::string function;
    std::vector<std::string> results;  // names; "": its number
};

struct Program {
    std::string name;
    std::optional<std::string> docstring;
    const ir::Module* host = nullptr;  // its functions of level Host are compiled, others passed over
    // The function that the command line calls. Empty: a library, its kernels' tables are symbols `tsr_kernel_NAME`.
    std::string main;
    std::string initialize;                   // runs once before it; empty: nothing does
    std::map<std::string, Default> defaults;  // of parameters of main, by name
    std::vector<std::string> results;         // names of what main returns; "": its number
    std::vector<Export> exports;              // of a library; without a main
    std::string last_error;                   // the symbol of the function that tells what failed last
    bool for_python = false;                  // of each export there is SYMBOL.python, see `tsr_python_function`
    std::vector<KernelFamily> families;
    std::vector<Tuning> tunings;
};

enum class Emit {
    objects,  // one or more, for `link`
    object,   // all in one
    assembly,
    llvm
};

// Code kept from earlier compilations. A key stands for all that the code follows from but the compiler itself. Several
// threads ask at once.
class CodeStore {
public:
    CodeStore() = default;
    CodeStore(const CodeStore&) = delete;
    CodeStore& operator=(const CodeStore&) = delete;
    virtual ~CodeStore() = default;

    virtual std::optional<std::string> find(const std::string& key) = 0;
    // Code that can not be kept costs the next compilation its time, nothing else.
    virtual void keep(const std::string& key, const std::string& code) = 0;
};

struct Options {
    int level = 2;       // of -O, 0 to 3
    bool debug = false;  // line information for debuggers
    // PTX to a cubin for a target; called by several threads at once. Empty: variants with `cubin` fail.
    std::function<Result<std::string>(const std::string& ptx, const std::string& target)> assemble;
    Emit emit = Emit::objects;
    CodeStore* store = nullptr;  // null: nothing is kept
};

// Makes the code generator ready on another thread, while the caller does what needs none. Never needed.
void prepare();

// Object files, to be linked together; or the texts of assembly or LLVM, one for each.
// A program whose code can not be made fails with a message; LLVM itself never ends the process.
Result<std::vector<std::string>> compile(const Program& program, const Sources& sources, const Options& options);

// The code of one kernel for one GPU.
struct GpuText {
    std::string kernel;
    std::string target;
    std::string text;  // PTX, LLVM, or a cubin
};
enum class GpuForm { ptx, llvm, cubin };
// Of every variant for a GPU, in the order of the program. `compile` puts PTX and cubins into objects; the texts of
// assembly and LLVM that it makes are those of the CPU alone.
Result<std::vector<GpuText>> compile_for_gpus(const Program& program, const Sources& sources, const Options& options,
                                              GpuForm form);

// Whether CUDA 13's ptxas makes cubins for a GPU.
bool ptxas_knows(const std::string& name);

// Names of processors that `KernelVariant::machine` may have, known or not to this machine.
Result<std::string> check_machine(const std::string& name);
// The x86-64 levels that this machine runs, lowest first.
std::vector<std::string> levels_of_host();

}  // namespace tsr::codegen
