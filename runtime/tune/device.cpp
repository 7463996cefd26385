#include "runtime/tune/device.h"

#include <cpuid.h>

#include "runtime/fail.h"

namespace tsr::runtime {

namespace {

// The name that the processor gives itself (Intel SDM volume 2A, CPUID leaves 80000002H to 80000004H).
std::string processor_name() {
    constexpr unsigned kFirst = 0x80000002, kLast = 0x80000004;
    std::string name;
    if (__get_cpuid_max(0x80000000, nullptr) < kLast) return name;
    for (unsigned leaf = kFirst; leaf <= kLast; ++leaf) {
        unsigned words[4] = {};
        __get_cpuid(leaf, &words[0], &words[1], &words[2], &words[3]);
        for (const unsigned word : words) {
            for (int byte = 0; byte < 4; ++byte) name += static_cast<char>(word >> (8 * byte) & 0xff);
        }
    }
    std::string plain;
    for (const char c : name) {
        if (c > ' ' && c < 127) plain += c;
        if (c == ' ' && !plain.empty() && plain.back() != ' ') plain += c;
    }
    return plain;
}

}  // namespace

std::string device_text() {
    static const std::string device =
        text("cpu %llx threads %d %s", static_cast<unsigned long long>(tsr_cpu_features()),
             static_cast<int>(tsr_workers()), processor_name().c_str());
    return device;
}

}  // namespace tsr::runtime
