// The code of register tiles on a CPU: nests of loops over vectors, products, scans.
#pragma once

#include <map>
#include <span>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/ops/register.h"
#include "ir/passes/target/cpu/lanes/spread.h"
#include "ir/passes/target/cpu/tiles/homes.h"
#include "ir/passes/target/cpu/tiles/product.h"
#include "ir/passes/target/cpu/tiles/schedule.h"
#include "ir/passes/target/cpu/tiles/sums_from_zero.h"

namespace tsr::ir {

class TileCode {
public:
    explicit TileCode(Spread& spread)
        : s_(spread), emit_(spread.emit), uses_(spread.tile), products_(spread, uses_), width_(spread.lanes()) {}

    // An operation on register tiles without regions joins those before it; the code comes with `flush`.
    void add(OpId op) { run_.push_back(op); }
    [[nodiscard]] bool waits(ValueId value) const;  // its operation has joined, its code has not come
    void flush();

    // The tiles that control flow gives or carries live in homes of their own.
    Home new_home(const Type& tile, const std::string& name);
    void set_home(ValueId value, const Home& home) { homes_[value] = home; }
    [[nodiscard]] const Home& home(ValueId value) const { return homes_.at(value); }
    void copy(const Home& to, const Home& from, const Type& tile);
    // A tile of zeros, or one that a loop carries, that its only user, in the region where it is made, may write over.
    [[nodiscard]] bool gives_up_home(ValueId value, RegionId region) const;
    // Zeros that a loop begins a sum of products with: the first step sets the sum (sums_from_zero.h).
    [[nodiscard]] bool begins_sum(OpId zeros) const;
    // Their home, which holds them only where the loop has no steps.
    Home begin_sum(ValueId zeros, ValueId no_steps);
    // A store that the last step of such a loop does, where it can; elsewhere it is done here.
    [[nodiscard]] bool stored_by_sum(OpId store) const { return stored_by_sums_.contains(store); }
    void store_what_sums_do_not(OpId store);
    // A loop that carries a sum of products, through loops in it, and does nothing else (nested_sums.cpp).
    [[nodiscard]] bool sums_in_nest(OpId loop) const;
    void sum_nest(OpId loop);
    // What a loop yields for a carried tile may be computed in the tile's own home.
    void carry_in_place(ValueId argument, ValueId yielded);
    // A round of the grid begins: its code stands in the emitter's region.
    void begin_round();

private:
    // ---- one nest (nest.cpp) ----
    void nest(const Nest& nest);
    void rows(const Nest& nest, size_t axis);
    ValueId rows_read(const Nest& nest);
    void row(const Nest& nest);
    void phase(const Phase& phase);
    void choose_ahead(const Nest& nest);
    void choose_pieces_ahead(const Nest& nest);
    // Stores past the caches (past_caches.cpp).
    [[nodiscard]] std::vector<OpId> stores_past_caches(const Nest& nest) const;
    [[nodiscard]] bool may_pass_caches(OpId store, int64_t columns) const;
    ValueId pass_caches(const std::vector<OpId>& stores);
    // Where what is stored for loads of this kernel alone waits (waiting.cpp).
    struct Waiting {
        ValueId row;        // pointer to the first element of the row
        ValueId elsewhere;  // bool: not in the memory that it is stored in
    };
    [[nodiscard]] bool has_waiting(ValueId memory) const;
    const Waiting& waiting(const TileViewOp& view);
    struct Sum {
        const Root* root;
        std::vector<ValueId> partials;
    };
    void columns(const Phase& phase, int64_t unroll, std::vector<Sum>& sums);
    void vector(const Phase& phase, ValueId column, int64_t left, std::vector<Sum>& sums, size_t partial);
    void finish_sum(const Sum& sum);
    void per_row(const Root& root);
    void fill(const Root& fold);
    ValueId identity(OpId reduce);
    [[nodiscard]] std::vector<OpId> views(std::span<const Phase> phases) const;
    [[nodiscard]] int64_t extent_along(const TileViewOp& view, size_t axis) const;
    [[nodiscard]] bool is_inside(OpId view) const;
    ValueId all_inside(const std::vector<OpId>& views, ValueId first_extent = {});

    // ---- values on the way (value.cpp) ----
    // A coordinate: the number of a row, or the columns of the vector at hand.
    struct Coordinate {
        ValueId at;  // column: its first
        bool column = false;
        auto operator<=>(const Coordinate&) const = default;
    };
    using Coordinates = std::vector<Coordinate>;
    ValueId value(ValueId tile, const Coordinates& at);
    ValueId found(ValueId tile, const Coordinates& at);
    ValueId compute(ValueId tile, const Coordinates& at);  // though it may have a home
    ValueId element(const Op& op, const Coordinates& at);
    ValueId expand(OpId id, const Coordinates& at);
    ValueId packed_rows(const Op& op, const Coordinates& at);
    ValueId load(OpId id, const Coordinates& at);
    void store(OpId id, ValueId value, const Coordinates& at);
    // Of elements that share bytes (packed_views.cpp).
    ValueId load_packed(OpId id, const Coordinates& at);
    void store_packed(OpId id, ValueId value, const Coordinates& at);
    std::vector<ValueId> element_indices(const TileViewOp& view, const Coordinates& at);
    ValueId load_home(const Home& home, const Coordinates& at);
    void store_home(const Home& home, ValueId value, const Coordinates& at);
    void fetch_ahead(const Coordinates& at);
    // A view at coordinates: the address of the first element, the distance to the next, and which are inside.
    struct Place {
        ValueId pointer;
        ValueId stride;  // between columns; invalid: 1
        ValueId mask;    // invalid: all
        bool vector = false;
    };
    // The row of a view that coordinates stand in.
    struct ViewRow {
        ValueId key;  // of what is remembered of it
        Coordinates at;
        ValueId first;                 // column of the vector at hand; invalid: of an element
        std::optional<size_t> column;  // the memory's axis that the columns run along
    };
    static ViewRow row_of(const TileViewOp& view, const Coordinates& at);
    ValueId index_along(const TileViewOp& view, size_t axis, const Coordinates& at);
    ValueId row_inside(const TileViewOp& view, const ViewRow& row);
    Place place(OpId view, const Coordinates& at);
    ValueId inside(OpId view, const Coordinates& at);
    [[nodiscard]] static int view_key(OpId view, int what);
    ValueId home_address(const Home& home, const Coordinates& at);
    ValueId offsets(ValueId stride);
    template <typename Make>
    ValueId once_per_row(ValueId key, const Coordinates& at, int what, Make make);
    [[nodiscard]] static bool has_column(const Coordinates& at);
    [[nodiscard]] ValueId mask_and(ValueId a, ValueId b);

    // How each operation is made (operations.cpp).
    struct Makers;
    void alone(OpId id);  // one with loops of its own
    // ---- products (sums.cpp; tiles' scratch buffers: homes.cpp) ----
    void product(OpId id);
    ProductCode::Stored stored_at(OpId store);
    void let_sum_store(LoopSum sum, OpId store, ValueId no_steps);
    using Vectors = std::vector<ValueId>;
    struct PanelOfNest {
        MmaOp product;
        Panel panel;
        ValueId row, column;
    };
    void nest_loop(OpId loop, const PanelOfNest& of, Vectors& sums);
    void nest_region(RegionId region, const PanelOfNest& of, Vectors& sums);
    void nest_product(const PanelOfNest& of, Vectors& sums);
    void give(ValueId sum);
    void find_homes();
    [[nodiscard]] bool is_packed_operand(ValueId memory) const;
    void hold_packed();
    Home room(DType elem, std::vector<int64_t> strides, int64_t elements, const std::string& name);
    [[nodiscard]] int64_t read_in_panels(ValueId tile) const;
    Home panels_home(ValueId tile, int64_t columns);

    Spread& s_;
    Emit& emit_;
    Uses uses_;
    ProductCode products_;
    int64_t width_;  // elements of a vector
    std::vector<OpId> run_;
    std::unordered_map<ValueId, Home> homes_;
    std::unordered_map<OpId, ValueId> stored_by_sums_;  // where their loops do it
    std::unordered_set<ValueId> held_;                  // tiles of the run that lie where they are
    std::unordered_map<ValueId, ValueId> rooms_;        // scratch memory for what waits, by memory
    std::unordered_map<ValueId, Waiting> waiting_;      // in the round at hand, by memory
    RegionId round_;                                    // the code of the round
    // Rows of memories that loops of the round go through in pieces: which loop is the first, and the one that fetches
    // the next row, once there is one.
    struct Pieces {
        OpId first, fetches;
    };
    std::map<std::vector<ValueId>, Pieces> pieces_;  // by the memory, and the row in it
    Schedule schedule_;                              // of the run whose code is made

    // Of the row at hand:
    std::vector<ValueId> row_;       // its coordinates
    ValueId rows_end_;               // of the nest's first axis; invalid: all rows
    RegionId row_region_;            // code that is the same for the whole row
    bool clipped_ = false;           // views may pass the edges of their memory
    std::vector<OpId> past_caches_;  // stores that pass by the caches
    std::vector<OpId> ahead_;        // views whose next row (of stores: this row) the phase at hand fetches
    using Key = std::tuple<ValueId, Coordinates, int>;
    std::map<Key, ValueId> row_values_;
    // Of the vector at hand:
    ValueId tail_;  // which of its elements there are; invalid: all
    std::map<Key, ValueId> vector_values_;
};

}  // namespace tsr::ir
