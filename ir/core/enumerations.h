// The enumerations that attributes hold as numbers, and the names of their enumerators in IR text.
#pragma once

#include <cstdint>
#include <string_view>

namespace tsr::ir {

// How a loop of the source may be run (language reference, section 4, "Loops").
enum class LoopKind : uint8_t {
    in_order,    // `range`
    tile_range,  // `tile.range`: `classify` makes it a grid loop, a tile loop, or in order
};

// What the lanes of a `lanes` region are.
enum class LanesOver : uint8_t {
    tiles,   // the tiles of the group; the one region argument is the local linear id
    loop,    // the rounds of a tile loop
    domain,  // the tiles of a flat kernel's launch, or the rounds of a grid loop of single elements
};

enum class ReduceOp : uint8_t { add, mul, min, max, any, all };
enum class AtomicOp : uint8_t { add, min, max, bit_and, bit_or, bit_xor, exchange, compare_exchange };

// What is done to a ring of pipeline stages, and who waits for it (records of `acquire`, `take`, `release`).
enum class RingUse : uint8_t { barrier, arrivals, open, close };
// Which lane of a warp a lane gets the value of: of the given number, of its own number xor the given one, of the lane
// so much below or above.
enum class ShuffleBy : uint8_t { index, bit_xor, up, down };
// What the lanes of a warp are asked together.
enum class Vote : uint8_t { any, all, ballot };

// What a product of a warp group does to its turn: waits for it before it is started, or passes it on behind its start.
enum class Turn : uint8_t { awaits, passes };

// The value of an attribute that holds an enumerator.
template <typename Enumeration>
constexpr int64_t code(Enumeration enumerator) {
    return static_cast<int64_t>(enumerator);
}

std::string_view name(LoopKind kind);
std::string_view name(LanesOver over);
std::string_view name(ReduceOp op);
std::string_view name(AtomicOp op);
std::string_view name(RingUse use);
std::string_view name(ShuffleBy by);
std::string_view name(Vote vote);
std::string_view name(Turn turn);

}  // namespace tsr::ir
