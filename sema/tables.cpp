#include "sema/tables.h"

namespace tsr::sema {

int64_t KernelHeader::group_size() const {
    if (!group_shape) return 128;
    int64_t size = 1;
    for (int64_t extent : *group_shape) size *= extent;
    return size;
}

const ExprInfo& Instance::info(const ast::Expr& expr) const {
    static const ExprInfo unknown;
    auto found = exprs.find(expr.id);
    return found == exprs.end() ? unknown : found->second;
}

}  // namespace tsr::sema
