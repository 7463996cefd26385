#include "driver/output.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tsr::driver {

namespace {

std::string failure(std::string_view path, int error) {
    return fmt::format("can not write '{}': {}", path, std::strerror(error));
}

// 0, or the error that stopped the writing.
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

int write_and_close(int file, std::string_view bytes) {
    int error = write_all(file, bytes);
    // Some file systems say only here that there is no room.
    if (::close(file) != 0 && error == 0) error = errno;
    return error;
}

}  // namespace

std::string temporary_name(const std::string& path) {
    auto slash = path.rfind('/');
    auto folder = slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
    auto file = slash == std::string::npos ? path : path.substr(slash + 1);
    return fmt::format("{}.{}.{}.part", folder, file, ::getpid());
}

bool is_regular_or_new(const std::string& path) {
    struct stat there{};
    return ::stat(path.c_str(), &there) != 0 || S_ISREG(there.st_mode);
}

std::string scratch_file(std::string_view purpose) {
    const char* folder = std::getenv("TMPDIR");
    return fmt::format("{}/tesserac-{}-{}", folder != nullptr && *folder != 0 ? folder : "/tmp", purpose, ::getpid());
}

std::string put_in_place(const std::string& temporary, const std::string& path) {
    if (std::rename(temporary.c_str(), path.c_str()) == 0) return {};
    int error = errno;
    ::unlink(temporary.c_str());
    return failure(path, error);
}

std::string write_output(const std::string& path, std::string_view bytes, FileKind kind) {
    if (path == "-") return write_stdout(bytes);
    struct stat there{};
    bool exists = ::stat(path.c_str(), &there) == 0;
    if (exists && S_ISDIR(there.st_mode)) return fmt::format("can not write '{}': it is a folder", path);
    mode_t mode = kind == FileKind::executable ? 0777 : 0666;
    if (exists && !S_ISREG(there.st_mode)) {
        int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
        if (file < 0) return failure(path, errno);
        int error = write_and_close(file, bytes);
        return error == 0 ? "" : failure(path, error);
    }
    auto temporary = temporary_name(path);
    int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    if (file < 0) return failure(path, errno);
    if (int error = write_and_close(file, bytes); error != 0) {
        ::unlink(temporary.c_str());
        return failure(path, error);
    }
    return put_in_place(temporary, path);
}

std::string write_stdout(std::string_view bytes) {
    int error = write_all(STDOUT_FILENO, bytes);
    // A reader that has seen enough (`| head`) is no failure of ours to report.
    if (error == 0 || error == EPIPE) return {};
    return fmt::format("can not write to standard output: {}", std::strerror(error));
}

}  // namespace tsr::driver
