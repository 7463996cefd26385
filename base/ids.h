// Typed indices: an id says by its type what it counts, so a value can not be used where an operation is meant.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace tsr {

template <typename Tag>
struct Id {
    static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

    uint32_t index = kNone;

    constexpr Id() = default;
    constexpr explicit Id(size_t i) : index(static_cast<uint32_t>(i)) {}

    // False for an id that was never given.
    [[nodiscard]] constexpr bool valid() const { return index != kNone; }
    constexpr auto operator<=>(const Id&) const = default;
};

}  // namespace tsr

template <typename Tag>
struct std::hash<tsr::Id<Tag>> {
    size_t operator()(tsr::Id<Tag> id) const noexcept { return std::hash<uint32_t>{}(id.index); }
};
