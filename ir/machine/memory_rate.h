// How fast multiprocessors get what is in memory.
#pragma once

#include <string_view>

#include "ir/machine/gpu.h"

namespace tsr::ir {

// The GPU that people are told about who name none.
inline constexpr std::string_view kUsualGpu = "sm_90a";

// A card of a generation: bytes of memory in a second (in units of 1e9), multiprocessors, boost clock.
struct GpuCard {
    double gigabytes = 0, multiprocessors = 0, gigahertz = 0;
};
// Of the cards that `memory_rate` names. Null for another capability.
const GpuCard* card_of(const GpuMachine& machine);

// Bytes of memory for each cycle of each multiprocessor, of a card of that generation: bandwidth divided by
// multiprocessors and boost clock, from NVIDIA's data sheets of V100 SXM2 (900 GB/s, 80, 1.53 GHz), T4 (320, 40, 1.59),
// A100 80 GB SXM (2039, 108, 1.41), RTX 3090 (936, 82, 1.695), RTX 4090 (1008, 128, 2.52), H100 SXM (3350, 132, 1.83),
// B200 (8000, 148, 1.85), RTX 5090 (1792, 170, 2.41). 0 for another capability.
double memory_rate(const GpuMachine& machine);

}  // namespace tsr::ir
