#include "runtime/io/source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/fail.h"

namespace tsr::runtime {

namespace {

Refusal truncated(int64_t offset, size_t wanted, int64_t size) {
    return Refusal{text("truncated: %zu bytes are needed from byte %lld on, the end is at %lld", wanted,
                        static_cast<long long>(offset), static_cast<long long>(size))};
}

bool inside(int64_t offset, size_t wanted, int64_t size) {
    return offset >= 0 && offset <= size && wanted <= static_cast<uint64_t>(size - offset);
}

class FileSource : public Source {
public:
    FileSource(int descriptor, int64_t size) : descriptor_(descriptor), size_(size) {}
    ~FileSource() override { close(descriptor_); }
    int64_t size() const override { return size_; }

    Result<Done> read(int64_t offset, std::span<uint8_t> to) const override {
        if (!inside(offset, to.size(), size_)) return truncated(offset, to.size(), size_);
        constexpr size_t kMostAtOnce = size_t{1} << 30;
        while (!to.empty()) {
            ssize_t count = pread(descriptor_, to.data(), std::min(to.size(), kMostAtOnce), offset);
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) return Refusal{std::strerror(errno)};
            if (count == 0) return Refusal{"the file became shorter while it was read"};
            to = to.subspan(static_cast<size_t>(count));
            offset += count;
        }
        return Done{};
    }

private:
    int descriptor_;
    int64_t size_;
};

}  // namespace

Result<std::unique_ptr<Source>> open_file(const std::string& path) {
    // Not waiting: a pipe that nobody writes to is refused like any other.
    int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return Refusal{errno == ENOENT ? "no such file" : std::strerror(errno)};
    struct stat status{};
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(descriptor);
        return Refusal{S_ISDIR(status.st_mode) ? "this is a folder"
                                               : "not a regular file: tensors are read at places of their own"};
    }
    return std::unique_ptr<Source>(std::make_unique<FileSource>(descriptor, status.st_size));
}

Result<Done> MemorySource::read(int64_t offset, std::span<uint8_t> to) const {
    if (!inside(offset, to.size(), size())) return truncated(offset, to.size(), size());
    if (!to.empty()) std::memcpy(to.data(), bytes_.data() + offset, to.size());
    return Done{};
}

}  // namespace tsr::runtime
