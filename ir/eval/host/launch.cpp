// Launches from host functions: the kernel is made ready once, then run on the tensors' own memory. Those of graphs run
// on copies of what they write.
#include <algorithm>

#include <fmt/format.h>

#include "ir/eval/host/host_run.h"
#include "ir/ops/host.h"

namespace tsr::ir::eval {

const Program& HostRun::program_of(const Function& kernel) {
    const auto found = programs_.find(&kernel);
    if (found != programs_.end()) return found->second;
    auto made = compile_kernel(kernel, options_);
    if (auto* failure = std::get_if<CompileFailure>(&made)) {
        outcome_.failure = Report{ReportKind::failure, kernel.name, failure->message, failure->place, {}, {}};
        throw HostFailure{failure->message};
    }
    return programs_.emplace(&kernel, std::move(std::get<Program>(made))).first->second;
}

// What the kernel says itself: groups per axis, or tiles of a flat kernel.
LaunchSize HostRun::own_size(const Function& kernel, std::span<const KernelArgument> arguments,
                             const SymbolValues& symbols) {
    if (!kernel.kernel.launch.valid()) return {};
    auto made = compile_launch(kernel);
    if (auto* failure = std::get_if<CompileFailure>(&made)) throw HostFailure{failure->message};
    Launch launch;
    launch.program = &std::get<Program>(made);
    launch.ops = &lane_ops();
    launch.options = &options_;
    Runner runner(launch, arguments, symbols);
    runner.run();
    if (launch.outcome.failure) throw HostFailure{launch.outcome.failure->message};
    std::vector<int64_t> counts;
    for (const Operand& count : launch.program->results) counts.push_back(runner.machine().at<int64_t>(count.slot));
    LaunchSize size;
    for (size_t k = 0; k < counts.size(); ++k) size.total *= std::max<int64_t>(counts[k], 0);
    // The first axis of a tuple of groups is x; more axes than three are counted along z.
    for (size_t k = 0; k < counts.size(); ++k) size.groups[std::min<size_t>(k, 2)] *= std::max<int64_t>(counts[k], 0);
    return size;
}

// What the operands are for the kernel. Of a graph each tensor that it writes is a copy, which the launch gives.
HostRun::Values HostRun::launched_values(Frame& frame, OpId id) {
    const LaunchOp op(*frame.function, id);
    Values given;
    for (ValueId v : op.op().operands) given.push_back(value(frame, v));
    if (frame.function->level != Level::graph) return given;
    const std::vector<int64_t> written = op.written();
    for (size_t i = 0; i < given.size(); ++i) {
        if (given[i].kind() != TypeKind::tensor) continue;
        const bool writes = std::ranges::find(written, static_cast<int64_t>(i)) != written.end();
        TsrTensor* tensor = given[i].slot().tensor;
        TsrSlot slot{};
        slot.tensor = writes ? api_.copy(tensor, nullptr) : api_.contiguous(tensor, nullptr);
        given[i] = HostValue::owned(api_, TypeKind::tensor, slot);
    }
    return given;
}

// The numbers of groups that the launch says.
std::vector<int64_t> HostRun::launch_arguments(const Values& values, const Op& op, const Function& kernel,
                                               std::vector<KernelArgument>& arguments, SymbolValues& symbols) {
    if (op.operands.size() < kernel.params().size()) {
        throw HostFailure{fmt::format("'{}' is launched with too few arguments", kernel.name)};
    }
    size_t at = 0;
    for (ValueId param : kernel.params()) {
        const Type& type = kernel.type(param);
        const HostValue& given = values[at++];
        if (type.kind != TypeKind::tensor) {
            arguments.emplace_back(ScalarValue{type.elem, given.bits()});
            continue;
        }
        const TsrTensor& tensor = *given.slot().tensor;
        if (api_.is_dense(&tensor) == 0) throw HostFailure{"a kernel is given a tensor that is not dense"};
        arguments.emplace_back(TensorRef{
            tensor.dl.data, static_cast<DType>(tensor.dtype), {tensor.dl.shape, tensor.dl.shape + tensor.dl.ndim}});
    }
    if (const AttrValue* names = op.attrs.find(Attr::names)) {
        for (const std::string& name : std::get<std::vector<std::string>>(*names)) {
            symbols.emplace_back(name, static_cast<int64_t>(values[at++].bits()));
        }
    }
    std::vector<int64_t> counts;
    for (; at < values.size(); ++at) counts.push_back(static_cast<int64_t>(values[at].bits()));
    return counts;
}

LaunchSize HostRun::launch_size(const Op& op, const Function& kernel, const std::vector<int64_t>& counts,
                                std::span<const KernelArgument> arguments, const SymbolValues& symbols) {
    if (op.attrs.has(Attr::lowered)) {
        if (counts.size() < 4) throw HostFailure{"a lowered launch ends with three numbers of groups and their total"};
        return {{counts[0], counts[1], counts[2]}, counts[3]};  // of the first point
    }
    if (counts.empty()) return own_size(kernel, arguments, symbols);
    const LaunchSize size = said_size(counts);
    if (kernel.kernel.flat) return {{size.total * 128, 1, 1}, size.total * 128};  // `k[g](…)` is g * 128 tiles
    return size;
}

LaunchSize HostRun::said_size(const std::vector<int64_t>& counts) {
    LaunchSize size;
    for (size_t k = 0; k < counts.size() && k < 3; ++k) {
        size.groups[k] = std::max<int64_t>(counts[k], 0);
        size.total *= size.groups[k];
    }
    return size;
}

KernelOutcome HostRun::run_group_form(const Values& values, const Op& op, const Function& kernel) {
    Launch launch;
    launch.program = &program_of(kernel);
    launch.ops = &lane_ops();
    launch.options = &options_;
    launch.outcome.reports = std::move(outcome_.reports);
    launch.reported = std::move(reported_);
    std::vector<KernelArgument> arguments;
    SymbolValues symbols;
    const std::vector<int64_t> counts = launch_arguments(values, op, kernel, arguments, symbols);
    launch.size = launch_size(op, kernel, counts, arguments, symbols);
    Runner(launch, arguments, symbols).run();
    outcome_.reports = std::move(launch.outcome.reports);
    reported_ = std::move(launch.reported);
    return std::move(launch.outcome);
}

KernelOutcome HostRun::run_as_asked(const Values& values, const Op& op, const Function& kernel) {
    std::vector<KernelArgument> arguments;
    SymbolValues symbols;
    const std::vector<int64_t> counts = launch_arguments(values, op, kernel, arguments, symbols);
    const auto said = counts.empty() ? std::nullopt : std::optional(said_size(counts));
    return options_.run_launch(kernel, arguments, said, options_, symbols);
}

void HostRun::launch(Frame& frame, OpId id) {
    const Op& op = frame.function->op(id);
    const std::string& name = op.attrs.string(Attr::callee);
    const Function* kernel = module_.find(name);
    if (kernel == nullptr || !kernel->is_kernel) throw HostFailure{fmt::format("there is no kernel '{}'", name)};
    const Values values = launched_values(frame, id);
    KernelOutcome made =
        options_.run_launch != nullptr ? run_as_asked(values, op, *kernel) : run_group_form(values, op, *kernel);
    for (std::string& line : made.printed) {
        if (options_.print_line)
            options_.print_line(line);
        else
            outcome_.printed.push_back(std::move(line));
    }
    if (made.failure) {
        outcome_.failure = std::move(made.failure);
        throw HostFailure{outcome_.failure->message};
    }
    size_t next = 0;
    for (int64_t number : LaunchOp(*frame.function, id).written()) {
        value(frame, op.results[next++]) = values[static_cast<size_t>(number)];
    }
    if (next == op.results.size()) return;
    const DType type = frame.function->type(op.results[next]).elem;
    value(frame, op.results[next]) = HostValue::scalar(canonical(type, made.result ? made.result->bits : 0));
}

}  // namespace tsr::ir::eval
