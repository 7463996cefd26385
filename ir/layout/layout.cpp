#include "ir/layout/layout.h"

#include <algorithm>
#include <bit>

#include "ir/core/internal.h"

namespace tsr::ir {

namespace {

int low_zeros(int64_t value) { return std::countr_zero(static_cast<uint64_t>(value)); }

std::vector<Counted> axes_of(size_t rank) {
    std::vector<Counted> out;
    for (size_t i = 0; i < rank; ++i) out.push_back(axis(i));
    return out;
}

}  // namespace

Layout Layout::covering(const Coordinates& shape, const LinearMap& atom) {
    Layout out{shape, {}, atom};
    for (size_t i = 0; i < shape.size(); ++i) {
        const int64_t extent = out.atom_extent(i);
        out.repeat.push_back((shape[i] + extent - 1) / extent);
    }
    return out;
}

int64_t Layout::atoms() const {
    int64_t count = 1;
    for (int64_t times : repeat) count *= times;
    return count;
}

Coordinates Layout::atom_begin(int64_t number) const {
    Coordinates out(rank());
    for (size_t i = rank(); i-- > 0;) {
        out[i] = number % repeat[i] * atom_extent(i);
        number /= repeat[i];
    }
    return out;
}

Coordinates Layout::at(int64_t number, int64_t lane, int64_t warp, int64_t group) const {
    const int64_t size = atom_size();
    Coordinates out = atom_begin(number / size);
    const Counted counted = in_memory() ? Counted::offset : Counted::reg;
    const Bits in_atom = atom(
        atom.pack({{counted, number % size}, {Counted::lane, lane}, {Counted::warp, warp}, {Counted::group, group}}));
    for (size_t i = 0; i < rank(); ++i) out[i] += atom.part(in_atom, axis(i));
    return out;
}

bool Layout::inside(const Coordinates& at) const {
    for (size_t i = 0; i < rank(); ++i) {
        if (at[i] >= shape[i]) return false;
    }
    return true;
}

Layout Layout::without_axis(size_t number) const {
    Layout out = *this;
    const auto at = static_cast<std::ptrdiff_t>(number);
    out.shape.erase(out.shape.begin() + at);
    out.repeat.erase(out.repeat.begin() + at);
    out.atom = atom.without_out(axis(number)).without_copies(Counted::reg);
    std::vector<Counted> from, to;
    for (size_t i = number + 1; i < rank(); ++i) {
        from.push_back(axis(i));
        to.push_back(axis(i - 1));
    }
    out.atom = out.atom.renamed_out(from, to);
    return out;
}

std::vector<int64_t> Layout::registers_without(size_t number) const {
    const std::vector<Bits> columns = atom.without_out(axis(number)).columns(Counted::reg);
    const int64_t kept_size =
        int64_t{1} << (columns.size() - static_cast<size_t>(std::ranges::count(columns, Bits{0})));
    std::vector<int64_t> out;
    for (int64_t r = 0; r < size(); ++r) {
        int64_t in_atom = 0;
        for (size_t bit = 0, to = 0; bit < columns.size(); ++bit) {
            if (columns[bit] != 0) in_atom |= (r >> bit & 1) << to++;
        }
        int64_t which = 0;
        const Coordinates begin = atom_begin(r / atom_size());
        for (size_t i = 0; i < rank(); ++i) {
            if (i != number) which = which * repeat[i] + begin[i] / atom_extent(i);
        }
        out.push_back(which * kept_size + in_atom);
    }
    return out;
}

Layout Layout::with_axis(size_t number) const {
    Layout out = *this;
    const auto at = static_cast<std::ptrdiff_t>(number);
    out.shape.insert(out.shape.begin() + at, 1);
    out.repeat.insert(out.repeat.begin() + at, 1);
    std::vector<Counted> from, to;
    for (size_t i = number; i < rank(); ++i) {
        from.push_back(axis(i));
        to.push_back(axis(i + 1));
    }
    out.atom = atom.renamed_out(from, to).times(LinearMap({}, {{axis(number), 0}}, {}));
    return out;
}

Layout Layout::permuted(const std::vector<size_t>& order) const {
    Layout out{{}, {}, {}};
    std::vector<Counted> from;
    for (size_t i : order) {
        out.shape.push_back(shape[i]);
        out.repeat.push_back(repeat[i]);
        from.push_back(axis(i));
    }
    out.atom = atom.renamed_out(from, axes_of(rank()));
    return out;
}

std::vector<int64_t> Layout::registers_permuted(const std::vector<size_t>& order) const {
    const Layout to = permuted(order);
    std::vector<int64_t> out;
    for (int64_t r = 0; r < size(); ++r) {
        const Coordinates begin = to.atom_begin(r / atom_size());
        Coordinates number(rank());
        for (size_t i = 0; i < rank(); ++i) number[order[i]] = begin[i] / to.atom_extent(i);
        int64_t which = 0;
        for (size_t i = 0; i < rank(); ++i) which = which * repeat[i] + number[i];
        out.push_back(which * atom_size() + r % atom_size());
    }
    return out;
}

Layout Layout::normal() const {
    Layout out = *this;
    const Counted counted = in_memory() || atom.in_bits() == 0 ? Counted::offset : Counted::reg;
    for (size_t i = rank(); i-- > 0;) {
        const int bits = low_zeros(out.repeat[i]);
        out.atom = out.atom.times(LinearMap::identity({{counted, bits}}, {{axis(i), bits}}));
        out.repeat[i] >>= bits;
        if (out.repeat[i] != 1) break;
    }
    return out;
}

bool Layout::same_as(const Layout& other) const { return normal() == other.normal(); }

Layout row_major(const Coordinates& shape) {
    LinearMap atom({},
                   [&] {
                       std::vector<BitField> fields;
                       for (size_t i = 0; i < shape.size(); ++i) fields.push_back({axis(i), 0});
                       return fields;
                   }(),
                   {});
    return Layout::covering(shape, atom).normal();
}

LinearMap swizzled_rows(int rows, int columns, int vector, int drop, int phases) {
    std::vector<Bits> to_offset;  // of (row, column)
    for (int row = 0; row < rows; ++row) {
        Bits offset = Bits{1} << (columns + row);
        if (row >= drop && row < drop + phases) offset |= Bits{1} << (vector + row - drop);
        to_offset.push_back(offset);
    }
    for (int column = 0; column < columns; ++column) to_offset.push_back(Bits{1} << column);
    return LinearMap({{axis(0), rows}, {axis(1), columns}}, {{Counted::offset, rows + columns}}, to_offset).inverse();
}

}  // namespace tsr::ir
