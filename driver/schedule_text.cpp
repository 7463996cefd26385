// The text of plans, written and read.
#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "codegen/codegen.h"
#include "driver/machines.h"
#include "driver/schedule.h"
#include "ir/machine/gpu.h"
#include "ir/passes/target/cpu/choose_plan.h"
#include "ir/text/parse_attrs.h"

namespace tsr::driver {

namespace {

std::string gpu_fields(const ir::GpuPlan& plan) {
    auto out = fmt::format("threads {}", plan.threads);
    if (plan.tiles_per_thread > 1) out += fmt::format(" x {}", plan.tiles_per_thread);
    if (plan.stages > 1) out += fmt::format(", stages {}", plan.stages);
    if (plan.cluster() > 1) out += fmt::format(", cluster {} x {}", plan.cluster_rows, plan.cluster_columns);
    if (plan.box_copies) out += ", boxes";
    if (!plan.parts.empty()) out += fmt::format(", parts {}", fmt::join(plan.parts, " x "));
    return out;
}

std::string cpu_fields(const ir::Plan& plan) {
    const ir::CpuPlan& cpu = plan.cpu();
    auto out = fmt::format("lanes {} x {}, task {}", cpu.lanes, cpu.interleave, plan.task);
    if (cpu.depth > 0) out += fmt::format(", depth {}, {}", cpu.depth, cpu.pack ? "packed" : "unpacked");
    for (const ir::ProductPanel& panel : cpu.panels) out += ", panel " + ir::spell(panel);
    if (cpu.split > 0) out += fmt::format(", split {}, groups {}", cpu.split, cpu.most_groups);
    if (plan.narrow_index) out += ", 32-bit indices";
    return out;
}

}  // namespace

std::string plan_lines(const ir::Function& code, const std::string& machine) {
    const ir::Plan& plan = *code.plan;
    auto out = fmt::format("  {}: {}\n", machine, plan.is_gpu() ? gpu_fields(plan.gpu()) : cpu_fields(plan));
    std::vector<std::string> reasons = plan.reasons;
    if (plan.is_gpu()) {
        const int64_t parts = ir::parts_of(plan.gpu());
        reasons.push_back(parts > 1        ? fmt::format("a block: one of {} parts of a group", parts)
                          : plan.task == 1 ? "a block: one group"
                                           : fmt::format("a block: {} tiles", plan.task));
        if (code.scratch_bytes > 0)
            reasons.push_back(fmt::format("a block: {} bytes of shared memory", code.scratch_bytes));
    }
    for (const std::string& reason : reasons) out += fmt::format("    # {}\n", reason);
    return out;
}

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// One line without its comment, read from left to right.
class LineCursor {
public:
    LineCursor(std::string_view line, Span place) : line_(line), place_(place) {
        while (!line_.empty() && is_blank(line_.back())) line_.remove_suffix(1);
    }

    bool at_end() {
        skip();
        return at_ == line_.size();
    }
    bool take(char c) {
        skip();
        const bool here = at_ < line_.size() && line_[at_] == c;
        at_ += here ? 1 : 0;
        return here;
    }
    // What stands up to a blank, or a sign of `ends`.
    std::string_view word(std::string_view ends) {
        skip();
        const size_t begin = at_;
        while (at_ < line_.size() && !is_blank(line_[at_]) && ends.find(line_[at_]) == std::string_view::npos) ++at_;
        return line_.substr(begin, at_ - begin);
    }
    // What stands up to a comma outside of brackets.
    std::string_view part() {
        skip();
        const size_t begin = at_;
        int depth = 0;
        for (; at_ < line_.size() && (depth > 0 || line_[at_] != ','); ++at_) {
            depth += line_[at_] == '[' ? 1 : line_[at_] == ']' && depth > 0 ? -1 : 0;
        }
        auto found = line_.substr(begin, at_ - begin);
        while (!found.empty() && is_blank(found.back())) found.remove_suffix(1);
        return found;
    }
    Span place(std::string_view part) const {
        const auto begin = place_.begin + static_cast<uint32_t>(part.data() - line_.data());
        // Of what is missing, the character before it.
        if (part.empty() && begin > 0) return {place_.file, begin - 1, begin};
        return {place_.file, begin, begin + static_cast<uint32_t>(part.size())};
    }
    // What follows, for messages.
    std::string_view rest() {
        skip();
        return line_.substr(at_);
    }

private:
    void skip() {
        while (at_ < line_.size() && is_blank(line_[at_])) ++at_;
    }

    std::string_view line_;
    Span place_;
    size_t at_ = 0;
};

std::optional<int64_t> number(std::string_view text) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0 ||
        value > std::numeric_limits<int32_t>::max())
        return std::nullopt;
    return value;
}

// "16 x 4"; the second may be missing.
struct Pair {
    int64_t first = 0;
    std::optional<int64_t> second;
};
std::optional<Pair> pair_of(std::string_view text) {
    std::vector<std::string_view> words;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find(' ', at), text.size());
        if (end > at) words.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    if (words.size() != 1 && (words.size() != 3 || words[1] != "x")) return std::nullopt;
    const auto first = number(words[0]);
    if (!first) return std::nullopt;
    if (words.size() == 1) return Pair{*first, {}};
    const auto second = number(words[2]);
    if (!second) return std::nullopt;
    return Pair{*first, second};
}

// "2", "2 x 1", as many as there are.
std::optional<std::vector<int64_t>> numbers(std::string_view text) {
    std::vector<int64_t> all;
    while (true) {
        const size_t end = std::min(text.find(" x "), text.size());
        const auto one = number(text.substr(0, end));
        if (!one) return std::nullopt;
        all.push_back(*one);
        if (end == text.size()) return all;
        text.remove_prefix(end + 3);
    }
}

struct Field {
    std::string_view name;
    std::string_view form;
    // Takes what stands behind the name; false: it is something else.
    bool (*read)(std::string_view value, Schedule::Line& line);
};

template <std::optional<int64_t> ir::CpuPlanFields::* Member>
bool read_number(std::string_view value, Schedule::Line& line) {
    line.cpu.*Member = number(value);
    return (line.cpu.*Member).has_value();
}

bool read_stages(std::string_view value, Schedule::Line& line) {
    line.gpu.stages = number(value);
    return line.gpu.stages.has_value();
}

template <bool Value>
bool read_pack(std::string_view value, Schedule::Line& line) {
    line.cpu.pack = Value;
    return value.empty();
}

bool read_lanes(std::string_view value, Schedule::Line& line) {
    const auto pair = pair_of(value);
    if (!pair) return false;
    line.cpu.lanes = pair->first;
    line.cpu.interleave = pair->second;
    return pair->second.has_value();
}

bool read_threads(std::string_view value, Schedule::Line& line) {
    const auto pair = pair_of(value);
    if (!pair) return false;
    line.gpu.threads = pair->first;
    line.gpu.tiles_per_thread = pair->second.value_or(1);
    return true;
}

bool read_cluster(std::string_view value, Schedule::Line& line) {
    const auto pair = pair_of(value);
    if (!pair || !pair->second) return false;
    line.gpu.cluster_rows = pair->first;
    line.gpu.cluster_columns = pair->second;
    return true;
}

bool read_boxes(std::string_view value, Schedule::Line& line) {
    line.boxes = true;
    return value.empty();
}

bool read_parts(std::string_view value, Schedule::Line& line) {
    line.gpu.parts = numbers(value);
    return line.gpu.parts.has_value();
}

bool read_split(std::string_view value, Schedule::Line& line) {
    line.split = true;
    return read_number<&ir::CpuPlanFields::split>(value, line);
}

bool read_narrow(std::string_view value, Schedule::Line& line) {
    line.narrow_index = true;
    return value == "indices";
}

bool read_panel(std::string_view value, Schedule::Line& line) {
    const auto panel = ir::parse_panel(value);
    if (panel) line.cpu.panels.push_back(*panel);
    return panel.has_value();
}

constexpr Field kFields[] = {
    {"lanes", "lanes N x N", read_lanes},
    {"threads", "threads N, or threads N x N", read_threads},
    {"stages", "stages N", read_stages},
    {"cluster", "cluster N x N", read_cluster},
    {"boxes", "boxes", read_boxes},
    {"parts", "parts N, N x N, …", read_parts},
    {"task", "task N", read_number<&ir::CpuPlanFields::task>},
    {"depth", "depth N", read_number<&ir::CpuPlanFields::depth>},
    {"split", "split N", read_split},
    {"groups", "groups N", read_number<&ir::CpuPlanFields::most_groups>},
    {"packed", "packed", read_pack<true>},
    {"unpacked", "unpacked", read_pack<false>},
    {"panel", "panel f32[ROWS, COLUMNS] N x N", read_panel},
    {"32-bit", "32-bit indices", read_narrow},
};

// Fields that say the same thing have one name; panels have one for each tile.
std::string key_of(const Field& field, const Schedule::Line& line) {
    if (field.name == "unpacked" || field.name == "packed") return "pack";
    if (field.name != "panel") return std::string(field.name);
    return panel_key(line.cpu.panels.back());
}

bool is_machine(const std::string& name) {
    return ir::gpu_machine(name) != nullptr || codegen::check_machine(name).ok();
}

class Reader {
public:
    Reader(FileId file, Diagnostics& diagnostics) : file_(file), diagnostics_(diagnostics) {}

    void line(std::string_view text, uint32_t begin) {
        const size_t comment = text.find('#');
        const bool indented = !text.empty() && is_blank(text[0]);
        LineCursor in(text.substr(0, comment), {file_, begin, begin});
        if (in.at_end()) return;
        if (!indented) return head(in);
        if (of_graph_) return decision(in, parts_.graphs.back());
        if (parts_.kernels.empty())
            return refuse(in.place(in.rest()), "a plan stands under the line of its kernel or graph");
        plan(in, parts_.kernels.back());
    }

    Schedule::Parts parts() { return std::move(parts_); }

private:
    void refuse(Span at, const std::string& what) { diagnostics_.error("E0008", at, what); }

    void head(LineCursor& in) {
        const auto word = in.word("");
        const auto name = in.rest();
        const bool named = name.size() > 1 && name[0] == '@';
        if (named && word == "kernel" && std::ranges::none_of(name, is_blank)) {
            of_graph_ = false;
            add(in, name, parts_.kernels);
        } else if (named && word == "graph") {
            of_graph_ = true;
            add(in, name, parts_.graphs);
        } else {
            refuse(in.place(word), "`kernel @NAME` or `graph @NAME` is expected, or an indented line");
        }
    }

    template <class Part>
    void add(const LineCursor& in, std::string_view name, std::vector<Part>& parts) {
        const auto same = std::ranges::find(parts, name.substr(1), &Part::name);
        if (same != parts.end()) {
            diagnostics_.error("E0009", in.place(name), fmt::format("`{}` stands in the schedule twice", name))
                .label(same->place, "here first");
        }
        Part& part = parts.emplace_back();
        part.name = name.substr(1);
        part.place = in.place(name);
    }

    // `fuse A + B`, `store A`, `region NAME: A, B`.
    void decision(LineCursor& in, Schedule::Graph& graph) {
        const auto word = in.word("");
        if (word == "region") {
            Schedule::Region region{std::string(in.word(":")), {}};
            if (region.name.empty() || !in.take(':') || !values(in, ',', region.values))
                return refuse(in.place(word), "`region NAME: VALUE, VALUE, …` is expected");
            graph.regions.push_back(std::move(region));
        } else if (word == "fuse" || word == "store") {
            const bool fuses = word == "fuse";
            ir::GivenFusion line{.kind = fuses ? ir::GivenFusion::Kind::fuse : ir::GivenFusion::Kind::store,
                                 .values = {}};
            if (!values(in, fuses ? '+' : ',', line.values) || (fuses && line.values.size() < 2))
                return refuse(in.place(word), fuses ? "`fuse VALUE + VALUE` is expected" : "`store VALUE` is expected");
            graph.lines.push_back(std::move(line));
        } else {
            refuse(in.place(word),
                   "of a graph `fuse VALUE + VALUE`, `store VALUE` or `region NAME: VALUE, …` is expected");
        }
    }

    static bool values(LineCursor& in, char between, std::vector<ir::GivenFusion::Named>& all) {
        do {
            const auto name = in.word({&between, 1});
            if (name.empty()) return false;
            all.push_back({std::string(name), in.place(name)});
        } while (in.take(between));
        return in.at_end();
    }

    void plan(LineCursor& in, Schedule::Kernel& kernel) {
        Schedule::Line line;
        const auto machine = in.word(":");
        line.machine = machine;
        line.place = in.place(machine);
        if (!in.take(':')) return refuse(line.place, "`MACHINE: FIELD, FIELD, …` is expected");
        if (!is_machine(line.machine)) return unknown_machine(line);
        do {
            if (!field(in, line)) return;
        } while (in.take(','));
        const auto same = std::ranges::find_if(kernel.lines, [&](const Schedule::Line& other) {
            return other.machine == line.machine && other.narrow_index == line.narrow_index &&
                   other.split == line.split && other.boxes == line.boxes;
        });
        if (same != kernel.lines.end()) {
            diagnostics_
                .error("E0009", line.place, fmt::format("`{}` has a second plan for {}", kernel.name, line.machine))
                .label(same->place, "the first");
            return;
        }
        kernel.lines.push_back(std::move(line));
    }

    void unknown_machine(const Schedule::Line& line) {
        auto known = machine_names();
        for (const std::string& gpu : ir::gpu_machine_names()) known.push_back(gpu);
        const auto meant = nearest(line.machine, known);
        diagnostics_.error("E0009", line.place,
                           fmt::format("there is no machine `{}`{}", line.machine,
                                       meant ? fmt::format("; did you mean `{}`?", *meant) : ""));
    }

    bool field(LineCursor& in, Schedule::Line& line) {
        const auto part = in.part();
        const auto name = part.substr(0, std::min(part.find(' '), part.size()));
        const auto* found = std::ranges::find(kFields, name, &Field::name);
        if (found == std::end(kFields)) return unknown(in.place(name), name), false;
        auto value = part.substr(name.size());
        while (!value.empty() && is_blank(value[0])) value.remove_prefix(1);
        if (!found->read(value, line))
            return refuse(in.place(part), fmt::format("`{}` is expected", found->form)), false;
        const bool fresh = line.places.emplace(key_of(*found, line), in.place(part)).second;
        if (!fresh) refuse(in.place(part), fmt::format("`{}` stands in the plan twice", name));
        return fresh;
    }

    void unknown(Span at, std::string_view name) {
        std::vector<std::string> known;
        for (const Field& field : kFields) known.emplace_back(field.name);
        if (name.empty()) return refuse(at, "a field is expected");
        const auto meant = nearest(name, known);
        refuse(at, fmt::format("a plan has no field `{}`{}", name,
                               meant ? fmt::format("; did you mean `{}`?", *meant) : ""));
    }

    FileId file_;
    Diagnostics& diagnostics_;
    Schedule::Parts parts_;
    bool of_graph_ = false;  // what indented lines belong to
};

}  // namespace

std::string panel_key(const ir::ProductPanel& panel) {
    return fmt::format("panel {}[{}, {}]", name(panel.elem), panel.tile_rows, panel.tile_columns);
}

Schedule Schedule::read(const Sources& sources, FileId file, Diagnostics& diagnostics) {
    Schedule schedule;
    Reader reader(file, diagnostics);
    const std::string_view text = sources.text(file);
    schedule.text_ = text;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        reader.line(text.substr(begin, end - begin), static_cast<uint32_t>(begin));
        begin = end + 1;
    }
    Parts parts = reader.parts();
    schedule.kernels_ = std::move(parts.kernels);
    schedule.graphs_ = std::move(parts.graphs);
    return schedule;
}

}  // namespace tsr::driver
