// Launches of tuned kernels: which point of the space is taken. What a program has found out it keeps; what it has not
// it looks for among the records that came with it and in the cache, and then measures.
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/environment.h"
#include "runtime/fail.h"
#include "runtime/launch/on_cpu.h"
#include "runtime/launch/on_gpu.h"
#include "runtime/tune/device.h"
#include "runtime/tune/measure.h"
#include "runtime/tune/record.h"

namespace tsr::runtime {

namespace {

struct Decision {
    std::string content;       // of the tuning
    std::vector<int> classes;  // of the sizes
    int32_t point;
};

struct TunedLaunch {
    const TsrTuning& tuning;
    std::span<const uint64_t> slots;
    const int64_t* groups;
    TsrTensor* const* tensors;
    const TsrPlace* place;

    const int64_t* groups_of(int32_t point) const { return groups + 4 * static_cast<size_t>(point); }

    // `own`: room for the point's slots.
    cuda::Call call(int32_t point, std::vector<uint64_t>& own) const {
        std::copy(groups_of(point), groups_of(point) + 3, own.end() - 3);
        return {*tuning.points[point].family, own.data(), tensors, groups_of(point)[3], place};
    }

    // The points that the GPU has code for; if it has none of them, those that this processor has code for.
    std::vector<Candidate> candidates() const {
        std::vector<Candidate> there, here;
        std::vector<uint64_t> own(slots.begin(), slots.end());
        for (int32_t i = 0; i < tuning.npoints; ++i) {
            const TsrKernelFamily& family = *tuning.points[i].family;
            const bool on_device = cuda::fitting_variant(call(i, own)) != nullptr;
            if (!on_device && find_variant(family, own.data()) == nullptr) continue;
            (on_device ? there : here).push_back({i, &tuning.points[i], groups_of(i), on_device});
        }
        // A GPU that was asked for and runs none of them is an error, which this says.
        if (there.empty() && tuning.npoints > 0) cuda::find_variant(call(0, own));
        return there.empty() ? here : there;
    }

    // The candidate with this text; -1: there is none.
    static int32_t named(std::span<const Candidate> candidates, const std::optional<std::string>& point) {
        for (const Candidate& candidate : candidates) {
            if (point && *point == candidate.form->text) return candidate.point;
        }
        return -1;
    }

    int32_t decide() const {
        const std::vector<Candidate> all = candidates();
        // Without code for this processor the launch itself says so.
        if (all.empty()) return 0;
        const std::string key =
            record_key(tuning, slots.data(), all[0].on_device ? cuda::device_text(*cuda::device()) : device_text());
        const std::string folder = cache_folder();
        const std::string path = folder.empty() ? "" : record_file(folder, key);
        int32_t point = -1;
        double seconds = 0;
        if (tune_wish() != TuneWish::again) {
            if (tuning.known != nullptr) point = named(all, find_point(tuning.known, key));
            if (point < 0 && !path.empty()) point = named(all, find_point(read_records(path), key));
        }
        if (point < 0 && (tune_wish() == TuneWish::off || all.size() == 1)) return all[0].point;
        if (point < 0) {
            const std::optional<Winner> winner = measure(tuning, all, slots, tensors, place);
            if (!winner) return all[0].point;
            point = winner->point;
            seconds = winner->seconds;
            if (!path.empty()) write_record(path, record_text(key, tuning.points[point].text, seconds));
        }
        const char* list = std::getenv("TESSERA_TUNE_RECORD");
        const bool listed =
            list == nullptr || *list == 0 || append_record(list, record_text(key, tuning.points[point].text, seconds));
        if (!listed) fail(nullptr, "TESSERA_TUNE_RECORD=%s: %s", list, std::strerror(errno));
        return point;
    }
};

// Of one process; launches come from one thread.
int32_t decision(const TunedLaunch& launch) {
    static auto* decisions = new std::vector<Decision>;
    std::vector<int> classes;
    for (int32_t i = 0; i < launch.tuning.ndims; ++i) {
        const size_t slot = static_cast<size_t>(launch.tuning.first_dim) + static_cast<size_t>(i);
        classes.push_back(size_class(static_cast<int64_t>(launch.slots[slot])));
    }
    for (const Decision& known : *decisions) {
        if (known.content == launch.tuning.content && known.classes == classes) return known.point;
    }
    const int32_t point = launch.decide();
    decisions->push_back({launch.tuning.content, std::move(classes), point});
    return point;
}

}  // namespace

}  // namespace tsr::runtime

extern "C" void tsr_launch_tuned(const TsrTuning* tuning, const uint64_t* slots, TsrTensor* const* tensors,
                                 const int64_t* groups, uint64_t* result, const TsrPlace* place) {
    using namespace tsr::runtime;
    // Where there is nothing to do for one point there is nothing for any.
    if (groups[3] <= 0) return;
    const auto nslots = static_cast<size_t>(tuning->points[0].family->nslots);
    const TunedLaunch launch{*tuning, {slots, nslots}, groups, tensors, place};
    const int32_t point = tuning->npoints > 1 ? decision(launch) : 0;
    std::vector<uint64_t> own(slots, slots + nslots);
    std::copy(launch.groups_of(point), launch.groups_of(point) + 3, own.end() - 3);
    tsr_launch(tuning->points[point].family, own.data(), tensors, launch.groups_of(point)[3], result, place);
}
