#include "sema/elaborate/memory.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "sema/elaborate/arithmetic.h"
#include "sema/elaborate/complex_values.h"
#include "sema/elaborate/containers.h"
#include "sema/elaborate/elements.h"
#include "sema/elaborate/host.h"
#include "sema/elaborate/host_tensors.h"
#include "sema/elaborate/local_arrays.h"
#include "sema/elaborate/recursion.h"
#include "sema/elaborate/rounding.h"
#include "sema/elaborate/row_indexing.h"
#include "sema/elaborate/tables.h"
#include "sema/elaborate/tiles.h"
#include "sema/program/indexed.h"
#include "sema/program/static_tables.h"
#include "sema/state/body.h"
#include "sema/types/containers.h"
#include "sema/types/elements.h"

namespace tsr::elaborate {

using ir::OpKind;
using ir::ValueId;
using sema::Kind;

namespace {

// A[i, j] and A[(i, j)] are one thing.
std::vector<const ast::Expr*> index_items(const ast::Subscript& node) {
    if (node.indices.size() == 1) {
        if (const auto* tuple = std::get_if<ast::Tuple>(&node.indices[0]->node)) return tuple->elements;
    }
    return node.indices;
}

// Starts of a view: of a slice its lower bound, of a single position the position; 0 on axes that are not written.
Val view_of(Body& b, const Val& memory, const std::vector<const ast::Expr*>& items, size_t rank) {
    Val view{.kind = Val::Kind::view};
    view.parts.push_back(memory);
    for (const ast::Expr* item : items) {
        const auto* slice = std::get_if<ast::Slice>(&item->node);
        if (!slice) {
            view.parts.push_back(b.coerce(expression(b, *item), DType::index));
        } else {
            view.parts.push_back(slice->lower ? b.coerce(expression(b, *slice->lower), DType::index) : Val::index(0));
        }
    }
    while (view.parts.size() < rank + 1) view.parts.push_back(Val::index(0));
    return view;
}

// The numbers of all items; a value that is a tuple gives one per element.
std::vector<Val> indices_of(Body& b, const std::vector<const ast::Expr*>& items) {
    std::vector<Val> indices;
    for (const ast::Expr* item : items) {
        const Val value = expression(b, *item);
        if (!value.has_elements()) {
            indices.push_back(value);
            continue;
        }
        for (size_t i = 0; i < value.element_count(); ++i) indices.push_back(value.element(i));
    }
    return indices;
}

// Where a dictionary whose keys are in its type has a key; nothing after a message.
std::optional<Val> key_in_round(Body& b, const ast::Expr& key, const sema::Type& dict) {
    const Val value = expression(b, key);
    const std::string* name = value.is_fixed() ? value.fixed.string() : nullptr;
    const auto& names = dict.names();
    if (name && std::find(names.begin() + 1, names.end(), *name) != names.end()) return field_position(dict, *name);
    b.error("E0328", key.span,
            fmt::format("in a round of the loop around {} has no key {}", sema::shown(dict),
                        name ? sema::Static::of(*name).text() : "that is known"));
    return std::nullopt;
}

std::vector<ValueId> index_values(Body& b, const std::vector<Val>& indices) {
    std::vector<ValueId> values;
    for (const Val& index : indices) values.push_back(b.index(index));
    return values;
}

}  // namespace

DType memory_type(Body& b, const Val& memory) {
    if (memory.is(Val::Kind::view)) return memory_type(b, memory.parts[0]);
    if (memory.is(Val::Kind::buffer)) return b.buffers.type(memory.site).elem();
    return memory.is_ssa() ? b.type_of(memory.id).elem : DType::f32;
}

Val read_element(Body& b, const Val& memory, const std::vector<Val>& indices) {
    const DType type = memory_type(b, memory);
    std::vector<ValueId> operands = index_values(b, indices);
    operands.insert(operands.begin(), b.memory(memory));
    return Val::ssa(b.emit.inferred(OpKind::read, std::move(operands)), type);
}

void write_element(Body& b, const Val& memory, const std::vector<Val>& indices, const Val& value,
                   const ast::Expr& written) {
    std::vector<ValueId> operands = index_values(b, indices);
    const ValueId place = b.memory(memory);
    const ValueId stored = stored_element(b, &written, place, operands, value, memory_type(b, memory));
    operands.insert(operands.begin(), {place, stored});
    b.emit.op(OpKind::write, std::move(operands));
}

std::vector<Val> element_index(Body& b, const Val& memory, const ast::Expr* index) {
    std::vector<Val> numbers;
    if (index) numbers = indices_of(b, {index});
    if (!memory.is(Val::Kind::view)) return numbers;
    std::vector<Val> moved(memory.parts.begin() + 1, memory.parts.end());
    // The view's own axes are the last ones of its memory.
    for (size_t i = 0; i < numbers.size() && i < moved.size(); ++i) {
        Val& start = moved[moved.size() - numbers.size() + i];
        start = arithmetic(b, ast::BinaryOp::add, start, numbers[i], DType::index, DType::index);
    }
    return moved;
}

Val subscript(Body& b, const ast::Expr& e, const ast::Subscript& node) {
    if (const sema::Static* table = !b.rules().host_objects ? sema::table_below(b.instance(), e) : nullptr;
        table && !b.info(e).value && sema::is_rectangular(*table)) {
        return table_item(b, e, *table);
    }
    if (sema::is_rows_by_ids(b.instance(), e)) return rows_by_ids(b, e, node);
    const sema::Type& type = b.info(e).type;
    const sema::Type& base_type = b.info(*node.base).type;
    const std::vector<const ast::Expr*> items = index_items(node);
    const Val base = expression(b, *node.base);
    const At at(b.emit, e.span);
    if (base_type.is(Kind::tensor) && !b.rules().has_elements) {
        return taken(b, base, tensor_block(b, base, items, type), type);
    }
    if (base_type.is(Kind::tensor) || base_type.is(Kind::buffer)) {
        if (type.is(Kind::view)) return view_of(b, base, items, base_type.rank());
        if (type.is(Kind::tensor)) return host_view(b, base, items, type);
        if (sema::is_complex_number(type)) return read_complex(b, base, indices_of(b, items));
        return read_element(b, base, indices_of(b, items));
    }
    if (base_type.is(Kind::local)) return read_local(b, base, base_type, indices_of(b, items));
    if (base_type.is(Kind::tile)) return tile_axes(b, base, items, type);
    if (base_type.is(Kind::dict)) {
        const sema::Type held = container_type(base_type);
        const Val key = expression(b, *node.indices[0]);
        return dict_value(b, container(b, base, held), held, key, type);
    }
    if (base_type.is(Kind::record)) {
        const auto any = sema::with_any_keys(base_type);
        if (const Val key = expression(b, *node.indices[0]); !key.is_fixed() && any) {
            Val entries = Val::list({});
            for (size_t i = 0; i < base_type.parts().size(); ++i) {
                entries.parts.push_back(Val::of(sema::Static::of(base_type.names()[i + 1])));
                entries.parts.push_back(record_item(b, base, base_type, Val::index(static_cast<int64_t>(i))));
            }
            const sema::Type held = container_type(*any);
            return dict_value(b, container(b, entries, held), held, key, type);
        }
        const auto position = key_in_round(b, *node.indices[0], base_type);
        return position ? record_item(b, base, base_type, *position) : b.undefined(type);
    }
    if (items.size() != 1) return {};
    if (const auto* part = std::get_if<ast::Slice>(&items[0]->node)) {
        const bool parted = base_type.is(Kind::tuple) || (base_type.is(Kind::list) && b.rules().new_values);
        return parted ? part_of_items(b, base, *part) : slice(b, base, base_type, *part);
    }
    const Val index = expression(b, *items[0]);
    if (base_type.is(Kind::string)) {
        return Val::ssa(host(b, "string_get", {b.handle(base, base_type), b.index(index)}, ir::Type::string()));
    }
    const bool counted = base.is_ssa() || !index.is_fixed();  // a static list too takes a number of the run
    if (base_type.is(Kind::list) && b.rules().host_objects && counted) {
        return list_element(b, container(b, base, base_type), index, type);
    }
    return element_of(b, base, index);
}

namespace {

// `regs[i][j]` of a list of registers, `params["a"]["u"]` in a graph, `r.field`: the variable and the positions.
bool list_path(Body& b, const ast::Expr& e, Target& target) {
    if (const auto* variable = std::get_if<sema::VariableId>(&b.info(e).referent)) {
        target.variable = *variable;
        return b.get(b.slot(*variable)).has_elements();
    }
    if (const auto* field = std::get_if<ast::Attribute>(&e.node)) {
        if (!list_path(b, *field->base, target)) return false;
        const Val at = field_position(b.info(*field->base).type, field->name.text);
        target.path.push_back(static_cast<size_t>(*at.fixed.integer()));
        return true;
    }
    const auto* node = std::get_if<ast::Subscript>(&e.node);
    if (!node || node->indices.size() != 1 || !list_path(b, *node->base, target)) return false;
    const sema::Type& of = b.info(*node->base).type;
    const auto index =
        of.is(Kind::record) ? key_in_round(b, *node->indices[0], of) : std::optional(expression(b, *node->indices[0]));
    const auto position = index && index->is_fixed() ? index->fixed.integer() : std::nullopt;
    if (!position) return false;
    const Val whole = [&] {
        Val list = b.get(b.slot(target.variable));
        for (const size_t step : target.path) list = list.element(step);
        return list;
    }();
    if (!whole.has_elements()) return false;
    const auto count = static_cast<int64_t>(whole.element_count());
    const int64_t at = *position < 0 ? *position + count : *position;
    if (at < 0 || at >= count) return false;
    target.path.push_back(static_cast<size_t>(at));
    return true;
}

Target subscript_target(Body& b, const ast::Expr& e, const ast::Subscript& node) {
    Target target;
    target.type = &b.info(e).type;
    target.written = &e;
    const sema::Type& base_type = b.info(*node.base).type;
    const std::vector<const ast::Expr*> items = index_items(node);
    if (base_type.is(Kind::record) && b.rules().new_values) {
        if (list_path(b, e, target)) target.kind = Target::Kind::item;
        return target;
    }
    if (base_type.is(Kind::record)) {
        target.kind = Target::Kind::list_item;
        target.container = base_type;
        target.memory = expression(b, *node.base);
        const auto position = key_in_round(b, *node.indices[0], base_type);
        if (!position) return {};
        target.indices = {*position};
        return target;
    }
    if (base_type.is(Kind::dict) || (base_type.is(Kind::list) && b.rules().host_objects)) {
        target.kind = Target::Kind::list_item;
        target.container = container_type(base_type);
        target.memory = Val::ssa(container(b, expression(b, *node.base), target.container));
        if (const auto* part = std::get_if<ast::Slice>(&node.indices[0]->node)) {
            target.kind = Target::Kind::list_slice;
            target.given = slice_bounds(b, *part, target.indices);
        } else {
            target.indices = {expression(b, *node.indices[0])};
        }
        return target;
    }
    if (base_type.is(Kind::list) || base_type.is(Kind::tuple)) {
        if (list_path(b, e, target)) {
            target.kind = Target::Kind::item;
            return target;
        }
        return target;
    }
    if (base_type.is(Kind::local)) {
        target.kind = Target::Kind::local;
        target.memory = expression(b, *node.base);
        target.indices = indices_of(b, items);
        target.container = base_type;
        return target;
    }
    if (!base_type.is_memory()) return target;
    const Val base = expression(b, *node.base);
    const At at(b.emit, e.span);
    if (base_type.is(Kind::tensor) && !b.rules().has_elements) {
        target.kind = Target::Kind::block;
        target.variable = std::get<sema::VariableId>(b.info(*node.base).referent);
        target.block = tensor_block(b, base, items, *target.type);
        return target;
    }
    if (target.type->is(Kind::tensor)) {
        target.kind = Target::Kind::region;
        target.memory = host_view(b, base, items, *target.type);
        return target;
    }
    if (target.type->is(Kind::view)) {
        target.kind = Target::Kind::view;
        target.memory = view_of(b, base, items, base_type.rank());
        return target;
    }
    target.kind = Target::Kind::element;
    target.memory = base;
    target.indices = indices_of(b, items);
    return target;
}

void store_item(Val& list, const std::vector<size_t>& path, size_t from, const Val& value) {
    if (list.is_fixed()) {  // a static list becomes one of registers
        Val parts = Val::list({});
        for (size_t i = 0; i < list.element_count(); ++i) parts.parts.push_back(list.element(i));
        list = std::move(parts);
    }
    Val& part = list.parts[path[from]];
    if (from + 1 < path.size()) return store_item(part, path, from + 1, value);
    part = value;
}

}  // namespace

Target evaluate_target(Body& b, const ast::Expr& e) {
    Target target;
    target.type = &b.info(e).type;
    if (const auto* variable = std::get_if<sema::VariableId>(&b.info(e).referent)) {
        target.kind = Target::Kind::variable;
        target.variable = *variable;
        return target;
    }
    if (const auto* node = std::get_if<ast::Subscript>(&e.node)) return subscript_target(b, e, *node);
    if (const auto* node = std::get_if<ast::Attribute>(&e.node)) {
        if (!b.rules().host_objects) {  // the variable is given a record with another field
            if (list_path(b, e, target)) target.kind = Target::Kind::item;
            return target;
        }
        target.kind = Target::Kind::list_item;
        target.container = b.info(*node->base).type;
        target.memory = expression(b, *node->base);
        target.indices = {field_position(target.container, node->name.text)};
    }
    return target;
}

Val read_target(Body& b, const Target& target) {
    switch (target.kind) {
        case Target::Kind::nothing:
            return {};
        case Target::Kind::variable:
            return b.get(b.slot(target.variable));
        case Target::Kind::element:
            if (sema::is_complex_number(*target.type)) return read_complex(b, target.memory, target.indices);
            return read_element(b, target.memory, target.indices);
        case Target::Kind::local:
            return read_local(b, target.memory, target.container, target.indices);
        case Target::Kind::item: {
            Val item = b.get(b.slot(target.variable));
            for (const size_t step : target.path) item = item.element(step);
            return item;
        }
        case Target::Kind::list_item: {
            const bool record = target.container.is(Kind::record);
            const size_t part = record ? static_cast<size_t>(*target.indices[0].fixed.integer()) : 0;
            if (target.container.is(Kind::dict)) {
                return dict_value(b, target.memory.id, target.container, target.indices[0],
                                  target.container.parts()[1]);
            }
            return list_element(b, target.memory.id, target.indices[0], target.container.parts()[part]);
        }
        case Target::Kind::list_slice:
            return slice_of_list(b, target.memory.id, target.given, target.indices, target.container);
        case Target::Kind::region:
            return target.memory;
        case Target::Kind::block:
            return taken(b, b.get(b.slot(target.variable)), target.block, *target.type);
        case Target::Kind::view:
            return load_tile(b, target.memory, *target.type, {});
    }
    return {};
}

void write_target(Body& b, const Target& target, const Val& value) {
    switch (target.kind) {
        case Target::Kind::nothing:
            return;
        case Target::Kind::variable:
            return b.assign(target.variable, value);
        case Target::Kind::local:
            return write_local(b, target.memory, target.container, target.indices, value);
        case Target::Kind::element:
            if (sema::is_complex_number(*target.type)) return write_complex(b, target.memory, target.indices, value);
            return write_element(b, target.memory, target.indices, value, *target.written);
        case Target::Kind::item: {
            Val list = b.get(b.slot(target.variable));
            store_item(list, target.path, 0, b.coerce(b.rounded(value), *target.type));
            return b.set(b.slot(target.variable), std::move(list));
        }
        case Target::Kind::list_item:
            return set_item(b, target.memory.id, target.container, target.indices[0], value);
        case Target::Kind::list_slice:
            return set_slice(b, target.memory.id, target.given, target.indices, container(b, value, target.container));
        case Target::Kind::region:
            return host_assign(b, target.memory, value, *target.type, target.written);
        case Target::Kind::block:
            return b.set(b.slot(target.variable),
                         updated(b, b.get(b.slot(target.variable)), target.block,
                                 sema::is_complex(*target.type) ? Val::ssa(pair_of_parts(b, value)) : value));
        case Target::Kind::view:
            return store_tile(b, target.memory, *target.type, value, target.written);
    }
}

}  // namespace tsr::elaborate
