#include "ir/passes/host/capture_calls.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "ir/build/builder.h"
#include "ir/core/lines.h"
#include "ir/ops/effects.h"
#include "ir/ops/host.h"

namespace tsr::ir {

namespace {

constexpr int64_t kTensor = -1;
const std::string kBegin = "capture_begin";

template <class Range>
std::vector<int64_t> kinds_of(const Function& host, const Range& values) {
    std::vector<int64_t> kinds;
    for (const ValueId v : values) {
        const Type& type = host.type(v);
        kinds.push_back(type.kind == TypeKind::tensor ? kTensor : static_cast<int64_t>(type.elem));
    }
    return kinds;
}

void capture(Function& host, OpId call) {
    Builder at = Builder::at(host, call);
    Values arguments = host.op(call).operands;
    const Values results = host.op(call).results;
    // What is captured compares no strings and gives none: all are one to it.
    std::erase_if(arguments, [&](ValueId argument) { return host.type(argument).kind == TypeKind::string; });
    const std::string callee = host.op(call).attrs.string(Attr::callee);
    const PlaceId place = host.op(call).place;
    const OpId begin = at.host(kBegin, arguments, {Type::scalar(DType::boolean)},
                               {{Attr::text, callee}, {Attr::extents, kinds_of(host, arguments)}});
    const OpId branch = at.open_if(host.op(begin).results[0]);
    Builder known = Builder::at_end(host, host.op(branch).regions[0]);
    known.set_place(place);
    Values replayed;
    for (size_t i = 0; i < results.size(); ++i) {
        const Type& type = host.type(results[i]);
        const char* entry = type.kind == TypeKind::tensor ? "capture_tensor" : "capture_number";
        const OpId made = known.host(entry, {}, {type}, {{Attr::count, static_cast<int64_t>(i)}});
        replayed.push_back(host.op(made).results[0]);
    }
    known.yield(replayed);
    Values given;
    for (const ValueId result : results) given.push_back(host.add_result(branch, host.type(result)));
    for (size_t i = 0; i < results.size(); ++i) {
        host.value(given[i]).name = host.value(results[i]).name;
        host.replace_uses(results[i], given[i]);
    }
    const RegionId otherwise = host.op(branch).regions[1];
    host.remove(call);
    host.append(otherwise, call);
    Builder end = Builder::at_end(host, otherwise);
    end.set_place(place);
    end.host("capture_end", results, {}, {{Attr::extents, kinds_of(host, results)}});
    end.yield(results);
}

// What a replay does without: memory, views of it, and numbers that follow from the arguments.
constexpr std::array<std::string_view, 23> kRepeated{
    "empty",
    "contiguous",
    "own",
    "reshape",
    "view",
    "swap_last",
    "broadcast_to",
    "dim",
    "size",
    "kernel_argument",
    "check_overlap",
    "shape_failed",
    "quotient_failed",
    "tensor_retain",
    "tensor_release",
    "string_release",
    "string_retain",
    "view_as_real",
    "view_as_complex",
    "fail",
    "assert_failed",
    "on_gpu",
    "memory_exceeded",
};

// What the other entries are called in a message.
std::string words_for(const std::string& entry) {
    if (entry == "item") return "an element is read on the host";
    if (entry == "seed" || entry == "random_stream") return "random numbers are others in each call";
    if (entry == "from_values" || entry == "from_list") return "a tensor is made of numbers on the host";
    if (entry == "print" || entry == "write") return "a line is printed";
    if (entry == "assign" || entry == "copy" || entry == "fill") return "elements are copied outside of kernels";
    if (entry == "zeros" || entry == "ones" || entry == "full") return "a tensor is filled outside of kernels";
    return fmt::format("the host runs `{}`", entry);
}

class Checker {
public:
    Checker(const Module& module, const std::set<std::string>& versions, const Sources& sources,
            Diagnostics& diagnostics)
        : module_(module), versions_(versions), sources_(sources), diagnostics_(diagnostics) {}

    bool run() {
        for (const Function& function : module_.functions) {
            if (function.level == Level::host) calls_in(function);
        }
        return !refused_;
    }

private:
    void calls_in(const Function& host) {
        for_each_op(host, host.body, [&](OpId id) {
            const Op& op = host.op(id);
            if (op.kind != OpKind::host || op.attrs.string(Attr::callee) != kBegin) return;
            called_ = op.attrs.string(Attr::text);
            for (const ValueId argument : op.operands) {
                const OpId source = host.value(argument).op;
                if (!source.valid() || host.op(source).kind != OpKind::host) continue;
                const std::string& entry = host.op(source).attrs.string(Attr::callee);
                if (entry != "random_stream") continue;
                if (const Function* drawn = module_.find(called_)) refuse(*drawn, {}, words_for(entry));
            }
            const Function* called = module_.find(called_);
            const auto is_string = [](const Type& type) { return type.kind == TypeKind::string; };
            if (called != nullptr && std::ranges::any_of(called->results, is_string))
                refuse(*called, {}, "it gives a string");
            if (seen_.insert(called_).second) all_of(called_);
        });
    }

    void all_of(const std::string& name) {
        const Function* function = module_.find(name);
        if (function == nullptr || function->level != Level::host) return;
        for_each_op(*function, function->body, [&](OpId id) {
            const Op& op = function->op(id);
            if (op.kind == OpKind::print) refuse(*function, id, words_for("print"));
            if (op.kind == OpKind::launch) kernel(*function, id);
            if (op.kind == OpKind::call) {
                const std::string& callee = op.attrs.string(Attr::callee);
                if (versions_.contains(callee)) return all_of(callee);
                refuse(*function, id, fmt::format("the host runs `{}`", name_in_file(callee)));
            }
            if (op.kind != OpKind::host) return;
            const std::string& entry = op.attrs.string(Attr::callee);
            if (std::ranges::find(kRepeated, entry) == kRepeated.end()) refuse(*function, id, words_for(entry));
        });
    }

    void kernel(const Function& host, OpId id) {
        const LaunchOp launch(host, id);
        if (!launch.op().results.empty()) return refuse(host, id, "a kernel gives the host a number");
        const Function* kernel = module_.find(launch.callee());
        if (kernel == nullptr) return;
        for_each_op(*kernel, kernel->body, [&](OpId own) {
            const OpKind kind = kernel->op(own).kind;
            if (kind == OpKind::print) refuse(*kernel, own, "a kernel prints");
            if (kind == OpKind::assert_) refuse(*kernel, own, "a kernel asserts");
        });
    }

    void refuse(const Function& in, OpId id, const std::string& why) {
        refused_ = true;
        const Span at = id.valid() ? users_span(in.place_of(in.op(id).place), &sources_) : in.span();
        if (!said_.insert({at.file.index, at.begin}).second) return;
        auto& d =
            diagnostics_.error("E0613", at, fmt::format("a CUDA graph of `{}` can not hold this: {}", called_, why));
        if (const Function* function = module_.find(called_))
            d.label(function->span(), "`capture_graph=True` asks for it");
    }

    const Module& module_;
    const std::set<std::string>& versions_;
    const Sources& sources_;
    Diagnostics& diagnostics_;
    std::string called_;
    std::set<std::string> seen_;
    std::set<std::pair<size_t, size_t>> said_;
    bool refused_ = false;
};

}  // namespace

void capture_calls(Module& module, const std::set<std::string>& captured) {
    if (captured.empty()) return;
    for (Function& function : module.functions) {
        if (function.level != Level::host || function.is_kernel) continue;
        std::vector<OpId> calls;
        for_each_op(function, function.body, [&](OpId id) {
            const Op& op = function.op(id);
            if (op.kind == OpKind::call && captured.contains(op.attrs.string(Attr::callee))) calls.push_back(id);
        });
        for (const OpId call : calls) capture(function, call);
    }
}

bool has_captured(const Module& module) {
    bool found = false;
    for (const Function& function : module.functions) {
        if (function.level != Level::host || function.is_kernel) continue;
        for_each_op(function, function.body, [&](OpId id) {
            const Op& op = function.op(id);
            found |= op.kind == OpKind::host && op.attrs.string(Attr::callee) == kBegin;
        });
    }
    return found;
}

bool check_captured(const Module& module, const std::set<std::string>& versions, const Sources& sources,
                    Diagnostics& diagnostics) {
    return Checker(module, versions, sources, diagnostics).run();
}

}  // namespace tsr::ir
