#include "codegen/cpu/machine.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/IR/Function.h>
#include <llvm/TargetParser/Host.h>

namespace tsr::codegen {

namespace {

Processor level(const std::string& name, int number) {
    Processor machine;
    machine.name = name;
    machine.cpu = name;
    machine.avx2 = machine.fma = machine.converts_f16 = number >= 3;
    machine.avx512 = number >= 4;
    machine.gathers = number >= 3;
    // LLVM holds gathers of AVX2 for slow and would branch once per lane instead.
    if (number == 3) machine.features = "+fast-gather";
    return machine;
}

Processor with_features(const std::string& name, const std::string& cpu, const std::string& features) {
    Processor machine = level(name, cpu == "x86-64-v4" ? 4 : 3);
    machine.cpu = cpu;
    machine.features += features;
    machine.sums_bytes = machine.vector_bits() / 32;
    return machine;
}

// The name is taken from the features where they say more: virtual machines report a model that lacks what they have.
std::string host_cpu(const llvm::StringMap<bool>& has) {
    if (has.lookup("amx-tile") && has.lookup("amx-bf16") && has.lookup("avx512fp16")) {
        return has.lookup("amx-fp16") ? "graniterapids" : "sapphirerapids";
    }
    return llvm::sys::getHostCPUName().str();
}

bool has_avx512(const llvm::StringMap<bool>& has) {
    return has.lookup("avx512f") && has.lookup("avx512bw") && has.lookup("avx512cd") && has.lookup("avx512dq") &&
           has.lookup("avx512vl");
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
    machine.avx512 = has_avx512(has);
    machine.gathers = machine.avx512 || (machine.avx2 && !machine.cpu.starts_with("znver"));
    machine.fma = has.lookup("fma");
    machine.converts_f16 = has.lookup("f16c");
    machine.computes_f16 = machine.avx512 && has.lookup("avx512fp16");
    if (has.lookup(machine.avx512 ? "avx512vnni" : "avxvnni")) machine.sums_bytes = machine.vector_bits() / 32;
    return machine;
}

}  // namespace

Result<Processor> processor_named(const std::string& name) {
    if (name == "x86-64") return level(name, 1);
    if (name == "x86-64-v2") return level(name, 2);
    if (name == "x86-64-v3") return level(name, 3);
    if (name == "x86-64-v4") return level(name, 4);
    if (name == "x86-64-v3-vnni") return with_features(name, "x86-64-v3", ",+avxvnni");
    if (name == "x86-64-v4-vnni") return with_features(name, "x86-64-v4", "+avx512vnni");
    if (name == "x86-64-v4-amx") return with_features(name, "x86-64-v4", "+avx512vnni,+amx-tile,+amx-bf16,+amx-int8");
    if (name == "native") return native();
    return Failure{"unknown processor `" + name +
                   "`: known are x86-64, x86-64-v2, x86-64-v3, x86-64-v3-vnni, x86-64-v4, x86-64-v4-vnni, "
                   "x86-64-v4-amx and native"};
}

std::vector<std::string> host_levels() {
    const llvm::StringMap<bool> has = llvm::sys::getHostCPUFeatures();
    std::vector<std::string> levels{"x86-64"};
    if (!has.lookup("sse4.2") || !has.lookup("popcnt")) return levels;
    levels.emplace_back("x86-64-v2");
    if (!has.lookup("avx2") || !has.lookup("fma") || !has.lookup("f16c") || !has.lookup("bmi2")) return levels;
    levels.emplace_back("x86-64-v3");
    if (has.lookup("avxvnni")) levels.emplace_back("x86-64-v3-vnni");
    if (!has_avx512(has)) return levels;
    levels.emplace_back("x86-64-v4");
    if (!has.lookup("avx512vnni")) return levels;
    levels.emplace_back("x86-64-v4-vnni");
    if (has.lookup("amx-tile") && has.lookup("amx-bf16") && has.lookup("amx-int8")) {
        levels.emplace_back("x86-64-v4-amx");
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
