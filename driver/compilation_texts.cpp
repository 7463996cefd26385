// Texts of what a compilation has reached: of the whole program, and of functions that it asks about itself with
// `inspect_ir`.
#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "driver/compilation.h"
#include "ir/ops/effects.h"
#include "ir/ops/host.h"
#include "ir/text/print.h"
#include "sema/query.h"

namespace tsr::driver {

namespace {

// Of a machine's variants that copy boxes the first one stands for all: they differ in how they store. What has narrow
// indices follows from the plan of what does without.
bool is_shown(const std::vector<ir::Function>& all, const ir::Function& thread) {
    if (thread.plan->narrow_index) return false;
    if (!thread.plan->gpu().box_copies) return true;
    const auto first = std::ranges::find_if(all, [&](const ir::Function& other) {
        return other.plan->machine == thread.plan->machine && other.plan->gpu().box_copies;
    });
    return &*first == &thread;
}

void add_part(std::string& all, const std::string& part) { all += (all.empty() ? "" : "\n") + part; }

std::string text_of_code(const ir::Family& family) {
    std::string out;
    for (const ir::CpuVariant& variant : family.variants) add_part(out, ir::print(variant.task));
    for (const ir::Function& thread : family.threads) add_part(out, ir::print(thread));
    return out;
}

std::string plans_of_kernel(const ir::Family& family, const Sources& sources) {
    std::string out = fmt::format("kernel @{}\n", family.kernel->name);
    const ir::KernelInfo& info = family.kernel->kernel;
    const auto add = [&](Span at, const std::string& text) {
        const auto line = at.valid() ? sources.position(at.file, at.begin).line : 0;
        out += fmt::format("  # line {}: {}\n", line, text);
    };
    if (info.point) add(family.kernel->span(), fmt::format("point of {}: {}", info.point->kernel, info.point->text()));
    for (const ir::Note& note : info.notes) add(note.place, note.text);
    if (family.same != nullptr) out += fmt::format("  # the code of @{}\n", family.same->name);
    for (const std::string& why : family.ruled_out) out += fmt::format("  # {}\n", why);
    for (const ir::CpuVariant& variant : family.variants) out += plan_lines(variant.task, variant.machine);
    for (const ir::Function& thread : family.threads) {
        if (is_shown(family.threads, thread)) out += plan_lines(thread, thread.plan->machine);
    }
    return out;
}

// A function and what it launches and calls, each once, in the order of the text.
void add_launched(const ir::Module& module, const std::string& name, std::vector<const ir::Function*>& found) {
    const ir::Function* function = module.find(name);
    if (function == nullptr || std::ranges::find(found, function) != found.end()) return;
    found.push_back(function);
    if (function->level != ir::Level::host) return;
    ir::for_each_op(*function, function->body, [&](ir::OpId id) {
        const ir::Op& op = function->op(id);
        if (op.kind == ir::OpKind::call) add_launched(module, op.attrs.string(ir::Attr::callee), found);
        if (op.kind != ir::OpKind::launch) return;
        for (const std::string& point : ir::LaunchOp::points_of(op)) add_launched(module, point, found);
    });
}

// Texts that `inspect_ir` leaves open.
template <class Visit>
void for_each_open(const ir::Module& module, Visit visit) {
    for (const ir::Function& function : module.functions) {
        if (function.level != ir::Level::host || function.is_kernel) continue;
        ir::for_each_op(function, function.body, [&](ir::OpId id) {
            const ir::Op& op = function.op(id);
            if (op.kind == ir::OpKind::string && ir::StringOp(function, id).is_open()) visit(function, id);
        });
    }
}

void fill(ir::Op& op, std::string text) {
    op.attrs.set(ir::Attr::value, std::move(text));
    op.attrs.erase(ir::Attr::names);
    op.attrs.erase(ir::Attr::text);
}

}  // namespace

std::string Compilation::text() const {
    if (families().empty()) return ir::print(module_);
    std::string out;
    for (const ir::Family& family : families()) add_part(out, text_of_code(family));
    return out;
}

bool Compilation::shows_plans() const {
    bool shown = session_.options().emit == Emit::schedule;
    for_each_open(module_, [&](const ir::Function& function, ir::OpId id) {
        shown = shown || function.op(id).attrs.string(ir::Attr::text) == "schedule";
    });
    return shown;
}

std::string Compilation::plans() const {
    std::string out;
    for (const std::string& graph : graphs_) {
        if (const auto plan = graph_plans_.find(graph); plan != graph_plans_.end()) add_part(out, plan->second);
    }
    for (const ir::Family& family : families()) add_part(out, plans_of_kernel(family, session_.sources));
    return out;
}

std::string Compilation::keep_function_at(uint32_t offset) {
    sema::FunctionId found = sema::function_at(checked_, sema::ModuleId(0), session_.sources.text(tree_->file), offset);
    if (!found.valid()) return "no function stands here";
    while (checked_.function(found).enclosing) found = *checked_.function(found).enclosing;
    kept_ = found;
    return {};
}

bool Compilation::drop_others() {
    if (!kept_) return true;
    std::vector<const ir::Function*> found;
    const auto add = [&](const std::string& name) {
        const ir::Function* function = module_.find(name);
        if (function != nullptr && std::ranges::find(found, function) == found.end()) found.push_back(function);
    };
    for (const sema::Instance& instance : checked_.instances) {
        if (instance.function != *kept_) continue;
        add(instance.name);
        for (const sema::InstanceId point : instance.points) add(checked_.instance(point).name);
    }
    for (size_t i = 0; i < found.size(); ++i) {
        const ir::Function& function = *found[i];
        ir::for_each_op(function, function.body, [&](ir::OpId id) {
            const ir::Attrs& attrs = function.op(id).attrs;
            if (attrs.find(ir::Attr::callee) != nullptr) add(attrs.string(ir::Attr::callee));
            if (attrs.find(ir::Attr::names) == nullptr) return;
            for (const std::string& name : attrs.strings(ir::Attr::names)) add(name);
        });
    }
    std::set<std::string> names;
    for (const ir::Function* function : found) names.insert(function->name);
    std::erase_if(module_.functions, [&](const ir::Function& function) { return !names.contains(function.name); });
    return !names.empty();
}

std::string Compilation::text_with_lines(Emit level, std::vector<uint32_t>& lines) const {
    std::string out;
    const auto line_of = [&](Span at) {
        return at.valid() && at.file == tree_->file ? session_.sources.position(at.file, at.begin).line : 0;
    };
    const auto add = [&](const ir::Function& function) {
        if (!out.empty()) lines.push_back(0);
        std::vector<ir::PlaceId> places;
        add_part(out, ir::print(function, {.of_lines = &places}));
        for (const ir::PlaceId id : places) {
            uint32_t line = 0;
            if (id.valid()) {
                const ir::Place& place = function.place_of(id);
                line = line_of(place.span);
                for (size_t i = 0; line == 0 && i < place.inlined_at.size(); ++i) line = line_of(place.inlined_at[i]);
            }
            lines.push_back(line);
        }
    };
    if (level == Emit::schedule) {
        const auto add_plan = [&](const std::string& part, const ir::Function* of) {
            if (!out.empty()) lines.push_back(0);
            add_part(out, part);
            lines.insert(lines.end(), static_cast<size_t>(std::ranges::count(part, '\n')),
                         of == nullptr ? 0 : line_of(of->span()));
        };
        for (const std::string& graph : graphs_) {
            const auto plan = graph_plans_.find(graph);
            if (plan != graph_plans_.end()) add_plan(plan->second, module_.find(graph));
        }
        for (const ir::Family& family : families()) add_plan(plans_of_kernel(family, session_.sources), family.kernel);
    } else if (level == Emit::target) {
        for (const ir::Family& family : families()) {
            for (const ir::CpuVariant& variant : family.variants) add(variant.task);
            for (const ir::Function& thread : family.threads) add(thread);
        }
    } else {
        for (const ir::Function& function : module_.functions) {
            if (level != Emit::graph || !function.is_kernel) add(function);
        }
    }
    return out;
}

std::string Compilation::inspected(const std::string& level, const std::vector<std::string>& names) const {
    std::vector<const ir::Function*> functions;
    for (const std::string& name : names) add_launched(module_, name, functions);
    std::string out;
    for (const ir::Function* function : functions) {
        if (level == "graph" || level == "tile") {
            add_part(out, ir::print(*function));
            continue;
        }
        const auto plan = graph_plans_.find(function->name);
        if (level == "schedule" && plan != graph_plans_.end()) add_part(out, plan->second);
        const auto family = std::ranges::find(families(), function, &ir::Family::kernel);
        if (family == families().end()) continue;
        add_part(out, level == "schedule" ? plans_of_kernel(*family, session_.sources) : text_of_code(*family));
    }
    return out;
}

void Compilation::fill_inspections(const std::set<std::string>& levels) {
    std::vector<std::pair<ir::Op*, std::string>> texts;
    for_each_open(module_, [&](const ir::Function& function, ir::OpId id) {
        const ir::Op& op = function.op(id);
        const std::string& level = op.attrs.string(ir::Attr::text);
        if (!levels.contains(level)) return;
        texts.emplace_back(&module_.find(function.name)->op(id), inspected(level, op.attrs.strings(ir::Attr::names)));
    });
    for (auto& [op, text] : texts) fill(*op, std::move(text));
}

bool Compilation::lower_for_inspections() {
    bool open = false;
    for_each_open(module_, [&](const ir::Function&, ir::OpId) { open = true; });
    return !open || lower_to_machines();
}

bool Compilation::inspect_copy() {
    std::map<std::pair<std::string, std::vector<std::string>>, std::string> texts;
    const auto key = [](const ir::Op& op) {
        return std::pair(op.attrs.string(ir::Attr::text), op.attrs.strings(ir::Attr::names));
    };
    for_each_open(module_, [&](const ir::Function& function, ir::OpId id) { texts[key(function.op(id))]; });
    if (texts.empty()) return true;
    ir::Module kept = module_;
    const Diagnostics said = session_.diagnostics;
    if (!lower_elaborated() || !lower_to_machines()) return false;
    for (auto& [asked, text] : texts) text = inspected(asked.first, asked.second);
    families_.reset();
    module_ = std::move(kept);
    session_.diagnostics = said;  // the same is said again
    graphs_.clear();
    fusions_.clear();
    costs_.clear();
    graph_plans_.clear();
    std::vector<ir::Op*> open;
    for_each_open(module_, [&](const ir::Function& function, ir::OpId id) {
        open.push_back(&module_.find(function.name)->op(id));
    });
    for (ir::Op* op : open) fill(*op, texts.at(key(*op)));
    return true;
}

}  // namespace tsr::driver
