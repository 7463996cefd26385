#include "runtime/io/output_file.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/fail.h"

namespace tsr::runtime {

namespace {

constexpr size_t kBuffer = size_t{1} << 16;

// Where a link points, so that the file and not the link is replaced.
std::string resolved(const std::string& path) {
    char* real = realpath(path.c_str(), nullptr);
    std::string result = real != nullptr ? real : path;
    std::free(real);
    return result;
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : target_(resolved(path)) {
    struct stat status{};
    bool exists = stat(target_.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) {
        error_ = "this is a folder";
        return;
    }
    if (exists && !S_ISREG(status.st_mode)) {
        descriptor_ = open(target_.c_str(), O_WRONLY | O_CLOEXEC);
        if (descriptor_ < 0) note_error();
        return;
    }
    for (int attempt = 0; descriptor_ < 0 && attempt < 100; ++attempt) {
        temporary_ = target_ + text(".%d-%d.part", static_cast<int>(getpid()), attempt);
        descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor_ < 0 && errno != EEXIST) break;
    }
    if (descriptor_ < 0) {
        note_error();
        temporary_.clear();
    }
}

OutputFile::~OutputFile() { discard(); }

void OutputFile::note_error() {
    if (error_.empty()) error_ = errno == ENOENT ? "no such folder" : std::strerror(errno);
}

void OutputFile::discard() {
    if (descriptor_ >= 0) close(descriptor_);
    descriptor_ = -1;
    if (!temporary_.empty()) unlink(temporary_.c_str());
    temporary_.clear();
}

void OutputFile::write(std::span<const uint8_t> bytes) {
    position_ += static_cast<int64_t>(bytes.size());
    if (buffer_.size() + bytes.size() > kBuffer) flush();
    if (bytes.size() > kBuffer) {
        write_through(bytes);
    } else {
        buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    }
}

void OutputFile::flush() {
    write_through(buffer_);
    buffer_.clear();
}

void OutputFile::write_through(std::span<const uint8_t> bytes) {
    constexpr size_t kMostAtOnce = size_t{1} << 30;
    while (!bytes.empty() && error_.empty()) {
        ssize_t count = ::write(descriptor_, bytes.data(), std::min(bytes.size(), kMostAtOnce));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return note_error();
        bytes = bytes.subspan(static_cast<size_t>(count));
    }
}

Result<Done> OutputFile::commit() {
    flush();
    // Some file systems say only here that the disk is full.
    if (descriptor_ >= 0 && close(descriptor_) != 0) note_error();
    descriptor_ = -1;
    if (error_.empty() && !temporary_.empty() && rename(temporary_.c_str(), target_.c_str()) != 0) note_error();
    if (!error_.empty()) {
        discard();
        return Refusal{error_};
    }
    temporary_.clear();
    return Done{};
}

}  // namespace tsr::runtime
