// Single elements and short vectors of memory, on levels Host and Tile.
#include <fmt/format.h>

#include "ir/ops/family.h"

namespace tsr::ir {

namespace {

// operands[0] is memory, the indices from `first` on are one per axis.
std::optional<Failure> check_element(Operands operands, size_t first) {
    const Type& memory = operands[0];
    if (!memory.is_memory()) return Failure{fmt::format("the memory is {}, needs a tensor or buffer", memory.text())};
    if (operands.size() - first != memory.rank()) {
        return Failure{
            fmt::format("{} indices for {} of rank {}", operands.size() - first, memory.text(), memory.rank())};
    }
    return want_integers(operands, first, "index");
}

Inferred infer_read(Operands operands, const Attrs&) {
    if (auto fault = check_element(operands, 1)) return *fault;
    return gives(Type::scalar(operands[0].elem));
}

Inferred infer_write(Operands operands, const Attrs&) {
    if (auto fault = check_element(operands, 2)) return *fault;
    if (operands[1] != Type::scalar(operands[0].elem)) {
        return Failure{fmt::format("{} is written to {}", operands[1].text(), operands[0].text())};
    }
    return gives_nothing();
}

Inferred infer_read_vector(Operands operands, const Attrs& attrs) {
    if (auto fault = check_element(operands, 1)) return *fault;
    if (operands[0].rank() == 0) return Failure{"a vector needs a last axis"};
    const int64_t width = attrs.integer(Attr::width);
    return gives(Type::vector(operands[0].elem, static_cast<uint32_t>(width)));
}

Inferred infer_write_vector(Operands operands, const Attrs&) {
    if (auto fault = check_element(operands, 2)) return *fault;
    if (operands[0].rank() == 0) return Failure{"a vector needs a last axis"};
    if (!operands[1].is_vector() || operands[1].elem != operands[0].elem) {
        return Failure{fmt::format("{} is written to {}", operands[1].text(), operands[0].text())};
    }
    return gives_nothing();
}

Inferred infer_vector_extract(Operands operands, const Attrs& attrs) {
    const int64_t at = attrs.integer(Attr::axis);
    if (!operands[0].is_vector() || at < 0 || at >= operands[0].width) {
        return Failure{fmt::format("{} has no element {}", operands[0].text(), at)};
    }
    return gives(Type::scalar(operands[0].elem));
}

Inferred infer_vector_build(Operands operands, const Attrs&) {
    if (operands.empty() || !operands[0].is_scalar()) return Failure{"a vector is built from scalars"};
    for (const Type& type : operands) {
        if (type != operands[0]) {
            return Failure{fmt::format("a vector of {} and {}", operands[0].text(), type.text())};
        }
    }
    return gives(Type::vector(operands[0].elem, static_cast<uint32_t>(operands.size())));
}

constexpr std::array kMemoryRecords{
    OpRecord{.kind = OpKind::read,
             .name = "read",
             .doc = "One element. On Host an index below 0 counts from the end and bounds are checked; in kernels an "
                    "index outside is undefined, and reported by the bounds check.",
             .operands = {Role{"memory", Many::one, Access::reads}, Role{"indices", Many::any}},
             .infer = infer_read,
             .levels = kHostAndTile,
             .example = {"(%x: f32[n], %i: index) %r = read %x[%i] : f32"}},
    OpRecord{.kind = OpKind::write,
             .name = "write",
             .doc = "Stores one element. Indices as of `read`.",
             .operands = {Role{"memory", Many::one, Access::writes}, Role{"value"}, Role{"indices", Many::any}},
             .infer = infer_write,
             .levels = kHostAndTile,
             .example = {"(%y: mut f32[n], %i: index, %a: f32) write %y[%i], %a"}},
    OpRecord{.kind = OpKind::read_vector,
             .name = "read_vector",
             .doc = "`width` consecutive elements of the last axis from the index on; all must be inside.",
             .operands = {Role{"memory", Many::one, Access::reads}, Role{"indices", Many::any}},
             .infer = infer_read_vector,
             .levels = kTile,
             .attrs = {needs(Attr::width)},
             .example = {"(%x: f32[n], %i: index) %r = read_vector %x[%i] {width = 4} : f32x4"}},
    OpRecord{.kind = OpKind::write_vector,
             .name = "write_vector",
             .doc = "Stores consecutive elements of the last axis from the index on; all must be inside.",
             .operands = {Role{"memory", Many::one, Access::writes}, Role{"value"}, Role{"indices", Many::any}},
             .infer = infer_write_vector,
             .levels = kTile,
             .example = {"(%x: f32[n], %y: mut f32[n], %i: index) %v = read_vector %x[%i] {width = 4} : f32x4\n"
                         "write_vector %y[%i], %v"}},
    OpRecord{.kind = OpKind::vector_extract,
             .name = "vector_extract",
             .doc = "The element of a tile's vector at a static position.",
             .operands = {Role{"vector"}},
             .infer = infer_vector_extract,
             .levels = kTile,
             .attrs = {needs(Attr::axis)},
             .example = {"(%a: f32, %b: f32) %v = vector_build %a, %b : f32x2\n"
                         "%r = vector_extract %v {axis = 1} : f32",
                         "1.5 2", "2"}},
    OpRecord{.kind = OpKind::vector_build,
             .name = "vector_build",
             .doc = "A tile's vector from its elements.",
             .operands = {Role{"elements", Many::any}},
             .infer = infer_vector_build,
             .levels = kTile,
             .example = {"(%a: f32, %b: f32) %v = vector_build %a, %b : f32x2\n"
                         "%r = vector_extract %v {axis = 0} : f32",
                         "1.5 2", "1.5"}},
};
static_assert(complete<kMemoryRecords, kMemoryFamily>(),
              "every memory operation has its record, in the order of ir/core/opkind.h");

}  // namespace

std::span<const OpRecord> memory_records() { return kMemoryRecords; }

}  // namespace tsr::ir
