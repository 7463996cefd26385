#include "runtime/tensor/memory_use.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "runtime/environment.h"
#include "runtime/tensor/kept_pages.h"

namespace tsr::runtime {

namespace {

std::atomic<int64_t> used{0};
std::atomic<int64_t> most{0};

}  // namespace

bool counts_memory() {
    static const bool counts = wished("TESSERA_MEMORY").value_or(false);
    return counts;
}

bool poisons_memory() {
    static const bool poisons = wished("TESSERA_POISON").value_or(false);
    return poisons;
}

void memory_taken(int64_t bytes) {
    const int64_t now = used.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    int64_t before = most.load(std::memory_order_relaxed);
    while (before < now && !most.compare_exchange_weak(before, now, std::memory_order_relaxed)) {
    }
}

void memory_left(int64_t bytes) { used.fetch_sub(bytes, std::memory_order_relaxed); }

int64_t most_bytes() { return most.load(std::memory_order_relaxed); }

void report_memory() {
    if (!counts_memory()) return;
    std::fprintf(stderr, "memory: tensors had at most %lld bytes at once; %lld bytes are kept for others\n",
                 static_cast<long long>(most_bytes()), static_cast<long long>(kept_bytes()));
}

void poison(void* memory, int64_t bytes) {
    if (bytes > 0) std::memset(memory, 0xFF, static_cast<size_t>(bytes));
}

}  // namespace tsr::runtime
