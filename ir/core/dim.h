// Dimensions: integer expressions over symbols in a normal form, so that equal dimensions compare equal as data.
// A symbol belongs to a function and is bound once, by a parameter's shape or by the operation that makes a tensor of
// unknown size.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tsr::ir {

// The three answers to "are these the same?". Unknown becomes a check at run time.
enum class Equality { equal, different, unknown };

// A sum of integer multiples of products of atoms. An atom is a symbol, or a quotient or maximum that does not
// simplify.
class Dim {
public:
    struct Atom;
    struct Term;

    Dim();  // 0
    static Dim constant(int64_t value);
    static Dim symbol(std::string name);

    friend Dim operator+(const Dim& a, const Dim& b);
    friend Dim operator-(const Dim& a, const Dim& b);
    friend Dim operator*(const Dim& a, const Dim& b);
    // a / b where b is known to divide a; who evaluates it checks that it does.
    static Dim exact_quotient(const Dim& a, const Dim& b);
    // Rounded down.
    static Dim floor_quotient(const Dim& a, const Dim& b);
    // The greater and the lesser of two; one of them where that is known, symbols being 0 or more.
    static Dim maximum(const Dim& a, const Dim& b);
    static Dim minimum(const Dim& a, const Dim& b);

    [[nodiscard]] std::optional<int64_t> constant_value() const;
    // The symbol's name, when the dimension is one symbol alone.
    [[nodiscard]] std::optional<std::string> symbol_name() const;
    [[nodiscard]] std::vector<std::string> symbols() const;  // each once, sorted
    bool operator==(const Dim& other) const;

    // Replaces symbols; `value_of` answers nothing for a symbol that stays.
    [[nodiscard]] Dim substitute(const std::function<std::optional<Dim>(const std::string&)>& value_of) const;
    // Symbols that the map does not have stay.
    [[nodiscard]] Dim substitute(const std::map<std::string, Dim>& known) const;
    // The number, when every symbol has one; nothing too when an exact quotient does not divide.
    [[nodiscard]] std::optional<int64_t> evaluate(
        const std::function<std::optional<int64_t>(const std::string&)>& value_of) const;

    // "K/tp", "2*n + 1"; a symbol whose name is no identifier stands in backticks. Reads back.
    [[nodiscard]] std::string text() const;
    static std::optional<Dim> parse(const std::string& text);

    [[nodiscard]] const std::vector<Term>& terms() const;

private:
    explicit Dim(std::vector<Term> terms);  // brings them into normal form
    void hold(std::vector<Term> terms);     // that are in it
    static Dim quotient(const Dim& a, const Dim& b, bool exact);
    static std::optional<Term> divide(const Term& term, const Term& by);
    static void reduce(Dim& numerator, Dim& denominator);

    // Sorted by factors, no coefficient 0, no two with the same factors; nothing is 0. Copies share them: types hold
    // dimensions, and are copied much more often than dimensions are made.
    std::shared_ptr<const std::vector<Term>> terms_;
};

struct Dim::Atom {
    enum class Kind { symbol, exact_quotient, floor_quotient, maximum };
    Kind kind = Kind::symbol;
    std::string name;                        // of a symbol
    std::shared_ptr<const Dim> numerator;    // of a quotient; of a maximum one of the two
    std::shared_ptr<const Dim> denominator;  // of a quotient; of a maximum the other

    bool operator==(const Atom& other) const;
    bool operator<(const Atom& other) const;
};

// coefficient * factors[0] * factors[1] * …, the factors sorted.
struct Dim::Term {
    int64_t coefficient = 0;
    std::vector<Atom> factors;
    bool operator==(const Term&) const = default;
};

inline Dim Dim::minimum(const Dim& a, const Dim& b) { return a + b - maximum(a, b); }

// How many elements a tensor of these extents has: 1 of none.
Dim element_count(const std::vector<Dim>& extents);

// Whether it is 0 or more whatever the symbols are, which are 0 or more themselves; false where that is not known.
bool is_never_negative(const Dim& dim);

// Unknown unless the difference is a constant.
Equality compare(const Dim& a, const Dim& b);

}  // namespace tsr::ir
