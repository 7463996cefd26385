#include "ir/layout/access.h"

#include <algorithm>
#include <bit>

namespace tsr::ir {

namespace {

Bits below(int bits) { return (Bits{1} << bits) - 1; }

}  // namespace

VectorAccess vector_access(const LinearMap& to_offset, int max_bits) {
    const std::vector<Bits> registers = to_offset.columns(Counted::reg);
    VectorAccess out;
    auto fits = [&](int bits) {
        for (Counted counted : {Counted::lane, Counted::warp, Counted::group}) {
            for (Bits column : to_offset.columns(counted)) {
                if ((column & below(bits)) != 0) return false;
            }
        }
        BitSolver solver;
        for (Bits column : registers) solver.add(column);
        for (int bit = 0; bit < bits; ++bit) {
            Bits summands = 0;
            if (!solver.solve(Bits{1} << bit, summands)) return false;
        }
        return true;
    };
    const int limit = std::min(max_bits, to_offset.out_bits(Counted::offset));
    while (out.bits < limit && fits(out.bits + 1)) ++out.bits;
    // Registers whose element stands first in an access, in their order.
    BitSolver solver;
    for (Bits column : registers) solver.add(column);
    std::vector<Bits> step(static_cast<size_t>(out.bits));
    for (size_t bit = 0; bit < step.size(); ++bit) (void)solver.solve(Bits{1} << bit, step[bit]);
    for (Bits r = 0; r < Bits{1} << registers.size(); ++r) {
        Bits offset = 0;
        for (size_t bit = 0; bit < registers.size(); ++bit) offset ^= (r >> bit & 1) != 0 ? registers[bit] : 0;
        if ((offset & below(out.bits)) != 0) continue;
        std::vector<int64_t> access;
        for (Bits j = 0; j < Bits{1} << out.bits; ++j) {
            Bits at = r;
            for (size_t bit = 0; bit < step.size(); ++bit) at ^= (j >> bit & 1) != 0 ? step[bit] : 0;
            access.push_back(static_cast<int64_t>(at));
        }
        out.registers.push_back(access);
    }
    return out;
}

LinearMap row_offsets(const LinearMap& atom) {
    std::vector<BitField> backwards(atom.out().rbegin(), atom.out().rend());
    LinearMap to_offset = LinearMap::identity({{Counted::offset, atom.out_bits()}}, backwards).inverse();
    return to_offset.after(atom);
}

int64_t wavefronts(const LinearMap& to_offset, int bytes, int vector_bits) {
    const int64_t access = int64_t{bytes} << vector_bits;
    const int unit = std::max(std::countr_zero(static_cast<uint64_t>(access)), 2);  // what one lane asks for, log2
    const int together = access <= 4 ? 5 : access == 8 ? 4 : 3;                     // lanes of one service, log2
    const std::vector<Bits> lanes = to_offset.columns(Counted::lane);
    BitSpace places, banks;
    for (size_t bit = 0; bit < lanes.size() && static_cast<int>(bit) < together; ++bit) {
        const Bits place = lanes[bit] * static_cast<Bits>(bytes) >> unit;
        places.add(place);
        banks.add(place & below(7 - unit));
    }
    const int services = static_cast<int>(lanes.size()) > together ? static_cast<int>(lanes.size()) - together : 0;
    return int64_t{1} << (services + places.dimension() - banks.dimension());
}

}  // namespace tsr::ir
