// Text in JSON (RFC 8259).
#pragma once

#include <string>
#include <string_view>

namespace tsr {

// The text as a JSON string, with its quotes. Bytes that are no UTF-8, as names of files may have them, stand as
// U+FFFD: JSON knows no others.
std::string json_string(std::string_view text);

}  // namespace tsr
