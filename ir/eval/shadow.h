// Shadow memory: who last wrote and read each element, and when.
//
// Two accesses of one element are ordered when one tile makes both, when they are of one unit (a group, or a round of a
// grid loop) and a barrier or a statement of the group stands between them. Any other two, one of which writes and not
// both of which are atomic, are a race.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/core/function.h"

namespace tsr::ir::eval {

// `tile` of the group's own statement: ordered with all that its tiles do.
inline constexpr int32_t kGroupItself = -1;

struct Actor {
    uint32_t unit = 0;  // modulo 2^32
    int32_t tile = kGroupItself;
};

struct Touch {
    uint32_t unit = 0;
    int32_t tile = kGroupItself;
    uint32_t clock = 0;    // 0: never
    uint32_t op : 31 = 0;  // of the kernel
    uint32_t atomic : 1 = 0;

    [[nodiscard]] bool happened() const { return clock != 0; }
};

// Of one element. Two readers are kept that differ in tile or unit, and two groups: any writer races with one of them
// if with any.
struct Cell {
    Touch write;
    Touch read[2];
    Touch group_read[2];
};

enum class TouchKind { read, write, atomic };

// The earlier access that an access races with.
struct Conflict {
    Touch touch;
    bool wrote = false;
};

class ShadowMemory {
public:
    explicit ShadowMemory(int64_t elements) : cells_(static_cast<size_t>(elements)) {}

    // Notes an access and gives the earlier one that it races with, if any. `epoch` is the clock at the last barrier.
    std::optional<Conflict> touch(int64_t element, TouchKind kind, Actor actor, uint32_t clock, uint32_t epoch,
                                  OpId op);
    [[nodiscard]] bool written(int64_t element) const { return cells_[static_cast<size_t>(element)].write.happened(); }
    [[nodiscard]] const Touch& last_write(int64_t element) const { return cells_[static_cast<size_t>(element)].write; }
    // Nothing was touched but by writes up to clock `kept`, which count as made by `unit` (0: none): a new group's
    // buffer, or that of a round of a grid loop, which finds what the group wrote before the loop.
    void forget(uint32_t kept, uint32_t unit);

private:
    std::vector<Cell> cells_;
};

}  // namespace tsr::ir::eval
