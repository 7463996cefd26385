// Register tiles made of others, each operation against loops over elements.
#include <bit>
#include <cmath>

#include "any_tensor.h"
#include "ir/ops/record.h"
#include "ir/passes/math/expand_math.h"
#include "ir/verify/verify.h"

namespace tsr::ir::eval {
namespace {

// Runs `body`, which gives `%r` of what `%a` holds, and gives the elements of the result.
AnyTensor made_of(AnyTensor a, DType type, const Shape& shape, const std::string& body,
                  const EvalOptions& options = {}) {
    AnyTensor result(type, shape);
    const std::string kernel =
        one_group(fmt::format("(%x: {}, %y: mut {})", type_text(a.type(), a.shape()), type_text(type, shape)),
                  load_all("%a", "%x", a.type(), a.shape()) + body + store_all("%y", "%r", shape));
    const auto outcome = run(kernel, {a.argument(), result.argument()}, groups(1), options);
    REQUIRE_MESSAGE(outcome.clean(), why(outcome) << kernel);
    return result;
}

TEST_CASE("element operations on tiles do what they do to scalars") {
    using enum OpKind;
    const Shape shape{3, 1, 5};
    size_t checked = 0;
    for (size_t k = 0; k < static_cast<size_t>(OpKind::constant); ++k) {
        const auto kind = static_cast<OpKind>(k);
        if (kind == select || kind == OpKind::cast || kind == bitcast || kind == philox) continue;
        for (DType type : kEveryType) {
            const size_t operands = record(kind).operands.size();
            const auto inferred = infer(kind, std::vector<Type>(operands, Type::scalar(type)), {});
            if (!inferred || !is_exact(kind, type)) continue;
            ++checked;
            const DType to = inferred.value().types[0].elem;
            std::string given = "%a";
            std::string body = "  %b = add %a, %a : tile " + type_text(type, shape) + "\n";
            if (type == DType::boolean || is_storage_only(type) || type == DType::i4) body = "";
            const std::string second = body.empty() ? "%a" : "%b";
            if (operands > 1) given += ", " + second;
            if (operands > 2) given += ", %a";
            body += fmt::format("  %r = {} {} : tile {}\n", name(kind), given, type_text(to, shape));
            AnyTensor a(type, shape);
            a.randomize(k);
            const AnyTensor result = made_of(a, to, shape, body);
            for (int64_t i = 0; i < a.elements(); ++i) {
                const Bits x[] = {a.get(i), a.get(i)};
                const Bits y = second == "%a" ? x[0] : *fold(add, type, type, x);
                const Bits all[] = {x[0], y, x[0]};
                const Bits expected = scalar_function(kind, type)(all, type, to);
                REQUIRE_MESSAGE(same(to, result.get(i), expected), name(kind) << " of " << tsr::name(type));
            }
        }
    }
    CHECK(checked > 200);
}

TEST_CASE("casts of tiles from every type to every type") {
    const Shape shape{7, 3};
    for (DType from : kEveryType) {
        AnyTensor a(from, shape);
        a.randomize(11);
        for (DType to : kEveryType) {
            const AnyTensor result =
                made_of(a, to, shape, fmt::format("  %r = cast %a {{type = {0}}} : tile {0}[7, 3]\n", tsr::name(to)));
            for (int64_t i = 0; i < a.elements(); ++i) {
                REQUIRE(same(to, result.get(i), cast_scalar(from, to, a.get(i))));
            }
        }
    }
}

TEST_CASE("select by a tile of conditions, and by one") {
    AnyTensor a(DType::bf16, {4, 5});
    a.randomize(12, 50);
    const AnyTensor chosen = made_of(a, DType::bf16, {4, 5}, R"(
  %n = neg %a : tile bf16[4, 5]
  %less = lt %a, %n : tile bool[4, 5]
  %b = select %less, %n, %a : tile bf16[4, 5]
  %yes = constant true : bool
  %no = constant false : bool
  %c = select %yes, %b, %a : tile bf16[4, 5]
  %r = select %no, %a, %c : tile bf16[4, 5]
)");
    for (int64_t i = 0; i < 20; ++i) CHECK((chosen.get(i) & 0x7FFF) == (a.get(i) & 0x7FFF));
    for (int64_t i = 0; i < 20; ++i) CHECK((chosen.get(i) == 0x8000 || chosen.get(i) < 0x8000));
}

// The operation on a tile; replaced by operations on tiles; on the elements one by one in lanes.
void check_within_bound(const std::string& op, DType type) {
    const Shape shape{3, 700};
    const bool two = op == "pow" || op == "atan2";
    const std::string given = two ? "%h, %a" : "%h";
    const std::string halved = fmt::format("  %c = constant 0.125 : {}\n", tsr::name(type));
    const std::string tile_body =
        halved + fmt::format(
                     "  %k = expand %c {{axes = [], shape = [3, 700]}} : tile {0}[3, 700]\n"
                     "  %h = mul %a, %k : tile {0}[3, 700]\n  %r = {1} {2} : tile {0}[3, 700]\n",
                     tsr::name(type), op, given);
    const std::string params = fmt::format("(%x: {0}, %y: mut {0})", type_text(type, shape));
    const std::string lanes = fmt::format(R"(  %c3 = constant 3 : index
  %c700 = constant 700 : index
  %c1 = constant 1 : index
  lanes %z, %c3, %c1, %z, %c700, %c1 {{over = loop}} (%i: index, %j: index) {{
    %a = read %x[%i, %j] : {0}
    %h = mul %a, %c : {0}
    %r = {1} {2} : {0}
    write %y[%i, %j], %r
  }}
)",
                                          tsr::name(type), op, given);
    AnyTensor a(type, shape);
    a.randomize(13, 20);
    a.set(1, cast_scalar(DType::f64, type, std::bit_cast<uint64_t>(1e30)));  // a rare way of its own, in sin
    const std::string tiles = load_all("%a", "%x", type, shape) + tile_body + store_all("%y", "%r", shape);
    std::vector<AnyTensor> results(3, AnyTensor(type, shape));
    for (size_t way = 0; way < 3; ++way) {
        Module module = module_of(one_group(params, way == 2 ? halved + lanes : tiles));
        Function& kernel = module.functions.front();
        if (way == 1) expand_math(kernel);
        for (const std::string& fault : verify(kernel)) FAIL(fault);
        const auto outcome =
            run_kernel(kernel, std::vector{a.argument(), results[way].argument()}, groups(1), watched());
        REQUIRE_MESSAGE(outcome.clean(), why(outcome));
    }
    for (int64_t i = 0; i < a.elements(); ++i) {
        REQUIRE(same(type, results[0].get(i), results[2].get(i)));
        REQUIRE(same(type, results[1].get(i), results[2].get(i)));
    }
}

TEST_CASE("operations within a bound give a tile what they give a scalar, in every stretch of it") {
    for (const char* op : {"exp", "log", "sin", "tan", "tanh", "rsqrt", "erf", "sign", "pow", "atan2"}) {
        for (DType type : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
            CAPTURE(std::string(op));
            CAPTURE(tsr::name(type));
            check_within_bound(op, type);
        }
    }
}

TEST_CASE("expand: a scalar and tiles, along any axes, of own extents or of 1") {
    const Shape whole{2, 3, 4, 5};
    size_t checked = 0;
    for (unsigned chosen = 1; chosen < 16; ++chosen) {
        for (unsigned ones = 0; ones < 16; ++ones) {
            if ((ones & ~chosen) != 0) continue;
            Shape axes;
            Shape shape;
            for (int64_t k = 0; k < 4; ++k) {
                if ((chosen >> k & 1U) == 0) continue;
                axes.push_back(k);
                shape.push_back((ones >> k & 1U) != 0 ? 1 : whole[static_cast<size_t>(k)]);
            }
            for (DType type : {DType::u8, DType::f16, DType::i32, DType::f64, DType::fp4_e2m1}) {
                ++checked;
                AnyTensor a(type, shape);
                a.randomize(checked);
                const AnyTensor result = made_of(a, type, whole,
                                                 fmt::format("  %r = expand %a {{axes = {}, shape = {}}} : tile {}\n",
                                                             text(axes), text(whole), type_text(type, whole)));
                for (int64_t i = 0; i < result.elements(); ++i) {
                    const Shape at = position_of(whole, i);
                    Shape from;
                    for (size_t k = 0; k < axes.size(); ++k) {
                        from.push_back(shape[k] == 1 ? 0 : at[static_cast<size_t>(axes[k])]);
                    }
                    REQUIRE(result.get(i) == a.get(element_of(shape, from)));
                }
            }
        }
    }
    CHECK(checked == 5 * 80);
    const AnyTensor same_everywhere = made_of(AnyTensor(DType::i32, {1}), DType::i16, {3, 2}, R"(
  %c = constant -7 : i16
  %r = expand %c {axes = [], shape = [3, 2]} : tile i16[3, 2]
)");
    for (int64_t i = 0; i < 6; ++i) CHECK(same_everywhere.get(i) == static_cast<Bits>(-7));
}

TEST_CASE("the index along each axis, and the last two axes swapped") {
    const Shape shape{3, 4, 5};
    for (int64_t axis = 0; axis < 3; ++axis) {
        const AnyTensor result =
            made_of(AnyTensor(DType::i32, {1}), DType::i32, shape,
                    fmt::format("  %r = tile_iota {{axis = {}, shape = [3, 4, 5]}} : tile i32[3, 4, 5]\n", axis));
        for (int64_t i = 0; i < 60; ++i) {
            CHECK(static_cast<int64_t>(result.get(i)) == position_of(shape, i)[static_cast<size_t>(axis)]);
        }
    }
    for (DType type : {DType::i8, DType::f16, DType::f32, DType::i64, DType::fp6_e3m2}) {
        for (const Shape& of : {Shape{19, 33}, Shape{3, 17, 2}, Shape{2, 2, 1, 9}}) {
            AnyTensor a(type, of);
            a.randomize(14);
            Shape to = of;
            std::swap(to[to.size() - 1], to[to.size() - 2]);
            const AnyTensor result =
                made_of(a, type, to, fmt::format("  %r = transpose %a : tile {}\n", type_text(type, to)));
            for (int64_t i = 0; i < a.elements(); ++i) {
                Shape at = position_of(to, i);
                std::swap(at[at.size() - 1], at[at.size() - 2]);
                REQUIRE(result.get(i) == a.get(element_of(of, at)));
            }
        }
    }
}

struct Reduction {
    const char* name;
    OpKind combine;
};
constexpr Reduction kReductions[] = {{"add", OpKind::add},     {"mul", OpKind::mul},    {"min", OpKind::minimum},
                                     {"max", OpKind::maximum}, {"any", OpKind::bit_or}, {"all", OpKind::bit_and}};

bool reduces(const Reduction& op, DType type) {
    const bool logical = op.combine == OpKind::bit_or || op.combine == OpKind::bit_and;
    return logical ? type == DType::boolean : type != DType::boolean && scalar_function(op.combine, type) != nullptr;
}

// Both go element after element, and a reduction is a scan's last element.
void check_along(const Reduction& op, DType type, const Shape& shape, size_t axis) {
    AnyTensor a(type, shape);
    a.randomize(15 + axis);
    const AnyTensor scanned = made_of(
        a, type, shape,
        fmt::format("  %r = scan %a {{axis = {}, op = {}}} : tile {}\n", axis, op.name, type_text(type, shape)));
    Shape left = shape;
    left.erase(left.begin() + static_cast<long>(axis));
    const AnyTensor reduced = made_of(
        a, type, left,
        fmt::format("  %r = reduce %a {{axis = {}, op = {}}} : tile {}\n", axis, op.name, type_text(type, left)));
    for (int64_t i = 0; i < a.elements(); ++i) {
        Shape at = position_of(shape, i);
        const int64_t length = at[axis];
        at[axis] = 0;
        Bits expected = a.get(element_of(shape, at));
        while (at[axis] < length) {
            ++at[axis];
            const Bits given[] = {expected, a.get(element_of(shape, at))};
            expected = *fold(op.combine, type, type, given);
        }
        REQUIRE(same(type, scanned.get(i), expected));
        if (length + 1 < shape[axis]) continue;
        at.erase(at.begin() + static_cast<long>(axis));
        REQUIRE(same(type, reduced.get(element_of(left, at)), expected));
    }
}

TEST_CASE("reductions and scans along each axis, of every operation and type") {
    size_t checked = 0;
    for (const Reduction& op : kReductions) {
        for (DType type : kEveryType) {
            if (!reduces(op, type)) continue;
            CAPTURE(op.name);
            CAPTURE(tsr::name(type));
            for (const Shape& shape : {Shape{3, 4, 5}, Shape{2, 3, 20}, Shape{20, 2, 3}, Shape{1, 6, 1}}) {
                for (size_t axis = 0; axis < 3; ++axis) check_along(op, type, shape, axis);
            }
            ++checked;
        }
    }
    CHECK(checked == 4 * 13 + 2);
}

TEST_CASE("of one axis a reduction gives a scalar; NaN passes on") {
    std::vector<float> x(37);
    for (size_t i = 0; i < x.size(); ++i) x[i] = 0.1F * static_cast<float>(i);
    std::vector<float> y(4);
    const std::string text = one_group("(%x: f32[37], %y: mut f32[4])", R"(
  %a = load_tile %x, %z {axes = [0], shape = [37]} : tile f32[37]
  %sum = reduce %a {axis = 0, op = add} : f32
  %max = reduce %a {axis = 0, op = max} : f32
  %c1 = constant 1 : index
  write %y[%z], %sum
  write %y[%c1], %max
)");
    REQUIRE(run(text, {tensor(x), tensor(y)}, groups(1)).clean());
    float sum = x[0];
    for (size_t i = 1; i < x.size(); ++i) sum += x[i];
    CHECK(y[0] == sum);
    CHECK(y[1] == x[36]);
    x[20] = NAN;
    REQUIRE(run(text, {tensor(x), tensor(y)}, groups(1)).clean());
    CHECK(std::isnan(y[0]));
    CHECK(std::isnan(y[1]));
}

}  // namespace
}  // namespace tsr::ir::eval
