// What only host functions have: making, reading and writing tensors, time, arguments.
#include <algorithm>

#include "sema/builtins/builtin_cases.h"
#include "sema/elaborate/arguments.h"
#include "sema/elaborate/arithmetic.h"
#include "sema/elaborate/builtins.h"
#include "sema/elaborate/choices.h"
#include "sema/elaborate/complex_values.h"
#include "sema/elaborate/containers.h"
#include "sema/elaborate/dimensions.h"
#include "sema/elaborate/host.h"
#include "sema/elaborate/host_tensors.h"
#include "sema/elaborate/recursion.h"
#include "sema/elaborate/shape_checks.h"
#include "sema/elaborate/text.h"
#include "sema/elaborate/trees.h"
#include "sema/elaborate/types.h"
#include "sema/types/elements.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::ValueId;
using sema::Builtin;
using sema::CallInfo;
using sema::Static;

namespace {

Val made(Body& b, const std::string& entry, std::vector<ValueId> operands, const sema::Type& type) {
    return Val::ssa(host(b, entry, std::move(operands), ir_type(type), {{Attr::type, type.elem()}}));
}

Val like(Body& b, const std::string& entry, const Val& of, const sema::Type& type,
         std::optional<ValueId> element = std::nullopt) {
    std::vector<ValueId> extents;
    for (size_t axis = 0; axis < type.rank(); ++axis) {
        extents.push_back(b.emit.inferred(ir::OpKind::shape_of, {of.id}, {{Attr::axis, static_cast<int64_t>(axis)}}));
    }
    if (element) extents.push_back(*element);
    return made(b, entry, std::move(extents), type);
}

// `made` is of zeros.
Val filled_with(Body& b, const Val& made, const Val& number) {
    host_effect(b, "assign", {made.id, tensor_of_number(b, number)});
    return made;
}

Val arange(Body& b, const CallInfo& info, const sema::Type& type) {
    Val start = argument_value(b, info, 0);
    Val stop = argument_value(b, info, 1);
    Val step = argument_value(b, info, 2);
    if (stop.is(Val::Kind::undefined)) {
        stop = start;
        start = Val::of(Static::of(int64_t{0}));
    }
    if (step.is(Val::Kind::undefined)) step = Val::of(Static::of(int64_t{1}));
    const bool whole = is_integer(type.elem());
    std::vector<ValueId> bounds;
    for (const Val& bound : {start, stop, step}) bounds.push_back(b.scalar(bound, whole ? DType::i64 : DType::f64));
    return made(b, whole ? "arange_i64" : "arange_f64", std::move(bounds), type);
}

// The elements of nested lists in order, and the extents; false when some are not known by name.
bool nested(Body& b, const Val& list, size_t depth, std::vector<int64_t>& shape, std::vector<Val>& elements) {
    if (!list.has_elements() || list.is(Val::Kind::tuple)) {  // a complex number is a tuple
        elements.push_back(list);
        return depth == shape.size() && !(list.is_ssa() && b.type_of(list.id).is_container());
    }
    const auto count = static_cast<int64_t>(list.element_count());
    if (depth == shape.size() && elements.empty()) shape.push_back(count);
    if (depth >= shape.size() || shape[depth] != count) return false;
    for (size_t i = 0; i < list.element_count(); ++i) {
        if (!nested(b, list.element(i), depth + 1, shape, elements)) return false;
    }
    return true;
}

// Of complex numbers: a tensor of their parts.
Val complex_from_list(Body& b, const CallInfo& info, const sema::Type& type) {
    const Val list = argument_value(b, info, 0);
    std::vector<int64_t> shape;
    std::vector<Val> elements;
    const bool known = !list.is_ssa() && nested(b, list, 0, shape, elements);
    const sema::Type number = sema::Type::scalar(DType::c64);
    std::vector<ValueId> values;
    for (const Val& element : elements) b.flatten(element, &number, values);
    shape.push_back(2);
    const ir::Type pairs = paired(ir_type(type));
    const ir::Attrs attrs{{Attr::type, DType::f32}};
    if (!known) {
        values = {container(b, list, b.info(*argument(b, info, 0)).type)};
        return Val::ssa(of_pairs(b, host(b, "from_list", std::move(values), pairs, attrs), type));
    }
    const ValueId made =
        host(b, "from_values", std::move(values), pairs, {{Attr::type, DType::f32}, {Attr::extents, shape}});
    return Val::ssa(of_pairs(b, made, type));
}

Val from_list(Body& b, const CallInfo& info, const sema::Type& type) {
    if (sema::is_complex(type)) return complex_from_list(b, info, type);
    const Val list = argument_value(b, info, 0);
    if (list.is_ssa()) return made(b, "from_list", {list.id}, type);
    std::vector<int64_t> shape;
    std::vector<Val> elements;
    if (!nested(b, list, 0, shape, elements)) {
        return made(b, "from_list", {container(b, list, b.info(*argument(b, info, 0)).type)}, type);
    }
    std::vector<ValueId> values;
    for (const Val& element : elements) values.push_back(b.scalar(element, type.elem()));
    return Val::ssa(
        host(b, "from_values", std::move(values), ir_type(type), {{Attr::type, type.elem()}, {Attr::extents, shape}}));
}

// Extents that the type says, or that were bound before, are compared with the file's.
Val load(Body& b, const ast::Expr& e, const CallInfo& info, const sema::Type& type) {
    const ValueId path = b.handle(argument_value(b, info, 0), sema::Type::string());
    const bool csv = info.builtin == Builtin::load_csv;
    std::vector<ValueId> operands{path};
    if (!csv) operands.push_back(b.handle(Val::of(Static::of(std::string())), sema::Type::string()));
    const Val loaded = Val::ssa(host(b, csv ? "load_csv" : "load_as", std::move(operands), ir_type(type),
                                     {{Attr::type, type.elem()}, {Attr::count, static_cast<int64_t>(type.rank())}}));
    bind_symbols_of(b, e, loaded);
    const auto checks = b.instance().extents.find(e.id);
    if (checks != b.instance().extents.end()) check_declared_shape(b, checks->second);
    return loaded;
}

// The leaves of a tree under their names.
void save_tree(Body& b, ValueId path, const Val& value, const sema::Type& type) {
    std::vector<ValueId> operands{path};
    tree_leaves(b, value, type, operands);
    for (size_t i = 1; i < operands.size(); ++i) {
        const ir::Type held = b.type_of(operands[i]);
        if (held.kind == ir::TypeKind::tensor) continue;
        const DType elem = held.elem == DType::index ? DType::i64 : held.elem;
        operands[i] = host(b, "from_values", {b.emit.cast(operands[i], elem)}, ir::Type::tensor(elem, {}, false),
                           {{Attr::type, elem}, {Attr::extents, std::vector<int64_t>{}}});
    }
    std::vector<std::string> names;
    leaf_names(type, "", names);
    host_effect(b, "save", std::move(operands), {{Attr::names, std::move(names)}});
}

// A tensor; a number is saved as a tensor of rank 0.
ValueId saved_tensor(Body& b, const ast::Expr& e) {
    const Val value = expression(b, e);
    if (sema::is_complex(b.info(e).type) && !b.info(e).type.is(sema::Kind::tensor)) return tensor_of_number(b, value);
    if (value.is_ssa() && b.type_of(value.id).kind == ir::TypeKind::tensor) return value.id;
    const DType type = element_type_alone(b, value);
    return host(b, "from_values", {b.scalar(value, type)}, ir::Type::tensor(type, {}, false),
                {{Attr::type, type}, {Attr::extents, std::vector<int64_t>{}}});
}

Val save(Body& b, const CallInfo& info) {
    const ValueId path = b.handle(argument_value(b, info, 0), sema::Type::string());
    std::vector<ValueId> operands{path};
    std::vector<std::string> names;
    const ast::Expr& what = *argument(b, info, 1);
    if (b.info(what).type.is(sema::Kind::record)) {
        save_tree(b, path, argument_value(b, info, 1), b.info(what).type);
        return Val::none();
    }
    if (const auto* several = std::get_if<ast::Dict>(&what.node)) {
        for (const auto& [key, value] : several->entries) {
            const std::string name = std::get<ast::StringLiteral>(key->node).value;
            const ValueId tensor = saved_tensor(b, *value);
            const auto before = std::ranges::find(names, name);  // as in any dictionary the last one counts
            if (before != names.end()) {
                operands[static_cast<size_t>(before - names.begin()) + 1] = tensor;
                continue;
            }
            names.push_back(name);
            operands.push_back(tensor);
        }
    } else {
        operands.push_back(saved_tensor(b, what));
        const auto* name = std::get_if<ast::Name>(&what.node);
        names.push_back(name ? name->text : std::string("0"));
    }
    host_effect(b, "save", std::move(operands), {{Attr::names, std::move(names)}});
    return Val::none();
}

}  // namespace

Val host_builtin(Body& b, const ast::Expr& e, const CallInfo& info) {
    const sema::Type& type = b.info(e).type;
    const Val one = Val::of(Static::of(int64_t{1}));
    if (auto value = random_builtin(b, e, info)) return *value;
    if (auto value = sequence_builtin(b, e, info)) return *value;
    switch (info.builtin) {
        case Builtin::zeros:
        case Builtin::empty:
            return made(b, "zeros", shape_values(b, argument_value(b, info, 0)), type);
        case Builtin::ones:
            if (sema::is_complex(type))
                return filled_with(b, made(b, "zeros", shape_values(b, argument_value(b, info, 0)), type), one);
            return made(b, "ones", shape_values(b, argument_value(b, info, 0)), type);
        case Builtin::full: {
            std::vector<ValueId> operands = shape_values(b, argument_value(b, info, 0));
            if (sema::is_complex(type)) {
                const Val number = argument_value(b, info, 1);
                return filled_with(b, made(b, "zeros", std::move(operands), type), number);
            }
            operands.push_back(b.scalar(argument_value(b, info, 1), type.elem()));
            return made(b, "full", std::move(operands), type);
        }
        case Builtin::zeros_like:
            return like(b, "zeros", argument_value(b, info, 0), type);
        case Builtin::ones_like:
            if (sema::is_complex(type)) return filled_with(b, like(b, "zeros", argument_value(b, info, 0), type), one);
            return like(b, "ones", argument_value(b, info, 0), type);
        case Builtin::full_like: {
            const Val of = argument_value(b, info, 0);
            if (sema::is_complex(type)) {
                const Val number = argument_value(b, info, 1);
                return filled_with(b, like(b, "zeros", of, type), number);
            }
            return like(b, "full", of, type, b.scalar(argument_value(b, info, 1), type.elem()));
        }
        case Builtin::arange:
            return arange(b, info, type);
        case Builtin::linspace: {
            const ValueId start = b.scalar(argument_value(b, info, 0), DType::f64);
            const ValueId stop = b.scalar(argument_value(b, info, 1), DType::f64);
            return made(b, "linspace", {start, stop, b.index(argument_value(b, info, 2))}, type);
        }
        case Builtin::from_list:
            return from_list(b, info, type);
        case Builtin::load_file:
        case Builtin::load_csv:
            return load(b, e, info, type);
        case Builtin::read_text: {
            const ValueId path = b.handle(argument_value(b, info, 0), sema::Type::string());
            return Val::ssa(host(b, "read_text", {path}, ir::Type::string()));
        }
        case Builtin::write_text: {
            const ValueId path = b.handle(argument_value(b, info, 0), sema::Type::string());
            const ValueId text = b.handle(argument_value(b, info, 1), sema::Type::string());
            host_effect(b, "write_text", {path, text});
            return Val::none();
        }
        case Builtin::read_bytes: {
            const ValueId path = b.handle(argument_value(b, info, 0), sema::Type::string());
            return Val::ssa(host(b, "read_bytes", {path}, ir_type(type)));
        }
        case Builtin::save:
            return save(b, info);
        case Builtin::copy:
            return Val::ssa(host(b, "copy", {argument_value(b, info, 0).id}, ir_type(type)));
        case Builtin::reshape: {
            std::vector<ValueId> operands{argument_value(b, info, 0).id};
            for (const ast::ExprId written : info.rest) {
                const ast::Expr* extent = b.expr(written);
                const std::vector<ValueId> extents = shape_values(b, expression(b, *extent));
                operands.insert(operands.end(), extents.begin(), extents.end());
            }
            return Val::ssa(host(b, "reshape", std::move(operands), ir_type(type)));
        }
        case Builtin::expand_dims:
        case Builtin::squeeze:
        case Builtin::flatten:
            return host_reshape(b, argument_value(b, info, 0), type);
        case Builtin::split:
            return host_split(b, e, info);
        case Builtin::transpose:
        case Builtin::swapaxes:
        case Builtin::moveaxis:
        case Builtin::broadcast_to:
        case Builtin::flip:
        case Builtin::roll:
        case Builtin::repeat:
        case Builtin::concat:
        case Builtin::stack:
        case Builtin::pad:
        case Builtin::einsum:
            return Val::none();  // graphs of their own
        case Builtin::item: {
            Val value = argument_value(b, info, 0);
            if (type == b.info(*argument(b, info, 0)).type) return value;
            const ValueId tensor = value.id;
            if (sema::is_complex(type)) return number_of_tensor(b, tensor);
            return Val::ssa(host(b, "item", {tensor}, ir::Type::scalar(type.elem())), type.elem());
        }
        case Builtin::loss_scale: {
            const ast::Expr* finite = argument(b, info, 0);
            if (!b.program.scales_losses) return Val::of(sema::Static::of(0.0));
            if (!finite) return Val::ssa(host(b, "loss_scale", {}, ir::Type::scalar(DType::f64)), DType::f64);
            const ValueId truth = b.emit.cast(b.truth(condition(b, *finite)), DType::i64);
            return Val::ssa(host(b, "loss_scale_step", {truth}, ir::Type::scalar(DType::f64)), DType::f64);
        }
        case Builtin::on_gpu: {
            const ValueId tensor = argument_value(b, info, 0).id;
            return Val::ssa(host(b, "on_gpu", {tensor}, ir::Type::scalar(DType::boolean)), DType::boolean);
        }
        case Builtin::time:
            return Val::ssa(host(b, "time", {}, ir::Type::scalar(DType::f64)), DType::f64);
        case Builtin::args:
            return host_args(b, type);
        case Builtin::map_:
            return expression(b, *b.expr(b.program.made.mapped.at(b.key(e))));
        case Builtin::chr: {
            const Val code = argument_value(b, info, 0);
            return Val::ssa(host(b, "string_of_code", {b.scalar(code, DType::i64)}, ir::Type::string()));
        }
        case Builtin::ord: {
            const ValueId text = b.handle(argument_value(b, info, 0), sema::Type::string());
            const ValueId code = host(b, "code_of_string", {text}, ir::Type::scalar(DType::index));
            return b.coerce(Val::ssa(code, DType::index), DType::i32);
        }
        case Builtin::str_:
            return text_of(b, argument_value(b, info, 0), b.info(*argument(b, info, 0)).type);
        case Builtin::progress:
        case Builtin::enumerate:
        case Builtin::zip:
        case Builtin::reversed:
        case Builtin::sorted:
        case Builtin::list_:
        case Builtin::sum:
        case Builtin::any:
        case Builtin::all:
        case Builtin::prod:
        case Builtin::mean:
        case Builtin::var:
        case Builtin::std_:
        case Builtin::count_nonzero:
        case Builtin::sort_list:
        case Builtin::version:
        case Builtin::randn:
        case Builtin::rand:
        case Builtin::randint:
        case Builtin::bernoulli:
        case Builtin::permutation:
        case Builtin::view_as_real:
        case Builtin::view_as_complex:
            TSR_CASES_TILE
            TSR_CASES_REGISTER_TILE
            TSR_CASES_MATH
            TSR_CASES_INDEXED
            TSR_CASES_FORM
            return Val::none();
    }
    __builtin_unreachable();
}

}  // namespace tsr::elaborate
