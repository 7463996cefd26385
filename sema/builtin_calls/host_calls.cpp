#include "sema/builtin_calls/host_calls.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sema/annotations/annotations.h"
#include "sema/builtin_calls/mapped_calls.h"
#include "sema/builtin_calls/random_calls.h"
#include "sema/builtin_calls/reshape_calls.h"
#include "sema/builtin_calls/sequence_calls.h"
#include "sema/builtin_calls/tensor_reductions.h"
#include "sema/builtins/builtin_cases.h"
#include "sema/expressions/conditions.h"
#include "sema/state/recursion.h"
#include "sema/types/elements.h"
#include "sema/types/numeric.h"
#include "sema/values/dimensions.h"
#include "sema/values/requirements.h"
#include "sema/values/writable.h"

namespace tsr::sema {

namespace {

Value made(DType elem, std::vector<ir::Dim> shape) {
    TensorDetail detail;
    detail.shape = std::move(shape);
    detail.mut = true;
    return typed(Type::tensor(elem, std::move(detail)));
}

// The element type given by an optional argument; nothing after a message.
std::optional<DType> element_type(Body& b, const ast::Expr* written, DType otherwise, bool complex = false) {
    if (!written) return otherwise;
    auto type = named_dtype(b, *written);
    if (type == DType::c64 && !(complex && b.rules().tensor_values)) {
        b.refuse(Feature::host, written->span, "complex numbers are");
        return std::nullopt;
    }
    return type;
}

Value filled(Body& b, const Matched& m, Builtin function) {
    auto shape = shape_argument(b, *m.arguments[0]);
    bool full = function == Builtin::full;
    DType otherwise = DType::f32;
    Value value;
    if (full) {
        value = expression(b, *m.arguments[1]);
        if (value.broken()) return {};
        if (!value.type.is_number() && !value.type.is_bool()) {
            b.error("E0302", m.arguments[1]->span,
                    fmt::format("a tensor is filled with a number, this is {}", shown(value.type)));
            return {};
        }
        otherwise = settled(value.type, value.value);
        if (otherwise == DType::index) otherwise = DType::i64;
    }
    auto elem = element_type(b, m.arguments[full ? 2 : 1], otherwise, true);
    if (!elem || !shape) return {};
    if (full && !require_converts(b, *m.arguments[1], value, Type::scalar(*elem), "an element")) return {};
    return made(*elem, *shape);
}

// Real and imaginary parts as a last axis of two, or such an axis as complex numbers: the same memory.
Value complex_view(Body& b, const Matched& m, bool real) {
    const Value x = expression(b, *m.arguments[0]);
    if (x.broken()) return {};
    const Type part = Type::scalar(DType::f32);
    const Type parts = Type::tuple({part, part});
    if (real && is_complex_number(x.type)) return typed(parts);
    if (!real && x.type.is(Kind::tuple) && converts(x.type, {}, parts)) return typed(Type::scalar(DType::c64));
    if (x.type.is(Kind::tensor) && !b.rules().tensor_values) {
        b.error("E0302", m.arguments[0]->span, "a kernel takes the parts of elements, not of whole tensors");
        return {};
    }
    const bool pairs = x.type.is(Kind::tensor) && x.type.elem() == DType::f32 && x.type.rank() > 0 &&
                       x.type.shape().back() == ir::Dim::constant(2);
    if (real ? !is_complex(x.type) : !pairs) {
        b.error("E0302", m.arguments[0]->span,
                real ? fmt::format("`view_as_real` takes c64, this is {}", shown(x.type))
                     : fmt::format("`view_as_complex` takes a tensor of f32 whose last axis has 2 elements, this is {}",
                                   shown(x.type)));
        return {};
    }
    TensorDetail detail;
    detail.shape = x.type.shape();
    if (real) {
        detail.shape.push_back(ir::Dim::constant(2));
    } else {
        detail.shape.pop_back();
    }
    detail.mut = x.type.writable() || b.rules().new_values;
    if (!real && detail.shape.empty() && b.rules().new_values) return typed(Type::scalar(DType::c64));
    return typed(Type::tensor(real ? DType::f32 : DType::c64, std::move(detail)));
}

Value filled_like(Body& b, const Matched& m, Builtin function) {
    Value like = expression(b, *m.arguments[0]);
    const bool full = function == Builtin::full_like;
    const Value value = full ? expression(b, *m.arguments[1]) : Value{};
    if (like.broken() || (full && value.broken())) return {};
    if (!like.type.is(Kind::tensor)) {
        b.error("E0302", m.arguments[0]->span, fmt::format("a tensor is wanted here, this is {}", shown(like.type)));
        return {};
    }
    auto elem = element_type(b, m.arguments[full ? 2 : 1], like.type.elem(), true);
    if (!elem) return {};
    if (full && !require_converts(b, *m.arguments[1], value, Type::scalar(*elem), "an element")) return {};
    return made(*elem, like.type.tensor().shape);
}

// Where only the run knows how many numbers there are, the host makes them: of integers in i64, of floats in f64.
Value counted_by_host(Body& b, const ast::Expr& e, const Matched& m, bool whole, DType elem) {
    MadeSyntax& syntax = b.checker.program.made;
    const std::string_view name = whole ? "_arange_of_integers" : "_arange_of_floats";
    std::vector<const ast::Expr*> operands;
    if (syntax.library_call(b.key(e), name) == nullptr) {
        const auto number = [&](uint64_t value) { return &syntax.expr(e.span, ast::IntLiteral{value}); };
        const bool one = !m.arguments[1];
        operands = {one ? number(0) : m.arguments[0], one ? m.arguments[0] : m.arguments[1],
                    m.arguments[2] ? m.arguments[2] : number(1),
                    m.arguments[3] ? m.arguments[3] : &syntax.expr(e.span, ast::Name{std::string(tsr::name(elem))})};
    }
    return library_call(b, e, {.name = name, .file = "making", .signature = {}, .doc = {}}, operands);
}

Value graph_arange(Body& b, const ast::Expr& e, const Matched& m, const std::vector<Value>& bounds, bool whole,
                   DType elem) {
    const auto dim = [](const Value& v) {
        return v.dim                           ? v.dim
               : v.value && v.value->integer() ? std::optional(ir::Dim::constant(*v.value->integer()))
                                               : std::nullopt;
    };
    const Value& last = bounds[bounds.size() == 1 ? 0 : 1];
    const auto start = bounds.size() == 1 ? std::optional(ir::Dim()) : dim(bounds[0]);
    const auto stop = dim(last);
    const std::optional<Static> by = bounds.size() < 3 ? Static::of(int64_t{1}) : bounds[2].value;
    const bool whole_step = by && by->integer();
    const int64_t step = whole_step ? by->integer().value_or(0) : 0;
    double numbers[3] = {0, 0, 1};  // start, stop, step
    bool written = !(start && stop);
    for (size_t i = 0; i < bounds.size(); ++i) {
        const auto real = bounds[i].value ? bounds[i].value->real() : std::nullopt;
        written = written && real;
        numbers[bounds.size() == 1 ? 1 : i] = real.value_or(0);
    }
    if (written && numbers[2] != 0) {
        const double count = std::ceil((numbers[1] - numbers[0]) / numbers[2]);
        return made(elem, {ir::Dim::constant(count > 0 ? static_cast<int64_t>(count) : 0)});
    }
    if (whole_step && step == 0) {
        b.error("E0334", e.span, "the step is zero");
        return {};
    }
    if (!start || !stop || !whole_step) return counted_by_host(b, e, m, whole, elem);
    const ir::Dim span = ir::Dim::maximum(step < 0 ? *start - *stop : *stop - *start, ir::Dim());
    const int64_t stride = step < 0 ? -step : step;
    return made(elem, {ir::Dim::floor_quotient(span + ir::Dim::constant(stride - 1), ir::Dim::constant(stride))});
}

Value arange(Body& b, const ast::Expr& e, const Matched& m) {
    std::vector<Value> bounds;
    std::optional<Type> joined;
    for (size_t i = 0; i < 3; ++i) {
        if (!m.arguments[i]) continue;
        Value v = expression(b, *m.arguments[i]);
        if (v.broken()) return {};
        if (!v.type.is_number()) {
            b.error("E0302", m.arguments[i]->span,
                    fmt::format("a bound of `arange` is a number, this is {}", shown(v.type)));
            return {};
        }
        joined = joined ? join(*joined, v.type, {}, v.value) : v.type;
        if (!joined) {
            b.error("E0301", m.arguments[i]->span, "the bounds of `arange` have no common type");
            return {};
        }
        bounds.push_back(std::move(v));
    }
    DType otherwise = settled(*joined, {});
    if (otherwise == DType::index) otherwise = DType::i64;
    auto elem = element_type(b, m.arguments[3], otherwise);
    if (!elem) return {};
    if (bounds.size() == 1 && joined->is_integer()) {
        auto stop = bounds[0].value ? bounds[0].value->integer() : std::nullopt;
        const bool known = b.rules().has_elements || stop || bounds[0].dim || makes_dimensions(b, *m.arguments[0]);
        if (known && (!stop || *stop >= 0)) return made(*elem, {dimension_of(b, *m.arguments[0], bounds[0])});
    }
    bool known = joined->is(Kind::int_literal);
    for (const Value& bound : bounds) known &= bound.value && bound.value->integer();
    if (known && bounds.size() >= 2) {
        int64_t start = *bounds[0].value->integer(), stop = *bounds[1].value->integer();
        int64_t step = bounds.size() > 2 ? *bounds[2].value->integer() : 1;
        if (step == 0) {
            b.error("E0334", m.arguments[2]->span, "the step is zero");
            return {};
        }
        int64_t count = step > 0 ? (stop - start + step - 1) / step : (start - stop - step - 1) / -step;
        return made(*elem, {ir::Dim::constant(count > 0 ? count : 0)});
    }
    if (!b.rules().has_elements) return graph_arange(b, e, m, bounds, joined->is_integer(), *elem);
    return made(*elem, {fresh_symbol(b, "arange", e, 0)});
}

Value linspace(Body& b, const Matched& m) {
    for (size_t i = 0; i < 2; ++i) {
        Value v = expression(b, *m.arguments[i]);
        if (!v.broken() && !v.type.is_number())
            b.error("E0302", m.arguments[i]->span,
                    fmt::format("a bound of `linspace` is a number, this is {}", shown(v.type)));
    }
    Value count = expression(b, *m.arguments[2]);
    require_integer(b, *m.arguments[2], count, "the number of values");
    auto elem = element_type(b, m.arguments[3], DType::f32);
    if (!elem || !count.type.is_integer()) return {};
    return made(*elem, {dimension_of(b, *m.arguments[2], count)});
}

// The lengths of written lists in each other, as far as they are written; false where they are ragged.
bool written_shape(const ast::Expr& e, size_t depth, std::vector<std::optional<int64_t>>& shape) {
    const auto* list = std::get_if<ast::List>(&e.node);
    if (!list || depth >= shape.size()) return true;
    const auto length = static_cast<int64_t>(list->elements.size());
    if (shape[depth] && *shape[depth] != length) return false;
    shape[depth] = length;
    for (const ast::Expr* element : list->elements) {
        if (!written_shape(*element, depth + 1, shape)) return false;
    }
    return true;
}

Value from_list(Body& b, const ast::Expr& e, const Matched& m) {
    Value values = expression(b, *m.arguments[0]);
    if (values.broken()) return {};
    Type type = values.type;
    size_t rank = 0;
    for (; type.is(Kind::list); ++rank) type = Type(type.parts()[0]);
    std::vector<std::optional<int64_t>> written(rank);
    if (rank > 0 && values.type.length()) written[0] = values.type.length();
    if (!written_shape(*m.arguments[0], 0, written)) {
        b.error("E0302", m.arguments[0]->span, "the rows of a tensor have one length; these lists have several");
        return {};
    }
    constexpr int64_t kMostInGraph = 256;  // each is a part of a kernel
    int64_t count = 1;
    for (const auto& extent : written) count = extent && count <= kMostInGraph ? count * *extent : kMostInGraph + 1;
    if (!b.rules().host_objects && count > kMostInGraph) {
        return b.refuse(Feature::graphs, m.arguments[0]->span,
                        fmt::format("`from_list` of more than {} numbers, in a graph function, is", kMostInGraph));
    }
    std::vector<ir::Dim> shape;
    for (size_t axis = 0; axis < rank; ++axis) {
        shape.push_back(written[axis] ? ir::Dim::constant(*written[axis]) : fresh_symbol(b, "length", e, axis));
    }
    if (shape.empty() || !(type.is_number() || type.is_bool())) {
        b.error("E0302", m.arguments[0]->span,
                fmt::format("`from_list` takes a list of numbers, this is {}", shown(values.type)));
        return {};
    }
    DType otherwise = settled(type, {});
    if (otherwise == DType::index) otherwise = DType::i64;
    auto elem = element_type(b, m.arguments[1], otherwise, true);
    if (!elem) return {};
    if (const ast::Expr* number = unfit_number(b, *m.arguments[0], Type::scalar(*elem))) {
        require_converts(b, *number, expression(b, *number), Type::scalar(*elem), "an element");
        return {};
    }
    if (!converts(type, {}, Type::scalar(*elem))) {
        b.error("E0302", m.arguments[0]->span,
                fmt::format("elements of `{}` are wanted, the list has {}", name(*elem), shown(type)));
        return {};
    }
    return made(*elem, std::move(shape));
}

void require_string(Body& b, const ast::Expr& e, std::string_view what) {
    const Value value = expression(b, e);
    if (!value.broken() && !value.type.is(Kind::string))
        b.error("E0302", e.span, fmt::format("{} is a string, this is {}", what, shown(value.type)));
}

// `load("x.npy", f32[n])`, `x: f32[n] = load("x.npy")`: names that are new here are bound by the file.
Value load_file(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Matched& m) {
    require_string(b, *m.arguments[0], "a path");
    const bool declared = b.declared_value.value == &e;
    const ast::Expr* named = m.arguments[1] ? m.arguments[1] : declared ? b.declared_value.annotation : nullptr;
    if (!named) {
        b.error("E0315", e.span, fmt::format("`{}` lacks the type of what it reads", spelling(row.id)))
            .note(fmt::format("it is named: `{0}(path, f32[n])`, or declared: `x: f32[n] = {0}(path)`",
                              spelling(row.id)));
        return {};
    }
    const Annotation written = m.arguments[1] ? read_annotation(b, *named, true) : annotation(b, *named, true);
    if (!m.arguments[1]) b.declared_value.read = written;
    Type type = written.type;
    if (type.is_scalar()) type = Type::tensor(type.elem(), {});
    if (type.is_unknown() || written.generic) {
        if (written.generic)
            b.error("E0309", named->span,
                    fmt::format("`{}` names the type of what it reads: `f32[n]`", spelling(row.id)));
        return {};
    }
    // `load_csv(path, f32)`: a matrix, whatever its extents.
    if (row.id == Builtin::load_csv && m.arguments[1] && type.rank() == 0) {
        b.record(*named, typed(Type::type_value(type)));
        return typed(
            new_tensor(Type::scalar(type.elem()), {fresh_symbol(b, "rows", e, 0), fresh_symbol(b, "columns", e, 1)}));
    }
    if (row.id == Builtin::load_csv && (type.rank() == 0 || type.rank() > 2)) {
        b.error("E0302", named->span, fmt::format("`load_csv` reads a matrix or a vector, this is {}", shown(type)));
        return {};
    }
    std::vector<DimCheck> checks;
    for (size_t axis = 0; axis < type.rank(); ++axis) {
        const ir::Dim& dim = type.tensor().shape[axis];
        const auto name = dim.symbol_name();
        if (name && !b.find_symbol(*name)) {
            SymbolInfo info;
            info.name = *name;
            info.source = SymbolInfo::Source::expression;
            info.expr = e.id;
            info.axis = axis;
            b.instance.symbols.push_back(std::move(info));
            continue;
        }
        for (const std::string& symbol : dim.symbols()) {
            if (b.find_symbol(symbol)) continue;
            b.error("E0313", named->span, fmt::format("`{}` does not determine `{}`", dim.text(), symbol));
            return {};
        }
        checks.push_back({0, axis, fresh_symbol(b, "extent", e, axis), dim, dim.text(), std::nullopt, {}});
    }
    if (!checks.empty()) b.instance.extents[e.id] = std::move(checks);
    Value result = typed(type.with_mut(true));
    if (m.arguments[1]) b.record(*named, typed(Type::type_value(type)));
    return result;
}

// Tensors, numbers and truth values, and trees of them.
bool holds_numbers_alone(const Type& type) {
    const bool counted = type.is(Kind::list) && type.length();
    if (type.is(Kind::tuple) || type.is(Kind::record) || counted)
        return std::ranges::all_of(type.parts(), holds_numbers_alone);
    return type.is(Kind::tensor) || type.is_number() || type.is_bool();
}

// `{"n": 3, "m": 4}`, written in the call: a dictionary of any keys, whose names are known all the same.
bool names_numbers(Body& b, const ast::Expr& written, const Type& type) {
    const auto* several = std::get_if<ast::Dict>(&written.node);
    if (!several || !type.is(Kind::dict)) return false;
    return std::ranges::all_of(several->entries, [&](const auto& entry) {
        const ExprInfo& value = b.instance.info(*entry.second);
        return std::holds_alternative<ast::StringLiteral>(entry.first->node) && holds_numbers_alone(value.type);
    });
}

Value save(Body& b, const Matched& m) {
    require_string(b, *m.arguments[0], "a path");
    const ast::Expr& what = *m.arguments[1];
    const Value value = expression(b, what);
    const bool dict = value.type.is_keyed_dict() && holds_numbers_alone(value.type);
    const bool one = value.type.is(Kind::tensor) || value.type.is_number() || value.type.is_bool();
    if (value.broken() || one || dict || names_numbers(b, what, value.type)) return typed(Type::none());
    auto& d = b.error("E0302", what.span, fmt::format("a tensor is saved, this is {}", shown(value.type)));
    if (value.type.is(Kind::dict) || value.type.is_keyed_dict())
        d.note("a dictionary of tensors is saved, too, that is written with all its keys: `{\"w\": w, \"b\": b}`");
    return typed(Type::none());
}

Value sort_list(Body& b, const Matched& m) {
    Value list = expression(b, *m.arguments[0]);
    if (list.broken() || !require_changeable(b, *m.arguments[0], m.arguments[0]->span)) return {};
    return sorted_list(b, *m.arguments[0], list.type.parts()[0], m.arguments[1], m.arguments[2]).broken()
               ? Value{}
               : typed(Type::none());
}

}  // namespace

Value host_call(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Matched& m) {
    switch (row.id) {
        case Builtin::zeros:
        case Builtin::ones:
        case Builtin::empty:
        case Builtin::full:
            return filled(b, m, row.id);
        case Builtin::zeros_like:
        case Builtin::ones_like:
        case Builtin::full_like:
            return filled_like(b, m, row.id);
        case Builtin::arange:
            return arange(b, e, m);
        case Builtin::linspace:
            return linspace(b, m);
        case Builtin::from_list:
            return from_list(b, e, m);
        case Builtin::load_file:
        case Builtin::load_csv:
            return load_file(b, e, row, m);
        case Builtin::read_text:
            require_string(b, *m.arguments[0], "a path");
            return typed(Type::string());
        case Builtin::write_text:
            require_string(b, *m.arguments[0], "a path");
            require_string(b, *m.arguments[1], "what is written");
            return typed(Type::none());
        case Builtin::read_bytes:
            require_string(b, *m.arguments[0], "a path");
            return made(DType::u8, {fresh_symbol(b, "read_bytes", e, 0)});
        case Builtin::save:
            return save(b, m);
        case Builtin::enumerate:
        case Builtin::zip:
        case Builtin::reversed:
        case Builtin::sorted:
        case Builtin::list_:
            return sequence_call(b, e, row, m);
        case Builtin::map_:
            return map_call(b, e, m);
        case Builtin::chr: {
            const Value code = expression(b, *m.arguments[0]);
            require_integer(b, *m.arguments[0], code, "the number of a character");
            return typed(Type::string());
        }
        case Builtin::ord: {
            const Value character = expression(b, *m.arguments[0]);
            if (!character.broken() && !character.type.is(Kind::string))
                b.error("E0302", m.arguments[0]->span,
                        fmt::format("`ord` takes a string of one character, this is {}", shown(character.type)));
            return typed(Type::scalar(DType::i32));
        }
        case Builtin::sum:
        case Builtin::any:
        case Builtin::all:
            return reduction_call(b, e, row, *m.arguments[0], expression(b, *m.arguments[0]));
        case Builtin::prod:
        case Builtin::mean:
        case Builtin::var:
        case Builtin::std_:
        case Builtin::count_nonzero: {
            const Value x = expression(b, *m.arguments[0]);
            if (x.broken() || x.type.is(Kind::tensor)) return x.broken() ? Value{} : tensor_reduction(b, e, row, x);
            b.error("E0302", m.arguments[0]->span,
                    fmt::format("`{}` takes a tensor, this is {}", row.paths.front(), shown(x.type)));
            return {};
        }
        case Builtin::reshape:
            return reshape_call(b, e, m);
        case Builtin::sort_list:
            return sort_list(b, m);
        case Builtin::rand:
        case Builtin::randn:
        case Builtin::randint:
        case Builtin::bernoulli:
        case Builtin::permutation:
            return random_call(b, row, m);
        case Builtin::loss_scale:
            if (m.arguments[0]) condition_value(b, *m.arguments[0]);
            return typed(Type::scalar(DType::f64));
        case Builtin::time:
            return typed(Type::scalar(DType::f64));
        case Builtin::copy:
        case Builtin::on_gpu:
        case Builtin::item: {
            Value x = expression(b, *m.arguments[0]);
            if (x.broken()) return {};
            if (row.id == Builtin::item && x.type.is_scalar()) return typed(x.type);  // an element is one already
            if (!x.type.is(Kind::tensor)) {
                b.error("E0302", m.arguments[0]->span,
                        fmt::format("`{}` takes a tensor, this is {}", row.paths.front(), shown(x.type)));
                return {};
            }
            if (row.id == Builtin::on_gpu) return typed(Type::scalar(DType::boolean));
            if (row.id == Builtin::item) return typed(Type::scalar(x.type.elem()).carrying(x.type.policy()));
            return typed(x.type.with_mut(true));
        }
        case Builtin::view_as_real:
        case Builtin::view_as_complex:
            return complex_view(b, m, row.id == Builtin::view_as_real);
        case Builtin::str_: {
            expression(b, *m.arguments[0]);
            return typed(Type::string());
        }
        case Builtin::progress:
            for (const ast::Expr* argument : m.arguments) {
                if (argument) expression(b, *argument);
            }
            return typed(Type::range());
        case Builtin::version:
        case Builtin::args:
            TSR_CASES_TILE
            TSR_CASES_REGISTER_TILE
            TSR_CASES_MATH
            TSR_CASES_INDEXED
            TSR_CASES_AXES
            TSR_CASES_JOINING
            TSR_CASES_FORM
            break;
    }
    for (const ast::Expr* argument : m.arguments) {
        if (argument) expression(b, *argument);
    }
    for (const ast::Expr* argument : m.rest) expression(b, *argument);
    b.error("E0316", e.span, fmt::format("`{}` is not called here", row.paths.front()));
    return {};
}

}  // namespace tsr::sema
