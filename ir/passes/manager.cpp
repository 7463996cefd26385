#include "ir/passes/manager.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "base/cancel.h"
#include "ir/core/spell.h"
#include "ir/text/print.h"
#include "ir/verify/verify.h"

namespace tsr::ir {

namespace {

std::string broken_text(std::string_view pass, const std::vector<std::string>& messages, const std::string& before) {
    std::string text = fmt::format("pass '{}' broke the function:\n", pass);
    for (const std::string& message : messages) text += "  " + message + "\n";
    return before.empty() ? text : text + "before it was:\n" + before;
}

std::vector<std::string> faults(const Function& function, Level level) {
    std::vector<std::string> messages = verify(function);
    if (function.level != level) {
        messages.push_back(
            fmt::format("@{}: is of level {}, not {}", function.name, name(function.level), name(level)));
    }
    return messages;
}

}  // namespace

BrokenPass::BrokenPass(std::string_view broken, const std::vector<std::string>& messages, std::string text_before)
    : InternalError(broken_text(broken, messages, text_before)), pass(broken), before(std::move(text_before)) {}

PassOutcome PassManager::run_steps(const std::vector<PassStep>& steps, Level from, Function& function,
                                   PassContext& context) {
    if (options_.verify) {
        const std::vector<std::string> messages = faults(function, from);
        if (!messages.empty()) throw BrokenPass("what made the function", messages, print(function));
    }
    for (const PassStep& step : steps) {
        if (step.optional && options_.pass_limit && optional_runs_ >= *options_.pass_limit) continue;
        if (step.optional) {
            ++optional_runs_;
            last_optional_ = fmt::format("`{}` on `{}`{}", step.name, function.name,
                                         context.machine.empty() ? "" : " for " + context.machine);
        }
        if (!run_step(step, function, context)) return PassOutcome::refused;
        if (step.name == options_.stop_after) return PassOutcome::stopped;
    }
    return PassOutcome::done;
}

bool PassManager::run_step(const PassStep& step, Function& function, PassContext& context) {
    stop_if_cancelled();
    // A copy takes a third of the time of its text.
    const std::optional<Function> before = options_.verify ? std::optional(function) : std::nullopt;
    const auto began = std::chrono::steady_clock::now();
    const bool accepted = step.run(function, context);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    if (options_.time_passes) add_time(step.name, took.count());
    // What a pass has refused need not be sound.
    if (options_.verify && accepted) {
        const std::vector<std::string> messages = faults(function, step.to);
        if (!messages.empty()) throw BrokenPass(step.name, messages, print(*before));
    }
    if (dumps(step.name)) {
        options_.dump(fmt::format("// after {}\n{}", step.name, print(function, {.places = options_.places})));
    }
    return accepted;
}

PassOutcome PassManager::run(const ModulePass& pass, PassContext& context) {
    stop_if_cancelled();
    const std::string before = options_.verify ? print(context.module) : std::string();
    const auto began = std::chrono::steady_clock::now();
    const bool accepted = pass.run(context.module, context);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    if (options_.time_passes) add_time(pass.name, took.count());
    if (!accepted) return PassOutcome::refused;
    if (options_.verify) {
        for (const Function& function : context.module.functions) {
            const std::vector<std::string> messages = verify(function);
            if (!messages.empty()) throw BrokenPass(pass.name, messages, before);
        }
    }
    if (dumps(pass.name)) {
        options_.dump(fmt::format("// after {}\n{}", pass.name, print(context.module, {.places = options_.places})));
    }
    return pass.name == options_.stop_after ? PassOutcome::stopped : PassOutcome::done;
}

bool PassManager::dumps(std::string_view pass) const {
    return options_.dump && std::ranges::find(options_.dump_after, pass) != options_.dump_after.end();
}

void PassManager::add_time(std::string_view pass, double seconds) {
    auto at = std::find_if(times_.begin(), times_.end(), [&](const Time& time) { return time.pass == pass; });
    if (at == times_.end()) at = times_.insert(times_.end(), Time{std::string(pass)});
    at->seconds += seconds;
    ++at->runs;
}

std::string PassManager::time_report() const {
    std::vector<Time> sorted = times_;
    std::stable_sort(sorted.begin(), sorted.end(), [](const Time& a, const Time& b) { return a.seconds > b.seconds; });
    std::string text;
    for (const Time& time : sorted) {
        text += fmt::format("{:10.3f} ms {:6} runs  {}\n", time.seconds * 1e3, time.runs, time.pass);
    }
    return text;
}

}  // namespace tsr::ir
