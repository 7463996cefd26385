// The code of register tiles on a CPU: nests of loops over vectors, products, scans.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/ops/register.h"
#include "ir/passes/target/cpu/spread.h"
#include "ir/passes/target/cpu/tiles/homes.h"
#include "ir/passes/target/cpu/tiles/panel.h"
#include "ir/passes/target/cpu/tiles/schedule.h"

namespace tsr::ir {

// Where a tile lies in the worker's scratch memory. Rows are padded to whole vectors.
struct Home {
    ValueId pointer;
    std::vector<int64_t> strides;  // elements, per axis; 0 along axes of which one position is kept
    // Columns in panels of so many, one panel after the other, `panel_stride` elements apart; 0: rows are whole.
    int64_t panel = 0;
    int64_t panel_stride = 0;
};

class TileCode {
public:
    explicit TileCode(Spread& spread) : s_(spread), emit_(spread.emit), uses_(spread.tile), width_(spread.plan.lanes) {}

    // An operation on register tiles without regions joins those before it; the code comes with `flush`.
    void add(OpId op) { run_.push_back(op); }
    [[nodiscard]] bool waits(ValueId value) const;  // its operation has joined, its code has not come
    void flush();

    // The tiles that control flow gives or carries live in homes of their own.
    Home new_home(const Type& tile, const std::string& name);
    void set_home(ValueId value, const Home& home) { homes_[value] = home; }
    [[nodiscard]] const Home& home(ValueId value) const { return homes_.at(value); }
    void copy(const Home& to, const Home& from, const Type& tile);
    // A tile of zeros that its only user, in the region where it is made, may write over.
    [[nodiscard]] bool gives_up_home(ValueId value, RegionId region) const;
    // What a loop yields for a carried tile may be computed in the tile's own home.
    void carry_in_place(ValueId argument, ValueId yielded);

private:
    // ---- one nest (nest.cpp) ----
    void nest(const Nest& nest);
    void rows(const Nest& nest, size_t axis);
    void row(const Nest& nest);
    void phase(const Phase& phase);
    void choose_ahead(const Nest& nest);
    // Stores past the caches (past_caches.cpp).
    [[nodiscard]] std::vector<OpId> stores_past_caches(const Nest& nest) const;
    [[nodiscard]] bool may_pass_caches(OpId store, int64_t columns) const;
    ValueId pass_caches(const std::vector<OpId>& stores);
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
    ValueId all_inside(const std::vector<OpId>& views);

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
    ValueId iota(const Op& op, const Coordinates& at);
    ValueId load(OpId id, const Coordinates& at);
    ValueId load_packed(OpId id, const Coordinates& at);  // packed_views.cpp
    void store(OpId id, ValueId value, const Coordinates& at);
    ValueId load_home(const Home& home, DType elem, const Coordinates& at);
    void store_home(const Home& home, ValueId value, const Coordinates& at);
    void fetch_ahead(const Coordinates& at);
    // A view at coordinates: the address of the first element, the distance to the next, and which are inside.
    struct Place {
        ValueId pointer;
        ValueId stride;  // between columns; invalid: 1
        ValueId mask;    // invalid: all
        bool vector = false;
    };
    Place place(OpId view, const Coordinates& at);
    ValueId inside(OpId view, const Coordinates& at);
    [[nodiscard]] static int view_key(OpId view, int what);
    ValueId home_address(const Home& home, const Coordinates& at);
    ValueId offsets(ValueId stride);
    template <typename Make>
    ValueId once_per_row(ValueId key, const Coordinates& at, int what, Make make);
    [[nodiscard]] static bool has_column(const Coordinates& at);
    [[nodiscard]] ValueId mask_and(ValueId a, ValueId b);

    // ---- operations with loops of their own (alone.cpp, product.cpp) ----
    void alone(OpId id);
    void product(OpId id);
    void scan(OpId id);
    void atomic(OpId id);
    void give(ValueId sum);
    void find_homes();
    void hold_packed();
    Home room(DType elem, std::vector<int64_t> strides, int64_t elements, const std::string& name);
    Home panels_home(const MmaOp& product);
    void words_product(const MmaOp& op, const Home& c, bool from_zero);
    ValueId packed_rows(const Op& op, const Coordinates& at);
    struct Factors {
        Home a, b, c;
        bool a_transposed;
        bool from_zero;
        Type type;  // of a vector of the accumulator
        int64_t depth;
        int64_t rows;        // of the accumulator
        int64_t panel_rows;  // of them
        // Four bytes of depth are one step: the types of a's and b's elements, "u8 i8" or "i8 u8"; empty: elements are.
        std::string bytes;
        bool flipped;       // the highest bits of a's bytes
        ValueId depth_end;  // steps from there on add nothing; invalid: all count
    };
    // The rows and columns of a product that are ever looked at, from 0; invalid: all.
    struct Wanted {
        ValueId rows, columns;
    };
    Wanted wanted(ValueId product);
    ValueId depth_left(const MmaOp& product);
    ValueId rounded_up(ValueId count, int64_t to, int64_t most);
    void column_panels(const Factors& f, const Panel& best, const Wanted& some, int64_t columns);
    ValueId inside_of(const std::vector<OpId>& stores, size_t axis, int64_t extent);
    void row_panels(const Factors& f, const Panel& panel, ValueId rows, ValueId column);
    void panel(const Factors& f, const Panel& panel, ValueId row, ValueId column, const std::vector<ValueId>& excess);
    ValueId panel_of_b(const Factors& f, ValueId column);
    std::vector<ValueId> first_sums(const Factors& f, const Panel& panel, ValueId c,
                                    const std::vector<ValueId>& excess);
    Factors factors(const MmaOp& op, const Home& c, bool from_zero);
    // Sums of bytes (bytes.cpp).
    Factors bytes_factors(const MmaOp& op, const Home& c, bool from_zero);
    std::vector<ValueId> excess(const Factors& f, const Panel& panel, ValueId column);
    ValueId sum_bytes(const Factors& f, ValueId a, ValueId b, ValueId sum);
    void fetch_panel(const Factors& f, ValueId b, ValueId row, ValueId k);
    void multiply(const Factors& f, const Panel& panel, ValueId a, ValueId b, ValueId k, std::vector<ValueId>& sums);

    // Calls `body` for panels of `step` positions out of `count`, and for what is left behind them; from `end` on,
    // where it is valid, nothing is wanted.
    template <typename Body>
    void panels(int64_t count, int64_t step, ValueId end, Body body) {
        const int64_t whole = count / step * step;
        auto until = [&](int64_t to) {
            return end.valid() ? emit_.binary(OpKind::minimum, end, emit_.integer(to)) : emit_.integer(to);
        };
        loop_between(emit_.integer(0), until(whole), step, [&](ValueId at) { body(at, step); });
        if (whole == count) return;
        loop_between(emit_.integer(whole), until(count), step, [&](ValueId at) { body(at, count - whole); });
    }
    template <typename Body>
    void counted_loop(int64_t count, int64_t step, Body body) {
        loop_between(emit_.integer(0), emit_.integer(count), step, body);
    }
    template <typename Body>
    void loop_between(ValueId from, ValueId to, int64_t step, Body body) {
        RegionId outside = emit_.region;
        OpId made = emit_.open(OpKind::for_, {from, to, emit_.integer(step)}, {});
        emit_.region = emit_.add_region(made);
        body(s_.target.add_arg(emit_.region, Type::scalar(DType::index)));
        emit_.yield({});
        emit_.close(made, outside);
    }

    template <typename Then, typename Otherwise>
    void either(ValueId condition, Then then, Otherwise otherwise) {
        RegionId outside = emit_.region;
        OpId made = emit_.open(OpKind::if_, {condition}, {});
        emit_.region = emit_.add_region(made);
        then();
        emit_.yield({});
        emit_.region = emit_.add_region(made);
        otherwise();
        emit_.yield({});
        emit_.close(made, outside);
    }

    static constexpr int64_t kUnroll = 4;  // steps of k

    Spread& s_;
    Emit& emit_;
    Uses uses_;
    int64_t width_;  // elements of a vector
    std::vector<OpId> run_;
    std::unordered_map<ValueId, Home> homes_;
    std::unordered_set<ValueId> held_;  // tiles of the run that lie where they are
    Schedule schedule_;                 // of the run whose code is made

    // Of the row at hand:
    std::vector<ValueId> row_;       // its coordinates
    RegionId row_region_;            // code that is the same for the whole row
    bool clipped_ = false;           // views may pass the edges of their memory
    std::vector<OpId> past_caches_;  // stores that pass by the caches
    std::vector<OpId> ahead_;        // views whose next row (of stores: this row) the phase at hand fetches
    using Key = std::tuple<ValueId, Coordinates, int>;
    std::map<Key, ValueId> row_values_;
    // Of the vector at hand:
    ValueId tail_;      // which of its elements there are; invalid: all
    int64_t left_ = 0;  // how many; `width_` or more: all
    std::map<Key, ValueId> vector_values_;
};

}  // namespace tsr::ir
