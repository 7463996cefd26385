// TESSERA_TRACE=FILE: the launches of a program as Chrome trace events, which ui.perfetto.dev shows.
#pragma once

#include <string>

#include "runtime/tune/abi.h"

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
// One form of a tuned kernel, measured from `begin` to `end`, that took `seconds` at its best.
void trace_tuning(const TsrTuning& tuning, const char* point, double seconds, const TsrPlace* place, double begin,
                  double end);
// Writes the file. A message on stderr when that fails: a trace is not worth the program's exit code.
void finish_trace();

}  // namespace tsr::runtime
