// Owned references of the runtime's strings.
#pragma once

#include <string_view>
#include <utility>

#include "runtime/abi.h"

namespace tsr::runtime {

// Room for a string of `length` bytes, which the caller writes. Fails from 2 GiB on, and where there is no memory.
TsrString* new_string(int64_t length, const TsrPlace* place);
inline char* bytes_of(TsrString* string) { return const_cast<char*>(string->text); }

inline TsrString* make_string(std::string_view text) {
    return tsr_string(text.data(), static_cast<int64_t>(text.size()));
}
inline std::string_view view(const TsrString* string) { return {string->text, static_cast<size_t>(string->length)}; }

}  // namespace tsr::runtime
