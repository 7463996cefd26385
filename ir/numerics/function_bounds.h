// The bounds of one function: a walk through its operations, and what is known of each value behind it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/sources.h"
#include "ir/core/lines.h"
#include "ir/core/names.h"
#include "ir/numerics/error_terms.h"
#include "ir/ops/graph.h"
#include "ir/ops/register.h"

namespace tsr::ir {

RoundoffUnit unit_of(DType type);
RoundoffUnit gamma_of(const Dim& many, DType type);

class FunctionBounds {
public:
    FunctionBounds(const Function& function, const Sources& sources);
    // The units that bounds are made of are added.
    std::string run(std::map<std::string, double>& units);

private:
    // What is known of a value: its elements alike.
    struct Seen {
        ErrorTerms error;
        Magnitude size;  // |value| = scale * size
        double scale = 1;
        bool nonnegative = false;
        std::optional<double> constant;
        std::set<std::string> unsaid;  // why there is no bound
    };

    struct Definition {
        ErrorTerms error;
        std::set<std::string> unsaid;
    };
    // value_texts.cpp

    // A value without a name is called as what only repeats or moves it.
    void give_names(RegionId id);
    [[nodiscard]] bool is_of_floats(ValueId v) const;
    // In graphs tensors are values.
    [[nodiscard]] bool is_memory(ValueId v) const { return fn_.level != Level::graph && fn_.type(v).is_memory(); }
    [[nodiscard]] std::string line_of(OpId id) const { return line_text(fn_, fn_.op(id).place, sources_); }
    // An operation that gives elements of its first operand where they were, or elsewhere.
    static bool moves(OpKind kind);
    const std::string& text_of(ValueId v);
    std::string part_text(ValueId v);
    std::string made_text(ValueId v);
    void tell_where(ValueId v);
    static std::string product_text(const ContractOp& product, const std::string& a, const std::string& b);

    // What is known.

    Seen& seen(ValueId v) { return seen_[v.index]; }
    // A value that is exact.
    Seen& take(ValueId v);
    void unsaid(OpId id, const std::string& what);
    static void join(Seen& into, const Seen& other);
    // Rounding of a result as large as `size`.
    static void round(Seen& made, const RoundoffUnit& unit, double times = 1);
    static ErrorTerms map(const ErrorTerms& terms, const auto& to) {
        ErrorTerms made;
        for (const auto& [magnitude, coefficient] : terms.terms()) made.add(coefficient, to(magnitude));
        return made;
    }
    static std::string text_or_one(const Magnitude& magnitude) { return magnitude.one() ? "1" : magnitude.text(); }
    // A factor that is in parentheses stays as it is.
    static std::string in_parentheses(const Magnitude& magnitude);
    static ErrorTerms greatest(const ErrorTerms& terms);
    // The sum of `of` over many places, where the sum of x is `sum`.
    static Magnitude summed(const Magnitude& of, const Seen& x, const Seen& sum);

    // The walk.

    void region(RegionId id);
    void operation(OpId id);
    // A bound of many terms has a line of its own, and counts as one term from here on.
    void define_long(ValueId v);
    void define(ValueId v, const ErrorTerms& error, const std::set<std::string>& unsaid);
    std::string error_text(ValueId v);
    void element(OpId id);
    void decides(OpId id);
    // What the operation itself rounds.
    void round_own(OpId id, Seen& made);
    void note_cancellation(OpId id, const Seen& a, const Seen& b);

    // element_bounds.cpp

    void add(OpId id, Seen& made);
    static ErrorTerms product_error(const Seen& a, const Seen& b);
    void multiply(OpId id, Seen& made);
    void divide(OpId id, Seen& made);
    void keep(OpId id, Seen& made);
    static void set_constant(Seen& made, double value);
    void choose(OpId id, Seen& made);
    // A function f of one number: the error of x times |f'(x)|.
    void apply(OpId id, Seen& made);

    void other(OpId id);
    // As the program calls it, where its text says that.
    std::string called(OpId id) const;

    // tensor_bounds.cpp: products, what is done along an axis, and memory.

    void move(OpId id);
    void gather_all(OpId id);
    Dim depth_of(const ContractOp& product) const;
    // |a| |b|, and errors in their place.
    Magnitude product_of(OpId id, const Magnitude& a, const Magnitude& b) const;
    // What errors of the factors, and rounding them, give.
    ErrorTerms errors_of_factors(OpId id, const Seen& a, const Seen& b) const;
    void contract(OpId id, ValueId left, ValueId right, const Dim& depth, DType accumulates);
    // A factor may be a buffer.
    const Seen& factor(OpId id, ValueId v);
    Dim depth_of(const MmaOp& product) const;
    void multiply_tiles(OpId id);
    // Many values in one, or in each one those before it.
    void combine(OpId id, ReduceOp what, const Dim& many);
    void combine_buffer(OpId id);
    void scatter(OpId id);
    // The parameter or buffer that a handle names; nothing where a loop exchanges them.
    [[nodiscard]] std::optional<ValueId> root_of(ValueId v) const;
    Seen memory(OpId id, ValueId v);
    void write(ValueId to, const Seen& value);
    void update_atomically(OpId id);
    // What a write, a store or an atomic operation brings.
    [[nodiscard]] ValueId stored_by(OpId id) const;

    // loop_bounds.cpp

    // What a loop adds to a variable in each round.
    struct Additions {
        ErrorTerms error;  // of what is added
        std::vector<std::pair<double, Magnitude>> sizes;
        Dim many;                    // roundings
        std::set<DType> rounded_to;  // each time
        std::set<std::string> unsaid;
        bool whole_steps = true;  // only products as deep as the loop's step
    };

    Dim dim_of(ValueId v);
    // Whether v is the carried variable with things added to it.
    bool is_sum(ValueId v, ValueId carried, const Dim& step, Additions& all);
    // Whether v is the carried variable or one of other values: the greatest, the least.
    bool is_choice(ValueId v, ValueId carried, Seen& others);
    [[nodiscard]] bool mentions(const ErrorTerms& error, const std::set<std::string>& errors) const;
    void loop(OpId id);
    Definition carried_error(OpId id, ValueId v, ValueId init, ValueId next, const std::set<std::string>& own);

    // bound_texts.cpp

    // What a bound mentions, and what that mentions.
    void mentioned_in(const ErrorTerms& error, std::vector<std::string>& found) const;
    static void count_units(const ErrorTerms& error, std::map<std::string, double>& units);
    std::string terms_text(const std::string& what, const ErrorTerms& error, const Magnitude& size, double scale,
                           std::map<std::string, double>& units);
    std::string result(const std::string& called, ValueId v, const Seen& value, std::map<std::string, double>& units);
    std::string notes(std::map<std::string, double>& units);
    // Whether a bound that is shown has the value in it.
    bool mentioned(const std::string& value);

    const Function& fn_;
    const Sources& sources_;
    ValueNames names_;
    std::vector<Seen> seen_;
    std::vector<std::string> texts_;
    std::map<std::string, Definition> definitions_;  // of "E(y)"
    std::map<ValueId, Seen> written_;                // parameters and buffers
    std::set<ValueId> read_;
    std::optional<ValueId> given_;  // by a kernel, beside what it writes
    std::vector<ErrorTerms> shown_errors_;
    std::set<std::string> shown_;  // definitions
    std::set<std::string> where_, cancels_, conditions_;
    int rounds_ = 0;  // loops around, whose regions are gone through twice
};

}  // namespace tsr::ir
