#include "codegen/nvptx/images.h"

#include <optional>

#include "codegen/llvm/jobs.h"

namespace tsr::codegen {

namespace {

struct Job {
    const KernelFamily* family = nullptr;
    const KernelVariant* variant = nullptr;
};

std::vector<Job> jobs_of(const Program& program) {
    std::vector<Job> jobs;
    for (const KernelFamily& family : program.families) {
        for (const KernelVariant& variant : family.variants) {
            if (variant.on_gpu()) jobs.push_back({&family, &variant});
        }
    }
    return jobs;
}

Result<GpuImage> make_image(const Job& job, const Sources& sources, const Options& options) {
    auto gpu = gpu_named(job.variant->machine);
    if (!gpu) return Failure{gpu.message()};
    auto code = compile_for_gpu(*job.variant, gpu.value(), job.family->slots.size(), sources, options);
    if (!code && !job.variant->required) return GpuImage{};
    if (!code) return Failure{code.message()};
    GpuImage image{std::move(code).value(), {}};
    if (!job.variant->cubin) return image;
    if (!options.assemble) return Failure{"there is no ptxas to make a cubin for " + gpu.value().name};
    auto cubin = options.assemble(image.code.text, gpu.value().name);
    if (!cubin) return Failure{cubin.message()};
    image.cubin = std::move(cubin).value();
    return image;
}

}  // namespace

bool has_gpu_variants(const Program& program) { return !jobs_of(program).empty(); }

Result<GpuImages> make_gpu_images(const Program& program, const Sources& sources, const Options& options) {
    const std::vector<Job> jobs = jobs_of(program);
    std::vector<std::optional<Result<GpuImage>>> made(jobs.size());
    run_jobs(jobs.size(), [&](size_t i) { made[i] = make_image(jobs[i], sources, options); });
    GpuImages images;
    for (size_t i = 0; i < jobs.size(); ++i) {
        if (!*made[i]) return Failure{made[i]->message()};
        images.emplace(jobs[i].variant, std::move(*made[i]).value());
    }
    return images;
}

}  // namespace tsr::codegen
