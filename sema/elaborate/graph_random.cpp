#include "sema/elaborate/graph_random.h"

#include <cmath>

#include "sema/elaborate/arguments.h"
#include "sema/elaborate/dimensions.h"
#include "sema/elaborate/graph_movements.h"
#include "sema/elaborate/random.h"
#include "sema/elaborate/recursion.h"
#include "sema/elaborate/shape_checks.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::Dim;
using ir::OpKind;
using ir::ValueId;
using sema::Builtin;
using sema::CallInfo;

namespace {

ValueId in_shape(Body& b, ValueId number, const std::vector<Dim>& shape) {
    return shape.empty() ? number : b.emit.inferred(OpKind::full, {number}, {{Attr::shape, shape}});
}

// The number of each element in row-major order, as u64.
ValueId element_numbers(Body& b, const std::vector<Dim>& shape) {
    ValueId numbers = in_shape(b, b.emit.constant(int64_t{0}, DType::i64), shape);
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        ValueId along = b.emit.inferred(OpKind::positions, {},
                                        {{Attr::type, DType::i64}, {Attr::shape, std::vector<Dim>{shape[axis]}}});
        if (shape.size() > 1) {
            along =
                b.emit.inferred(OpKind::expand, {along},
                                {{Attr::axes, std::vector<int64_t>{static_cast<int64_t>(axis)}}, {Attr::shape, shape}});
        }
        const ValueId extent = in_shape(b, b.emit.cast(dim_value(b, shape[axis]), DType::i64), shape);
        numbers = b.emit.inferred(OpKind::add, {b.emit.inferred(OpKind::mul, {numbers, extent}), along});
    }
    return b.emit.cast(numbers, DType::u64);
}

// What random elements are made of (runtime/abi.h, randomness).
class RandomWords {
public:
    RandomWords(Body& b, const RandomKey& key, const std::vector<Dim>& shape)
        : b_(b),
          shape_(shape),
          numbers_(element_numbers(b, shape)),
          seed_(in_shape(b, key.seed, shape)),
          stream_(in_shape(b, key.stream, shape)) {}

    ValueId all(double value, DType type) { return in_shape(b_, b_.emit.constant(value, type), shape_); }
    ValueId all(int64_t value, DType type) { return in_shape(b_, b_.emit.constant(value, type), shape_); }
    ValueId word() { return word_at(numbers_); }
    // The upper bits of the element's word, of f64 of its two words, times a power of two.
    ValueId uniform(DType type) {
        const int64_t digits = type == DType::f64 ? 53 : type == DType::f32 ? 24 : type == DType::f16 ? 11 : 8;
        ValueId bits;
        if (type == DType::f64) {
            bits = element(OpKind::shr, two(), all(64 - digits, DType::u64));
        } else {
            bits = element(OpKind::shr, word(), all(32 - digits, DType::u32));
        }
        const DType in = type == DType::f64 ? DType::f64 : DType::f32;
        return b_.emit.cast(
            element(OpKind::mul, b_.emit.cast(bits, in), all(std::ldexp(1.0, -static_cast<int>(digits)), in)), type);
    }
    ValueId element(OpKind op, ValueId x, ValueId y) { return b_.emit.inferred(op, {x, y}); }
    ValueId numbers() const { return numbers_; }
    // The word of that number, of as many as there are elements.
    ValueId word_at(ValueId numbers) { return b_.emit.inferred(OpKind::philox, {numbers, seed_, stream_}); }
    // The two words of the elements of those numbers, the first above the second.
    ValueId two_at(ValueId numbers) {
        const ValueId first = element(OpKind::mul, numbers, all(int64_t{2}, DType::u64));
        const ValueId high = b_.emit.cast(word_at(first), DType::u64);
        const ValueId low = b_.emit.cast(word_at(element(OpKind::add, first, all(int64_t{1}, DType::u64))), DType::u64);
        return element(OpKind::bit_or, element(OpKind::shl, high, all(int64_t{32}, DType::u64)), low);
    }
    ValueId two() { return two_at(numbers_); }

private:
    Body& b_;
    std::vector<Dim> shape_;
    ValueId numbers_, seed_, stream_;
};

Val uniform(Body& b, const ast::Expr& e, const CallInfo& info, const sema::Type& type) {
    RandomWords words(b, operation_key(b, e, argument(b, info, 2)), shape_in_function(b, type));
    return Val::ssa(words.uniform(type.elem()), type.elem());
}

// Where the word, as a fraction of 2^32, is below the probability.
Val chance(Body& b, const ast::Expr& e, const CallInfo& info, const sema::Type& type) {
    const std::vector<Dim> shape = shape_in_function(b, type);
    RandomWords words(b, operation_key(b, e, argument(b, info, 2)), shape);
    const ValueId part =
        words.element(OpKind::mul, b.emit.cast(words.word(), DType::f64), words.all(0x1p-32, DType::f64));
    const ValueId probability = b.scalar(b.rounded(argument_value(b, info, 0)), DType::f64);
    const auto number = [&](double value) { return b.emit.constant(value, DType::f64); };
    const ValueId fits = b.emit.inferred(OpKind::bit_and, {b.emit.inferred(OpKind::ge, {probability, number(0)}),
                                                           b.emit.inferred(OpKind::le, {probability, number(1)})});
    require_in_graph(b, fits, {probability}, "bernoulli() with a probability of {}: it is from 0 to 1");
    const ValueId below = in_shape(b, probability, shape);
    return Val::ssa(words.element(OpKind::lt, part, below), DType::boolean);
}

// The formulas of the runtime for normal numbers (runtime/tensor/random.cpp), operation by operation: the same bits.
class Formulas {
public:
    Formulas(Body& b, RandomWords& words) : b_(b), words_(words) {}

    // ln(x) for 0 < x <= 1: x = m 2^e with sqrt(1/2) <= m < sqrt(2), ln m = 2 artanh((m - 1) / (m + 1)).
    ValueId logarithm(ValueId x) {
        const ValueId code = b_.emit.inferred(OpKind::bitcast, {x}, {{Attr::type, DType::i64}});
        const ValueId power = sub(op(OpKind::shr, code, whole(52)), whole(1022));
        const ValueId digits =
            op(OpKind::bit_or, op(OpKind::bit_and, code, whole(0xFFFFFFFFFFFFF)), whole(0x3FE0000000000000));
        const ValueId half = b_.emit.inferred(OpKind::bitcast, {digits}, {{Attr::type, DType::f64}});
        const ValueId small = op(OpKind::lt, half, number(0.70710678118654752440));
        const ValueId m = select(small, mul(half, number(2)), half);
        const ValueId exponent = select(small, sub(power, whole(1)), power);
        const ValueId s = op(OpKind::div, sub(m, number(1)), add(m, number(1)));
        const ValueId s2 = mul(s, s);
        constexpr double kOddReciprocals[] = {1.0 / 25, 1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15,
                                              1.0 / 13, 1.0 / 11, 1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3};
        ValueId sum = number(0);
        for (const double reciprocal : kOddReciprocals) sum = mul(add(sum, number(reciprocal)), s2);
        const ValueId of_power = mul(b_.emit.cast(exponent, DType::f64), number(0.69314718055994530942));
        return add(of_power, mul(number(2), add(s, mul(s, sum))));
    }

    // Of 2 pi v, 0 <= v < 1: the sine where the condition holds, else the cosine.
    ValueId turned(ValueId v, ValueId wants_sine) {
        const ValueId quarters = b_.emit.inferred(OpKind::floor, {add(mul(v, number(4)), number(0.5))});
        const ValueId x = mul(sub(v, op(OpKind::div, quarters, number(4))), number(6.28318530717958647693));
        const ValueId x2 = mul(x, x);
        constexpr double kSine[] = {1.0 / 342, 1.0 / 272, 1.0 / 210, 1.0 / 156, 1.0 / 110,
                                    1.0 / 72,  1.0 / 42,  1.0 / 20,  1.0 / 6};
        constexpr double kCosine[] = {1.0 / 306, 1.0 / 240, 1.0 / 182, 1.0 / 132, 1.0 / 90,
                                      1.0 / 56,  1.0 / 30,  1.0 / 12,  1.0 / 2};
        ValueId sine = number(0), cosine = number(0);
        for (const double factor : kSine) sine = mul(mul(sub(number(1), sine), x2), number(factor));
        for (const double factor : kCosine) cosine = mul(mul(sub(number(1), cosine), x2), number(factor));
        sine = mul(x, sub(number(1), sine));
        cosine = sub(number(1), cosine);
        const ValueId quarter = op(OpKind::bit_and, b_.emit.cast(quarters, DType::i64), whole(3));
        const ValueId odd = op(OpKind::eq, op(OpKind::bit_and, quarter, whole(1)), whole(1));
        // The sine of a quarter turn more is the cosine, that of two its opposite.
        const ValueId size = select(op(OpKind::ne, odd, wants_sine), sine, cosine);
        const ValueId below =
            select(wants_sine, op(OpKind::ge, quarter, whole(2)),
                   op(OpKind::bit_or, op(OpKind::eq, quarter, whole(1)), op(OpKind::eq, quarter, whole(2))));
        return select(below, b_.emit.inferred(OpKind::neg, {size}), size);
    }

    // Box-Muller: elements 2k and 2k + 1 are made of the same two words.
    ValueId normal(DType type) {
        const ValueId number_in_pair =
            words_.element(OpKind::bit_and, words_.numbers(), words_.all(int64_t{1}, DType::u64));
        const ValueId even = words_.element(OpKind::sub, words_.numbers(), number_in_pair);
        const ValueId next = words_.element(OpKind::add, even, words_.all(int64_t{1}, DType::u64));
        const ValueId second = words_.element(OpKind::eq, number_in_pair, words_.all(int64_t{1}, DType::u64));
        ValueId u, v;
        if (type == DType::f64) {
            const auto digits = [&](ValueId at) {
                return words_.element(OpKind::shr, words_.two_at(at), words_.all(int64_t{11}, DType::u64));
            };
            const ValueId above = words_.element(OpKind::add, digits(even), words_.all(int64_t{1}, DType::u64));
            u = mul(b_.emit.cast(above, DType::f64), number(0x1p-53));
            v = mul(b_.emit.cast(digits(next), DType::f64), number(0x1p-53));
        } else {
            u = mul(add(b_.emit.cast(words_.word_at(even), DType::f64), number(1)), number(0x1p-32));
            v = mul(b_.emit.cast(words_.word_at(next), DType::f64), number(0x1p-32));
        }
        const ValueId r = b_.emit.inferred(OpKind::sqrt, {mul(number(-2), logarithm(u))});
        return b_.emit.cast(mul(r, turned(v, second)), type);
    }

private:
    ValueId op(OpKind kind, ValueId x, ValueId y) { return words_.element(kind, x, y); }
    ValueId add(ValueId x, ValueId y) { return op(OpKind::add, x, y); }
    ValueId sub(ValueId x, ValueId y) { return op(OpKind::sub, x, y); }
    ValueId mul(ValueId x, ValueId y) { return op(OpKind::mul, x, y); }
    ValueId number(double value) { return words_.all(value, DType::f64); }
    ValueId whole(int64_t value) { return words_.all(value, DType::i64); }
    ValueId select(ValueId condition, ValueId then, ValueId otherwise) {
        return b_.emit.inferred(OpKind::select, {condition, then, otherwise});
    }

    Body& b_;
    RandomWords& words_;
};

Val normal(Body& b, const ast::Expr& e, const CallInfo& info, const sema::Type& type) {
    RandomWords words(b, operation_key(b, e, argument(b, info, 2)), shape_in_function(b, type));
    return Val::ssa(Formulas(b, words).normal(type.elem()), type.elem());
}

// The upper half of the product of the element's word and the range: of one word for ranges up to 2^32, else of two.
ValueId scaled(Body& b, RandomWords& words, ValueId range, std::optional<bool> narrow) {
    const auto number = [&](int64_t value) { return words.all(value, DType::u64); };
    const auto op = [&](OpKind kind, ValueId x, ValueId y) { return words.element(kind, x, y); };
    const auto of_one = [&] {
        return op(OpKind::shr, op(OpKind::mul, b.emit.cast(words.word(), DType::u64), range), number(32));
    };
    const auto of_two = [&] {
        const ValueId word = words.two(), mask = number(0xFFFFFFFF);
        const ValueId high = op(OpKind::shr, word, number(32)), low = op(OpKind::bit_and, word, mask);
        const ValueId range_high = op(OpKind::shr, range, number(32)), range_low = op(OpKind::bit_and, range, mask);
        const ValueId first = op(OpKind::shr, op(OpKind::mul, low, range_low), number(32));
        const ValueId cross = op(OpKind::add, op(OpKind::mul, high, range_low), first);
        const ValueId other = op(OpKind::add, op(OpKind::mul, low, range_high), op(OpKind::bit_and, cross, mask));
        return op(OpKind::add, op(OpKind::add, op(OpKind::mul, high, range_high), op(OpKind::shr, cross, number(32))),
                  op(OpKind::shr, other, number(32)));
    };
    if (narrow) return *narrow ? of_one() : of_two();
    const ValueId is_narrow = op(OpKind::le, range, number(int64_t{1} << 32));
    return b.emit.inferred(OpKind::select, {is_narrow, of_one(), of_two()});
}

Val whole_numbers(Body& b, const ast::Expr& e, const CallInfo& info, const sema::Type& type) {
    const std::vector<Dim> shape = shape_in_function(b, type);
    const Val lo = argument_value(b, info, 0), hi = argument_value(b, info, 1);
    const ValueId low = b.scalar(lo, DType::i64), high = b.scalar(hi, DType::i64);
    require_in_graph(b, b.emit.inferred(OpKind::lt, {low, high}), {low, high},
                     "randint({}, {}) has no numbers to choose from");
    std::optional<bool> narrow;
    if (lo.is_fixed() && hi.is_fixed() && lo.fixed.integer() && hi.fixed.integer()) {
        narrow = static_cast<uint64_t>(*hi.fixed.integer()) - static_cast<uint64_t>(*lo.fixed.integer()) <= uint64_t{1}
                                                                                                                << 32;
    }
    RandomWords words(b, operation_key(b, e, argument(b, info, 4)), shape);
    const ValueId range = b.emit.cast(b.emit.inferred(OpKind::sub, {high, low}), DType::u64);
    const ValueId above = scaled(b, words, in_shape(b, range, shape), narrow);
    const ValueId value = words.element(OpKind::add, b.emit.cast(above, DType::i64), in_shape(b, low, shape));
    return Val::ssa(b.emit.cast(value, type.elem()), type.elem());
}

// 0, 1, … sorted by two words of each.
Val order_of(Body& b, const ast::Expr& e, const CallInfo& info, const sema::Type& type) {
    const std::vector<Dim> shape = shape_in_function(b, type);
    if (bits(type.elem()) < 64) {
        const ValueId count = dim_value(b, shape[0]);
        const int digits = bits(type.elem()) - (is_signed(type.elem()) ? 1 : 0);
        const ValueId most = b.emit.constant(int64_t{1} << digits, DType::index);
        require_in_graph(b, b.emit.inferred(OpKind::le, {count, most}), {count},
                         "permutation() of {} elements does not fit in " + std::string(name(type.elem())));
    }
    RandomWords words(b, operation_key(b, e, argument(b, info, 2)), shape);
    const ValueId sorted = b.emit.inferred(OpKind::sort_index, {words.two()}, {{Attr::axis, int64_t{0}}});
    return Val::ssa(b.emit.cast(sorted, type.elem()), type.elem());
}

}  // namespace

std::vector<Dim> shape_in_function(Body& b, const sema::Type& type) {
    std::vector<Dim> shape;
    if (type.is_scalar()) return shape;
    for (const Dim& extent : type.shape()) shape.push_back(dim_in_function(b, extent));
    return shape;
}

ValueId rounded_by_chance(Body& b, const RandomKey& key, ValueId value, DType type) {
    RandomWords words(b, key, b.type_of(value).shape);
    return b.emit.cast(b.emit.inferred(OpKind::dither, {value, words.word()}, {{Attr::type, type}}), type);
}

std::optional<Val> graph_random(Body& b, const ast::Expr& e, const CallInfo& info) {
    const sema::Type& type = b.info(e).type;
    switch (info.builtin) {
        case Builtin::rand:
            return uniform(b, e, info, type);
        case Builtin::randn:
            return normal(b, e, info, type);
        case Builtin::randint:
            return whole_numbers(b, e, info, type);
        case Builtin::bernoulli:
            return chance(b, e, info, type);
        case Builtin::permutation:
            return order_of(b, e, info, type);
        default:
            return std::nullopt;
    }
}

}  // namespace tsr::elaborate
