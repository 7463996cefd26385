// Terms: formulas over values written as formulas. Each operator makes one element operation.
#pragma once

#include <limits>

#include "ir/build/builder.h"

namespace tsr::ir::math {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Term {
    Builder* builder;
    ValueId id;

    [[nodiscard]] DType type() const { return builder->function().type(id).elem; }
    // A constant of this term's type.
    [[nodiscard]] Term real(double value) const { return shaped(builder->constant(value, type())); }
    [[nodiscard]] Term whole(int64_t value) const { return shaped(builder->constant(value, type())); }
    // The scalar for each element of this term.
    [[nodiscard]] Term shaped(ValueId scalar) const {
        const Type& own = builder->function().type(id);
        if (own.kind == TypeKind::tensor)
            return {builder, builder->value(OpKind::full, {scalar}, {{Attr::shape, own.shape}})};
        if (own.kind != TypeKind::tile) return {builder, scalar};
        return {builder, builder->value(OpKind::expand, {scalar},
                                        {{Attr::shape, own.shape}, {Attr::axes, std::vector<int64_t>{}}})};
    }
    [[nodiscard]] Term cast(DType to) const { return {builder, builder->cast(id, to)}; }
    [[nodiscard]] Term bits(DType as) const { return {builder, (*builder).bitcast(id, as)}; }
    [[nodiscard]] Term apply(OpKind kind) const { return {builder, builder->element(kind, {id})}; }
    // The same value for formulas that stand in another place.
    [[nodiscard]] Term in(Builder& place) const { return {&place, id}; }
};

inline Term apply(OpKind kind, Term a, Term b) { return {a.builder, a.builder->element(kind, {a.id, b.id})}; }

inline Term operator+(Term a, Term b) { return apply(OpKind::add, a, b); }
inline Term operator-(Term a, Term b) { return apply(OpKind::sub, a, b); }
inline Term operator*(Term a, Term b) { return apply(OpKind::mul, a, b); }
inline Term operator/(Term a, Term b) { return apply(OpKind::div, a, b); }
inline Term operator&(Term a, Term b) { return apply(OpKind::bit_and, a, b); }
inline Term operator|(Term a, Term b) { return apply(OpKind::bit_or, a, b); }
inline Term operator^(Term a, Term b) { return apply(OpKind::bit_xor, a, b); }
inline Term operator<<(Term a, Term b) { return apply(OpKind::shl, a, b); }
inline Term operator>>(Term a, Term b) { return apply(OpKind::shr, a, b); }
inline Term operator<<(Term a, int64_t by) { return a << a.whole(by); }
inline Term operator>>(Term a, int64_t by) { return a >> a.whole(by); }
inline Term operator<(Term a, Term b) { return apply(OpKind::lt, a, b); }
inline Term operator>(Term a, Term b) { return apply(OpKind::gt, a, b); }
inline Term operator==(Term a, Term b) { return apply(OpKind::eq, a, b); }
inline Term operator!=(Term a, Term b) { return apply(OpKind::ne, a, b); }
inline Term operator-(Term a) { return a.apply(OpKind::neg); }

inline Term operator+(Term a, double b) { return a + a.real(b); }
inline Term operator-(Term a, double b) { return a - a.real(b); }
inline Term operator*(Term a, double b) { return a * a.real(b); }
inline Term operator<(Term a, double b) { return a < a.real(b); }
inline Term operator>(Term a, double b) { return a > a.real(b); }
inline Term operator==(Term a, double b) { return a == a.real(b); }
inline Term operator-(double a, Term b) { return b.real(a) - b; }
inline Term operator/(double a, Term b) { return b.real(a) / b; }

inline Term fma(Term a, Term b, Term c) { return {a.builder, a.builder->fma(a.id, b.id, c.id)}; }
inline Term fma(Term a, double b, Term c) { return fma(a, a.real(b), c); }
inline Term fma(Term a, Term b, double c) { return fma(a, b, a.real(c)); }
inline Term fma(Term a, double b, double c) { return fma(a, a.real(b), a.real(c)); }
inline Term abs(Term a) { return a.apply(OpKind::abs); }
inline Term sqrt(Term a) { return a.apply(OpKind::sqrt); }
inline Term floor(Term a) { return a.apply(OpKind::floor); }
inline Term round(Term a) { return a.apply(OpKind::round); }
inline Term select(Term condition, Term then, Term otherwise) {
    return {then.builder, then.builder->select(condition.id, then.id, otherwise.id)};
}
inline Term select(Term condition, double then, Term otherwise) {
    return select(condition, otherwise.real(then), otherwise);
}
inline Term select(Term condition, Term then, double otherwise) {
    return select(condition, then, then.real(otherwise));
}

// The number of a table at an integer; 2^n numbers of f64.
inline Term table(Term index, const std::vector<int64_t>& bits) {
    return {index.builder,
            index.builder->value(OpKind::table, {index.id}, {{Attr::type, DType::f64}, {Attr::elements, bits}})};
}

// One of two formulas, each given the builder to stand in: only that which is asked for is computed, so that who never
// needs a rare one does not pay for it. Of register tiles both are.
template <typename Then, typename Otherwise>
Term choose(Term condition, Then&& then, Otherwise&& otherwise) {
    Builder& b = *condition.builder;
    if (b.function().type(condition.id).kind == TypeKind::tile) return select(condition, then(b), otherwise(b));
    const OpId chosen = b.if_(
        condition.id, [&](Builder& in) { return Values{then(in).id}; },
        [&](Builder& in) { return Values{otherwise(in).id}; });
    return {&b, b.function().op(chosen).results[0]};
}

// `otherwise` holds for every element; where `condition` does, `quick` gives the same bits for less. Of register tiles,
// whose elements would all pay for both, only `otherwise` is computed.
template <typename Quick, typename Otherwise>
Term usually(Term condition, Quick&& quick, Otherwise&& otherwise) {
    Builder& b = *condition.builder;
    if (b.function().type(condition.id).kind == TypeKind::tile) return otherwise(b);
    return choose(condition, quick, otherwise);
}

}  // namespace tsr::ir::math
