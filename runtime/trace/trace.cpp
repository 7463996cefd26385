#include "runtime/trace/trace.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/fail.h"
#include "runtime/io/inputs.h"
#include "runtime/io/json.h"
#include "runtime/io/output_file.h"

namespace tsr::runtime {

namespace {

struct Trace {
    std::string path;
    std::string events;
    bool refused = false;  // nothing is written there
};

// NULL without TESSERA_TRACE.
Trace* trace() {
    static Trace* instance = [] {
        const char* path = std::getenv("TESSERA_TRACE");
        if (path == nullptr || *path == 0) return static_cast<Trace*>(nullptr);
        at_failure([] { finish_trace(); });
        return new Trace{path, "", false};
    }();
    return instance;
}

std::string place_text(const TsrPlace* place) {
    if (place == nullptr || place->file == nullptr) return "";
    return std::string(place->file) + ":" + std::to_string(place->line);
}

void begin_event(const std::string& name, const char* category, double begin, double end) {
    std::string& events = trace()->events;
    if (!events.empty()) events += ",\n";
    events += "{\"name\":" + json_quoted(name) + ",\"cat\":\"" + category + "\",\"ph\":\"X\"";
    events += text(",\"pid\":%d,\"tid\":%ld,\"ts\":%.3f,\"dur\":%.3f", static_cast<int>(getpid()),
                   static_cast<long>(syscall(SYS_gettid)), begin * 1e6, (end - begin) * 1e6);
}

Refusal refused(const std::string& why) {
    trace()->refused = true;
    return Refusal{"TESSERA_TRACE=" + why};
}

}  // namespace

bool trace_enabled() { return trace() != nullptr; }

void trace_launch(const TsrKernelFamily& family, const TsrKernelVariant& variant, const uint64_t* slots, int64_t total,
                  const TsrPlace* place, const LaunchTimes& times, const std::string& device) {
    std::string& events = trace()->events;
    begin_event(family.name, "launch", times.begin, times.end);
    events += ",\"args\":{\"kernel\":" + json_quoted(place_text(&family.place));
    events += ",\"launched\":" + json_quoted(place_text(place));
    events += text(",\"total\":%lld", static_cast<long long>(total));
    if (device.empty()) {
        events += text(",\"workers\":%d", static_cast<int>(tsr_workers()));
        events += text(",\"packing\":%.3f", (times.packed - times.begin) * 1e6);
    } else {
        events += ",\"device\":" + json_quoted(device);
    }
    if (variant.plan != nullptr) events += ",\"plan\":" + json_quoted(variant.plan);
    for (int32_t i = 0; family.slot_names != nullptr && i < family.nslots; ++i) {
        if (family.slot_names[i] == nullptr) continue;
        events += "," + json_quoted(family.slot_names[i]) +
                  text(":%lld", static_cast<long long>(static_cast<int64_t>(slots[i])));
    }
    events += "}}";
}

void trace_copy(const char* name, const std::string& device, int64_t bytes, const TsrPlace* place, double begin,
                double end) {
    std::string& events = trace()->events;
    begin_event(name, "copy", begin, end);
    events += ",\"args\":{\"device\":" + json_quoted(device);
    if (place != nullptr) events += ",\"launched\":" + json_quoted(place_text(place));
    events += text(",\"bytes\":%lld}}", static_cast<long long>(bytes));
}

void trace_replay(const std::string& function, const std::string& device, size_t launches, const TsrPlace* place,
                  double begin, double end) {
    std::string& events = trace()->events;
    begin_event("replay of " + function, "graph", begin, end);
    events += ",\"args\":{\"device\":" + json_quoted(device);
    if (place != nullptr) events += ",\"launched\":" + json_quoted(place_text(place));
    events += text(",\"launches\":%zu}}", launches);
}

void trace_tuning(const TsrTuning& tuning, const char* point, double seconds, const TsrPlace* place, double begin,
                  double end) {
    std::string& events = trace()->events;
    begin_event(std::string("tuning ") + tuning.kernel, "tuning", begin, end);
    events += ",\"args\":{\"point\":" + json_quoted(point) + ",\"launched\":" + json_quoted(place_text(place));
    events += text(",\"seconds\":%.9f}}", seconds);
}

Result<Done> check_trace() {
    if (trace() == nullptr) return Done{};
    Result<Done> place = check_place(trace()->path);
    return place ? place : refused(place.message());
}

Result<Done> check_no_trace(const std::string& path) {
    if (trace() == nullptr || !same_file(trace()->path, path)) return Done{};
    return refused(trace()->path + ": the program has this file for something else");
}

bool finish_trace() {
    Trace* t = trace();
    if (t == nullptr || t->refused) return true;
    OutputFile file(t->path);
    file.write("{\"traceEvents\":[\n");
    file.write(t->events);
    file.write("\n],\"displayTimeUnit\":\"ms\"}\n");
    Result<Done> written = file.commit();
    if (!written) std::fprintf(stderr, "error: TESSERA_TRACE=%s: %s\n", t->path.c_str(), written.message().c_str());
    return static_cast<bool>(written);
}

}  // namespace tsr::runtime
