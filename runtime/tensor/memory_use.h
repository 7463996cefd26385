// How much memory tensors have, for people: TESSERA_MEMORY=1 says at the end of the program how much it was at most.
// TESSERA_POISON=1 fills memory that nobody has written, and memory that nobody reads any more, with bytes of 0xFF (NaN
// in every float type of 8 bits and more): a result that depends on it differs.
#pragma once

#include <cstdint>

namespace tsr::runtime {

bool counts_memory();
bool poisons_memory();

void memory_taken(int64_t bytes);
void memory_left(int64_t bytes);
// Of tensors at the same time, since the program began.
int64_t most_bytes();
// Says it on stderr, where that was asked for.
void report_memory();

void poison(void* memory, int64_t bytes);

}  // namespace tsr::runtime
