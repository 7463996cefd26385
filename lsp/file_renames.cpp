// `workspace/willRenameFiles`: a program's file gets another name, or place, and who imports it names it so.
#include <map>

#include "lsp/document_uri.h"
#include "lsp/edits.h"
#include "lsp/methods.h"
#include "lsp/places.h"

namespace tsr::lsp {

namespace {

constexpr std::string_view kExtension = ".tsr";

// Files, and folders with all in them, that will have other paths.
class Renames {
public:
    explicit Renames(const Json& files) {
        for (const Json& file : files)
            all_.emplace_back(path_of(file.at("oldUri").get<std::string>()),
                              path_of(file.at("newUri").get<std::string>()));
    }

    [[nodiscard]] std::string path_after(const std::string& path) const {
        for (const auto& [before, after] : all_) {
            if (path == before) return after;
            if (path.starts_with(before + "/")) return after + path.substr(before.size());
        }
        return path;
    }

    // Words one of which an importer has in its text.
    [[nodiscard]] std::vector<std::string> words() const {
        std::vector<std::string> words;
        for (const auto& [before, after] : all_) {
            std::string name = before.substr(before.rfind('/') + 1);
            if (name.ends_with(kExtension)) name.resize(name.size() - kExtension.size());
            words.push_back(std::move(name));
        }
        return words;
    }

private:
    std::vector<std::pair<std::string, std::string>> all_;
};

// What an import in `folder` calls the file: "a.b" of FOLDER/a/b.tsr. Nothing where none can.
std::optional<std::string> module_name(std::string_view path, std::string_view folder) {
    if (!path.starts_with(folder) || !path.ends_with(kExtension)) return std::nullopt;
    path.remove_prefix(folder.size());
    path.remove_suffix(kExtension.size());
    if (!path.starts_with('/')) return std::nullopt;
    std::string name;
    while (!path.empty()) {
        path.remove_prefix(1);
        const std::string part(path.substr(0, path.find('/')));
        if (!is_name(part)) return std::nullopt;
        name += (name.empty() ? "" : ".") + part;
        path.remove_prefix(part.size());
    }
    return name;
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

// Where the text has the module's whole name, of which the last part may be what names it: `a.b` of `a.b.f()`. Nothing
// where it has an alias.
std::optional<Span> spelled_at(const Analysis& importer, const sema::NameUse& use) {
    const std::string& name = use.entity.name;
    if (use.at.end < name.size()) return std::nullopt;
    const Span whole{use.at.file, use.at.end - static_cast<uint32_t>(name.size()), use.at.end};
    if (whole.begin > use.at.begin || importer.sources.text(whole) != name) return std::nullopt;
    return whole;
}

// The edits of one importer: each place that spells the module by its name, not by an alias.
Json edits_of(const Analysis& importer, const Renames& renames, const std::vector<std::string>& import_folders) {
    std::map<sema::ModuleId, std::string> names;
    std::vector<std::string> folders{folder_of(renames.path_after(importer.sources.path(importer.root)))};
    folders.insert(folders.end(), import_folders.begin(), import_folders.end());
    for (const sema::ModuleUnit& module : importer.program.modules) {
        if (module.id == kRoot || module.library) continue;
        const std::string after = renames.path_after(importer.sources.path(module.file));
        if (after == importer.sources.path(module.file)) continue;
        for (const std::string& folder : folders) {
            const auto name = module_name(after, folder);
            if (name && names.emplace(module.id, *name).second) break;
        }
    }
    Json edits = Json::array();
    if (importer.program.modules.empty()) return edits;
    for (const sema::NameUse& use : importer.program.modules[kRoot.index].names) {
        if (use.entity.kind != sema::NameKind::module) continue;
        const auto name = names.find(use.entity.module);
        if (name == names.end() || name->second == use.entity.name) continue;
        if (const auto at = spelled_at(importer, use)) edits.push_back(text_edit(importer, *at, name->second));
    }
    return edits;
}

}  // namespace

Json answer_will_rename_files(Workspace& workspace, const Json& params) {
    const Renames renames(params.at("files"));
    std::map<std::string, Json> edits;
    const auto add = [&](const Analysis& importer) {
        Json found = edits_of(importer, renames, workspace.import_folders());
        if (!found.empty()) edits[importer.sources.path(importer.root)] = std::move(found);
    };
    for (auto& [uri, document] : workspace.documents()) add(workspace.analysis(document));
    for (const std::string& word : renames.words()) {
        for (const std::string& file : workspace.closed_files_that_say({word})) {
            if (!edits.contains(file)) add(*workspace.analysis_of_file(file));
        }
    }
    if (edits.empty()) return nullptr;
    return workspace_edit(workspace, std::move(edits));
}

}  // namespace tsr::lsp
