#include "codegen/program/family.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/passes/target/cpu/tiles/split_k.h"
#include "ir/passes/target/gpu/box_maps.h"
#include "ir/passes/target/gpu/narrow_indices.h"
#include "ir/passes/target/index_range.h"

namespace tsr::codegen {

KernelFamily family_of(const ir::Function& kernel) {
    KernelFamily family;
    family.name = kernel.name;
    if (kernel.kernel.point) family.shown = kernel.kernel.point->kernel;
    if (kernel.place.valid()) family.place = kernel.place_of(kernel.place).span;
    using Use = KernelFamily::Use;
    for (const ir::ValueId param : kernel.params()) {
        const ir::Type& type = kernel.type(param);
        family.slots.push_back(kernel.value(param).name);
        family.uses.push_back(type.kind != ir::TypeKind::tensor ? Use::value : type.mut ? Use::written : Use::read);
    }
    family.slots.insert(family.slots.end(), kernel.symbols.begin(), kernel.symbols.end());
    family.slots.insert(family.slots.end(), {"groups.x", "groups.y", "groups.z"});
    family.uses.resize(family.slots.size(), Use::value);
    return family;
}

namespace {

// All numbers of the launch are below the limit, and how many groups, or parts of them, there are.
void guard_numbers(KernelVariant& variant, const ir::Function& kernel, int64_t most_groups) {
    const int64_t limit = ir::IndexRanges::kLimit;
    const auto symbols = static_cast<int32_t>(kernel.params().size());
    const auto groups = symbols + static_cast<int32_t>(kernel.symbols.size());
    for (int32_t slot = symbols; slot < groups + 3; ++slot) variant.guards.push_back({Guard::Op::less, slot, limit});
    variant.products.push_back({{groups, groups + 1, groups + 2}, most_groups});
}

// Tensors have few enough elements for offsets of 32 bits.
void guard_elements(KernelVariant& variant, const ir::Function& kernel) {
    for (const ir::ValueId param : kernel.params()) {
        const ir::Type& type = kernel.type(param);
        if (type.kind != ir::TypeKind::tensor) continue;
        KernelVariant::Product elements{{}, ir::kMostNarrowElements};
        int64_t known = 1;
        for (const ir::Dim& dim : type.shape) {
            if (const auto number = dim.constant_value()) {
                known *= std::max<int64_t>(*number, 1);
                continue;
            }
            const auto symbol = std::ranges::find(kernel.symbols, *dim.symbol_name());
            elements.slots.push_back(static_cast<int32_t>(kernel.params().size()) +
                                     static_cast<int32_t>(symbol - kernel.symbols.begin()));
        }
        elements.limit = (elements.limit + known - 1) / known;
        if (!elements.slots.empty()) variant.products.push_back(std::move(elements));
    }
}

}  // namespace

void add_gpu_variant(KernelFamily& family, const ir::Function& kernel, const ir::Function& thread, bool named,
                     bool cubin) {
    const ir::Plan& plan = *thread.plan;
    const ir::GpuPlan& gpu = plan.gpu();
    KernelVariant variant;
    variant.function = &thread;
    variant.machine = plan.machine;
    variant.task = plan.task;
    variant.scratch = thread.scratch_bytes;
    variant.threads = gpu.block_threads();
    variant.cluster = gpu.cluster();
    variant.parts = ir::parts_of(gpu);
    variant.cubin = cubin;
    variant.required = named;
    variant.plan = fmt::format("{}: {} threads, {} bytes of shared memory{}{}{}", plan.machine, variant.threads,
                               variant.scratch, gpu.box_copies ? ", boxes" : "",
                               variant.cluster > 1 ? fmt::format(", clusters of {}", variant.cluster) : "",
                               plan.narrow_index ? ", 32-bit indices" : "");
    if (plan.narrow_index) {
        guard_numbers(variant, kernel, ir::most_narrow_groups(kernel, variant.parts));
        guard_elements(variant, kernel);
    }
    family.variants.push_back(std::move(variant));
}

namespace {

// There are few groups, and k has some parts.
void guard_groups(KernelVariant& variant, const ir::Function& kernel, const ir::CpuVariant& form) {
    const int64_t most = form.task.plan->cpu().most_groups;
    const auto symbols = static_cast<int32_t>(kernel.params().size());
    const auto groups = symbols + static_cast<int32_t>(kernel.symbols.size());
    for (const ir::PackedOperand& parts : form.packed) {
        const ir::BlockAxis& along_k = parts.axes.back();
        if (along_k.symbol < 0) continue;
        variant.guards.push_back({Guard::Op::at_least, symbols + along_k.symbol, along_k.step + 1});
        variant.guards.push_back({Guard::Op::less, symbols + along_k.symbol, along_k.step * ir::kMostParts + 1});
    }
    variant.products.push_back({{groups, groups + 1, groups + 2}, most + 1});
    for (const int32_t slot : variant.products.back().slots)
        variant.guards.push_back({Guard::Op::less, slot, most + 1});
}

}  // namespace

void add_variant(KernelFamily& family, const ir::Function& kernel, const ir::CpuVariant& form) {
    const ir::Plan& plan = *form.task.plan;
    const ir::CpuPlan& cpu = plan.cpu();
    KernelVariant variant;
    variant.function = &form.task;
    variant.machine = form.machine;
    variant.task = plan.task;
    variant.scratch = form.task.scratch_bytes;
    const auto& tuned = kernel.kernel.point;
    const std::string point = tuned ? tuned->text() + ": " : "";
    variant.plan = fmt::format("{}{}: lanes {} x {}, task {}{}", point, form.machine, cpu.lanes, cpu.interleave,
                               plan.task, plan.narrow_index ? ", 32-bit indices" : "");
    if (cpu.split > 0) variant.plan += fmt::format(", split {}", cpu.split);
    for (const ir::PackedOperand& operand : form.packed) {
        PackedOperand& made = variant.packed.emplace_back();
        made.function = &operand.kernel;
        made.block_bytes = operand.block_bytes;
        made.task = operand.kernel.plan->task;
        made.scratch = operand.kernel.scratch_bytes;
        const auto symbols = static_cast<int32_t>(kernel.params().size());
        for (const ir::BlockAxis& axis : operand.axes) {
            made.axes.push_back({axis.symbol < 0 ? -1 : symbols + axis.symbol, axis.extent, axis.step});
        }
    }
    if (cpu.most_groups > 0) guard_groups(variant, kernel, form);
    if (plan.narrow_index) guard_numbers(variant, kernel, ir::IndexRanges::kLimit);
    family.variants.push_back(std::move(variant));
}

}  // namespace tsr::codegen
