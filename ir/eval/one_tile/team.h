// The tiles that run together: those of one group, or some of a flat kernel's. They go through the program side by
// side; a mask says which of them are where the program stands.
#pragma once

#include <deque>

#include "ir/eval/one_tile/launch.h"
#include "ir/ops/handle.h"

namespace tsr::ir::eval::one_tile {

struct Mask {
    std::vector<uint8_t> on;  // per tile
    size_t active = 0;

    explicit Mask(size_t tiles, size_t active) : on(tiles, 0), active(active) {
        for (size_t i = 0; i < active; ++i) on[i] = 1;
    }
};

class Team {
public:
    Team(Launch& launch, size_t tiles);
    void run_group(int64_t group);
    void run_flat();      // all tiles of the launch
    void run_elements();  // a kernel whose last loop is spread over groups and tiles at once

private:
    // The value of a scalar, vector or register tile: `parts` elements, each once or once per tile of the team.
    struct Cell {
        std::vector<Bits> bits;
        Handle memory;
    };
    struct Pending {
        Handle to;
        std::vector<Bits> data;
        int64_t commit = -1;  // number of its group of copies; -1: not committed
        bool waited = false;
    };
    // An operand, read part by part and tile by tile.
    struct Source {
        const Bits* bits;
        size_t part_step, tile_step;
        [[nodiscard]] Bits at(size_t part, size_t tile) const { return bits[part * part_step + tile * tile_step]; }
    };

    // Values (team.cpp).
    [[nodiscard]] const Type& type(ValueId v) const { return kernel_.type(v); }
    [[nodiscard]] bool varies(ValueId v) const { return who_.varies(v); }
    [[nodiscard]] size_t parts(ValueId v) const;
    [[nodiscard]] Source source(ValueId v, size_t result_parts) const;
    [[nodiscard]] Bits one(ValueId v) const { return cells_[v.index].bits[0]; }
    [[nodiscard]] Bits of_tile(ValueId v, size_t tile) const { return source(v, 1).at(0, tile); }
    [[nodiscard]] Handle handle(ValueId v) const { return cells_[v.index].memory; }
    std::vector<Bits>& make(ValueId v);  // room for it
    void set_one(ValueId v, Bits bits) { make(v)[0] = bits; }
    void assign(ValueSpan to, ValueSpan from, const Mask& mask);
    void start(int64_t group);

    void region(RegionId id, const Mask& mask);
    void op(OpId id, const Mask& mask);
    bool plain(OpId id, const Op& op, const Mask& mask);
    void element(OpId id, const Op& op, const Mask& mask);
    void tile_number(const Op& op);
    [[nodiscard]] Bits group_number(const Op& op) const;

    // Control flow (team_control.cpp).
    bool control(OpId id, const Op& op, const Mask& mask);
    void branch(OpId id, const Mask& mask);
    void loop(OpId id, const Mask& mask);
    void loop_of_tiles(OpId id, const Mask& mask);
    void while_loop(OpId id, const Mask& mask);
    void spread_loop(OpId id, size_t tiles);
    void grid_loop(OpId id, const Mask& mask);
    void make_bounds(const std::vector<OpId>& nest, ValueId v);
    uint64_t extents(const std::vector<OpId>& nest, std::vector<uint64_t>& counts);
    void set_counters(const std::vector<OpId>& nest, const std::vector<uint64_t>& counts, uint64_t first, size_t count);
    void nest_body(const std::vector<OpId>& nest, const Mask& mask);
    void count_iteration(OpId at);

    // Memory (team_memory.cpp).
    bool memory(OpId id, const Op& op, const Mask& mask);
    void read(OpId id, const Op& op, const Mask& mask);
    void write(OpId id, const Op& op, const Mask& mask);
    void atomic(OpId id, const Mask& mask);
    [[nodiscard]] Bits combined(AtomicOp what, DType type, Bits old, Bits value) const;
    // Where in memory the elements are that each tile names; they must be inside.
    struct Access {
        OpId op;
        Handle memory;
        std::vector<Source> indices;
        std::vector<int64_t> index;
        size_t width;
        bool writes;
    };
    [[nodiscard]] Access access(OpId id, ValueId memory, ValueSpan indices, size_t width, bool writes) const;
    int64_t position(Access& access, size_t tile) const;
    void stage(OpId id, const Mask& mask);
    void buffer(OpId id);
    void copy_async(OpId id, const Mask& mask);
    void arrive();

    // What tiles do together, and what they say (team_group.cpp).
    bool together(OpId id, const Op& op, const Mask& mask);
    void need_all(OpId id, const Mask& mask);  // every tile of the group is here
    void reduce_group(OpId id);
    void scan_group(OpId id);
    void shuffle(OpId id);
    void ballot(OpId id);
    void reduce_buffer(OpId id);
    void text(OpId id, const Op& op, const Mask& mask);
    [[nodiscard]] std::string line(const Op& op, size_t first, size_t tile) const;
    [[nodiscard]] std::string who(std::optional<size_t> tile) const;
    [[nodiscard]] bool is_once(OpId id) const { return !who_.flat && who_.is_groups(kernel_, id); }

    // Register tiles (team_tiles.cpp, team_products.cpp).
    bool tiles(OpId id, const Op& op, const Mask& mask);
    void view(OpId id);
    void expand(OpId id);
    void iota(OpId id);
    void move_elements(const Op& op);
    void along(OpId id, bool scans);
    void product(OpId id);

    Launch& launch_;
    const Function& kernel_;
    const Who& who_;
    size_t tiles_;                 // of the team
    std::vector<Cell> cells_;      // by ValueId
    std::deque<Memory> buffers_;   // of the group
    std::vector<Memory*> buffer_;  // by OpId, of `buffer`
    std::vector<Pending> copies_;
    bool commits_ = false;  // the kernel has commits of copies
    int64_t committed_ = 0;
    int64_t group_ = 0;
    int64_t first_ = 0;    // number of the team's first tile, or first iteration of a spread loop
    bool spread_ = false;  // in a loop that is spread over tiles or elements
    int64_t section_ = 0;  // of the group's program, between what it does together: orders what is printed
    uint64_t iterations_ = 0;
};

}  // namespace tsr::ir::eval::one_tile
