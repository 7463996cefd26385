#include "ir/passes/host/random_keys.h"

#include <charconv>

namespace tsr::ir {

namespace {

// With a dot: no name of the language.
constexpr std::string_view kSeed = "random.seed";
constexpr std::string_view kStream = "random.stream.";

}  // namespace

std::string seed_parameter() { return std::string(kSeed); }

std::string stream_parameter(int64_t site) { return std::string(kStream) + std::to_string(site); }

std::optional<Attrs> key_source(const std::string& parameter) {
    if (parameter == kSeed) return Attrs{{Attr::callee, std::string("seed")}};
    if (!parameter.starts_with(kStream)) return std::nullopt;
    int64_t site = 0;
    std::from_chars(parameter.data() + kStream.size(), parameter.data() + parameter.size(), site);
    return Attrs{{Attr::callee, std::string("random_stream")}, {Attr::count, site}};
}

}  // namespace tsr::ir
