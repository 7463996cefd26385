#include "ir/core/dim.h"

#include <algorithm>
#include <compare>
#include <set>
#include <string_view>

namespace tsr::ir {

namespace {

// Coefficients wrap like every integer of the language; in C++ only unsigned numbers may.
int64_t wrapping_add(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t wrapping_mul(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

int64_t floor_divide(int64_t a, int64_t b) {
    if (b == -1) return wrapping_mul(a, -1);  // the smallest number has no positive counterpart
    int64_t quotient = a / b;
    return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

bool divides(int64_t b, int64_t a) { return b == -1 || b == 1 || (b != 0 && a % b == 0); }

std::strong_ordering order(const Dim::Atom& a, const Dim::Atom& b);

std::strong_ordering order(const std::vector<Dim::Atom>& a, const std::vector<Dim::Atom>& b) {
    return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end(),
                                                  [](const Dim::Atom& x, const Dim::Atom& y) { return order(x, y); });
}

std::strong_ordering order(const Dim& a, const Dim& b) {
    return std::lexicographical_compare_three_way(a.terms().begin(), a.terms().end(), b.terms().begin(),
                                                  b.terms().end(), [](const Dim::Term& x, const Dim::Term& y) {
                                                      auto factors = order(x.factors, y.factors);
                                                      return factors != 0 ? factors : x.coefficient <=> y.coefficient;
                                                  });
}

std::strong_ordering order(const Dim::Atom& a, const Dim::Atom& b) {
    if (a.kind != b.kind) return a.kind <=> b.kind;
    if (a.kind == Dim::Atom::Kind::symbol) return a.name.compare(b.name) <=> 0;
    auto numerators = order(*a.numerator, *b.numerator);
    return numerators != 0 ? numerators : order(*a.denominator, *b.denominator);
}

// (n/d) * d is n: an exact quotient is only made where d divides n.
void cancel_exact_quotients(std::vector<Dim::Term>& terms) {
    for (size_t i = 0; i < terms.size(); ++i) {
        std::vector<Dim::Atom>& factors = terms[i].factors;
        for (size_t q = 0; q < factors.size(); ++q) {
            if (factors[q].kind != Dim::Atom::Kind::exact_quotient) continue;
            const Dim denominator = *factors[q].denominator;
            const Dim numerator = *factors[q].numerator;
            if (denominator.terms().size() != 1) continue;
            const Dim::Term& by = denominator.terms()[0];
            if (!divides(by.coefficient, terms[i].coefficient)) continue;
            std::vector<Dim::Atom> rest = factors;
            rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(q));
            bool all = std::all_of(by.factors.begin(), by.factors.end(), [&](const Dim::Atom& factor) {
                auto at = std::find(rest.begin(), rest.end(), factor);
                if (at == rest.end()) return false;
                rest.erase(at);
                return true;
            });
            if (!all) continue;
            const int64_t coefficient = floor_divide(terms[i].coefficient, by.coefficient);
            terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(i));
            for (const Dim::Term& term : numerator.terms()) {
                Dim::Term product{wrapping_mul(coefficient, term.coefficient), rest};
                product.factors.insert(product.factors.end(), term.factors.begin(), term.factors.end());
                terms.push_back(std::move(product));
            }
            i = static_cast<size_t>(-1);  // from the start: the products may cancel again
            break;
        }
    }
}

}  // namespace

bool Dim::Atom::operator==(const Atom& other) const { return order(*this, other) == 0; }
bool Dim::Atom::operator<(const Atom& other) const { return order(*this, other) < 0; }
bool Dim::operator==(const Dim& other) const { return terms_ == other.terms_ || terms() == other.terms(); }

Dim::Dim() = default;

Dim::Dim(std::vector<Term> terms) {
    cancel_exact_quotients(terms);
    for (Term& term : terms) std::sort(term.factors.begin(), term.factors.end());
    std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return order(a.factors, b.factors) < 0; });
    size_t kept = 0;
    for (size_t i = 0; i < terms.size(); ++i) {
        if (kept > 0 && terms[kept - 1].factors == terms[i].factors) {
            terms[kept - 1].coefficient = wrapping_add(terms[kept - 1].coefficient, terms[i].coefficient);
        } else {
            if (kept != i) terms[kept] = std::move(terms[i]);
            ++kept;
        }
        if (terms[kept - 1].coefficient == 0 &&
            (i + 1 == terms.size() || terms[i + 1].factors != terms[kept - 1].factors)) {
            --kept;
        }
    }
    terms.resize(kept);
    hold(std::move(terms));
}

void Dim::hold(std::vector<Term> terms) {
    terms_ = terms.empty() ? nullptr : std::make_shared<const std::vector<Term>>(std::move(terms));
}

const std::vector<Dim::Term>& Dim::terms() const {
    static const std::vector<Term> none;
    return terms_ ? *terms_ : none;
}

// Both are in normal form as they are.
Dim Dim::constant(int64_t value) {
    Dim dim;
    if (value != 0) dim.hold({Term{value, {}}});
    return dim;
}

Dim Dim::symbol(std::string name) {
    Atom atom;
    atom.name = std::move(name);
    Term term{1, {}};
    term.factors.push_back(std::move(atom));
    std::vector<Term> terms;
    terms.push_back(std::move(term));
    Dim dim;
    dim.hold(std::move(terms));
    return dim;
}

Dim operator+(const Dim& a, const Dim& b) {
    if (!a.terms_) return b;
    if (!b.terms_) return a;
    std::vector<Dim::Term> terms = a.terms();
    terms.insert(terms.end(), b.terms().begin(), b.terms().end());
    return Dim(std::move(terms));
}

Dim operator-(const Dim& a, const Dim& b) { return a + b * Dim::constant(-1); }

Dim operator*(const Dim& a, const Dim& b) {
    if (a.constant_value() == 1) return b;
    if (b.constant_value() == 1) return a;
    std::vector<Dim::Term> terms;
    for (const Dim::Term& x : a.terms()) {
        for (const Dim::Term& y : b.terms()) {
            Dim::Term product{wrapping_mul(x.coefficient, y.coefficient), x.factors};
            product.factors.insert(product.factors.end(), y.factors.begin(), y.factors.end());
            terms.push_back(std::move(product));
        }
    }
    return Dim(std::move(terms));
}

// What of a sum divides without remainder leaves the quotient: (128*n + m)//128 is n + m//128, and (n + 2)/2 is
// n/2 + 1 (2 divides n exactly when it divides n + 2).
Dim Dim::quotient(const Dim& a, const Dim& b, bool exact) {
    if (b.terms().size() == 1 && b.terms()[0].coefficient < 0) {
        return quotient(a * constant(-1), b * constant(-1), exact);
    }
    if (a.terms().empty() && !b.terms().empty() && b.terms()[0].factors.empty()) return a;
    std::vector<Term> whole;
    std::vector<Term> rest;
    // A symbol may be 0, so that n//n stays; who writes n/n has promised that n divides.
    const bool splits = b.terms().size() == 1 && (exact || b.terms()[0].factors.empty());
    for (const Term& term : a.terms()) {
        std::optional<Term> divided = splits ? divide(term, b.terms()[0]) : std::nullopt;
        if (divided) {
            whole.push_back(*divided);
        } else if (splits && term.factors.empty() && b.terms()[0].factors.empty()) {
            // 130 is 128 + 2: the remainder of the constant is in [0, b).
            const int64_t by = b.terms()[0].coefficient;
            const int64_t times = floor_divide(term.coefficient, by);
            whole.push_back({times, {}});
            rest.push_back({term.coefficient - times * by, {}});
        } else {
            rest.push_back(term);
        }
    }
    if (rest.empty()) return Dim(std::move(whole));
    Dim numerator(std::move(rest));
    if (!exact && splits && numerator.constant_value()) return Dim(std::move(whole));  // in [0, b)
    Dim denominator = b;
    reduce(numerator, denominator);
    if (!whole.empty() && numerator.constant_value()) {
        // A sum with an exact quotient of constants that does not divide stays one quotient: nobody reads `n + 2/128`.
        numerator = a;
        denominator = b;
        whole.clear();
    }
    Atom atom;
    atom.kind = exact ? Atom::Kind::exact_quotient : Atom::Kind::floor_quotient;
    atom.numerator = std::make_shared<const Dim>(std::move(numerator));
    atom.denominator = std::make_shared<const Dim>(std::move(denominator));
    whole.push_back({1, {std::move(atom)}});
    return Dim(std::move(whole));
}

// term / by, where that leaves no remainder whatever the symbols are.
std::optional<Dim::Term> Dim::divide(const Term& term, const Term& by) {
    if (!divides(by.coefficient, term.coefficient)) return std::nullopt;
    Term result{floor_divide(term.coefficient, by.coefficient), term.factors};
    for (const Atom& factor : by.factors) {
        auto at = std::find(result.factors.begin(), result.factors.end(), factor);
        if (at == result.factors.end()) return std::nullopt;
        result.factors.erase(at);
    }
    return result;
}

// Divides both by the greatest number that divides all coefficients: 2*n/4 is n/2.
void Dim::reduce(Dim& numerator, Dim& denominator) {
    uint64_t common = 0;
    auto gather = [&](const Dim& dim) {
        for (const Term& term : dim.terms()) {
            uint64_t a = common;
            uint64_t b = term.coefficient < 0 ? 0 - static_cast<uint64_t>(term.coefficient)
                                              : static_cast<uint64_t>(term.coefficient);
            while (b != 0) {
                uint64_t remainder = a % b;
                a = b;
                b = remainder;
            }
            common = a;
        }
    };
    gather(numerator);
    gather(denominator);
    if (common <= 1 || common > INT64_MAX) return;
    for (Dim* dim : {&numerator, &denominator}) {
        std::vector<Term> terms = dim->terms();
        for (Term& term : terms) term.coefficient /= static_cast<int64_t>(common);
        dim->hold(std::move(terms));
    }
}

Dim Dim::exact_quotient(const Dim& a, const Dim& b) { return quotient(a, b, true); }
Dim Dim::floor_quotient(const Dim& a, const Dim& b) { return quotient(a, b, false); }

namespace {

// max(a, 0) - c, where c is not negative, as the sum a - c: both have one maximum with 0.
std::optional<Dim> without_inner_maximum(const Dim& dim) {
    for (const Dim::Term& term : dim.terms()) {
        const bool alone = term.coefficient == 1 && term.factors.size() == 1;
        if (!alone || term.factors[0].kind != Dim::Atom::Kind::maximum) continue;
        const Dim &one = *term.factors[0].numerator, &other = *term.factors[0].denominator;
        if (!one.terms().empty() && !other.terms().empty()) continue;
        const Dim inner = one + other;  // one of them is 0
        const Dim rest = dim - Dim::maximum(one, other);
        if (is_never_negative(Dim() - rest)) return inner + rest;
    }
    return std::nullopt;
}

}  // namespace

Dim Dim::maximum(const Dim& a, const Dim& b) {
    if (is_never_negative(a - b)) return a;
    if (is_never_negative(b - a)) return b;
    if (a.terms().empty() || b.terms().empty()) {
        if (const auto plain = without_inner_maximum(a + b)) return maximum(*plain, Dim());
    }
    const bool in_order = order(a, b) < 0;
    Atom atom;
    atom.kind = Atom::Kind::maximum;
    atom.numerator = std::make_shared<const Dim>(in_order ? a : b);
    atom.denominator = std::make_shared<const Dim>(in_order ? b : a);
    return Dim(std::vector<Term>{Term{1, {std::move(atom)}}});
}

namespace {

bool is_never_negative(const Dim::Atom& atom) {
    switch (atom.kind) {
        case Dim::Atom::Kind::symbol:
            return true;
        case Dim::Atom::Kind::exact_quotient:
        case Dim::Atom::Kind::floor_quotient:
            return ir::is_never_negative(*atom.numerator) && ir::is_never_negative(*atom.denominator);
        case Dim::Atom::Kind::maximum:
            return ir::is_never_negative(*atom.numerator) || ir::is_never_negative(*atom.denominator);
    }
    return false;
}

// A negative multiple of one quotient by a positive constant: a//c is at most a/c where a is not negative.
bool takes_quotient(const Dim::Term& term) {
    if (term.coefficient >= 0 || term.factors.size() != 1 || term.factors[0].kind == Dim::Atom::Kind::symbol ||
        term.factors[0].kind == Dim::Atom::Kind::maximum)
        return false;
    return term.factors[0].denominator->constant_value().value_or(0) > 0 &&
           ir::is_never_negative(*term.factors[0].numerator);
}

}  // namespace

// Of each term; n - n//2 is so, too, because 2*n - n is.
bool is_never_negative(const Dim& dim) {
    for (const Dim::Term& term : dim.terms()) {
        if (!takes_quotient(term)) continue;
        const Dim::Atom& quotient = term.factors[0];
        Dim own = Dim::constant(term.coefficient);
        own = own * (quotient.kind == Dim::Atom::Kind::exact_quotient
                         ? Dim::exact_quotient(*quotient.numerator, *quotient.denominator)
                         : Dim::floor_quotient(*quotient.numerator, *quotient.denominator));
        return is_never_negative((dim - own) * *quotient.denominator +
                                 Dim::constant(term.coefficient) * *quotient.numerator);
    }
    return std::all_of(dim.terms().begin(), dim.terms().end(), [](const Dim::Term& term) {
        return term.coefficient >= 0 && std::all_of(term.factors.begin(), term.factors.end(),
                                                    [](const Dim::Atom& atom) { return is_never_negative(atom); });
    });
}

std::optional<int64_t> Dim::constant_value() const {
    if (terms().empty()) return 0;
    if (terms().size() == 1 && terms()[0].factors.empty()) return terms()[0].coefficient;
    return std::nullopt;
}

std::optional<std::string> Dim::symbol_name() const {
    if (terms().size() != 1 || terms()[0].coefficient != 1 || terms()[0].factors.size() != 1) return std::nullopt;
    const Atom& atom = terms()[0].factors[0];
    if (atom.kind != Atom::Kind::symbol) return std::nullopt;
    return atom.name;
}

std::vector<std::string> Dim::symbols() const {
    std::set<std::string> found;
    for (const Term& term : terms()) {
        for (const Atom& atom : term.factors) {
            if (atom.kind == Atom::Kind::symbol) {
                found.insert(atom.name);
                continue;
            }
            for (const Dim* part : {atom.numerator.get(), atom.denominator.get()}) {
                std::vector<std::string> inner = part->symbols();
                found.insert(inner.begin(), inner.end());
            }
        }
    }
    return {found.begin(), found.end()};
}

Dim Dim::substitute(const std::map<std::string, Dim>& known) const {
    return substitute([&](const std::string& name) {
        const auto found = known.find(name);
        return found == known.end() ? std::nullopt : std::optional(found->second);
    });
}

Dim Dim::substitute(const std::function<std::optional<Dim>(const std::string&)>& value_of) const {
    Dim sum;
    for (const Term& term : terms()) {
        Dim product = constant(term.coefficient);
        for (const Atom& atom : term.factors) {
            if (atom.kind == Atom::Kind::symbol) {
                product = product * value_of(atom.name).value_or(symbol(atom.name));
            } else if (atom.kind == Atom::Kind::maximum) {
                product =
                    product * maximum(atom.numerator->substitute(value_of), atom.denominator->substitute(value_of));
            } else {
                product =
                    product * quotient(atom.numerator->substitute(value_of), atom.denominator->substitute(value_of),
                                       atom.kind == Atom::Kind::exact_quotient);
            }
        }
        sum = sum + product;
    }
    return sum;
}

std::optional<int64_t> Dim::evaluate(const std::function<std::optional<int64_t>(const std::string&)>& value_of) const {
    int64_t sum = 0;
    for (const Term& term : terms()) {
        int64_t product = term.coefficient;
        for (const Atom& atom : term.factors) {
            std::optional<int64_t> factor;
            if (atom.kind == Atom::Kind::symbol) {
                factor = value_of(atom.name);
            } else {
                auto a = atom.numerator->evaluate(value_of);
                auto b = atom.denominator->evaluate(value_of);
                if (!a || !b) return std::nullopt;
                const bool divides_by_zero = atom.kind != Atom::Kind::maximum && *b == 0;
                if (divides_by_zero) return std::nullopt;
                if (atom.kind == Atom::Kind::exact_quotient && !divides(*b, *a)) return std::nullopt;
                factor = atom.kind == Atom::Kind::maximum ? std::max(*a, *b) : floor_divide(*a, *b);
            }
            if (!factor) return std::nullopt;
            product = wrapping_mul(product, *factor);
        }
        sum = wrapping_add(sum, product);
    }
    return sum;
}

Dim element_count(const std::vector<Dim>& extents) {
    Dim all = Dim::constant(1);
    for (const Dim& extent : extents) all = all * extent;
    return all;
}

Equality compare(const Dim& a, const Dim& b) {
    // Most that are compared are the same or two numbers, which needs no difference.
    if (a == b) return Equality::equal;
    if (a.constant_value() && b.constant_value()) return Equality::different;
    std::optional<int64_t> difference = (a - b).constant_value();
    if (!difference) return Equality::unknown;
    return *difference == 0 ? Equality::equal : Equality::different;
}

}  // namespace tsr::ir
