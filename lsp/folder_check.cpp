#include "lsp/folder_check.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "lsp/diagnostic_messages.h"
#include "lsp/document_uri.h"

namespace tsr::lsp {

namespace {

// A file that was written a moment ago may be written again without a later time.
constexpr auto kClockTick = std::chrono::milliseconds(20);

}  // namespace

Json FolderCheck::ask(Json id, const Json& params) {
    known_.clear();
    for (const Json& one : params.at("previousResultIds"))
        known_[one.at("uri").get<std::string>()] = one.at("value").get<std::string>();
    compared_ = false;
    return std::exchange(id_, std::move(id));
}

bool FolderCheck::give_up(const Json& id) {
    if (id_.is_null() || id_ != id) return false;
    id_ = nullptr;
    return true;
}

void FolderCheck::text_changed(const std::string& path) {
    for (const auto& [file, checked] : checked_) {
        if (checked.files.contains(path)) waiting_.insert(file);
    }
}

std::optional<Json> FolderCheck::step() {
    if (!listed_) {
        list();
    } else if (!waiting_.empty()) {
        check(*waiting_.begin());
    } else {
        return compare();
    }
    return std::nullopt;
}

void FolderCheck::list() {
    const std::vector<std::string> files = workspace_.closed_files_that_say({});
    waiting_.clear();
    for (const std::string& path : files) {
        const auto found = checked_.find(path);
        if (found == checked_.end() || !is_still_right(found->second)) waiting_.insert(path);
    }
    std::erase_if(checked_, [&](const auto& entry) { return !std::ranges::binary_search(files, entry.first); });
    listed_ = true;
    compared_ = false;
}

void FolderCheck::check(const std::string& path) {
    const auto analysis = workspace_.analysis_of_file(path);
    Checked checked;
    for (size_t i = 0; i < analysis->sources.count(); ++i) {
        const std::string& part = analysis->sources.path(FileId(i));
        if (!analysis->is_library(FileId(i))) checked.files[part] = stamp(part);
    }
    for (const std::string& missing : analysis->sources.looked_for()) checked.files[missing] = stamp(missing);
    checked.diagnostics = diagnostics_of_root(*analysis, workspace_);
    Checked& known = checked_[path];
    checked.number = known.number != 0 && known.diagnostics == checked.diagnostics ? known.number : ++results_;
    known = std::move(checked);
    waiting_.erase(path);
    compared_ = false;
}

// Of an open document its text, of a file its time and size.
std::string FolderCheck::stamp(const std::string& path) const {
    if (const Document* open = workspace_.open_at(path))
        return fmt::format("open {:016x}", std::hash<std::string>{}(open->text));
    std::error_code error;
    const auto time = std::filesystem::last_write_time(path, error);
    if (error) return "absent";
    if (std::filesystem::file_time_type::clock::now() - time < kClockTick) return "";
    return fmt::format("{} {}", time.time_since_epoch().count(), std::filesystem::file_size(path, error));
}

bool FolderCheck::is_still_right(const Checked& checked) const {
    for (const auto& [path, was] : checked.files) {
        if (was.empty() || stamp(path) != was) return false;
    }
    return true;
}

std::optional<Json> FolderCheck::compare() {
    Json items = Json::array();
    bool differs = known_.empty();
    std::map<std::string, std::string> known = known_;
    for (const auto& [path, checked] : checked_) {
        const std::string uri = uri_of(path);
        const std::string name = std::to_string(checked.number);
        const bool same = known[uri] == name;
        known.erase(uri);
        Json report = {{"uri", uri}, {"version", nullptr}, {"resultId", name}, {"kind", same ? "unchanged" : "full"}};
        if (!same) report["items"] = checked.diagnostics;
        items.push_back(std::move(report));
        differs |= !same;
    }
    // Nothing is said any more of files that are gone, and of those that are open now, which are asked for alone.
    for (const auto& [uri, name] : known) {
        if (workspace_.find(uri)) continue;
        items.push_back({{"uri", uri}, {"version", nullptr}, {"kind", "full"}, {"items", Json::array()}});
        differs = true;
    }
    compared_ = true;
    if (!differs) return std::nullopt;
    id_ = nullptr;
    return Json{{"items", std::move(items)}};
}

}  // namespace tsr::lsp
