#include "sema/elaborate/trees.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sema/elaborate/complex_values.h"
#include "sema/elaborate/containers.h"
#include "sema/elaborate/shape_checks.h"
#include "sema/elaborate/types.h"
#include "sema/types/elements.h"

namespace tsr::elaborate {

using ir::ValueId;
using sema::Kind;

namespace {

// The elements of a field may be others than those that its class declares: a function gave them for each leaf.
sema::Type with_declared_extents(const sema::Type& field, const sema::Type& declared) {
    if (field.is(Kind::tuple) && declared.is(Kind::tuple) && field.parts().size() == declared.parts().size()) {
        std::vector<sema::Type> parts;
        for (size_t i = 0; i < field.parts().size(); ++i)
            parts.push_back(with_declared_extents(field.parts()[i], declared.parts()[i]));
        return sema::Type::tuple(std::move(parts));
    }
    const bool tensors = field.is(Kind::tensor) && declared.is(Kind::tensor) && field.rank() == declared.rank();
    return tensors ? field.with_shape(declared.tensor().shape) : field;
}

// The types of a record's fields as its class declares them: in the record's own type extents have no names.
std::vector<sema::Type> declared_fields(const sema::Program& program, const sema::Type& record) {
    if (record.is_keyed_dict()) return record.parts();
    for (const sema::Instance& instance : program.instances) {
        if (instance.function != record.function_id() || instance.parameters.size() != record.parts().size()) continue;
        std::vector<sema::Type> fields;
        for (size_t i = 0; i < record.parts().size(); ++i) {
            const sema::ParameterInfo& field = instance.parameters[i];
            const sema::Type& part = record.parts()[i];
            fields.push_back(field.any_tree ? part : with_declared_extents(part, field.type));
        }
        return fields;
    }
    return record.parts();
}

bool names_symbols_of(const ir::Function& function, const ir::Dim& dim) {
    return std::ranges::all_of(dim.symbols(), [&](const std::string& name) {
        return std::ranges::find(function.symbols, name) != function.symbols.end();
    });
}

// Makes the parameters. `scope`: of the names that extents have, empty outside of records.
class Parameters {
public:
    explicit Parameters(Body& b) : b_(b) {}

    Val tree(const sema::Type& type, const std::string& name, const std::string& scope) {
        if (sema::is_complex_number(type)) return tree(parts_of_complex(), name, scope);
        if (type.is(Kind::record)) {
            const std::vector<sema::Type> fields = declared_fields(b_.program, type);
            const bool keyed = type.is_keyed_dict();
            if (!keyed) {
                for (const sema::Type& field : fields) note_names(field, name + ".");
            }
            const auto part = [&](size_t i) { return keyed ? key_word(type.names()[i + 1]) : type.names()[i + 1]; };
            return parts(fields, name, part, keyed ? scope : name + ".");
        }
        const auto number = [](size_t i) { return std::to_string(i); };
        if (type.is(Kind::tuple)) return parts(type.parts(), name, number, scope);
        if (type.is(Kind::list)) {
            const std::vector<sema::Type> items(part_count(type).value_or(0), type.parts()[0]);
            return Val::list(parts(items, name, number, scope).parts);
        }
        return leaf(type, name, scope);
    }

private:
    template <class Name>
    Val parts(const std::vector<sema::Type>& types, const std::string& name, const Name& part,
              const std::string& scope) {
        Val all = Val::tuple({});
        for (size_t i = 0; i < types.size(); ++i) {
            all.parts.push_back(tree(types[i], fmt::format("{}.{}", name, part(i)), scope));
        }
        return all;
    }

    Val leaf(const sema::Type& type, const std::string& name, const std::string& scope) {
        ir::Type held = paired(ir_type(type));
        if (held.kind == ir::TypeKind::none) return Val::none();
        held.mut = false;
        for (size_t axis = 0; axis < held.rank(); ++axis)
            held.shape[axis] = extent(held.shape[axis], name, scope, axis);
        const ValueId id = b_.function().add_arg(b_.function().body, held, name);
        return Val::ssa(id, b_.computes_on(held) ? std::optional(held.elem) : std::nullopt);
    }

    // The names that extents of a record have by themselves. Records in it have names of their own.
    void note_names(const sema::Type& type, const std::string& scope) {
        if (type.is(Kind::tensor)) {
            for (const ir::Dim& dim : type.shape()) {
                if (is_name(dim)) names_.insert(scoped(*dim.symbol_name(), scope));
            }
        } else if (type.is(Kind::tuple) || type.is(Kind::list) || type.is_keyed_dict()) {
            for (const sema::Type& part : type.parts()) note_names(part, scope);
        }
    }

    static bool is_name(const ir::Dim& dim) { return dim.symbol_name() && *dim.symbol_name() != "_"; }

    static std::string scoped(const std::string& symbol, const std::string& scope) {
        std::string name = scope + symbol;
        std::ranges::replace(name, '.', '_');
        return name;
    }

    ir::Dim symbol_of_function(const std::string& name) {
        std::vector<std::string>& symbols = b_.function().symbols;
        if (std::ranges::find(symbols, name) == symbols.end()) symbols.push_back(name);
        return ir::Dim::symbol(name);
    }

    // `3*H` of a record that has an extent `H`, too, is said in the name of that one. Of another extent that is no name
    // by itself, the leaf and the axis are the name.
    ir::Dim extent(const ir::Dim& dim, const std::string& leaf, const std::string& scope, size_t axis) {
        if (dim.constant_value()) return dim;
        if (is_name(dim)) return symbol_of_function(scoped(*dim.symbol_name(), scope));
        if (scope.empty() && names_symbols_of(b_.function(), dim)) return dim;
        const std::vector<std::string> within = dim.symbols();
        const auto stands_alone = [&](const std::string& symbol) { return names_.contains(scoped(symbol, scope)); };
        if (!within.empty() && std::ranges::all_of(within, stands_alone)) {
            return dim.substitute([&](const std::string& symbol) -> std::optional<ir::Dim> {
                return symbol_of_function(scoped(symbol, scope));
            });
        }
        std::string name = scoped(fmt::format("{}.{}", leaf, axis), "");
        // Leaves `a_b` and `a.b` have extents of their own.
        const std::vector<std::string>& symbols = b_.function().symbols;
        while (std::ranges::find(symbols, name) != symbols.end()) name += '_';
        return symbol_of_function(name);
    }

    Body& b_;
    std::set<std::string> names_;
};

// Part `i` of a value of the host.
Val part_of(Body& b, const Val& value, const sema::Type& type, size_t i) {
    if (value.has_elements()) return value.element(i);
    return list_element(b, value.id, Val::index(static_cast<int64_t>(i)), part_type(type, i));
}

}  // namespace

std::optional<size_t> part_count(const sema::Type& type) {
    if (type.is(Kind::tuple) || type.is(Kind::record)) return type.parts().size();
    if (!type.is(Kind::list) || !type.length()) return std::nullopt;
    return static_cast<size_t>(*type.length());
}

const sema::Type& part_type(const sema::Type& type, size_t i) { return type.parts()[type.is(Kind::list) ? 0 : i]; }

bool has_lists(const sema::Type& type) {
    const bool parted = type.is(Kind::tuple) || type.is(Kind::record);
    return type.is(Kind::list) || (parted && std::ranges::any_of(type.parts(), has_lists));
}

void require_lengths(Body& b, const Val& value, const sema::Type& type) {
    const auto count = has_lists(type) ? part_count(type) : std::nullopt;
    if (!count) return;
    if (type.is(Kind::list) && value.is_ssa()) require_length(b, value.id, *count);
    for (size_t i = 0; i < *count; ++i) {
        if (has_lists(part_type(type, i))) require_lengths(b, part_of(b, value, type, i), part_type(type, i));
    }
}

void leaf_names(const sema::Type& type, const std::string& whole, std::vector<std::string>& names) {
    const auto count = part_count(type);
    if (!count) return names.push_back(whole);
    for (size_t i = 0; i < *count; ++i) {
        const std::string part = type.is(Kind::record) ? type.names()[i + 1] : std::to_string(i);
        leaf_names(part_type(type, i), whole.empty() ? part : fmt::format("{}.{}", whole, part), names);
    }
}

Val tree_parameter(Body& b, const sema::Type& type, const std::string& name) {
    return Parameters(b).tree(type, name, "");
}

void tree_leaves(Body& b, const Val& value, const sema::Type& type, std::vector<ValueId>& leaves) {
    if (sema::is_complex_tensor(type) && b.rules().host_objects) {
        leaves.push_back(pairs_of(b, value.id));
        return;
    }
    const auto count = part_count(type);
    if (!count) return b.flatten(value, &type, leaves);
    if (type.is(Kind::list) && value.is_ssa()) require_length(b, value.id, *count);
    for (size_t i = 0; i < *count; ++i) tree_leaves(b, part_of(b, value, type, i), part_type(type, i), leaves);
}

void tree_types(const sema::Type& type, std::vector<ir::Type>& types) {
    if (sema::is_complex_number(type)) return tree_types(parts_of_complex(), types);
    if (const auto count = part_count(type)) {
        for (size_t i = 0; i < *count; ++i) tree_types(part_type(type, i), types);
    } else if (const ir::Type held = paired(ir_type(type)); held.kind != ir::TypeKind::none) {
        types.push_back(held);
    }
}

std::vector<ComplexLeaf> complex_leaves(const sema::Type& type) {
    if (sema::is_complex_number(type)) return {ComplexLeaf::none, ComplexLeaf::imaginary};
    if (sema::is_complex_tensor(type)) return {ComplexLeaf::pairs};
    std::vector<ComplexLeaf> leaves;
    if (const auto count = part_count(type)) {
        for (size_t i = 0; i < *count; ++i) {
            const std::vector<ComplexLeaf> part = complex_leaves(part_type(type, i));
            leaves.insert(leaves.end(), part.begin(), part.end());
        }
    } else if (ir_type(type).kind != ir::TypeKind::none) {
        leaves.push_back(ComplexLeaf::none);
    }
    return leaves;
}

std::vector<bool> leaves_with_stored_cotangents(const sema::Type& type) {
    if (sema::is_complex_number(type)) return {false, false};
    std::vector<bool> leaves;
    if (const auto count = sema::is_complex_tensor(type) ? std::nullopt : part_count(type)) {
        for (size_t i = 0; i < *count; ++i) {
            const std::vector<bool> part = leaves_with_stored_cotangents(part_type(type, i));
            leaves.insert(leaves.end(), part.begin(), part.end());
        }
    } else if (ir_type(type).kind != ir::TypeKind::none) {
        leaves.push_back(type.is(Kind::tensor) && type.tensor().scaling.stores_cotangents());
    }
    return leaves;
}

Val tree_of_leaves(Body& b, const sema::Type& type, const std::vector<ValueId>& leaves, size_t& next) {
    if (sema::is_complex_number(type)) return tree_of_leaves(b, parts_of_complex(), leaves, next);
    const auto count = part_count(type);
    if (!count) {
        if (next >= leaves.size()) return Val::none();
        const ValueId id = leaves[next++];
        if (sema::is_complex_tensor(type)) return Val::ssa(of_pairs(b, id, type));
        return Val::ssa(id, type.is_scalar() ? std::optional(type.elem()) : std::nullopt);
    }
    Val parts = type.is(Kind::list) ? Val::list({}) : Val::tuple({});
    for (size_t i = 0; i < *count; ++i) parts.parts.push_back(tree_of_leaves(b, part_type(type, i), leaves, next));
    if (type.is(Kind::tuple)) return parts;
    if (type.is(Kind::list)) return Val::ssa(container(b, parts, type));
    return record_of(b, std::move(parts), type);
}

void bind_tree_symbols(Body& b, const Val& value, const sema::Type& type, std::map<std::string, ir::Dim>& dims) {
    if (const auto count = part_count(type); count && value.has_elements()) {
        for (size_t i = 0; i < *count && i < value.element_count(); ++i)
            bind_tree_symbols(b, value.element(i), part_type(type, i), dims);
    }
    if (!type.is(Kind::tensor) || !value.is_ssa()) return;
    const std::vector<ir::Dim> shape = b.type_of(value.id).shape;
    for (size_t axis = 0; axis < shape.size() && axis < type.rank(); ++axis) {
        const auto name = type.shape()[axis].symbol_name();
        if (!name || *name == "_") continue;
        const auto [known, fresh] = dims.emplace(*name, shape[axis]);
        if (fresh || known->second == shape[axis]) continue;
        const ValueId found = b.index(b.function_dimension(shape[axis]));
        const ValueId wanted = b.index(b.function_dimension(known->second));
        require_in_graph(b, b.emit.inferred(ir::OpKind::eq, {found, wanted}), {found, wanted},
                         fmt::format("`{}` is {{}} along axis {} of a tensor, and {{}} before it", *name, axis));
        // The checker's name for the extent of a record's field is none of this function.
        if (!names_symbols_of(b.function(), known->second)) known->second = shape[axis];
    }
}

}  // namespace tsr::elaborate
