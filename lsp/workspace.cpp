#include "lsp/workspace.h"

#include <algorithm>

#include <fmt/format.h>

#include "lsp/document_uri.h"
#include "lsp/protocol.h"

namespace tsr::lsp {

void Workspace::open(const std::string& uri, int64_t version, std::string text) {
    Document& document = documents_[uri];
    document.uri = uri;
    document.path = path_of(uri);
    document.version = version;
    document.text = std::move(text);
    forget(document.path);
}

void Workspace::change(Document& document, const Json& change) {
    std::string text = change.at("text").get<std::string>();
    const Json& range = below(change, {"range"});
    if (range.is_null()) {
        document.text = std::move(text);
    } else {
        const LineIndex lines(document.text);
        const uint32_t begin = lines.offset(document.text, position_of(range.at("start")), encoding);
        const uint32_t end = lines.offset(document.text, position_of(range.at("end")), encoding);
        document.text.replace(std::min(begin, end), std::max(begin, end) - std::min(begin, end), text);
    }
    forget(document.path);
}

void Workspace::close(const std::string& uri) {
    const std::string path = document(uri).path;
    documents_.erase(uri);
    forget(path);
}

// Programs in which a file's text has a part are checked anew when somebody asks for them.
void Workspace::forget(const std::string& path) {
    for (auto& [uri, document] : documents_) {
        const bool part = document.path == path || !document.analysis || document.analysis->depends_on(path);
        if (!part) continue;
        document.analysis.reset();
        document.reported = false;
        document.by_others |= document.path != path;
    }
}

Document* Workspace::find(const std::string& uri) {
    const auto found = documents_.find(uri);
    return found == documents_.end() ? nullptr : &found->second;
}

Document& Workspace::document(const std::string& uri) {
    if (Document* found = find(uri)) return *found;
    throw RequestError(ErrorCode::invalid_params, fmt::format("`{}` is not open", uri));
}

bool Workspace::is_open(const std::string& path) const {
    return std::ranges::any_of(documents_, [&](const auto& entry) { return entry.second.path == path; });
}

const Analysis& Workspace::analysis(Document& document) {
    if (!document.analysis) {
        std::vector<std::pair<std::string, std::string>> texts;
        for (const auto& [uri, open] : documents_) texts.emplace_back(open.path, open.text);
        document.analysis = std::make_shared<Analysis>(document.path, texts, import_folders_, encoding, cancel_);
    }
    return *document.analysis;
}

}  // namespace tsr::lsp
