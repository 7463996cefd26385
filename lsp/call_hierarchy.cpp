// `textDocument/prepareCallHierarchy`, `callHierarchy/incomingCalls`, `outgoingCalls`: which functions call which. An
// item is found again by its URI and the place of its name.
#include <map>

#include "lsp/descriptions.h"
#include "lsp/methods.h"
#include "lsp/other_programs.h"
#include "lsp/places.h"

namespace tsr::lsp {

namespace {

using sema::Entity;
using sema::FunctionId;
using sema::NameKind;

bool is_called(const Entity& entity) {
    return (entity.kind == NameKind::function || entity.kind == NameKind::method || entity.kind == NameKind::class_) &&
           entity.function.valid();
}

constexpr int kFunctionSymbol = 12, kModuleSymbol = 2;

// Of a function of this program; of an invalid one the module's statements.
Json item_of(const Analysis& analysis, sema::ModuleId module, FunctionId id) {
    const sema::Program& program = analysis.program;
    const FileId file = program.modules[module.index].file;
    Span name{file, 0, 0};
    Span whole{file, 0, static_cast<uint32_t>(analysis.sources.text(file).size())};
    std::string text = analysis.sources.path(file);
    text = text.substr(text.rfind('/') + 1);
    if (id.valid()) {
        const sema::Function& function = program.function(id);
        text = function.name;
        name = program.def(function).name.span;
        whole = program.stmt(function.module, function.stmt).span;
    }
    return {{"name", text},
            {"kind", id.valid() ? kFunctionSymbol : kModuleSymbol},
            {"uri", analysis.uri(file)},
            {"range", analysis.range(whole.to(name))},
            {"selectionRange", analysis.range(name)}};
}

// The function, or module, that an item names, in the program of its document.
struct Named {
    Place place;
    Entity entity;
};
std::optional<Named> named_by(Workspace& workspace, const Json& item) {
    const Json params = {{"textDocument", {{"uri", item.at("uri")}}},
                         {"position", item.at("selectionRange").at("start")}};
    if (!workspace.find(item.at("uri").get<std::string>())) return std::nullopt;  // closed since it was told
    auto place = place_of(workspace, params);
    const sema::NameUse* use = place ? place->name() : nullptr;
    if (!use || !is_called(use->entity)) return std::nullopt;
    return Named{*place, use->entity};
}

// Places of calls, by the item of who calls, or is called.
class Calls {
public:
    void add(const Analysis& analysis, const Json& item, Span at) {
        const std::string key = text_of(item["uri"]) + text_of(item["selectionRange"]);
        Json& one = calls_.try_emplace(key, Json{{"item", item}, {"ranges", Json::array()}}).first->second;
        one["ranges"].push_back(analysis.range(at));
    }
    [[nodiscard]] Json as(const char* role) const {
        Json all = Json::array();
        for (const auto& [key, one] : calls_) all.push_back({{role, one["item"]}, {"fromRanges", one["ranges"]}});
        return all;
    }

private:
    std::map<std::string, Json> calls_;
};

}  // namespace

Json answer_prepare_call_hierarchy(Workspace& workspace, const Json& params) {
    const auto place = place_of(workspace, params);
    const sema::NameUse* use = place ? place->name() : nullptr;
    if (!use || !is_called(use->entity)) return nullptr;
    const Entity& entity = use->entity;
    // A class has no statements of its own that call: its constructor is a made function.
    if (entity.kind == NameKind::class_ || place->program().function(entity.function).derived) return nullptr;
    return Json::array({item_of(place->analysis, entity.module, entity.function)});
}

Json answer_incoming_calls(Workspace& workspace, const Json& params) {
    const auto named = named_by(workspace, params.at("item"));
    if (!named) return nullptr;
    Calls calls;
    const Occurrences found(workspace, named->place, named->entity);
    for (const FoundUse& one : found.all()) {
        if (one.use.binds) continue;
        for (const sema::ModuleUnit& module : one.analysis->program.modules) {
            if (module.file != one.use.at.file || module.library) continue;
            const FunctionId caller = sema::function_at(one.analysis->program, module.id,
                                                        one.analysis->sources.text(module.file), one.use.at.begin);
            calls.add(*one.analysis, item_of(*one.analysis, module.id, caller), one.use.at);
        }
    }
    return calls.as("from");
}

Json answer_outgoing_calls(Workspace& workspace, const Json& params) {
    const auto named = named_by(workspace, params.at("item"));
    if (!named) return nullptr;
    const Analysis& analysis = named->place.analysis;
    const sema::Program& program = analysis.program;
    const sema::ModuleUnit& module = program.modules[named->entity.module.index];
    const Span body = program.stmt(module.id, program.function(named->entity.function).stmt).span;
    Calls calls;
    for (const sema::NameUse& use : module.names) {
        const bool inside = body.begin <= use.at.begin && use.at.end <= body.end && !use.binds;
        if (!inside || !is_called(use.entity) || use.entity.kind == NameKind::class_) continue;
        if (program.function(use.entity.function).derived) continue;
        calls.add(analysis, item_of(analysis, use.entity.module, use.entity.function), use.at);
    }
    return calls.as("to");
}

}  // namespace tsr::lsp
