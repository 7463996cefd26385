#include "codegen/program/cuda_tables.h"

#include <llvm/IR/Constants.h>

#include "codegen/cpu/machine.h"
#include "codegen/cpu/pipeline.h"
#include "codegen/nvptx/gpu.h"
#include "ir/core/lines.h"
#include "runtime/abi/boxes.h"

namespace tsr::codegen {

namespace {

llvm::Constant* bytes_of(Data& data, const std::string& bytes, bool ends_in_zero, const std::string& name) {
    return data.global(llvm::ConstantDataArray::getString(data.module().getContext(), bytes, ends_in_zero), name);
}

std::vector<llvm::Constant*> image_list(Data& data, const GpuImage& image) {
    const auto one = [&](bool cubin, const std::string& bytes) {
        return data.structure({data.i32(cubin ? 1 : 0), data.i32(0),
                               bytes_of(data, bytes, !cubin, cubin ? "cubin" : "ptx"),
                               data.i64(static_cast<int64_t>(bytes.size()))});
    };
    std::vector<llvm::Constant*> all;
    if (!image.cubin.empty()) all.push_back(one(true, image.cubin));
    if (!image.code.text.empty()) all.push_back(one(false, image.code.text));
    return all;
}

llvm::Constant* message_list(Data& data, const std::vector<DeviceMessage>& messages) {
    std::vector<llvm::Constant*> all;
    for (const DeviceMessage& message : messages) {
        all.push_back(data.message(ir::users_span(message.place, data.sources()), message.text, message.values));
    }
    return data.array(data.null()->getType(), all, "messages");
}

// TsrCudaMap
llvm::Constant* map_list(Data& data, const std::vector<ir::BoxMap>& maps) {
    constexpr size_t kAxes = TSR_CUDA_MAP_AXES;
    std::vector<llvm::Constant*> all;
    for (const ir::BoxMap& map : maps) {
        std::vector<llvm::Constant*> fields{data.i32(map.slot), data.i32(static_cast<int64_t>(map.box.size())),
                                            data.i32(map.bytes), data.i32(map.swizzle)};
        for (size_t i = 0; i < kAxes; ++i) fields.push_back(data.i32(i < map.box.size() ? map.box[i] : 0));
        fields.push_back(data.i32(0));
        all.push_back(data.structure(fields));
    }
    return all.empty() ? data.null() : data.array(all[0]->getType(), all, "maps");
}

// TsrCudaBoxKernel; without maps what stands behind the kernel is not looked at.
llvm::Constant* cuda_table(Data& data, const KernelVariant& variant, const GpuImage& image) {
    const Gpu gpu = gpu_named(variant.machine).value();
    const std::vector<llvm::Constant*> images = image_list(data, image);
    llvm::Constant* list = images.empty() ? data.null() : data.array(images[0]->getType(), images, "images");
    return data.structure(
        {data.text(image.code.symbol), list, data.i32(static_cast<int64_t>(images.size())), data.i32(gpu.capability),
         data.i32(gpu.exact), data.i32(variant.threads), data.i32(variant.cluster), data.i32(image.code.needs_context),
         data.i64(variant.scratch), data.i64(variant.task), data.i64(variant.parts),
         data.i32(static_cast<int64_t>(image.code.messages.size())),
         data.i32(static_cast<int64_t>(image.code.maps.size())), message_list(data, image.code.messages),
         map_list(data, image.code.maps), data.i64(image.code.in_turn ? 1 : 0)});
}

}  // namespace

std::string cuda_table_name(const KernelFamily& family, size_t variant) {
    return "cuda." + family.name + "." + std::to_string(variant);
}

void define_cuda_tables(Data& data, const Program& program, const GpuImages& images) {
    for (const KernelFamily& family : program.families) {
        // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): the module owns its variables
        for (size_t i = 0; i < family.variants.size(); ++i) {
            const auto image = images.find(&family.variants[i]);
            if (image == images.end()) continue;
            llvm::Constant* table = cuda_table(data, family.variants[i], image->second);
            const std::string name = cuda_table_name(family, i);
            // A declaration stands where the family's table is in the same module.
            llvm::GlobalVariable* declared = data.module().getNamedGlobal(name);
            auto* defined = new llvm::GlobalVariable(data.module(), table->getType(), true,
                                                     llvm::GlobalValue::ExternalLinkage, table, name);
            defined->setVisibility(llvm::GlobalValue::HiddenVisibility);
            if (declared == nullptr) continue;
            declared->replaceAllUsesWith(defined);
            declared->eraseFromParent();
            defined->setName(name);
        }
    }
}

Result<std::string> compile_gpu_object(const Program& program, const Sources& sources, const Options& options) {
    auto images = make_gpu_images(program, sources, options);
    if (!images) return Failure{images.message()};
    try {
        llvm::LLVMContext context;
        llvm::Module module(program.name + ".gpu", context);
        auto target = make_target_machine(processor_named("x86-64").value(), 0);
        if (!target) return Failure{target.message()};
        module.setTargetTriple(target.value()->getTargetTriple());
        module.setDataLayout(target.value()->createDataLayout());
        Data data(module, &sources);
        define_cuda_tables(data, program, images.value());
        return emit_code(module, *target.value(), Form::object);
    } catch (const std::exception& fatal) {
        return Failure{std::string("internal error: LLVM: ") + fatal.what()};
    }
}

}  // namespace tsr::codegen
