#include "ir/eval/one_tile/run.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/eval/one_tile/team.h"

namespace tsr::ir::eval {

namespace {

constexpr size_t kTilesAtOnce = 256;  // of a flat kernel

void bind(one_tile::Launch& launch) {
    const Function& kernel = launch.kernel;
    if (launch.arguments.size() != kernel.params().size()) {
        one_tile::stop(kernel, {},
                       fmt::format("{} arguments, needs {}", launch.arguments.size(), kernel.params().size()));
    }
    for (size_t i = 0; i < launch.arguments.size(); ++i) {
        const Type& type = kernel.type(kernel.params()[i]);
        const auto* tensor = std::get_if<TensorRef>(&launch.arguments[i]);
        const bool fits =
            tensor != nullptr
                ? type.kind == TypeKind::tensor && tensor->elem == type.elem && tensor->shape.size() == type.rank()
                : type.is_scalar() && std::get<ScalarValue>(launch.arguments[i]).type == type.elem;
        if (!fits) one_tile::stop(kernel, {}, fmt::format("argument {} does not fit {}", i + 1, type.text()));
        if (tensor == nullptr) continue;
        launch.tensors.push_back(one_tile::Memory::of_tensor(kernel.value(kernel.params()[i]).name, *tensor));
        for (size_t k = 0; k < type.rank(); ++k) {
            if (auto symbol = type.shape[k].symbol_name()) launch.symbols.emplace_back(*symbol, tensor->shape[k]);
        }
    }
}

void run(one_tile::Launch& launch, const std::optional<LaunchSize>& size) {
    const Function& kernel = launch.kernel;
    if (!kernel.is_kernel || kernel.level != Level::tile) one_tile::stop(kernel, {}, "this function is not a kernel");
    bind(launch);
    const auto own = size && !launch.who.is_elements() ? size : own_size(launch);
    if (!own) {
        one_tile::stop(
            kernel, {},
            fmt::format("how many tiles `{}` runs must be said at the launch: no guard stands around all its "
                        "writes, and no single `mut` tensor gives a number",
                        kernel.name));
    }
    launch.size = *own;
    if (size && size->total == 0) launch.size.total = 0;
    constexpr int64_t kFlatGroup = 128;  // `k[g](…)` of a flat kernel is g * 128 tiles
    if (size && launch.who.flat) launch.size.total *= kFlatGroup;
    if (launch.who.flat) {
        one_tile::Team(launch, kTilesAtOnce).run_flat();
    } else if (launch.who.is_elements()) {
        one_tile::Team(launch, kTilesAtOnce).run_elements();
    } else {
        one_tile::Team team(launch, static_cast<size_t>(kernel.kernel.group_size()));
        for (int64_t group = 0; group < launch.size.total; ++group) team.run_group(group);
    }
}

}  // namespace

KernelOutcome run_one_tile(const Function& kernel, std::span<const KernelArgument> arguments,
                           const std::optional<LaunchSize>& size, const EvalOptions& options,
                           const SymbolValues& symbols) {
    const one_tile::Who who = one_tile::who_does(kernel);
    one_tile::Launch launch{kernel, who, options, arguments, symbols, {}, {}, {}, {}, {}};
    try {
        run(launch, size);
    } catch (one_tile::Stopped& stopped) {
        launch.outcome.failure = std::move(stopped.report);
    }
    std::ranges::stable_sort(launch.lines, {},
                             [](const PrintLine& line) { return std::tuple(line.group, line.region, line.tile); });
    for (PrintLine& line : launch.lines) launch.outcome.printed.push_back(std::move(line.text));
    return std::move(launch.outcome);
}

}  // namespace tsr::ir::eval
