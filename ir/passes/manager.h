// Runs passes in order, and watches them: verification, dumps, limits, times.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/core/internal.h"
#include "ir/passes/pass.h"

namespace tsr::ir {

struct PassOptions {
    bool verify = true;                   // after each pass
    bool places = false;                  // in dumps
    std::vector<std::string> dump_after;  // names of passes
    std::string stop_after;               // name of a pass; empty: none
    std::optional<size_t> pass_limit;  // runs of optional passes that still happen; a wrong one is found by bisection
    bool time_passes = false;
    std::function<void(const std::string&)> dump;  // takes the texts of `dump_after`
};

// A pass left a function that `verify` refuses.
class BrokenPass : public InternalError {
public:
    BrokenPass(std::string_view pass, const std::vector<std::string>& messages, std::string before);

    std::string pass;
    std::string before;  // the function as text, before the pass
};

// The worse one is the greater one.
enum class PassOutcome {
    done,
    stopped,  // after the pass that `stop_after` names
    refused,  // a diagnostic says why
};

// Raises Cancelled before a pass where a CancelScope (base/cancel.h) ends the work; functions and module are then good
// for nothing.
class PassManager {
public:
    explicit PassManager(PassOptions options) : options_(std::move(options)) {}

    // Verifies what comes in, then runs the passes.
    template <Level From, Level To>
    PassOutcome run(const Pipeline<From, To>& pipeline, Function& function, PassContext& context) {
        return run_steps(pipeline.steps, From, function, context);
    }
    // Every function of the level, also those that the passes add while this runs. Goes on after a refusal, so that
    // every function's faults are told; the worst outcome is the answer.
    template <Level From, Level To>
    PassOutcome run_on_all(const Pipeline<From, To>& pipeline, Module& module, PassContext& context) {
        PassOutcome all = PassOutcome::done;
        for (size_t i = 0; i < module.functions.size(); ++i) {
            if (module.functions[i].level != From) continue;
            all = std::max(all, run(pipeline, module.functions[i], context));
        }
        return all;
    }
    PassOutcome run(const ModulePass& pass, PassContext& context);

    struct Time {
        std::string pass;
        double seconds = 0;
        size_t runs = 0;
    };
    // Over all functions, in the order of the first run.
    [[nodiscard]] const std::vector<Time>& times() const { return times_; }
    // One line per pass, the slowest first.
    [[nodiscard]] std::string time_report() const;
    [[nodiscard]] size_t optional_runs() const { return optional_runs_; }
    // "`simplify` on `saxpy` for x86-64-v4"; empty when there was none.
    [[nodiscard]] const std::string& last_optional() const { return last_optional_; }

private:
    PassOutcome run_steps(const std::vector<PassStep>& steps, Level from, Function& function, PassContext& context);
    bool run_step(const PassStep& step, Function& function, PassContext& context);
    [[nodiscard]] bool dumps(std::string_view pass) const;
    void add_time(std::string_view pass, double seconds);

    PassOptions options_;
    size_t optional_runs_ = 0;
    std::string last_optional_;
    std::vector<Time> times_;
};

}  // namespace tsr::ir
