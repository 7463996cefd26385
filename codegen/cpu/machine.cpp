#include "codegen/cpu/machine.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/Function.h>
#include <llvm/TargetParser/Host.h>

#include "ir/machine/cpu.h"

namespace tsr::codegen {

namespace {

// A level of x86-64 to LLVM, lowest first. What its vectors are stands in ir/machine/cpu.
struct Level {
    std::string_view name;
    std::string_view below;                // a level that it has all of
    std::string_view cpu;                  // LLVM's name, of the nearest level that has one
    std::vector<std::string_view> beside;  // LLVM's names of the features that it has beside those
};

const std::array<Level, 8> kLevels{{
    {"x86-64", "", "x86-64", {}},
    {"x86-64-v2", "x86-64", "x86-64-v2", {"sse4.2", "popcnt"}},
    {"x86-64-v3", "x86-64-v2", "x86-64-v3", {"avx2", "fma", "f16c", "bmi2"}},
    {"x86-64-v3-vnni", "x86-64-v3", "x86-64-v3", {"avxvnni"}},
    {"x86-64-v4", "x86-64-v3", "x86-64-v4", {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}},
    {"x86-64-v4-vnni", "x86-64-v4", "x86-64-v4", {"avx512vnni"}},
    {"x86-64-v4-bf16", "x86-64-v4-vnni", "x86-64-v4", {"avx512bf16"}},
    {"x86-64-v4-amx", "x86-64-v4-bf16", "x86-64-v4", {"amx-tile", "amx-bf16", "amx-int8"}},
}};

const Level* level_named(std::string_view name) {
    const auto* found = std::ranges::find(kLevels, name, &Level::name);
    return found == kLevels.end() ? nullptr : found;
}

// Of a level without a row of its own, those of the level below.
const ir::CpuMachine& vectors_of(const Level& level) {
    const ir::CpuMachine* row = ir::cpu_machine(std::string(level.name));
    return row != nullptr ? *row : vectors_of(*level_named(level.below));
}

Processor processor_of(const Level& level) {
    const ir::CpuMachine& vectors = vectors_of(level);
    Processor machine;
    machine.name = level.name;
    machine.cpu = level.cpu;
    machine.avx512 = vectors.mask_registers;
    machine.avx2 = machine.fma = machine.converts_f16 = machine.gathers = vectors.lanes >= 8;
    if (vectors.sums_bytes) machine.sums_bytes = static_cast<unsigned>(vectors.lanes);
    if (vectors.sums_bf16) machine.sums_bf16 = static_cast<unsigned>(vectors.lanes);
    std::vector<std::string_view> features;
    for (const Level* at = &level; at->name != at->cpu; at = level_named(at->below))
        features.insert(features.begin(), at->beside.begin(), at->beside.end());
    // LLVM holds gathers of AVX2 for slow and would branch once per lane instead.
    if (machine.avx2 && !machine.avx512) features.insert(features.begin(), "fast-gather");
    for (std::string_view feature : features)
        machine.features += fmt::format("{}+{}", machine.features.empty() ? "" : ",", feature);
    return machine;
}

// The name is taken from the features where they say more: virtual machines report a model that lacks what they have.
std::string host_cpu(const llvm::StringMap<bool>& has) {
    if (has.lookup("amx-tile") && has.lookup("amx-bf16") && has.lookup("avx512fp16")) {
        return has.lookup("amx-fp16") ? "graniterapids" : "sapphirerapids";
    }
    return llvm::sys::getHostCPUName().str();
}

bool has_all(const llvm::StringMap<bool>& has, const Level& level) {
    return std::ranges::all_of(level.beside, [&](std::string_view feature) { return has.lookup(feature); });
}

Processor native() {
    const llvm::StringMap<bool> has = llvm::sys::getHostCPUFeatures();
    Processor machine;
    machine.name = "native";
    machine.cpu = host_cpu(has);
    for (const auto& feature : has) {
        if (!machine.features.empty()) machine.features += ',';
        machine.features += (feature.second ? '+' : '-') + feature.first().str();
    }
    machine.avx2 = has.lookup("avx2");
    machine.avx512 = has_all(has, *level_named("x86-64-v4"));
    machine.gathers = machine.avx512 || (machine.avx2 && !machine.cpu.starts_with("znver"));
    machine.fma = has.lookup("fma");
    machine.converts_f16 = has.lookup("f16c");
    machine.computes_f16 = machine.avx512 && has.lookup("avx512fp16");
    if (has.lookup(machine.avx512 ? "avx512vnni" : "avxvnni")) machine.sums_bytes = machine.vector_bits() / 32;
    if (machine.avx512 && has.lookup("avx512bf16")) machine.sums_bf16 = machine.vector_bits() / 32;
    return machine;
}

}  // namespace

Result<Processor> processor_named(const std::string& name) {
    if (name == "native") return native();
    if (const Level* level = level_named(name)) return processor_of(*level);
    std::vector<std::string_view> names;
    for (const Level& level : kLevels) names.push_back(level.name);
    return Failure{fmt::format("unknown processor `{}`: known are {} and native", name, fmt::join(names, ", "))};
}

std::vector<std::string> host_levels() {
    const llvm::StringMap<bool> has = llvm::sys::getHostCPUFeatures();
    std::vector<std::string> levels;
    for (const Level& level : kLevels) {
        const bool below = level.below.empty() || std::ranges::find(levels, level.below) != levels.end();
        if (below && has_all(has, level)) levels.emplace_back(level.name);
    }
    return levels;
}

void set_processor(llvm::Function& function, const Processor& processor) {
    function.addFnAttr("target-cpu", processor.cpu);
    if (!processor.features.empty()) function.addFnAttr("target-features", processor.features);
    // Without it LLVM keeps to half the registers' width on some processors.
    function.addFnAttr("prefer-vector-width", std::to_string(processor.vector_bits()));
    function.addFnAttr(llvm::Attribute::NoUnwind);
}

}  // namespace tsr::codegen
