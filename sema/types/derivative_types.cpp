#include "sema/types/derivative_types.h"

#include <algorithm>

#include "base/numerics.h"
#include "sema/types/elements.h"

namespace tsr::sema {

namespace {

bool is_differentiated(const Type& type) { return is_of_floats(type) || is_complex(type); }

}  // namespace

bool is_of_floats(const Type& type) { return (type.is(Kind::tensor) || type.is_scalar()) && is_float(type.elem()); }

bool holds_floats(const Type& type) {
    const bool parted = type.is(Kind::tuple) || type.is(Kind::record) || type.is(Kind::list);
    if (parted) return std::ranges::any_of(type.parts(), holds_floats);
    return is_differentiated(type);
}

namespace {

// Of a tree the tree of what its leaves, numbers and tensors of floats, become.
template <class OfLeaf>
Type tree_of_gradients(const Type& of, const OfLeaf& of_leaf) {
    if (of.is(Kind::tuple) || of.is(Kind::record)) {
        std::vector<Type> parts;
        for (const Type& part : of.parts()) parts.push_back(tree_of_gradients(part, of_leaf));
        return of.is(Kind::tuple) ? Type::tuple(std::move(parts)) : Type::record_like(of, std::move(parts), false);
    }
    if (of.is(Kind::list)) return Type::list(tree_of_gradients(of.parts()[0], of_leaf), of.length());
    if (is_complex(of)) return of.with_mut(false);
    if (!is_of_floats(of)) return of;
    const Type leaf = of.with_elem(of_leaf(of)).with_mut(false);
    return leaf.is(Kind::tensor) ? leaf.with_policy(leaf.policy(), {}) : leaf;
}

}  // namespace

Type gradient_type(const Type& of, std::optional<DType> out) {
    return tree_of_gradients(of, [&](const Type& leaf) { return out.value_or(tsr::gradient_type(leaf.elem())); });
}

Type read_gradient_type(const Type& of, std::optional<DType> out) {
    return tree_of_gradients(of, [&](const Type& leaf) {
        const bool scaled = leaf.is(Kind::tensor) && leaf.tensor().scaling.stores_cotangents();
        return out.value_or(scaled ? tsr::derivative_type(leaf.elem()) : tsr::gradient_type(leaf.elem()));
    });
}

namespace {

bool corresponds(const Type& given, const Type& wanted, bool exactly) {
    if (wanted.is(Kind::tuple) || wanted.is(Kind::record)) {
        if (given.kind() != wanted.kind() || given.parts().size() != wanted.parts().size()) return false;
        const bool same = !wanted.is(Kind::record) ||
                          (given.function_id() == wanted.function_id() && given.names() == wanted.names());
        if (!same) return false;
        for (size_t i = 0; i < wanted.parts().size(); ++i) {
            if (!corresponds(given.parts()[i], wanted.parts()[i], exactly)) return false;
        }
        return true;
    }
    if (wanted.is(Kind::list)) {
        return given.is(Kind::list) && given.length() == wanted.length() &&
               corresponds(given.parts()[0], wanted.parts()[0], exactly);
    }
    const bool leaf = wanted.is(Kind::tensor) || wanted.is_scalar();
    if (!is_differentiated(wanted) && (!exactly || !leaf)) return !exactly || given == wanted;
    if (!(given.is(Kind::tensor) || given.is_scalar()) || given.elem() != wanted.elem()) return false;
    const std::vector<ir::Dim> one = given.shape(), other = wanted.shape();
    bool same = one.size() == other.size();
    for (size_t i = 0; same && i < one.size(); ++i) same = compare(one[i], other[i]) != ir::Equality::different;
    return same;
}

}  // namespace

bool stands_for(const Type& given, const Type& wanted) { return corresponds(given, wanted, false); }
bool stands_for_exactly(const Type& given, const Type& wanted) { return corresponds(given, wanted, true); }

Type one_or_tuple(std::vector<Type> types) { return types.size() == 1 ? types[0] : Type::tuple(std::move(types)); }

}  // namespace tsr::sema
