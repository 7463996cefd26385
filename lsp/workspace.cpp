#include "lsp/workspace.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "ir/machine/memory_rate.h"
#include "lsp/costs.h"
#include "lsp/document_uri.h"
#include "lsp/protocol.h"

namespace tsr::lsp {

void Settings::take(const Json& settings) {
    const auto take_one = [&](bool& setting, std::initializer_list<const char*> names) {
        const Json& value = below(settings, names);
        if (value.is_boolean()) setting = value.get<bool>();
    };
    take_one(type_hints, {"hints", "types"});
    take_one(cost_hints, {"hints", "costs"});
    take_one(rounding_hints, {"hints", "roundings"});
    take_one(cost_hover, {"hover", "costs"});
    take_one(resource_hover, {"hover", "resources"});
    take_one(run_lenses, {"lenses", "run"});
    take_one(sanitize_lenses, {"lenses", "sanitize"});
    take_one(gradient_lenses, {"lenses", "gradients"});
    take_one(code_lenses, {"lenses", "code"});
    if (const Json& gpu = below(settings, {"target"}); gpu.is_string()) target = gpu;
}

std::string Workspace::gpu() const {
    return ir::gpu_machine(settings.target) ? settings.target : std::string(ir::kUsualGpu);
}

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
        document.costs.reset();
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

const Document* Workspace::open_at(const std::string& path) const {
    const auto found = std::ranges::find_if(documents_, [&](const auto& entry) { return entry.second.path == path; });
    return found == documents_.end() ? nullptr : &found->second;
}

const Analysis& Workspace::analysis(Document& document) {
    if (!document.analysis) document.analysis = analysis_with(document.path, {});
    return *document.analysis;
}

Costs& Workspace::costs(Document& document) {
    const Analysis& program = analysis(document);
    if (!document.costs) document.costs = std::make_shared<Costs>(program, gpu());
    return *document.costs;
}

std::unique_ptr<Analysis> Workspace::analysis_with(const std::string& path,
                                                   const std::vector<std::pair<std::string, std::string>>& texts) {
    std::vector<std::pair<std::string, std::string>> all;
    for (const auto& [uri, open] : documents_) all.emplace_back(open.path, open.text);
    all.insert(all.end(), texts.begin(), texts.end());  // the last text of a path counts
    return std::make_unique<Analysis>(path, all, import_folders_, reader(), cancel_);
}

const Json& Workspace::outline(const std::string& path, const std::function<Json(const Analysis& parsed)>& make) {
    std::error_code error;
    const auto written = std::filesystem::last_write_time(path, error);
    const auto found = outlines_.find(path);
    if (found != outlines_.end() && !error && found->second.written == written) return found->second.symbols;
    Json symbols = make(Analysis(path, reader()));
    return outlines_.insert_or_assign(path, Outline{written, std::move(symbols)}).first->second.symbols;
}

std::vector<std::string> Workspace::importable_from(const std::string& path) const {
    namespace fs = std::filesystem;
    std::set<std::string> found;
    const fs::path self(path);
    std::vector<std::string> around{self.parent_path()};
    around.insert(around.end(), import_folders_.begin(), import_folders_.end());
    for (const std::string& folder : around) {
        std::error_code error;
        for (fs::directory_iterator at(folder, error); !error && at != fs::directory_iterator(); at.increment(error)) {
            if (at->path().extension() == ".tsr" && at->path() != self) found.insert(at->path().stem());
        }
    }
    for (const auto& [uri, open] : documents_) {
        const fs::path other(open.path);
        if (open.path != path && other.parent_path() == self.parent_path()) found.insert(other.stem());
    }
    return {found.begin(), found.end()};
}

namespace {

// A folder with more programs is not searched to its end, nor is a file larger than this read.
constexpr size_t kMostFiles = 5000;
constexpr size_t kLargestFile = 1U << 20U;

bool says_all(const std::filesystem::path& path, const std::vector<std::string>& words) {
    if (words.empty()) return true;
    std::ifstream in(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    return std::ranges::all_of(words, [&](const std::string& word) { return text.find(word) != std::string::npos; });
}

}  // namespace

std::vector<std::string> Workspace::closed_files_that_say(const std::vector<std::string>& words) const {
    namespace fs = std::filesystem;
    std::set<std::string> found;
    size_t seen = 0;
    for (const std::string& folder : folders) {
        std::error_code error;
        fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error);
        for (; !error && at != fs::recursive_directory_iterator() && seen < kMostFiles; at.increment(error)) {
            if (cancel_.load()) throw Cancelled();
            std::error_code ignored;
            if (at->path().filename().string().starts_with('.') && at->is_directory(ignored)) {
                at.disable_recursion_pending();
                continue;
            }
            const bool program = at->path().extension() == ".tsr" && at->is_regular_file(ignored);
            if (!program || at->file_size(ignored) > kLargestFile || open_at(at->path()) != nullptr) continue;
            ++seen;
            if (says_all(at->path(), words)) found.insert(at->path());
        }
    }
    return {found.begin(), found.end()};
}

}  // namespace tsr::lsp
