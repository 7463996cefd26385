// How a tile gets from one layout in registers to another.
#pragma once

#include <vector>

#include "ir/layout/access.h"
#include "ir/layout/layout.h"

namespace tsr::ir {

// Registers change their numbers by what the lane says: value r becomes value r ^ f(lane), bit i of f being the parity
// of lane & masks[i]. A select per register and bit with a mask.
struct LaneRenaming {
    std::vector<Bits> masks;  // per bit of a register's number
    [[nodiscard]] int64_t number(int64_t lane) const;
    [[nodiscard]] bool is_none() const;
};

// A conversion by shuffles, of one piece: the registers are renamed by `send`; in round t lanes give register
// `given[t]` and take that of lane `from(lane) ^ from_constant[t]`, which becomes register t; `receive` renames again.
struct ShuffleRounds {
    LaneRenaming send, receive;
    std::vector<int64_t> given;
    std::vector<Bits> from;  // per bit of the lane, what it adds to the lane that is asked
    std::vector<int64_t> from_constant;
    [[nodiscard]] int64_t asked(size_t round, int64_t lane) const;
};

// A conversion through shared memory, of one piece: who holds an element first (bits of its lane and warp in
// `copies` are 0) writes it, everybody reads after a barrier.
struct SharedMemory {
    LinearMap layout;       // offset → coordinates in the piece
    LinearMap write, read;  // (register, lane, warp, group) → offset
    VectorAccess writes, reads;
    Bits copies_lane = 0, copies_warp = 0;
};

struct Conversion {
    enum class Way : uint8_t {
        none,     // both layouts are one, register by register
        rename,   // inside each thread
        shuffle,  // inside each warp
        shared,   // through shared memory
    };
    Way way = Way::none;
    // The tile goes piece by piece, all in the same way; a piece is a power of two of registers of either layout.
    // from[p][i] is the source's register number i of piece p, to[p][i] the destination's; -1: there is none, what it
    // would hold is no element.
    std::vector<std::vector<int64_t>> from, to;
    std::vector<int64_t> renamed;  // rename: the piece's source register for each destination register
    ShuffleRounds rounds;
    SharedMemory memory;

    [[nodiscard]] int64_t pieces() const { return static_cast<int64_t>(from.size()); }
    // Elements of a piece in shared memory.
    [[nodiscard]] int64_t piece_size() const { return int64_t{1} << memory.layout.in_bits(); }
};

// Both have the same shape and the same numbers of lanes and warps. `bytes`: of an element.
Conversion plan_conversion(const Layout& from, const Layout& to, int bytes);

// Shared memory for a tile that one layout writes and another reads, of as wide accesses as both allow, and without
// conflicts between banks where there is such a layout.
SharedMemory choose_memory(const LinearMap& from, const LinearMap& to, int bytes);

}  // namespace tsr::ir
