// Widths of accesses and conflicts between banks, against a count of every address.
#include <map>
#include <set>

#include <doctest/doctest.h>

#include "random_layout.h"

using namespace tsr::ir;
using namespace tsr::ir::test;

namespace {

// The distinct words that the busiest bank gives, summed over the services of one access.
int64_t counted(const LinearMap& to_offset, int bytes, int vector_bits) {
    const int64_t access = int64_t{bytes} << vector_bits;
    const int64_t together = access <= 4 ? 32 : access == 8 ? 16 : 8;
    int64_t sum = 0;
    for (int64_t first = 0; first < 32; first += together) {
        std::map<int64_t, std::set<int64_t>> words;  // per bank
        for (int64_t lane = first; lane < first + together; ++lane) {
            const int64_t begin = to_offset.at({{Counted::lane, lane}}, Counted::offset) * bytes;
            for (int64_t word = begin / 4; word <= (begin + access - 1) / 4; ++word) words[word % 32].insert(word);
        }
        size_t most = 0;
        for (const auto& [bank, all] : words) most = std::max(most, all.size());
        sum += static_cast<int64_t>(most);
    }
    return sum;
}

LinearMap offsets(const LinearMap& atom) { return row_offsets(atom); }

}  // namespace

TEST_CASE("predicted conflicts are those of a count") {
    Random random(21);
    for (int round = 0; round < 300; ++round) {
        const LinearMap map = offsets(random.atom(5, 6, 5, 1, round % 2 == 0, static_cast<int>(random.below(3))));
        const int bytes = 1 << random.below(4);
        for (int bits = 0; bytes << bits <= 16; ++bits) {
            const VectorAccess access = vector_access(map, bits);
            CHECK(wavefronts(map, bytes, access.bits) == counted(map, bytes, access.bits));
        }
    }
}

TEST_CASE("accesses are as wide as registers are consecutive") {
    Random random(22);
    for (int round = 0; round < 200; ++round) {
        const LinearMap map = offsets(random.atom(3, 6, 4, 1, round % 3 == 0));
        const VectorAccess access = vector_access(map, 4);
        std::set<int64_t> seen;
        for (const auto& registers : access.registers) {
            CHECK(static_cast<int64_t>(registers.size()) == access.width());
            for (int64_t thread = 0; thread < 32; ++thread) {
                const std::vector<Position> where{{Counted::lane, thread % 16}, {Counted::warp, thread / 16}};
                auto at = [&](int64_t reg) {
                    auto all = where;
                    all.push_back({Counted::reg, reg});
                    return map.at(all, Counted::offset);
                };
                CHECK(at(registers[0]) % access.width() == 0);
                for (size_t i = 0; i < registers.size(); ++i) {
                    CHECK(at(registers[i]) == at(registers[0]) + static_cast<int64_t>(i));
                }
            }
            seen.insert(registers.begin(), registers.end());
        }
        CHECK(static_cast<int64_t>(seen.size()) == (int64_t{1} << map.in_bits(Counted::reg)));
        // One bit more: no partition of the registers of thread 0 into aligned runs of twice the width in all threads.
        int64_t aligned = 0;
        const int64_t twice = access.width() * 2;
        for (int64_t thread = 0; thread < 32; ++thread) {
            std::set<int64_t> here;
            for (int64_t r = 0; r < int64_t{1} << map.in_bits(Counted::reg); ++r) {
                here.insert(map.at({{Counted::reg, r}, {Counted::lane, thread % 16}, {Counted::warp, thread / 16}},
                                   Counted::offset));
            }
            bool whole = true;
            for (int64_t offset : here) {
                for (int64_t i = offset / twice * twice; i < offset / twice * twice + twice; ++i)
                    whole &= here.contains(i);
            }
            aligned += whole ? 1 : 0;
        }
        if (access.bits < 4 && round % 3 != 0) CHECK(aligned < 32);
    }
}

TEST_CASE("the memory chosen for a conversion has no conflicts where its sides' lanes are few enough") {
    Random random(23);
    for (int round = 0; round < 200; ++round) {
        const LinearMap from = random.atom(5, 7, 5, 2, round % 2 == 0), to = random.atom(5, 7, 5, 2, round % 2 == 0);
        for (int bytes : {4, 8}) {
            const SharedMemory memory = choose_memory(from, to, bytes);
            CHECK(memory.layout.is_injective());
            auto least = [&](const VectorAccess& access) {
                return std::max<int64_t>(1, access.width() * bytes * 32 / 128);
            };
            // Of accesses of one width on both sides every lane of a service can have its own banks.
            if (memory.writes.bits != memory.reads.bits) continue;
            CHECK(wavefronts(memory.write, bytes, memory.writes.bits) == least(memory.writes));
            CHECK(wavefronts(memory.read, bytes, memory.reads.bits) == least(memory.reads));
        }
    }
}
