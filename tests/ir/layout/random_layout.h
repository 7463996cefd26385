// Random layouts, and what runs conversions.
#pragma once

#include <random>
#include <vector>

#include "ir/layout/convert.h"

namespace tsr::ir::test {

class Random {
public:
    explicit Random(uint32_t seed) : engine_(seed) {}
    int64_t below(int64_t limit) { return static_cast<int64_t>(engine_() % static_cast<uint64_t>(limit)); }

    // Vectors of so many bits, independent.
    std::vector<Bits> basis(int bits) {
        BitSpace space;
        std::vector<Bits> out;
        while (static_cast<int>(out.size()) < bits) {
            const Bits vector = static_cast<Bits>(below(int64_t{1} << bits));
            if (space.add(vector)) out.push_back(vector);
        }
        return out;
    }
    // Unit vectors in a random order.
    std::vector<Bits> units(int bits) {
        std::vector<Bits> out;
        for (int i = 0; i < bits; ++i) out.push_back(Bits{1} << i);
        for (size_t i = out.size(); i > 1; --i)
            std::swap(out[i - 1], out[static_cast<size_t>(below(static_cast<int64_t>(i)))]);
        return out;
    }
    // Registers, lanes and warps of a tile of 2^rows x 2^columns; `copies` of the lane's and warp's bits do nothing,
    // and so do registers that are too many.
    LinearMap atom(int rows, int columns, int lanes, int warps, bool mixed, int copies = 0) {
        const int all = rows + columns;
        std::vector<Bits> vectors = mixed ? basis(all) : units(all);
        std::vector<Bits> threads;
        for (int i = 0; i < lanes + warps; ++i) {
            const bool copy = i >= lanes + warps - copies || vectors.empty();
            threads.push_back(copy ? 0 : vectors.back());
            if (!copy) vectors.pop_back();
        }
        for (size_t i = threads.size(); i > 1; --i)
            std::swap(threads[i - 1], threads[static_cast<size_t>(below(static_cast<int64_t>(i)))]);
        const int registers = static_cast<int>(vectors.size());
        vectors.insert(vectors.end(), threads.begin(), threads.end());
        return LinearMap({{Counted::reg, registers}, {Counted::lane, lanes}, {Counted::warp, warps}},
                         {{axis(0), rows}, {axis(1), columns}}, vectors);
    }

private:
    std::mt19937 engine_;
};

// What each thread holds: [warp][lane][register], the number of the element, -1 for none.
using Threads = std::vector<std::vector<std::vector<int64_t>>>;

inline int64_t element(const Layout& layout, const Coordinates& at) {
    int64_t out = 0;
    for (size_t i = 0; i < layout.rank(); ++i) out = out * layout.shape[i] + at[i];
    return layout.inside(at) ? out : -1;
}

inline Threads filled(const Layout& layout) {
    Threads out(static_cast<size_t>(layout.warps()));
    for (size_t warp = 0; warp < out.size(); ++warp) {
        for (int64_t lane = 0; lane < layout.lanes(); ++lane) {
            std::vector<int64_t> registers;
            for (int64_t r = 0; r < layout.size(); ++r) {
                registers.push_back(element(layout, layout.at(r, lane, static_cast<int64_t>(warp))));
            }
            out[warp].push_back(registers);
        }
    }
    return out;
}

// Runs a conversion; every element that `to` holds must come out.
Threads converted(const Conversion& plan, const Threads& from, const Layout& to);

}  // namespace tsr::ir::test
