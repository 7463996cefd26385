// The evaluator: runs kernels (level Tile, the group's form) and host programs directly, with sanitizers.
// It shares no arithmetic with the code generators, so that each judges the other.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "ir/core/function.h"
#include "runtime/abi.h"

namespace tsr::ir::eval {

struct Sanitizers {
    bool race = false;    // two tiles touch one element without order; shared memory read before it is written
    bool bounds = false;  // goes on after an access outside, and reports it; without it the first one ends the run
    bool nan = false;     // the first operation that makes NaN or an infinity from finite operands
    [[nodiscard]] bool any() const { return race || bounds || nan; }
};

enum class ReportKind { failure, race, uninitialized, copy, bounds, nan };

// What a sanitizer saw, or why the run ended: a sentence and the places it speaks of.
struct Report {
    ReportKind kind = ReportKind::failure;
    std::string function;  // the kernel or host function
    std::string message;   // names the memory, the element, groups and tiles
    Place place;           // the access that showed it
    std::optional<Place> other;
    std::string other_text;  // what stands at `other`: "written here by tile 3 of group 0"
};

// A number or bool: its storage representation in the low bytes.
struct ScalarValue {
    DType type = DType::i32;
    uint64_t bits = 0;
};

// Dense row-major elements that the caller owns; rows of packed types are padded to whole packs.
struct TensorRef {
    void* data = nullptr;
    DType elem = DType::f32;
    std::vector<int64_t> shape;
};
using KernelArgument = std::variant<ScalarValue, TensorRef>;

struct LaunchSize {
    std::array<int64_t, 3> groups{1, 1, 1};
    int64_t total = 1;  // all groups; of a flat kernel all tiles
};

struct EvalOptions;
struct KernelOutcome;
using SymbolValues = std::vector<std::pair<std::string, int64_t>>;

// Runs a kernel in another form than `run_kernel` takes. The groups are those that the launch says, if it does.
using RunLaunch = KernelOutcome (*)(const Function& kernel, std::span<const KernelArgument> arguments,
                                    const std::optional<LaunchSize>& groups, const EvalOptions& options,
                                    const SymbolValues& symbols);

struct EvalOptions {
    Sanitizers sanitizers;
    size_t report_limit = 10;  // reports kept; equal ones (kind and places) count once
    uint64_t round_limit = 0;  // rounds of loops that one group may run, 0: any number; passing it is a failure
    // Takes the lines of a launch when it is over; without it they are collected in the outcome.
    std::function<void(const std::string&)> print_line;
    RunLaunch run_launch = nullptr;    // of host functions, whose launches are then not lowered; null: `run_kernel`
    const TsrHostApi* host = nullptr;  // for the format specs of `print`; null: only `{}` is formatted as in Python
};

struct Outcome {
    std::optional<Report> failure;     // the run ended here; what it wrote before stays written
    std::vector<Report> reports;       // of the sanitizers, in the order of finding
    std::vector<std::string> printed;  // lines of `print` in kernels, by group, then by tile
    [[nodiscard]] bool clean() const { return !failure && reports.empty(); }
};

struct KernelOutcome : Outcome {
    std::optional<ScalarValue> result;
};

// Runs one launch. Arguments are the kernel's parameters in order; a symbol that `symbols` does not give is bound where
// it stands alone in a tensor's shape. A kernel that can not be run (another form, an operation that is to be expanded
// first) is a failure before anything happens.
KernelOutcome run_kernel(const Function& kernel, std::span<const KernelArgument> arguments, const LaunchSize& size,
                         const EvalOptions& options, const SymbolValues& symbols = {});

// A call that a run was in.
struct Caller {
    Place place;
    std::string callee;
};

struct ProgramOutcome : Outcome {
    std::vector<TsrSlot> results;  // new references
    std::vector<Caller> callers;   // where the run ended by a failure: the calls that it was in, innermost first
};

// Runs a Host function and the kernels that it launches. Arguments are borrowed; they are checked against the
// function's signature by the runtime. The runtime's failures become the outcome's: for that its failure handler is
// replaced, and removed at the end.
ProgramOutcome run_program(const Module& module, const std::string& entry, std::span<const TsrSlot> arguments,
                           const TsrHostApi& api, const EvalOptions& options);

}  // namespace tsr::ir::eval
