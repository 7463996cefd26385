// `tesserac lsp`: the language server, on standard input and output.
#include <algorithm>

#include "driver/commands.h"
#include "driver/pages.h"
#include "driver/shown_code.h"
#include "driver/subprocess.h"
#include "lsp/server.h"

namespace tsr::driver {

int serve_editor(const Options& options) {
    lsp::ServerOptions how;
    how.version = TSR_VERSION;
    how.import_folders = options.include_folders;
    how.documentation.operation = [](std::string_view path) {
        const Page* page = operation_page(path);
        return page ? std::string(page->text) : std::string();
    };
    how.documentation.diagnostic = [](std::string_view code) {
        const auto page = std::ranges::find(error_pages(), code, &Page::name);
        return page == error_pages().end() ? std::string() : std::string(page->text);
    };
    how.compiler = {own_path(), show_code};
    return lsp::serve(how);
}

}  // namespace tsr::driver
