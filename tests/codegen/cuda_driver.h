// The CUDA driver, where one answers: libcuda.so.1, or what TESSERA_CUDA_DRIVER names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tsr::test {

class CudaDriver {
public:
    // Null where there is none; why, was said once on standard error.
    static CudaDriver* get();

    [[nodiscard]] int capability() const { return capability_; }

    // Memory of the device; the bytes are copied there.
    uint64_t put(const void* bytes, size_t size);
    void take(void* bytes, uint64_t from, size_t size);
    void free(uint64_t memory);

    // Launches the entry of a module in blocks of one dimension and waits. Empty, or what went wrong.
    std::string run(const std::string& ptx, const std::string& symbol, unsigned blocks, unsigned threads,
                    unsigned shared, std::vector<uint64_t> parameters);

private:
    std::string open();
    std::string load_functions(void* library);
    [[nodiscard]] std::string text_of(int error) const;

    int capability_ = 0;
    int (*init_)(unsigned) = nullptr;
    int (*device_get_)(int*, int) = nullptr;
    int (*attribute_)(int*, int, int) = nullptr;
    int (*retain_)(void**, int) = nullptr;
    int (*set_current_)(void*) = nullptr;
    int (*load_)(void**, const void*, unsigned, int*, void**) = nullptr;
    int (*unload_)(void*) = nullptr;
    int (*function_)(void**, void*, const char*) = nullptr;
    int (*allocate_)(uint64_t*, size_t) = nullptr;
    int (*free_)(uint64_t) = nullptr;
    int (*to_device_)(uint64_t, const void*, size_t) = nullptr;
    int (*to_host_)(void*, uint64_t, size_t) = nullptr;
    int (*launch_)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                   void**) = nullptr;
    int (*synchronize_)() = nullptr;
    int (*error_text_)(int, const char**) = nullptr;
};

}  // namespace tsr::test
