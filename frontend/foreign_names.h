// What other languages for kernels and arrays call what Tessera has: hints where such a name is not known.
#pragma once

#include <optional>
#include <string_view>

namespace tsr {

// The name that stands here for exactly the same.
std::optional<std::string_view> own_spelling(std::string_view name);

// A sentence about a name that has no single counterpart: `threadIdx`, `np`.
std::optional<std::string_view> foreign_hint(std::string_view name);

}  // namespace tsr
