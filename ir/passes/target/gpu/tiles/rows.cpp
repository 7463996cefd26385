#include "ir/passes/target/gpu/tiles/rows.h"

#include <algorithm>

namespace tsr::ir {

namespace {

int64_t element_rows(const Coordinates& shape) {
    int64_t rows = 1;
    for (size_t i = 0; i + 1 < shape.size(); ++i) rows *= shape[i];
    return rows;
}

}  // namespace

Layout layout_in_rows(const Coordinates& shape, int bytes, int warp_bits) {
    const size_t last = shape.size() - 1;
    const int access = std::min(log2_up(shape[last]), std::countr_zero(static_cast<unsigned>(16 / std::max(bytes, 1))));
    const int wide = bytes == 0 ? std::min(log2_up(shape[last]), 2) : access;
    auto covered = [&](int bits) { return (shape[last] + (int64_t{1} << bits) - 1) >> bits << bits; };
    int lanes = std::clamp(log2_up(shape[last]) - wide, 0, 5);
    const int64_t rows = element_rows(shape);
    while (lanes > 3 && rows > 1 && covered(wide + lanes) * 10 > covered(wide + lanes - 1) * 11) --lanes;
    std::vector<BitField> fields;
    for (size_t i = 0; i <= last; ++i) fields.push_back({axis(i), 0});
    LinearMap atom({}, fields, {});
    std::vector<int> taken(shape.size(), 0);
    auto give = [&](Counted counted, size_t to, int count) {
        atom = atom.times(LinearMap::identity({{counted, count}}, {{axis(to), count}}));
        taken[to] += count;
    };
    auto spread = [&](Counted counted, int count, bool from_last) {
        for (size_t i = 0; i <= last && count > 0; ++i) {
            const size_t to = from_last ? last - i : (i == last ? last : last - 1 - i);
            const int take = std::clamp(log2_up(shape[to]) - taken[to], 0, count);
            give(counted, to, take);
            count -= take;
        }
        atom = atom.times(LinearMap::copies(counted, count));
    };
    give(Counted::reg, last, wide);
    give(Counted::lane, last, lanes);
    if (last > 0) {
        spread(Counted::lane, 5 - lanes, false);
        spread(Counted::warp, warp_bits, false);
    } else {
        spread(Counted::lane, 5 - lanes, true);
        spread(Counted::warp, warp_bits, true);
    }
    return Layout::covering(shape, atom);
}

}  // namespace tsr::ir
