// Layouts: repeats, text, slices, transposes, swizzles, fragments.
#include <set>

#include <doctest/doctest.h>

#include "ir/machine/fragments.h"
#include "random_layout.h"

using namespace tsr;
using namespace tsr::ir;
using namespace tsr::ir::test;

TEST_CASE("a layout of any size holds each element") {
    Random random(5);
    for (int round = 0; round < 30; ++round) {
        const Coordinates shape{1 + random.below(40), 1 + random.below(90)};
        const Layout layout = Layout::covering(shape, random.atom(3, 4, 5, 1, round % 2 == 0));
        std::set<int64_t> seen;
        for (const auto& warp : filled(layout)) {
            for (const auto& lane : warp) seen.insert(lane.begin(), lane.end());
        }
        seen.erase(-1);
        CHECK(static_cast<int64_t>(seen.size()) == shape[0] * shape[1]);
    }
    const Layout ring = Layout::covering(
        {3, 64, 176}, LinearMap::identity({{Counted::offset, 3}}, {{axis(0), 0}, {axis(1), 0}, {axis(2), 3}}));
    CHECK(ring.repeat == Coordinates{3, 64, 22});
    CHECK(ring.size() == 3 * 64 * 176);
}

TEST_CASE("text reads back") {
    Random random(6);
    for (int round = 0; round < 50; ++round) {
        const Layout layout =
            Layout::covering({1 + random.below(40), 1 + random.below(90)}, random.atom(3, 4, 5, 1, true));
        const auto read = Layout::parse(layout.text());
        REQUIRE(read);
        CHECK(*read == layout);
        std::string broken = layout.text();
        broken.erase(static_cast<size_t>(random.below(static_cast<int64_t>(broken.size()))), 1);
        const auto other = Layout::parse(broken);
        if (other) CHECK(Layout::parse(other->text()) == other);
    }
    const Layout rows = row_major({3, 16});
    CHECK(rows.text() == "3x16 = 3x1 of 1x16 { offset (0, 1) (0, 2) (0, 4) (0, 8) }");
    CHECK_FALSE(Layout::parse("3x16 = 3x1 of 1x12 { }"));
    CHECK_FALSE(Layout::parse("3x16 = 3x1 of 1x16 { offset (0, 16) }"));
}

TEST_CASE("layouts that place all elements alike are equal in normal form") {
    const LinearMap eight = LinearMap::identity({{Counted::reg, 3}}, {{axis(0), 0}, {axis(1), 3}});
    const LinearMap two = LinearMap::identity({{Counted::reg, 1}}, {{axis(0), 0}, {axis(1), 1}});
    CHECK(Layout::covering({4, 48}, eight).same_as(Layout::covering({4, 48}, two)));
    CHECK(Layout::covering({4, 48}, eight) != Layout::covering({4, 48}, two));
    CHECK_FALSE(Layout::covering({4, 48}, eight).same_as(Layout::covering({4, 48}, two).permuted({1, 0})));
}

TEST_CASE("slices and transposes hold what they should") {
    Random random(11);
    for (int round = 0; round < 30; ++round) {
        const Layout layout =
            Layout::covering({1 + random.below(20), 1 + random.below(50)}, random.atom(2, 3, 3, 1, round % 2 == 0));
        for (size_t gone : {size_t{0}, size_t{1}}) {
            const Layout slice = layout.without_axis(gone);
            const std::vector<int64_t> to = layout.registers_without(gone);
            for (int64_t thread = 0; thread < 16; ++thread) {
                for (int64_t r = 0; r < layout.size(); ++r) {
                    CHECK(slice.at(to[static_cast<size_t>(r)], thread % 8, thread / 8)[0] ==
                          layout.at(r, thread % 8, thread / 8)[1 - gone]);
                }
            }
        }
        const Layout turned = layout.permuted({1, 0});
        const std::vector<int64_t> from = layout.registers_permuted({1, 0});
        for (int64_t r = 0; r < turned.size(); ++r) {
            const Coordinates a = turned.at(r, 5, 1), b = layout.at(from[static_cast<size_t>(r)], 5, 1);
            CHECK(a == Coordinates{b[1], b[0]});
        }
        CHECK(turned.permuted({1, 0}) == layout);
    }
}

TEST_CASE("a swizzle is the exclusive or of row and column") {
    const LinearMap memory = swizzled_rows(4, 6, 3, 1, 2);  // groups of 8 elements, pairs of rows, four phases
    const LinearMap offsets = memory.inverse();
    for (int64_t row = 0; row < 16; ++row) {
        for (int64_t column = 0; column < 64; ++column) {
            const int64_t expected = row * 64 + (column ^ (row / 2 % 4 * 8));
            CHECK(offsets.at({{axis(0), row}, {axis(1), column}}, Counted::offset) == expected);
        }
    }
}

namespace {

// PTX ISA: element i of lane `lane`, as the manual has it.
Coordinates manual(const WarpProduct& p, Operand operand, int64_t i, int64_t lane) {
    const int64_t group = lane / 4, in_group = lane % 4;
    if (operand == Operand::accumulator) return {group + (i >= 2 ? 8 : 0), in_group * 2 + i % 2};
    const int64_t held = std::max(1, 32 / bits(p.input)), reg = i / held;
    if (operand == Operand::b) return {in_group * held + i % held + reg * 4 * held, group};
    return {group + reg % 2 * 8, in_group * held + i % held + reg / 2 * 4 * held};
}

}  // namespace

TEST_CASE("fragments are those of the manual") {
    const DType inputs[] = {DType::f16, DType::bf16,     DType::f64,     DType::i8,
                            DType::u8,  DType::fp8_e4m3, DType::fp8_e5m2};
    CHECK_FALSE(tf32_product(75));
    std::vector<WarpProduct> products{*tf32_product(80)};
    for (DType input : inputs) {
        const DType sum = input == DType::f64 ? DType::f64 : is_integer(input) ? DType::i32 : DType::f32;
        products.push_back(*warp_product(input, sum, 120));
        CHECK_FALSE(warp_product(input, sum, 75));
    }
    CHECK_FALSE(warp_product(DType::fp8_e4m3, DType::f32, 86));
    for (const WarpProduct& p : products) {
        for (Operand operand : {Operand::a, Operand::b, Operand::accumulator}) {
            const LinearMap map = fragment(p, operand);
            const int64_t rows = operand == Operand::b ? p.inner : p.rows;
            const int64_t columns = operand == Operand::a ? p.inner : p.columns;
            CHECK(map.is_injective());
            CHECK((int64_t{1} << map.out_bits(axis(0))) == rows);
            CHECK((int64_t{1} << map.out_bits(axis(1))) == columns);
            for (int64_t lane = 0; lane < 32; ++lane) {
                for (int64_t i = 0; i < rows * columns / 32; ++i) {
                    const Layout layout = Layout::covering({rows, columns}, map);
                    CHECK(layout.at(i, lane) == manual(p, operand, i, lane));
                }
            }
        }
    }
    const Layout wide = Layout::covering({64, 176}, group_accumulator(176));
    CHECK(wide.repeat == Coordinates{1, 11});
    for (int64_t i = 0; i < 88; ++i) {
        for (int64_t thread = 0; thread < 128; ++thread) {
            const Coordinates expected{thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8,
                                       i / 4 * 8 + thread % 4 * 2 + i % 2};
            CHECK(wide.at(i, thread % 32, thread / 32) == expected);
        }
    }
}
