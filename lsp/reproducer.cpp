#include "lsp/reproducer.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

namespace tsr::lsp {

namespace {

// A server that fails at each keystroke does not fill the disk.
constexpr int kMostReproducers = 5;

void write_text(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
}

}  // namespace

std::string leave_reproducer(const Workspace& workspace, const Json& request) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path base = fs::temp_directory_path(error);
    if (error) return {};
    for (int i = 0; i < kMostReproducers; ++i) {
        const fs::path folder = base / fmt::format("tessera-lsp-{}-{}", ::getpid(), i);
        if (!fs::create_directory(folder, error) || error) continue;
        fs::permissions(folder, fs::perms::owner_all, error);
        // The opening of each document and the request, one message a line.
        std::string messages;
        for (const auto& [uri, document] : workspace.documents()) {
            const Json opened = {{"uri", uri}, {"languageId", "tessera"}, {"version", 1}, {"text", document.text}};
            messages += text_of({{"method", "textDocument/didOpen"}, {"params", {{"textDocument", opened}}}}) + "\n";
        }
        if (!request.is_null()) messages += text_of(request) + "\n";
        write_text(folder / "messages.jsonl", messages);
        return folder;
    }
    return {};
}

}  // namespace tsr::lsp
