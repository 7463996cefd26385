// What the server knows of the editor: the open documents, and the programs that were checked for them.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/analysis.h"
#include "lsp/json.h"
#include "lsp/positions.h"
#include "lsp/shown_code.h"

namespace tsr::lsp {

class Costs;

// What the user wants to be told: all of it but what is switched off.
struct Settings {
    bool type_hints = true;
    bool cost_hints = true;
    bool rounding_hints = true;
    bool cost_hover = true;
    bool resource_hover = true;
    bool run_lenses = true;
    bool sanitize_lenses = true;
    bool gradient_lenses = true;
    bool code_lenses = true;  // of Graph IR, Tile IR and PTX
    std::string target;       // whose PTX and plans are shown; empty: what the compiler takes

    // {"hints": {"types": …, "costs": …, "roundings": …}, "hover": {"costs": …, "resources": …}, "lenses": {"run": …,
    // "sanitize": …, "gradients": …, "code": …}, "target": "sm_80"}; what is absent stays.
    void take(const Json& settings);
};

struct Document {
    std::string uri;
    std::string path;
    int64_t version = 0;
    std::string text;
    bool reported = false;                     // its diagnostics are those of its present text
    bool by_others = false;                    // another file's change has made them others
    std::shared_ptr<const Analysis> analysis;  // of its present text; null: not made yet
    std::shared_ptr<Costs> costs;              // of that analysis; null: nobody has asked
    std::vector<uint32_t> tokens;              // the semantic tokens that the client has,
    size_t tokens_given = 0;                   // and how often it was given some: the name of these
};

// What is known of the language beside its programs: pages of the documentation.
struct Documentation {
    std::function<std::string(std::string_view path)> operation;   // "tile.scan"; empty: there is none
    std::function<std::string(std::string_view code)> diagnostic;  // "E0201"; empty: there is none
};

// The compiler that this server belongs to.
struct Compiler {
    std::string path;
    ShowCode show;
};

class Workspace {
public:
    Workspace(std::vector<std::string> import_folders, Documentation documentation, Compiler compiler,
              const std::atomic<bool>& cancel)
        : documentation(std::move(documentation)),
          compiler(std::move(compiler)),
          import_folders_(std::move(import_folders)),
          cancel_(cancel) {}

    Encoding encoding = Encoding::utf16;
    bool takes_library = false;    // the client asks for texts of the library by their URIs
    Json client = Json::object();  // its capabilities
    Documentation documentation;
    Compiler compiler;
    Settings settings;
    std::vector<std::string> folders;  // paths

    // The GPU whose limits are told.
    [[nodiscard]] std::string gpu() const;
    [[nodiscard]] Reader reader() const { return {encoding, takes_library}; }

    void open(const std::string& uri, int64_t version, std::string text);
    // One entry of `contentChanges`.
    void change(Document& document, const Json& change);
    void close(const std::string& uri);
    // A file was written by somebody.
    void changed_on_disk(const std::string& path) { forget(path); }

    // Raises RequestError where the document is not open.
    Document& document(const std::string& uri);
    Document& document_of(const Json& params) {
        return document(params.at("textDocument").at("uri").get<std::string>());
    }
    [[nodiscard]] Document* find(const std::string& uri);
    std::map<std::string, Document, std::less<>>& documents() { return documents_; }
    [[nodiscard]] const std::map<std::string, Document, std::less<>>& documents() const { return documents_; }
    [[nodiscard]] const Document* open_at(const std::string& path) const;
    [[nodiscard]] const std::vector<std::string>& import_folders() const { return import_folders_; }
    [[nodiscard]] const std::atomic<bool>& cancel() const { return cancel_; }

    // The program of its present text. Raises Cancelled.
    const Analysis& analysis(Document& document);
    // What its code costs, asked for the first time or not.
    Costs& costs(Document& document);
    // The program of a file that is not open, as a root.
    std::unique_ptr<Analysis> analysis_of_file(const std::string& path) { return analysis_with(path, {}); }
    // The same if these texts, by path, stood for their files.
    std::unique_ptr<Analysis> analysis_with(const std::string& path,
                                            const std::vector<std::pair<std::string, std::string>>& texts);

    // Names of files that a program at this path can import, of their folders alone.
    [[nodiscard]] std::vector<std::string> importable_from(const std::string& path) const;

    // The outline of a file that is not open: `make` is called where it is not known, or the file was written since.
    const Json& outline(const std::string& path, const std::function<Json(const Analysis& parsed)>& make);

    // Programs in the editor's folders that are not open, and whose texts hold all these words.
    [[nodiscard]] std::vector<std::string> closed_files_that_say(const std::vector<std::string>& words) const;

private:
    void forget(const std::string& path);

    struct Outline {
        std::filesystem::file_time_type written;
        Json symbols;
    };

    std::map<std::string, Document, std::less<>> documents_;  // by URI
    std::map<std::string, Outline> outlines_;                 // by path
    std::vector<std::string> import_folders_;
    const std::atomic<bool>& cancel_;
};

}  // namespace tsr::lsp
