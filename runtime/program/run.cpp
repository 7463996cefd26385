// A program from its command line to its exit code.
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string_view>

#include "runtime/device/cuda/device.h"
#include "runtime/environment.h"
#include "runtime/fail.h"
#include "runtime/program/arguments.h"
#include "runtime/program/command_line.h"
#include "runtime/program/full_stack.h"
#include "runtime/program/results.h"
#include "runtime/program/words.h"
#include "runtime/tensor/memory_use.h"
#include "runtime/trace/trace.h"

namespace tsr::runtime {

namespace {

constexpr int kUsage = 2;

int usage_error(const TsrProgram& program, const std::string& message) {
    std::fprintf(stderr, "%s: %s\n", program.name, message.c_str());
    return kUsage;
}

// Output that did not reach its end, because the disk is full or the reader is gone, is an error.
int flush_output(const TsrProgram& program) {
    bool failed = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
    if (failed) std::fprintf(stderr, "%s: error: stdout: the output could not be written\n", program.name);
    return failed ? 1 : 0;
}

int run(const TsrProgram& program, const std::vector<std::string>& words) {
    Result<CommandLine> line = parse_command_line(program, words);
    if (!line) return usage_error(program, line.message());
    if (line->help) {
        std::fputs(help_text(program).c_str(), stdout);
        return flush_output(program);
    }
    if (auto outputs = check_outputs(program, *line); !outputs) return usage_error(program, outputs.message());
    Arguments arguments(program);
    if (auto words = arguments.read_words(*line); !words) return usage_error(program, words.message());
    check_environment();
    cuda::check_device();
    if (auto files = arguments.read_files(*line); !files) fail(nullptr, "%s", files.message().c_str());
    if (auto places = check_places(*line); !places) fail(nullptr, "%s", places.message().c_str());
    set_words(line->rest);
    tsr_set_seed(line->seed);
    std::vector<int64_t> dims(static_cast<size_t>(program.signature.nsymbols));
    tsr_check_arguments(&program.signature, arguments.slots(), dims.data(), nullptr);
    std::vector<TsrSlot> values(static_cast<size_t>(program.nresults));
    if (program.initialize != nullptr) program.initialize(program.context);
    program.run(program.context, arguments.slots(), values.data());
    tsr_wait();
    Result<Done> delivered = deliver_results(program, *line, std::move(values));
    if (!delivered) fail(nullptr, "%s", delivered.message().c_str());
    report_memory();
    const bool traced = finish_trace();
    const int flushed = flush_output(program);
    return traced ? flushed : 1;
}

}  // namespace

}  // namespace tsr::runtime

extern "C" int tsr_main(const TsrProgram* program, int argc, char** argv) {
    using namespace tsr::runtime;
    if (program->abi != TSR_ABI_VERSION) {
        fail(nullptr, "%s was compiled for version %d of the runtime's interface, this is %d", program->name,
             program->abi, TSR_ABI_VERSION);
    }
    watch_stack(program->name);
    try {
        return run(*program, std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
    } catch (const std::bad_alloc&) {
        fail(nullptr, "out of memory");
    }
}
