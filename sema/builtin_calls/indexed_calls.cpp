#include "sema/builtin_calls/indexed_calls.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/builtin_calls/reduction_types.h"
#include "sema/builtin_calls/tensor_reductions.h"
#include "sema/builtins/builtin_cases.h"
#include "sema/expressions/whole_tensors.h"
#include "sema/program/indexed.h"
#include "sema/state/recursion.h"
#include "sema/types/elements.h"
#include "sema/values/dimensions.h"
#include "sema/values/requirements.h"

namespace tsr::sema {

namespace {

using Shape = std::vector<ir::Dim>;

class IndexedCall {
public:
    IndexedCall(Body& b, const ast::Expr& e, const BuiltinEntry& row)
        : b_(b), e_(e), row_(row), given_(indexed_arguments(b.instance.calls.at(e.id))) {}

    Value run() {
        const auto x = tensor(given_.x);
        switch (row_.id) {
            case Builtin::argmax:
            case Builtin::argmin:
                return x ? extreme_index(*x) : Value{};
            case Builtin::cumsum:
            case Builtin::cumprod:
            case Builtin::cummax:
                return x ? scan(*x) : Value{};
            case Builtin::sort:
            case Builtin::argsort:
                return x ? sorted(*x) : Value{};
            case Builtin::take:
            case Builtin::gather:
            case Builtin::scatter:
            case Builtin::embedding:
                return by_ids(x);
                TSR_CASES_TILE
                TSR_CASES_REGISTER_TILE
                TSR_CASES_MATH
                TSR_CASES_HOST
                TSR_CASES_AXES
                TSR_CASES_JOINING
                TSR_CASES_FORM
                break;
        }
        __builtin_unreachable();
    }

private:
    std::string called() const { return fmt::format("`{}`", row_.paths.front()); }

    // An argument that is a tensor; nothing after a message.
    std::optional<Value> tensor(ast::ExprId id) {
        const ast::Expr& written = *b_.expr(id);
        Value value = expression(b_, written);
        if (value.broken()) return std::nullopt;
        if (!value.type.is(Kind::tensor) || value.type.rank() == 0) {
            b_.error("E0302", written.span, fmt::format("{} takes a tensor, this is {}", called(), shown(value.type)));
            return std::nullopt;
        }
        if (!require_no_kernel(b_, e_.span, called(), {value})) return std::nullopt;
        return value;
    }

    // Of a tensor of one axis it may be left out.
    std::optional<size_t> axis(const Value& x, bool may_lack) {
        const ast::Expr* written = b_.expr(given_.axis);
        if (!written) {
            if (x.type.rank() == 1 || row_.id == Builtin::embedding) return 0;
            if (row_.id == Builtin::sort || row_.id == Builtin::argsort) return x.type.rank() - 1;
            if (may_lack) return std::nullopt;
            b_.error("E0315", e_.span, fmt::format("{} of {} lacks its `axis=`", called(), shown(x.type)))
                .note("all elements as one row: `x.reshape((-1,))`");
            return std::nullopt;
        }
        const auto axes = static_axes(b_, written, x.type);
        if (!axes) return std::nullopt;
        if (axes->size() == 1) return axes->front();
        b_.error("E0312", written->span, fmt::format("{} goes along one axis, this names {}", called(), axes->size()));
        return std::nullopt;
    }

    bool refuses_elements(const Value& x) {
        const bool plain = element_type(x.type).is_number() || element_type(x.type).is_bool();
        if (plain && !is_packed(x.type.elem()) && x.type.elem() != DType::c64) return false;
        b_.refuse(Feature::graphs, e_.span, fmt::format("{} of {} is", called(), name(x.type.elem())));
        return true;
    }

    // ---- along an axis ----
    Value extreme_index(const Value& x) {
        const bool whole = !given_.axis.valid();
        const auto along = axis(x, true);
        if ((!along && !whole) || refuses_elements(x)) return {};
        Shape rest = x.type.shape();
        ir::Dim length = ir::Dim::constant(1);
        for (size_t i = 0; i < rest.size(); ++i) {
            if (!along || i == *along) length = length * rest[i];
        }
        if (length.constant_value() == 0) {
            b_.error("E0312", e_.span,
                     fmt::format("{} of {}: there is none among no elements", called(), shown(x.type)));
            return {};
        }
        if (!static_bool(given_.keepdims, "`keepdims`")) return {};
        const bool keeps = given_.keepdims.valid() && b_.instance.info(given_.keepdims).value->boolean() == true;
        for (size_t i = rest.size(); i-- > 0;) {
            if (along && i != *along) continue;
            if (keeps) rest[i] = ir::Dim::constant(1);
            if (!keeps) rest.erase(rest.begin() + static_cast<ptrdiff_t>(i));
        }
        Value result = typed(new_tensor(Type::scalar(DType::i64), std::move(rest)));
        result.compute = DType::i64;
        return result;
    }

    // Whether what is written, if it is, is a bool that is known while the program is compiled.
    bool static_bool(ast::ExprId id, const std::string& what) {
        const ast::Expr* written = b_.expr(id);
        if (!written) return true;
        const Value value = expression(b_, *written);
        require_bool(b_, *written, value);
        return value.type.is_bool() && require_static(b_, *written, value, what);
    }

    Value scan(const Value& x) {
        const auto along = axis(x, false);
        const bool ok = along.has_value() && static_bool(given_.reverse, "`reverse`");
        if (!ok || refuses_elements(x)) return {};
        const DType elem = x.type.elem();
        if (!element_type(x.type).is_number()) {
            b_.error("E0302", e_.span, fmt::format("{} combines numbers, this is {}", called(), shown(x.type)));
            return {};
        }
        const bool sums = row_.id != Builtin::cummax;
        Value result;
        result.compute = sums ? accumulation_type(elem, x.type.policy()) : compute_type(elem, x.type.policy());
        result.type = Type::scalar(sums ? accumulated_type(elem, x.type.policy()) : result_type(elem, x.type.policy()))
                          .carrying(x.type.policy());
        if (!choose_result(b_, b_.expr(given_.out), result)) return {};
        result.type = new_tensor(result.type, x.type.shape());
        return result;
    }

    // `first=`, of argsort: so many of an axis.
    bool take_first(Shape& shape, size_t along) {
        const ast::Expr* written = b_.expr(given_.first);
        if (!written) return true;
        const Value given = expression(b_, *written);
        if (given.broken()) return false;
        if (!given.value && given.type.is_integer() && given.type.is_scalar()) {
            shape[along] = dimension_of(b_, *written, given);
            return true;
        }
        const auto count = given.value ? given.value->integer() : std::nullopt;
        if (!count) {
            b_.error("E0302", written->span, fmt::format("`first` is an integer, this is {}", shown(given.type)));
            return false;
        }
        const auto length = shape[along].constant_value();
        if (*count < 0 || (length && *count > *length)) {
            b_.error("E0312", written->span,
                     fmt::format("an axis of {} elements has no first {}", readable(shape[along].text()), *count));
            return false;
        }
        shape[along] = ir::Dim::constant(*count);
        return true;
    }

    Value sorted(const Value& x) {
        const auto along = axis(x, true);
        const bool ok = static_bool(given_.descending, "`descending`");
        if (!along || !ok || refuses_elements(x)) return {};
        const DType elem = x.type.elem();
        if (is_float(elem) && bits(elem) < 16) {
            b_.refuse(Feature::graphs, e_.span, fmt::format("{} of {} is", called(), name(elem)));
            return {};
        }
        Shape shape = x.type.shape();
        const bool numbers = row_.id == Builtin::argsort;
        if (numbers && !take_first(shape, *along)) return {};
        Value result;
        result.compute = numbers ? DType::i64 : elem;
        result.type = numbers ? new_tensor(Type::scalar(DType::i64), shape)
                              : new_tensor(Type::scalar(elem).carrying(x.type.policy()), shape);
        return result;
    }

    // ---- by ids ----
    // True where the call may go on.
    bool check_mode() {
        const ast::Expr* written = b_.expr(given_.mode);
        if (!written) return true;
        const auto mode = static_string(b_, *written, "`mode`");
        if (!mode) return false;
        if (*mode == "fill" || *mode == "error") return true;
        b_.error("E0315", written->span, fmt::format("\"{}\" is no mode: \"error\", \"fill\"", *mode));
        return false;
    }
    bool check_operation(const Value& x) {
        const ast::Expr* written = b_.expr(given_.op);
        if (!written) return true;
        const auto op = static_string(b_, *written, "`op`");
        if (!op) return false;
        if (*op != "set" && !joins_in_scatter(*op)) {
            b_.error(
                "E0315", written->span,
                fmt::format("\"{}\" is no operation of a scatter: \"set\", \"add\", \"mul\", \"min\", \"max\"", *op));
            return false;
        }
        if (*op == "set" || element_type(x.type).is_number()) return true;
        b_.error("E0302", e_.span, fmt::format("\"{}\" combines numbers, this is {}", *op, shown(x.type)));
        return false;
    }

    Value by_ids(const std::optional<Value>& x) {
        const auto ids = tensor(given_.ids);
        const auto src = given_.src.valid() ? tensor(given_.src) : std::nullopt;
        if (!x || !ids || (given_.src.valid() && !src)) return {};
        const auto along = axis(*x, false);
        if (!check_mode() || !check_operation(*x) || !along) return {};
        if (!require_ids(*b_.expr(given_.ids), *ids) || refuses_elements(*x)) return {};
        if (row_.id == Builtin::take || row_.id == Builtin::embedding) return taken(*x, *ids, *along);
        const auto positions = shape_along(*x, *ids, *along);
        if (!positions) return {};
        Value result;
        result.type = new_tensor(Type::scalar(x->type.elem()).carrying(x->type.policy()), *positions);
        if (row_.id == Builtin::scatter) return scattered(*x, *src, *positions);
        note_checks();
        return result;
    }

public:
    bool require_ids(const ast::Expr& written, const Value& ids) {
        if (is_integer(ids.type.elem()) && !is_packed(ids.type.elem())) return true;
        b_.error("E0302", written.span, fmt::format("ids are integers, these are {}", shown(ids.type)));
        return false;
    }

    Value taken(const Value& x, const Value& ids, size_t along) {
        Shape shape = x.type.shape();
        const auto at = shape.erase(shape.begin() + static_cast<ptrdiff_t>(along));
        const Shape& by = ids.type.shape();
        shape.insert(at, by.begin(), by.end());
        Value result;
        result.type = new_tensor(Type::scalar(x.type.elem()).carrying(x.type.policy()), std::move(shape));
        return result;
    }

private:
    // Ids for each place but along the axis; or, for whole rows, ids of one axis.
    std::optional<Shape> shape_along(const Value& x, const Value& ids, size_t along) {
        Shape shape = x.type.shape();
        const Shape& by = ids.type.shape();
        const bool rows = row_.id == Builtin::scatter && by.size() == 1;
        if (rows) {
            shape[along] = by[0];
            return shape;
        }
        if (by.size() != shape.size()) {
            b_.error("E0312", e_.span,
                     fmt::format("{} of {} by {}: the ids need {} axes", called(), shown(x.type), shown(ids.type),
                                 shape.size()))
                .label(b_.expr(given_.x)->span, shown(x.type))
                .label(b_.expr(given_.ids)->span, shown(ids.type))
                .note("whole rows by ids: `take(x, ids, axis=…)`");
            return std::nullopt;
        }
        for (size_t axis = 0; axis < shape.size(); ++axis) {
            if (axis != along && !meet(x, axis, given_.ids, ids, axis, shape[axis])) return std::nullopt;
        }
        shape[along] = by[along];
        return shape;
    }

    // Whether an extent of an operand is what it has to be; what only the run knows is noted.
    bool meet(const Value& x, size_t x_axis, ast::ExprId operand, const Value& value, size_t axis,
              const ir::Dim& wanted) {
        const ir::Dim found = value.type.shape()[axis];
        const ir::Equality equal = ir::compare(wanted, found);
        if (equal == ir::Equality::unknown) {
            checks_.push_back({0, axis, found, wanted, wanted.text(), std::nullopt, {}});
        }
        if (equal != ir::Equality::different) return true;
        b_.error("E0312", e_.span,
                 fmt::format("{} of {} with {}: axis {} has {} elements, needs {}", called(), shown(x.type),
                             shown(value.type), axis, readable(found.text()), readable(wanted.text())))
            .label(b_.expr(given_.x)->span, fmt::format("{}: axis {}", shown(x.type), x_axis))
            .label(b_.expr(operand)->span, shown(value.type));
        return false;
    }

    Value scattered(const Value& x, const Value& src, const Shape& positions) {
        const ast::Expr& written = *b_.expr(given_.src);
        if (src.type.rank() != positions.size()) {
            b_.error("E0312", written.span,
                     fmt::format("{} puts a value for each id: this is {}, needs {} axes", called(), shown(src.type),
                                 positions.size()));
            return {};
        }
        for (size_t axis = 0; axis < positions.size(); ++axis) {
            if (!meet(x, axis, given_.src, src, axis, positions[axis])) return {};
        }
        Value element = src;
        element.type = element_type(src.type);
        const Type wanted = Type::scalar(x.type.elem());
        if (!require_converts(b_, written, element, wanted, "what is scattered")) return {};
        note_checks();
        Value result;
        const bool sums = given_.op.valid() && *b_.instance.info(given_.op).value->string() != "set";
        const DType elem = x.type.elem();
        result.compute = sums && is_float(elem) && bits(elem) < 32 ? compute_type(elem, x.type.policy()) : elem;
        result.type = new_tensor(Type::scalar(elem).carrying(x.type.policy()), x.type.shape());
        return result;
    }

    void note_checks() {
        if (!checks_.empty()) b_.instance.extents[e_.id] = std::move(checks_);
    }

    Body& b_;
    const ast::Expr& e_;
    const BuiltinEntry& row_;
    IndexedArguments given_;
    std::vector<DimCheck> checks_;
};

}  // namespace

Value indexed_call(Body& b, const ast::Expr& e, const BuiltinEntry& row) { return IndexedCall(b, e, row).run(); }

}  // namespace tsr::sema
