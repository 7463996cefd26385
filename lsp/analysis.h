// One program of the editor: an open document as its root, with all that it imports, checked. It does not change any
// more: another text makes another one.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/sources.h"
#include "frontend/ast.h"
#include "lsp/json.h"
#include "lsp/positions.h"
#include "sema/program/program.h"

namespace tsr::lsp {

// How the client reads what it is told of places.
struct Reader {
    Encoding encoding = Encoding::utf16;
    bool takes_library = false;  // texts of `tessera:` URIs, by `workspace/textDocumentContent`
};

class Analysis {
public:
    // `open`: texts by path that stand for the files of these paths. Raises Cancelled when `cancel` is set meanwhile.
    Analysis(const std::string& path, const std::vector<std::pair<std::string, std::string>>& open,
             const std::vector<std::string>& import_folders, Reader reader, const std::atomic<bool>& cancel);
    // Of a file alone, whose text was parsed and nothing else.
    Analysis(const std::string& path, Reader reader);

    Sources sources;
    Diagnostics diagnostics;
    FileId root;
    std::unique_ptr<ast::Module> tree;
    sema::Program program;
    bool sound = false;  // it was checked whole and has no error, told or not

    // The codes of all that is said, sorted.
    [[nodiscard]] std::vector<std::string> codes() const;

    // Whether the file's text, or that there is no such file, has a part in this.
    [[nodiscard]] bool depends_on(const std::string& path) const;

    // ---- places ----
    [[nodiscard]] uint32_t offset(Position at) const;  // in the root's text
    [[nodiscard]] Position position(FileId file, uint32_t offset) const;
    [[nodiscard]] Json range(Span span) const;
    // The URI of a file's text. Files of the standard library get one where the client can read them.
    [[nodiscard]] std::string uri(FileId file) const;
    [[nodiscard]] Json location(Span span) const;
    [[nodiscard]] bool is_library(FileId file) const;

private:
    void parse_root(const std::string& path);
    [[nodiscard]] const LineIndex& lines(FileId file) const;
    void check(const std::vector<std::string>& import_folders, const std::atomic<bool>& cancel);

    Reader reader_;
    mutable std::map<FileId, LineIndex> lines_;
};

}  // namespace tsr::lsp
