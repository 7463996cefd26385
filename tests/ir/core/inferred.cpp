// Extents that an operation takes for equal: known to be, known to differ, or to be checked when the program runs.
#include "ir/ops/inferred.h"

#include "ir/ops/record.h"
#include "read.h"

using namespace tsr;
using namespace tsr::ir;

TEST_CASE("extents are equal, differ, or are a condition") {
    const Dim n = Dim::symbol("n"), m = Dim::symbol("m");
    std::vector<EqualExtents> conditions;
    CHECK(!same_extent({0, 1, n + m, "a"}, {1, 0, m + n, "b"}, conditions));
    CHECK(conditions.empty());

    const auto fault = same_extent({0, 1, n, "a"}, {1, 0, n + Dim::constant(1), {}}, conditions);
    REQUIRE(fault);
    CHECK(fault->message == "axis 1 of 'a' is n, axis 0 of operand 1 is n + 1");
    CHECK(conditions.empty());

    CHECK(!same_extent({0, 1, n, "a"}, {1, 0, m, "b"}, conditions));
    CHECK(conditions == std::vector{EqualExtents{{0, 1, n, "a"}, {1, 0, m, "b"}}});
}

TEST_CASE("operations on tensors say which extents must be equal when the program runs") {
    const Module module = read(R"(graph @f<n, m>(%x: f32[n, 4], %y: f32[m, 4], %z: f32[n, 4]) -> f32[n, 4] {
  %same = add %x, %z : f32[n, 4]
  %late = fma %same, %y, %z : f32[n, 4]
  yield %late
}
)");
    const Function& fn = module.functions[0];
    CHECK(faults(fn) == "");
    CHECK(conditions_of(fn, fn.region(fn.body).ops[0]).empty());
    const std::vector<EqualExtents> conditions = conditions_of(fn, fn.region(fn.body).ops[1]);
    REQUIRE(conditions.size() == 1);
    CHECK(conditions[0].text() == "axis 0 of 'factor' is n, axis 0 of 'other' is m");
    const auto tensor = [](const Dim& rows) { return Type::tensor(DType::f32, {rows}, false); };
    CHECK(infer(OpKind::add, std::vector{tensor(Dim::constant(3)), tensor(Dim::constant(4))}, {}).message() ==
          "the operands are f32[3] and f32[4], need one type");
    const Attrs along{{Attr::shape, std::vector<Dim>{Dim::symbol("m")}}, {Attr::axes, std::vector<int64_t>{0}}};
    const Inferred repeated = infer(OpKind::expand, std::vector{tensor(Dim::symbol("n"))}, along);
    REQUIRE(repeated);
    REQUIRE(repeated.value().conditions.size() == 1);
    CHECK(repeated.value().conditions[0].text() == "axis 0 of 'value' is n, axis 0 of 'shape' is m");
    CHECK(infer(OpKind::expand, std::vector{tensor(Dim::constant(1))}, along).value().conditions.empty());
}

TEST_CASE("an operation without conditions needs extents that are known to be equal") {
    const auto product = [](const Dim& inner, const Dim& rows) {
        const Type a = Type::buffer(DType::f32, {Dim::constant(8), inner});
        const Type b = Type::buffer(DType::f32, {rows, Dim::constant(4)});
        return infer(OpKind::mma, std::vector{a, b}, {{Attr::type, DType::f32}});
    };
    const Inferred known = product(Dim::symbol("k"), Dim::symbol("k"));
    REQUIRE(known);
    CHECK(known.value().types == std::vector{Type::tile(DType::f32, {Dim::constant(8), Dim::constant(4)})});
    CHECK(known.value().conditions.empty());
    CHECK(product(Dim::constant(2), Dim::constant(3)).message() == "axis 1 of 'a' is 2, axis 0 of 'b' is 3");
    CHECK(!record(OpKind::mma).conditional);
    CHECK(product(Dim::symbol("k"), Dim::symbol("n")).message() == "axis 1 of 'a' is k, axis 0 of 'b' is n");
}
