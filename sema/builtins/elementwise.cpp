#include "sema/builtins/elementwise.h"

#include <array>
#include <utility>

namespace tsr::sema {

namespace {

// An operation of the first two lists that has no function in the language does not compile.
#define TSR_ROW(name) std::pair{Builtin::name, ir::OpKind::name},
constexpr std::array kElementwise{TSR_LIBRARY_OPS(TSR_ROW) TSR_FORMULA_OPS(TSR_ROW) TSR_ROW(abs) TSR_ROW(sqrt) TSR_ROW(
    floor) TSR_ROW(ceil) TSR_ROW(round) TSR_ROW(trunc) TSR_ROW(fma) TSR_ROW(minimum) TSR_ROW(maximum)};
#undef TSR_ROW

}  // namespace

std::optional<ir::OpKind> elementwise_operation(Builtin function) {
    for (const auto& [builtin, op] : kElementwise) {
        if (builtin == function) return op;
    }
    return std::nullopt;
}

}  // namespace tsr::sema
