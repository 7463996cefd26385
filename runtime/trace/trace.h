// TESSERA_TRACE=FILE: the launches of a program as Chrome trace events, which ui.perfetto.dev shows.
#pragma once

#include <string>

#include "runtime/abi.h"
#include "runtime/result.h"

namespace tsr::runtime {

bool trace_enabled();
// As of tsr_time; from `begin` to `packed` operands were brought into the form that the variant wants.
struct LaunchTimes {
    double begin, packed, end;
};
// `device`: where, if not on this processor.
void trace_launch(const TsrKernelFamily& family, const TsrKernelVariant& variant, const uint64_t* slots, int64_t total,
                  const TsrPlace* place, const LaunchTimes& times, const std::string& device = {});
// Memory that goes to a device or comes from it; `place` of the launch that wants it, or NULL.
void trace_copy(const char* name, const std::string& device, int64_t bytes, const TsrPlace* place, double begin,
                double end);
// The launches of a call of `function` made again as one graph.
void trace_replay(const std::string& function, const std::string& device, size_t launches, const TsrPlace* place,
                  double begin, double end);
// One form of a tuned kernel, measured from `begin` to `end`, that took `seconds` at its best.
void trace_tuning(const TsrTuning& tuning, const char* point, double seconds, const TsrPlace* place, double begin,
                  double end);
// Before the program runs: whether the file can be written there.
Result<Done> check_trace();
// Whether a file that the program reads or writes is another one than the trace's.
Result<Done> check_no_trace(const std::string& path);
// Writes the file, unless a check refused it. False after a message on stderr where that fails.
bool finish_trace();

}  // namespace tsr::runtime
