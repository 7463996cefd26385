// Elements, vectors and views of memory; what may stand on the left of `=`.
#pragma once

#include <vector>

#include "frontend/ast.h"
#include "sema/elaborate/body.h"
#include "sema/elaborate/graph_slices.h"
#include "sema/elaborate/rounding.h"

namespace tsr::elaborate {

Val subscript(Body& b, const ast::Expr& e, const ast::Subscript& node);

Val read_element(Body& b, const Val& memory, const std::vector<Val>& indices);
// The value is rounded to the memory's element type, as `stored_element` says.
void write_element(Body& b, const Val& memory, const std::vector<Val>& indices, const Val& value,
                   const ast::Expr& written);
// Element type of a tensor or buffer.
DType memory_type(Body& b, const Val& memory);
// One number per axis: of `index=i` or `index=(i, j)`; of a view its starts, moved by the index if there is one.
std::vector<Val> element_index(Body& b, const Val& memory, const ast::Expr* index);

// What is assigned to. Its parts are evaluated once, also where it is read first (`x[i] += v`).
struct Target {
    enum class Kind : uint8_t { nothing, variable, element, local, item, list_item, list_slice, region, view, block };
    Kind kind = Kind::nothing;
    sema::VariableId variable;  // variable; item: the list; block: the tensor of a graph, which gets a new value
    std::vector<size_t> path;   // item: positions, outermost first
    Val memory;  // element: tensor or buffer; local: the array; list_item: list, record; region, view: of the host, of
                 // a kernel
    std::vector<Val>
        indices;        // element, local; list_item: one; list_slice: those of start, stop and step that are given
    int64_t given = 0;  // list_slice: which, as ir::IndexCode says
    const sema::Type* type = nullptr;
    const ast::Expr* written = nullptr;  // that names it
    TensorBlock block;
    sema::Type container;  // list_item, list_slice: a list, dictionary or record; local: the array's type
};
Target evaluate_target(Body& b, const ast::Expr& e);
Val read_target(Body& b, const Target& target);
void write_target(Body& b, const Target& target, const Val& value);

}  // namespace tsr::elaborate
