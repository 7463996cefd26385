#include "ir/eval/host/host_run.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/core/total.h"
#include "ir/eval/graph/operations.h"
#include "ir/eval/signature.h"
#include "ir/eval/text_parts.h"
#include "ir/law/scalar.h"
#include "ir/ops/bound_dim.h"
#include "ir/ops/control.h"
#include "ir/ops/host.h"
#include "ir/ops/memory.h"
#include "ir/ops/record.h"

namespace tsr::ir::eval {

namespace {

// Deep enough for any program that ends, shallow enough for the stack.
constexpr size_t kDepth = 500;

[[noreturn]] void fail(std::string message) { throw HostFailure{std::move(message)}; }

void on_failure(void*, const TsrPlace*, const char* message) { fail(message); }

}  // namespace

ProgramOutcome HostRun::run(const std::string& entry, std::span<const TsrSlot> arguments) {
    api_.set_failure_handler(&on_failure, nullptr);
    try {
        const Function* function = module_.find(entry);
        if (function == nullptr || function->is_kernel) fail(fmt::format("there is no host function '{}'", entry));
        function_ = function;
        if (arguments.size() != function->params().size()) {
            fail(fmt::format("{} arguments for '{}', needs {}", arguments.size(), entry, function->params().size()));
        }
        Values given;
        for (size_t i = 0; i < arguments.size(); ++i) {
            const Type& type = function->type(function->params()[i]);
            given.push_back(type.is_scalar() ? HostValue::scalar(canonical(type.elem, arguments[i].bits))
                                             : HostValue::borrowed(api_, type.kind, arguments[i]));
        }
        Values results = call(*function, given);
        for (HostValue& result : results) outcome_.results.push_back(result.release());
    } catch (const HostFailure& failure) {
        if (!outcome_.failure) {
            Report report{ReportKind::failure, entry, failure.message, {}, {}, {}};
            if (function_ != nullptr) {
                report.function = function_->name;
                const PlaceId place = at_.valid() ? function_->op(at_).place : function_->place;
                if (place.valid()) report.place = function_->place_of(place);
            }
            outcome_.failure = std::move(report);
        }
        note_callers();
    }
    api_.set_failure_handler(nullptr, nullptr);
    return std::move(outcome_);
}

// The launch of the kernel that failed is the first of them.
void HostRun::note_callers() {
    if (function_ != nullptr && at_.valid()) callers_.emplace_back(function_, at_);
    for (size_t i = callers_.size(); i-- > 0;) {
        const auto& [function, at] = callers_[i];
        const Op& op = function->op(at);
        const bool calls = op.kind == OpKind::call || op.kind == OpKind::launch;
        if (op.place.valid() && calls)
            outcome_.callers.push_back({function->place_of(op.place), op.attrs.string(Attr::callee)});
    }
}

HostRun::Values HostRun::call(const Function& function, const Values& arguments) {
    const Function* caller = function_;
    const OpId caller_at = at_;
    if (++depth_ > kDepth) fail("calls are nested too deeply");
    if (caller != nullptr && caller_at.valid()) callers_.emplace_back(caller, caller_at);
    Frame frame;
    frame.function = &function;
    frame.values.resize(function.value_count());
    function_ = &function;
    at_ = {};
    check_arguments(frame, arguments);
    for (size_t i = 0; i < arguments.size(); ++i) value(frame, function.params()[i]) = arguments[i];
    Values results = region(frame, function.body);
    const bool leaves_graph = function.level == Level::graph && (caller == nullptr || caller->level != Level::graph);
    if (leaves_graph) results = own_results(std::move(results), arguments);
    --depth_;
    if (caller != nullptr && caller_at.valid()) callers_.pop_back();
    function_ = caller;
    at_ = caller_at;
    return results;
}

void HostRun::check_arguments(Frame& frame, const Values& arguments) {
    const Function& function = *frame.function;
    const bool any_tensor =
        std::ranges::any_of(function.params(), [&](ValueId v) { return function.type(v).kind == TypeKind::tensor; });
    if (!any_tensor && function.symbols.empty()) return;
    const Signature signature(function);
    std::vector<TsrSlot> slots;
    for (const HostValue& argument : arguments) slots.push_back(argument.slot());
    std::vector<int64_t> dims(function.symbols.size() + 1, -1);
    api_.check_arguments(&signature.data(), slots.data(), dims.data(), nullptr);
    for (size_t i = 0; i < function.symbols.size(); ++i) {
        if (dims[i] >= 0) frame.symbols[function.symbols[i]] = dims[i];  // else no argument binds it
    }
}

// Who calls a graph may write each tensor that it gives: what it passes on of its arguments or gives twice is copied.
HostRun::Values HostRun::own_results(Values results, const Values& arguments) {
    std::set<const TsrTensor*> taken;
    for (const HostValue& argument : arguments) {
        if (argument.kind() == TypeKind::tensor) taken.insert(argument.slot().tensor);
    }
    for (HostValue& result : results) {
        if (result.kind() != TypeKind::tensor || taken.insert(result.slot().tensor).second) continue;
        TsrSlot copy{};
        copy.tensor = api_.copy(result.slot().tensor, nullptr);
        result = HostValue::owned(api_, TypeKind::tensor, copy);
    }
    return results;
}

HostRun::Values HostRun::region(Frame& frame, RegionId id) {
    for (OpId at : frame.function->region(id).ops) {
        const Op& here = frame.function->op(at);
        if (here.kind == OpKind::yield) {
            Values yielded;
            for (ValueId v : here.operands) yielded.push_back(value(frame, v));
            return yielded;
        }
        at_ = at;
        op(frame, at);
    }
    return {};
}

int64_t HostRun::integer(Frame& frame, ValueId v) { return static_cast<int64_t>(value(frame, v).bits()); }

std::vector<int64_t> HostRun::integers(Frame& frame, std::span<const ValueId> values) {
    std::vector<int64_t> out;
    for (ValueId v : values) out.push_back(integer(frame, v));
    return out;
}

void HostRun::bind_args(Frame& frame, RegionId region, size_t first, Values values) {
    const auto& args = frame.function->region(region).args;
    for (size_t i = 0; i < values.size(); ++i) value(frame, args[first + i]) = std::move(values[i]);
}

void HostRun::set_results(Frame& frame, const Op& op, Values values) {
    for (size_t i = 0; i < op.results.size(); ++i) value(frame, op.results[i]) = std::move(values[i]);
}

void HostRun::count_round() {
    if (++rounds_ > options_.round_limit && options_.round_limit != 0) {
        fail(fmt::format("more than {} rounds of loops", options_.round_limit));
    }
}

void HostRun::for_loop(Frame& frame, const Op& op) {
    const ForOp loop(*frame.function, op);
    const DType type = frame.function->type(loop.lower()).elem;
    const auto test = [&](OpKind kind, uint64_t a, uint64_t b) {
        const Bits operands[] = {a, b};
        return fold(kind, type, DType::boolean, operands).value_or(0) != 0;
    };
    uint64_t iv = value(frame, loop.lower()).bits();
    const uint64_t upper = value(frame, loop.upper()).bits();
    const uint64_t step = value(frame, loop.step()).bits();
    const bool up = test(OpKind::gt, step, 0);
    Values carried;
    for (ValueId init : loop.inits()) carried.push_back(value(frame, init));
    while (step != 0 && test(up ? OpKind::lt : OpKind::gt, iv, upper)) {
        count_round();
        value(frame, frame.function->region(op.regions[0]).args[0]) = HostValue::scalar(iv);
        bind_args(frame, op.regions[0], 1, std::move(carried));
        carried = region(frame, op.regions[0]);
        const Bits sum[] = {iv, step};
        const uint64_t next = fold(OpKind::add, type, type, sum).value_or(iv);
        if (!test(up ? OpKind::gt : OpKind::lt, next, iv)) break;  // past the end of its type
        iv = next;
    }
    set_results(frame, op, std::move(carried));
}

void HostRun::while_loop(Frame& frame, const Op& op) {
    Values carried;
    for (ValueId v : op.operands) carried.push_back(value(frame, v));
    while (true) {
        count_round();
        bind_args(frame, op.regions[0], 0, carried);
        if ((region(frame, op.regions[0])[0].bits() & 1) == 0) break;
        bind_args(frame, op.regions[1], 0, std::move(carried));
        carried = region(frame, op.regions[1]);
    }
    set_results(frame, op, std::move(carried));
}

void HostRun::element(Frame& frame, const Op& op) {
    std::vector<Bits> operands;
    for (ValueId v : op.operands) operands.push_back(value(frame, v).bits());
    const Function& fn = *frame.function;
    const Type& computed = ElementwiseOp(fn, op).computes_in();
    const DType type = computed.elem;
    if (op.kind == OpKind::select && !computed.is_scalar()) {
        const SelectOp select(fn, op);
        const bool holds = (value(frame, select.condition()).bits() & 1) != 0;
        value(frame, op.results[0]) = value(frame, holds ? select.then() : select.otherwise());
        return;
    }
    const bool divides = op.kind == OpKind::floordiv || op.kind == OpKind::mod;
    if (divides && is_integer(type) && operands.back() == 0) {
        fail(op.kind == OpKind::mod ? "integer modulo by zero" : "integer division by zero");
    }
    const Element law = numbers_.find(fn, op);
    if (!law.known()) fail(fmt::format("the evaluator has no '{}' of {}", name(op.kind), tsr::name(type)));
    set(frame, op, law(operands.data()));
}

// An operation of a graph.
void HostRun::on_tensors(Frame& frame, OpId id) {
    const Op& op = frame.function->op(id);
    graph::TensorOp call{api_, numbers_, *frame.function, id, {}, {}};
    for (ValueId v : op.operands) call.operands.push_back(value(frame, v).slot());
    call.dimension = [&](const Dim& dim) { return find_dimension(frame, dim); };
    give(frame, op, graph::evaluate(call));
}

std::optional<int64_t> HostRun::find_dimension(const Frame& frame, const Dim& dim) {
    return dim.evaluate([&](const std::string& symbol) -> std::optional<int64_t> {
        const auto at = frame.symbols.find(symbol);
        return at == frame.symbols.end() ? std::nullopt : std::optional(at->second);
    });
}

int64_t HostRun::dimension(const Frame& frame, const Dim& dim) {
    const auto found = find_dimension(frame, dim);
    if (!found) fail(fmt::format("the dimension {} is no whole number here", dim.text()));
    return *found;
}

std::string HostRun::take(TsrString* made) const {
    std::string text(made->text, static_cast<size_t>(made->length));
    api_.string_release(made);
    return text;
}

std::string HostRun::formatted(const Type& type, const HostValue& value, const std::string& spec) {
    const char* how = spec.empty() ? nullptr : spec.c_str();
    if (type.kind == TypeKind::tensor) return take(api_.format_tensor(value.slot().tensor, how, nullptr));
    if (type.kind == TypeKind::string) return take(api_.format_string(value.slot().string, how, nullptr));
    if (type.is_container()) return take(api_.format_list(value.slot().list, nullptr));
    return take(api_.format(value.bits(), static_cast<int32_t>(type.elem), how, nullptr));
}

std::string HostRun::text(Frame& frame, const Op& op, size_t first) {
    std::string out;
    for (const TextPart& part : parse_text_parts(op.attrs.string(Attr::text))) {
        out += part.text;
        if (!part.value || first >= op.operands.size()) continue;
        const ValueId v = op.operands[first++];
        out += formatted(frame.function->type(v), value(frame, v), part.spec);
    }
    return out;
}

struct HostRun::Runs {
    static constexpr Row<void (HostRun::*)(Frame&, const Op&)> kRows[]{
        {OpKind::constant, &HostRun::constant},
        {OpKind::yield, &HostRun::not_run},  // ends a region: `region`
        {OpKind::for_, &HostRun::for_loop},
        {OpKind::while_, &HostRun::while_loop},
        {OpKind::if_, &HostRun::branch},
        {OpKind::call, &HostRun::call_function},
        {OpKind::dim, &HostRun::dim},
        {OpKind::print, &HostRun::print},
        {OpKind::assert_, &HostRun::assert_true},
        {OpKind::read, &HostRun::read},
        {OpKind::write, &HostRun::write},
        {OpKind::read_vector, &HostRun::not_run},
        {OpKind::write_vector, &HostRun::not_run},
        {OpKind::vector_extract, &HostRun::not_run},
        {OpKind::vector_build, &HostRun::not_run},
        {OpKind::launch, &HostRun::not_run},  // by its id: `op`
        {OpKind::host, &HostRun::entry},
        {OpKind::shape_of, &HostRun::shape_of},
        {OpKind::string, &HostRun::string},
    };
    static constexpr Total<kRows, kControlFamily, kMemoryFamily, kHostFamily> kTable{};
};

void HostRun::op(Frame& frame, OpId id) {
    const Op& op = frame.function->op(id);
    if (graph::is_of_tensors(*frame.function, op)) return on_tensors(frame, id);
    if (is_element(op.kind)) return element(frame, op);
    if (op.kind == OpKind::launch) return launch(frame, id);
    if (!Runs::kTable.has(op.kind)) return not_run(frame, op);
    (this->*Runs::kTable[op.kind].answer)(frame, op);
}

void HostRun::not_run(Frame&, const Op& op) {
    fail(fmt::format("the evaluator does not run '{}' in a host function", name(op.kind)));
}

void HostRun::constant(Frame& frame, const Op& op) { set(frame, op, constant_bits(op.attrs)); }

void HostRun::branch(Frame& frame, const Op& op) {
    const bool holds = (value(frame, IfOp(*frame.function, op).condition()).bits() & 1) != 0;
    set_results(frame, op, region(frame, op.regions[holds ? 0 : 1]));
}

void HostRun::call_function(Frame& frame, const Op& op) {
    const Function* callee = module_.find(op.attrs.string(Attr::callee));
    if (callee == nullptr) fail(fmt::format("there is no function '{}'", op.attrs.string(Attr::callee)));
    Values arguments;
    for (ValueId v : op.operands) arguments.push_back(value(frame, v));
    set_results(frame, op, call(*callee, arguments));
    if (frame.function->level != Level::graph) return;
    // Extents that only the host function knew.
    for (const ValueId v : op.results) {
        const Type& type = frame.function->type(v);
        if (type.kind != TypeKind::tensor) continue;
        const TsrTensor* tensor = value(frame, v).slot().tensor;
        for (size_t axis = 0; axis < type.rank(); ++axis) {
            if (const auto symbol = type.shape[axis].symbol_name()) frame.symbols[*symbol] = tensor->dl.shape[axis];
        }
    }
}

void HostRun::dim(Frame& frame, const Op& op) {
    if (BoundDimOp::is_one(op)) {
        const BoundDimOp bound(*frame.function, op);
        frame.symbols[bound.symbol()] = static_cast<int64_t>(value(frame, bound.value()).bits());
    }
    set(frame, op, static_cast<uint64_t>(dimension(frame, op.attrs.dim(Attr::dim))));
}

void HostRun::shape_of(Frame& frame, const Op& op) {
    const TsrTensor* tensor = value(frame, ShapeOfOp(*frame.function, op).tensor()).slot().tensor;
    set(frame, op, static_cast<uint64_t>(tensor->dl.shape[op.attrs.integer(Attr::axis)]));
}

HostValue HostRun::make_string(const std::string& text) {
    TsrSlot made{};
    made.string = api_.string(text.c_str(), static_cast<int64_t>(text.size()));
    return HostValue::owned(api_, TypeKind::string, made);
}

void HostRun::string(Frame& frame, const Op& op) {
    value(frame, op.results[0]) = make_string(op.attrs.string(Attr::value));
}

void HostRun::read(Frame& frame, const Op& op) {
    const ReadOp read(*frame.function, op);
    const std::vector<int64_t> index = integers(frame, read.indices());
    const uint64_t bits =
        api_.get(value(frame, read.memory()).slot().tensor, index.data(), static_cast<int32_t>(index.size()), nullptr);
    set(frame, op, canonical(frame.function->type(op.results[0]).elem, bits));
}

void HostRun::write(Frame& frame, const Op& op) {
    const WriteOp write(*frame.function, op);
    const std::vector<int64_t> index = integers(frame, write.indices());
    api_.set(value(frame, write.memory()).slot().tensor, index.data(), static_cast<int32_t>(index.size()),
             value(frame, write.value()).bits(), nullptr);
}

void HostRun::print(Frame& frame, const Op& op) {
    const HostValue line = make_string(text(frame, op, 0));
    api_.print(line.slot().string);
}

void HostRun::assert_true(Frame& frame, const Op& op) {
    if ((value(frame, AssertOp(*frame.function, op).condition()).bits() & 1) != 0) return;
    const std::string line = text(frame, op, 1);
    fail(line.empty() ? "assertion failed" : "assertion failed: " + line);
}

ProgramOutcome run_program(const Module& module, const std::string& entry, std::span<const TsrSlot> arguments,
                           const TsrHostApi& api, const EvalOptions& options) {
    EvalOptions with_host = options;
    with_host.host = &api;
    return HostRun(module, api, with_host).run(entry, arguments);
}

}  // namespace tsr::ir::eval
