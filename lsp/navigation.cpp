// Where a name is defined and where else it stands: `textDocument/definition`, `declaration`, `typeDefinition`,
// `references`, `documentHighlight`.
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

}  // namespace tsr::lsp
