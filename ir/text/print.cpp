#include "ir/text/print.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/core/names.h"
#include "ir/core/spell.h"
#include "ir/ops/effects.h"
#include "ir/ops/record.h"

namespace tsr::ir {

namespace {

// How many operands stand before the index operands, which are printed in brackets behind the operand `memory`.
struct Indexed {
    size_t memory = 0;
    size_t before = 0;
};

std::optional<Indexed> indexed(const Op& op) {
    if (op.kind == OpKind::read || op.kind == OpKind::read_vector) return Indexed{0, 1};
    if (op.kind == OpKind::write || op.kind == OpKind::write_vector) return Indexed{0, 2};
    if (op.kind == OpKind::copy_async) return Indexed{1, 2};
    if (op.kind != OpKind::atomic) return std::nullopt;
    const AttrValue* what = op.attrs.find(Attr::op);
    const bool compares = what != nullptr && *what == AttrValue(static_cast<int64_t>(AtomicOp::compare_exchange));
    return Indexed{0, compares ? size_t{3} : size_t{2}};
}

std::string spell_place(const Place& place) {
    std::string text = "!" + spell(place.span);
    for (Span call : place.inlined_at) text += "<" + spell(call);
    return text;
}

// Whether a run may name the place of such an operation. A gather or scatter of whole tensors becomes code that refuses
// ids outside of its axis.
bool tells_place(OpKind kind) {
    return kind == OpKind::assert_ || kind == OpKind::print || kind == OpKind::gather_axis ||
           kind == OpKind::scatter_axis;
}

class Printer {
public:
    Printer(const Function& function, const PrintOptions& options)
        : fn_(function), options_(options), names_(function, options.names) {}

    std::string whole() {
        note(fn_.place);
        out_ = header() + " {\n";
        region_ops(fn_.body, 1);
        note(fn_.place);
        out_ += '}';
        if (fn_.kernel.launch.valid()) {
            out_ += " launch {\n";
            region_ops(fn_.kernel.launch, 1);
            note(fn_.place);
            out_ += '}';
        }
        if (fn_.plan) out_ += plan(*fn_.plan);
        return out_ + "\n";
    }

    std::string line(OpId id) { return op_line(fn_.op(id)); }

private:
    // A line begins that comes from there.
    void note(PlaceId place) {
        if (options_.of_lines) options_.of_lines->push_back(place);
    }

    std::string header() {
        const bool host = fn_.level == Level::host && !fn_.is_kernel;
        const bool graph = fn_.level == Level::graph && !fn_.is_kernel;
        std::string text = fn_.is_kernel ? "kernel" : host ? "host" : graph ? "graph" : "func";
        text += " " + spell_function(fn_.name);
        if (!fn_.symbols.empty()) {
            text += '<';
            for (size_t i = 0; i < fn_.symbols.size(); ++i) {
                text += (i == 0 ? "" : ", ") + Dim::symbol(fn_.symbols[i]).text();
            }
            text += '>';
        }
        text += args(fn_.body);
        for (size_t i = 0; i < fn_.results.size(); ++i) text += (i == 0 ? " -> " : ", ") + fn_.results[i].text();
        const Level usual = fn_.is_kernel ? Level::tile : Level::host;
        if (!graph && (fn_.level != usual || (!fn_.is_kernel && !host))) text += " " + std::string(name(fn_.level));
        if (fn_.is_kernel) text += kernel(fn_.kernel);
        if (fn_.scratch_bytes != 0) text += fmt::format(" scratch {}", fn_.scratch_bytes);
        return text + place(fn_.place);
    }

    static std::string kernel(const KernelInfo& info) {
        std::string text;
        if (info.flat) text += " flat";
        if (info.elements) text += " elements";
        if (info.names_group) text += " names_group";
        if (!info.group_shape.empty()) text += fmt::format(" group [{}]", fmt::join(info.group_shape, ", "));
        if (!info.header_tiles.empty()) text += " tiles " + spell(AttrValue(info.header_tiles));
        if (info.shared_limit) text += fmt::format(" shared {}", *info.shared_limit);
        if (info.nondeterministic) text += " nondeterministic";
        if (info.point) text += " point " + point(*info.point);
        return text;
    }

    // "gemm" {BM = 64, swizzle = "\"xor\""}
    static std::string point(const TuningPoint& point) {
        std::string text = spell(AttrValue(point.kernel)) + " {";
        for (size_t i = 0; i < point.values.size(); ++i) {
            const auto& [name, value] = point.values[i];
            const auto* number = std::get_if<int64_t>(&value);
            text += fmt::format("{}{} = {}", i == 0 ? "" : ", ", name,
                                spell(number ? AttrValue(*number) : AttrValue(std::get<std::string>(value))));
        }
        return text + "}";
    }

    static std::string plan(const Plan& plan) {
        std::string text = fmt::format(" plan {{machine = {}, ", spell(AttrValue(plan.machine)));
        text += plan.is_gpu() ? of_gpu(plan) : of_cpu(plan);
        if (!plan.reasons.empty()) text += ", reasons = " + spell(AttrValue(plan.reasons));
        return text + "}";
    }

    // `lanes` and `threads` tell the kinds apart: they stand in front of the others.
    static std::string of_cpu(const Plan& plan) {
        const CpuPlan& cpu = plan.cpu();
        auto text = fmt::format("lanes = {}, interleave = {}, task = {}", cpu.lanes, cpu.interleave, plan.task);
        if (plan.narrow_index) text += ", narrow_index = true";
        if (cpu.depth != 0) text += fmt::format(", depth = {}", cpu.depth);
        if (cpu.pack) text += ", pack = true";
        if (cpu.split != 0) text += fmt::format(", split = {}", cpu.split);
        if (cpu.most_groups != 0) text += fmt::format(", most_groups = {}", cpu.most_groups);
        std::vector<std::string> panels;
        for (const ProductPanel& panel : cpu.panels) panels.push_back(spell(panel));
        if (!panels.empty()) text += ", panels = " + spell(AttrValue(panels));
        return text;
    }

    static std::string of_gpu(const Plan& plan) {
        const GpuPlan& gpu = plan.gpu();
        auto text =
            fmt::format("threads = {}, tiles_per_thread = {}, task = {}", gpu.threads, gpu.tiles_per_thread, plan.task);
        if (gpu.stages != 1) text += fmt::format(", stages = {}", gpu.stages);
        if (gpu.box_copies) text += ", box_copies = true";
        if (gpu.box_stores) text += ", box_stores = true";
        if (gpu.producers != 0) text += fmt::format(", producers = {}", gpu.producers);
        if (gpu.cluster() != 1)
            text += fmt::format(", cluster_rows = {}, cluster_columns = {}", gpu.cluster_rows, gpu.cluster_columns);
        if (!gpu.parts.empty()) text += ", parts = " + spell(AttrValue(gpu.parts));
        if (plan.narrow_index) text += ", narrow_index = true";
        return text;
    }

    std::string args(RegionId region) {
        std::string text = "(";
        for (ValueId arg : fn_.region(region).args) {
            text += (text.size() == 1 ? "" : ", ") + names_.of(arg) + ": " + fn_.type(arg).text() +
                    role(fn_.value(arg).role);
        }
        return text + ")";
    }

    // Behind a parameter's type.
    static std::string role(const ParamRole& role) {
        switch (role.kind) {
            case ParamRole::Kind::value:
                return "";
            case ParamRole::Kind::dimension:
                return fmt::format(" as dimension {}", role.number);
            case ParamRole::Kind::seed:
                return " as seed";
            case ParamRole::Kind::stream:
                return fmt::format(" as stream {}", role.number);
        }
        return "";
    }

    std::string place(PlaceId id) const {
        if (!options_.places || !id.valid()) return {};
        return " " + spell_place(fn_.place_of(id));
    }

    std::string operands(const Op& op) {
        const std::optional<Indexed> at = indexed(op);
        const size_t plain = at ? std::min(at->before, op.operands.size()) : op.operands.size();
        std::string text;
        for (size_t i = 0; i < plain; ++i) {
            text += (i == 0 ? " " : ", ") + names_.of(op.operands[i]);
            if (!at || i != at->memory) continue;
            text += '[';
            for (size_t k = plain; k < op.operands.size(); ++k) {
                text += (k == plain ? "" : ", ") + names_.of(op.operands[k]);
            }
            text += ']';
        }
        return text;
    }

    std::string op_line(const Op& op) {
        std::string text;
        for (ValueId result : op.results) text += (text.empty() ? "" : ", ") + names_.of(result);
        if (!text.empty()) text += " = ";
        text += std::string(name(op.kind));
        if (op.kind == OpKind::constant) {
            text += " " + constant_text(op.attrs);
        } else {
            text += operands(op) + attrs(op);
        }
        for (size_t i = 0; i < op.results.size(); ++i) {
            text += (i == 0 ? " : " : ", ") + fn_.type(op.results[i]).text();
        }
        return text + place(op.place);
    }

    static std::string attrs(const Op& op) {
        std::string text;
        for (const auto& [key, value] : op.attrs) {
            text += (text.empty() ? " {" : ", ") + spell_attr(op.kind, key, value);
        }
        return text.empty() ? text : text + "}";
    }

    // A bare `yield` goes without saying, an `else` of nothing but that too.
    [[nodiscard]] bool bare_yield(OpId id) const {
        const Op& op = fn_.op(id);
        return op.kind == OpKind::yield && op.operands.empty() && place(op.place).empty();
    }
    [[nodiscard]] bool says_nothing(RegionId region) const {
        const std::vector<OpId>& ops = fn_.region(region).ops;
        return ops.size() == 1 && bare_yield(ops[0]);
    }

    void region_ops(RegionId id, size_t depth) {
        const std::vector<OpId>& ops = fn_.region(id).ops;
        for (size_t i = 0; i < ops.size(); ++i) {
            if (i + 1 == ops.size() && bare_yield(ops[i])) break;
            const Op& op = fn_.op(ops[i]);
            note(op.place);
            out_ += std::string(depth * 2, ' ') + op_line(op);
            for (size_t r = 0; r < op.regions.size(); ++r) {
                const RegionId inner = op.regions[r];
                if (r == 1 && op.kind == OpKind::if_ && says_nothing(inner)) break;
                if (r == 1) out_ += op.kind == OpKind::if_ ? " else" : " do";
                if (!fn_.region(inner).args.empty()) out_ += " " + args(inner);
                out_ += " {\n";
                region_ops(inner, depth + 1);
                note(op.place);
                out_ += std::string(depth * 2, ' ') + "}";
            }
            out_ += '\n';
        }
    }

    const Function& fn_;
    PrintOptions options_;
    ValueNames names_;
    std::string out_;
};

}  // namespace

std::string print(const Function& function, const PrintOptions& options) { return Printer(function, options).whole(); }

std::string print(const Module& module, const PrintOptions& options) {
    std::string text;
    for (const Function& function : module.functions) text += (text.empty() ? "" : "\n") + print(function, options);
    return text;
}

std::string text_of_code(const Function& function) {
    std::string text = print(function, {.names = NamesOfValues::none});
    const auto note = [&](OpId id) {
        const Op& op = function.op(id);
        if (!tells_place(op.kind) || !op.place.valid()) return;
        text += spell_place(function.place_of(op.place)) + "\n";
    };
    for_each_op(function, function.body, note);
    return text;
}

std::string print_line(const Function& function, OpId op) { return Printer(function, {}).line(op); }

}  // namespace tsr::ir
