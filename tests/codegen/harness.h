// Compiles functions of level Target into a shared library and runs them in this process.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "codegen/codegen.h"
#include "codegen/link.h"
#include "ir/build/builder.h"
#include "runtime/abi.h"
#include "values.h"

namespace tsr::test {

// A kernel being written; slots are numbered from 0.
struct Kernel {
    ir::Function function;
    ir::Builder build;

    explicit Kernel(bool on_gpu = false);
    Kernel(const Kernel&) = delete;  // the builder stands in the function
    Kernel& operator=(const Kernel&) = delete;
    ir::ValueId pointer(int64_t slot, DType type);
    ir::ValueId scalar(int64_t slot, DType type);
    ir::ValueId begin();
    ir::ValueId end();
    ir::ValueId at(ir::ValueId pointer, ir::ValueId index);
    ir::ValueId load(ir::ValueId pointer, int64_t width = 0, ir::ValueId mask = {});
    void store(ir::ValueId pointer, ir::ValueId value, ir::ValueId mask = {});
    ir::ValueId splat(ir::ValueId scalar, int64_t width);
    ir::ValueId iota(int64_t width, DType type);
    void yield();
    // The body for begin, begin + step, … below end; on a GPU its threads take turns.
    void each(int64_t step, const std::function<void(ir::ValueId i)>& body);

    // Structured operations; `build` stands in the region while the callback runs, which gives what it yields.
    using Round = std::function<ir::Values(ir::ValueId iv, const ir::Values& carried)>;
    using Part = std::function<ir::Values(const ir::Values& carried)>;
    ir::Values loop(ir::ValueId lower, ir::ValueId upper, ir::ValueId step, const ir::Values& initial,
                    const Round& round, const ir::Attrs& attrs = {});
    ir::Values loop_while(const ir::Values& initial, const Part& test, const Part& round);
    ir::Values branch(ir::ValueId condition, const Part& then, const Part& otherwise);
    // Once per true lane, with its number.
    void for_active(ir::ValueId mask, const std::function<void(ir::ValueId lane)>& body);

private:
    bool on_gpu_ = false;

    void fill(ir::RegionId region, const std::function<ir::Values()>& body);
};

// Links into a file. Empty, or what went wrong.
std::string link_to(const std::filesystem::path& path, const std::vector<std::string>& objects,
                    const codegen::LinkOptions& options);

// A library of kernels, loaded.
class Library {
public:
    // Each function becomes a kernel of its name, for one machine.
    Library(const std::vector<const ir::Function*>& kernels, const std::string& machine, int level = 2);
    ~Library();
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    // What kept it from being made; empty if nothing did.
    [[nodiscard]] const std::string& failure() const { return failure_; }
    void run(const std::string& kernel, const std::vector<uint64_t>& slots, int64_t begin, int64_t end,
             TsrTask* task = nullptr, void* scratch = nullptr) const;
    [[nodiscard]] const TsrKernelFamily& family(const std::string& kernel) const;

private:
    std::string failure_;
    void* handle_ = nullptr;
};

// Kernels on one machine, on arrays of the host: a level of x86-64, or a GPU that the CUDA driver has.
class Engine {
public:
    Engine(const std::vector<const ir::Function*>& kernels, const std::string& machine, int level = 2);

    [[nodiscard]] const std::string& failure() const { return failure_; }
    // Runs [0, count); the arrays are the first slots. Empty, or what went wrong.
    std::string run(const std::string& kernel, const std::vector<Array*>& arrays, int64_t count);

private:
    std::string run_on_gpu(const std::string& kernel, const std::vector<Array*>& arrays, int64_t count);

    std::string failure_;
    std::unique_ptr<Library> library_;
    std::map<std::string, std::string> ptx_;  // by kernel
};

constexpr int64_t kGpuThreads = 32;  // of the only block
bool is_gpu(const std::string& machine);
// Targets of different kinds that the driver's GPU runs; none without a driver.
std::vector<std::string> gpus();

// LLVM text or assembly of kernels.
std::string text_of(const std::vector<const ir::Function*>& kernels, const std::string& machine, codegen::Emit emit);

// The processors that this machine runs: its levels and "native".
std::vector<std::string> machines();

template <typename T>
uint64_t slot(T* pointer) {
    return reinterpret_cast<uint64_t>(pointer);
}

}  // namespace tsr::test
