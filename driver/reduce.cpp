// `tesserac reduce`: makes a program smaller as long as it shows what is looked for.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>

#include <fmt/core.h>
#include <unistd.h>

#include "driver/commands.h"
#include "driver/crash.h"
#include "driver/output.h"
#include "driver/reduction.h"
#include "driver/session.h"
#include "driver/subprocess.h"

namespace tsr::driver {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kFirstTrySeconds = 60;  // of the first try
constexpr int kLeastSeconds = 5;      // of the others
constexpr double kBetweenLines = 10;  // seconds, where progress is not rewritten in place

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// Set by what asks the process to end: what was found so far is kept.
std::atomic<bool> stop_asked = false;

class Search {
public:
    Search(const Options& options, const TemporaryFolder& folder, std::string output)
        : options_(options), folder_(folder), output_(std::move(output)) {}

    // Whether the whole program shows what is looked for. How long that takes limits the tries that follow.
    bool begin(const std::string& whole) {
        lines_ = lines_left_ = count_lines(whole);
        if (!shows(whole)) return false;
        limit_ = std::max(kLeastSeconds, static_cast<int>(4 * seconds_since(begin_)) + 1);
        begin_ = Clock::now();
        return true;
    }

    std::string smallest(const std::string& whole) {
        return reduced(whole, [this](const std::string& text) {
            if (is_over()) return false;
            const bool smaller = shows(text);
            if (smaller) {
                lines_left_ = count_lines(text);
                // Whoever ends this has what was found.
                if (output_ != "-") (void)write_output(output_, text, FileKind::data);
            }
            report(false);
            return smaller;
        });
    }

    [[nodiscard]] bool is_over() const {
        return stop_asked || (time_limit_ > 0 && seconds_since(begin_) > time_limit_);
    }

    void report(bool done) {
        const bool terminal = ::isatty(STDERR_FILENO) != 0;
        if (!terminal && !done && seconds_since(reported_) < kBetweenLines) return;
        reported_ = Clock::now();
        const char* why = !done || !is_over() ? "" : stop_asked ? ": interrupted" : ": the time is over";
        fmt::print(stderr, "{}{} of {} lines left after {} tries, {:.0f} s{}{}", terminal ? "\r\x1b[K" : "",
                   lines_left_, lines_, tries_, seconds_since(begin_), why, terminal && !done ? "" : "\n");
        std::fflush(stderr);
    }

private:
    static long count_lines(const std::string& text) { return std::ranges::count(text, '\n'); }

    // The test ends with 0, or the compiler with an error of its own.
    bool shows(const std::string& text) {
        ++tries_;
        const std::string file = folder_.file("candidate.tsr");
        if (!write_output(file, text, FileKind::data).empty()) return false;
        if (!options_.test.empty())
            return run_program({"sh", "-c", options_.test + " \"$@\"", "sh", file}, limit_).code == 0;
        std::vector<std::string> words{own_path(), file, "-o", folder_.file("program"),
                                       fmt::format("-O{}", options_.optimization)};
        const auto slash = options_.input.rfind('/');
        words.push_back("-I" + (slash == std::string::npos ? "." : options_.input.substr(0, slash)));
        for (const std::string& include : options_.include_folders) words.push_back("-I" + include);
        const Ended ended = run_program(words, limit_);
        return !ended.timed_out && (ended.code == kInternalError || ended.code > 128);
    }

    const Options& options_;
    const TemporaryFolder& folder_;
    std::string output_;
    Clock::time_point begin_ = Clock::now();
    Clock::time_point reported_ = begin_;
    int time_limit_ = options_.time_limit.value_or(600);
    int limit_ = kFirstTrySeconds;
    size_t tries_ = 0;
    long lines_ = 0;
    long lines_left_ = 0;
};

std::string reduced_name(const Options& options) {
    if (!options.output.empty()) return options.output;
    auto name = options.input.substr(options.input.rfind('/') + 1);
    if (name.ends_with(".tsr")) name.resize(name.size() - 4);
    return name + ".reduced.tsr";
}

}  // namespace

int reduce(const Options& options) {
    Session session(options);
    const TemporaryFolder folder;
    auto file = session.sources.load(options.input == "-" ? "/dev/stdin" : options.input);
    if (!file) {
        session.fail("E0001", file.message());
        return session.finish();
    }
    const std::string whole(session.sources.text(file.value()));
    const std::string output = reduced_name(options);
    Search search(options, folder, output);
    if (!folder.ok() || !search.begin(whole)) {
        fmt::print(
            stderr, "tesserac: '{}' does not show what is looked for: {}\n", options.input,
            options.test.empty() ? "the compiler ends without an error of its own" : "the test does not end with 0");
        return 1;
    }
    // What can not be written is told before the search.
    if (output != "-") session.write_file(output, whole, FileKind::data);
    if (session.diagnostics.has_errors()) return session.finish();
    for (int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, [](int) { stop_asked = true; });
    const std::string least = search.smallest(whole);
    search.report(true);
    session.write_file(output, least, FileKind::data);
    return session.finish();
}

}  // namespace tsr::driver
