// Programs to object files, or to one text.
//
// Object files are made side by side and kept between compilations: one for the forms of a kernel on one processor, one
// for some host functions, one for all code for GPUs, and one for the tables that tie them together.
#include <algorithm>
#include <future>
#include <mutex>
#include <optional>
#include <ranges>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "codegen/codegen.h"
#include "codegen/cpu/machine.h"
#include "codegen/llvm/errors.h"
#include "codegen/llvm/initializers.h"
#include "codegen/llvm/jobs.h"
#include "codegen/nvptx/images.h"
#include "codegen/program/check.h"
#include "codegen/program/code_module.h"
#include "codegen/program/cuda_tables.h"
#include "codegen/program/tables.h"
#include "ir/ops/effects.h"

namespace tsr::codegen {

namespace {

Span first_place(const Program& program) {
    if (program.host != nullptr) {
        for (const ir::Function& function : program.host->functions) {
            if (function.place.valid()) return function.place_of(function.place).span;
        }
    }
    return program.families.empty() ? Span{} : program.families[0].place;
}

// Host functions run anywhere.
Processor any_processor() { return processor_named("x86-64").value(); }

void define_program(CodeModule& module, const Program& program, HostNames& names) {
    if (!program.main.empty()) emit_program_table(module.data(), program, names, any_processor());
    if (program.exports.empty()) return;
    emit_exports(module.data(), program, names, any_processor());
    module.let_failures_pass();
}

// Everything in one module; `images`: the code for GPUs that it carries, null for none.
Result<std::string> compile_as_one(const Program& program, const Sources& sources, const Options& options,
                                   const GpuImages* images) {
    const ProgramNames known(program, sources);
    CodeModule module(program.name, sources, options, first_place(program));
    if (!module.fault().empty()) return Failure{module.fault()};
    HostNames names(known, module.module());
    Entries entries;
    for (const KernelFamily& family : program.families) {
        for (size_t i = 0; i < family.variants.size(); ++i) {
            const KernelVariant& variant = family.variants[i];
            if (variant.on_gpu()) continue;
            const EntryNames& own = entries[&variant] = entry_names(family, i);
            module.emit_task(variant, own, processor_named(variant.machine).value());
        }
    }
    define_kernel_tables(module.data(), program, entries, names, images != nullptr);
    if (images != nullptr) define_cuda_tables(module.data(), program, *images);
    if (program.host != nullptr) {
        for (const ir::Function& function : program.host->functions) {
            if (function.level == ir::Level::host) module.emit_host(function, names, any_processor());
        }
    }
    define_program(module, program, names);
    module.close();
    return module.code();
}

// What one object file is made of: the forms of a kernel for one processor, or host functions.
struct Unit {
    const KernelFamily* family = nullptr;
    std::vector<size_t> variants;
    std::vector<const ir::Function*> functions;
    size_t operations = 0;
    Effort effort = Effort::full;
};

size_t launches_in(const ir::Function& function, ir::RegionId region) {
    size_t count = 0;
    ir::for_each_op(function, region,
                    [&](ir::OpId id) { count += function.op(id).kind == ir::OpKind::launch ? 1 : 0; });
    return count;
}

// Whether there are many operations, and their time is small beside that of the launches among them, in each loop, too.
bool mostly_launches(const ir::Function& function) {
    constexpr size_t kMany = 1000, kForOneLaunch = 200;
    const size_t operations = function.op_count();
    if (operations < kMany || launches_in(function, function.body) * kForOneLaunch < operations) return false;
    bool mostly = true;
    ir::for_each_op(function, function.body, [&](ir::OpId id) {
        const ir::Op& op = function.op(id);
        if (op.kind != ir::OpKind::for_ && op.kind != ir::OpKind::while_) return;
        mostly = mostly &&
                 std::ranges::any_of(op.regions, [&](ir::RegionId inner) { return launches_in(function, inner) > 0; });
    });
    return mostly;
}

std::vector<Unit> units_of(const Program& program) {
    std::vector<Unit> units;
    for (const KernelFamily& family : program.families) {
        std::map<std::string, Unit> by_machine;
        for (size_t i = 0; i < family.variants.size(); ++i) {
            const KernelVariant& variant = family.variants[i];
            if (variant.on_gpu()) continue;
            Unit& unit = by_machine[variant.machine];
            unit.family = &family;
            unit.variants.push_back(i);
            unit.operations += variant.function->op_count();
            for (const PackedOperand& operand : variant.packed) unit.operations += operand.function->op_count();
        }
        for (auto& [unused, unit] : by_machine) units.push_back(std::move(unit));
    }
    if (program.host == nullptr) return units;
    constexpr size_t kEnough = 2000;  // operations of host functions: what makes an object file worthwhile
    Unit hosts;
    for (const ir::Function& function : program.host->functions) {
        if (function.level != ir::Level::host) continue;
        if (mostly_launches(function)) {
            units.push_back({nullptr, {}, {&function}, function.op_count(), Effort::brief});
            continue;
        }
        hosts.functions.push_back(&function);
        hosts.operations += function.op_count();
        if (hosts.operations >= kEnough) units.push_back(std::exchange(hosts, {}));
    }
    if (!hosts.functions.empty()) units.push_back(std::move(hosts));
    return units;
}

class Objects {
public:
    Objects(const Program& program, const Sources& sources, const Options& options)
        : program_(program), sources_(sources), options_(options), names_(program, sources), units_(units_of(program)) {
        // Long ones first, so that no thread begins one when the others have ended.
        std::ranges::stable_sort(units_, std::ranges::greater(), &Unit::operations);
        made_.resize(units_.size());
    }

    Result<std::vector<std::string>> make() {
        std::future<Result<std::string>> for_gpus;
        if (has_gpu_variants(program_)) {
            for_gpus = std::async(std::launch::async, [&] { return compile_gpu_object(program_, sources_, options_); });
        }
        make_units();
        std::vector<Result<std::string>> all;
        for (std::optional<Result<std::string>>& one : made_) {
            if (one) all.push_back(std::move(*one));
        }
        const bool complete = std::ranges::all_of(all, [](const Result<std::string>& one) { return one.ok(); });
        if (complete) all.push_back(guarded([&] { return make_tables(); }));
        if (for_gpus.valid()) all.push_back(for_gpus.get());
        std::vector<std::string> code;
        for (Result<std::string>& one : all) {
            if (!one) return Failure{one.message()};
            code.push_back(std::move(one).value());
        }
        return code;
    }

private:
    template <typename Make>
    static Result<std::string> guarded(Make make) {
        try {
            return make();
        } catch (const std::exception& fatal) {
            return Failure{std::string("internal error: LLVM: ") + fatal.what()};
        }
    }

    void make_units() {
        const auto make = [&](size_t number) {
            // Nothing: another unit has the same code.
            std::optional<Result<std::string>> code;
            auto fault = guarded([&] {
                code = units_[number].family != nullptr ? make_tasks(units_[number]) : make_hosts(units_[number]);
                return Result<std::string>(std::string());
            });
            made_[number] = fault ? std::move(code) : std::optional(std::move(fault));
        };
        constexpr size_t kWorthwhile = 250;  // operations: about 10 ms of one core
        size_t operations = 0;
        for (const Unit& unit : units_) operations += unit.operations;
        if (operations >= kWorthwhile) return run_jobs(units_.size(), make);
        for (size_t i = 0; i < units_.size(); ++i) make(i);
    }

    // Kernels with the same code are compiled once: entries are named by what they do. In a debugger and a profiler
    // they have the names of their kernels.
    std::optional<Result<std::string>> make_tasks(const Unit& unit) {
        const KernelFamily& family = *unit.family;
        CodeModule module("kernel", sources_, options_, family.place);
        if (!module.fault().empty()) return Failure{module.fault()};
        const Processor machine = processor_named(family.variants[unit.variants[0]].machine).value();
        std::vector<EntryNames> names;
        for (size_t i = 0; i < unit.variants.size(); ++i) {
            names.push_back(entry_names(family, unit.variants[i]));
            if (!options_.debug) {
                for (size_t n = 0; n < names[i].size(); ++n) names[i][n] = fmt::format("{}.{}", i, n);
            }
            module.emit_task(family.variants[unit.variants[i]], names[i], machine);
        }
        module.close();
        const std::string digest = module.digest();
        if (!options_.debug) {
            for (std::string& name : std::views::join(names)) {
                llvm::Function* entry = module.module().getFunction(name);
                name = fmt::format("kernel.{}.{}", digest, name);
                entry->setName(name);
            }
        }
        {
            const std::lock_guard lock(mutex_);
            for (size_t i = 0; i < unit.variants.size(); ++i)
                entries_[&family.variants[unit.variants[i]]] = std::move(names[i]);
            if (!begun_.insert(digest).second) return std::nullopt;
        }
        return kept(digest, module);
    }

    std::optional<Result<std::string>> make_hosts(const Unit& unit) {
        CodeModule module("host", sources_, options_, first_place(program_), unit.effort);
        if (!module.fault().empty()) return Failure{module.fault()};
        HostNames names(names_, module.module());
        const Processor machine = any_processor();
        for (const ir::Function* function : unit.functions) module.emit_host(*function, names, machine);
        if (!program_.exports.empty()) module.let_failures_pass();
        module.close();
        return kept(module.digest(), module);
    }

    Result<std::string> make_tables() {
        CodeModule module("tables", sources_, options_, first_place(program_));
        if (!module.fault().empty()) return Failure{module.fault()};
        HostNames names(names_, module.module());
        define_kernel_tables(module.data(), program_, entries_, names, names_.with_gpus());
        define_program(module, program_, names);
        module.close();
        return module.code();
    }

    // The module's code, from an earlier compilation where it has been made before.
    Result<std::string> kept(const std::string& digest, CodeModule& module) {
        if (options_.store != nullptr && module.fault().empty()) {
            if (auto code = options_.store->find(digest)) return std::move(*code);
        }
        auto code = module.code();
        if (code && options_.store != nullptr) options_.store->keep(digest, code.value());
        return code;
    }

    const Program& program_;
    const Sources& sources_;
    const Options& options_;
    ProgramNames names_;
    std::vector<Unit> units_;
    std::vector<std::optional<Result<std::string>>> made_;  // of each unit
    std::mutex mutex_;
    std::set<std::string> begun_;  // digests of kernels
    Entries entries_;
};

std::optional<Failure> check(const Program& program, const Sources& sources) {
    for (const KernelFamily& family : program.families) {
        for (const KernelVariant& variant : family.variants) {
            const Runs runs = variant.on_gpu() ? Runs::on_gpu : Runs::on_cpu;
            if (!variant.on_gpu()) {
                if (auto machine = processor_named(variant.machine); !machine) return Failure{machine.message()};
            }
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
    if (options.emit == Emit::objects) return Objects(program, sources, options).make();
    std::optional<GpuImages> images;
    if (options.emit == Emit::object && has_gpu_variants(program)) {
        auto made = make_gpu_images(program, sources, options);
        if (!made) return Failure{made.message()};
        images = std::move(made).value();
    }
    try {
        auto code = compile_as_one(program, sources, options, images ? &*images : nullptr);
        if (!code) return Failure{code.message()};
        return std::vector{std::move(code).value()};
    } catch (const std::exception& fatal) {
        return Failure{std::string("internal error: LLVM: ") + fatal.what()};
    }
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
