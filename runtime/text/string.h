// Owned references of the runtime's strings.
#pragma once

#include <string_view>
#include <utility>

#include "runtime/abi.h"

namespace tsr::runtime {

inline TsrString* make_string(std::string_view text) {
    return tsr_string(text.data(), static_cast<int64_t>(text.size()));
}
inline std::string_view view(const TsrString* string) { return {string->text, static_cast<size_t>(string->length)}; }

}  // namespace tsr::runtime
