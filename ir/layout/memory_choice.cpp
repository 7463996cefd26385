// The layout of shared memory that a conversion goes through ("Linear Layouts", arXiv 2505.23819, section 5.4).
//
// Offsets are, from the lowest bit: elements of one access, banks, rows of banks. Two lanes of one service conflict
// where their coordinates differ by a sum of row and access vectors. So the row vectors are chosen outside of what the
// lanes of either side span together with those chosen before: two proper subspaces never cover the whole space, so
// there is such a vector until one side has none left.
#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

#include "ir/layout/convert.h"

namespace tsr::ir {

namespace {

struct Side {
    std::vector<Bits> registers, lanes;  // columns
};

Side side(const LinearMap& map) { return {map.columns(Counted::reg), map.columns(Counted::lane)}; }

// Lanes of one service for accesses of so many bytes, log2.
size_t together(int64_t bytes) { return bytes <= 4 ? 5 : bytes == 8 ? 4 : 3; }

// A vector outside of both spaces.
std::optional<Bits> outside(const BitSpace& a, const BitSpace& b, const std::vector<Bits>& candidates) {
    std::optional<Bits> out_a, out_b;
    for (Bits vector : candidates) {
        const bool in_a = a.contains(vector), in_b = b.contains(vector);
        if (!in_a && !in_b) return vector;
        if (!in_a && !out_a) out_a = vector;
        if (!in_b && !out_b) out_b = vector;
    }
    if (!out_a || !out_b) return std::nullopt;
    return *out_a ^ *out_b;
}

std::vector<Bits> unit_vectors(int bits) {
    std::vector<Bits> out;
    for (int i = 0; i < bits; ++i) out.push_back(Bits{1} << i);
    return out;
}

// The map from offsets whose lowest bits are `access`.
LinearMap arrange(const Side& from, const Side& to, const std::vector<Bits>& access, const LinearMap& shape,
                  int bytes) {
    const int all = shape.out_bits();
    const std::vector<Bits> units = unit_vectors(all);
    BitSpace taken, of_from, of_to;
    for (Bits vector : access) {
        for (BitSpace* space : {&taken, &of_from, &of_to}) space->add(vector);
    }
    const int64_t moved = int64_t{bytes} << access.size();
    auto add_lanes = [&](BitSpace& space, const std::vector<Bits>& lanes) {
        for (size_t i = 0; i < std::min(lanes.size(), together(moved)); ++i) space.add(lanes[i]);
    };
    add_lanes(of_from, from.lanes);
    add_lanes(of_to, to.lanes);
    const int in_banks = std::max(7 - std::countr_zero(static_cast<uint64_t>(bytes)), static_cast<int>(access.size()));
    std::vector<Bits> rows;
    for (int left = all - in_banks; left > 0; --left) {
        auto vector = outside(of_from, of_to, units);
        for (size_t i = 0; !vector && i < units.size(); ++i) {  // conflicts: no way around them
            if (!taken.contains(units[i])) vector = units[i];
        }
        for (BitSpace* space : {&taken, &of_from, &of_to}) space->add(*vector);
        rows.push_back(*vector);
    }
    // Banks: lanes first, so that they do not reach into an access.
    std::vector<Bits> columns = access;
    for (const std::vector<Bits>* list : {&to.lanes, &from.lanes, &units}) {
        for (Bits vector : *list) {
            if (taken.add(vector)) columns.push_back(vector);
        }
    }
    columns.insert(columns.end(), rows.begin(), rows.end());
    return LinearMap({{Counted::offset, all}}, shape.out(), columns);
}

}  // namespace

SharedMemory choose_memory(const LinearMap& from, const LinearMap& to, int bytes) {
    const Side a = side(from), b = side(to);
    const int widest = std::countr_zero(static_cast<uint64_t>(16 / bytes));
    std::vector<std::vector<Bits>> tried;
    std::vector<Bits> both = intersection(a.registers, b.registers);
    // Prefers vectors that are registers of both as they are: their order in memory is the registers' order.
    std::ranges::sort(both);
    if (both.size() > static_cast<size_t>(widest)) both.resize(static_cast<size_t>(widest));
    for (size_t count = 0; count <= both.size(); ++count)
        tried.emplace_back(both.begin(), both.begin() + static_cast<std::ptrdiff_t>(count));
    for (const Side* more : {&b, &a}) {
        std::vector<Bits> access = both;
        BitSpace space;
        for (Bits vector : access) space.add(vector);
        for (Bits vector : more->registers) {
            if (access.size() < static_cast<size_t>(widest) && space.add(vector)) {
                access.push_back(vector);
                tried.push_back(access);
            }
        }
    }
    SharedMemory best;
    int64_t least = std::numeric_limits<int64_t>::max();
    for (const std::vector<Bits>& access : tried) {
        SharedMemory memory;
        memory.layout = arrange(a, b, access, from, bytes);
        const LinearMap to_offset = memory.layout.inverse();
        memory.write = to_offset.after(from);
        memory.read = to_offset.after(to);
        memory.writes = vector_access(memory.write, widest);
        memory.reads = vector_access(memory.read, widest);
        auto cost = [&](const LinearMap& map, const VectorAccess& accesses) {
            return static_cast<int64_t>(accesses.registers.size()) * wavefronts(map, bytes, accesses.bits);
        };
        const int64_t all = cost(memory.write, memory.writes) + cost(memory.read, memory.reads);
        if (all >= least) continue;
        least = all;
        best = std::move(memory);
    }
    const Bits copies = from.copy_bits();
    for (int at = 0; const BitField& field : from.in()) {
        const Bits bits = copies >> at & ((Bits{1} << field.bits) - 1);
        if (field.counted == Counted::lane) best.copies_lane = bits;
        if (field.counted == Counted::warp) best.copies_warp = bits;
        at += field.bits;
    }
    return best;
}

}  // namespace tsr::ir
