#include "harness.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <unistd.h>

#include "cuda_driver.h"

namespace tsr::test {

using ir::Attr;
using ir::OpKind;
using ir::ValueId;

Kernel::Kernel(bool on_gpu) : build(function), on_gpu_(on_gpu) {
    function.level = ir::Level::target;
    build.to_end_of(function.body);
}

ValueId Kernel::pointer(int64_t slot, DType type) {
    return build.value(OpKind::slot, {}, {{Attr::count, slot}, {Attr::type, type}, {Attr::pointer, ir::kFlag}});
}
ValueId Kernel::scalar(int64_t slot, DType type) {
    return build.value(OpKind::slot, {}, {{Attr::count, slot}, {Attr::type, type}});
}
ValueId Kernel::begin() { return build.value(OpKind::task_begin, {}); }
ValueId Kernel::end() { return build.value(OpKind::task_end, {}); }
ValueId Kernel::at(ValueId pointer, ValueId index) { return build.value(OpKind::pointer_add, {pointer, index}); }

ValueId Kernel::load(ValueId pointer, int64_t width, ValueId mask) {
    ir::Attrs attrs;
    if (width > 0) attrs.set(Attr::width, width);
    if (!mask.valid()) return build.value(OpKind::load, {pointer}, attrs);
    attrs.set(Attr::masked, int64_t{1});
    return build.value(OpKind::load, {pointer, mask}, attrs);
}

void Kernel::store(ValueId pointer, ValueId value, ValueId mask) {
    if (!mask.valid()) {
        build.emit(OpKind::store, {pointer, value});
    } else {
        build.emit(OpKind::store, {pointer, value, mask}, {{Attr::masked, int64_t{1}}});
    }
}

ValueId Kernel::splat(ValueId scalar, int64_t width) {
    return build.value(OpKind::splat, {scalar}, {{Attr::width, width}});
}
ValueId Kernel::iota(int64_t width, DType type) {
    return build.value(OpKind::iota, {}, {{Attr::width, width}, {Attr::type, type}});
}
void Kernel::yield() { build.yield({}); }

void Kernel::each(int64_t step, const std::function<void(ValueId i)>& body) {
    ValueId first = begin();
    if (on_gpu_) {
        first = build.add(first, build.mul(build.value(OpKind::thread_id, {}), build.index(step)));
        step *= kGpuThreads;
    }
    loop(first, end(), build.index(step), {}, [&](ValueId i, const ir::Values&) -> ir::Values {
        body(i);
        return {};
    });
}

void Kernel::fill(ir::RegionId region, const std::function<ir::Values()>& body) {
    build.to_end_of(region);
    build.yield(body());
}

ir::Values Kernel::loop(ValueId lower, ValueId upper, ValueId step, const ir::Values& initial, const Round& round,
                        const ir::Attrs& attrs) {
    const ir::RegionId outside = build.region();
    const ir::OpId op = build.open_for(lower, upper, step, initial, attrs);
    const ir::RegionId inside = function.op(op).regions[0];
    const ir::Values args = function.region(inside).args;
    fill(inside, [&] { return round(args[0], ir::Values(args.begin() + 1, args.end())); });
    build.to_end_of(outside);
    return function.op(op).results;
}

ir::Values Kernel::loop_while(const ir::Values& initial, const Part& test, const Part& round) {
    const ir::RegionId outside = build.region();
    const ir::OpId op = build.open_while(initial);
    const std::vector<ir::RegionId> regions = function.op(op).regions;
    fill(regions[0], [&] { return test(function.region(regions[0]).args); });
    fill(regions[1], [&] { return round(function.region(regions[1]).args); });
    build.to_end_of(outside);
    return function.op(op).results;
}

ir::Values Kernel::branch(ValueId condition, const Part& then, const Part& otherwise) {
    const ir::RegionId outside = build.region();
    const ir::OpId op = build.open_if(condition);
    const std::vector<ir::RegionId> regions = function.op(op).regions;
    ir::Values chosen;
    fill(regions[0], [&] { return chosen = then({}); });
    fill(regions[1], [&] { return otherwise({}); });
    for (const ValueId value : chosen) function.add_result(op, function.type(value));
    build.to_end_of(outside);
    return function.op(op).results;
}

void Kernel::for_active(ValueId mask, const std::function<void(ValueId lane)>& body) {
    const ir::RegionId outside = build.region();
    const ir::OpId op = build.emit(OpKind::for_active, {mask});
    ir::RegionId inside = function.op(op).regions.empty() ? function.add_region(op) : function.op(op).regions[0];
    if (function.op(op).regions.empty()) function.op(op).regions.push_back(inside);
    const ValueId lane = function.add_arg(inside, ir::Type::scalar(DType::i32));
    fill(inside, [&] {
        body(lane);
        return ir::Values{};
    });
    build.to_end_of(outside);
}

namespace {

constexpr size_t kGpuSlots = 4;  // of every launch

codegen::Program program_of(const std::vector<const ir::Function*>& kernels, const std::string& machine) {
    codegen::Program program;
    program.name = "test";
    for (const ir::Function* kernel : kernels) {
        codegen::KernelVariant variant;
        variant.function = kernel;
        variant.machine = machine;
        variant.threads = kGpuThreads;
        codegen::KernelFamily family;
        family.name = kernel->name;
        family.variants.push_back(variant);
        program.families.push_back(family);
    }
    return program;
}

}  // namespace

std::string link_to(const std::filesystem::path& path, const std::vector<std::string>& objects,
                    const codegen::LinkOptions& options) {
    auto linked = codegen::link(objects, options);
    if (!linked) return linked.message();
    std::ofstream(path, std::ios::binary) << linked.value();
    std::filesystem::permissions(path, std::filesystem::perms::owner_exec, std::filesystem::perm_options::add);
    return {};
}

Library::Library(const std::vector<const ir::Function*>& kernels, const std::string& machine, int level) {
    const Sources sources;
    codegen::Options options;
    options.level = level;
    auto objects = codegen::compile(program_of(kernels, machine), sources, options);
    if (!objects) {
        failure_ = objects.message();
        return;
    }
    static int number = 0;
    codegen::LinkOptions link;
    link.shared = true;
    link.runtime = false;
    link.resources = TSR_TEST_RESOURCES;
    const auto path = std::filesystem::temp_directory_path() /
                      ("tsr-codegen-" + std::to_string(getpid()) + "-" + std::to_string(number++) + ".so");
    failure_ = link_to(path, objects.value(), link);
    if (!failure_.empty()) return;
    handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) failure_ = dlerror();
    std::filesystem::remove(path);
}

Library::~Library() {
    if (handle_ != nullptr) dlclose(handle_);
}

const TsrKernelFamily& Library::family(const std::string& kernel) const {
    void* found = dlsym(handle_, ("tsr_kernel_" + kernel).c_str());
    REQUIRE(found != nullptr);
    return *static_cast<const TsrKernelFamily*>(found);
}

void Library::run(const std::string& kernel, const std::vector<uint64_t>& slots, int64_t begin, int64_t end,
                  TsrTask* task, void* scratch) const {
    family(kernel).variants[0].entry(slots.data(), begin, end, scratch, task);
}

Engine::Engine(const std::vector<const ir::Function*>& kernels, const std::string& machine, int level) {
    if (!is_gpu(machine)) {
        library_ = std::make_unique<Library>(kernels, machine, level);
        failure_ = library_->failure();
        return;
    }
    const Sources sources;
    codegen::Options options;
    options.level = level;
    codegen::Program program = program_of(kernels, machine);
    for (codegen::KernelFamily& family : program.families) family.slots.resize(kGpuSlots);
    auto texts = codegen::compile_for_gpus(program, sources, options, codegen::GpuForm::ptx);
    if (!texts) failure_ = texts.message();
    if (!texts) return;
    for (const codegen::GpuText& text : texts.value()) ptx_[text.kernel] = text.text;
}

std::string Engine::run(const std::string& kernel, const std::vector<Array*>& arrays, int64_t count) {
    if (library_ == nullptr) return run_on_gpu(kernel, arrays, count);
    std::vector<uint64_t> slots;
    for (Array* array : arrays) slots.push_back(slot(array->data()));
    library_->run(kernel, slots, 0, count);
    return {};
}

std::string Engine::run_on_gpu(const std::string& kernel, const std::vector<Array*>& arrays, int64_t count) {
    CudaDriver& driver = *CudaDriver::get();
    std::vector<uint64_t> parameters;
    for (Array* array : arrays) parameters.push_back(driver.put(array->data(), array->size()));
    parameters.resize(kGpuSlots);
    parameters.insert(parameters.end(), {0, static_cast<uint64_t>(count), 0});
    std::string wrong = driver.run(ptx_.at(kernel), "tsr_" + kernel, 1, kGpuThreads, 0, parameters);
    for (size_t i = 0; i < arrays.size(); ++i) {
        driver.take(arrays[i]->data(), parameters[i], arrays[i]->size());
        driver.free(parameters[i]);
    }
    return wrong;
}

bool is_gpu(const std::string& machine) { return machine.starts_with("sm_"); }

std::vector<std::string> gpus() {
    CudaDriver* driver = CudaDriver::get();
    std::vector<std::string> all;
    if (driver == nullptr) return all;
    for (const std::string name : {"sm_75", "sm_80", "sm_90a"}) {
        const int capability = std::stoi(name.substr(3));
        const bool exact = name.back() == 'a';
        if (exact ? capability == driver->capability() : capability <= driver->capability()) all.push_back(name);
    }
    return all;
}

std::string text_of(const std::vector<const ir::Function*>& kernels, const std::string& machine, codegen::Emit emit) {
    const Sources sources;
    codegen::Options options;
    options.emit = emit;
    auto text = codegen::compile(program_of(kernels, machine), sources, options);
    return text ? text.value()[0] : text.message();
}

std::vector<std::string> machines() {
    std::vector<std::string> all = codegen::levels_of_host();
    all.emplace_back("native");
    return all;
}

}  // namespace tsr::test
