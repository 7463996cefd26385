#include "sema/elaborate/tiles.h"

#include "sema/elaborate/rounding.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::OpKind;
using ir::ValueId;

namespace {

// A view as the operations on tiles take it.
struct View {
    ValueId memory;
    std::vector<ValueId> starts;  // one per axis of the memory
    std::vector<int64_t> axes;    // those that the tile runs along
    std::vector<ir::Dim> shape;
};

View view_of(Body& b, const Val& memory, const sema::Type& type) {
    View view;
    b.names_group = true;  // what is loaded and stored as a whole is the group's
    view.memory = b.memory(memory);
    view.shape = type.shape();
    const size_t rank = b.type_of(view.memory).rank();
    const bool whole = !memory.is(Val::Kind::view);
    for (size_t axis = 0; axis < rank; ++axis) {
        view.starts.push_back(b.index(whole ? Val::index(0) : memory.parts[axis + 1]));
        if (whole || type.axes()[axis].extent) view.axes.push_back(static_cast<int64_t>(axis));
    }
    return view;
}

void put_tile(Body& b, const Val& memory, const sema::Type& type, const Val& value, const ast::Expr* written,
              OpKind kind, ir::Attrs attrs) {
    const View view = view_of(b, memory, type);
    const ValueId tile =
        stored_tile(b, written, view.memory, view.starts, view.axes, value, ir::Type::tile(type.elem(), view.shape));
    std::vector<ValueId> operands{view.memory, tile};
    operands.insert(operands.end(), view.starts.begin(), view.starts.end());
    attrs.set(Attr::axes, view.axes);
    b.emit.op(kind, std::move(operands), std::move(attrs));
}

}  // namespace

Val load_tile(Body& b, const Val& memory, const sema::Type& type, const Val& fill) {
    const View view = view_of(b, memory, type);
    std::vector<ValueId> operands{view.memory};
    operands.insert(operands.end(), view.starts.begin(), view.starts.end());
    if (!fill.is(Val::Kind::undefined)) operands.push_back(b.scalar(b.rounded(fill), type.elem()));
    const ValueId id =
        b.emit.inferred(OpKind::load_tile, std::move(operands), {{Attr::axes, view.axes}, {Attr::shape, view.shape}});
    return Val::ssa(id, type.elem());
}

void store_tile(Body& b, const Val& memory, const sema::Type& type, const Val& value, const ast::Expr* written) {
    put_tile(b, memory, type, value, written, OpKind::store_tile, {});
}

void atomic_tile(Body& b, const Val& memory, const sema::Type& type, const Val& value, ir::AtomicOp op) {
    put_tile(b, memory, type, value, nullptr, OpKind::atomic_tile, {{Attr::op, static_cast<int64_t>(op)}});
}

Val tile_axes(Body& b, const Val& tile, const std::vector<const ast::Expr*>& items, const sema::Type& type) {
    const std::vector<ir::Dim> shape = type.shape();
    const size_t rank = b.type_of(tile.id).rank();
    if (shape.size() == rank) return tile;
    size_t named = 0;
    for (const ast::Expr* item : items) named += std::holds_alternative<ast::Slice>(item->node);
    std::vector<int64_t> axes;
    int64_t at = 0;
    for (const ast::Expr* item : items) {
        if (std::holds_alternative<ast::NoneLiteral>(item->node)) {
            ++at;
            continue;
        }
        const bool rest = std::holds_alternative<ast::EllipsisLiteral>(item->node);
        for (size_t left = rest ? rank - named : 1; left > 0; --left) axes.push_back(at++);
    }
    while (axes.size() < rank) axes.push_back(at++);
    const ValueId id = b.emit.inferred(OpKind::expand, {tile.id}, {{Attr::axes, axes}, {Attr::shape, shape}});
    return Val::ssa(id, tile.type);
}

Val tile_transpose(Body& b, const Val& tile) {
    return Val::ssa(b.emit.inferred(OpKind::transpose, {tile.id}), tile.type);
}

}  // namespace tsr::elaborate
