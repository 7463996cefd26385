#include "lsp/analysis.h"

#include <algorithm>

#include "frontend/parse.h"
#include "ir/pipeline.h"
#include "lsp/document_uri.h"
#include "lsp/library_files.h"
#include "lsp/protocol.h"
#include "sema/builtins/library.h"
#include "sema/elaborate/elaborate.h"

namespace tsr::lsp {

namespace {

// A larger text is parsed and nothing else.
constexpr size_t kLargestChecked = 4U << 20U;

void stop_if(const std::atomic<bool>& cancel) {
    if (cancel.load()) throw Cancelled();
}

bool is_copy_of_library(const std::string& path, std::string_view text) {
    const std::string name = path.substr(path.rfind('/') + 1);
    const sema::LibraryFile* file = sema::library_file(name.substr(0, name.rfind('.')));
    return file && file->text == text;
}

}  // namespace

Analysis::Analysis(const std::string& path, const std::vector<std::pair<std::string, std::string>>& open,
                   const std::vector<std::string>& import_folders, Reader reader, const std::atomic<bool>& cancel)
    : reader_(reader) {
    for (const auto& [name, text] : open) sources.overlay(name, text);
    parse_root(path);
    stop_if(cancel);
    if (sources.text(root).size() <= kLargestChecked) check(import_folders, cancel);
    sound = !program.modules.empty() && !diagnostics.has_errors();
    // A file of the standard library is checked for what a program calls it with.
    if (is_copy_of_library(path, sources.text(root))) diagnostics = Diagnostics();
    diagnostics.sort();
}

Analysis::Analysis(const std::string& path, Reader reader) : reader_(reader) { parse_root(path); }

void Analysis::parse_root(const std::string& path) {
    const auto loaded = sources.load(path);
    root = loaded ? loaded.value() : sources.add(path, "");
    if (!loaded) diagnostics.error("E0001", {root, 0, 0}, loaded.message());
    tree = parse(root, sources, diagnostics);
}

// Rules about groups, copies and resources are checked on the kernels themselves, once nothing else is wrong.
void Analysis::check(const std::vector<std::string>& import_folders, const std::atomic<bool>& cancel) {
    program = sema::check(*tree, sources, {.import_folders = import_folders, .cancel = &cancel}, diagnostics);
    stop_if(cancel);
    if (diagnostics.has_errors()) return;
    ir::Module module = sema::elaborate(program, diagnostics);
    stop_if(cancel);
    if (diagnostics.has_errors()) return;
    ir::PassOptions options;
    options.verify = false;
    ir::PassManager manager(options);
    ir::differentiate(module, manager, diagnostics);
    stop_if(cancel);
    if (diagnostics.has_errors()) return;
    ir::check_module(module, manager, ir::Points::all, sources, diagnostics);
    stop_if(cancel);
}

std::vector<std::string> Analysis::codes() const {
    std::vector<std::string> found;
    for (const Diagnostic& d : diagnostics.all()) found.push_back(d.code);
    std::ranges::sort(found);
    return found;
}

bool Analysis::depends_on(const std::string& path) const {
    for (size_t i = 0; i < sources.count(); ++i) {
        if (sources.path(FileId(i)) == path) return true;
    }
    return std::ranges::find(sources.looked_for(), path) != sources.looked_for().end();
}

const LineIndex& Analysis::lines(FileId file) const {
    const auto found = lines_.find(file);
    if (found != lines_.end()) return found->second;
    return lines_.emplace(file, LineIndex(sources.text(file), sources.is_file(file))).first->second;
}

uint32_t Analysis::offset(Position at) const { return lines(root).offset(sources.text(root), at, reader_.encoding); }

Position Analysis::position(FileId file, uint32_t offset) const {
    return lines(file).position(sources.text(file), offset, reader_.encoding);
}

Json Analysis::range(Span span) const {
    if (!span.valid()) return {{"start", json_of(Position{})}, {"end", json_of(Position{})}};
    return {{"start", json_of(position(span.file, span.begin))}, {"end", json_of(position(span.file, span.end))}};
}

bool Analysis::is_library(FileId file) const {
    return std::ranges::any_of(program.modules, [&](const auto& m) { return m.file == file && m.library; });
}

std::string Analysis::uri(FileId file) const {
    const std::string& path = sources.path(file);
    if (!is_library(file)) return uri_of(path);
    return reader_.takes_library ? library_uri(path) : uri_of(readable_copy(path, sources.text(file)));
}

Json Analysis::location(Span span) const { return {{"uri", uri(span.file)}, {"range", range(span)}}; }

}  // namespace tsr::lsp
