// Where the elements of a tile are: in registers of threads, or at offsets of memory.
//
// A layout is `repeat` x `atom`. The atom is linear over bits and covers a power of two along each axis; the repeat is
// plain counts of any size, outermost: 176 columns are 22 atoms of 8. Atoms are numbered with the last axis fastest,
// and each takes the next registers of a thread (the next offsets of memory). What the repeated atom has beyond the
// tile's shape is no element: it is computed and never seen.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/layout/linear_map.h"

namespace tsr::ir {

using Coordinates = std::vector<int64_t>;

struct Layout {
    Coordinates shape;   // of the tile
    Coordinates repeat;  // atoms along each axis
    LinearMap atom;      // to coordinates: (register, lane, warp, group) or (offset)

    // As many atoms as cover the shape.
    static Layout covering(const Coordinates& shape, const LinearMap& atom);

    [[nodiscard]] size_t rank() const { return shape.size(); }
    [[nodiscard]] int64_t atom_extent(size_t number) const { return int64_t{1} << atom.out_bits(axis(number)); }
    [[nodiscard]] int64_t extent(size_t number) const {
        return repeat[number] * atom_extent(number);
    }  // with what is beyond
    [[nodiscard]] int64_t atoms() const;
    [[nodiscard]] bool in_memory() const { return atom.in_bits(Counted::offset) > 0; }
    // Of a thread, or offsets of memory; of one atom.
    [[nodiscard]] int64_t atom_size() const {
        return int64_t{1} << atom.in_bits(in_memory() ? Counted::offset : Counted::reg);
    }
    [[nodiscard]] int64_t size() const { return atoms() * atom_size(); }
    [[nodiscard]] int64_t lanes() const { return int64_t{1} << atom.in_bits(Counted::lane); }
    [[nodiscard]] int64_t warps() const { return int64_t{1} << atom.in_bits(Counted::warp); }

    // The coordinates of an element. `number`: its register or offset.
    [[nodiscard]] Coordinates at(int64_t number, int64_t lane = 0, int64_t warp = 0, int64_t group = 0) const;
    [[nodiscard]] bool inside(const Coordinates& at) const;
    // Where one atom begins.
    [[nodiscard]] Coordinates atom_begin(int64_t atom) const;

    // Without an axis, as a reduction along it leaves it: registers that then hold the same element are one.
    [[nodiscard]] Layout without_axis(size_t number) const;
    // The register of `without_axis` for each register of this layout.
    [[nodiscard]] std::vector<int64_t> registers_without(size_t number) const;
    // With one more axis, of extent 1.
    [[nodiscard]] Layout with_axis(size_t number) const;
    // Axis i of the result is this layout's axis order[i].
    [[nodiscard]] Layout permuted(const std::vector<size_t>& order) const;
    // The register of this layout for each register of `permuted`: atoms are numbered by the axes' new order.
    [[nodiscard]] std::vector<int64_t> registers_permuted(const std::vector<size_t>& order) const;
    // Powers of two of the innermost repeats are the atom's: layouts that place all elements alike become equal.
    [[nodiscard]] Layout normal() const;
    [[nodiscard]] bool same_as(const Layout& other) const;  // in normal form

    // `128x176 = 8x22 of 16x8 { register (0, 1) (8, 0); lane (0, 2) … }`: shape, repeat, the atom's extents, and what
    // each bit of an input adds to the coordinates.
    [[nodiscard]] std::string text() const;
    static std::optional<Layout> parse(std::string_view text);

    bool operator==(const Layout&) const = default;
};

// Memory of one tile, the axes in their order, the last one innermost; the atom is the whole tile where its extents are
// powers of two.
Layout row_major(const Coordinates& shape);
// Memory of two axes in rows of 2^columns elements, in which groups of 2^vector elements change places within their
// row: group number g of row r lies where g ^ (r >> drop) % 2^phases would.
LinearMap swizzled_rows(int rows, int columns, int vector, int drop, int phases);

}  // namespace tsr::ir
