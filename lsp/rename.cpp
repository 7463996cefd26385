// `textDocument/prepareRename` and `rename`. What a name may not become is found by checking the programs with the new
// name: no message may come or go, and the new name has to mean the same at the same places.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "lsp/edits.h"
#include "lsp/methods.h"
#include "lsp/other_programs.h"
#include "lsp/places.h"
#include "lsp/protocol.h"

namespace tsr::lsp {

namespace {

using sema::Entity;
using sema::NameKind;

[[noreturn]] void refuse(const std::string& message) { throw RequestError(ErrorCode::request_failed, message); }

// The name that can be renamed at the place.
const sema::NameUse& renamed_at(const std::optional<Place>& place) {
    const sema::NameUse* use = place ? place->name() : nullptr;
    if (!use) refuse("no name stands here");
    const Entity& entity = use->entity;
    if (!entity.module.valid()) refuse(fmt::format("`{}` belongs to the language", entity.name));
    if (entity.kind == NameKind::module)
        refuse(fmt::format("`{}` is a module: its file would have to be renamed", entity.name));
    if (place->program().modules[entity.module.index].library)
        refuse(fmt::format("`{}` belongs to the standard library", entity.name));
    return *use;
}

struct Edits {
    const Analysis* analysis;  // that has the text
    FileId file;
    std::vector<Span> places;  // in the order of the text
};
using EditsByPath = std::map<std::string, Edits>;

// The places where the name is spelled as at the cursor: `from shapes import area as surface` has two spellings, and an
// alias is renamed in its own module.
EditsByPath edits_of(const Occurrences& found, const Place& place, const sema::NameUse& at) {
    const std::string_view spelled = place.analysis.sources.text(at.at);
    const auto definition = sema::definition(place.program(), at.entity);
    const bool alias = definition && place.analysis.sources.text(*definition) != spelled;
    EditsByPath edits;
    for (const FoundUse& one : found.all()) {
        const std::string& path = one.analysis->sources.path(one.use.at.file);
        if (one.analysis->sources.text(one.use.at) != spelled || (alias && path != place.document.path)) continue;
        Edits& in_file = edits.try_emplace(path, Edits{one.analysis, one.use.at.file, {}}).first->second;
        if (in_file.analysis == one.analysis) in_file.places.push_back(one.use.at);
    }
    for (auto& [path, in_file] : edits) std::ranges::sort(in_file.places, {}, &Span::begin);
    return edits;
}

std::string edited(const Edits& edits, const std::string& name) {
    std::string text(edits.analysis->sources.text(edits.file));
    for (auto at = edits.places.rbegin(); at != edits.places.rend(); ++at)
        text.replace(at->begin, at->end - at->begin, name);
    return text;
}

// Where the nth place is in the edited text.
uint32_t moved(const Edits& edits, size_t n, const std::string& name) {
    uint32_t offset = edits.places[n].begin;
    for (size_t i = 0; i < n; ++i)
        offset += static_cast<uint32_t>(name.size()) - (edits.places[i].end - edits.places[i].begin);
    return offset;
}

// The new program means what the old one did.
void require_same(const Analysis& before, const Analysis& after, const EditsByPath& edits, const std::string& name) {
    if (before.codes() != after.codes()) {
        std::string why;
        for (const Diagnostic& d : after.diagnostics.all()) {
            const bool fresh = std::ranges::none_of(before.diagnostics.all(),
                                                    [&](const Diagnostic& old) { return old.message == d.message; });
            if (fresh && why.empty()) why = ": " + d.message;
        }
        refuse(fmt::format("`{}` would not do here{}", name, why));
    }
    for (const sema::ModuleUnit& module : after.program.modules) {
        const auto found = edits.find(after.sources.path(module.file));
        if (found == edits.end() || found->second.places.empty()) continue;
        const Edits& in_file = found->second;
        const sema::NameUse* first = sema::name_at(after.program, module.id, moved(in_file, 0, name));
        std::vector<uint32_t> places, expected;
        if (first) {
            for (const sema::NameUse& use : sema::occurrences(after.program, first->entity)) {
                if (use.at.file == module.file && after.sources.text(use.at) == name) places.push_back(use.at.begin);
            }
        }
        for (size_t i = 0; i < in_file.places.size(); ++i) expected.push_back(moved(in_file, i, name));
        if (places != expected) refuse(fmt::format("`{}` already is another name here", name));
    }
}

Json json_of(const EditsByPath& edits, const Workspace& workspace, const std::string& name) {
    std::map<std::string, Json> changes;
    for (const auto& [path, in_file] : edits) {
        Json& in_text = changes[path] = Json::array();
        for (const Span& place : in_file.places) in_text.push_back(text_edit(*in_file.analysis, place, name));
    }
    return workspace_edit(workspace, std::move(changes));
}

}  // namespace

Json answer_prepare_rename(Workspace& workspace, const Json& params) {
    const auto place = place_of(workspace, params);
    if (!place || !place->name()) return nullptr;
    const sema::NameUse& use = renamed_at(place);
    return {{"range", place->analysis.range(use.at)}, {"placeholder", place->analysis.sources.text(use.at)}};
}

Json answer_rename(Workspace& workspace, const Json& params) {
    const auto place = place_of(workspace, params);
    const sema::NameUse& use = renamed_at(place);
    const std::string name = params.at("newName");
    if (!is_name(name)) refuse(fmt::format("`{}` is not a name", name));
    const Occurrences found(workspace, *place, use.entity);
    const EditsByPath edits = edits_of(found, *place, use);
    std::vector<std::pair<std::string, std::string>> texts;
    for (const auto& [path, in_file] : edits) texts.emplace_back(path, edited(in_file, name));
    for (const auto& [path, in_file] : edits) {
        const Document* open = workspace.open_at(path);
        const bool own = in_file.analysis->sources.path(in_file.analysis->root) == path;
        // A closed file that only others import is checked as a part of their programs.
        if (!open && !own) continue;
        const Analysis& before = own ? *in_file.analysis : workspace.analysis(*workspace.find(open->uri));
        require_same(before, *workspace.analysis_with(path, texts), edits, name);
    }
    return json_of(edits, workspace, name);
}

}  // namespace tsr::lsp
