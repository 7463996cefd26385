#include "runtime/tune/measure.h"

#include <algorithm>
#include <vector>

#include "runtime/clock.h"
#include "runtime/launch/on_cpu.h"
#include "runtime/launch/on_gpu.h"
#include "runtime/text/string.h"
#include "runtime/trace/trace.h"
#include "runtime/tune/copies.h"

namespace tsr::runtime {

namespace {

// A form is run until it was measured for so long, or so often.
constexpr double kEnough = 0.02;
constexpr int kOften = 50;
// At least so often, unless it takes long or is far behind.
constexpr int kAtLeast = 3;
constexpr double kLong = 0.5;
constexpr double kBehind = 1.5;
// After this time no further form is begun.
constexpr double kLimit = 10;
// Of forms that are as fast as makes no difference the first is taken, so that repeated tuning tends to agree.
constexpr double kSame = 1.01;

class Measuring {
public:
    Measuring(const TsrKernelFamily& family, std::span<const uint64_t> slots, TsrTensor* const* tensors,
              const TsrPlace* place)
        : copies_(family, slots, tensors), place_(place) {}

    bool possible() const { return copies_.complete(); }
    bool failed() const { return failed_; }

    // The shortest of several runs.
    double seconds(const Candidate& candidate, double best) {
        double shortest = once(candidate);
        double sum = shortest;
        for (int runs = 1; runs < kOften && !failed_; ++runs) {
            const bool hopeless = shortest > kBehind * best;
            if (runs >= kAtLeast ? sum > kEnough || hopeless : shortest > kLong) break;
            const double taken = once(candidate);
            shortest = std::min(shortest, taken);
            sum += taken;
        }
        return shortest;
    }

private:
    // What the kernel prints is not told: it runs for its time alone.
    double once(const Candidate& candidate) {
        const TsrKernelFamily& family = *candidate.form->family;
        copies_.restore(candidate.on_device, place_);
        std::vector<uint64_t>& slots = copies_.slots();
        std::copy(candidate.groups, candidate.groups + 3, slots.end() - 3);
        if (candidate.on_device) {
            const cuda::Call call{family, slots.data(), copies_.tensors(), candidate.groups[3], place_};
            const TsrKernelVariant* variant = cuda::find_variant(call);
            return cuda::measure_variant(call, *variant);
        }
        const TsrKernelVariant* variant = find_variant(family, slots.data());
        uint64_t unused = 0;
        Messages messages(family);
        const double begin = now();
        run_variant(family, *variant, slots.data(), candidate.groups[3], &unused, messages, place_);
        const double taken = now() - begin;
        failed_ = failed_ || messages.failed();
        return taken;
    }

    Copies copies_;
    const TsrPlace* place_;
    bool failed_ = false;
};

}  // namespace

std::optional<Winner> measure(const TsrTuning& tuning, std::span<const Candidate> candidates,
                              std::span<const uint64_t> slots, TsrTensor* const* tensors, const TsrPlace* place) {
    Measuring measuring(*candidates[0].form->family, slots, tensors, place);
    if (!measuring.possible()) return std::nullopt;
    const std::string label = std::string("tuning ") + tuning.kernel;
    TsrString* shown = tsr_string(label.data(), static_cast<int64_t>(label.size()));
    TsrProgress* progress = tsr_progress_begin(shown, static_cast<int64_t>(candidates.size()));
    const double started = now();
    std::vector<double> times;
    double best = 1e300;
    for (const Candidate& candidate : candidates) {
        if (measuring.failed() || (!times.empty() && now() - started > kLimit)) break;
        const double begin = now();
        times.push_back(measuring.seconds(candidate, best));
        best = std::min(best, times.back());
        if (trace_enabled()) trace_tuning(tuning, candidate.form->text, times.back(), place, begin, now());
        tsr_progress_step(progress);
    }
    tsr_progress_end(progress);
    tsr_string_release(shown);
    if (measuring.failed()) return std::nullopt;
    const auto first = std::ranges::find_if(times, [&](double time) { return time <= best * kSame; });
    return Winner{candidates[static_cast<size_t>(first - times.begin())].point, *first};
}

}  // namespace tsr::runtime
