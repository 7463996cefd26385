#include "runtime/environment.h"

#include <cstdlib>
#include <string_view>

#include <sys/stat.h>

#include "runtime/abi/x86.h"
#include "runtime/fail.h"

namespace tsr::runtime {

namespace {

// NULL where it is not set, or to nothing.
const char* value_of(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != 0 ? value : nullptr;
}

[[noreturn]] void refuse(const char* variable, const char* value, const char* expected) {
    fail(nullptr, "%s=%s: expected %s", variable, value, expected);
}

// A cache that is not there, or can not be written, costs time and nothing else. A file of something is a mistake.
void check_cache_folder() {
    constexpr const char* kVariable = "TESSERA_CACHE_DIR";
    struct stat status{};
    const char* folder = value_of(kVariable);
    const bool is_file = folder != nullptr && stat(folder, &status) == 0 && S_ISREG(status.st_mode);
    if (is_file) refuse(kVariable, folder, "a folder, this is a file");
}

}  // namespace

TuneWish tune_wish() {
    constexpr const char* kVariable = "TESSERA_TUNE";
    const char* value = value_of(kVariable);
    if (value == nullptr) return TuneWish::usual;
    const std::string_view word = value;
    if (word == "off") return TuneWish::off;
    if (word == "again") return TuneWish::again;
    refuse(kVariable, value, "off or again");
}

std::optional<int> wished_workers() {
    constexpr const char* kVariable = "TESSERA_THREADS";
    const char* value = value_of(kVariable);
    if (value == nullptr) return std::nullopt;
    char* end = nullptr;
    const long count = std::strtol(value, &end, 10);
    const bool digits = *value >= '0' && *value <= '9';
    if (!digits || *end != 0 || count < 1 || count > 1024) refuse(kVariable, value, "a number from 1 to 1024");
    return static_cast<int>(count);
}

std::optional<int64_t> wished_kept_bytes() {
    constexpr const char* kVariable = "TESSERA_KEEP";
    constexpr long kMost = 1L << 30;
    const char* value = value_of(kVariable);
    if (value == nullptr) return std::nullopt;
    char* end = nullptr;
    const long count = std::strtol(value, &end, 10);
    const bool digits = *value >= '0' && *value <= '9';
    if (!digits || *end != 0 || count > kMost) refuse(kVariable, value, "a number of MiB");
    return int64_t{count} << 20;
}

uint64_t allowed_features() {
    constexpr const char* kVariable = "TESSERA_CPU";
    const char* value = value_of(kVariable);
    if (value == nullptr) return ~uint64_t{0};
    std::string_view level = value;
    if (level.starts_with("x86-64-")) level.remove_prefix(7);
#define TSR_LEVEL(suffix, features) \
    if (level == (suffix)) return features;
    TSR_CPU_LEVELS(TSR_LEVEL)
#undef TSR_LEVEL
    refuse(kVariable, value, "v1, v2, v3, v3-vnni, v4, v4-vnni, v4-bf16 or v4-amx");
}

std::optional<bool> wished(const char* variable) {
    const char* value = value_of(variable);
    if (value == nullptr) return std::nullopt;
    const std::string_view word = value;
    if (word == "0") return false;
    if (word == "1") return true;
    refuse(variable, value, "0 or 1");
}

void check_environment() {
    tune_wish();
    wished_workers();
    allowed_features();
    wished_kept_bytes();
    wished("TESSERA_MEMORY");
    wished("TESSERA_POISON");
    wished("TESSERA_PROGRESS");
    wished("TESSERA_CUDA_WAIT");
    check_cache_folder();
}

}  // namespace tsr::runtime
