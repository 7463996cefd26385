#include "ir/layout/convert.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "ir/core/internal.h"

namespace tsr::ir {

int64_t LaneRenaming::number(int64_t lane) const {
    int64_t out = 0;
    for (size_t i = 0; i < masks.size(); ++i) {
        out |= int64_t{std::popcount(masks[i] & static_cast<Bits>(lane)) % 2} << i;
    }
    return out;
}

bool LaneRenaming::is_none() const {
    return std::ranges::all_of(masks, [](Bits mask) { return mask == 0; });
}

int64_t ShuffleRounds::asked(size_t round, int64_t lane) const {
    Bits out = static_cast<Bits>(from_constant[round]);
    for (size_t i = 0; i < from.size(); ++i) out ^= (lane >> i & 1) != 0 ? from[i] : 0;
    return static_cast<int64_t>(out);
}

namespace {

// A layout with an atom of the given extents, each at least its own, and which of its own registers its registers are.
struct Enlarged {
    LinearMap atom;
    std::vector<std::vector<int64_t>> registers;  // per piece
};

Enlarged enlarge(const Layout& layout, const Coordinates& extents, const Coordinates& pieces) {
    Enlarged out{layout.atom, {}};
    Coordinates inside(layout.rank());  // atoms of the layout in a piece
    for (size_t i = layout.rank(); i-- > 0;) {
        inside[i] = extents[i] / layout.atom_extent(i);
        const int bits = std::countr_zero(static_cast<uint64_t>(inside[i]));
        out.atom = out.atom.times(LinearMap::identity({{Counted::reg, bits}}, {{axis(i), bits}}));
    }
    const int64_t size = layout.atom_size();
    const int64_t all = std::accumulate(inside.begin(), inside.end(), size, std::multiplies<>());
    const int64_t count = std::accumulate(pieces.begin(), pieces.end(), int64_t{1}, std::multiplies<>());
    for (int64_t piece = 0; piece < count; ++piece) {
        std::vector<int64_t> registers;
        for (int64_t r = 0; r < all; ++r) {
            Coordinates number(layout.rank());  // of the atom
            int64_t atom_rest = r / size, piece_rest = piece;
            for (size_t i = layout.rank(); i-- > 0;) {
                number[i] = piece_rest % pieces[i] * inside[i] + atom_rest % inside[i];
                piece_rest /= pieces[i];
                atom_rest /= inside[i];
            }
            int64_t which = 0;
            bool there = true;
            for (size_t i = 0; i < layout.rank(); ++i) {
                there &= number[i] < layout.repeat[i];
                which = which * layout.repeat[i] + number[i];
            }
            registers.push_back(there ? which * size + r % size : -1);
        }
        out.registers.push_back(registers);
    }
    return out;
}

// The source's place of what each place of the destination holds, near to it: of several copies one in the same
// thread, else one in the same warp.
LinearMap sources(const LinearMap& from, const LinearMap& to) {
    BitSolver solver;
    for (Bits column : from.columns()) solver.add(column);
    std::vector<Bits> columns;
    for (const BitField& field : to.in()) {
        const std::vector<Bits> all = to.columns(field.counted);
        for (size_t bit = 0; bit < all.size(); ++bit) {
            // The same lane and warp, and what must be added to it.
            const bool stays = field.counted != Counted::reg;
            const Bits here = stays ? from.pack({{field.counted, int64_t{1} << bit}}) : 0;
            Bits summands = 0;
            if (!solver.solve(all[bit] ^ from(here), summands)) internal_error("a conversion from what is not there");
            columns.push_back(here ^ summands);
        }
    }
    return {to.in(), from.in(), columns};
}

bool keeps(const LinearMap& map, Counted counted) {
    for (const BitField& field : map.in()) {
        const std::vector<Bits> columns = map.columns(field.counted);
        for (size_t bit = 0; bit < columns.size(); ++bit) {
            const int64_t part = map.part(columns[bit], counted);
            if (part != (field.counted == counted ? int64_t{1} << bit : 0)) return false;
        }
    }
    return map.in_bits(counted) == map.out_bits(counted);
}

// What each bit of a lane (register) of the destination adds to the lane and register of the source.
struct SourceBits {
    std::vector<Bits> lane_of_lane, reg_of_lane, lane_of_reg, reg_of_reg;

    explicit SourceBits(const LinearMap& source) {
        auto part = [&](Bits column, Counted counted) { return static_cast<Bits>(source.part(column, counted)); };
        for (Bits column : source.columns(Counted::lane)) {
            lane_of_lane.push_back(part(column, Counted::lane));
            reg_of_lane.push_back(part(column, Counted::reg));
        }
        for (Bits column : source.columns(Counted::reg)) {
            lane_of_reg.push_back(part(column, Counted::lane));
            reg_of_reg.push_back(part(column, Counted::reg));
        }
    }
};

Bits sum_of(const std::vector<Bits>& vectors, Bits which) {
    Bits sum = 0;
    for (size_t i = 0; i < vectors.size(); ++i) sum ^= (which >> i & 1) != 0 ? vectors[i] : 0;
    return sum;
}

// In round t a lane receives its register t ^ g(lane). g is chosen so that the lanes that are asked differ as far as
// they can: then each is asked for one register. Per bit of the lane; fills in the lane that is asked.
std::vector<Bits> spread_askers(const SourceBits& source, std::vector<Bits>& asked) {
    std::vector<Bits> g(source.lane_of_lane.size(), 0);
    BitSpace image;
    for (size_t i = 0; i < g.size(); ++i) {
        asked.push_back(source.lane_of_lane[i]);
        if (image.add(asked.back())) continue;
        for (size_t r = 0; r < source.lane_of_reg.size(); ++r) {  // a register that asks elsewhere
            if (!image.add(asked.back() ^ source.lane_of_reg[r])) continue;
            g[i] = Bits{1} << r;
            asked.back() ^= source.lane_of_reg[r];
            break;
        }
    }
    return g;
}

// False: two lanes that ask one lane want different registers of it.
bool plan_shuffles(const LinearMap& map, ShuffleRounds& rounds) {
    const SourceBits source(map);
    const std::vector<Bits> g = spread_askers(source, rounds.from);
    const size_t lanes = g.size(), registers = source.lane_of_reg.size();
    std::vector<Bits> wanted;  // register of the asked lane, per bit of the asking one
    BitSolver askers;
    rounds.receive.masks.assign(registers, 0);
    for (size_t bit = 0; bit < lanes; ++bit) {
        wanted.push_back(source.reg_of_lane[bit] ^ sum_of(source.reg_of_reg, g[bit]));
        askers.add(rounds.from[bit]);
        for (size_t r = 0; r < registers; ++r) rounds.receive.masks[r] |= (g[bit] >> r & 1) << bit;
    }
    // The same as a function of the lane that is asked.
    rounds.send.masks.assign(static_cast<size_t>(map.out_bits(Counted::reg)), 0);
    for (size_t bit = 0; bit < lanes; ++bit) {
        Bits asking = 0;
        if (!askers.solve(Bits{1} << bit, asking)) continue;
        const Bits reg = sum_of(wanted, asking);
        for (size_t r = 0; r < rounds.send.masks.size(); ++r) rounds.send.masks[r] |= (reg >> r & 1) << bit;
    }
    for (size_t i = 0; i < lanes; ++i) {
        if (rounds.send.number(static_cast<int64_t>(rounds.from[i])) != static_cast<int64_t>(wanted[i])) return false;
    }
    for (Bits t = 0; t < Bits{1} << registers; ++t) {
        const auto lane = static_cast<int64_t>(sum_of(source.lane_of_reg, t));
        // The sender renames by its own number; what this round's constant has in that is taken back.
        rounds.from_constant.push_back(lane);
        rounds.given.push_back(static_cast<int64_t>(sum_of(source.reg_of_reg, t)) ^ rounds.send.number(lane));
    }
    return true;
}

}  // namespace

Conversion plan_conversion(const Layout& from, const Layout& to, int bytes) {
    if (from.shape != to.shape || from.lanes() != to.lanes() || from.warps() != to.warps()) {
        internal_error("a conversion between " + from.text() + " and " + to.text());
    }
    Coordinates extents(from.rank()), pieces(from.rank());
    for (size_t i = 0; i < from.rank(); ++i) {
        extents[i] = std::max(from.atom_extent(i), to.atom_extent(i));
        pieces[i] = (from.shape[i] + extents[i] - 1) / extents[i];
    }
    const Enlarged source = enlarge(from, extents, pieces), destination = enlarge(to, extents, pieces);
    Conversion out;
    out.from = source.registers;
    out.to = destination.registers;
    const LinearMap near = sources(source.atom, destination.atom);
    using Way = Conversion::Way;
    auto touches = [&](Counted counted, Counted part) {
        return std::ranges::any_of(near.columns(counted), [&](Bits c) { return near.part(c, part) != 0; });
    };
    // Every warp does the same with its lanes and registers.
    const bool in_warps = keeps(near, Counted::warp) && keeps(near, Counted::group) &&
                          !touches(Counted::warp, Counted::reg) && !touches(Counted::group, Counted::reg) &&
                          !touches(Counted::warp, Counted::lane) && !touches(Counted::group, Counted::lane);
    if (in_warps && keeps(near, Counted::lane) && !touches(Counted::lane, Counted::reg)) {
        out.way = from == to ? Way::none : Way::rename;
        for (int64_t r = 0; r < int64_t{1} << near.in_bits(Counted::reg); ++r) {
            out.renamed.push_back(near.at({{Counted::reg, r}}, Counted::reg));
        }
        return out;
    }
    if (in_warps && plan_shuffles(near, out.rounds)) {
        out.way = Way::shuffle;
        return out;
    }
    out.way = Way::shared;
    out.memory = choose_memory(source.atom, destination.atom, bytes);
    return out;
}

}  // namespace tsr::ir
