// Whether source text is UTF-8.
#pragma once

#include <string_view>

namespace tsr {

// Offset of the first byte that is not part of a well-formed UTF-8 sequence; npos if there is none.
size_t find_invalid_utf8(std::string_view text);

}  // namespace tsr
