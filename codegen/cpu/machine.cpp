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
    // LLVM holds gathers of AVX2 for slow and would branch once per lane instead.
    if (number == 3) machine.features = "+fast-gather";
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
    machine.fma = has.lookup("fma");
    machine.converts_f16 = has.lookup("f16c");
    machine.computes_f16 = machine.avx512 && has.lookup("avx512fp16");
    return machine;
}

}  // namespace

Result<Processor> processor_named(const std::string& name) {
    if (name == "x86-64") return level(name, 1);
    if (name == "x86-64-v2") return level(name, 2);
    if (name == "x86-64-v3") return level(name, 3);
    if (name == "x86-64-v4") return level(name, 4);
    if (name == "x86-64-v4-amx") {
        Processor machine = level(name, 4);
        machine.cpu = "x86-64-v4";
        machine.features = "+amx-tile,+amx-bf16,+amx-int8";
        return machine;
    }
    if (name == "native") return native();
    return Failure{"unknown processor `" + name +
                   "`: known are x86-64, x86-64-v2, x86-64-v3, x86-64-v4, x86-64-v4-amx and native"};
}

std::vector<std::string> host_levels() {
    const llvm::StringMap<bool> has = llvm::sys::getHostCPUFeatures();
    std::vector<std::string> levels{"x86-64"};
    if (!has.lookup("sse4.2") || !has.lookup("popcnt")) return levels;
    levels.emplace_back("x86-64-v2");
    if (!has.lookup("avx2") || !has.lookup("fma") || !has.lookup("f16c") || !has.lookup("bmi2")) return levels;
    levels.emplace_back("x86-64-v3");
    if (!has_avx512(has)) return levels;
    levels.emplace_back("x86-64-v4");
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
