// Element operations and reductions of graphs against the law of scalars, for every operation and element type.
#include "graph_harness.h"
#include "ir/law/reduction.h"
#include "ir/ops/reduction.h"

namespace tsr::ir::eval::graphs {
namespace {

constexpr OpKind kEveryElementOp[]{
#define TSR_KIND_OF(op) OpKind::op,
    TSR_ELEMENT_OPS(TSR_KIND_OF)
#undef TSR_KIND_OF
};
constexpr ReduceOp kEveryReduction[]{ReduceOp::add, ReduceOp::mul, ReduceOp::min,
                                     ReduceOp::max, ReduceOp::any, ReduceOp::all};

bool has_axes_of_its_own(OpKind kind) { return kind == OpKind::table || kind == OpKind::philox; }

// One operation on tensors [3, 5] of the types.
HostTensor elements_of(OpKind kind, const std::vector<const HostTensor*>& operands, DType result,
                       const std::string& attributes) {
    std::string params;
    std::string names;
    std::vector<TsrSlot> arguments;
    for (size_t i = 0; i < operands.size(); ++i) {
        const std::string separator = i == 0 ? "" : ", ";
        params += fmt::format("{}%x{}: {}[n, m]", separator, i, tsr::name(operands[i]->type()));
        names += fmt::format("{}%x{}", separator, i);
        arguments.push_back(operands[i]->slot());
    }
    const std::string type = std::string(tsr::name(result)) + "[n, m]";
    const std::string body = fmt::format("  %0 = {} {}{} : {}\n  yield %0\n", name(kind), names, attributes, type);
    return tensor_from(called("<n, m>", params, names, type, body), arguments);
}

size_t operand_count(OpKind kind) { return record(kind).operands.size(); }

void check_exact(OpKind kind, DType type, const Attrs& attrs, const std::string& attributes) {
    std::vector<HostTensor> tensors;
    for (size_t i = 0; i < operand_count(kind); ++i) {
        const bool condition = kind == OpKind::select && i == 0;
        tensors.push_back(HostTensor::at_random(condition ? DType::boolean : type, {3, 5}, 7 * i + 1, i == 0 ? 0 : 3));
    }
    std::vector<const HostTensor*> operands;
    std::vector<Type> types;
    for (const HostTensor& tensor : tensors) {
        operands.push_back(&tensor);
        types.push_back(Type::scalar(tensor.type()));
    }
    const auto inferred = infer(kind, types, attrs);
    if (!inferred.ok()) return;
    const DType to = inferred.value().types[0].elem;
    const HostTensor result = elements_of(kind, operands, to, attributes);
    CAPTURE(name(kind));
    CAPTURE(tsr::name(type));
    REQUIRE(result.shape() == Shape{3, 5});
    for (int64_t i = 0; i < 15; ++i) {
        std::vector<Bits> given;
        for (const HostTensor& tensor : tensors) given.push_back(tensor.at(i));
        const auto expected = fold(kind, type, to, given);
        REQUIRE(expected);
        CHECK(same(to, result.at(i), *expected));
    }
}

TEST_CASE("element operations of graphs keep the law of scalars, on every type") {
    for (const OpKind kind : kEveryElementOp) {
        const bool converts = kind == OpKind::cast || kind == OpKind::bitcast;
        if (converts || has_axes_of_its_own(kind) || kind == OpKind::cut || kind == OpKind::dither) continue;
        for (const DType type : kEveryType) {
            if (is_exact(kind, type)) check_exact(kind, type, {}, "");
        }
    }
}

TEST_CASE("casts of graphs keep the law of scalars, between all types") {
    for (const DType from : kEveryType) {
        for (const DType to : kEveryType) {
            for (const OpKind kind : {OpKind::cast, OpKind::bitcast}) {
                check_exact(kind, from, {{Attr::type, to}}, fmt::format(" {{type = {}}}", tsr::name(to)));
            }
        }
    }
}

// What kernels compute, by the formulas of the same engine that judges them.
Bits by_kernel(OpKind kind, DType type, const std::vector<Bits>& operands) {
    std::string params;
    std::string reads;
    std::string names;
    std::vector<AnyTensor> tensors;
    for (size_t i = 0; i < operands.size(); ++i) {
        params += fmt::format("%p{}: {}[1], ", i, tsr::name(type));
        reads += fmt::format("  %v{} = read %p{}[%z] : {}\n", i, i, tsr::name(type));
        names += fmt::format("{}%v{}", i == 0 ? "" : ", ", i);
        tensors.emplace_back(type, Shape{1}).set(0, operands[i]);
    }
    AnyTensor result(type, {1});
    std::vector<KernelArgument> arguments;
    for (AnyTensor& tensor : tensors) arguments.push_back(tensor.argument());
    arguments.push_back(result.argument());
    const std::string body =
        reads + fmt::format("  %r = {} {} : {}\n  write %out[%z], %r\n", name(kind), names, tsr::name(type));
    const KernelOutcome outcome =
        run(one_group(fmt::format("({}%out: mut {}[1])", params, tsr::name(type)), body), arguments, groups(1));
    REQUIRE_MESSAGE(outcome.clean(), why(outcome));
    return result.get(0);
}

TEST_CASE("elementary functions have the bits that kernels give") {
    for (const OpKind kind : kEveryElementOp) {
        if (!is_library_function(kind) && kind != OpKind::rsqrt) continue;
        for (const DType type : {DType::f64, DType::f32, DType::f16, DType::bf16}) {
            const std::vector<double> values{-2.5, -0.75, -0.0, 0.0, 0.3, 1.0, 1.7, 9.25};
            const HostTensor a = HostTensor::of(type, {2, 4}, values);
            const HostTensor b = HostTensor::of(type, {2, 4}, {2, 3, 0.5, -1, 0.7, 5, -0.25, 1.5});
            std::vector<const HostTensor*> operands{&a};
            if (operand_count(kind) == 2) operands.push_back(&b);
            const HostTensor result = elements_of(kind, operands, type, "");
            CAPTURE(name(kind));
            CAPTURE(tsr::name(type));
            for (int64_t i = 0; i < a.elements(); ++i) {
                std::vector<Bits> given;
                for (const HostTensor* operand : operands) given.push_back(operand->at(i));
                CHECK(same(type, result.at(i), by_kernel(kind, type, given)));
            }
        }
    }
}

TEST_CASE("scalars of a graph and of a host function take the formulas, too") {
    const std::string body = "  %0 = exp %a : f32\n  %1 = tanh %0 : f32\n  yield %1\n";
    const Bits given = slot(0.3, DType::f32).bits;
    const Bits expected = by_kernel(OpKind::tanh, DType::f32, {by_kernel(OpKind::exp, DType::f32, {given})});
    CHECK(canonical(DType::f32, bits_from(called("", "%a: f32", "%a", "f32", body), {slot(0.3, DType::f32)})) ==
          expected);
    CHECK(canonical(DType::f32, bits_from("host @main(%a: f32) -> f32 {\n" + body + "}\n", {slot(0.3, DType::f32)})) ==
          expected);
}

TEST_CASE("tables, random words and roundings by words") {
    const HostTensor index = HostTensor::of(DType::u8, {5}, {0, 1, 2, 3, 6});
    const HostTensor looked_up =
        tensor_from(called("<n>", "%i: u8[n]", "%i", "f32[n]",
                           "  %0 = table %i {type = i32, elements = [10, 20, 30, -40]} : i32[n]\n"
                           "  %1 = cast %0 {type = f32} : f32[n]\n  yield %1\n"),
                    {index.slot()});
    CHECK(looked_up.values() == std::vector<double>{10, 20, 30, -40, 30});

    const HostTensor seeds = HostTensor::of(DType::u64, {2}, {0, 0});
    const HostTensor words = tensor_from(
        called("<n>", "%s: u64[n]", "%s", "u32[n]", "  %0 = philox %s, %s, %s : u32[n]\n  yield %0\n"), {seeds.slot()});
    CHECK(words.at(0) == 0x6627e8d5);  // of Random123's known answers: counter and key 0
    CHECK(words.at(1) == 0x6627e8d5);

    const HostTensor x = HostTensor::of(DType::f32, {4}, {1.0, 1.00390625, -1.00390625, 3.0});
    const HostTensor low = HostTensor::of(DType::u32, {4}, {0, 0, 0, 0});
    const HostTensor cut = tensor_from(
        called("<n>", "%x: f32[n]", "%x", "f32[n]", "  %0 = cut %x {type = bf16} : f32[n]\n  yield %0\n"), {x.slot()});
    CHECK(cut.values() == std::vector<double>{1, 1, -1, 3});
    const HostTensor dithered = tensor_from(called("<n>", "%x: f32[n], %w: u32[n]", "%x, %w", "f32[n]",
                                                   "  %0 = dither %x, %w {type = bf16} : f32[n]\n  yield %0\n"),
                                            {x.slot(), low.slot()});
    CHECK(dithered.values() == cut.values());
}

// In the order of the axis, from its first element on.
Bits along(ReduceOp op, const HostTensor& x, int64_t outer, int64_t inner) {
    Bits result = x.at({outer, 0, inner});
    for (int64_t i = 1; i < x.shape()[1]; ++i) {
        const Bits two[] = {result, x.at({outer, i, inner})};
        result = fold(combining(op), x.type(), x.type(), two).value_or(0);
    }
    return result;
}

TEST_CASE("reductions of every kind and element type") {
    for (const ReduceOp op : kEveryReduction) {
        for (const DType type : kEveryType) {
            const Attrs attrs{{Attr::op, static_cast<int64_t>(op)}, {Attr::axis, int64_t{1}}};
            if (check_reduce(Type::scalar(type), attrs)) continue;
            CAPTURE(name(op));
            CAPTURE(tsr::name(type));
            const HostTensor x = HostTensor::at_random(type, {2, 7, 3}, 11, is_float(type) ? 9 : 0);
            const std::string cube = std::string(tsr::name(type)) + "[n, m, k]";
            const std::string plane = std::string(tsr::name(type)) + "[n, k]";
            const std::string how = fmt::format("{{op = {}, axis = 1}}", name(op));
            const HostTensor reduced = tensor_from(called("<n, m, k>", "%x: " + cube, "%x", plane,
                                                          "  %0 = reduce %x " + how + " : " + plane + "\n  yield %0\n"),
                                                   {x.slot()});
            REQUIRE(reduced.shape() == Shape{2, 3});
            for (int64_t i = 0; i < 2; ++i) {
                for (int64_t k = 0; k < 3; ++k) CHECK(reduced.at({i, k}) == along(op, x, i, k));
            }
            // Over nothing: what changes no other value; a sum of floats is 0.
            const HostTensor nothing(type, {2, 0, 3});
            const HostTensor start = tensor_from(called("<n, m, k>", "%x: " + cube, "%x", plane,
                                                        "  %0 = reduce %x " + how + " : " + plane + "\n  yield %0\n"),
                                                 {nothing.slot()});
            for (int64_t i = 0; i < 6; ++i) CHECK(start.at(i) == reduction_of_nothing(op, type));
        }
    }
}

}  // namespace
}  // namespace tsr::ir::eval::graphs
