#include "runtime/device/cuda/images.h"

#include <algorithm>
#include <array>
#include <map>

#include "runtime/device/cuda/pending.h"
#include "runtime/device/cuda/spread.h"
#include "runtime/fail.h"

namespace tsr::runtime::cuda {

namespace {

// Errors that speak of an image.
constexpr std::array kRefusals{
    200,  // invalid image
    209,  // no binary for this GPU
    218,  // invalid PTX
    220,  // PTX of an unsupported kind
    221,  // the driver has no compiler for PTX
    222,  // PTX of a later version
    223,  // compilation is switched off
    300,  // invalid source
    500,  // no such entry
};
constexpr int kErrorLog = 5, kErrorLogBytes = 6;
constexpr int kMaxDynamicShared = 8, kNonPortableCluster = 14;
constexpr int64_t kSharedWithoutAsking = 48 * 1024;
constexpr int kPortableCluster = 8;

struct LoadedModule {
    Module module = nullptr;
    std::string refusal;
};

// Kernels may share an image.
const LoadedModule& module_of(Device& device, const TsrCudaImage& image, const TsrPlace* place) {
    static auto* modules = new std::map<const void*, LoadedModule>;
    const auto known = modules->find(image.data);
    if (known != modules->end()) return known->second;
    std::array<char, 2048> log{};
    std::array<int, 2> options{kErrorLog, kErrorLogBytes};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver takes numbers as pointers
    std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size() - 1)};
    LoadedModule made;
    const Status status =
        device.driver.load_module(&made.module, image.data, options.size(), options.data(), values.data());
    if (std::ranges::find(kRefusals, status) != kRefusals.end()) {
        std::string said = log.data();
        said = said.substr(0, said.find('\n'));
        made.refusal = device.driver.text(status) + (said.empty() ? "" : " (" + said + ")");
    } else {
        check(device, status, "loading code", place);
    }
    return (*modules)[image.data] = std::move(made);
}

void prepare(Device& device, Function function, const TsrCudaKernel& kernel, const TsrPlace* place) {
    if (kernel.shared > kSharedWithoutAsking) {
        check(device, device.driver.set_function(function, kMaxDynamicShared, static_cast<int>(kernel.shared)),
              "asking for shared memory", place);
    }
    if (kernel.cluster > kPortableCluster) {
        check(device, device.driver.set_function(function, kNonPortableCluster, 1), "asking for large clusters", place);
    }
}

Loaded try_images(Device& device, const TsrCudaKernel& kernel, const TsrPlace* place) {
    Loaded loaded;
    for (int32_t i = 0; i < kernel.nimages && loaded.function == nullptr; ++i) {
        const LoadedModule& module = module_of(device, kernel.images[i], place);
        loaded.refusal = module.refusal;
        if (module.module == nullptr) continue;
        const Status status = device.driver.find_function(&loaded.function, module.module, kernel.symbol);
        if (std::ranges::find(kRefusals, status) != kRefusals.end()) {
            loaded.refusal = text("it has no entry %s", kernel.symbol);
            loaded.function = nullptr;
        } else {
            check(device, status, "looking for an entry", place);
        }
    }
    if (loaded.function != nullptr) prepare(device, loaded.function, kernel, place);
    return loaded;
}

}  // namespace

bool fits(const Device& device, const TsrCudaKernel& kernel) {
    const bool runs =
        kernel.exact != 0 ? device.capability == kernel.capability : device.capability >= kernel.capability;
    return runs && kernel.threads <= device.max_threads && kernel.shared <= device.max_shared &&
           (kernel.cluster <= 1 || device.clusters || takes_groups_in_turn(kernel));
}

const Loaded& load(Device& device, const TsrCudaKernel& kernel, const TsrPlace* place) {
    static auto* all = new std::map<const TsrCudaKernel*, Loaded>;
    const auto known = all->find(&kernel);
    if (known != all->end()) return known->second;
    return (*all)[&kernel] = try_images(device, kernel, place);
}

}  // namespace tsr::runtime::cuda
