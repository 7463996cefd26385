#include "cuda_driver.h"

#include <cstdio>
#include <cstdlib>

#include <dlfcn.h>
#include <fmt/format.h>

namespace tsr::test {

CudaDriver* CudaDriver::get() {
    static CudaDriver driver;
    static const std::string missing = [] {
        std::string why = driver.open();
        if (!why.empty()) fmt::print(stderr, "tests on a GPU are skipped: {}\n", why);
        return why;
    }();
    return missing.empty() ? &driver : nullptr;
}

std::string CudaDriver::load_functions(void* library) {
    const auto find = [&](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
        return function != nullptr;
    };
    const bool all =
        find(init_, "cuInit") && find(device_get_, "cuDeviceGet") && find(attribute_, "cuDeviceGetAttribute") &&
        find(retain_, "cuDevicePrimaryCtxRetain") && find(set_current_, "cuCtxSetCurrent") &&
        find(load_, "cuModuleLoadDataEx") && find(unload_, "cuModuleUnload") &&
        find(function_, "cuModuleGetFunction") && find(allocate_, "cuMemAlloc_v2") && find(free_, "cuMemFree_v2") &&
        find(to_device_, "cuMemcpyHtoD_v2") && find(to_host_, "cuMemcpyDtoH_v2") && find(launch_, "cuLaunchKernel") &&
        find(synchronize_, "cuCtxSynchronize") && find(error_text_, "cuGetErrorString");
    return all ? "" : "the CUDA driver lacks a function";
}

std::string CudaDriver::open() {
    const char* named = std::getenv("TESSERA_CUDA_DRIVER");
    const char* path = named != nullptr && *named != 0 ? named : "libcuda.so.1";
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return fmt::format("no CUDA driver at {}", path);
    if (auto wrong = load_functions(library); !wrong.empty()) return wrong;
    constexpr int kMajor = 75;
    constexpr int kMinor = 76;
    int device = 0;
    int major = 0;
    int minor = 0;
    void* context = nullptr;
    int error = init_(0);
    if (error == 0) error = device_get_(&device, 0);
    if (error == 0) error = attribute_(&major, kMajor, device);
    if (error == 0) error = attribute_(&minor, kMinor, device);
    if (error == 0) error = retain_(&context, device);
    if (error == 0) error = set_current_(context);
    capability_ = 10 * major + minor;
    return error == 0 ? "" : text_of(error);
}

std::string CudaDriver::text_of(int error) const {
    const char* text = nullptr;
    if (error_text_(error, &text) != 0 || text == nullptr) return fmt::format("CUDA error {}", error);
    return fmt::format("CUDA error {}: {}", error, text);
}

uint64_t CudaDriver::put(const void* bytes, size_t size) {
    uint64_t memory = 0;
    if (allocate_(&memory, size) != 0 || to_device_(memory, bytes, size) != 0) return 0;
    return memory;
}

void CudaDriver::take(void* bytes, uint64_t from, size_t size) { to_host_(bytes, from, size); }

void CudaDriver::free(uint64_t memory) { free_(memory); }

std::string CudaDriver::run(const std::string& ptx, const std::string& symbol, unsigned blocks, unsigned threads,
                            unsigned shared, std::vector<uint64_t> parameters) {
    void* module = nullptr;
    if (int error = load_(&module, ptx.c_str(), 0, nullptr, nullptr); error != 0) return text_of(error);
    void* function = nullptr;
    int error = function_(&function, module, symbol.c_str());
    std::vector<void*> places;
    for (uint64_t& parameter : parameters) places.push_back(&parameter);
    if (error == 0) error = launch_(function, blocks, 1, 1, threads, 1, 1, shared, nullptr, places.data(), nullptr);
    if (error == 0) error = synchronize_();
    unload_(module);
    return error == 0 ? "" : text_of(error);
}

}  // namespace tsr::test
