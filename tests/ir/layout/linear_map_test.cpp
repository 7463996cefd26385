// Linear maps over bits: inverses, composition, products and division.
#include <doctest/doctest.h>

#include "random_layout.h"

using namespace tsr::ir;
using namespace tsr::ir::test;

namespace {

// A random map between numbers of so many bits.
LinearMap random_map(Random& random, Counted from, int in, Counted to, int out) {
    std::vector<Bits> columns;
    for (int i = 0; i < in; ++i) columns.push_back(static_cast<Bits>(random.below(int64_t{1} << out)));
    return LinearMap({{from, in}}, {{to, out}}, columns);
}

LinearMap same(const std::vector<BitField>& fields) { return LinearMap::identity(fields, fields); }

}  // namespace

TEST_CASE("spaces over GF(2)") {
    Random random(1);
    for (int round = 0; round < 200; ++round) {
        const int bits = 1 + static_cast<int>(random.below(8));
        std::vector<Bits> a, b;
        for (int64_t i = random.below(6); i >= 0; --i) a.push_back(static_cast<Bits>(random.below(1 << bits)));
        for (int64_t i = random.below(6); i >= 0; --i) b.push_back(static_cast<Bits>(random.below(1 << bits)));
        auto spanned = [&](const std::vector<Bits>& vectors, Bits wanted) {
            for (Bits which = 0; which < Bits{1} << vectors.size(); ++which) {
                Bits sum = 0;
                for (size_t i = 0; i < vectors.size(); ++i) sum ^= (which >> i & 1) != 0 ? vectors[i] : 0;
                if (sum == wanted) return true;
            }
            return false;
        };
        BitSpace space, both;
        BitSolver solver;
        for (Bits vector : a) {
            space.add(vector);
            solver.add(vector);
        }
        for (Bits vector : intersection(a, b)) both.add(vector);
        for (Bits v = 0; v < Bits{1} << bits; ++v) {
            CHECK(space.contains(v) == spanned(a, v));
            CHECK(both.contains(v) == (spanned(a, v) && spanned(b, v)));
            Bits summands = 0, sum = 0;
            const bool solved = solver.solve(v, summands);
            CHECK(solved == spanned(a, v));
            for (size_t i = 0; i < a.size(); ++i) sum ^= (summands >> i & 1) != 0 ? a[i] : 0;
            if (solved) CHECK(sum == v);
            CHECK((summands & solver.free()) == 0);
        }
    }
}

TEST_CASE("an inverse undoes a layout, a pseudo-inverse finds one of the copies") {
    Random random(2);
    for (int round = 0; round < 100; ++round) {
        const int copies = static_cast<int>(random.below(3));
        const LinearMap map = random.atom(static_cast<int>(random.below(5)), 4, 2, 2, round % 2 == 0, copies);
        CHECK(map.is_surjective());
        CHECK(map.after(map.inverse()) == same(map.out()));
        CHECK(map.is_injective() == (copies == 0));
        if (copies == 0) CHECK(map.inverse().after(map) == same(map.in()));
        // Those without copies are their own inverse's images.
        const LinearMap there_and_back = map.inverse().after(map);
        for (Bits at = 0; at < Bits{1} << map.in_bits(); ++at) {
            CHECK((there_and_back(at) == at) == ((at & map.copy_bits()) == 0));
        }
    }
}

TEST_CASE("composition is associative, and applies one map after the other") {
    Random random(3);
    for (int round = 0; round < 100; ++round) {
        const int n[4] = {1 + static_cast<int>(random.below(6)), 1 + static_cast<int>(random.below(6)),
                          1 + static_cast<int>(random.below(6)), 1 + static_cast<int>(random.below(6))};
        const LinearMap f = random_map(random, Counted::lane, n[0], Counted::offset, n[1]);
        const LinearMap g = random_map(random, Counted::offset, n[1], axis(0), n[2]);
        const LinearMap h = random_map(random, axis(0), n[2], Counted::warp, n[3]);
        CHECK(h.after(g).after(f) == h.after(g.after(f)));
        for (Bits at = 0; at < Bits{1} << n[0]; ++at) CHECK(h.after(g).after(f)(at) == h(g(f(at))));
        CHECK(f.after(same(f.in())) == f);
        CHECK(same(f.out()).after(f) == f);
    }
}

TEST_CASE("a product is divided by its inner factor, by nothing else") {
    Random random(4);
    for (int round = 0; round < 100; ++round) {
        const LinearMap inner = random.atom(2, 2, 2, 1, true), outer = random.atom(1, 3, 1, 1, true);
        const LinearMap product = inner.times(outer);
        const auto quotient = product.divided_by(inner);
        REQUIRE(quotient);
        CHECK(*quotient == outer);
        const LinearMap other = random.atom(2, 2, 2, 1, true);
        CHECK(product.divided_by(other).has_value() == (other == inner));
        // Numbers of both, the inner one's in the lower bits.
        const int64_t reg = random.below(2), lane = random.below(4), far = random.below(2);
        const Position at[] = {{Counted::reg, reg}, {Counted::lane, lane + 4 * far}};
        const int64_t low = inner.at({{Counted::reg, reg}, {Counted::lane, lane}}, axis(1));
        CHECK(product.at({at[0], at[1]}, axis(1)) == low + 4 * outer.at({{Counted::lane, far}}, axis(1)));
        CHECK(product.times(inner).times(outer) == product.times(inner.times(outer)));
    }
}
