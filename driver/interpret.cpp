#include "driver/interpret.h"

#include <cstdio>
#include <cstdlib>
#include <span>

#include <fmt/core.h>

#include "driver/compilation.h"
#include "ir/core/lines.h"
#include "ir/eval/evaluate.h"
#include "ir/eval/one_tile/run.h"
#include "ir/eval/signature.h"
#include "runtime/abi.h"

namespace tsr::driver {

namespace {

using ir::eval::Report;

// What the runtime's calls of the program come back to.
class Interpreter {
public:
    Interpreter(Session& session, const Compilation& compilation, codegen::Program program)
        : session_(session),
          module_(compilation.module()),
          program_(std::move(program)),
          signature_(*module_.find(program_.main)) {
        const Sanitize& asked = session.options().sanitize;
        options_.sanitizers = {.race = asked.race, .bounds = asked.bounds, .nan = asked.nan};
        if (session.options().interpret_tile) options_.run_launch = &ir::eval::run_one_tile;
        options_.host = tsr_host_api();
        options_.print_line = [](const std::string& line) { fmt::print(stderr, "{}\n", line); };
        fill_parameters();
        fill_results();
    }

    // The program's exit code.
    int run() {
        std::vector<std::string> words{session_.options().input};
        words.insert(words.end(), session_.options().program_arguments.begin(),
                     session_.options().program_arguments.end());
        std::vector<char*> argv;
        for (std::string& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        int status = tsr_main(&table_, static_cast<int>(words.size()), argv.data());
        return found_something_ && status == 0 ? 1 : status;
    }

private:
    void fill_parameters() {
        const TsrSignature& plain = signature_.data();
        parameters_.assign(plain.parameters, plain.parameters + plain.nparameters);
        for (TsrParameter& parameter : parameters_) {
            auto found = program_.defaults.find(parameter.name);
            if (found == program_.defaults.end()) continue;
            parameter.has_default = 1;
            parameter.default_text = found->second.text.c_str();
            parameter.default_bits = found->second.bits;
            parameter.default_string = found->second.string.c_str();
        }
        table_.signature = plain;
        table_.signature.parameters = parameters_.data();
    }

    void fill_results() {
        const ir::Function& main = *module_.find(program_.main);
        for (size_t i = 0; i < main.results.size(); ++i) {
            const ir::Type& type = main.results[i];
            bool named = i < program_.results.size() && !program_.results[i].empty();
            auto kind = type.kind == ir::TypeKind::tensor   ? TSR_KIND_TENSOR
                        : type.kind == ir::TypeKind::string ? TSR_KIND_STRING
                                                            : TSR_KIND_SCALAR;
            results_.push_back({named ? program_.results[i].c_str() : nullptr, kind, static_cast<int32_t>(type.elem)});
        }
        table_.abi = TSR_ABI_VERSION;
        table_.name = program_.name.c_str();
        table_.docstring = program_.docstring ? program_.docstring->c_str() : nullptr;
        table_.results = results_.data();
        table_.nresults = static_cast<int32_t>(results_.size());
        table_.context = this;
        if (!program_.initialize.empty()) {
            table_.initialize = [](void* context) {
                auto* self = static_cast<Interpreter*>(context);
                (void)self->call(self->program_.initialize, {});
            };
        }
        table_.run = [](void* context, const TsrSlot* in, TsrSlot* out) {
            auto* self = static_cast<Interpreter*>(context);
            auto values = self->call(self->program_.main, {in, self->parameters_.size()});
            std::copy(values.begin(), values.end(), out);
        };
    }

    std::vector<TsrSlot> call(const std::string& function, std::span<const TsrSlot> arguments) {
        auto outcome = ir::eval::run_program(module_, function, arguments, *tsr_host_api(), options_);
        for (const std::string& line : outcome.printed) fmt::print(stderr, "{}\n", line);
        for (const Report& report : outcome.reports) show(report);
        if (outcome.failure) {
            show(*outcome.failure, outcome.callers);
            std::exit(1);
        }
        return std::move(outcome.results);
    }

    // Like a diagnostic without a code: the place, the calls it was inlined at, the other place. What is wrong in a
    // function of the standard library is wrong at the user's call; the library's line follows.
    void show(const Report& report, std::span<const ir::eval::Caller> callers = {}) {
        found_something_ = true;
        const Sources& sources = session_.sources;
        Span at = ir::users_span(report.place, &sources);
        std::string function = report.function;
        std::string library = "the line of the standard library";
        for (; ir::is_library_text(sources, at.file) && !callers.empty(); callers = callers.subspan(1)) {
            at = ir::users_span(callers[0].place, &sources);
            library = fmt::format("in `{}`", ir::name_in_file(callers[0].callee));
            function.clear();
        }
        const bool of_library = at != report.place.span;
        Diagnostics one;
        auto& shown = one.error("", at, report.message);
        if (of_library) shown.label(report.place.span, library);
        for (Span call : report.place.inlined_at) {
            if (call != at) shown.label(call, "called here");
        }
        if (report.other)
            shown.label(report.other->span, report.other_text);
        else if (!report.other_text.empty())
            shown.note(report.other_text);
        if (!function.empty()) shown.note(fmt::format("in `{}`", function));
        std::fflush(stdout);
        fmt::print(stderr, "{}", session_.show(one));
    }

    Session& session_;
    const ir::Module& module_;
    codegen::Program program_;
    ir::eval::Signature signature_;
    ir::eval::EvalOptions options_;
    std::vector<TsrParameter> parameters_;
    std::vector<TsrResult> results_;
    TsrProgram table_{};
    bool found_something_ = false;
};

}  // namespace

int interpret(const Options& options) {
    Session session(options);
    Compilation compilation(session);
    bool ready =
        compilation.read() && (options.interpret_tile ? compilation.keep_tiles()
                                                      : compilation.lower() && compilation.lower_for_inspections());
    if (ready && !compilation.has_main()) {
        session.fail("E0003", fmt::format("'{}' has no `main`: there is nothing to run", options.input));
        ready = false;
    }
    if (compilation.stopped()) session.write_result(compilation.text(), "");
    compilation.report_times();
    int status = session.finish();
    if (!ready || status != 0) return status;
    return Interpreter(session, compilation, compilation.program()).run();
}

}  // namespace tsr::driver
