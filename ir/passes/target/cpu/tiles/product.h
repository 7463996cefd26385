// The code of products of register tiles on a CPU: panels of the accumulator, summed in vector registers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/ops/register.h"
#include "ir/passes/target/cpu/lanes/spread.h"
#include "ir/passes/target/cpu/tiles/homes.h"
#include "ir/passes/target/cpu/tiles/panel.h"
#include "ir/passes/target/cpu/tiles/uses.h"

namespace tsr::ir {

class ProductCode {
public:
    ProductCode(Spread& spread, const Uses& uses) : s_(spread), emit_(spread.emit), uses_(uses) {}

    // Memory that a sum is stored to instead of its home, where the scalar `when` is true: the first element, and
    // elements from row to row.
    struct Stored {
        ValueId when, pointer, row;
    };
    // What is multiplied and where the sum lies; it holds nothing yet where `from_zero`, or where the scalar `first`,
    // if valid, is true. `stored.when` may be invalid.
    struct Operands {
        Home a, b, c;
        bool from_zero;
        ValueId first;
        Stored stored;
    };
    // c += a b, elements of c outside of all memory that it is stored to left out.
    void add(const MmaOp& product, const Operands& at);
    // c = the sums of its panels, which `sum_up` adds to the zeros that it is given.
    using SumUp = std::function<void(const Panel& panel, ValueId row, ValueId column, std::vector<ValueId>& sums)>;
    void sum(const MmaOp& product, const Home& c, const SumUp& sum_up);
    // Rows of memory, `distance` elements from one to the next; of each those elements that `masks` say of the vectors
    // of a panel, none: all.
    struct Rows {
        ValueId first, distance;
        std::vector<ValueId> masks;
    };
    // Adds to the sums of a panel the product of its rows of a, from `row` on, and the rows of b, as many as the
    // loop around the product has left.
    void add_rows(const MmaOp& product, const Panel& panel, ValueId row, const Home& a, const Rows& b,
                  std::vector<ValueId>& sums);
    // Columns of the sum are whole vectors: what is stored of it ends with it.
    [[nodiscard]] bool fills_vectors(const MmaOp& product) const;
    // How many rows of the second operand the product reads, from the first on; invalid: all.
    ValueId depth_read(const MmaOp& product);

private:
    // By elements of a vector, or by sums of what a word holds.
    struct Factors {
        Home a, b, c;
        bool a_transposed;
        bool from_zero;
        ValueId first;  // as of Operands
        Stored stored;
        Type type;  // of a vector of the accumulator
        int64_t depth;
        int64_t rows;        // of the accumulator
        int64_t panel_rows;  // of them
        // A word of depth is one step, b's elements being of this type; nothing: an element is one.
        std::optional<DType> packed;
        bool flipped;                   // the highest bits of a's bytes
        ValueId depth_end;              // steps from there on add nothing; invalid: all count
        const SumUp* sum_up = nullptr;  // in place of a and b
    };
    // The rows and columns of a product that are ever looked at, from 0; invalid: all.
    struct Wanted {
        ValueId rows, columns;
    };

    Factors factors(const MmaOp& op, const Operands& at);
    Wanted wanted(ValueId product);
    ValueId inside_of(const std::vector<OpId>& stores, size_t axis, int64_t extent);
    ValueId depth_left(const MmaOp& product);
    ValueId rounded_up(ValueId count, int64_t to, int64_t most);
    void column_panels(const Factors& f, const Panel& best, const Wanted& some, int64_t columns);
    void row_panels(const Factors& f, const Panel& panel, ValueId rows, ValueId column);
    void panel(const Factors& f, const Panel& panel, ValueId row, ValueId column, const std::vector<ValueId>& excess);
    ValueId panel_of_b(const Factors& f, ValueId column);
    void store_sums(const Factors& f, const Panel& panel, ValueId row, ValueId column,
                    const std::vector<ValueId>& sums);
    std::vector<ValueId> first_sums(const Factors& f, const Panel& panel, ValueId c,
                                    const std::vector<ValueId>& excess);
    void fetch_panel(const Factors& f, ValueId b, ValueId row, ValueId k);
    void multiply(const Factors& f, const Panel& panel, ValueId a, ValueId b, ValueId k, std::vector<ValueId>& sums);
    void multiply_row(const Factors& f, const Panel& panel, ValueId a_column, const std::vector<ValueId>& row,
                      std::vector<ValueId>& sums);
    // Sums of words (words.cpp).
    Factors word_factors(const MmaOp& op, const Operands& at);
    std::vector<ValueId> excess(const Factors& f, const Panel& panel, ValueId column);
    ValueId sum_words(const Factors& f, ValueId a, ValueId b, ValueId sum);
    // By the matrix unit.
    void by_matrix(const MmaOp& op, const Operands& at);

    // Calls `body` for panels of `step` positions out of `count`, and for what is left behind them; from `end` on,
    // where it is valid, nothing is wanted.
    template <typename Body>
    void panels(int64_t count, int64_t step, ValueId end, Body body) {
        const int64_t whole = count / step * step;
        auto until = [&](int64_t to) {
            return end.valid() ? emit_.binary(OpKind::minimum, end, emit_.integer(to)) : emit_.integer(to);
        };
        s_.counted_loop(emit_.integer(0), until(whole), step, [&](ValueId at) { body(at, step); });
        if (whole == count) return;
        s_.counted_loop(emit_.integer(whole), until(count), step, [&](ValueId at) { body(at, count - whole); });
    }

    static constexpr int64_t kUnroll = 4;  // steps of k

    Spread& s_;
    Emit& emit_;
    const Uses& uses_;
};

}  // namespace tsr::ir
