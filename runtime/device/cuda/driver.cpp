#include "runtime/device/cuda/driver.h"

#include <cstdlib>
#include <memory>

#include <dlfcn.h>

#include "runtime/fail.h"

namespace tsr::runtime::cuda {

namespace {

// False: there is no such symbol.
template <typename Pointed>
bool find(void* library, const char* symbol, Pointed*& function) {
    void* found = dlsym(library, symbol);
    function = reinterpret_cast<Pointed*>(found);
    return found != nullptr;
}

Result<const Driver*> load() {
    const char* given = std::getenv("TESSERA_CUDA_DRIVER");
    const char* path = given != nullptr && *given != 0 ? given : "libcuda.so.1";
    // NOLINTNEXTLINE(clang-analyzer-optin.taint.GenericTaint): whoever sets the environment chooses the driver
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return Refusal{text("there is no CUDA driver: %s", dlerror())};
    auto found = std::make_unique<Driver>();
    const char* missing = nullptr;
#define TSR_CUDA_NEEDED(name, symbol, parameters) \
    if (!find(library, #symbol, found->name)) missing = #symbol;
    TSR_CUDA_FUNCTIONS(TSR_CUDA_NEEDED)
#undef TSR_CUDA_NEEDED
#define TSR_CUDA_WANTED(name, symbol, parameters) find(library, #symbol, found->name);
    TSR_CUDA_NEWER_FUNCTIONS(TSR_CUDA_WANTED)
#undef TSR_CUDA_WANTED
    if (missing != nullptr) return Refusal{text("the CUDA driver %s is too old: it has no %s", path, missing)};
    if (const Status status = found->init(0); status != kSuccess)
        return Refusal{text("the CUDA driver %s does not start: %s", path, found->text(status).c_str())};
    return found.release();  // loaded once, for good
}

}  // namespace

std::string Driver::text(Status status) const {
    const char *name = nullptr, *words = nullptr;
    if (error_name(status, &name) != kSuccess || name == nullptr) return runtime::text("CUDA error %d", status);
    if (error_text(status, &words) != kSuccess || words == nullptr) return name;
    return runtime::text("%s: %s", name, words);
}

const Result<const Driver*>& driver() {
    static const auto* found = new Result<const Driver*>(load());
    return *found;
}

}  // namespace tsr::runtime::cuda
