#include "sema/calls/method_calls.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/calls/arguments.h"
#include "sema/calls/builtin_dispatch.h"
#include "sema/calls/function_calls.h"
#include "sema/calls/generators.h"
#include "sema/calls/graph_lists.h"
#include "sema/expressions/records.h"
#include "sema/program/host_methods.h"
#include "sema/state/entities.h"
#include "sema/state/recursion.h"
#include "sema/types/containers.h"
#include "sema/types/elements.h"
#include "sema/types/numeric.h"
#include "sema/values/items.h"
#include "sema/values/requirements.h"
#include "sema/values/stored_forms.h"
#include "sema/values/writable.h"

namespace tsr::sema {

namespace {

// What an argument of a method's parameter is to be.
Type wanted_type(const Type& receiver, char letter) {
    switch (letter) {
        case 's':
            return Type::string();
        case 'i':
            return Type::index();
        case 'S':
            return Type::list(Type::string(), std::nullopt);
        case 'v':
        case 'V':
            return receiver.parts()[1];
        case 'x':
            return receiver;
        default:
            return receiver.parts()[0];
    }
}

Type given_type(const Type& receiver, char letter) {
    switch (letter) {
        case 's':
            return Type::string();
        case 'i':
            return Type::index();
        case 'b':
            return Type::boolean();
        case 'S':
            return Type::list(Type::string(), std::nullopt);
        case 'x':  // a record of the function's own, of the same fields
            if (!receiver.is(Kind::record)) return receiver;
            return Type::record_like(receiver, receiver.parts(), true);
        case 'e':
            return receiver.parts()[0];
        case 'v':
            return receiver.parts()[1];
        case 'K':
            return Type::list(receiver.parts()[0], std::nullopt);
        case 'V':
            return Type::list(receiver.parts()[1], std::nullopt);
        case 'I':
            return Type::list(Type::tuple(receiver.parts()), std::nullopt);
        default:
            return Type::none();
    }
}

size_t required_count(const std::vector<MethodParameter>& parameters) {
    return static_cast<size_t>(std::ranges::count_if(parameters, [](const MethodParameter& p) { return !p.optional; }));
}

// The row that takes this many arguments; nothing after a message.
const HostMethod* chosen_row(Body& b, const ast::Call& c, const ast::Attribute& a,
                             const std::vector<const HostMethod*>& rows) {
    for (const ast::Argument& argument : c.arguments) {
        if (!argument.keyword) continue;
        b.error("E0315", argument.keyword->span, fmt::format("`.{}()` takes its arguments by position", a.name.text));
        return nullptr;
    }
    const size_t given = c.arguments.size();
    for (const HostMethod* row : rows) {
        const auto parameters = method_parameters(*row);
        if (required_count(parameters) <= given && given <= parameters.size()) return row;
    }
    const bool none_wanted = rows.front()->receiver == Kind::dict && a.name.text == "get" && given == 1;
    const auto least = required_count(method_parameters(*rows.front()));
    const auto most = method_parameters(*rows.back()).size();
    auto& d = b.error("E0315", a.name.span,
                      fmt::format("`.{}()` takes {} argument{}, here are {}", a.name.text,
                                  least == most ? std::to_string(most) : fmt::format("{} or {}", least, most),
                                  most == 1 ? "" : "s", given));
    if (none_wanted)
        d.note(
            "no value of the dictionary's type is `None`: give what stands for a missing key, or ask `key in d` first");
    return nullptr;
}

}  // namespace

bool method_argument(Body& b, const ast::Expr& receiver, const Type& type, char letter, const ast::Expr& argument) {
    Value value = expression(b, argument);
    if (value.broken()) return false;
    const Type part = settled_type(stored(value.type), value.value);
    if (letter == 'E') widen_container(b, receiver, Type::list(part, std::nullopt));
    if (letter == 'K') widen_container(b, receiver, Type::dict(part, type.parts()[1]));
    if (letter == 'V') widen_container(b, receiver, Type::dict(type.parts()[0], part));
    if (letter == 'x') widen_container(b, receiver, part.is(Kind::list) ? any_length(part) : part);
    const Type wanted = without_lengths(wanted_type(type, letter));
    if (letter == 'i') {
        require_integer(b, argument, value, "this argument");
        return value.type.is_integer();
    }
    const char* what = letter == 's' || letter == 'S'   ? "this argument"
                       : letter == 'x'                  ? "this argument"
                       : letter == 'k' || letter == 'K' ? "a key"
                       : letter == 'v' || letter == 'V' ? "a value of the dictionary"
                                                        : "an element of the list";
    return !b.aloud || require_converts(b, argument, value, wanted, what);
}

// "list" of "list.append"
static std::string_view kind_word(const Type& receiver) {
    if (receiver.is(Kind::string)) return "str";
    if (receiver.is(Kind::dict) || receiver.is_keyed_dict()) return "dict";
    return receiver.is(Kind::record) ? "record" : "list";
}

static Value host_method_call(Body& b, const ast::Expr& e, const ast::Call& c, const ast::Attribute& a,
                              const Value& base) {
    const HostMethod* row = chosen_row(b, c, a, host_methods(base.type.kind(), a.name.text));
    const bool usable = row && require_known(b, *a.base, base);
    if (!usable || (row->changes && !require_changeable(b, *a.base, a.name.span))) {
        evaluate_arguments(b, c);
        return {};
    }
    b.note(*c.callee, language_entity(NameKind::method, fmt::format("{}.{}", kind_word(base.type), a.name.text)));
    if (row->changes && base.type.is(Kind::list)) widen_container(b, *a.base, any_length(base.type));
    const auto parameters = method_parameters(*row);
    CallInfo info;
    info.kind = CallKind::method;
    info.method = row;
    info.arguments.push_back({a.base->id, {}});
    bool ok = true;
    for (size_t i = 0; i < parameters.size(); ++i) {
        const ast::Expr* given = i < c.arguments.size() ? c.arguments[i].value : nullptr;
        info.arguments.push_back({id_of(given), {}});
        if (given && (a.name.text == "join" || a.name.text == "extend")) take_generator(b, *given);
        if (given) ok &= method_argument(b, *a.base, base.type, parameters[i].letter, *given);
    }
    b.record_call(e, std::move(info));
    if (!ok) return {};
    Value result;
    result.type = item_type(b, given_type(base.type, row->result), e);
    // Of an empty dictionary the default alone says what is given: `d[k] = d.get(k, 0) + 1`.
    for (size_t i = 0; result.broken() && row->result == 'v' && i < parameters.size(); ++i) {
        const bool is_default = (parameters[i].letter == 'v' || parameters[i].letter == 'V') && i < c.arguments.size();
        if (is_default) result.type = stored(b.instance.type(*c.arguments[i].value));
    }
    return result;
}

// Functions that tensors of NumPy or PyTorch have as methods; of the library's functions `stdlib/methods.txt` says it.
static constexpr Builtin kTensorMethods[] = {
    // elements in other places
    Builtin::transpose, Builtin::swapaxes, Builtin::moveaxis, Builtin::squeeze, Builtin::flatten, Builtin::flip,
    Builtin::roll, Builtin::repeat, Builtin::split, Builtin::expand_dims, Builtin::broadcast_to,
    // along axes
    Builtin::sum, Builtin::prod, Builtin::min, Builtin::max, Builtin::mean, Builtin::var, Builtin::std_, Builtin::any,
    Builtin::all, Builtin::count_nonzero, Builtin::argmax, Builtin::argmin, Builtin::cumsum, Builtin::cumprod,
    Builtin::cummax, Builtin::take, Builtin::gather, Builtin::scatter, Builtin::sort, Builtin::argsort};
// By element: numbers have them, too.
static constexpr Builtin kElementMethods[] = {
    Builtin::abs,     Builtin::sign,  Builtin::sqrt,  Builtin::rsqrt, Builtin::exp,      Builtin::exp2,
    Builtin::expm1,   Builtin::log,   Builtin::log2,  Builtin::log10, Builtin::log1p,    Builtin::sin,
    Builtin::cos,     Builtin::tan,   Builtin::asin,  Builtin::acos,  Builtin::atan,     Builtin::atan2,
    Builtin::sinh,    Builtin::cosh,  Builtin::tanh,  Builtin::erf,   Builtin::floor,    Builtin::ceil,
    Builtin::round,   Builtin::trunc, Builtin::isnan, Builtin::isinf, Builtin::isfinite, Builtin::minimum,
    Builtin::maximum, Builtin::pow,   Builtin::clip};

std::optional<Builtin> method_named(const Type& base, const std::string& name) {
    bool number = is_element(base);
    bool tensor = base.is(Kind::tensor);
    if (name == "astype" && (number || tensor)) return Builtin::cast;
    if (name == "copy" && tensor) return Builtin::copy;
    if (name == "reshape" && tensor) return Builtin::reshape;
    if (tensor) {
        for (const Builtin function : kTensorMethods) {
            if (name == spelling(function)) return function;
        }
        for (const Builtin function : kElementMethods) {
            if (name == spelling(function)) return function;
        }
    }
    if (name == "tolist" && tensor && base.rank() == 1) return Builtin::list_;
    if (name == "item" && (tensor || base.is_scalar())) return Builtin::item;
    if (name == "sort" && base.is(Kind::list)) return Builtin::sort_list;
    return std::nullopt;
}

// What a function of a number, taken as a tensor, is called behind a dot.
static std::optional<Builtin> method_of_number(const std::string& name) {
    for (const Builtin function : {Builtin::sum, Builtin::mean, Builtin::prod, Builtin::min, Builtin::max, Builtin::any,
                                   Builtin::all, Builtin::reshape, Builtin::flatten, Builtin::expand_dims}) {
        if (name == spelling(function)) return function;
    }
    for (const Builtin function : kElementMethods) {
        if (name == spelling(function)) return function;
    }
    return std::nullopt;
}

std::vector<std::string> builtin_method_names(const Type& base) {
    std::vector<std::string> found;
    for (const std::string_view more : {"astype", "tolist"}) {
        if (method_named(base, std::string(more))) found.emplace_back(more);
    }
    for (const BuiltinEntry& row : builtins()) {
        const std::string& name = row.paths.front();
        if (method_named(base, name)) found.push_back(name);
    }
    if (method_named(base, "sort") && std::ranges::find(found, "sort") == found.end()) found.emplace_back("sort");
    return found;
}

namespace {

bool reduces(const std::string& name) {
    for (const char* known : {"sum", "mean", "max", "min", "prod", "any", "all"}) {
        if (name == known) return true;
    }
    return false;
}

std::optional<Feature> refused_method(const Type& base, const std::string& name) {
    if (!base.is(Kind::tensor)) return std::nullopt;
    if (name == "parts") return Feature::distribution;
    return std::nullopt;
}

}  // namespace

// `f.defvjp(fwd, bwd)`: read with the headers (custom_rules.cpp).
static Value rule_definition(Body& b, const ast::Call& c, const ast::Attribute& a, const Function& function) {
    if (function.rule && (function.rule->defined == &c || function.rule->broken)) return typed(Type::none());
    if (b.function) {
        b.error("E0612", a.name.span,
                fmt::format("`.{}` stands at module level, where `{}` is defined", a.name.text, function.name));
        return {};
    }
    const std::string_view wanted = a.name.text == "defvjp" ? "custom_vjp" : "custom_jvp";
    if (function.rule && function.rule->in_reverse == (wanted == "custom_vjp")) return typed(Type::none());
    b.error("E0612", a.name.span, fmt::format("`{}` is not marked `@{}`", function.name, wanted))
        .label(b.checker.program.def(function).name.span, "defined here");
    return {};
}

// `csr.from_dense(x)`
static std::optional<FunctionId> from_dense(Body& b, const ast::Attribute& a, const Type& base) {
    if (!base.is(Kind::function) || a.name.text != "from_dense") return std::nullopt;
    const Function& form = b.checker.program.function(base.function_id());
    if (!b.checker.is_library(form.module)) return std::nullopt;
    for (const std::string_view name : {"csr", "coo", "bsr"}) {
        const std::string made = fmt::format("_{}_from_dense", name);
        if (form.name == name)
            return b.checker.library_function({.name = made, .file = "sparse", .signature = {}, .doc = {}});
    }
    return std::nullopt;
}

// `f.inspect_ir("tile")`: the text of what a kernel or graph function is on a level.
static Value inspection(Body& b, const ast::Expr& e, const ast::Call& c, const ast::Attribute& a, const Value& base) {
    if (!b.rules().host_objects) {
        say_elsewhere(b, a.name.span, "`.inspect_ir()` is");
        return {};
    }
    const Function& function = b.checker.program.function(base.type.function_id());
    const bool kernel = function.kind == FunctionKind::kernel;
    if (!kernel && function.kind != FunctionKind::graph) {
        b.error("E0328", a.name.span,
                fmt::format("`{}` has no `inspect_ir`: kernels and `@jit` functions have it", function.name));
        return {};
    }
    if (c.arguments.size() != 1 || (c.arguments[0].keyword && c.arguments[0].keyword->text != "level")) {
        b.error("E0315", c.callee->span, "`.inspect_ir` takes one level: `f.inspect_ir(\"tile\")`");
        return {};
    }
    const ast::Expr& written = *c.arguments[0].value;
    const auto level = static_string(b, written, "the level of `.inspect_ir`");
    if (!level) return {};
    const std::vector<std::string> known{"graph", "schedule", "tile", "target"};
    if (std::ranges::find(known, *level) == known.end()) {
        auto& d = b.error("E0339", written.span, fmt::format("there is no level \"{}\"", *level));
        d.note("the levels are \"graph\", \"schedule\", \"tile\" and \"target\"");
        if (const auto near = nearest(*level, known))
            d.suggest(written.span, fmt::format("\"{}\"", *near), fmt::format("did you mean \"{}\"?", *near));
        return {};
    }
    if (kernel && *level == "graph") {
        b.error("E0339", written.span, fmt::format("the kernel `{}` is no graph", function.name))
            .note("of kernels there are the levels \"schedule\", \"tile\" and \"target\"");
        return {};
    }
    CallInfo info;
    info.kind = CallKind::inspection;
    info.arguments.push_back({written.id, {}});
    b.record_call(e, std::move(info));
    return typed(Type::string());
}

// Methods of a dictionary whose keys are in its type. One that puts in or takes out entries makes it one of any keys.
static Value keyed_method_call(Body& b, const ast::Expr& e, const ast::Call& c, const ast::Attribute& a,
                               const Value& base) {
    const std::string& name = a.name.text;
    const bool lists = name == "keys" || name == "values" || name == "items";
    if (lists && c.arguments.empty()) {
        b.note(*c.callee, language_entity(NameKind::method, "dict." + name));
        if (!is_path(*a.base)) {
            b.error("E0601", a.base->span,
                    fmt::format("`.{}()` of a dictionary without a name is not compiled yet", name))
                .note("give it a name first");
            return {};
        }
        const ast::Expr& whole = parts_of_dict(b, *a.base, base.type, name);
        return expression(b, whole);
    }
    if (name == "copy" && b.rules().host_objects) return host_method_call(b, e, c, a, base);
    evaluate_arguments(b, c);
    const auto rows = host_methods(Kind::dict, name);
    const auto any = with_any_keys(base.type);
    if (b.rules().host_objects && any && !rows.empty()) widen_container(b, *a.base, *any);
    auto& d =
        b.error("E0328", a.name.span, fmt::format("{} has no `{}`: its keys are in its type", shown(base.type), name));
    if (rows.empty()) return {};
    d.note(!any                     ? "its values have no common type"
           : b.rules().host_objects ? "declare it with `dict[str, T]` where it is made"
                                    : "in a graph function dictionaries have the keys that they are made with");
    return {};
}

// What methods of PyTorch, NumPy and Python are here.
static std::optional<std::string_view> other_method(const Type& of, std::string_view name) {
    struct Other {
        std::string_view name, note;
    };
    static constexpr Other kOfTensors[] = {
        {"view", "the same elements in another shape: `x.reshape(…)`"},
        {"permute", "axes in another order: `x.transpose(1, 0)`"},
        {"unsqueeze", "one more axis: `x.expand_dims(0)`, `x[None]`"},
        {"dim", "the number of axes is `x.ndim`"},
        {"size", "an extent: `x.shape[0]`; the number of elements: `x.size`"},
        {"detach", "no derivative passes through `stop_gradient(x)`"},
        {"backward", "derivatives are of functions: `value_and_grad(loss, wrt=\"w\")(w, x)`"},
        {"to", "another element type: `x.astype(f32)`; the devices are chosen when the program runs"},
        {"float", "another element type: `x.astype(f32)`"},
        {"cpu", "tensors are where they are needed: `TESSERA_DEVICE` chooses the device"},
        {"cuda", "tensors are where they are needed: `TESSERA_DEVICE` chooses the device"},
        {"numpy", "a tensor is printed, saved and indexed as it is; its elements as a list: `x.tolist()`"},
        {"clone", "a copy: `x.copy()`"},
        {"contiguous", "every value of a graph lies dense: leave it out"},
        {"clamp", "elements between two: `x.clip(low, high)`"},
        {"numel", "the number of elements: `x.size`"},
        {"masked_fill", "elements by a mask: `where(mask, e, x)`, `x[mask] = e`"},
        {"expand", "the same elements along more axes: `broadcast_to(x, (n, m))`"},
        {"ravel", "all elements as one row: `x.flatten()`"},
        {"chunk", "parts of an axis: `split(x, 2, axis=0)`"},
        {"index_select", "elements by their numbers along an axis: `take(x, ids, axis)`"},
        {"type_as", "another element type: `x.astype(y.dtype)`"},
        {"half", "another element type: `x.astype(f16)`"},
        {"long", "another element type: `x.astype(i64)`"},
        {"requires_grad_", "derivatives are of functions: `value_and_grad(loss, wrt=\"w\")(w, x)`"},
        {"add_", "in place: `x += y`"},
        {"mul_", "in place: `x *= y`"},
        {"fill_", "in place: `x[:] = e`"},
        {"zero_", "in place: `x[:] = 0`"},
        {"add", "written out: `x + y`"},
        {"sub", "written out: `x - y`"},
        {"mul", "written out: `x * y`"},
        {"div", "written out: `x / y`"},
        {"at", "elements are assigned: `x[ids] = e`, also in graph functions, where `x` is a new value"},
    };
    static constexpr Other kOfStrings[] = {
        {"format", "an f-string has its values in it: `f\"{loss:.3f}\"`"},
        {"ljust", "an f-string pads: `f\"{s:<8}\"`, `f\"{s:<{width}}\"`"},
        {"rjust", "an f-string pads: `f\"{s:>8}\"`, `f\"{s:>{width}}\"`"},
        {"center", "an f-string pads: `f\"{s:^8}\"`, `f\"{s:*^8}\"`"},
        {"index", "the place where it first stands, or -1: `s.find(…)`"},
        {"len", "the number of characters: `len(s)`"},
        {"zfill", "an f-string pads: `f\"{s:0>8}\"`, of a number `f\"{n:08d}\"`"},
    };
    const auto noted = [&](const auto& table) {
        const auto* found = std::ranges::find(table, name, &Other::name);
        return found != std::end(table) ? std::optional(found->note) : std::nullopt;
    };
    static constexpr Other kOfLists[] = {
        {"add", "one more item: `xs.append(x)`"},
        {"push", "one more item: `xs.append(x)`"},
        {"size", "the number of items: `len(xs)`"},
        {"length", "the number of items: `len(xs)`"},
        {"shape", "the number of items: `len(xs)`; a tensor of them: `from_list(xs)`"},
        {"sum", "their sum: `sum(xs)`"},
        {"mean", "a tensor of them has it: `from_list(xs).mean()`"},
    };
    if (of.is(Kind::string)) return noted(kOfStrings);
    if (of.is(Kind::list)) return noted(kOfLists);
    return of.is(Kind::tensor) ? noted(kOfTensors) : std::nullopt;
}

Value record_call(Body& b, const ast::Expr& e, const ast::Call& c, const Type& record) {
    const RecordClass& made = *b.checker.program.function(record.function_id()).makes;
    if (const auto found = made.methods.find(RecordClass::kCallMethod); found != made.methods.end())
        return function_call(b, e, c, found->second, {}, c.callee);
    evaluate_arguments(b, c);
    b.error(
        "E0316", c.callee->span,
        fmt::format("{} is not called: `{}` has no method `{}`", shown(record), made.name, RecordClass::kCallMethod));
    return {};
}

Value method_call(Body& b, const ast::Expr& e, const ast::Call& c, const ast::Attribute& a, const Value& base) {
    if (base.type.is_keyed_dict()) return keyed_method_call(b, e, c, a, base);
    const bool hosted = !host_methods(base.type.kind(), a.name.text).empty();
    if (hosted && !base.type.is(Kind::record)) {
        if (b.rules().host_objects) return host_method_call(b, e, c, a, base);
        if (b.rules().new_values && base.type.is(Kind::list)) {
            const HostMethod* row = chosen_row(b, c, a, host_methods(Kind::list, a.name.text));
            if (row) return graph_list_call(b, e, c, a, base, *row);
        }
        evaluate_arguments(b, c);
        say_elsewhere(b, a.name.span, fmt::format("`.{}()` is", a.name.text));
        return {};
    }
    if (base.type.is(Kind::record)) {
        const auto& methods = b.checker.program.function(base.type.function_id()).makes->methods;
        if (const auto found = methods.find(a.name.text); found != methods.end()) {
            b.note(*c.callee, function_entity(b.checker.program, found->second));
            return function_call(b, e, c, found->second, {}, a.base);
        }
        const auto& names = base.type.names();
        const bool own_field = std::find(names.begin() + 1, names.end(), a.name.text) != names.end();
        if (hosted && !own_field) return host_method_call(b, e, c, a, base);
        const Value held = field_value(b, *c.callee, base, a);
        if (held.type.is(Kind::record) && !held.type.is_keyed_dict()) return record_call(b, e, c, held.type);
        evaluate_arguments(b, c);
        if (!held.broken()) b.error("E0316", c.callee->span, fmt::format("{} is not called", shown(held.type)));
        return {};
    }
    if (const auto of_form = form_member(b, base.type, a); of_form && of_form->type.is(Kind::function)) {
        b.note(*c.callee, function_entity(b.checker.program, of_form->type.function_id()));
        return function_call(b, e, c, of_form->type.function_id(), {});
    }
    const bool own = b.checker.is_library(b.instance.module) || b.checker.program.made.find(e.id) != nullptr;
    if (own && a.name.text == "_along") return form_along(b, e, c, base.type);
    if (a.name.text == "tolist" && base.type.is(Kind::tensor) && base.type.rank() > 1 && b.rules().host_objects &&
        c.arguments.empty())
        return library_call(b, e, {.name = "_nested_list", .file = "items", .signature = {}, .doc = {}}, {a.base});
    auto method = method_named(base.type, a.name.text);
    // A number is a tensor of no axes.
    if (!method && b.rules().tensor_values && (base.type.is_scalar() || base.type.is_bool()) && !is_complex(base.type))
        method = method_of_number(a.name.text);
    if (method) {
        const BuiltinEntry& row = entry(*method);
        if (!is_known_in(row, b.instance.context)) {
            evaluate_arguments(b, c);
            say_elsewhere(b, a.name.span, fmt::format("`.{}()` is", a.name.text));
            return {};
        }
        Value callee;
        callee.type = Type::builtin(*method);
        callee.referent = BuiltinName{*method};
        b.record(*c.callee, callee);
        return builtin_call(b, e, c, row, a.base);
    }
    const LibraryFunction* library = base.type.is(Kind::tensor) ? library_function(a.name.text) : nullptr;
    if (library && library->is_method) {
        const FunctionId function = b.checker.library_function(*library);
        b.note(*c.callee, function_entity(b.checker.program, function));
        return function_call(b, e, c, function, {}, a.base);
    }
    if (const auto made = from_dense(b, a, base.type)) {
        b.note(*c.callee, function_entity(b.checker.program, *made));
        return function_call(b, e, c, *made, {});
    }
    evaluate_arguments(b, c);
    if (auto feature = refused_method(base.type, a.name.text))
        return b.refuse(*feature, a.name.span, fmt::format("`.{}()` is", a.name.text));
    if (base.type.is(Kind::function) && a.name.text == "inspect_ir") return inspection(b, e, c, a, base);
    if (base.type.is(Kind::function) && (a.name.text == "defvjp" || a.name.text == "defjvp"))
        return rule_definition(b, c, a, b.checker.program.function(base.type.function_id()));
    auto& d = b.error("E0328", a.name.span, fmt::format("{} has no `{}`", shown(base.type), a.name.text));
    if (const auto note = other_method(base.type, a.name.text)) {
        d.note(std::string(*note));
        return {};
    }
    std::vector<std::string> known = host_method_names(base.type.kind());
    if (known.empty()) known = {"astype", "copy", "item", "shape", "dtype"};
    for (const LibraryFunction& function : library_functions()) {
        if (function.is_method && base.type.is(Kind::tensor)) known.emplace_back(function.name);
    }
    if (base.type.is(Kind::tile) && reduces(a.name.text)) {
        d.note("`tile.reduce(t, axis, op)` with the op \"add\", \"mul\", \"min\", \"max\", \"any\" or \"all\"");
    } else if (auto near = nearest(a.name.text, known))
        d.suggest(a.name.span, *near, fmt::format("did you mean `{}`?", *near));
    return {};
}

}  // namespace tsr::sema
