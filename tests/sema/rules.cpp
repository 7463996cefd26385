// Rules that are clearer as C++ than as programs: joins of types, folding, solving for a dimension, the name table.
#include <cmath>

#include <doctest/doctest.h>

#include "sema/builtins/builtins.h"
#include "sema/types/fold.h"
#include "sema/types/numeric.h"
#include "sema/types/solve.h"

using namespace tsr;
using namespace tsr::sema;

TEST_CASE("a literal takes any numeric type that holds it") {
    CHECK(holds(DType::u8, Static::of(int64_t{255})));
    CHECK_FALSE(holds(DType::u8, Static::of(int64_t{256})));
    CHECK_FALSE(holds(DType::u8, Static::of(int64_t{-1})));
    CHECK(holds(DType::i8, Static::of(int64_t{-128})));
    CHECK(holds(DType::u64, Static::of_unsigned(~uint64_t{0})));
    CHECK_FALSE(holds(DType::i64, Static::of_unsigned(~uint64_t{0})));
    CHECK(holds(DType::f32, Static::of(int64_t{1} << 24)));
    CHECK_FALSE(holds(DType::f32, Static::of((int64_t{1} << 24) + 1)));
    CHECK(holds(DType::f64, Static::of((int64_t{1} << 24) + 1)));
    CHECK_FALSE(holds(DType::i32, Static::of(0.5)));
}

TEST_CASE("static integers round down and are exact") {
    auto n = [](int64_t v) { return Static::of(v); };
    using enum ast::BinaryOp;
    CHECK(fold(floordiv, n(-7), n(2)).value == n(-4));
    CHECK(fold(mod, n(-7), n(2)).value == n(1));
    CHECK(fold(ast::BinaryOp::div, n(7), n(2)).value == Static::of(3.5));
    CHECK(fold(floordiv, n(1), n(0)).fault == "division by zero");
    CHECK(fold(mul, n(INT64_MAX), n(INT64_MAX)).value == std::nullopt);
    CHECK(fold(add, n(INT64_MAX), n(1)).value == Static::of_unsigned(uint64_t{1} << 63));
    CHECK(fold(ast::BinaryOp::pow, n(-1), n(INT64_MAX)).value == n(-1));
    CHECK(fold(ast::BinaryOp::pow, n(2), n(10)).value == n(1024));
    CHECK(fold(shr, n(-8), n(100)).value == n(-1));
    CHECK(fold(ast::CompareOp::lt, n(-1), Static::of_unsigned(~uint64_t{0})) == true);
    CHECK(fold(Builtin::max, {n(2), Static::of(2.5)}) == Static::of(2.5));
}

TEST_CASE("a dimension is solved for its only unknown") {
    using ir::Dim;
    Dim n = Dim::symbol("n"), tp = Dim::symbol("tp"), v = Dim::symbol("v");
    CHECK(solve(n, "n", v) == v);
    CHECK(solve(n + Dim::constant(1), "n", v) == v - Dim::constant(1));
    CHECK(solve(Dim::exact_quotient(n, tp), "n", v) == v * tp);
    CHECK(solve(Dim::constant(2) * n, "n", Dim::constant(10)) == Dim::constant(5));
    CHECK(solve(Dim::floor_quotient(n, Dim::constant(2)), "n", v) == std::nullopt);
    CHECK(solve(n * n, "n", v) == std::nullopt);
}

TEST_CASE("every name of the root namespace is found under each of its paths") {
    for (int i = 0; i <= static_cast<int>(Builtin::graph_operator); ++i) {
        const BuiltinEntry& row = entry(static_cast<Builtin>(i));
        CHECK(row.id == static_cast<Builtin>(i));
        CHECK_FALSE(row.doc.empty());
        for (const std::string& path : row.paths) {
            INFO(path);
            REQUIRE(builtin_at(path) != nullptr);
            CHECK(builtin_at(path)->id == row.id);
        }
    }
    CHECK(is_name_space("cp_async.shared"));
    CHECK(builtin_at("tile.linear_idx") == nullptr);
}
