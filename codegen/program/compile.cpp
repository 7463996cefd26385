#include <future>
#include <numeric>
#include <optional>
#include <thread>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include "codegen/codegen.h"
#include "codegen/cpu/pipeline.h"
#include "codegen/cpu/task.h"
#include "codegen/host/host.h"
#include "codegen/llvm/errors.h"
#include "codegen/llvm/function.h"
#include "codegen/llvm/initializers.h"
#include "codegen/nvptx/images.h"
#include "codegen/program/check.h"
#include "codegen/program/cuda_tables.h"
#include "codegen/program/tables.h"
#include "ir/core/lines.h"

namespace tsr::codegen {

namespace {

// Which LLVM module each variant is compiled in, in the order of the program. Module 0 has the tables and the host,
// too.
struct Shares {
    std::vector<size_t> module_of;
    size_t modules = 1;
};

// Two modules, as even as it goes, where a second core saves more than a second module costs.
Shares share(const Program& program, Emit emit) {
    constexpr size_t kWorthwhile = 250;  // operations: about 10 ms of one core
    Shares shares;
    std::vector<size_t> costs;
    for (const KernelFamily& family : program.families) {
        for (const KernelVariant& variant : family.variants)
            costs.push_back(variant.on_gpu() ? 0 : variant.function->op_count());
    }
    shares.module_of.assign(costs.size(), 0);
    const size_t total = std::accumulate(costs.begin(), costs.end(), size_t{0});
    size_t host = 0;
    if (program.host != nullptr) {
        for (const ir::Function& function : program.host->functions)
            host += function.level == ir::Level::host ? function.op_count() : 0;
    }
    const bool one_text = emit != Emit::objects;
    if (one_text || total < kWorthwhile || costs.size() < 2 || std::thread::hardware_concurrency() < 2) return shares;
    shares.modules = 2;
    size_t left = (total + host) / 2;
    for (size_t i = 0; i < costs.size(); ++i) {
        if (costs[i] > left) continue;
        left -= costs[i];
        shares.module_of[i] = 1;
    }
    return shares;
}

// One LLVM module on its way to an object file.
class Unit {
public:
    // `images`: the code for GPUs, which this module then carries; null: another does, or none.
    Unit(const Program& program, const Sources& sources, const Options& options, const Shares& shares, size_t number,
         const GpuImages* images)
        : program_(program),
          options_(options),
          shares_(shares),
          number_(number),
          images_(images),
          module_(program.name, context_),
          data_(module_, &sources) {
        context_.setDiagnosticHandler(keep_errors(errors_));
        context_.setDiscardValueNames(options.emit != Emit::llvm);
        if (options.debug) debug_ = std::make_unique<DebugInfo>(module_, sources, first_place());
    }

    Result<std::string> compile() {
        auto host = processor_named("x86-64");
        auto target = make_target_machine(host.value(), options_.level);
        if (!target) return Failure{target.message()};
        module_.setTargetTriple(target.value()->getTargetTriple());
        module_.setDataLayout(target.value()->createDataLayout());
        if (auto fault = emit_kernels()) return *fault;
        if (images_ != nullptr) define_cuda_tables(data_, program_, *images_);
        if (program_.host != nullptr && number_ == 0) emit_host(host.value());
        if (debug_ != nullptr) debug_->finish();
        std::string fault;
        llvm::raw_string_ostream stream(fault);
        if (llvm::verifyModule(module_, &stream)) return Failure{"internal error: LLVM refuses a module: " + fault};
        optimize(module_, *target.value(), options_.level);
        prepare(module_);
        return finish(*target.value());
    }

private:
    [[nodiscard]] Span first_place() const {
        if (program_.host != nullptr) {
            for (const ir::Function& function : program_.host->functions) {
                if (function.place.valid()) return function.place_of(function.place).span;
            }
        }
        return program_.families.empty() ? Span{} : program_.families[0].place;
    }

    std::optional<Failure> emit_kernels() {
        size_t next = 0;
        for (const KernelFamily& family : program_.families) {
            std::vector<Processor> machines(family.variants.size());
            for (size_t i = 0; i < family.variants.size(); ++i) {
                const size_t module = shares_.module_of[next++];
                if (family.variants[i].on_gpu()) continue;
                auto machine = processor_named(family.variants[i].machine);
                if (!machine) return Failure{machine.message()};
                machines[i] = machine.value();
                if (module != number_) continue;
                const ir::Function& source = *family.variants[i].function;
                emit_kernel_task(source, entry_name(family, i), machines[i], data_, debug_.get());
                const auto& packed = family.variants[i].packed;
                for (size_t p = 0; p < packed.size(); ++p) {
                    emit_kernel_task(*packed[p].function, entry_name(family, i, p), machines[i], data_, debug_.get());
                }
            }
            if (number_ != 0) continue;
            const bool exported = program_.main.empty() && program_.exports.empty();
            const bool with_gpus = options_.emit == Emit::objects || options_.emit == Emit::object;
            names_.families[family.name] = family_table(data_, family, machines, exported, with_gpus);
        }
        for (const Tuning& tuning : program_.tunings) {
            if (number_ == 0) names_.tunings[tuning.names] = {&tuning, tuning_table(data_, tuning, names_)};
        }
        return std::nullopt;
    }

    [[nodiscard]] bool is_of_library(const ir::Function& function) const {
        if (!function.place.valid() || data_.sources() == nullptr) return false;
        return ir::is_library_text(*data_.sources(), function.place_of(function.place).span.file);
    }

    void emit_host(const Processor& machine) {
        names_.with_gpus = has_gpu_variants(program_);
        for (const ir::Function& function : program_.host->functions) {
            if (function.level != ir::Level::host) continue;
            names_.functions[function.name] = declare_host(function, "host." + function.name, module_);
            if (is_of_library(function)) names_.library.insert(function.name);
        }
        for (const ir::Function& function : program_.host->functions) {
            if (function.level != ir::Level::host) continue;
            llvm::Function& target = *names_.functions.at(function.name);
            set_processor(target, machine);
            const Span span = function.place.valid() ? function.place_of(function.place).span : Span{};
            if (debug_ != nullptr) debug_->begin(target, function.name, span);
            HostBody(function, target, machine, data_, debug_.get(), names_).emit_function();
        }
        if (!program_.main.empty()) emit_program_table(data_, program_, names_, machine);
        if (!program_.exports.empty()) emit_exports(data_, program_, names_, machine);
    }

    Result<std::string> finish(llvm::TargetMachine& target) {
        std::string text;
        if (options_.emit == Emit::llvm) {
            llvm::raw_string_ostream stream(text);
            module_.print(stream, nullptr);
            return text;
        }
        auto code = emit_code(module_, target, options_.emit == Emit::assembly ? Form::assembly : Form::object);
        if (!errors_.empty()) return Failure{"internal error: LLVM: " + errors_};
        return code;
    }

    const Program& program_;
    const Options& options_;
    const Shares& shares_;
    size_t number_;
    const GpuImages* images_;
    llvm::LLVMContext context_;
    llvm::Module module_;
    Data data_;
    std::unique_ptr<DebugInfo> debug_;
    std::string errors_;
    HostNames names_;
};

std::optional<Failure> check(const Program& program, const Sources& sources) {
    for (const KernelFamily& family : program.families) {
        for (const KernelVariant& variant : family.variants) {
            const Runs runs = variant.on_gpu() ? Runs::on_gpu : Runs::on_cpu;
            if (auto fault = check_target(*variant.function, runs, sources)) return fault;
            for (const PackedOperand& operand : variant.packed) {
                if (auto fault = check_target(*operand.function, Runs::on_cpu, sources)) return fault;
            }
        }
    }
    if (program.host == nullptr) return std::nullopt;
    for (const ir::Function& function : program.host->functions) {
        if (function.level != ir::Level::host) continue;
        if (auto fault = check_host(function, program, sources)) return fault;
    }
    for (const std::string& name : {program.main, program.initialize}) {
        if (!name.empty() && program.host->find(name) == nullptr) return Failure{"there is no function `" + name + "`"};
    }
    return std::nullopt;
}

}  // namespace

Result<std::vector<std::string>> compile(const Program& program, const Sources& sources, const Options& options) {
    initialize_llvm();
    if (auto fault = check(program, sources)) return *fault;
    catch_fatal_errors();
    const Shares shares = share(program, options.emit);
    std::optional<GpuImages> images;
    if (options.emit == Emit::object && has_gpu_variants(program)) {
        auto made = make_gpu_images(program, sources, options);
        if (!made) return Failure{made.message()};
        images = std::move(made).value();
    }
    const auto compile_module = [&](size_t number) -> Result<std::string> {
        try {
            return std::make_unique<Unit>(program, sources, options, shares, number, images ? &*images : nullptr)
                ->compile();
        } catch (const std::exception& fatal) {
            return Failure{std::string("internal error: LLVM: ") + fatal.what()};
        }
    };
    std::vector<std::future<Result<std::string>>> others;
    for (size_t i = 1; i < shares.modules; ++i) others.push_back(std::async(std::launch::async, compile_module, i));
    if (options.emit == Emit::objects && has_gpu_variants(program)) {
        others.push_back(std::async(std::launch::async, [&] { return compile_gpu_object(program, sources, options); }));
    }
    std::vector<Result<std::string>> made{compile_module(0)};
    for (auto& other : others) made.push_back(other.get());
    std::vector<std::string> code;
    for (Result<std::string>& one : made) {
        if (!one) return Failure{one.message()};
        code.push_back(std::move(one).value());
    }
    return code;
}

Result<std::vector<GpuText>> compile_for_gpus(const Program& program, const Sources& sources, const Options& options,
                                              GpuForm form) {
    initialize_llvm();
    if (auto fault = check(program, sources)) return *fault;
    Options how = options;
    how.emit = form == GpuForm::llvm ? Emit::llvm : Emit::objects;
    auto images = make_gpu_images(program, sources, how);
    if (!images) return Failure{images.message()};
    std::vector<GpuText> texts;
    for (const KernelFamily& family : program.families) {
        for (const KernelVariant& variant : family.variants) {
            const auto image = images.value().find(&variant);
            if (image == images.value().end()) continue;
            const GpuImage& made = image->second;
            texts.push_back({family.name, variant.machine, form == GpuForm::cubin ? made.cubin : made.code.text});
        }
    }
    return texts;
}

Result<std::string> check_machine(const std::string& name) {
    initialize_llvm();
    auto machine = processor_named(name);
    if (!machine) return Failure{machine.message()};
    return machine.value().name;
}

std::vector<std::string> levels_of_host() {
    initialize_llvm();
    return host_levels();
}

}  // namespace tsr::codegen
