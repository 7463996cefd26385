#include "sema/elaborate/containers.h"

#include <algorithm>

#include "ir/passes/host/entries.h"
#include "sema/elaborate/complex_values.h"
#include "sema/elaborate/host.h"
#include "sema/elaborate/instances.h"
#include "sema/elaborate/recursion.h"
#include "sema/elaborate/strings.h"
#include "sema/elaborate/types.h"
#include "sema/types/containers.h"
#include "sema/types/elements.h"
#include "sema/types/numeric.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::OpKind;
using ir::ValueId;
using sema::Kind;

// ---- values ----

ValueId empty_container(Body& b, const ir::Type& type, int64_t capacity) {
    return host(b, "list", {b.emit.constant(capacity, DType::index)}, type);
}

ValueId container_of(Body& b, const ir::Type& type, std::vector<ValueId> items) {
    return host(b, "list_of", std::move(items), type);
}

sema::Type container_type(const sema::Type& type) { return sema::settled_type(sema::stored(type), {}); }

ValueId container(Body& b, const Val& value, const sema::Type& type) {
    if (value.is_ssa()) return value.id;
    const sema::Type held = container_type(type);
    const ir::Type made = ir_type(held);
    if (!value.has_elements() || value.element_count() == 0) return empty_container(b, made, 0);
    std::vector<ValueId> items;
    for (size_t i = 0; i < value.element_count(); ++i) {
        items.push_back(boxed(b, value.element(i), held.parts()[held.is(Kind::dict) ? i % 2 : 0]));
    }
    return container_of(b, made, std::move(items));
}

ValueId boxed(Body& b, const Val& value, const sema::Type& type) {
    if (sema::is_complex_number(type)) return boxed(b, complex_number(b, value), parts_of_complex());
    if (!type.is(Kind::tuple)) return b.handle(b.coerce(b.rounded(value), type), type);
    if (value.is_ssa()) return value.id;
    std::vector<ValueId> items;
    for (size_t i = 0; i < type.parts().size(); ++i) {
        items.push_back(boxed(b, i < value.element_count() ? value.element(i) : Val{}, type.parts()[i]));
    }
    return container_of(b, item_ir_type(type), std::move(items));
}

Val unboxed(Body& b, ValueId item, const sema::Type& type) {
    if (sema::is_complex_number(type)) return unboxed(b, item, parts_of_complex());
    if (!type.is(Kind::tuple)) return Val::ssa(item, type.is_scalar() ? std::optional(type.elem()) : std::nullopt);
    Val parts = Val::tuple({});
    for (size_t i = 0; i < type.parts().size(); ++i) {
        parts.parts.push_back(list_element(b, item, Val::index(static_cast<int64_t>(i)), type.parts()[i]));
    }
    return parts;
}

// ---- items ----

ValueId list_length(Body& b, ValueId list) { return host(b, "list_length", {list}, ir::Type::scalar(DType::index)); }

Val list_element(Body& b, ValueId list, const Val& index, const sema::Type& element) {
    return unboxed(b, host(b, "list_get", {list, b.index(index)}, item_ir_type(element)), element);
}

void set_item(Body& b, ValueId container, const sema::Type& type, const Val& key, const Val& value) {
    if (type.is(Kind::dict)) {
        const ValueId name = boxed(b, key, type.parts()[0]);
        return host_effect(b, "dict_set", {container, name, boxed(b, value, type.parts()[1])});
    }
    const size_t part = type.is(Kind::record) ? static_cast<size_t>(*key.fixed.integer()) : 0;
    host_effect(b, "list_set", {container, b.index(key), boxed(b, value, type.parts()[part])});
}

Val field_position(const sema::Type& record, const std::string& name) {
    const auto& names = record.names();
    return Val::index(std::find(names.begin() + 1, names.end(), name) - names.begin() - 1);
}

Val record_field(Body& b, const Val& record, const sema::Type& type, const std::string& name) {
    return record_item(b, record, type, field_position(type, name));
}

Val record_item(Body& b, const Val& record, const sema::Type& type, const Val& at) {
    if (record.has_elements()) return record.element(static_cast<size_t>(*at.fixed.integer()));
    return list_element(b, record.id, at, type.parts()[static_cast<size_t>(*at.fixed.integer())]);
}

Val record_of(Body& b, Val parts, const sema::Type& type) {
    if (!b.rules().host_objects) return parts;  // a value
    std::vector<ValueId> fields;
    for (size_t i = 0; i < parts.parts.size(); ++i) fields.push_back(boxed(b, parts.parts[i], type.parts()[i]));
    return Val::ssa(container_of(b, ir_type(type), std::move(fields)));
}

Val new_record(Body& b, const sema::Instance& constructor) {
    Val parts = Val::tuple({});
    for (size_t i = 0; i < constructor.result.parts().size(); ++i)
        parts.parts.push_back(b.get(b.slot(variable_of_parameter(constructor, i))));
    return record_of(b, std::move(parts), constructor.result);
}

Val dict_value(Body& b, ValueId dict, const sema::Type& type, const Val& key, const sema::Type& value) {
    return unboxed(b, host(b, "dict_get", {dict, boxed(b, key, type.parts()[0])}, item_ir_type(value)), value);
}

void append_to_list(Body& b, ValueId list, const Val& value, const sema::Type& element) {
    host_effect(b, "list_append", {list, boxed(b, value, element)});
}

void extend_list(Body& b, const Val& list, const Val& other, const sema::Type& type) {
    host_effect(b, "list_extend", {list.id, container(b, other, type)});
}

Val slice(Body& b, const Val& base, const sema::Type& type, const ast::Slice& slice) {
    const bool text = type.is(Kind::string);
    const ValueId whole = text ? b.handle(base, type) : container(b, base, type);
    std::vector<Val> bounds;
    const int64_t given = slice_bounds(b, slice, bounds);
    if (!text) return slice_of_list(b, whole, given, bounds, type);
    std::vector<ValueId> operands{whole};
    for (const Val& bound : bounds) operands.push_back(b.index(bound));
    return Val::ssa(
        host(b, "string_slice", std::move(operands), ir::Type::string(), {{Attr::codes, std::vector<int64_t>{given}}}));
}

int64_t slice_bounds(Body& b, const ast::Slice& slice, std::vector<Val>& bounds) {
    int64_t code = ir::index_slice;
    int64_t bit = 1;
    for (const ast::Expr* bound : {slice.lower, slice.upper, slice.step}) {
        if (bound) {
            code += bit;
            bounds.push_back(b.coerce(expression(b, *bound), DType::index));
        }
        bit *= 2;
    }
    return code;
}

Val slice_of_list(Body& b, ValueId list, int64_t given, const std::vector<Val>& bounds, const sema::Type& type) {
    std::vector<ValueId> operands{list};
    for (const Val& bound : bounds) operands.push_back(b.index(bound));
    return Val::ssa(host(b, "list_slice", std::move(operands), ir_type(container_type(type)),
                         {{Attr::codes, std::vector<int64_t>{given}}}));
}

void set_slice(Body& b, ValueId list, int64_t given, const std::vector<Val>& bounds, ValueId items) {
    std::vector<ValueId> operands{list, items};
    for (const Val& bound : bounds) operands.push_back(b.index(bound));
    host_effect(b, "list_set_slice", std::move(operands), {{Attr::codes, std::vector<int64_t>{given}}});
}

void require_length(Body& b, ValueId list, size_t count) {
    const ValueId wanted = b.emit.constant(static_cast<int64_t>(count), DType::index);
    const ValueId fits = b.emit.inferred(OpKind::eq, {list_length(b, list), wanted});
    Body::OpenIf open = b.open_if(fits);
    b.in_side(open, 1, [&] {
        host_effect(b, "fail", {}, {{Attr::text, "a list of " + std::to_string(count) + " items is wanted here"}});
    });
    b.close_if(open);
}

// ---- operators ----

Val sequence_arithmetic(Body& b, ast::BinaryOp op, const Val& lhs, const Val& rhs, const sema::Type& type) {
    const bool lists = type.is(Kind::list) && !b.rules().host_objects && op == ast::BinaryOp::add;
    if (type.is(Kind::tuple) && op == ast::BinaryOp::mul) {
        const Val& tuple = lhs.has_elements() ? lhs : rhs;
        Val all = Val::tuple({});
        for (size_t i = 0; i < type.parts().size(); ++i) all.parts.push_back(tuple.element(i % tuple.element_count()));
        return all;
    }
    if (type.is(Kind::tuple) || lists) {
        Val both = lists ? Val::list({}) : Val::tuple({});
        for (const Val* side : {&lhs, &rhs}) {
            for (size_t i = 0; i < side->element_count(); ++i) both.parts.push_back(side->element(i));
        }
        return both;
    }
    if (!b.rules().host_objects) {
        const Val& list = lhs.has_elements() ? lhs : rhs;
        Val registers = Val::list({});
        for (int64_t i = 0; i < type.length().value_or(0); ++i) {
            registers.parts.push_back(list.element(static_cast<size_t>(i) % list.element_count()));
        }
        return registers;
    }
    const bool text = type.is(Kind::string);
    if (op == ast::BinaryOp::add) {
        if (text) return concatenate(b, lhs, rhs);
        return Val::ssa(host(b, "list_concat", {container(b, lhs, type), container(b, rhs, type)}, ir_type(type)));
    }
    const auto is_number = [&](const Val& v) {
        return v.is_ssa() ? b.type_of(v.id).is_scalar() : v.is_fixed() && v.fixed.is_integer();
    };
    const Val& repeated = is_number(lhs) ? rhs : lhs;
    const Val& times = is_number(lhs) ? lhs : rhs;
    const ValueId whole = text ? b.handle(repeated, type) : container(b, repeated, type);
    return Val::ssa(host(b, text ? "string_repeat" : "list_repeat", {whole, b.index(times)}, ir_type(type)));
}

namespace {

Val negated(Body& b, const Val& truth) {
    return Val::ssa(b.emit.inferred(OpKind::ne, {truth.id, b.emit.constant(int64_t{1}, DType::boolean)}),
                    DType::boolean);
}

Val truth_of(Body& b, const char* entry, std::vector<ValueId> operands) {
    return Val::ssa(host(b, entry, std::move(operands), ir::Type::scalar(DType::boolean)), DType::boolean);
}

Val contains(Body& b, const Val& item, const Val& whole, const sema::Type& type) {
    if (type.is(Kind::string)) {
        return truth_of(b, "string_has", {b.handle(whole, type), b.handle(item, type)});
    }
    sema::Type list = type;
    Val searched = whole;
    if (type.is(Kind::tuple)) {
        list = sema::Type::list(sema::common_item(type.parts()).value_or(sema::Type::unknown()), std::nullopt);
    } else if (type.is(Kind::record)) {  // a dictionary whose keys are in its type
        list = sema::Type::list(sema::Type::string(), std::nullopt);
        searched = Val::list({});
        for (size_t i = 1; i < type.names().size(); ++i)
            searched.parts.push_back(Val::of(sema::Static::of(type.names()[i])));
    }
    list = container_type(list);
    const ValueId held = container(b, searched, list);
    if (list.parts()[0].is_unknown()) return Val::truth(false);
    const ValueId wanted = boxed(b, item, list.parts()[0]);
    if (type.is(Kind::dict)) return truth_of(b, "dict_has", {held, wanted});
    const ValueId at = host(b, "list_find", {held, wanted}, ir::Type::scalar(DType::index));
    return Val::ssa(b.emit.inferred(OpKind::ge, {at, b.emit.constant(int64_t{0}, DType::index)}), DType::boolean);
}

}  // namespace

std::optional<Val> compare_containers(Body& b, ast::CompareOp op, const ast::Expr& lhs_expr, const Val& lhs,
                                      const ast::Expr& rhs_expr, const Val& rhs) {
    using Op = ast::CompareOp;
    const sema::Type& l = b.info(lhs_expr).type;
    const sema::Type& r = b.info(rhs_expr).type;
    if (op == Op::in || op == Op::not_in) {
        const Val found = contains(b, lhs, rhs, r);
        if (found.is_fixed()) return Val::truth(op == Op::not_in);  // in an empty list
        return op == Op::in ? found : negated(b, found);
    }
    const bool containers = l.is(Kind::list) || l.is(Kind::dict) || l.is(Kind::tuple) || l.is(Kind::record);
    if (!containers || !b.rules().host_objects) return std::nullopt;
    const sema::Type type = sema::common_container(l, r).value_or(l);
    const auto held = [&](const Val& v) { return type.is(Kind::tuple) ? boxed(b, v, type) : container(b, v, type); };
    const ValueId a = held(lhs);
    const ValueId other = held(rhs);
    if (op == Op::eq || op == Op::ne) {
        const Val same = truth_of(b, "list_equal", {a, other});
        return op == Op::eq ? same : negated(b, same);
    }
    const ValueId order = host(b, "list_compare", {a, other}, ir::Type::scalar(DType::i32));
    const OpKind kind = op == Op::lt ? OpKind::lt : op == Op::le ? OpKind::le : op == Op::gt ? OpKind::gt : OpKind::ge;
    return Val::ssa(b.emit.inferred(kind, {order, b.emit.constant(int64_t{0}, DType::i32)}), DType::boolean);
}

}  // namespace tsr::elaborate
