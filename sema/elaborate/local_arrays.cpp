#include "sema/elaborate/local_arrays.h"

#include <fmt/format.h>

#include "sema/elaborate/arithmetic.h"

namespace tsr::elaborate {

using ir::OpKind;
using ir::ValueId;

namespace {

Slot slot_of(const Val& array) { return {0, array.site}; }

// The elements; none after a message, where a loop or a condition says which array is meant.
Val elements_of(Body& b, const Val& array) {
    if (array.is(Val::Kind::local)) {
        if (const Val elements = b.get(slot_of(array)); elements.is(Val::Kind::list)) return elements;
    }
    if (!b.failed) {
        b.error("E0420", b.emit.span(), "which array this is must be known when the kernel is compiled")
            .note(
                "an array that a loop makes is there in its rounds only; of two arrays choose elements: `a[i] if c "
                "else b[i]`");
    }
    return {};
}

}  // namespace

Val row_major(Body& b, const std::vector<int64_t>& shape, const std::vector<Val>& indices) {
    Val at = Val::index(0);
    for (size_t axis = 0; axis < shape.size() && axis < indices.size(); ++axis) {
        const Val row = arithmetic(b, ast::BinaryOp::mul, at, Val::index(shape[axis]), DType::index, DType::index);
        const Val index = b.coerce(indices[axis], DType::index);
        at = arithmetic(b, ast::BinaryOp::add, row, index, DType::index, DType::index);
    }
    return at;
}

// The elements are the leaves of a tree: bit k of the index decides between neighbours of level k.
ValueId chosen_element(Body& b, std::vector<ValueId> elements, const Val& at) {
    for (int bit = 0; elements.size() > 1; ++bit) {
        const Val shifted = arithmetic(b, ast::BinaryOp::shr, at, Val::index(bit), DType::index, DType::index);
        const Val low = arithmetic(b, ast::BinaryOp::bit_and, shifted, Val::index(1), DType::index, DType::index);
        const ValueId odd = b.emit.inferred(OpKind::ne, {b.index(low), b.emit.constant(int64_t{0}, DType::index)});
        std::vector<ValueId> above;
        for (size_t i = 0; i + 1 < elements.size(); i += 2) {
            const bool same = elements[i] == elements[i + 1];
            above.push_back(same ? elements[i] : b.emit.inferred(OpKind::select, {odd, elements[i + 1], elements[i]}));
        }
        if (elements.size() % 2 == 1) above.push_back(elements.back());
        elements = std::move(above);
    }
    return elements[0];
}

namespace {

std::optional<size_t> element_number(const Val& at, size_t count) {
    const auto number = at.is_fixed() ? at.fixed.integer() : std::nullopt;
    if (!number || *number < 0 || *number >= static_cast<int64_t>(count)) return std::nullopt;
    return static_cast<size_t>(*number);
}

ValueId is_at(Body& b, const Val& at, size_t number) {
    return b.emit.inferred(OpKind::eq, {b.index(at), b.emit.constant(static_cast<int64_t>(number), DType::index)});
}

// An array in registers has no address that a sanitizer could look at.
void check_indices(Body& b, const std::vector<int64_t>& shape, const std::vector<Val>& indices) {
    if (!b.program.checks_local_indices) return;
    for (size_t axis = 0; axis < shape.size() && axis < indices.size(); ++axis) {
        if (indices[axis].is_fixed()) continue;
        const ValueId index = b.index(b.coerce(indices[axis], DType::index));
        const ValueId extent = b.emit.constant(shape[axis], DType::index);
        const ValueId from = b.emit.inferred(OpKind::ge, {index, b.emit.constant(int64_t{0}, DType::index)});
        const ValueId to = b.emit.inferred(OpKind::lt, {index, extent});
        const ValueId inside = b.emit.inferred(OpKind::bit_and, {from, to});
        b.emit.op(
            OpKind::assert_, {inside, index, extent},
            {{ir::Attr::text, fmt::format("an index of an array of each tile is {{}} along axis {}, which has {{}} "
                                          "elements",
                                          axis)}});
    }
}

}  // namespace

Val new_local_array(Body& b, const sema::Type& type) {
    int64_t count = 1;
    for (const int64_t extent : type.tile_shape()) count *= extent;
    const Slot slot = b.fresh_slot();
    const ValueId undefined = b.emit.constant(int64_t{0}, type.elem());
    b.set(slot, Val::list(std::vector<Val>(static_cast<size_t>(count), Val::ssa(undefined, type.elem()))));
    b.local_arrays.insert(slot);
    return Val::local(slot.variable);
}

Val read_local(Body& b, const Val& array, const sema::Type& type, const std::vector<Val>& indices) {
    const Val elements = elements_of(b, array);
    if (!elements.has_elements()) return b.undefined(sema::Type::scalar(type.elem()));
    check_indices(b, type.tile_shape(), indices);
    const Val at = row_major(b, type.tile_shape(), indices);
    if (const auto number = element_number(at, elements.element_count())) return elements.element(*number);
    std::vector<ValueId> all;
    for (const Val& element : elements.parts) all.push_back(element.id);
    return Val::ssa(chosen_element(b, std::move(all), at), type.elem());
}

void write_local(Body& b, const Val& array, const sema::Type& type, const std::vector<Val>& indices, const Val& value) {
    Val elements = elements_of(b, array);
    if (!elements.has_elements()) return;
    check_indices(b, type.tile_shape(), indices);
    const ValueId stored = b.scalar(b.coerce(b.rounded(value), type.elem()), type.elem());
    const Val at = row_major(b, type.tile_shape(), indices);
    const auto number = element_number(at, elements.parts.size());
    for (size_t i = 0; i < elements.parts.size(); ++i) {
        if (number && *number != i) continue;
        const ValueId next =
            number ? stored : b.emit.inferred(OpKind::select, {is_at(b, at, i), stored, elements.parts[i].id});
        elements.parts[i] = Val::ssa(next, type.elem());
    }
    b.set(slot_of(array), std::move(elements));
}

void forget_locals(Body& b, const Env& before) {
    for (const Slot slot : b.local_arrays) {
        if (!before.contains(slot)) b.env.erase(slot);
    }
}

}  // namespace tsr::elaborate
