// Plans of conversions move every element to its place.
#include <algorithm>

#include <doctest/doctest.h>

#include "ir/machine/fragments.h"
#include "random_layout.h"

using namespace tsr::ir;
using namespace tsr::ir::test;

namespace {

using Registers = std::vector<int64_t>;
constexpr int64_t kNothing = -2;

Registers renamed(const LaneRenaming& by, const Registers& values, int64_t lane) {
    Registers out;
    for (size_t r = 0; r < values.size(); ++r) out.push_back(values[r ^ static_cast<size_t>(by.number(lane))]);
    return out;
}

// One piece: [lane][register] of one warp.
std::vector<Registers> shuffled(const ShuffleRounds& rounds, std::vector<Registers> lanes) {
    for (size_t lane = 0; lane < lanes.size(); ++lane) {
        lanes[lane] = renamed(rounds.send, lanes[lane], static_cast<int64_t>(lane));
    }
    std::vector<Registers> out;
    for (size_t lane = 0; lane < lanes.size(); ++lane) {
        Registers taken;
        for (size_t t = 0; t < rounds.given.size(); ++t) {
            const int64_t asked = rounds.asked(t, static_cast<int64_t>(lane));
            taken.push_back(lanes[static_cast<size_t>(asked)][static_cast<size_t>(rounds.given[t])]);
        }
        out.push_back(renamed(rounds.receive, taken, static_cast<int64_t>(lane)));
    }
    return out;
}

Bits place(const LinearMap& map, int64_t reg, size_t lane, size_t warp) {
    return map(map.pack({{Counted::reg, reg},
                         {Counted::lane, static_cast<int64_t>(lane)},
                         {Counted::warp, static_cast<int64_t>(warp)}}));
}

// One piece of the whole group; each element is written once.
Threads through_memory(const SharedMemory& memory, const Threads& from) {
    Registers shared(size_t{1} << memory.layout.in_bits(), kNothing);
    for (size_t warp = 0; warp < from.size(); ++warp) {
        for (size_t lane = 0; lane < from[warp].size(); ++lane) {
            if ((lane & memory.copies_lane) != 0 || (warp & memory.copies_warp) != 0) continue;
            for (const auto& access : memory.writes.registers) {
                const Bits begin = place(memory.write, access[0], lane, warp);
                for (size_t i = 0; i < access.size(); ++i) {
                    CHECK(place(memory.write, access[i], lane, warp) == begin + i);
                    shared[begin + i] = from[warp][lane][static_cast<size_t>(access[i])];
                }
            }
        }
    }
    Threads out = from;
    for (size_t warp = 0; warp < from.size(); ++warp) {
        for (size_t lane = 0; lane < from[warp].size(); ++lane) {
            out[warp][lane].assign(size_t{1} << memory.read.in_bits(Counted::reg), kNothing);
            for (const auto& access : memory.reads.registers) {
                const Bits begin = place(memory.read, access[0], lane, warp);
                for (size_t i = 0; i < access.size(); ++i) {
                    out[warp][lane][static_cast<size_t>(access[i])] = shared[begin + i];
                }
            }
        }
    }
    return out;
}

void check(const Layout& from, const Layout& to, int bytes) {
    const Conversion plan = plan_conversion(from, to, bytes);
    INFO(from.text(), " to ", to.text());
    const Threads result = converted(plan, filled(from), to), expected = filled(to);
    int64_t wrong = 0;
    for (size_t warp = 0; warp < expected.size(); ++warp) {
        for (size_t lane = 0; lane < expected[warp].size(); ++lane) {
            for (size_t r = 0; r < expected[warp][lane].size(); ++r) {
                const int64_t wanted = expected[warp][lane][r];
                wrong += wanted >= 0 && result[warp][lane][r] != wanted ? 1 : 0;
            }
        }
    }
    CHECK(wrong == 0);
}

}  // namespace

Threads tsr::ir::test::converted(const Conversion& plan, const Threads& from, const Layout& to) {
    Threads out = from;
    for (auto& warp : out) {
        for (Registers& lane : warp) lane.assign(static_cast<size_t>(to.size()), kNothing);
    }
    for (size_t p = 0; p < plan.from.size(); ++p) {
        Threads piece = from;
        for (size_t warp = 0; warp < from.size(); ++warp) {
            for (size_t lane = 0; lane < from[warp].size(); ++lane) {
                Registers& values = piece[warp][lane];
                values.clear();
                for (int64_t r : plan.from[p])
                    values.push_back(r < 0 ? kNothing : from[warp][lane][static_cast<size_t>(r)]);
                if (plan.way != Conversion::Way::rename && plan.way != Conversion::Way::none) continue;
                Registers moved;
                for (int64_t r : plan.renamed) moved.push_back(values[static_cast<size_t>(r)]);
                values = moved;
            }
            if (plan.way == Conversion::Way::shuffle) piece[warp] = shuffled(plan.rounds, piece[warp]);
        }
        if (plan.way == Conversion::Way::shared) piece = through_memory(plan.memory, piece);
        for (size_t warp = 0; warp < from.size(); ++warp) {
            for (size_t lane = 0; lane < from[warp].size(); ++lane) {
                for (size_t i = 0; i < plan.to[p].size(); ++i) {
                    if (plan.to[p][i] >= 0) out[warp][lane][static_cast<size_t>(plan.to[p][i])] = piece[warp][lane][i];
                }
            }
        }
    }
    return out;
}

TEST_CASE("a conversion moves every element: random layouts of one atom") {
    Random random(7);
    for (int round = 0; round < 60; ++round) {
        const int rows = static_cast<int>(random.below(5)), columns = 5 + static_cast<int>(random.below(3));
        const int warps = static_cast<int>(random.below(3));
        const bool mixed = round % 2 == 0;
        const int copies = static_cast<int>(random.below(3)), more = static_cast<int>(random.below(3));
        const Layout from =
            Layout::covering({1 << rows, 1 << columns}, random.atom(rows, columns, 5, warps, mixed, copies));
        const Layout to =
            Layout::covering({1 << rows, 1 << columns}, random.atom(rows, columns, 5, warps, mixed, more));
        check(from, to, 1 << random.below(4));
        check(from, from, 4);
    }
}

TEST_CASE("a conversion inside a warp goes by shuffles, one inside a thread by renaming") {
    Random random(8);
    int shuffles = 0;
    for (int round = 0; round < 40; ++round) {
        const Layout from = Layout::covering({16, 16}, random.atom(4, 4, 5, 0, round % 2 == 0));
        const Layout to = Layout::covering({16, 16}, random.atom(4, 4, 5, 0, round % 2 == 0));
        check(from, to, 4);
        const Conversion plan = plan_conversion(from, to, 4);
        CHECK(plan.way != Conversion::Way::shared);
        shuffles += plan.way == Conversion::Way::shuffle ? 1 : 0;
        Layout turned = from;
        std::vector<Bits> columns = from.atom.columns();
        std::swap(columns[0], columns[2]);
        turned.atom = LinearMap(from.atom.in(), from.atom.out(), columns);
        CHECK(plan_conversion(from, turned, 4).way == Conversion::Way::rename);
        CHECK(plan_conversion(from, from, 4).way == Conversion::Way::none);
        check(from, turned, 4);
    }
    CHECK(shuffles > 20);
}

TEST_CASE("a conversion between atoms of different extents, of sizes that are no powers of two") {
    Random random(9);
    for (int round = 0; round < 40; ++round) {
        const Coordinates shape{1 + random.below(50), 1 + random.below(180)};
        const Layout from = Layout::covering(shape, random.atom(2, 5, 5, 1, round % 2 == 0));
        const Layout to =
            Layout::covering(shape, random.atom(4, 4, 5, 1, round % 2 == 1, static_cast<int>(random.below(2))));
        check(from, to, 2);
        check(to, from, 2);
    }
}

TEST_CASE("an accumulator's fragment becomes the first operand's of the next product by renaming") {
    const auto product = warp_product(tsr::DType::bf16, tsr::DType::f32, 80);
    REQUIRE(product);
    const LinearMap warps = LinearMap::identity({{Counted::warp, 2}}, {{axis(0), 2}});
    const Layout scores = Layout::covering({64, 176}, fragment(*product, Operand::accumulator).times(warps));
    const Layout operand = Layout::covering({64, 176}, fragment(*product, Operand::a).times(warps));
    CHECK(plan_conversion(scores, operand, 2).way == Conversion::Way::rename);
    check(scores, operand, 2);
    const Layout wide = Layout::covering({64, 176}, group_accumulator(176));
    CHECK(plan_conversion(wide, operand, 2).way == Conversion::Way::none);
}

TEST_CASE("shared memory between rows and fragments has no conflicts") {
    // Rows of 16-byte accesses, eight rows of 64 bf16 per warp, four warps.
    const LinearMap lanes = LinearMap::identity({{Counted::lane, 3}}, {{axis(1), 3}})
                                .times(LinearMap::identity({{Counted::lane, 2}}, {{axis(0), 2}}));
    const LinearMap rows = LinearMap::identity({{Counted::reg, 3}}, {{axis(1), 3}})
                               .times(lanes)
                               .times(LinearMap::identity({{Counted::warp, 2}}, {{axis(0), 2}}));
    const auto product = warp_product(tsr::DType::bf16, tsr::DType::f32, 80);
    const LinearMap a = fragment(*product, Operand::a).times(LinearMap::identity({{Counted::warp, 2}}, {{axis(0), 2}}));
    const Conversion plan = plan_conversion(Layout::covering({64, 64}, rows), Layout::covering({64, 64}, a), 2);
    REQUIRE(plan.way == Conversion::Way::shared);
    auto least = [](const VectorAccess& access) { return std::max<int64_t>(1, access.width() * 2 * 32 / 128); };
    CHECK(plan.memory.writes.width() >= 2);
    CHECK(wavefronts(plan.memory.write, 2, plan.memory.writes.bits) == least(plan.memory.writes));
    CHECK(wavefronts(plan.memory.read, 2, plan.memory.reads.bits) == least(plan.memory.reads));
    check(Layout::covering({64, 64}, rows), Layout::covering({64, 64}, a), 2);
}
