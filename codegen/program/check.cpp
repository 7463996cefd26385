#include "codegen/program/check.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "codegen/cpu/machine.h"
#include "codegen/cpu/task.h"
#include "codegen/nvptx/task.h"
#include "ir/core/total.h"
#include "ir/machine/atomics.h"
#include "ir/machine/fragments.h"
#include "ir/machine/gpu.h"
#include "ir/ops/effects.h"
#include "ir/ops/element.h"
#include "ir/ops/gpu_functions.h"
#include "ir/ops/host.h"
#include "ir/ops/record.h"
#include "ir/ops/target.h"
#include "ir/passes/host/entries.h"

namespace tsr::codegen {

namespace {

using ir::Attr;
using ir::OpKind;

// A function, and where its places are found.
struct Subject {
    const ir::Function& function;
    const Sources& sources;

    [[nodiscard]] Failure refuse(const ir::Op& op, const std::string& reason) const {
        const Span span = op.place.valid() ? function.place_of(op.place).span : Span{};
        std::string place;
        if (span.valid()) {
            const LineColumn at = sources.position(span.file, span.begin);
            place = fmt::format("{}:{}:{}: ", sources.path(span.file), at.line, at.column);
        }
        return Failure{fmt::format("{}in `{}`: `{}` {}", place, function.name, ir::name(op.kind), reason)};
    }
    [[nodiscard]] const ir::Type& type(ir::ValueId id) const { return function.type(id); }
};

std::optional<Failure> check_types(const Subject& in, const ir::Op& op) {
    const auto& values = {op.operands, op.results};
    for (const std::vector<ir::ValueId>& ids : values) {
        for (const ir::ValueId id : ids) {
            const ir::Type& type = in.type(id);
            const bool has_elements = type.is_scalar() || type.is_vector() || type.kind == ir::TypeKind::pointer;
            if (has_elements && type.elem == DType::c64) return in.refuse(op, "has no code for c64");
            // On the stack and in scratch memory each has a byte.
            const bool shared = type.kind == ir::TypeKind::pointer && type.space == ir::Space::global;
            if (shared && is_packed(type.elem)) {
                return in.refuse(op,
                                 fmt::format("addresses single elements of {}, which share bytes", name(type.elem)));
            }
        }
    }
    return std::nullopt;
}

std::optional<Failure> check_level(const Subject& in, const ir::Op& op, ir::Level level) {
    if (ir::record(op.kind).levels.has(level)) return std::nullopt;
    return in.refuse(op, level == ir::Level::host ? "is not of level Host" : "is not of level Target");
}

// What an operation of level Host names is there.
using HostCheck = std::optional<Failure> (*)(const Subject&, const ir::Op&, const Program&);

std::optional<Failure> names_nothing(const Subject&, const ir::Op&, const Program&) { return std::nullopt; }

std::optional<Failure> check_entry(const Subject& in, const ir::Op& op, const Program&) {
    const std::string& callee = op.attrs.string(Attr::callee);
    if (ir::find_host_entry(callee) != nullptr) return std::nullopt;
    return in.refuse(op, fmt::format("names `{}`, which the runtime does not have", callee));
}

std::optional<Failure> check_call(const Subject& in, const ir::Op& op, const Program& program) {
    const std::string& callee = op.attrs.string(Attr::callee);
    const ir::Function* found = program.host->find(callee);
    if (found != nullptr && found->level == ir::Level::host) return std::nullopt;
    return in.refuse(op, fmt::format("names `{}`, which is no Host function", callee));
}

std::optional<Failure> check_launch(const Subject& in, const ir::Op& op, const Program& program) {
    if (!op.attrs.has(Attr::lowered)) return in.refuse(op, "has no total of groups yet");
    if (const auto points = ir::LaunchOp::points_of(op); points.size() > 1) {
        const auto known = [&](const Tuning& tuning) { return tuning.names == points; };
        if (std::ranges::any_of(program.tunings, known)) return std::nullopt;
        return in.refuse(op, "names points of no tuned kernel");
    }
    for (const KernelFamily& family : program.families) {
        if (family.name == op.attrs.string(Attr::callee)) return std::nullopt;
    }
    return in.refuse(op, fmt::format("names `{}`, which is no kernel", op.attrs.string(Attr::callee)));
}

constexpr ir::Row<HostCheck> kHostChecks[]{
    {OpKind::constant, names_nothing}, {OpKind::yield, names_nothing}, {OpKind::for_, names_nothing},
    {OpKind::while_, names_nothing},   {OpKind::if_, names_nothing},   {OpKind::call, check_call},
    {OpKind::dim, names_nothing},      {OpKind::print, names_nothing}, {OpKind::assert_, names_nothing},
    {OpKind::launch, check_launch},    {OpKind::host, check_entry},    {OpKind::shape_of, names_nothing},
    {OpKind::string, names_nothing},
};
constexpr ir::Total<kHostChecks, ir::kControlFamily, ir::kHostFamily> kHostCheckOf;

std::optional<Failure> check_host_op(const Subject& in, const ir::Op& op, const Program& program) {
    return kHostCheckOf.has(op.kind) ? kHostCheckOf[op.kind].answer(in, op, program) : std::nullopt;
}

// What is said to the runtime is said in scalars, behind the number that orders it.
std::optional<Failure> check_target_op(const Subject& in, const ir::Op& op) {
    const bool is_message = op.kind == OpKind::print || op.kind == OpKind::assert_;
    if (!is_message && op.kind != OpKind::runtime) return std::nullopt;
    for (const ir::ValueId operand : op.operands) {
        const ir::Type& type = in.type(operand);
        if (!type.is_scalar() && type.kind != ir::TypeKind::pointer) {
            return in.refuse(op, fmt::format("is given {}, which is no scalar", type.text()));
        }
    }
    if (!is_message) return std::nullopt;
    const size_t order = op.kind == OpKind::print ? 0 : 1;
    if (op.operands.size() > order && is_integer(in.type(op.operands[order]).elem)) return std::nullopt;
    return in.refuse(op, "has no number that orders it");
}

bool is_packed_atomic(const Subject& in, const ir::Op& op) {
    return op.kind == OpKind::atomic_rmw && in.type(ir::AtomicRmwOp(in.function, op).value()).is_vector();
}

std::optional<Failure> check_cpu_op(const Subject& in, const ir::Op& op) {
    if (!CpuTask::has_code(op.kind) || is_packed_atomic(in, op)) return in.refuse(op, "has no code on a CPU");
    if (op.kind != OpKind::dot_words) return std::nullopt;
    const auto cpu = processor_named(in.function.plan ? in.function.plan->machine : "");
    const bool bf16 = op.attrs.dtype(Attr::packed) == DType::bf16;
    if (!cpu || (bf16 ? cpu.value().sums_bf16 : cpu.value().sums_bytes) == 0)
        return in.refuse(op, "has no code on this CPU");
    if (in.type(ir::ProductOp(in.function, op).a()).width % 4 != 0)
        return in.refuse(op, "has no code for vectors of this width");
    return std::nullopt;
}

// A product of warps that the machine of the function's plan has.
bool has_product(const ir::Function& function, const ir::Op& op) {
    const ir::GpuMachine* gpu = function.plan ? ir::gpu_machine(function.plan->machine) : nullptr;
    if (gpu == nullptr) return false;
    const DType input = function.type(ir::ProductOp(function, op).a()).elem, sum = op.attrs.dtype(Attr::type);
    const auto known =
        input == DType::f32 ? ir::tf32_product(gpu->capability) : ir::warp_product(input, sum, gpu->capability);
    return known && known->accumulator == sum &&
           op.attrs.integers(Attr::extents) == std::vector<int64_t>{known->rows, known->columns, known->inner};
}

bool has_group_products(const ir::Function& function) {
    const ir::GpuMachine* gpu = function.plan ? ir::gpu_machine(function.plan->machine) : nullptr;
    return gpu != nullptr && gpu->group_products;
}

// Of so many elements, at a multiple of their size.
bool has_packed_atomic(const ir::Function& function, const ir::Op& op) {
    const ir::GpuMachine* gpu = function.plan ? ir::gpu_machine(function.plan->machine) : nullptr;
    const ir::AtomicRmwOp atomic(function, op);
    const ir::Type& given = function.type(atomic.value());
    const int64_t bytes = given.width * bits(given.elem) / 8;
    return gpu != nullptr && std::has_single_bit(given.width) && op.attrs.integer(Attr::alignment, 0) >= bytes &&
           given.width <=
               ir::packed_elements(given.elem, atomic.what(), function.type(atomic.pointer()).space, gpu->capability);
}

// Neither masks nor a C library; of the runtime a kernel gives back its result alone.
std::optional<Failure> check_gpu_op(const Subject& in, const ir::Op& op) {
    if (!GpuTask::has_code(op.kind)) return in.refuse(op, "has no code on a GPU");
    if (op.attrs.integer(Attr::masked, 0) != 0) return in.refuse(op, "has no code under a mask on a GPU");
    if (op.kind == OpKind::runtime && op.attrs.string(Attr::callee) != "task_result") {
        return in.refuse(op, fmt::format("of `{}` has no code on a GPU", op.attrs.string(Attr::callee)));
    }
    if (op.kind == OpKind::warp_mma && !has_product(in.function, op)) return in.refuse(op, "has no code on this GPU");
    if (is_packed_atomic(in, op) && !has_packed_atomic(in.function, op)) {
        return in.refuse(op, "of so many elements has no code on this GPU");
    }
    if (op.kind == OpKind::group_mma && !has_group_products(in.function)) {
        return in.refuse(op, "has no code on this GPU");
    }
    if (!ir::is_library_function(op.kind)) return std::nullopt;
    const DType type = ir::ElementwiseOp(in.function, op).computes_in().elem;
    if (is_float(type) && !ir::is_gpu_function(op.kind, type))
        return in.refuse(op, fmt::format("of {} has no code on a GPU", name(type)));
    return std::nullopt;
}

// The first fault of an operation that the function's body reaches.
template <typename Check>
std::optional<Failure> first_fault(const ir::Function& function, Check check) {
    std::optional<Failure> fault;
    ir::for_each_op(function, function.body, [&](ir::OpId id) {
        if (!fault) fault = check(function.op(id));
    });
    return fault;
}

}  // namespace

std::optional<Failure> check_target(const ir::Function& function, Runs runs, const Sources& sources) {
    const Subject in{function, sources};
    return first_fault(function, [&](const ir::Op& op) -> std::optional<Failure> {
        if (auto fault = check_level(in, op, ir::Level::target)) return fault;
        if (auto fault = check_types(in, op)) return fault;
        if (auto fault = check_target_op(in, op)) return fault;
        return runs == Runs::on_gpu ? check_gpu_op(in, op) : check_cpu_op(in, op);
    });
}

std::optional<Failure> check_host(const ir::Function& function, const Program& program, const Sources& sources) {
    const Subject in{function, sources};
    return first_fault(function, [&](const ir::Op& op) -> std::optional<Failure> {
        if (auto fault = check_level(in, op, ir::Level::host)) return fault;
        if (auto fault = check_types(in, op)) return fault;
        return check_host_op(in, op, program);
    });
}

}  // namespace tsr::codegen
