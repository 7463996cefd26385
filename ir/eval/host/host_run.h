// Host and Graph functions, walked operation by operation: what costs time there are the kernels and the runtime.
#pragma once

#include <map>
#include <set>
#include <unordered_map>

#include "ir/eval/host/host_value.h"
#include "ir/eval/host_failure.h"
#include "ir/eval/machine.h"
#include "ir/eval/numbers.h"

namespace tsr::ir::eval {

class HostRun {
public:
    HostRun(const Module& module, const TsrHostApi& api, const EvalOptions& options)
        : module_(module), api_(api), options_(options) {}

    ProgramOutcome run(const std::string& entry, std::span<const TsrSlot> arguments);

private:
    using Values = std::vector<HostValue>;
    struct Frame {
        const Function* function = nullptr;
        Values values;  // per value of the function
        std::map<std::string, int64_t> symbols;
    };

    void note_callers();
    Values call(const Function& function, const Values& arguments);
    void check_arguments(Frame& frame, const Values& arguments);
    Values own_results(Values results, const Values& arguments);
    Values region(Frame& frame, RegionId id);
    struct Runs;  // what each operation does: a table in host_run.cpp
    void op(Frame& frame, OpId id);
    void not_run(Frame& frame, const Op& op);
    void constant(Frame& frame, const Op& op);
    void branch(Frame& frame, const Op& op);
    void call_function(Frame& frame, const Op& op);
    void dim(Frame& frame, const Op& op);
    void shape_of(Frame& frame, const Op& op);
    void string(Frame& frame, const Op& op);
    void read(Frame& frame, const Op& op);
    void write(Frame& frame, const Op& op);
    void print(Frame& frame, const Op& op);
    void assert_true(Frame& frame, const Op& op);
    void for_loop(Frame& frame, const Op& op);
    void while_loop(Frame& frame, const Op& op);
    void element(Frame& frame, const Op& op);
    void on_tensors(Frame& frame, OpId id);
    void launch(Frame& frame, OpId id);
    Values launched_values(Frame& frame, OpId id);
    KernelOutcome run_group_form(const Values& values, const Op& op, const Function& kernel);
    KernelOutcome run_as_asked(const Values& values, const Op& op, const Function& kernel);
    std::vector<int64_t> launch_arguments(const Values& values, const Op& op, const Function& kernel,
                                          std::vector<KernelArgument>& arguments, SymbolValues& symbols);
    LaunchSize launch_size(const Op& op, const Function& kernel, const std::vector<int64_t>& counts,
                           std::span<const KernelArgument> arguments, const SymbolValues& symbols);
    static LaunchSize said_size(const std::vector<int64_t>& counts);
    LaunchSize own_size(const Function& kernel, std::span<const KernelArgument> arguments, const SymbolValues& symbols);
    void entry(Frame& frame, const Op& op);  // host_entries.cpp
    [[nodiscard]] std::string text(Frame& frame, const Op& op, size_t first);
    [[nodiscard]] std::string formatted(const Type& type, const HostValue& value, const std::string& spec);
    [[nodiscard]] std::string take(TsrString* made) const;
    [[nodiscard]] static std::optional<int64_t> find_dimension(const Frame& frame, const Dim& dim);
    [[nodiscard]] static int64_t dimension(const Frame& frame, const Dim& dim);
    void count_round();

    [[nodiscard]] HostValue& value(Frame& frame, ValueId v) { return frame.values[v.index]; }
    [[nodiscard]] int64_t integer(Frame& frame, ValueId v);
    [[nodiscard]] std::vector<int64_t> integers(Frame& frame, std::span<const ValueId> values);
    void set(Frame& frame, const Op& op, uint64_t bits) { value(frame, op.results[0]) = HostValue::scalar(bits); }
    HostValue make_string(const std::string& text);
    void bind_args(Frame& frame, RegionId region, size_t first, Values values);
    void set_results(Frame& frame, const Op& op, Values values);
    void give(Frame& frame, const Op& op, TsrSlot slot);  // the only result of an entry, in its type
    [[nodiscard]] const Program& program_of(const Function& kernel);

    const Module& module_;
    const TsrHostApi& api_;
    const EvalOptions& options_;
    ProgramOutcome outcome_;
    std::unordered_map<const Function*, Program> programs_;
    Elements numbers_;
    ReportedSet reported_;
    std::set<std::string> container_types_;                  // containers point to the text of their type
    std::vector<std::pair<const Function*, OpId>> callers_;  // of what runs, outermost first
    size_t depth_ = 0;
    uint64_t rounds_ = 0;
    // Where the run is, for a failure.
    const Function* function_ = nullptr;
    OpId at_;
};

}  // namespace tsr::ir::eval
