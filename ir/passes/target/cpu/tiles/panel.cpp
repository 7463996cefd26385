#include "ir/passes/target/cpu/tiles/panel.h"

#include <algorithm>

#include "ir/core/internal.h"
#include "ir/machine/cpu.h"
#include "ir/passes/target/cpu/tiles/uses.h"
#include "ir/passes/target/cpu/tiles/widen_products.h"

namespace tsr::ir {

namespace {

// Independent multiply-adds of a panel at least: two units have 8 in flight, and with no more than these each delay of
// a load is one of the sum.
constexpr int64_t kProductLatency = 10;

int64_t elements_of_vector(DType elem, int64_t lanes) { return std::max<int64_t>(lanes * 32 / bits(elem), 1); }

}  // namespace

// Cycles by multiply-adds and loads, two of each at a time; rows are spread evenly over the panels.
ProductPanel best_panel(const Type& accumulator, int64_t lanes, int64_t registers) {
    const auto shape = extents(accumulator);
    const int64_t elements = elements_of_vector(accumulator.elem, lanes);
    ProductPanel best{accumulator.elem, shape[0], shape[1], 1, 1};
    double least = 0;
    for (int64_t vectors = 1; vectors <= 4; ++vectors) {
        const int64_t most = (registers - vectors - 1) / vectors;
        if (most < 1 || (vectors > 1 && (vectors - 1) * elements >= shape[1])) continue;
        const int64_t rows = ceil_div(shape[0], ceil_div(shape[0], most));
        const int64_t work = std::max({rows * vectors, rows + vectors, kProductLatency});
        const double cost = static_cast<double>(ceil_div(shape[0], rows) * work) *
                            static_cast<double>(ceil_div(shape[1], vectors * elements));
        if (least == 0 || cost < least) {
            least = cost;
            best.rows = rows;
            best.vectors = vectors;
        }
    }
    return best;
}

Panel panel_of(const Type& accumulator, const Plan& plan) {
    const auto shape = extents(accumulator);
    for (const ProductPanel& panel : plan.cpu().panels) {
        if (panel.elem == accumulator.elem && panel.tile_rows == shape[0] && panel.tile_columns == shape[1])
            return {panel.rows, panel.vectors, elements_of_vector(panel.elem, plan.cpu().lanes)};
    }
    internal_error("the plan says nothing of a product in " + accumulator.text());
}

bool by_matrix_unit(const MmaOp& product, const Plan& plan) {
    if (product.op().kind != OpKind::mma_words) return false;
    const CpuMachine* machine = cpu_machine(plan.machine);
    return machine != nullptr && machine->matrix_unit && suits_matrix_unit(product.fn, product.id);
}

int64_t panel_columns(const MmaOp& product, const Plan& plan) {
    if (by_matrix_unit(product, plan)) return 2 * kMatrixColumns;
    const int64_t columns = panel_of(product.type(product.result()), plan).columns();
    return columns % plan.cpu().lanes == 0 ? columns : 0;
}

}  // namespace tsr::ir
