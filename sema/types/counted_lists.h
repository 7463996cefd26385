// Lists whose length follows from those of others.
#pragma once

#include <cstdint>
#include <optional>

#include "sema/types/type.h"

namespace tsr::sema {

// A list of so many items, where that is known and not too much: functions are made for each length.
inline Type list_of(const Type& item, std::optional<int64_t> length) {
    constexpr int64_t kMost = 256;
    return Type::list(item, length && *length <= kMost ? length : std::nullopt);
}

// How many items a list or tuple has, where its type says it.
inline std::optional<int64_t> known_count(const Type& type) {
    if (type.is(Kind::tuple)) return static_cast<int64_t>(type.parts().size());
    return type.is(Kind::list) ? type.length() : std::nullopt;
}

}  // namespace tsr::sema
