// mma against three plain loops, on every pair of operand types and every sum.
#include <cmath>

#include "../passes/kernels.h"
#include "any_tensor.h"
#include "ir/eval/lane_ops.h"
#include "ir/ops/record.h"

namespace tsr::ir::eval {
namespace {

struct Product {
    DType a = DType::f32, b = DType::f32, sum = DType::f32;
    int64_t rows = 1, columns = 1, inner = 1;
    bool a_turned = false, b_turned = false, accumulates = false, buffers = false;
};

double value(const AnyTensor& tensor, int64_t at) {
    const Bits wide = cast_scalar(tensor.type(), DType::f64, tensor.get(at));
    double x = 0;
    std::memcpy(&x, &wide, 8);
    return x;
}

std::string product_kernel(const Product& p, const Shape& a, const Shape& b) {
    const Shape c{p.rows, p.columns};
    std::string body = load_all("%a", "%x", p.a, a) + load_all("%b", "%w", p.b, b);
    std::string operands = "%a, %b";
    if (p.buffers) {
        for (const auto& [tile, buffer, type, shape] :
             {std::tuple{"%a", "%s", p.a, a}, std::tuple{"%b", "%t", p.b, b}}) {
            body += fmt::format("  {} = buffer {{type = {}, shape = {}, name = \"s\"}} : shared {}\n", buffer,
                                tsr::name(type), text(shape), type_text(type, shape)) +
                    store_all(buffer, tile, shape);
        }
        operands = "%s, %t";
    }
    if (p.accumulates) {
        body += load_all("%c", "%y", p.sum, c);
        operands += ", %c";
    }
    body += fmt::format("  %r = mma {} {{type = {}{}{}}} : tile {}\n", operands, tsr::name(p.sum),
                        p.a_turned ? ", a_transposed" : "", p.b_turned ? ", b_transposed" : "", type_text(p.sum, c));
    return one_group(
        fmt::format("(%x: {}, %w: {}, %y: mut {})", type_text(p.a, a), type_text(p.b, b), type_text(p.sum, c)),
        body + store_all("%y", "%r", c));
}

// Are the operands' values values of the sum's type?
bool widens(const Product& p) {
    return p.sum == DType::i32 ||
           ((p.a == p.sum || widens_exactly(p.a, p.sum)) && (p.b == p.sum || widens_exactly(p.b, p.sum)));
}

// What one step adds: product and sum rounded once, or wrapping.
Bits step(const Product& p, const AnyTensor& a, int64_t i, const AnyTensor& b, int64_t j, Bits sum) {
    if (p.sum == DType::i32) return canonical(DType::i32, sum + a.get(i) * b.get(j));
    if (p.a == DType::f64 && p.sum != DType::f64) {
        AnyTensor before(p.sum, {1});
        before.set(0, sum);
        const double added = std::fma(value(a, i), value(b, j), value(before, 0));
        uint64_t raw = 0;
        std::memcpy(&raw, &added, 8);
        return cast_scalar(DType::f64, p.sum, raw);
    }
    if (!widens(p)) {
        // Products of two floats are doubles; what is summed here is small and whole.
        AnyTensor before(p.sum, {1});
        before.set(0, sum);
        const double added = value(a, i) * value(b, j) + value(before, 0);
        uint64_t raw = 0;
        std::memcpy(&raw, &added, 8);
        return cast_scalar(DType::f64, p.sum, raw);
    }
    const Bits given[] = {cast_scalar(p.a, p.sum, a.get(i)), cast_scalar(p.b, p.sum, b.get(j)), sum};
    return *fold(OpKind::fma, p.sum, p.sum, given);
}

void check(const Product& p, int64_t limit) {
    CAPTURE(fmt::format("{} {} {}, {}x{}x{}, {}{}{}", tsr::name(p.a), tsr::name(p.b), tsr::name(p.sum), p.rows,
                        p.columns, p.inner, p.a_turned, p.b_turned, p.accumulates));
    const Shape a_shape = p.a_turned ? Shape{p.inner, p.rows} : Shape{p.rows, p.inner};
    const Shape b_shape = p.b_turned ? Shape{p.columns, p.inner} : Shape{p.inner, p.columns};
    AnyTensor a(p.a, a_shape);
    AnyTensor b(p.b, b_shape);
    AnyTensor c(p.sum, {p.rows, p.columns});
    a.randomize(21, limit);
    b.randomize(22, limit);
    c.randomize(23, 30);
    AnyTensor expected = c;
    for (int64_t i = 0; i < p.rows; ++i) {
        for (int64_t j = 0; j < p.columns; ++j) {
            Bits sum = p.accumulates ? c.get(i * p.columns + j) : 0;
            for (int64_t k = 0; k < p.inner; ++k) {
                sum = step(p, a, p.a_turned ? k * p.rows + i : i * p.inner + k, b,
                           p.b_turned ? j * p.inner + k : k * p.columns + j, sum);
            }
            expected.set(i * p.columns + j, sum);
        }
    }
    const auto outcome =
        run(product_kernel(p, a_shape, b_shape), {a.argument(), b.argument(), c.argument()}, groups(1), watched());
    REQUIRE_MESSAGE(outcome.clean(), why(outcome));
    for (int64_t i = 0; i < c.elements(); ++i) REQUIRE(same(p.sum, c.get(i), expected.get(i)));
}

TEST_CASE("products of every pair of types in every sum") {
    size_t checked = 0;
    for (DType a : kEveryType) {
        for (DType b : kEveryType) {
            for (DType sum : {DType::i32, DType::f64, DType::f32, DType::f16, DType::bf16}) {
                const std::vector<Type> operands{Type::tile(a, {Dim::constant(3), Dim::constant(11)}),
                                                 Type::tile(b, {Dim::constant(11), Dim::constant(5)})};
                if (!infer(OpKind::mma, operands, {{Attr::type, sum}})) continue;
                ++checked;
                for (bool accumulates : {false, true}) {
                    Product p{a, b, sum, 3, 5, 11};
                    p.accumulates = accumulates;
                    // Any bits where a step has one rounding to hold against.
                    const bool whole = !widens(p) && a != DType::f64;
                    check(p, whole ? 9 : 0);
                    p.buffers = p.a_turned = true;
                    check(p, whole ? 9 : 0);
                }
            }
        }
    }
    CHECK(checked == 10 + 4 * (4 + 25));
}

TEST_CASE("products of all shapes, transposed or not") {
    const Shape shapes[] = {{1, 1, 1},   {1, 40, 3},  {37, 1, 5},  {12, 32, 8},  {6, 16, 9},
                            {13, 33, 7}, {25, 64, 1}, {5, 100, 2}, {64, 48, 64}, {7, 17, 130}};
    for (const Shape& shape : shapes) {
        for (int turned = 0; turned < 4; ++turned) {
            for (const auto& [type, sum] : {std::pair{DType::f32, DType::f32}, std::pair{DType::f64, DType::f64},
                                            std::pair{DType::bf16, DType::f32}, std::pair{DType::u8, DType::i32}}) {
                Product p{type, type, sum, shape[0], shape[1], shape[2]};
                p.a_turned = (turned & 1) != 0;
                p.b_turned = (turned & 2) != 0;
                p.accumulates = turned == 0 || turned == 3;
                check(p, is_float(type) ? 1000 : 0);
            }
        }
    }
}

std::vector<const LaneOps*> sets() {
    std::vector<const LaneOps*> all{&baseline::lane_ops()};
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) all.push_back(&avx2::lane_ops());
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")) all.push_back(&avx512::lane_ops());
#endif
    return all;
}

TEST_CASE("every instruction set computes the same products") {
    for (const auto& [factor, sum] :
         {std::pair{DType::f32, DType::f32}, std::pair{DType::f64, DType::f64}, std::pair{DType::i32, DType::i32},
          std::pair{DType::f32, DType::f16}, std::pair{DType::f32, DType::bf16}, std::pair{DType::f64, DType::f32},
          std::pair{DType::f64, DType::f16}}) {
        for (const ProductSize& size : {ProductSize{29, 67, 31}, ProductSize{12, 32, 16}, ProductSize{1, 3, 200}}) {
            AnyTensor a(factor, {static_cast<int64_t>(size.rows * size.inner)});
            AnyTensor b(factor, {static_cast<int64_t>(size.inner * size.columns)});
            AnyTensor zeros(sum, {static_cast<int64_t>(size.rows * size.columns)});
            a.randomize(31, 500000000);
            b.randomize(32, 500000000);
            zeros.randomize(33, 100);
            std::optional<AnyTensor> first;
            for (const LaneOps* ops : sets()) {
                AnyTensor c = zeros;
                std::vector<uint8_t> scratch(size.inner * kPanelBytes);
                const auto data = [](AnyTensor& t) { return std::get<TensorRef>(t.argument()).data; };
                ops->product(factor, sum)(data(c), data(a), data(b), scratch.data(), size);
                if (!first) first = c;
                for (int64_t i = 0; i < c.elements(); ++i) REQUIRE(same(sum, c.get(i), first->get(i)));
            }
        }
    }
}

TEST_CASE("a product over a grid of tiles, of sizes that no tile divides") {
    const Function kernel = kernels::formed(kernels::kGemm);
    for (const auto& [m, n, k] : {std::tuple{64, 48, 64}, std::tuple{100, 48, 130}, std::tuple{1, 30, 7},
                                  std::tuple{65, 20, 0}, std::tuple{130, 1, 200}}) {
        AnyTensor a(DType::bf16, {m, k});
        AnyTensor b(DType::bf16, {k, n});
        AnyTensor c(DType::f32, {m, n});
        a.randomize(41, 8);
        b.randomize(42, 8);
        c.randomize(43);
        const auto outcome =
            run_kernel(kernel, std::vector{a.argument(), b.argument(), c.argument()}, groups(3), watched());
        REQUIRE_MESSAGE(outcome.clean(), why(outcome));
        for (int64_t i = 0; i < m; ++i) {
            for (int64_t j = 0; j < n; ++j) {
                double sum = 0;
                for (int64_t at = 0; at < k; ++at) sum += value(a, i * k + at) * value(b, at * n + j);
                REQUIRE(value(c, i * n + j) == sum);
            }
        }
    }
}

}  // namespace
}  // namespace tsr::ir::eval
