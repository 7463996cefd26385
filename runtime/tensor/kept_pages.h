// Large blocks of memory for tensors. What a tensor leaves is kept for the next one: the system gives pages zeroed, one
// by one, and a sum of two tensors of 64 MB takes 36 times as long into fresh pages as into pages that were there.
//
// Bound: kept are at most a quarter of the machine's memory, or TESSERA_KEEP MiB; the block that waits longest goes
// first. All go back to the system where a sixteenth of its memory or less is free, and before an allocation fails.
#pragma once

#include <cstdint>

namespace tsr::runtime {

struct PageBlock {
    void* data = nullptr;   // aligned to 64 bytes; NULL: the system has no such amount
    bool zeroed = false;    // nobody has written to it
    void* pages = nullptr;  // what the system gave
    int64_t mapped = 0;     // bytes of it
    int64_t size = 0;       // bytes that a tensor may have in it
};

PageBlock take_pages(int64_t bytes);
void give_pages(const PageBlock& block);

// Bytes that no tensor uses.
int64_t kept_bytes();
// Sets how many there may be; gives what the limit was.
int64_t limit_kept_bytes(int64_t bytes);

}  // namespace tsr::runtime
