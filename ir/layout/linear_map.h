// Maps that are linear over GF(2), between bits of named numbers ("Linear Layouts", arXiv 2505.23819): which bits of a
// tile's coordinates the bits of a register's number, a lane's, a warp's stand for. Everything of a power of two that
// moves data (fragments of products, swizzles, transposes, replication) is such a map.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/layout/bit_space.h"

namespace tsr::ir {

// What a number counts. `axis0` and what follows are coordinates of a tile.
enum class Counted : uint8_t { reg, lane, warp, group, offset, axis0 };
inline Counted axis(size_t number) { return static_cast<Counted>(static_cast<size_t>(Counted::axis0) + number); }
std::string name(Counted counted);  // "register", "lane", "axis 1"

// A number of so many bits: 0 … 2^bits - 1.
struct BitField {
    Counted counted;
    int bits = 0;
    bool operator==(const BitField&) const = default;
};

// The value of a number; those not named are 0.
struct Position {
    Counted counted;
    int64_t value = 0;
};

class LinearMap {
public:
    LinearMap() = default;
    // `columns[i]`: what input bit i adds to the result, inputs and results being their fields side by side, the first
    // in the lowest bits.
    LinearMap(std::vector<BitField> in, std::vector<BitField> out, std::vector<Bits> columns);
    // Bit i of the inputs is bit i of the results.
    static LinearMap identity(const std::vector<BitField>& in, const std::vector<BitField>& out);
    // The input is without effect: so many copies.
    static LinearMap copies(Counted in, int bits);

    [[nodiscard]] const std::vector<BitField>& in() const { return in_; }
    [[nodiscard]] const std::vector<BitField>& out() const { return out_; }
    [[nodiscard]] int in_bits(Counted counted) const { return bits_of(in_, counted); }
    [[nodiscard]] int out_bits(Counted counted) const { return bits_of(out_, counted); }
    [[nodiscard]] int in_bits() const { return static_cast<int>(columns_.size()); }
    [[nodiscard]] int out_bits() const;
    [[nodiscard]] const std::vector<Bits>& columns() const { return columns_; }
    [[nodiscard]] std::vector<Bits> columns(Counted in) const;  // those of one input
    [[nodiscard]] Bits operator()(Bits in) const;
    // All inputs packed side by side; one number of a packed result.
    [[nodiscard]] Bits pack(const std::vector<Position>& in) const;
    [[nodiscard]] int64_t part(Bits result, Counted out) const;
    // One number of the result.
    [[nodiscard]] int64_t at(const std::vector<Position>& in, Counted out) const {
        return part((*this)(pack(in)), out);
    }

    // First `inner`, then this: inner's results are this map's inputs by name.
    [[nodiscard]] LinearMap after(const LinearMap& inner) const;
    // Both side by side: numbers of one name are joined, this map's in the lower bits.
    [[nodiscard]] LinearMap times(const LinearMap& outer) const;
    // The map `q` with `inner.times(q)` equal to this one, if there is one.
    [[nodiscard]] std::optional<LinearMap> divided_by(const LinearMap& inner) const;
    [[nodiscard]] bool is_injective() const { return rank(columns_) == in_bits(); }
    [[nodiscard]] bool is_surjective() const { return rank(columns_) == out_bits(); }
    // Of a map onto all results: an input for each. Where several inputs give one result, it is the one with 0 in
    // every bit that those before it (registers first, then lanes, warps, groups) make unnecessary.
    [[nodiscard]] LinearMap inverse() const;
    // The input bits that `inverse` never sets: who has them 0 holds each element once.
    [[nodiscard]] Bits copy_bits() const;
    // The fields of the results (inputs) in another order, under other names; `from[i]` becomes `to[i]`.
    [[nodiscard]] LinearMap renamed_out(const std::vector<Counted>& from, const std::vector<Counted>& to) const;
    // Without a number of the result.
    [[nodiscard]] LinearMap without_out(Counted out) const;
    // Without the inputs' bits that do nothing.
    [[nodiscard]] LinearMap without_copies(Counted in) const;

    // Fields that count in the same order and of no bits are left out of the inputs: equal maps are equal.
    bool operator==(const LinearMap&) const = default;

private:
    static int bits_of(const std::vector<BitField>& fields, Counted counted);

    std::vector<BitField> in_, out_;  // sorted by what they count; of inputs none is of 0 bits
    std::vector<Bits> columns_;
};

}  // namespace tsr::ir
