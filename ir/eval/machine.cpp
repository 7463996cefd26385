// Runs the groups of a launch one after the other.
#include "ir/eval/machine.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/eval/packed.h"

namespace tsr::ir::eval {

Actor Machine::actor_of(size_t lane) const {
    if (!in_lanes) return {static_cast<uint32_t>(unit), kGroupItself};
    if (over == LanesOver::domain) return {static_cast<uint32_t>(tile_of(lane)), 0};
    return {static_cast<uint32_t>(unit), static_cast<int32_t>(tile_of(lane))};
}

std::vector<Actor> Machine::actors_of_all() const {
    if (!in_lanes) return {actor_of(0)};
    size_t first = 0;
    while (first + 1 < n && mask[first] == 0) ++first;
    size_t last = n - 1;
    while (last > first && mask[last] == 0) --last;
    if (first == last) return {actor_of(first)};
    return {actor_of(first), actor_of(last)};
}

std::string Machine::who(std::optional<size_t> lane) const {
    if (in_lanes && over == LanesOver::domain) return lane ? fmt::format("tile {}", tile_of(*lane)) : "every tile";
    std::string whose = fmt::format("group {}", group);
    if (!in_lanes || !lane) return whose;
    return fmt::format("{} {} of {}", over == LanesOver::loop ? "round" : "tile", tile_of(*lane), whose);
}

std::string Machine::who(const Actor& actor) const {
    if (in_lanes && over == LanesOver::domain) return fmt::format("tile {}", actor.unit);
    const char* unit_name = "group";
    for (const Inst& inst : program->code) {
        if (program->function->op(inst.op).kind == OpKind::grid) unit_name = "grid round";
    }
    std::string whose = fmt::format("{} {}", unit_name, actor.unit);
    if (actor.tile == kGroupItself) return whose;
    // Rounds race with rounds of their own loop alone, tiles with tiles.
    return fmt::format("{} {} of {}", in_lanes && over == LanesOver::loop ? "round" : "tile", actor.tile, whose);
}

const Inst* Machine::fail(const Inst& inst, std::string message, std::optional<size_t> lane) {
    if (lane) message += fmt::format(", in {}", who(lane));
    const Function& function = *program->function;
    Report failure{ReportKind::failure, function.name, std::move(message), {}, {}, {}};
    const PlaceId place = function.op(inst.op).place;
    if (place.valid()) failure.place = function.place_of(place);
    launch->outcome.failure = std::move(failure);
    return nullptr;
}

void Machine::report(ReportKind kind, OpId op, std::string message, OpId other, std::string other_text) {
    std::vector<Report>& reports = launch->outcome.reports;
    if (reports.size() >= launch->options->report_limit) return;
    const Function& function = *program->function;
    if (!launch->reported.insert({&function, kind, op.index, other.index}).second) return;
    Report made{kind, function.name, std::move(message), {}, {}, std::move(other_text)};
    if (function.op(op).place.valid()) made.place = function.place_of(function.op(op).place);
    if (other.valid() && function.op(other).place.valid()) made.other = function.place_of(function.op(other).place);
    reports.push_back(std::move(made));
}

void Machine::forget_buffers(uint32_t kept) {
    for (size_t i = 0; i < views.size(); ++i) {
        if (program->views[i].buffer && program->views[i].of == i && views[i].shadow != nullptr) {
            views[i].shadow->forget(kept, static_cast<uint32_t>(unit));
        }
    }
}

bool Machine::too_many_rounds() {
    const uint64_t limit = launch->options->round_limit;
    return ++rounds > limit && limit != 0;
}

Runner::Runner(Launch& launch, std::span<const KernelArgument> arguments, const SymbolValues& symbols)
    : launch_(launch) {
    const Program& program = *launch.program;
    frame_.assign(program.frame_bytes + 64, 0);
    machine_.launch = &launch;
    machine_.program = &program;
    machine_.ops = launch.ops;
    const auto address = reinterpret_cast<uintptr_t>(frame_.data());
    machine_.frame = frame_.data() + (64 - address % 64) % 64;
    machine_.offsets.assign(program.lanes, 0);
    machine_.inside.assign(program.lanes, 0);
    machine_.shared.assign(program.shared_bytes + 64, 0);
    for (const auto& [slot, bits] : program.constants) machine_.at<uint64_t>(slot) = bits;
    std::fill_n(machine_.bytes(program.mask), program.lanes, uint8_t{1});
    ready_ = bind(arguments, symbols);
}

namespace {

void refuse(Launch& launch, std::string message) {
    const Function& function = *launch.program->function;
    Report failure{ReportKind::failure, function.name, std::move(message), {}, {}, {}};
    if (function.place.valid()) failure.place = function.place_of(function.place);
    launch.outcome.failure = std::move(failure);
}

}  // namespace

bool Runner::bind(std::span<const KernelArgument> arguments, const SymbolValues& symbols) {
    const Program& program = *machine_.program;
    const Function& function = *program.function;
    if (arguments.size() != function.params().size()) {
        refuse(launch_, fmt::format("{} arguments, needs {}", arguments.size(), function.params().size()));
        return false;
    }
    SymbolValues all = symbols;
    for (size_t i = 0; i < arguments.size(); ++i) {
        const Type& type = function.type(function.params()[i]);
        const auto* tensor = std::get_if<TensorRef>(&arguments[i]);
        const bool fits = tensor != nullptr ? type.kind == TypeKind::tensor && tensor->elem == type.elem &&
                                                  tensor->shape.size() == type.rank()
                                            : type.is_scalar() && std::get<ScalarValue>(arguments[i]).type == type.elem;
        if (!fits) {
            refuse(launch_, fmt::format("argument {} does not fit {}", i + 1, type.text()));
            return false;
        }
        if (tensor == nullptr) {
            machine_.at<uint64_t>(program.params[i]) = std::get<ScalarValue>(arguments[i]).bits;
            continue;
        }
        for (size_t k = 0; k < type.rank(); ++k) {
            if (auto symbol = type.shape[k].symbol_name()) all.emplace_back(*symbol, tensor->shape[k]);
        }
    }
    fill_views(arguments);
    if (!fill_dims(all)) return false;
    for (const FillAtLaunch& fill : program.fills) {
        for (uint32_t k = 0; k < fill.components; ++k) {
            machine_.ops->fill(fill.size)(machine_.bytes(fill.to) + static_cast<size_t>(k) * program.lanes * fill.size,
                                          machine_.bytes(fill.from) + static_cast<size_t>(k) * fill.size, nullptr,
                                          nullptr, program.lanes);
        }
    }
    return true;
}

bool Runner::fill_dims(const SymbolValues& symbols) {
    const auto value_of = [&](const std::string& symbol) -> std::optional<int64_t> {
        for (const auto& [name, value] : symbols) {
            if (name == symbol) return value;
        }
        return std::nullopt;
    };
    for (const DimSlot& dim : machine_.program->dims) {
        const std::optional<int64_t> value = dim.dim.evaluate(value_of);
        if (!value) {
            refuse(launch_, fmt::format("the dimension {} has no value in this launch", dim.dim.text()));
            return false;
        }
        machine_.at<int64_t>(dim.slot) = *value;
    }
    return true;
}

void Runner::fill_views(std::span<const KernelArgument> arguments) {
    const Program& program = *machine_.program;
    const Function& function = *program.function;
    machine_.views.assign(program.views.size(), {});
    size_t param = 0;
    for (size_t i = 0; i < program.views.size(); ++i) {
        const ViewData& data = program.views[i];
        if (data.of != i) continue;  // of a stage: made when the kernel asks for it
        View& view = machine_.views[i];
        view.elem = data.elem;
        view.rank = data.shape.size();
        if (data.buffer) {
            const auto address = reinterpret_cast<uintptr_t>(machine_.shared.data());
            view.data = machine_.shared.data() + (64 - address % 64) % 64 + data.offset;
            for (size_t k = 0; k < view.rank; ++k) view.extent[k] = data.shape[k].constant_value().value_or(0);
        } else {
            while (function.type(function.params()[param]).kind != TypeKind::tensor) ++param;
            const auto& tensor = std::get<TensorRef>(arguments[param++]);
            view.data = static_cast<uint8_t*>(tensor.data);
            view.packed = is_packed(data.elem);
            std::copy(tensor.shape.begin(), tensor.shape.end(), view.extent.begin());
        }
        int64_t stride = 1;
        for (size_t k = view.rank; k-- > 0;) {
            view.stride[k] = stride;
            const bool row = view.packed && k + 1 == view.rank;
            const int64_t pack = pack_size(data.elem);
            stride *= row ? (view.extent[k] + pack - 1) / pack * pack : view.extent[k];
        }
        view.elements = stride;
        if (launch_.options->sanitizers.race) {
            view.shadow = &launch_.shadows.emplace_back(stride * static_cast<int64_t>(data.stages));
        }
    }
}

void Runner::run_group(int64_t group) {
    machine_.group = machine_.unit = group;
    machine_.in_lanes = false;
    machine_.first_round = 0;
    machine_.n = machine_.active = machine_.program->group_size;
    machine_.mask = machine_.bytes(machine_.program->mask);
    machine_.rounds = 0;
    machine_.copies.clear();
    machine_.commits = 0;
    machine_.region = 0;
    machine_.epoch = ++machine_.clock;
    machine_.forget_buffers(0);
    const Inst* at = machine_.program->code.data();
    while (at != nullptr) at = at->step(machine_, *at);
}

void Runner::run() {
    if (!ready_) return;
    // A flat kernel's region goes over all tiles itself. Without any nothing happens.
    const int64_t groups = machine_.program->flat ? std::min<int64_t>(launch_.size.total, 1) : launch_.size.total;
    for (int64_t group = 0; group < groups && !launch_.outcome.failure; ++group) run_group(group);
    std::ranges::stable_sort(launch_.lines, {},
                             [](const PrintLine& line) { return std::tuple(line.group, line.region, line.tile); });
    for (PrintLine& line : launch_.lines) launch_.outcome.printed.push_back(std::move(line.text));
}

KernelOutcome run_kernel(const Function& kernel, std::span<const KernelArgument> arguments, const LaunchSize& size,
                         const EvalOptions& options, const SymbolValues& symbols) {
    auto compiled = compile_kernel(kernel, options);
    if (auto* failure = std::get_if<CompileFailure>(&compiled)) {
        KernelOutcome refused;
        refused.failure = Report{ReportKind::failure, kernel.name, failure->message, failure->place, {}, {}};
        return refused;
    }
    Launch launch;
    launch.program = &std::get<Program>(compiled);
    launch.ops = &lane_ops();
    launch.options = &options;
    launch.size = size;
    Runner(launch, arguments, symbols).run();
    return std::move(launch.outcome);
}

}  // namespace tsr::ir::eval
