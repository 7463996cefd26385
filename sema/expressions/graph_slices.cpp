#include "sema/expressions/graph_slices.h"

#include "sema/expressions/indexing.h"
#include "sema/program/movements.h"
#include "sema/values/dimensions.h"
#include "sema/values/requirements.h"

namespace tsr::sema {

namespace {

// `x[i:i+4]`: the bounds are numbers of the run, their difference is not.
std::optional<ir::Dim> moving_slice(Body& b, const ast::Expr& e, const ast::Slice& slice, const ir::Dim& extent,
                                    int64_t step) {
    const ir::Dim lower = slice.lower ? affine_sum(b, *slice.lower) : ir::Dim();
    const ir::Dim upper = slice.upper ? affine_sum(b, *slice.upper) : extent;
    ir::Dim taken = upper - lower;
    if (taken.text().find('$') != std::string::npos) {
        bool known = slice.lower && makes_dimensions(b, *slice.lower);
        known = (slice.upper && makes_dimensions(b, *slice.upper)) || known;
        if (known) return extent;
        b.error("E0324", e.span, "how many elements this takes is not known in a graph function")
            .note("write the same start on both sides: `x[i:i+4]`");
        return std::nullopt;
    }
    if (taken.constant_value().value_or(0) < 0 || step != 1) {
        b.error(
            "E0324", e.span,
            step != 1 ? "a slice that begins where only the run knows has step 1" : "the bounds are in reverse order");
        return std::nullopt;
    }
    return taken;
}

}  // namespace

std::optional<ir::Dim> graph_slice(Body& b, const ast::Expr& e, const ir::Dim& extent) {
    const auto& slice = std::get<ast::Slice>(e.node);
    const auto step = slice.step ? static_integer(b, *slice.step, "the step of a slice in a graph function")
                                 : std::optional<int64_t>(1);
    if (!step) return std::nullopt;
    const auto lower = bound_of_slice(b.instance, slice.lower), upper = bound_of_slice(b.instance, slice.upper);
    const bool moves = (slice.lower && !lower) || (slice.upper && !upper);
    if (moves) return moving_slice(b, e, slice, extent, *step);
    const SlicedAxis taken = sliced_axis(extent, lower, upper, *step);
    if (!taken.sure && *step != 1) {
        b.error("E0324", e.span, "whether a bound of this slice counts from the end is not known: it has step 1")
            .note("take a slice of the slice: `x[n - k:][::2]`");
        return std::nullopt;
    }
    return taken.extent;
}

}  // namespace tsr::sema
