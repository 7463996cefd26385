// `tesserac bisect`: finds the run of an optional pass from which on a program goes wrong.
#include <fmt/core.h>

#include "driver/commands.h"
#include "driver/compilation.h"
#include "driver/machines.h"
#include "driver/subprocess.h"

namespace tsr::driver {

namespace {

constexpr int kSeconds = 120;

// The optional runs of passes that a compilation of the program does, with the last one's name.
struct Runs {
    size_t count = 0;
    std::string last;
};

class Bisection {
public:
    Bisection(const Options& options, const TemporaryFolder& folder) : options_(options), folder_(folder) {
        options_.diagnostics = DiagnosticForm::text;
    }

    int operator()() {
        if (!expect()) return 1;
        auto all = runs(std::nullopt);
        if (!all) return 1;
        if (is_good(all->count)) {
            fmt::print("'{}' is right with all {} runs of optional passes\n", options_.input, all->count);
            return 0;
        }
        if (!is_good(0)) {
            fmt::print("'{}' is wrong without any optional pass: look at the passes that are always run\n",
                       options_.input);
            return 1;
        }
        size_t good = 0;
        size_t bad = all->count;
        while (bad - good > 1) {
            const size_t middle = good + (bad - good) / 2;
            (is_good(middle) ? good : bad) = middle;
        }
        fmt::print("'{}' is right with --pass-limit={} and wrong with --pass-limit={}: {}\n", options_.input, good, bad,
                   runs(bad)->last);
        return 1;
    }

private:
    std::optional<Runs> runs(std::optional<size_t> limit) {
        Options options = options_;
        options.pass_limit = limit;
        Session session(options);
        Compilation compilation(session);
        const bool lowered = compilation.read() && compilation.lower() && compilation.lower_to_machines();
        if (!lowered) {
            session.finish();
            return std::nullopt;
        }
        return Runs{compilation.optional_runs(), compilation.last_optional()};
    }

    // What the program should write: what it writes in the evaluator.
    bool expect() {
        if (!options_.test.empty()) return true;
        std::vector<std::string> words{own_path(), "run", "--interpret"};
        add_options(words);
        words.push_back(options_.input);
        words.insert(words.end(), options_.program_arguments.begin(), options_.program_arguments.end());
        expected_ = run_program(words, kSeconds);
        if (expected_.timed_out || expected_.code == 2 || expected_.code >= 70) {
            fmt::print(stderr, "{}tesserac: the evaluator gives nothing to compare with\n", expected_.err);
            return false;
        }
        return true;
    }

    void add_options(std::vector<std::string>& words) const {
        for (const std::string& include : options_.include_folders) words.push_back("-I" + include);
    }

    bool is_good(size_t limit) {
        const std::string program = folder_.file("program");
        std::vector<std::string> words{own_path(),
                                       options_.input,
                                       "-o",
                                       program,
                                       fmt::format("-O{}", options_.optimization),
                                       "--cpu=" + options_.cpu,
                                       fmt::format("--pass-limit={}", limit)};
        add_options(words);
        // A compiler that fails makes no right program.
        if (run_program(words, kSeconds).code != 0) return false;
        if (!options_.test.empty()) {
            const Ended tested = run_program({"sh", "-c", options_.test + " \"$@\"", "sh", program}, kSeconds);
            return tested.code == 0;
        }
        std::vector<std::string> command{program};
        command.insert(command.end(), options_.program_arguments.begin(), options_.program_arguments.end());
        const Ended ended = run_program(command, kSeconds);
        return !ended.timed_out && ended.code == expected_.code && ended.out == expected_.out;
    }

    Options options_;
    const TemporaryFolder& folder_;
    Ended expected_;
};

}  // namespace

int bisect(const Options& options) {
    Options one_machine = options;
    if (one_machine.cpu.empty()) one_machine.cpu = planned_as("native");
    if (auto wrong = check_names(one_machine); !wrong.empty()) {
        fmt::print(stderr, "tesserac: {}\n", wrong);
        return kUsageError;
    }
    const TemporaryFolder folder;
    if (!folder.ok()) {
        fmt::print(stderr, "tesserac: there is no place for temporary files\n");
        return 1;
    }
    return Bisection(one_machine, folder)();
}

}  // namespace tsr::driver
