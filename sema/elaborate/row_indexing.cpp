#include "sema/elaborate/row_indexing.h"

#include "sema/elaborate/recursion.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::OpKind;

namespace {

std::string letters_from(char first, size_t count) {
    std::string letters;
    for (size_t i = 0; i < count; ++i) letters += static_cast<char>(first + i);
    return letters;
}

}  // namespace

std::string letters_of_rows(size_t x_rank, size_t ids_rank, size_t axis) {
    const std::string x = letters_from('a', x_rank), ids = letters_from('A', ids_rank);
    return x + "," + ids + "->" + x.substr(0, axis) + ids + x.substr(axis + 1);
}

std::string letters_of_elements(size_t x_rank, size_t axis) {
    const std::string x = letters_from('a', x_rank);
    std::string ids = x;
    ids[axis] = 'A';
    return x + "," + ids + "->" + ids;
}

Val rows_by_ids(Body& b, const ast::Expr& e, const ast::Subscript& node) {
    const Val x = expression(b, *node.base), ids = expression(b, *node.indices[0]);
    const At at(b.emit, e.span);
    const std::string letters = letters_of_rows(b.type_of(x.id).rank(), b.type_of(ids.id).rank(), 0);
    return Val::ssa(b.emit.inferred(OpKind::gather_axis, {b.rounded(x).id, ids.id}, {{Attr::letters, letters}}),
                    b.info(e).type.elem());
}

}  // namespace tsr::elaborate
