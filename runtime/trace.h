// TESSERA_TRACE=FILE: the launches of a program as Chrome trace events, which ui.perfetto.dev shows.
#pragma once

#include "runtime/abi.h"

namespace tsr::runtime {

bool trace_enabled();
// `begin` and `end` as of tsr_time.
void trace_launch(const TsrKernelFamily& family, const TsrKernelVariant& variant, const uint64_t* slots, int64_t total,
                  const TsrPlace* place, double begin, double end);
// Writes the file. A message on stderr when that fails: a trace is not worth the program's exit code.
void finish_trace();

}  // namespace tsr::runtime
