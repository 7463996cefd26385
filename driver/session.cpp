#include "driver/session.h"

#include <cstdlib>
#include <cstring>

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/crash.h"
#include "driver/pages.h"
#include "frontend/parse.h"

namespace tsr::driver {

namespace {

bool wants_color() {
    const char* no_color = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    bool refused =
        (no_color != nullptr && *no_color != 0) || (terminal != nullptr && std::strcmp(terminal, "dumb") == 0);
    return !refused && ::isatty(STDERR_FILENO) != 0;
}

}  // namespace

std::unique_ptr<ast::Module> Session::parse_file(const std::string& path) {
    auto file = sources.load(path == "-" ? "/dev/stdin" : path);
    if (!file) {
        fail("E0001", file.message());
        return nullptr;
    }
    note_sources();
    return parse(file.value(), sources, diagnostics);
}

void Session::note_sources() {
    for (; noted_ < sources.count(); ++noted_) note_source(sources.path(FileId(noted_)), sources.text(FileId(noted_)));
}

std::string Session::show(const Diagnostics& some) const {
    switch (options_.diagnostics) {
        case DiagnosticForm::text:
            return render(some, sources, {.color = wants_color()});
        case DiagnosticForm::json:
            return render_json(some, sources);
        case DiagnosticForm::sarif:
            return render_sarif(some, sources, {"tesserac", TSR_VERSION, page_title});
    }
    return {};
}

int Session::finish() {
    diagnostics.sort();
    fmt::print(stderr, "{}", show(diagnostics));
    return diagnostics.has_errors() ? 1 : 0;
}

void Session::write_result(std::string_view bytes, const std::string& otherwise) {
    const std::string& path = options_.output.empty() ? otherwise : options_.output;
    if (!path.empty()) return write_file(path, bytes, FileKind::data);
    if (auto wrong = write_stdout(bytes); !wrong.empty()) fail("E0002", wrong);
}

bool Session::was_read(const std::string& path) const {
    struct stat place{};
    if (path == "-" || ::stat(path.c_str(), &place) != 0 || !S_ISREG(place.st_mode)) return false;
    for (size_t i = 0; i < sources.count(); ++i) {
        struct stat source{};
        const bool same = sources.is_file(FileId(i)) && ::stat(sources.path(FileId(i)).c_str(), &source) == 0 &&
                          source.st_dev == place.st_dev && source.st_ino == place.st_ino;
        if (same) return true;
    }
    return false;
}

void Session::write_file(const std::string& path, std::string_view bytes, FileKind kind) {
    if (was_read(path)) return fail("E0002", fmt::format("can not write '{}': it was read for this", path));
    if (auto wrong = write_output(path, bytes, kind); !wrong.empty()) fail("E0002", wrong);
}

}  // namespace tsr::driver
