#include "codegen/program/tables.h"

#include <algorithm>
#include <array>

#include <llvm/ADT/StringRef.h>

#include "codegen/program/cuda_tables.h"
#include "runtime/abi.h"

namespace tsr::codegen {

namespace {

struct Feature {
    std::string_view name;  // LLVM's
    uint64_t bit;
};
constexpr std::array kFeatures{
    Feature{"sse3", TSR_CPU_SSE3},
    Feature{"ssse3", TSR_CPU_SSSE3},
    Feature{"sse4.1", TSR_CPU_SSE41},
    Feature{"sse4.2", TSR_CPU_SSE42},
    Feature{"popcnt", TSR_CPU_POPCNT},
    Feature{"cx16", TSR_CPU_CX16},
    Feature{"sahf", TSR_CPU_LAHF},
    Feature{"avx", TSR_CPU_AVX},
    Feature{"avx2", TSR_CPU_AVX2},
    Feature{"bmi", TSR_CPU_BMI1},
    Feature{"bmi2", TSR_CPU_BMI2},
    Feature{"f16c", TSR_CPU_F16C},
    Feature{"fma", TSR_CPU_FMA},
    Feature{"lzcnt", TSR_CPU_LZCNT},
    Feature{"movbe", TSR_CPU_MOVBE},
    Feature{"avx512f", TSR_CPU_AVX512F},
    Feature{"avx512bw", TSR_CPU_AVX512BW},
    Feature{"avx512cd", TSR_CPU_AVX512CD},
    Feature{"avx512dq", TSR_CPU_AVX512DQ},
    Feature{"avx512vl", TSR_CPU_AVX512VL},
    Feature{"avx512vnni", TSR_CPU_AVX512VNNI},
    Feature{"avx512bf16", TSR_CPU_AVX512BF16},
    Feature{"avx512fp16", TSR_CPU_AVX512FP16},
    Feature{"avx512vbmi", TSR_CPU_AVX512VBMI},
    Feature{"avx512vbmi2", TSR_CPU_AVX512VBMI2},
    Feature{"avx512ifma", TSR_CPU_AVX512IFMA},
    Feature{"avx512bitalg", TSR_CPU_AVX512BITALG},
    Feature{"avx512vpopcntdq", TSR_CPU_AVX512VPOPCNTDQ},
    Feature{"avxvnni", TSR_CPU_AVXVNNI},
    Feature{"gfni", TSR_CPU_GFNI},
    Feature{"amx-tile", TSR_CPU_AMX_TILE},
    Feature{"amx-int8", TSR_CPU_AMX_INT8},
    Feature{"amx-bf16", TSR_CPU_AMX_BF16},
};

int guard_op(Guard::Op op) {
    switch (op) {
        case Guard::Op::less:
            return TSR_GUARD_LESS;
        case Guard::Op::at_least:
            return TSR_GUARD_AT_LEAST;
        case Guard::Op::equal:
            return TSR_GUARD_EQUAL;
        case Guard::Op::divisible:
            return TSR_GUARD_DIVISIBLE;
    }
    return TSR_GUARD_LESS;
}

llvm::Constant* guards_of(Data& data, const std::vector<Guard>& guards) {
    std::vector<llvm::Constant*> all;
    for (const Guard& guard : guards) {
        all.push_back(data.structure({data.i32(guard_op(guard.op)), data.i32(guard.slot), data.i64(guard.value)}));
    }
    return all.empty() ? data.null() : data.array(all[0]->getType(), all, "guards");
}

llvm::Constant* entry_of(Data& data, const std::string& name) {
    llvm::Module& module = data.module();
    if (llvm::Function* known = module.getFunction(name)) return known;
    llvm::LLVMContext& context = module.getContext();
    llvm::Type* i64 = llvm::Type::getInt64Ty(context);
    llvm::Type* pointer = llvm::PointerType::get(context, 0);
    auto* signature =
        llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, i64, i64, pointer, pointer}, false);
    auto* entry = llvm::Function::Create(signature, llvm::GlobalValue::ExternalLinkage, name, module);
    entry->setVisibility(llvm::GlobalValue::HiddenVisibility);
    return entry;
}

// int32_t accepts(const uint64_t* slots): products of some slots are below their limits. Each slot is below 2^31, so
// that a product of two does not wrap, and a factor of 0 makes the rest indifferent.
llvm::Constant* accepts_of(Data& data, const KernelVariant& variant) {
    if (variant.products.empty()) return data.null();
    llvm::Module& module = data.module();
    llvm::LLVMContext& context = module.getContext();
    auto* signature = llvm::FunctionType::get(llvm::Type::getInt32Ty(context), {data.null()->getType()}, false);
    auto* accepts = llvm::Function::Create(signature, llvm::GlobalValue::InternalLinkage, "accepts", module);
    accepts->addFnAttr(llvm::Attribute::NoUnwind);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", accepts));
    llvm::Value* fits = builder.getTrue();
    for (const KernelVariant::Product& asked : variant.products) {
        llvm::Value* limit = builder.getInt64(static_cast<uint64_t>(asked.limit));
        llvm::Value* product = builder.getInt64(1);
        for (const int32_t slot : asked.slots) {
            llvm::Value* at = builder.CreateConstInBoundsGEP1_64(builder.getInt64Ty(), accepts->getArg(0),
                                                                 static_cast<uint64_t>(slot));
            product = builder.CreateMul(product, builder.CreateLoad(builder.getInt64Ty(), at));
            fits = builder.CreateAnd(fits, builder.CreateICmpULT(product, limit));
        }
    }
    builder.CreateRet(builder.CreateZExt(fits, builder.getInt32Ty()));
    return accepts;
}

}  // namespace

EntryNames entry_names(const KernelFamily& family, size_t variant) {
    EntryNames names{"kernel." + family.name + "." + std::to_string(variant)};
    for (size_t i = 0; i < family.variants[variant].packed.size(); ++i)
        names.push_back(names[0] + ".pack" + std::to_string(i));
    return names;
}

namespace {

int slot_use(KernelFamily::Use use) {
    switch (use) {
        case KernelFamily::Use::value:
            return TSR_SLOT_VALUE;
        case KernelFamily::Use::read:
            return TSR_SLOT_READ;
        case KernelFamily::Use::written:
            return TSR_SLOT_WRITTEN;
    }
    return TSR_SLOT_VALUE;
}

// Null where they are not known.
llvm::Constant* uses_of(Data& data, const KernelFamily& family) {
    if (family.uses.empty()) return data.null();
    llvm::Type* byte = llvm::Type::getInt8Ty(data.module().getContext());
    std::vector<llvm::Constant*> all;
    for (const KernelFamily::Use use : family.uses)
        all.push_back(llvm::ConstantInt::get(byte, static_cast<uint64_t>(slot_use(use))));
    return data.array(byte, all, "uses");
}

llvm::Constant* packed_of(Data& data, const KernelVariant& variant, const EntryNames& entries) {
    std::vector<llvm::Constant*> all;
    const auto& packed = variant.packed;
    for (size_t i = 0; i < packed.size(); ++i) {
        std::vector<llvm::Constant*> axes;
        for (const PackedOperand::Axis& axis : packed[i].axes) {
            axes.push_back(
                data.structure({data.i32(axis.slot), data.i32(0), data.i64(axis.extent), data.i64(axis.step)}));
        }
        all.push_back(data.structure({entry_of(data, entries[i + 1]), data.array(axes[0]->getType(), axes, "blocks"),
                                      data.i64(static_cast<int64_t>(axes.size())), data.i64(packed[i].block_bytes),
                                      data.i64(packed[i].task), data.i64(packed[i].scratch)}));
    }
    return all.empty() ? data.null() : data.array(all[0]->getType(), all, "packed");
}

}  // namespace

uint64_t features_of(const Processor& machine) {
    if (machine.name == "x86-64") return TSR_LEVEL_V1;
#define TSR_LEVEL(suffix, features) \
    if (machine.name == "x86-64-" suffix) return features;
    TSR_CPU_LEVELS(TSR_LEVEL)
#undef TSR_LEVEL
    uint64_t needed = 0;
    llvm::SmallVector<llvm::StringRef> listed;
    llvm::StringRef(machine.features).split(listed, ',');
    for (const llvm::StringRef feature : listed) {
        for (const Feature& known : kFeatures) {
            if (feature.starts_with("+") && feature.substr(1) == llvm::StringRef(known.name)) needed |= known.bit;
        }
    }
    return needed;
}

namespace {

// TsrKernelVariant
llvm::Constant* cpu_variant(Data& data, const KernelVariant& variant, const EntryNames& entries) {
    const uint64_t features = features_of(processor_named(variant.machine).value());
    return data.structure({data.i32(TSR_MACHINE_X86_64), data.i32(static_cast<int64_t>(variant.guards.size())),
                           data.i64(static_cast<int64_t>(features)), guards_of(data, variant.guards),
                           accepts_of(data, variant), entry_of(data, entries[0]), data.i64(variant.task),
                           data.i64(variant.scratch), data.text(variant.plan), packed_of(data, variant, entries),
                           data.i64(static_cast<int64_t>(variant.packed.size())), data.null()});
}

llvm::Constant* gpu_variant(Data& data, const KernelFamily& family, size_t number) {
    const KernelVariant& variant = family.variants[number];
    auto* table =
        new llvm::GlobalVariable(data.module(), data.null()->getType(), true, llvm::GlobalValue::ExternalLinkage,
                                 nullptr, cuda_table_name(family, number));
    table->setVisibility(llvm::GlobalValue::HiddenVisibility);
    return data.structure({data.i32(TSR_MACHINE_CUDA), data.i32(static_cast<int64_t>(variant.guards.size())),
                           data.i64(0), guards_of(data, variant.guards), accepts_of(data, variant), data.null(),
                           data.i64(1), data.i64(0), data.text(variant.plan), data.null(), data.i64(0), table});
}

// Defines a table that other modules, or functions of this one, refer to by name.
void define_table(Data& data, llvm::Constant* table, const std::string& symbol, bool exported) {
    llvm::Module& module = data.module();
    llvm::GlobalVariable* declared = module.getNamedGlobal(symbol);
    auto* defined = new llvm::GlobalVariable(module, table->getType(), true, llvm::GlobalValue::ExternalLinkage, table);
    if (!exported) defined->setVisibility(llvm::GlobalValue::HiddenVisibility);
    if (declared != nullptr) {
        declared->replaceAllUsesWith(defined);
        declared->eraseFromParent();
    }
    defined->setName(symbol);
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): the module owns it

llvm::Constant* family_table(Data& data, const KernelFamily& family, const Entries& entries, bool with_gpus) {
    std::vector<llvm::Constant*> variants;
    for (size_t i = 0; i < family.variants.size(); ++i) {
        const KernelVariant& variant = family.variants[i];
        if (!variant.on_gpu()) {
            variants.push_back(cpu_variant(data, variant, entries.at(&variant)));
        } else if (with_gpus) {
            variants.push_back(gpu_variant(data, family, i));
        }
    }
    std::vector<llvm::Constant*> names;
    for (const std::string& slot : family.slots) names.push_back(data.text(slot));
    llvm::Constant* slots = data.array(data.null()->getType(), names, "slot_names");
    llvm::Constant* list = variants.empty() ? data.null() : data.array(variants[0]->getType(), variants, "variants");
    return data.structure({data.text(family.shown.empty() ? family.name : family.shown), data.place_value(family.place),
                           data.i32(static_cast<int64_t>(names.size())),
                           data.i32(static_cast<int64_t>(variants.size())), slots, list, uses_of(data, family)});
}

llvm::Constant* tuning_table(Data& data, const Tuning& tuning, HostNames& names) {
    std::vector<llvm::Constant*> points;
    for (const Tuning::Point& point : tuning.points)
        points.push_back(data.structure({names.family(point.family), data.text(point.text)}));
    llvm::Constant* list = data.array(points[0]->getType(), points, "points");
    llvm::Constant* known = tuning.known.empty() ? data.null() : data.text(tuning.known);
    return data.structure({data.text(tuning.kernel), data.text(tuning.content),
                           data.i32(static_cast<int64_t>(points.size())), data.i32(tuning.ndims),
                           data.i32(tuning.first_dim), data.i32(0), list, known});
}

}  // namespace

void define_kernel_tables(Data& data, const Program& program, const Entries& entries, HostNames& names,
                          bool with_gpus) {
    const ProgramNames& known = names.program();
    for (const KernelFamily& family : program.families)
        define_table(data, family_table(data, family, entries, with_gpus), known.families.at(family.name),
                     known.exported);
    for (const auto& [unused, points] : known.tunings)
        define_table(data, tuning_table(data, *points.tuning, names), points.table, false);
}

}  // namespace tsr::codegen
