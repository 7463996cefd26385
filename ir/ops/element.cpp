// The one vocabulary of element operations: scalars, vectors, lanes and register tiles alike.
#include <bit>

#include <fmt/format.h>

#include "ir/ops/family.h"

namespace tsr::ir {

namespace {

// Which element types an operation computes on.
using Accepts = bool (*)(DType);

bool computed_float(DType t) { return is_float(t) && !is_storage_only(t); }
bool computed_integer(DType t) { return is_integer(t) && t != DType::i4; }  // i4 computes as i8
bool number(DType t) { return computed_float(t) || computed_integer(t); }
bool bit_field(DType t) { return computed_integer(t) || t == DType::boolean; }
bool comparable(DType t) { return number(t) || t == DType::boolean; }
bool any_element(DType) { return true; }

std::string_view what(Accepts accepts) {
    if (accepts == computed_float) return "a float of 16 bits or more";
    if (accepts == computed_integer) return "an integer of 8 bits or more";
    if (accepts == number) return "a number of 8 bits or more that is not mere storage";
    if (accepts == bit_field) return "an integer or bool";
    return "a number or bool";
}

bool spreads(const Type& type) {
    return type.is_scalar() || type.is_vector() || type.kind == TypeKind::tile || type.kind == TypeKind::tensor;
}

// One type: the same extents also, of tensors also where they are only equal when the program runs.
bool same_type(const Type& a, size_t a_number, const Type& b, size_t b_number, std::vector<EqualExtents>& conditions) {
    if (a == b) return true;
    const bool tensors = a.kind == TypeKind::tensor && b.kind == TypeKind::tensor;
    if (!tensors || a.elem != b.elem || a.rank() != b.rank() || policy_conflict(a.policy, b.policy)) return false;
    for (size_t i = 0; i < a.rank(); ++i) {
        if (same_extent({a_number, i, a.shape[i], {}}, {b_number, i, b.shape[i], {}}, conditions)) return false;
    }
    return true;
}

// What an operation makes of a tensor is a new value, which nobody may write.
Type made(Type type) {
    type.mut = false;
    return type;
}

// Of operands that are the same the policy has the kinds that any of them has (numerics rule 6).
Type made_of(Operands operands, size_t begin) {
    Type type = made(operands[begin]);
    for (const Type& operand : operands.subspan(begin + 1)) type.policy = join_policies(type.policy, operand.policy);
    return type;
}

std::optional<Failure> equal_operands(Operands operands, size_t begin, Accepts accepts,
                                      std::vector<EqualExtents>& conditions) {
    const Type& first = operands[begin];
    if (!spreads(first))
        return Failure{fmt::format("an operand is {}, needs a scalar, vector, tile or tensor", first.text())};
    Policy joined = first.policy;
    for (size_t i = begin + 1; i < operands.size(); ++i) {
        if (const auto kind = policy_conflict(joined, operands[i].policy)) {
            return Failure{
                fmt::format("the {} policies differ:{} and{}", *kind, joined.text(), operands[i].policy.text())};
        }
        joined = join_policies(joined, operands[i].policy);
        if (same_type(first, begin, operands[i], i, conditions)) continue;
        return Failure{fmt::format("the operands are {} and {}, need one type", first.text(), operands[i].text())};
    }
    if (!accepts(first.elem)) return Failure{fmt::format("the operands are {}, need {}", first.text(), what(accepts))};
    return std::nullopt;
}

template <Accepts accepts>
Inferred same(Operands operands, const Attrs&) {
    ResultTypes result{{made_of(operands, 0)}, {}};
    if (auto fault = equal_operands(operands, 0, accepts, result.conditions)) return *fault;
    return result;
}

template <Accepts accepts>
Inferred test(Operands operands, const Attrs&) {
    ResultTypes result{{made(operands[0]).with(DType::boolean)}, {}};
    if (auto fault = equal_operands(operands, 0, accepts, result.conditions)) return *fault;
    return result;
}

Inferred infer_select(Operands operands, const Attrs&) {
    ResultTypes result{{made_of(operands, 1)}, {}};
    if (auto fault = equal_operands(operands, 1, any_element, result.conditions)) return *fault;
    // One condition for a whole vector, or one per element.
    if (!operands[0].is_bool() && !same_type(operands[0], 0, operands[1].with(DType::boolean), 1, result.conditions)) {
        return Failure{fmt::format("the condition is {}, needs bool for {}", operands[0].text(), operands[1].text())};
    }
    return result;
}

Inferred infer_cast(Operands operands, const Attrs& attrs) {
    const DType to = attrs.dtype(Attr::type);
    if (!spreads(operands[0])) return Failure{fmt::format("{} can not be cast", operands[0].text())};
    if ((operands[0].elem == DType::c64) != (to == DType::c64)) return Failure{"a cast to or from c64 loses a part"};
    return gives(made(operands[0]).with(to));
}

Inferred infer_bitcast(Operands operands, const Attrs& attrs) {
    const DType from = operands[0].elem;
    const DType to = attrs.dtype(Attr::type);
    if (!spreads(operands[0])) return Failure{fmt::format("{} has no bits to name anew", operands[0].text())};
    const bool code = (from == DType::u8 && is_packed(to)) || (to == DType::u8 && is_packed(from));
    if (from == DType::boolean || to == DType::boolean || (bits(from) != bits(to) && !code)) {
        return Failure{fmt::format("{} has {} bits, {} has {}", name(from), bits(from), name(to), bits(to))};
    }
    return gives(made(operands[0]).with(to));
}

Inferred infer_table(Operands operands, const Attrs& attrs) {
    if (!spreads(operands[0]) || !computed_integer(operands[0].elem)) {
        return Failure{fmt::format("the index is {}, needs an integer of 8 bits or more", operands[0].text())};
    }
    if (attrs.dtype(Attr::type) == DType::c64) return Failure{"there are no tables of c64"};
    const size_t count = attrs.integers(Attr::elements).size();
    if (!std::has_single_bit(count)) return Failure{fmt::format("there are {} elements, need a power of two", count)};
    return gives(made(operands[0]).with(attrs.dtype(Attr::type)));
}

// A float of 32 or 64 bits and the narrower one whose values it is rounded to.
std::optional<Failure> check_rounding(const Type& value, const Attrs& attrs) {
    const DType to = attrs.dtype(Attr::type);
    if (!spreads(value)) return Failure{fmt::format("{} can not be rounded", value.text())};
    const bool wide = value.elem == DType::f32 || value.elem == DType::f64;
    if (wide && is_float(to) && to != DType::c64 && bits(to) < bits(value.elem)) return std::nullopt;
    return Failure{fmt::format("{} is not rounded to the values of {}", value.text(), name(to))};
}

Inferred infer_cut(Operands operands, const Attrs& attrs) {
    if (auto fault = check_rounding(operands[0], attrs)) return *fault;
    return gives(made(operands[0]));
}

Inferred infer_dither(Operands operands, const Attrs& attrs) {
    if (auto fault = check_rounding(operands[0], attrs)) return *fault;
    ResultTypes result{{made(operands[0])}, {}};
    if (same_type(operands[0].with(DType::u32), 0, operands[1], 1, result.conditions)) return result;
    return Failure{fmt::format("the word is {}, needs u32 for {}", operands[1].text(), operands[0].text())};
}

Inferred infer_philox(Operands operands, const Attrs&) {
    ResultTypes result{{made(operands[0]).with(DType::u32)}, {}};
    if (auto fault = equal_operands(operands, 0, any_element, result.conditions)) return *fault;
    if (operands[0].elem != DType::u64)
        return Failure{fmt::format("the operands are {}, need u64", operands[0].text())};
    return result;
}

constexpr OpRecord binary(OpKind kind, std::string_view name, InferFn infer, std::string_view doc) {
    return with_conditions({kind, name, doc, {Role{"lhs"}, Role{"rhs"}}, infer, kEveryLevel});
}
constexpr OpRecord unary(OpKind kind, std::string_view name, InferFn infer, std::string_view doc) {
    return {kind, name, doc, {Role{"operand"}}, infer, kEveryLevel};
}

constexpr OpRecord with(OpRecord record, ErrorBound error, Cost cost, Example example,
                        Formula formula = Formula::none) {
    record.error = error;
    record.cost = cost;
    record.formula = formula;
    record.example = example;
    return record;
}

constexpr std::array kElementRecords{
    with(binary(OpKind::add, "add", same<number>,
                "lhs + rhs. Floats round to nearest even and keep subnormals; integers wrap."),
         kRounded, Cost::light, {"(%a: f32, %b: f32) %r = add %a, %b : f32", "1.5 2", "3.5"}),
    with(binary(OpKind::sub, "sub", same<number>, "lhs - rhs. Floats round to nearest even; integers wrap."), kRounded,
         Cost::light, {"(%a: f32, %b: f32) %r = sub %a, %b : f32", "1.5 2", "-0.5"}),
    with(binary(OpKind::mul, "mul", same<number>, "lhs * rhs. Floats round to nearest even; integers wrap."), kRounded,
         Cost::light, {"(%a: f32, %b: f32) %r = mul %a, %b : f32", "1.5 2", "3"}),
    with(binary(OpKind::div, "div", same<computed_float>,
                "lhs / rhs, correctly rounded. x / 0 is an infinity, 0 / 0 NaN."),
         kRounded, Cost::slow, {"(%a: f32, %b: f32) %r = div %a, %b : f32", "1 4", "0.25"}),
    with(binary(
             OpKind::floordiv, "floordiv", same<number>,
             "The quotient rounded down. Integers: x // 0 is 0, the smallest number // -1 wraps. Floats: floor of the "
             "rounded quotient."),
         kRounded, Cost::heavy, {"(%a: i32, %b: i32) %r = floordiv %a, %b : i32", "-7 2", "-4"}),
    with(
        binary(
            OpKind::mod, "mod", same<number>,
            "lhs - lhs // rhs * rhs with the sign of rhs. Integers: x % 0 is 0. Floats: the exact remainder, moved by "
            "rhs "
            "where signs differ (rounded once); a zero has the sign of rhs; x % 0 and inf % x are NaN, x % inf is x or "
            "inf."),
        kRounded, Cost::heavy, {"(%a: i32, %b: i32) %r = mod %a, %b : i32", "-7 3", "2"}),
    with(unary(OpKind::neg, "neg", same<number>, "-operand. Floats: flips the sign, of NaN and 0 too; integers wrap."),
         kExact, Cost::light, {"(%a: f32) %r = neg %a : f32", "1.5", "-1.5"}),
    with(with_conditions(OpRecord{OpKind::fma,
                                  "fma",
                                  "factor * other + addend, rounded once. Floats only. No pass makes or breaks one.",
                                  {Role{"factor"}, Role{"other"}, Role{"addend"}},
                                  same<computed_float>,
                                  kEveryLevel}),
         kRounded, Cost::light, {"(%a: f32, %b: f32, %c: f32) %r = fma %a, %b, %c : f32", "2 3 4", "10"}),
    with(binary(OpKind::minimum, "minimum", same<number>, "The smaller. NaN if one is NaN; -0 < +0."), kExact,
         Cost::light, {"(%a: f32, %b: f32) %r = minimum %a, %b : f32", "-0.0 0", "-0.0"}),
    with(binary(OpKind::maximum, "maximum", same<number>, "The greater. NaN if one is NaN; -0 < +0."), kExact,
         Cost::light, {"(%a: f32, %b: f32) %r = maximum %a, %b : f32", "1.5 nan", "nan"}),
    with(binary(OpKind::bit_and, "bit_and", same<bit_field>, "Bits set in both. On bool: and, both evaluated."), kExact,
         Cost::light, {"(%a: i32, %b: i32) %r = bit_and %a, %b : i32", "12 10", "8"}),
    with(binary(OpKind::bit_or, "bit_or", same<bit_field>, "Bits set in one. On bool: or, both evaluated."), kExact,
         Cost::light, {"(%a: i32, %b: i32) %r = bit_or %a, %b : i32", "12 10", "14"}),
    with(binary(OpKind::bit_xor, "bit_xor", same<bit_field>, "Bits set in exactly one."), kExact, Cost::light,
         {"(%a: i32, %b: i32) %r = bit_xor %a, %b : i32", "12 10", "6"}),
    with(unary(OpKind::bit_not, "bit_not", same<bit_field>, "All bits flipped. On bool: not."), kExact, Cost::light,
         {"(%a: i32) %r = bit_not %a : i32", "5", "-6"}),
    with(binary(OpKind::shl, "shl", same<computed_integer>,
                "Shift to the left. By the width or more, or a negative number: 0."),
         kExact, Cost::light, {"(%a: i32, %b: i32) %r = shl %a, %b : i32", "3 4", "48"}),
    with(binary(
             OpKind::shr, "shr", same<computed_integer>,
             "Shift to the right, of signed integers with the sign. By the width or more, or a negative number: 0, and "
             "-1 for a negative lhs."),
         kExact, Cost::light, {"(%a: i32, %b: i32) %r = shr %a, %b : i32", "-16 2", "-4"}),
    with(binary(OpKind::eq, "eq", test<comparable>, "Equal. NaN equals nothing; -0 equals +0."), kExact, Cost::light,
         {"(%a: f32, %b: f32) %r = eq %a, %b : bool", "-0.0 0", "true"}),
    with(binary(OpKind::ne, "ne", test<comparable>, "Not equal: true where one is NaN."), kExact, Cost::light,
         {"(%a: f32, %b: f32) %r = ne %a, %b : bool", "nan nan", "true"}),
    with(binary(OpKind::lt, "lt", test<comparable>, "Less. False where one is NaN; false < true."), kExact, Cost::light,
         {"(%a: f32, %b: f32) %r = lt %a, %b : bool", "1 2", "true"}),
    with(binary(OpKind::le, "le", test<comparable>, "Less or equal. False where one is NaN."), kExact, Cost::light,
         {"(%a: f32, %b: f32) %r = le %a, %b : bool", "2 2", "true"}),
    with(binary(OpKind::gt, "gt", test<comparable>, "Greater. False where one is NaN."), kExact, Cost::light,
         {"(%a: f32, %b: f32) %r = gt %a, %b : bool", "1 2", "false"}),
    with(binary(OpKind::ge, "ge", test<comparable>, "Greater or equal. False where one is NaN."), kExact, Cost::light,
         {"(%a: f32, %b: f32) %r = ge %a, %b : bool", "1 2", "false"}),
    with(with_conditions(
             OpRecord{OpKind::select,
                      "select",
                      "`then` where the condition holds, else `else`; both are evaluated. Bits pass unchanged.",
                      {Role{"condition"}, Role{"then"}, Role{"else"}},
                      infer_select,
                      kEveryLevel}),
         kExact, Cost::light, {"(%c: bool, %a: f32, %b: f32) %r = select %c, %a, %b : f32", "true 1.5 2", "1.5"}),
    with(
        OpRecord{
            OpKind::cast,
            "cast",
            "The value in another element type. To floats: nearest even; to floats of 8 bits or fewer saturating, NaN "
            "kept where the format has one (else the largest). To integers: toward zero, saturating, NaN is 0; "
            "between integers it "
            "wraps. To bool: != 0, NaN is true.",
            {Role{"operand"}},
            infer_cast,
            kEveryLevel,
            {needs(Attr::type)}},
        kRounded, Cost::light, {"(%a: f32) %r = cast %a {type = i32} : i32", "-2.75", "-2"}),
    with(
        OpRecord{
            OpKind::bitcast,
            "bitcast",
            "The same bits in another element type of the same size; between u8 and an element that shares bytes its "
            "code in the low bits.",
            {Role{"operand"}},
            infer_bitcast,
            kEveryLevel,
            {needs(Attr::type)}},
        kExact, Cost::light, {"(%a: f32) %r = bitcast %a {type = u32} : u32", "1", "1065353216"}),
    with(binary(OpKind::pow, "pow", same<number>,
                "lhs to the power rhs. Floats: IEEE 754 pow, within a bound. Integers wrap; a negative power is the "
                "reciprocal rounded toward zero: 1 of 1, 1 or -1 of -1, else 0."),
         within(1.1, 1.2), Cost::formula, {"(%a: f32, %b: f32) %r = pow %a, %b : f32", "2 10", "1024"},
         Formula::of_floats),
    with(binary(OpKind::atan2, "atan2", same<computed_float>,
                "The angle of the point (rhs, lhs), in [-pi, pi], within a bound."),
         within(1.8, 1.9), Cost::formula, {"(%a: f32, %b: f32) %r = atan2 %a, %b : f32", "0 1", "0"},
         Formula::of_floats),
    with(unary(OpKind::exp, "exp", same<computed_float>, "e to the power x, within a bound."), within(2, 1.1),
         Cost::formula, {"(%a: f32) %r = exp %a : f32", "0", "1"}, Formula::of_floats),
    with(unary(OpKind::exp2, "exp2", same<computed_float>, "2 to the power x, within a bound."), within(2, 1.1),
         Cost::formula, {"(%a: f32) %r = exp2 %a : f32", "3", "8"}, Formula::of_floats),
    with(unary(OpKind::expm1, "expm1", same<computed_float>, "exp(x) - 1 without cancellation near 0, within a bound."),
         within(1.5, 2), Cost::formula, {"(%a: f32) %r = expm1 %a : f32", "0", "0"}, Formula::of_floats),
    with(unary(OpKind::log, "log", same<computed_float>,
               "Natural logarithm, within a bound. Of 0 it is -inf, below 0 NaN."),
         within(1.7, 1.2), Cost::formula, {"(%a: f32) %r = log %a : f32", "1", "0"}, Formula::of_floats),
    with(unary(OpKind::log2, "log2", same<computed_float>, "Logarithm to base 2, within a bound."), within(1.5, 1.2),
         Cost::formula, {"(%a: f32) %r = log2 %a : f32", "8", "3"}, Formula::of_floats),
    with(unary(OpKind::log10, "log10", same<computed_float>, "Logarithm to base 10, within a bound."), within(1.5, 1.2),
         Cost::formula, {"(%a: f32) %r = log10 %a : f32", "1", "0"}, Formula::of_floats),
    with(unary(OpKind::log1p, "log1p", same<computed_float>, "log(1 + x) without cancellation near 0, within a bound."),
         within(1.7, 1.5), Cost::formula, {"(%a: f32) %r = log1p %a : f32", "0", "0"}, Formula::of_floats),
    with(unary(OpKind::sin, "sin", same<computed_float>, "Sine, x in radians, within a bound. Of an infinity NaN."),
         within(1.7, 1.8), Cost::formula, {"(%a: f32) %r = sin %a : f32", "0", "0"}, Formula::of_floats),
    with(unary(OpKind::cos, "cos", same<computed_float>, "Cosine, x in radians, within a bound. Of an infinity NaN."),
         within(1.95, 1.95), Cost::formula, {"(%a: f32) %r = cos %a : f32", "0", "1"}, Formula::of_floats),
    with(unary(OpKind::tan, "tan", same<computed_float>, "Tangent, x in radians, within a bound."), within(1.8, 1.8),
         Cost::formula, {"(%a: f32) %r = tan %a : f32", "0", "0"}, Formula::of_floats),
    with(unary(OpKind::asin, "asin", same<computed_float>,
               "Inverse sine in [-pi/2, pi/2], within a bound. Outside [-1, 1] NaN."),
         within(1.2, 1.3), Cost::formula, {"(%a: f32) %r = asin %a : f32", "0", "0"}, Formula::of_floats),
    with(unary(OpKind::acos, "acos", same<computed_float>,
               "Inverse cosine in [0, pi], within a bound. Outside [-1, 1] NaN."),
         within(1.2, 1.3), Cost::formula, {"(%a: f32) %r = acos %a : f32", "1", "0"}, Formula::of_floats),
    with(unary(OpKind::atan, "atan", same<computed_float>, "Inverse tangent in [-pi/2, pi/2], within a bound."),
         within(1.5, 1.9), Cost::formula, {"(%a: f32) %r = atan %a : f32", "0", "0"}, Formula::of_floats),
    with(unary(OpKind::sinh, "sinh", same<computed_float>, "Hyperbolic sine, within a bound."), within(1.5, 1.9),
         Cost::formula, {"(%a: f32) %r = sinh %a : f32", "0", "0"}, Formula::of_floats),
    with(unary(OpKind::cosh, "cosh", same<computed_float>, "Hyperbolic cosine, within a bound."), within(1.5, 1.6),
         Cost::formula, {"(%a: f32) %r = cosh %a : f32", "0", "1"}, Formula::of_floats),
    with(unary(OpKind::tanh, "tanh", same<computed_float>, "Hyperbolic tangent, within a bound."), within(1.7, 1.8),
         Cost::formula, {"(%a: f32) %r = tanh %a : f32", "0", "0"}, Formula::of_floats),
    with(unary(OpKind::erf, "erf", same<computed_float>, "The error function, within a bound."), within(1.9, 1.4),
         Cost::formula, {"(%a: f32) %r = erf %a : f32", "0", "0"}, Formula::of_floats),
    with(unary(OpKind::cbrt, "cbrt", same<computed_float>,
               "The cube root, within a bound; of negative numbers the negative one."),
         within(1.2, 0.8), Cost::formula, {"(%a: f32) %r = cbrt %a : f32", "27", "3"}, Formula::of_floats),
    with(unary(OpKind::rsqrt, "rsqrt", same<computed_float>,
               "1 / sqrt(x), within a bound. Of 0 it is an infinity of its sign."),
         within(2, 1.5), Cost::formula, {"(%a: f32) %r = rsqrt %a : f32", "4", "0.5"}, Formula::of_floats),
    with(unary(OpKind::sign, "sign", same<number>, "-1, 0 or 1. Of -0 it is +0, of NaN NaN."), kExact, Cost::light,
         {"(%a: f32) %r = sign %a : f32", "-7.5", "-1"}, Formula::of_floats),
    with(unary(OpKind::isnan, "isnan", test<computed_float>, "Is not a number."), kExact, Cost::light,
         {"(%a: f32) %r = isnan %a : bool", "nan", "true"}, Formula::of_floats),
    with(unary(OpKind::isinf, "isinf", test<computed_float>, "Is an infinity of either sign."), kExact, Cost::light,
         {"(%a: f32) %r = isinf %a : bool", "-inf", "true"}, Formula::of_floats),
    with(unary(OpKind::isfinite, "isfinite", test<computed_float>, "Is neither NaN nor an infinity."), kExact,
         Cost::light, {"(%a: f32) %r = isfinite %a : bool", "inf", "false"}, Formula::of_floats),
    with(
        OpRecord{
            OpKind::table,
            "table",
            "The element of a constant list at the index, whose low bits count: there are 2^n elements, each given by "
            "its bits.",
            {Role{"index"}},
            infer_table,
            kEveryLevel,
            {needs(Attr::type), needs(Attr::elements)}},
        kExact, Cost::light,
        {"(%i: i32) %r = table %i {type = f32, elements = [1065353216, 1073741824]} : f32", "1", "2"}),
    with(unary(OpKind::abs, "abs", same<number>,
               "Magnitude. Floats: clears the sign, of NaN too; the smallest integer wraps."),
         kExact, Cost::light, {"(%a: f32) %r = abs %a : f32", "-1.5", "1.5"}),
    with(unary(OpKind::sqrt, "sqrt", same<computed_float>,
               "Square root, correctly rounded. Of -0 it is -0, below 0 NaN."),
         kRounded, Cost::slow, {"(%a: f32) %r = sqrt %a : f32", "9", "3"}),
    with(unary(OpKind::floor, "floor", same<computed_float>,
               "The greatest whole number not above x. Signed zeros stay."),
         kExact, Cost::light, {"(%a: f32) %r = floor %a : f32", "-1.5", "-2"}),
    with(unary(OpKind::ceil, "ceil", same<computed_float>,
               "The least whole number not below x. Between -1 and 0 it is -0."),
         kExact, Cost::light, {"(%a: f32) %r = ceil %a : f32", "-0.5", "-0.0"}),
    with(unary(OpKind::round, "round", same<computed_float>,
               "The nearest whole number, halves to even. Signed zeros stay."),
         kExact, Cost::light, {"(%a: f32) %r = round %a : f32", "2.5", "2"}),
    with(unary(OpKind::trunc, "trunc", same<computed_float>, "The whole part, toward zero. Signed zeros stay."), kExact,
         Cost::light, {"(%a: f32) %r = trunc %a : f32", "-1.5", "-1"}),
    with(OpRecord{OpKind::cut,
                  "cut",
                  "The operand in its own type, rounded toward zero to a value that `type` holds: past the largest "
                  "finite one "
                  "it is that one. Infinities and NaN stay.",
                  {Role{"operand"}},
                  infer_cut,
                  kEveryLevel,
                  {needs(Attr::type)}},
         kRounded, Cost::formula, {"(%a: f32) %r = cut %a {type = bf16} : f32", "1.00390625", "1"}, Formula::always),
    with(
        with_conditions(OpRecord{
            OpKind::dither,
            "dither",
            "The operand in its own type, rounded by chance to a value that `type` holds, or would with exponents "
            "without end: with f the discarded fraction of the last kept bit, cut to 32 bits, the magnitude is rounded "
            "up when f * 2^32 + word >= 2^32. Infinities and NaN stay.",
            {Role{"operand"}, Role{"word"}},
            infer_dither,
            kEveryLevel,
            {needs(Attr::type)}}),
        kRounded, Cost::formula,
        {"(%a: f32, %w: u32) %r = dither %a, %w {type = bf16} : f32", "1.00390625 4294967295", "1.0078125"},
        Formula::always),
    with(
        with_conditions(OpRecord{
            OpKind::philox,
            "philox",
            "The random word of an element: of Philox4x32-10 (Salmon et al., SC11) with the counter (low, high half of "
            "element / 4, low, high half of stream) and the key (low, high half of seed) the word element % 4.",
            {Role{"element"}, Role{"seed"}, Role{"stream"}},
            infer_philox,
            kEveryLevel,
            {may(Attr::count)}}),
        kExact, Cost::formula, {"(%e: u64, %s: u64, %t: u64) %r = philox %e, %s, %t : u32", "0 0 0", "1713891541"},
        Formula::always),
};
static_assert(complete<kElementRecords, kElementFamily>(),
              "every element operation has its record, in the order of ir/core/opkind.h");
static_assert(say_error<kElementRecords>() && say_cost<kElementRecords>());
static_assert(say_formula<kElementRecords, kFormulaFamily, Formula::of_floats>() &&
              say_formula<kElementRecords, kRoundingFamily, Formula::always>());

}  // namespace

std::span<const OpRecord> element_records() { return kElementRecords; }

}  // namespace tsr::ir
