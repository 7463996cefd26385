#include "driver/output.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tsr::driver {

int write_all(int file, std::string_view bytes) {
    while (!bytes.empty()) {
        ssize_t written = ::write(file, bytes.data(), bytes.size());
        if (written < 0) {
            if (errno == EINTR) continue;
            return errno;
        }
        bytes.remove_prefix(static_cast<size_t>(written));
    }
    return 0;
}

namespace {

std::string failure(std::string_view path, int error) {
    return fmt::format("can not write '{}': {}", path, std::strerror(error));
}

int write_and_close(int file, std::string_view bytes) {
    int error = write_all(file, bytes);
    // Some file systems say only here that there is no room.
    if (::close(file) != 0 && error == 0) error = errno;
    return error;
}

int write_in_place(const std::string& path, std::string_view bytes) {
    int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    return file < 0 ? errno : write_and_close(file, bytes);
}

// While this lives, what asks the process to end waits: no part of a file stays behind.
class SignalsWait {
public:
    SignalsWait() {
        sigset_t ending;
        sigemptyset(&ending);
        for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&ending, signal);
        ::pthread_sigmask(SIG_BLOCK, &ending, &before_);
    }
    ~SignalsWait() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsWait(const SignalsWait&) = delete;
    SignalsWait& operator=(const SignalsWait&) = delete;

private:
    sigset_t before_{};
};

// Writes a hidden file beside the output and renames it. A link stays one: what it points to is replaced.
int replace(const std::string& path, std::string_view bytes, const struct stat* there, FileKind kind) {
    std::error_code unknown;
    auto real = there != nullptr ? std::filesystem::canonical(path, unknown).string() : path;
    if (unknown) real = path;
    static std::atomic<unsigned> number = 0;  // several threads write at once
    auto temporary = fmt::format("{}.tesserac.{}.{}.part", real.substr(0, real.rfind('/') + 1), ::getpid(), number++);
    SignalsWait signals_wait;
    int file =
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kind == FileKind::executable ? 0777 : 0666);
    if (file < 0) return errno;
    if (there != nullptr && kind == FileKind::data) ::fchmod(file, there->st_mode & 07777U);
    int error = write_and_close(file, bytes);
    if (error == 0 && std::rename(temporary.c_str(), real.c_str()) != 0) error = errno;
    if (error != 0) ::unlink(temporary.c_str());
    return error;
}

}  // namespace

std::string write_output(const std::string& path, std::string_view bytes, FileKind kind) {
    if (path == "-") return write_stdout(bytes);
    struct stat there{};
    bool exists = ::stat(path.c_str(), &there) == 0;
    if (exists && S_ISDIR(there.st_mode)) return fmt::format("can not write '{}': it is a folder", path);
    if (exists && ::access(path.c_str(), W_OK) != 0) return failure(path, errno);
    int error = exists && !S_ISREG(there.st_mode) ? write_in_place(path, bytes)
                                                  : replace(path, bytes, exists ? &there : nullptr, kind);
    return error == 0 ? "" : failure(path, error);
}

std::string write_stdout(std::string_view bytes) {
    int error = write_all(STDOUT_FILENO, bytes);
    // A reader that has seen enough (`| head`) is no failure of ours to report.
    if (error == 0 || error == EPIPE) return {};
    return fmt::format("can not write to standard output: {}", std::strerror(error));
}

std::optional<std::string> content(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) return std::nullopt;
    std::ostringstream out;
    out << in.rdbuf();
    return std::move(out).str();
}

}  // namespace tsr::driver
