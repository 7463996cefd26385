#include "ir/eval/compile.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/core/total.h"
#include "ir/eval/expanded.h"
#include "ir/eval/machine.h"
#include "ir/eval/steps.h"
#include "ir/ops/record.h"

namespace tsr::ir::eval {

namespace {
// Lanes of one chunk of a tile loop or a flat launch: enough to hide what an instruction costs, few enough that the
// values of a kernel stay in the caches.
constexpr uint32_t kChunk = 1024;

bool fits_a_frame(const Type& tile) {
    uint64_t bytes = stored_size(tile.elem);
    for (const Dim& extent : tile.shape) {
        const auto count = static_cast<uint64_t>(extent.constant_value().value_or(0));
        if (count == 0 || bytes > UINT32_MAX / count) return false;
        bytes *= count;
    }
    return true;
}
}  // namespace

Compiler::Compiler(const Function& function, const EvalOptions& options, size_t written_ops)
    : fn_(function), options_(options), ops_(lane_ops()), written_ops_(written_ops) {
    program_.function = &function;
    homes_.resize(function.value_count());
    view_of_.assign(function.value_count(), 0);
    dying_.resize(function.op_count());
}

bool Compiler::refuse(OpId id, std::string message) {
    if (failure_) return false;
    failure_ = CompileFailure{std::move(message), {}};
    const PlaceId place = id.valid() ? fn_.op(id).place : fn_.place;
    if (place.valid()) failure_->place = fn_.place_of(place);
    return false;
}

Inst& Compiler::emit(Step step, OpId op) {
    Inst& inst = program_.code.emplace_back();
    inst.step = step;
    inst.op = op;
    return inst;
}

const std::vector<ValueId>& Compiler::yielded(RegionId id) const { return fn_.op(fn_.region(id).ops.back()).operands; }

void Compiler::region(RegionId id) {
    for (OpId at : fn_.region(id).ops) {
        if (fn_.op(at).kind == OpKind::yield) break;
        op(at);
        if (failure_) return;
        release_after(at);
    }
}

struct Compiler::Runs {
    static constexpr Row<void (Compiler::*)(OpId, const Op&)> kRows[]{
        {OpKind::constant, &Compiler::constant},
        {OpKind::yield, &Compiler::not_run},  // ends a region: compiled with it
        {OpKind::for_, &Compiler::for_loop},
        {OpKind::while_, &Compiler::while_loop},
        {OpKind::if_, &Compiler::branch},
        {OpKind::call, &Compiler::not_run},
        {OpKind::dim, &Compiler::dimension},
        {OpKind::print, &Compiler::text},
        {OpKind::assert_, &Compiler::text},

        {OpKind::read, &Compiler::access},
        {OpKind::write, &Compiler::access},
        {OpKind::read_vector, &Compiler::access},
        {OpKind::write_vector, &Compiler::access},
        {OpKind::vector_extract, &Compiler::vector_extract},
        {OpKind::vector_build, &Compiler::vector_build},

        {OpKind::tile_id, &Compiler::not_run},  // gone in the group's form
        {OpKind::lane_id, &Compiler::lane_number},
        {OpKind::group_id, &Compiler::group_number},
        {OpKind::group_size, &Compiler::group_size},
        {OpKind::group_count, &Compiler::group_number},
        {OpKind::buffer, &Compiler::buffer},
        {OpKind::stage, &Compiler::stage},
        {OpKind::atomic, &Compiler::access},
        {OpKind::copy_async, &Compiler::copy_async},
        {OpKind::commit, &Compiler::commit},
        {OpKind::wait_group, &Compiler::wait_group},
        {OpKind::barrier, &Compiler::barrier},
        {OpKind::acquire, &Compiler::acquire},
        {OpKind::fill, &Compiler::commit},
        {OpKind::take, &Compiler::take},
        {OpKind::release, &Compiler::release},
        {OpKind::group_reduce, &Compiler::across_lanes},
        {OpKind::group_scan, &Compiler::across_lanes},
        {OpKind::shuffle, &Compiler::across_lanes},
        {OpKind::broadcast, &Compiler::across_lanes},
        {OpKind::ballot, &Compiler::across_lanes},
        {OpKind::buffer_reduce, &Compiler::reduction},
        {OpKind::grid, &Compiler::grid},
        {OpKind::lanes, &Compiler::lanes},
        {OpKind::lane_read, &Compiler::lane_read},
        {OpKind::result, &Compiler::group_result},
    };
    static constexpr Total<kRows, kControlFamily, kMemoryFamily, kTileFamily> kTable{};
};

void Compiler::not_run(OpId id, const Op& op) {
    refuse(id, op.kind == OpKind::tile_id ? "the kernel is the program of one tile: the evaluator runs the group's form"
                                          : fmt::format("the evaluator does not run '{}' in a kernel", name(op.kind)));
}

void Compiler::op(OpId id) {
    const Op& op = fn_.op(id);
    const auto begin = program_.code.size();
    const auto is_tile = [&](ValueId v) { return fn_.type(v).kind == TypeKind::tile; };
    if (in_lanes_ && (std::ranges::any_of(op.operands, is_tile) || std::ranges::any_of(op.results, is_tile)))
        refuse(id, fmt::format("'{}' of a register tile stands among the code of one tile", name(op.kind)));
    else if (is_element(op.kind))
        element(id, op);
    else if (Runs::kTable.has(op.kind))
        (this->*Runs::kTable[op.kind].answer)(id, op);
    else if (!tile_operation(id, op))
        not_run(id, op);
    // Helpers of an operation speak for it.
    for (size_t i = begin; i < program_.code.size(); ++i) {
        if (!program_.code[i].op.valid()) program_.code[i].op = id;
    }
}

std::variant<Program, CompileFailure> Compiler::kernel() {
    if (!fn_.is_kernel || fn_.level != Level::tile) refuse({}, "this function is not a kernel");
    const int64_t group_size = fn_.kernel.group_size();
    if (group_size < 1 || group_size > 1 << 20) refuse({}, fmt::format("a group of {} tiles", group_size));
    for (size_t v = 0; v < fn_.value_count(); ++v) {
        const Type& type = fn_.type(ValueId(v));
        if (type.is_memory() && type.rank() > kMaxRank) {
            refuse({}, fmt::format("{} has more than {} axes", type.text(), kMaxRank));
        }
        if (type.kind == TypeKind::tile && !fits_a_frame(type)) {
            refuse(fn_.value(ValueId(v)).op, fmt::format("{} does not fit a frame of 4 GiB", type.text()));
        }
        if (type.elem == DType::c64 && type.kind != TypeKind::none) refuse({}, "the evaluator has no complex numbers");
    }
    if (failure_) return *failure_;
    program_.group_size = static_cast<uint32_t>(group_size);
    program_.lanes = (std::max(kChunk, program_.group_size) + 63) / 64 * 64;
    facts_ = analyze(fn_);
    for (size_t v = 0; v < fn_.value_count(); ++v) {
        const OpId last = facts_.last_use[v].valid() ? facts_.last_use[v] : fn_.value(ValueId(v)).op;
        if (last.valid()) dying_[last.index].emplace_back(v);
    }
    program_.mask = frame_.take(program_.lanes);
    take_params();
    region(fn_.body);
    emit(&steps::stop, fn_.region(fn_.body).ops.empty() ? OpId{} : fn_.region(fn_.body).ops.back());
    if (frame_.bytes() > UINT32_MAX) refuse({}, "the values of this kernel do not fit a frame of 4 GiB");
    if (failure_) return *failure_;
    program_.frame_bytes = frame_.bytes();
    return std::move(program_);
}

std::variant<Program, CompileFailure> Compiler::launch_region() {
    program_.group_size = 1;
    program_.lanes = 64;
    facts_ = analyze(fn_);
    program_.mask = frame_.take(program_.lanes);
    take_params();
    region(fn_.kernel.launch);
    if (failure_) return *failure_;
    for (ValueId v : yielded(fn_.kernel.launch)) program_.results.push_back({wide_one(v), true});
    emit(&steps::stop, fn_.region(fn_.kernel.launch).ops.back());
    program_.frame_bytes = frame_.bytes();
    return std::move(program_);
}

std::variant<Program, CompileFailure> compile_launch(const Function& kernel) {
    const EvalOptions plain;
    return Compiler(kernel, plain, kernel.op_count()).launch_region();
}

std::variant<Program, CompileFailure> compile_kernel(const Function& kernel, const EvalOptions& options) {
    const Expanded expanded = with_math_expanded(kernel, options.sanitizers.nan);
    auto made = Compiler(expanded.function ? *expanded.function : kernel, options, expanded.written_ops).kernel();
    if (auto* program = std::get_if<Program>(&made)) program->own = expanded.function;
    return made;
}

}  // namespace tsr::ir::eval
