#include "sema/builtin_calls/random_calls.h"

#include <fmt/format.h>

#include "sema/state/recursion.h"
#include "sema/types/numeric.h"
#include "sema/values/dimensions.h"
#include "sema/values/requirements.h"

namespace tsr::sema {

namespace {

// Where the arguments of each function stand in its row; -1: it has none.
struct RandomParameters {
    int shape = -1, type = -1, seed = -1;
};

RandomParameters parameters_of(Builtin function) {
    switch (function) {
        case Builtin::randint:
            return {2, 3, 4};
        case Builtin::bernoulli:
            return {1, -1, 2};
        case Builtin::permutation:
            return {-1, 1, 2};
        default:
            return {0, 1, 2};
    }
}

const ast::Expr* argument(const Matched& m, int at) { return at < 0 ? nullptr : m.arguments[static_cast<size_t>(at)]; }

bool require_number(Body& b, const ast::Expr& e, const std::string& what) {
    Value v = expression(b, e);
    if (v.broken()) return false;
    if (v.type.is_number()) return true;
    b.error("E0302", e.span, fmt::format("{} is a number, this is {}", what, shown(v.type)));
    return false;
}

// The type of what `randint(low, high)` gives: that of its bounds.
std::optional<DType> bounds_type(Body& b, const Matched& m) {
    std::optional<Type> joined;
    for (size_t i = 0; i < 2; ++i) {
        Value v = expression(b, *m.arguments[i]);
        require_integer(b, *m.arguments[i], v, "a bound of `randint`");
        if (!v.type.is_integer()) return std::nullopt;
        Type type = settled_type(v.type, v.value);
        joined = joined ? join(*joined, type) : type;
        if (!joined) {
            b.error("E0301", m.arguments[i]->span, "the bounds of `randint` have no common type");
            return std::nullopt;
        }
    }
    return joined->elem() == DType::index ? DType::i64 : joined->elem();
}

// The element type where none is written; nothing after a message.
std::optional<DType> usual_type(Body& b, Builtin function, const Matched& m) {
    switch (function) {
        case Builtin::randint:
            return bounds_type(b, m);
        case Builtin::bernoulli:
            return require_number(b, *m.arguments[0], "a probability") ? std::optional(DType::boolean) : std::nullopt;
        case Builtin::permutation:
            return DType::i64;
        default:
            return DType::f32;
    }
}

bool fits(Builtin function, DType type) {
    if (function == Builtin::bernoulli) return true;
    if (function == Builtin::rand || function == Builtin::randn) return is_float(type) && bits(type) >= 16;
    return is_integer(type) && type != DType::index && bits(type) >= 8;
}

std::optional<DType> written_type(Body& b, Builtin function, const ast::Expr& e) {
    auto type = named_dtype(b, e);
    if (!type || fits(function, *type)) return type;
    const bool floats = function == Builtin::rand || function == Builtin::randn;
    b.error("E0302", e.span,
            fmt::format("`{}` gives {}, not `{}`", spelling(function),
                        floats ? "f64, f32, f16 or bf16" : "integers of 8 bits or more", name(*type)));
    return std::nullopt;
}

}  // namespace

Value random_call(Body& b, const BuiltinEntry& row, const Matched& m) {
    const RandomParameters at = parameters_of(row.id);
    std::optional<DType> elem = usual_type(b, row.id, m);
    if (const ast::Expr* written = argument(m, at.type)) {
        auto type = written_type(b, row.id, *written);
        elem = elem ? type : std::nullopt;
    }
    if (const ast::Expr* seed = argument(m, at.seed)) require_integer(b, *seed, expression(b, *seed), "a seed");
    Value result;
    std::vector<ir::Dim> shape;
    if (row.id == Builtin::permutation) {
        Value count = expression(b, *m.arguments[0]);
        require_integer(b, *m.arguments[0], count, "the number of elements");
        if (!count.type.is_integer()) return {};
        shape = {dimension_of(b, *m.arguments[0], count)};
    } else if (const ast::Expr* written = argument(m, at.shape)) {
        auto given = shape_argument(b, *written);
        if (!given) return {};
        shape = std::move(*given);
    } else if (elem) {
        result.type = Type::scalar(*elem);  // one number
        return result;
    }
    if (!elem) return {};
    TensorDetail detail;
    detail.shape = std::move(shape);
    detail.mut = true;
    result.type = Type::tensor(*elem, std::move(detail));
    return result;
}

}  // namespace tsr::sema
