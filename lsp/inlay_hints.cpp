// `textDocument/inlayHint`: the types of variables and parameters that say none, what functions give, and behind lines
// what their operators cost. `inlayHint/resolve`: the edit that writes a type into the text.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "lsp/costs.h"
#include "lsp/descriptions.h"
#include "lsp/methods.h"
#include "lsp/places.h"
#include "lsp/protocol.h"

namespace tsr::lsp {

namespace {

using sema::Entity;
using sema::NameKind;

constexpr size_t kLongest = 60;

// Types that the text shows anyhow, or that nobody writes.
bool is_worth_telling(const sema::Type& type) {
    switch (type.kind()) {
        case sema::Kind::scalar:
        case sema::Kind::tensor:
        case sema::Kind::view:
        case sema::Kind::buffer:
        case sema::Kind::list:
        case sema::Kind::tuple:
        case sema::Kind::dict:
        case sema::Kind::record:
        case sema::Kind::vector:
        case sema::Kind::tile:
        case sema::Kind::local:
        case sema::Kind::string:
            return true;
        case sema::Kind::unknown:
        case sema::Kind::none:
        case sema::Kind::int_literal:
        case sema::Kind::float_literal:
        case sema::Kind::range:
        case sema::Kind::function:
        case sema::Kind::builtin:
        case sema::Kind::launcher:
        case sema::Kind::name_space:
        case sema::Kind::module:
        case sema::Kind::dtype:
        case sema::Kind::type:
        case sema::Kind::context:
            return false;
    }
    __builtin_unreachable();
}

class Hints {
public:
    Hints(const Place& place, uint32_t begin, uint32_t end) : place_(place), begin_(begin), end_(end) {}

    Json run(const Settings& settings, const Costs* costs) {
        if (settings.cost_hints) behind_lines(costs->kernels());
        if (settings.cost_hints) of_derivatives(costs->derivatives());
        if (settings.rounding_hints) of_roundings(costs->roundings());
        if (!settings.type_hints) return std::move(found_);
        for (const sema::NameUse& use : place_.program().modules[kRoot.index].names) {
            if (use.binds && is_within(use.at.end)) name(use);
        }
        for (const sema::Function& function : place_.program().functions) {
            if (function.module == kRoot && !function.makes && !function.derived) result(function);
        }
        return std::move(found_);
    }

private:
    [[nodiscard]] bool is_within(uint32_t offset) const { return begin_ <= offset && offset <= end_; }

    void add(uint32_t offset, const char* before, const std::vector<sema::Type>& types) {
        if (types.empty() || !std::ranges::all_of(types, is_worth_telling)) return;
        std::string label = before + text_of(types);
        const bool whole = label.size() <= kLongest;
        if (!whole) {
            size_t cut = kLongest - 1;
            while (cut > 0 && (static_cast<unsigned char>(label[cut]) & 0xC0U) == 0x80U) --cut;
            label = label.substr(0, cut) + "…";
        }
        Json hint = {{"position", json_of(place_.analysis.position(place_.analysis.root, offset))},
                     {"label", std::move(label)},
                     {"kind", 1}};
        if (whole && types.size() == 1)
            hint["data"] = {{"uri", place_.document.uri}, {"version", place_.document.version}};
        found_.push_back(std::move(hint));
    }

    // Behind the last line of a kernel what it costs; where a function has several that end, how many they are.
    void behind_lines(const std::vector<KernelCost>& costs) {
        std::map<uint32_t, std::vector<const KernelCost*>> by_line;
        for (const KernelCost& cost : costs) by_line[*cost.lines.rbegin()].push_back(&cost);
        for (const auto& [line, ended] : by_line) {
            // Those of the function come first; behind them what its derivatives and callers make of the line.
            const auto own = static_cast<size_t>(std::ranges::count_if(
                ended, [&](const KernelCost* cost) { return cost->function == ended.front()->function; }));
            std::string label = own == 1 ? told_at(*ended.front(), line) : fmt::format("{} kernels", own);
            if (own < ended.size()) label += fmt::format("; {} more", ended.size() - own);
            std::string more;
            for (const KernelCost* cost : ended)
                more += fmt::format("{}{}: {}", more.empty() ? "" : "\n", cost->function, told_at(*cost, line));
            behind(line, std::move(label), ended.size() > 1 ? std::move(more) : std::string());
        }
    }

    // Behind a line; nothing where it was not asked for.
    void behind(uint32_t line, std::string label, std::string tooltip = {}) {
        const uint32_t begin = place_.analysis.offset({line, 0});
        size_t end = place_.text().find_first_of("\r\n", begin);
        if (end == std::string_view::npos) end = place_.text().size();
        if (!is_within(static_cast<uint32_t>(end))) return;
        Json hint = {{"position", json_of(place_.analysis.position(place_.analysis.root, static_cast<uint32_t>(end)))},
                     {"label", std::move(label)},
                     {"paddingLeft", true}};
        if (!tooltip.empty()) hint["tooltip"] = std::move(tooltip);
        found_.push_back(std::move(hint));
    }

    void of_derivatives(const std::vector<DerivativeCost>& costs) {
        for (const DerivativeCost& cost : costs) behind(cost.line, told(cost));
    }

    void of_roundings(const std::map<Rounding, size_t>& roundings) {
        std::map<uint32_t, std::string> by_line;
        for (const auto& [rounding, times] : roundings) {
            std::string& label = by_line[rounding.line];
            label += (label.empty() ? "" : "; ") + told(rounding, times);
        }
        for (auto& [line, label] : by_line) behind(line, std::move(label));
    }

    // `self`
    [[nodiscard]] bool is_receiver(const Entity& parameter) const {
        const sema::Function& function = place_.program().function(parameter.function);
        return takes_record(function) && place_.program().def(function).parameters.front().name.text == parameter.name;
    }

    void name(const sema::NameUse& use) {
        const NameKind kind = use.entity.kind;
        if (kind != NameKind::variable && kind != NameKind::parameter) return;
        if (sema::definition(place_.program(), use.entity) != use.at) return;
        if (kind == NameKind::parameter && is_receiver(use.entity)) return;
        size_t behind = use.at.end;
        while (behind < place_.text().size() && place_.text()[behind] == ' ') ++behind;
        const bool annotated = behind < place_.text().size() && place_.text()[behind] == ':';
        if (!annotated) add(use.at.end, ": ", sema::types_of(place_.program(), use.entity));
    }

    void result(const sema::Function& function) {
        const ast::FunctionDef& def = place_.program().def(function);
        if (def.result || def.header.file != place_.analysis.root) return;
        const std::string_view header = place_.analysis.sources.text(def.header);
        const size_t close = header.rfind(')');
        if (close == std::string_view::npos) return;
        const auto offset = static_cast<uint32_t>(def.header.begin + close + 1);
        if (is_within(offset)) add(offset, " -> ", sema::results_of(place_.program(), function.id));
    }

    const Place& place_;
    uint32_t begin_, end_;
    Json found_ = Json::array();
};

}  // namespace

Json answer_inlay_hint(Workspace& workspace, const Json& params) {
    const auto place = place_of(workspace, params);
    if (!place) return nullptr;
    const Json& range = params.at("range");
    return Hints(*place, place->analysis.offset(position_of(range.at("start"))),
                 place->analysis.offset(position_of(range.at("end"))))
        .run(workspace.settings, workspace.settings.cost_hints || workspace.settings.rounding_hints
                                     ? &workspace.costs(place->document)
                                     : nullptr);
}

// Where the program says the same with the type written there.
Json answer_inlay_hint_resolve(Workspace& workspace, const Json& params) {
    Json hint = params;
    const Json& data = below(params, {"data"});
    if (!data.is_object()) return hint;
    Document* document = workspace.find(data.at("uri").get<std::string>());
    if (!document || document->version != data.at("version")) return hint;
    const Analysis& before = workspace.analysis(*document);
    const Json& position = hint.at("position");
    const std::string type = hint.at("label");
    std::string text = document->text;
    text.insert(LineIndex(text).offset(text, position_of(position), workspace.encoding), type);
    if (workspace.analysis_with(document->path, {{document->path, text}})->codes() != before.codes()) return hint;
    hint["textEdits"] = Json::array({{{"range", {{"start", position}, {"end", position}}}, {"newText", type}}});
    return hint;
}

}  // namespace tsr::lsp
