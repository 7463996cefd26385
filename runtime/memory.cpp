#include "runtime/memory.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

#include "runtime/fail.h"

namespace tsr::runtime {

namespace {

// The system promises memory that it does not have; below this size nobody is asked what is really free.
constexpr int64_t kAskFrom = int64_t{256} << 20;

}  // namespace

// MemAvailable and SwapFree of /proc/meminfo.
int64_t free_memory() {
    std::FILE* file = std::fopen("/proc/meminfo", "re");
    if (file == nullptr) return -1;
    char line[128];
    long long available = -1, swap = 0;  // KiB
    static constexpr char kAvailable[] = "MemAvailable:";
    static constexpr char kSwap[] = "SwapFree:";
    while (std::fgets(line, sizeof line, file) != nullptr) {
        if (std::strncmp(line, kAvailable, sizeof kAvailable - 1) == 0) {
            available = std::strtoll(line + sizeof kAvailable - 1, nullptr, 10);
        } else if (std::strncmp(line, kSwap, sizeof kSwap - 1) == 0) {
            swap = std::strtoll(line + sizeof kSwap - 1, nullptr, 10);
        }
    }
    std::fclose(file);
    return available < 0 ? -1 : (available + swap) * 1024;
}

int64_t memory_of_machine() {
    const long pages = sysconf(_SC_PHYS_PAGES);
    return pages < 0 ? -1 : int64_t{pages} * sysconf(_SC_PAGESIZE);
}

bool has_memory(int64_t bytes) {
    if (bytes < kAskFrom) return true;
    const int64_t available = free_memory();
    return available < 0 || bytes <= available;
}

void require_memory(int64_t bytes, const TsrPlace* place) {
    if (!has_memory(bytes)) out_of_memory(bytes, place);
}

void out_of_memory(int64_t bytes, const TsrPlace* place) {
    fail(place, "out of memory: asked for %s, free are %s", in_units(bytes).c_str(), in_units(free_memory()).c_str());
}

std::string in_units(int64_t bytes) {
    if (bytes < 0) return "unknown";
    if (bytes >= int64_t{1} << 30) return text("%.2f GiB", static_cast<double>(bytes) / (1 << 30));
    return text("%.2f MiB", static_cast<double>(bytes) / (1 << 20));
}

}  // namespace tsr::runtime

extern "C" {

void* tsr_allocate(int64_t bytes, const TsrPlace* place) {
    using namespace tsr::runtime;
    const int64_t unit = bytes >= kHugePage ? kHugePage : kAlignment;
    const auto size = static_cast<size_t>(rounded_up(bytes > 0 ? bytes : 1, unit));
    void* memory = bytes < 0 ? nullptr : std::aligned_alloc(static_cast<size_t>(unit), size);
    if (memory != nullptr && unit == kHugePage) madvise(memory, size, MADV_HUGEPAGE);
    if (memory == nullptr) out_of_memory(bytes, place);
    return memory;
}

void tsr_free(void* memory) { std::free(memory); }
}
