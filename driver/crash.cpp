#include "driver/crash.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tsr::driver {

namespace {

struct NotedSource {
    std::string file;  // name under source/
    std::string_view text;
};

// A signal handler sees nothing but static storage, so this is the one object of its kind. All of it is made while the
// process is well: the handler allocates nothing.
struct Scene {
    std::string folder;
    std::string replay;
    std::array<NotedSource, 64> sources;
    size_t source_count = 0;
    std::string step;
    std::string ir;
};
Scene scene;

std::string shell_word(std::string_view text) {
    std::string out = "'";
    for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

void put(int file, std::string_view text) {
    while (!text.empty()) {
        ssize_t written = ::write(file, text.data(), text.size());
        if (written <= 0) return;
        text.remove_prefix(static_cast<size_t>(written));
    }
}

// Path pieces in a fixed buffer: the handler may not allocate.
struct Path {
    std::array<char, 4096> bytes{};
    Path(std::string_view folder, std::string_view file) {
        size_t at = 0;
        for (std::string_view piece : {folder, std::string_view("/"), file}) {
            for (char c : piece) {
                if (at + 1 < bytes.size()) bytes[at++] = c;
            }
        }
    }
    [[nodiscard]] const char* text() const { return bytes.data(); }
};

void save(std::string_view file, std::initializer_list<std::string_view> pieces, mode_t mode) {
    Path path(scene.folder, file);
    int out = ::open(path.text(), O_WRONLY | O_CREAT | O_TRUNC, mode);
    if (out < 0) return;
    for (std::string_view piece : pieces) put(out, piece);
    ::close(out);
}

void write_scene(std::string_view what) {
    put(STDERR_FILENO, "tesserac: internal error: ");
    put(STDERR_FILENO, what);
    if (!scene.step.empty()) {
        put(STDERR_FILENO, " (in ");
        put(STDERR_FILENO, scene.step);
        put(STDERR_FILENO, ")");
    }
    put(STDERR_FILENO, "\n");
    if (scene.folder.empty() || (::mkdir(scene.folder.c_str(), 0777) != 0 && errno != EEXIST)) return;
    save("what", {"internal error: ", what, "\nstep: ", scene.step, "\nversion: ", TSR_VERSION, "\n"}, 0666);
    save("replay", {scene.replay}, 0777);
    if (!scene.ir.empty()) save("last.ir", {scene.ir}, 0666);
    ::mkdir(Path(scene.folder, "source").text(), 0777);
    for (size_t i = 0; i < scene.source_count; ++i) save(scene.sources[i].file, {scene.sources[i].text}, 0666);
    put(STDERR_FILENO, "tesserac: this is an error in the compiler, not in the program; what replays it is in ");
    put(STDERR_FILENO, scene.folder);
    put(STDERR_FILENO, "\n");
}

void on_signal(int signal) {
    switch (signal) {
        case SIGSEGV:
            write_scene("segmentation fault");
            break;
        case SIGBUS:
            write_scene("bus error");
            break;
        case SIGFPE:
            write_scene("arithmetic fault");
            break;
        case SIGILL:
            write_scene("illegal instruction");
            break;
        case SIGABRT:
            write_scene("aborted");
            break;
        default:
            write_scene("signal");
            break;
    }
    ::_exit(kInternalError);
}

}  // namespace

void watch_for_crashes(std::span<const std::string> arguments, std::string_view input) {
    scene.source_count = 0;
    scene.step.clear();
    scene.ir.clear();
    const char* temporary = std::getenv("TMPDIR");
    scene.folder =
        fmt::format("{}/tesserac-crash-{}", temporary != nullptr && *temporary != 0 ? temporary : "/tmp", ::getpid());
    scene.replay = "#!/bin/sh\ncd \"$(dirname \"$0\")\"\nexec tesserac";
    for (const std::string& argument : arguments) {
        bool is_input = !input.empty() && argument == input;
        scene.replay +=
            " " + shell_word(is_input ? fmt::format("source/{}", base_name(input == "-" ? "stdin" : input)) : argument);
    }
    scene.replay += "\n";

    // A handler of a stack that overflowed needs another one.
    static std::array<char, 64 << 10> stack;
    stack_t other{};
    other.ss_sp = stack.data();
    other.ss_size = stack.size();
    ::sigaltstack(&other, nullptr);
    struct sigaction action{};
    action.sa_handler = on_signal;
    action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND);
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::sigaction(signal, &action, nullptr);
}

void note_source(std::string_view path, std::string_view text) {
    if (scene.source_count == scene.sources.size()) return;
    scene.sources[scene.source_count] = {fmt::format("source/{}", base_name(path)), text};
    ++scene.source_count;
}

void note_ir(std::string_view step, std::string text) {
    scene.ir.clear();  // a crash between these lines must not name the wrong step
    scene.step = step;
    scene.ir = std::move(text);
}

int report_internal_error(std::string_view what) {
    write_scene(what);
    return kInternalError;
}

}  // namespace tsr::driver
