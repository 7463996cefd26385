// Where a name is defined and where else it stands: `textDocument/definition`, `declaration`, `typeDefinition`,
// `implementation`, `references`, `documentHighlight`, `linkedEditingRange`.
#include <string_view>

#include "lsp/methods.h"
#include "lsp/other_programs.h"
#include "lsp/places.h"

namespace tsr::lsp {

Json answer_definition(Workspace& workspace, const Json& params) {
    const auto place = place_of(workspace, params);
    const sema::NameUse* use = place ? place->name() : nullptr;
    if (!use) return nullptr;
    if (use->entity.kind == sema::NameKind::module && use->entity.module.valid())
        return place->analysis.location({place->program().modules[use->entity.module.index].file, 0, 0});
    const auto definition = sema::definition(place->program(), use->entity);
    return definition ? place->analysis.location(*definition) : Json(nullptr);
}

// Where the class of a record is defined. Types of the language are defined nowhere.
Json answer_type_definition(Workspace& workspace, const Json& params) {
    const auto place = place_of(workspace, params);
    const sema::NameUse* use = place ? place->name() : nullptr;
    if (!use) return nullptr;
    Json found = Json::array();
    for (const sema::Type& type : sema::types_of(place->program(), use->entity)) {
        if (!type.is(sema::Kind::record) || type.is_keyed_dict()) continue;
        const sema::Function& constructor = place->program().function(type.function_id());
        const sema::Entity of{sema::NameKind::class_, constructor.name, constructor.module, constructor.id, {}};
        if (const auto at = sema::definition(place->program(), of)) found.push_back(place->analysis.location(*at));
    }
    return found;
}

// Of a function whose derivative is given by rules: these functions. Of any other one itself.
Json answer_implementation(Workspace& workspace, const Json& params) {
    const auto place = place_of(workspace, params);
    const sema::NameUse* use = place ? place->name() : nullptr;
    if (!use) return nullptr;
    const bool function = use->entity.kind == sema::NameKind::function && use->entity.function.valid();
    const auto& rule = function ? place->program().function(use->entity.function).rule : std::nullopt;
    if (!rule || rule->functions.empty()) return answer_definition(workspace, params);
    Json found = Json::array();
    for (const sema::FunctionId id : rule->functions)
        found.push_back(place->analysis.location(place->program().def(place->program().function(id)).name.span));
    return found;
}

Json answer_references(Workspace& workspace, const Json& params) {
    const auto place = place_of(workspace, params);
    const sema::NameUse* use = place ? place->name() : nullptr;
    if (!use) return nullptr;
    const bool declarations = below(params, {"context", "includeDeclaration"}) != false;
    const auto definition = sema::definition(place->program(), use->entity);
    const Occurrences found(workspace, *place, use->entity);
    Json locations = Json::array();
    for (const FoundUse& one : found.all()) {
        const bool is_definition = one.analysis == &place->analysis && definition == one.use.at;
        if (declarations || !is_definition) locations.push_back(one.analysis->location(one.use.at));
    }
    return locations;
}

Json answer_document_highlight(Workspace& workspace, const Json& params) {
    const auto place = place_of(workspace, params);
    const sema::NameUse* use = place ? place->name() : nullptr;
    if (!use) return nullptr;
    Json found = Json::array();
    for (const sema::NameUse& one : sema::occurrences(place->program(), use->entity)) {
        if (one.at.file == place->analysis.root)
            found.push_back({{"range", place->analysis.range(one.at)}, {"kind", one.binds ? 3 : 2}});
    }
    return found;
}

// Names that only one function has: others stand in other files, too, and are renamed (`rename`).
Json answer_linked_editing_range(Workspace& workspace, const Json& params) {
    const auto place = place_of(workspace, params);
    const sema::NameUse* use = place ? place->name() : nullptr;
    if (!use) return nullptr;
    const sema::NameKind kind = use->entity.kind;
    const bool local =
        kind == sema::NameKind::variable || kind == sema::NameKind::dimension || kind == sema::NameKind::type_variable;
    if (!local || !use->entity.function.valid()) return nullptr;
    const std::string_view name = place->analysis.sources.text(use->at);
    Json ranges = Json::array();
    for (const sema::NameUse& one : sema::occurrences(place->program(), use->entity)) {
        if (one.at.file != place->analysis.root || place->analysis.sources.text(one.at) != name) return nullptr;
        ranges.push_back(place->analysis.range(one.at));
    }
    return {{"ranges", std::move(ranges)}};
}

}  // namespace tsr::lsp
