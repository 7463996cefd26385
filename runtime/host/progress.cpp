// Progress of a loop as one line on stderr, rewritten at most ten times a second.
#include <cstdio>
#include <string>

#include <unistd.h>

#include "runtime/clock.h"
#include "runtime/environment.h"
#include "runtime/text/string.h"

struct TsrProgress {
    std::string label;
    int64_t total = -1, done = 0;
    std::string loss;  // ", loss 0.25"; empty: none was given
    bool shown = false;
    bool rewrites = false;  // a terminal: the line is written over
    double started = 0, next = 0;
};

namespace {

constexpr double kInterval = 0.1;

void show(TsrProgress& progress, bool last) {
    double now = tsr::runtime::now();
    if (!last && now < progress.next) return;
    progress.next = now + kInterval;
    double seconds = now - progress.started;
    auto done = static_cast<long long>(progress.done);
    const char* start = progress.rewrites ? "\r\033[K" : "";
    const char* end = progress.rewrites && !last ? "" : "\n";
    if (progress.total >= 0) {
        double percent =
            progress.total > 0 ? 100.0 * static_cast<double>(done) / static_cast<double>(progress.total) : 100;
        std::fprintf(stderr, "%s%s %lld/%lld %3.0f%% %.1f s%s%s", start, progress.label.c_str(), done,
                     static_cast<long long>(progress.total), percent, seconds, progress.loss.c_str(), end);
    } else {
        std::fprintf(stderr, "%s%s %lld %.1f s%s%s", start, progress.label.c_str(), done, seconds,
                     progress.loss.c_str(), end);
    }
    std::fflush(stderr);
}

}  // namespace

extern "C" {

TsrProgress* tsr_progress_begin(const TsrString* label, int64_t total) {
    auto* progress = new TsrProgress;
    progress->label = tsr::runtime::view(label);
    progress->total = total;
    progress->rewrites = isatty(STDERR_FILENO) != 0;
    progress->shown = tsr::runtime::wished("TESSERA_PROGRESS").value_or(progress->rewrites);
    progress->started = tsr::runtime::now();
    // Nothing is shown of what is over at once.
    progress->next = progress->started + kInterval;
    return progress;
}

void tsr_progress_loss(TsrProgress* progress, double loss) {
    char text[40];
    std::snprintf(text, sizeof text, ", loss %.6g", loss);
    progress->loss = text;
}

void tsr_progress_step(TsrProgress* progress) {
    ++progress->done;
    if (progress->shown) show(*progress, false);
}

void tsr_progress_end(TsrProgress* progress) {
    if (progress->shown) show(*progress, true);
    delete progress;
}
}
