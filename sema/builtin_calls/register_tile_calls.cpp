#include "sema/builtin_calls/register_tile_calls.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sema/builtin_calls/reduction_types.h"
#include "sema/expressions/register_tiles.h"
#include "sema/state/recursion.h"
#include "sema/types/elements.h"
#include "sema/types/numeric.h"
#include "sema/values/dimensions.h"
#include "sema/values/requirements.h"

namespace tsr::sema {

namespace {

std::optional<std::vector<int64_t>> tile_shape(Body& b, const ast::Expr& e) {
    return static_shape(b, e, "the shape of a register tile", "E0418");
}

Value made(Body& b, const ast::Expr& shape_expr, const std::optional<std::vector<int64_t>>& shape, DType elem) {
    if (!shape) return {};
    auto type = tile_type(b, shape_expr.span, elem, *shape);
    return type ? typed(*type) : Value{};
}

Value full(Body& b, const Matched& m) {
    const auto shape = tile_shape(b, *m.arguments[0]);
    const Value value = expression(b, *m.arguments[1]);
    const auto elem = named_dtype(b, *m.arguments[2]);
    if (!elem || !require_converts(b, *m.arguments[1], value, Type::scalar(*elem), "an element of the tile")) return {};
    return made(b, *m.arguments[0], shape, *elem);
}

Value iota(Body& b, const ast::Expr& e, const Matched& m) {
    const auto shape = tile_shape(b, *m.arguments[0]);
    if (!shape) return {};
    if (!m.arguments[1] && shape->size() > 1) {
        b.error("E0315", e.span, fmt::format("`tile.iota` of {} axes lacks its `axis=`", shape->size()));
        return {};
    }
    if (m.arguments[1] && !tile_axis(b, *m.arguments[1], shape->size())) return {};
    return made(b, *m.arguments[0], shape, DType::i32);
}

// A register tile, with the message where it is none.
std::optional<Type> tile_argument(Body& b, const BuiltinEntry& row, const ast::Expr& e) {
    const Value value = expression(b, e);
    if (value.broken()) return std::nullopt;
    if (value.type.is(Kind::tile)) return value.type;
    auto& d = b.error("E0302", e.span,
                      fmt::format("`{}` takes a register tile, this is {}", row.paths.front(), shown(value.type)));
    offer_load(b, d, e, value.type);
    return std::nullopt;
}

struct Combining {
    bool sums = false;     // in the accumulation type
    bool logical = false;  // of bools
};

std::optional<Combining> combining(Body& b, const BuiltinEntry& row, const ast::Expr& e) {
    const auto op = static_string(b, e, fmt::format("the operation of `{}`", row.paths.front()));
    if (!op) return std::nullopt;
    if (*op == "add" || *op == "sum" || *op == "mul" || *op == "prod") return Combining{.sums = true};
    if (*op == "min" || *op == "max") return Combining{};
    if ((*op == "any" || *op == "all") && row.id == Builtin::tile_reduce) return Combining{.logical = true};
    b.error("E0315", e.span,
            fmt::format("\"{}\" is no operation of `{}`: \"add\", \"mul\", \"min\", \"max\"{}", *op, row.paths.front(),
                        row.id == Builtin::tile_reduce ? ", \"any\", \"all\"" : ""));
    return std::nullopt;
}

// What combining elements of a tile gives for each: numerics rule 4 for sums; the least and the greatest keep the type.
std::optional<Value> combined(Body& b, const BuiltinEntry& row, const ast::Expr& e, const Type& tile, Combining how) {
    if (how.logical != has_bools(tile)) {
        auto& d =
            b.error("E0302", e.span,
                    fmt::format("`{}` {}, this is {}", row.paths.front(),
                                how.logical ? "asks \"any\" and \"all\" of bools" : "combines numbers", shown(tile)));
        d.note(how.logical ? "compare first: `tile.reduce(x != 0, axis, \"any\")`"
                           : "bools have \"any\" and \"all\"; `cast(t, i32)` counts");
        return std::nullopt;
    }
    Value result;
    const DType elem = tile.elem();
    if (how.logical) {
        result.type = Type::boolean();
        result.compute = DType::boolean;
    } else if (how.sums) {
        result.compute = accumulation_type(elem, tile.policy());
        result.type = Type::scalar(accumulated_type(elem, tile.policy())).carrying(tile.policy());
    } else {
        result.compute = compute_type(elem, tile.policy());
        result.type = Type::scalar(result_type(elem, tile.policy())).carrying(tile.policy());
    }
    return result;
}

Value reduction(Body& b, const BuiltinEntry& row, const Matched& m) {
    const auto tile = tile_argument(b, row, *m.arguments[0]);
    const bool rows = row.id != Builtin::tile_reduce;  // along the last axis
    std::optional<Combining> how = Combining{.sums = row.id == Builtin::tile_row_sum};
    if (!rows) how = combining(b, row, *m.arguments[2]);
    if (!tile || !how) return {};
    const auto axis =
        rows ? std::optional(static_cast<int64_t>(tile->rank()) - 1) : tile_axis(b, *m.arguments[1], tile->rank());
    auto result = combined(b, row, *m.arguments[0], *tile, *how);
    if (!axis || !result || !choose_result(b, m.arguments[rows ? 1 : 3], *result)) return {};
    std::vector<int64_t> shape = tile->tile_shape();
    shape.erase(shape.begin() + *axis);
    if (!shape.empty())
        result->type = Type::tile(result->type.elem(), std::move(shape)).carrying(result->type.policy());
    return *result;
}

Value scan(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Matched& m) {
    const auto tile = tile_argument(b, row, *m.arguments[0]);
    std::optional<Combining> how = Combining{.sums = true};
    if (m.arguments[1]) how = combining(b, row, *m.arguments[1]);
    if (!tile || !how) return {};
    if (!m.arguments[2] && tile->rank() > 1) {
        b.error("E0315", e.span, fmt::format("`tile.scan` of {} lacks its `axis=`", shown(*tile)));
        return {};
    }
    if (m.arguments[2] && !tile_axis(b, *m.arguments[2], tile->rank())) return {};
    auto result = combined(b, row, *m.arguments[0], *tile, *how);
    if (!result) return {};
    result->type = Type::tile(result->type.elem(), tile->tile_shape()).carrying(result->type.policy());
    return *result;
}

Value flip(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Matched& m) {
    const auto tile = tile_argument(b, row, *m.arguments[0]);
    if (!tile) return {};
    if (!m.arguments[1] && tile->rank() > 1) {
        b.error("E0315", e.span, fmt::format("`tile.flip` of {} lacks its `axis=`", shown(*tile)));
        return {};
    }
    if (m.arguments[1] && !tile_axis(b, *m.arguments[1], tile->rank())) return {};
    return typed(*tile);
}

Value causal_mask(Body& b, const BuiltinEntry& row, const Matched& m) {
    const auto scores = tile_argument(b, row, *m.arguments[0]);
    bool ok = scores.has_value();
    for (size_t i = 1; i < 3; ++i) {
        const Value start = expression(b, *m.arguments[i]);
        require_integer(b, *m.arguments[i], start, i == 1 ? "the first row" : "the first column");
        ok &= start.type.is_integer();
    }
    if (!ok) return {};
    if (!has_floats(*scores) || scores->rank() < 2) {
        b.error(has_floats(*scores) ? "E0418" : "E0302", m.arguments[0]->span,
                fmt::format("scores are rows and columns of floats, this is {}", shown(*scores)));
        return {};
    }
    return typed(number_result(*scores));  // a float of 8 bits may have no infinity
}

// ---- products ----

std::optional<Type> factor(Body& b, const ast::Expr& e) {
    const Value value = expression(b, e);
    if (value.broken()) return std::nullopt;
    if (!value.type.is(Kind::tile) && !value.type.is(Kind::buffer)) {
        auto& d = b.error(
            "E0302", e.span,
            fmt::format("`tile.mma` multiplies register tiles and shared buffers, this is {}", shown(value.type)));
        offer_load(b, d, e, value.type);
        return std::nullopt;
    }
    if (value.type.rank() != 2) {
        b.error("E0418", e.span, fmt::format("`tile.mma` takes two axes, this is {}", shown(value.type)));
        return std::nullopt;
    }
    return value.type;
}

bool inner_extents(Body& b, const ast::Expr& e, const Matched& m, const Type& x, const Type& y) {
    const int64_t columns = *x.shape()[1].constant_value(), rows = *y.shape()[0].constant_value();
    if (columns == rows) return true;
    auto& d =
        b.error("E0312", e.span,
                fmt::format("`tile.mma` of {} and {}: {} columns meet {} rows", shown(x), shown(y), columns, rows));
    d.label(m.arguments[0]->span, shown(x)).label(m.arguments[1]->span, shown(y));
    const bool name = !std::holds_alternative<ast::Binary>(m.arguments[1]->node);
    if (*y.shape()[1].constant_value() == columns && name)
        d.suggest(m.arguments[1]->span, b.source(*m.arguments[1]) + ".T", "its transpose fits");
    return false;
}

std::optional<DType> named_accumulation(Body& b, const ast::Expr& e) {
    const Value value = expression(b, e);
    if (!value.type.is(Kind::tile)) return named_dtype(b, e);
    b.error("E0309", e.span, fmt::format("the accumulation has an element type, this is {}", shown(value.type)))
        .note("`acc += tile.mma(a, b)` starts at `acc`");
    return std::nullopt;
}

// Numerics rule 4 and 6: what the sum over k is kept in.
std::optional<DType> product_accumulation(Body& b, const Matched& m, DType elem, const Policy& policy) {
    if (m.arguments[2] && m.arguments[3]) {
        b.error("E0315", m.arguments[3]->span, "`accum` and `accumulator` are one parameter");
        return std::nullopt;
    }
    const ast::Expr* written = m.arguments[2] ? m.arguments[2] : m.arguments[3];
    if (!written) return accumulation_type(elem, policy);
    const auto accum = named_accumulation(b, *written);
    if (!accum) return std::nullopt;
    if (policy.accum && policy.accum != accum) {
        b.error("E0321", written->span,
                fmt::format("the operands are declared{}, this is `{}`", policy.text(), name(*accum)));
        return std::nullopt;
    }
    if (accumulates_in(elem, *accum)) return accum;
    b.error("E0302", written->span,
            fmt::format("a product of `{}` is not accumulated in `{}`", name(elem), name(*accum)))
        .note(is_float(elem) ? "floats are accumulated in floats of 16 bits or more"
                             : "integers are accumulated in i32");
    return std::nullopt;
}

Value product(Body& b, const ast::Expr& e, const Matched& m) {
    const auto x = factor(b, *m.arguments[0]), y = factor(b, *m.arguments[1]);
    if (!x || !y) return {};
    if (auto kind = policy_conflict(x->policy(), y->policy())) {
        b.error(
            "E0321", e.span,
            fmt::format("the operands' {} policies differ:{} and{}", *kind, x->policy().text(), y->policy().text()));
        return {};
    }
    const auto elem = product_type(x->elem(), y->elem());
    if (!elem) {
        const bool floats = is_float(x->elem()) && is_float(y->elem());
        auto& d = b.error(floats ? "E0301" : "E0302", e.span,
                          fmt::format("`tile.mma` of {} and {}: {}", shown(*x), shown(*y),
                                      floats ? "neither widens exactly to the other"
                                             : "it multiplies floats, or integers of 8 bits or fewer"));
        d.label(m.arguments[0]->span, shown(*x)).label(m.arguments[1]->span, shown(*y));
        if (floats && y->is(Kind::tile)) offer_cast(b, d, *m.arguments[1], *y, x->elem());
        return {};
    }
    if (!inner_extents(b, e, m, *x, *y)) return {};
    const Policy policy = join_policies(x->policy(), y->policy());
    const auto accum = product_accumulation(b, m, *elem, policy);
    if (!accum) return {};
    auto type = tile_type(b, e.span, *accum, {*x->shape()[0].constant_value(), *y->shape()[1].constant_value()});
    if (!type) return {};
    Value result = typed(type->carrying(policy));
    result.compute = elem;
    return result;
}

Value zeros(Body& b, const Matched& m) {
    const auto shape = tile_shape(b, *m.arguments[0]);
    const auto elem = named_dtype(b, *m.arguments[1]);
    return elem ? made(b, *m.arguments[0], shape, *elem) : Value{};
}

using Rule = Value (*)(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Matched& m);

// The rule of each. One that has none does not compile: the error names it.
template <Builtin name>
struct RuleOf;
template <>
struct RuleOf<Builtin::tile_zeros> {
    static constexpr Rule rule = [](Body& b, const ast::Expr&, const BuiltinEntry&, const Matched& m) {
        return zeros(b, m);
    };
};
template <>
struct RuleOf<Builtin::tile_full> {
    static constexpr Rule rule = [](Body& b, const ast::Expr&, const BuiltinEntry&, const Matched& m) {
        return full(b, m);
    };
};
template <>
struct RuleOf<Builtin::tile_iota> {
    static constexpr Rule rule = [](Body& b, const ast::Expr& e, const BuiltinEntry&, const Matched& m) {
        return iota(b, e, m);
    };
};
template <>
struct RuleOf<Builtin::tile_flip> {
    static constexpr Rule rule = flip;
};
struct Reduction {
    static constexpr Rule rule = [](Body& b, const ast::Expr&, const BuiltinEntry& row, const Matched& m) {
        return reduction(b, row, m);
    };
};
template <>
struct RuleOf<Builtin::tile_row_max> : Reduction {};
template <>
struct RuleOf<Builtin::tile_row_sum> : Reduction {};
template <>
struct RuleOf<Builtin::tile_reduce> : Reduction {};
template <>
struct RuleOf<Builtin::tile_causal_mask> {
    static constexpr Rule rule = [](Body& b, const ast::Expr&, const BuiltinEntry& row, const Matched& m) {
        return causal_mask(b, row, m);
    };
};
template <>
struct RuleOf<Builtin::tile_mma> {
    static constexpr Rule rule = [](Body& b, const ast::Expr& e, const BuiltinEntry&, const Matched& m) {
        return product(b, e, m);
    };
};

constexpr std::pair<Builtin, Rule> kRules[] = {
#define TSR_RULE(identifier, paths, where, feature, parameters, doc) \
    {Builtin::identifier, RuleOf<Builtin::identifier>::rule},
    TSR_BUILTINS_REGISTER_TILE(TSR_RULE)
#undef TSR_RULE
};

}  // namespace

Value register_tile_call(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Matched& m) {
    if (row.id == Builtin::scan) return scan(b, e, row, m);  // of values of the thread block's tiles, too
    return std::ranges::find(kRules, row.id, &std::pair<Builtin, Rule>::first)->second(b, e, row, m);
}

}  // namespace tsr::sema
