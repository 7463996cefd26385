#include "lsp/other_programs.h"

namespace tsr::lsp {

namespace {

using sema::Entity;
using sema::NameKind;

// Whether other modules can name it. A parameter is named by calls.
bool is_seen_by_others(const Entity& entity) {
    switch (entity.kind) {
        case NameKind::function:
        case NameKind::class_:
        case NameKind::field:
        case NameKind::method:
        case NameKind::parameter:
        case NameKind::module:
            return true;
        case NameKind::variable:
            return !entity.function.valid();
        case NameKind::tuning_parameter:
        case NameKind::dimension:
        case NameKind::type_variable:
        case NameKind::property:
        case NameKind::name_space:
        case NameKind::builtin:
        case NameKind::builtin_parameter:
        case NameKind::element_type:
        case NameKind::decorator:
        case NameKind::clause:
        case NameKind::policy:
            return false;
    }
    __builtin_unreachable();
}

std::string stem_of(const std::string& path) {
    const std::string name = path.substr(path.rfind('/') + 1);
    return name.substr(0, name.find('.'));
}

}  // namespace

Occurrences::Occurrences(Workspace& workspace, const Place& place, const Entity& entity) {
    add(place.analysis, entity);
    const auto definition = sema::definition(place.program(), entity);
    if (definition && is_seen_by_others(entity) && !place.analysis.is_library(definition->file))
        add_others(workspace, place, *definition);
}

void Occurrences::add(const Analysis& analysis, const Entity& entity) {
    for (const sema::NameUse& use : sema::occurrences(analysis.program, entity)) {
        const std::string& path = analysis.sources.path(use.at.file);
        if (seen_.emplace(path, use.at.begin).second) all_.push_back({&analysis, use});
    }
}

void Occurrences::add_from(const Analysis& analysis, const std::string& path, uint32_t offset) {
    for (const sema::ModuleUnit& module : analysis.program.modules) {
        if (analysis.sources.path(module.file) != path) continue;
        if (const sema::NameUse* use = sema::name_at(analysis.program, module.id, offset))
            add(analysis, Entity(use->entity));
        return;
    }
}

void Occurrences::add_others(Workspace& workspace, const Place& place, Span definition) {
    const std::string path = place.analysis.sources.path(definition.file);
    for (auto& [uri, document] : workspace.documents()) {
        if (document.path != place.document.path) add_from(workspace.analysis(document), path, definition.begin);
    }
    const std::string name(place.analysis.sources.text(definition));
    for (const std::string& file : workspace.closed_files_that_say({name, stem_of(path)})) {
        if (file == path) continue;  // it is a part of this program
        closed_.push_back(workspace.analysis_of_file(file));
        add_from(*closed_.back(), path, definition.begin);
    }
}

}  // namespace tsr::lsp
