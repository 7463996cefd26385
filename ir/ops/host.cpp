// Host programs: launches, the runtime's host API, strings.
#include "ir/ops/host.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/ops/family.h"

namespace tsr::ir {

namespace {

Inferred infer_shape_of(Operands operands, const Attrs& attrs) {
    const int64_t axis = attrs.integer(Attr::axis);
    if (operands[0].kind != TypeKind::tensor || axis < 0 || axis >= static_cast<int64_t>(operands[0].rank())) {
        return Failure{fmt::format("{} has no axis {}", operands[0].text(), axis)};
    }
    return gives(Type::scalar(DType::index));
}

Inferred infer_string(Operands, const Attrs& attrs) {
    if (!std::holds_alternative<std::string>(*attrs.find(Attr::value))) return Failure{"a string holds text"};
    if (attrs.has(Attr::names) != attrs.has(Attr::text)) return Failure{"the text of functions is that of a level"};
    return gives(Type::string());
}

constexpr std::array kHostRecords{
    OpRecord{.kind = OpKind::launch,
             .name = "launch",
             .doc = "Launches a kernel: its arguments in order, then `count` numbers of groups (tiles of a flat "
                    "kernel), none if the kernel says them itself. `lowered`: the "
                    "arguments, one index per symbol in `names`, groups along x, y, z, and their total. No groups: "
                    "nothing happens. A result is waited for. With `points`, names of kernels, the callee and "
                    "others that do the same, one of them is launched; `lowered` it has four numbers for each. "
                    "In a graph a launch is one of values: for each argument whose number is in `written` it gives a "
                    "tensor, what the kernel leaves in a copy of the argument, then the kernel's own result.",
             .operands = {Role{"arguments", Many::any, Access::reads_writes}},
             .levels = kGraphAndHost,
             .attrs = {needs(Attr::callee), may(Attr::count), may(Attr::lowered), may(Attr::names), may(Attr::points),
                       may(Attr::written)},
             .effects = {Effect::io},
             .results = ResultsFrom::given,
             .example = {"(%x: f32[n]) launch %x {callee = \"k\"}"}},
    OpRecord{
        .kind = OpKind::host,
        .name = "host",
        .doc =
            "A call of an entry of the runtime's host API. In a graph as elaborated only the keys of random numbers, "
            "`seed` and `random_stream`, and `loss_scale`, which become parameters, comparisons of strings, and `on_gpu`.",
        .operands = {Role{"arguments", Many::any, Access::reads_writes}},
        .levels = kGraphAndHost,
        .attrs = {needs(Attr::callee), may(Attr::type), may(Attr::text), may(Attr::extents), may(Attr::codes),
                  may(Attr::names), may(Attr::seeded), may(Attr::count)},
        .effects = {Effect::io},
        .results = ResultsFrom::given,
        .example = {"() %r = host {callee = \"seed\"} : u64"}},
    OpRecord{.kind = OpKind::shape_of,
             .name = "shape_of",
             .doc = "A tensor's extent along an axis.",
             .operands = {Role{"tensor"}},
             .infer = infer_shape_of,
             .levels = kGraphAndHost,
             .attrs = {needs(Attr::axis)},
             .example = {"(%x: f32[n]) %r = shape_of %x {axis = 0} : index"}},
    OpRecord{.kind = OpKind::string,
             .name = "string",
             .doc = "A text known at compile time. With `names` it is that of these functions on the level `text`, and "
                    "`value` is empty until the compiler has come so far.",
             .infer = infer_string,
             .levels = kGraphAndHost,
             .attrs = {needs(Attr::value), may(Attr::names), may(Attr::text)},
             .example = {"() %r = string {value = \"text\"} : string"}},
};
static_assert(complete<kHostRecords, kHostFamily>(),
              "every host operation has its record, in the order of ir/core/opkind.h");

}  // namespace

std::vector<std::string> LaunchOp::points_of(const Op& launch) {
    if (!launch.attrs.has(Attr::points)) return {launch.attrs.string(Attr::callee)};
    return launch.attrs.strings(Attr::points);
}

void LaunchOp::set_points(Op& launch, const std::vector<std::string>& points) {
    launch.attrs.set(Attr::callee, points.at(0));
    launch.attrs.erase(Attr::points);
    if (points.size() > 1) launch.attrs.set(Attr::points, points);
}

std::span<const OpRecord> host_records() { return kHostRecords; }

}  // namespace tsr::ir
