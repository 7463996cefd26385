#include "codegen/link/memory_output.h"

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace tsr::codegen {

MemoryOutput::MemoryOutput() {
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
    read_end_ = ends[0];
    write_end_ = ends[1];
    // The reader asks before it reads, so that only the writer ever waits.
    ::fcntl(read_end_, F_SETFL, O_NONBLOCK);
    done_ = ::eventfd(0, EFD_CLOEXEC);
    if (done_ < 0) return;
    reader_ = std::thread([this] { read(); });
}

MemoryOutput::~MemoryOutput() {
    if (ok()) take();
    for (int file : {read_end_, write_end_, done_}) {
        if (file >= 0) ::close(file);
    }
}

std::string MemoryOutput::take() {
    ::eventfd_write(done_, 1);
    reader_.join();
    return std::move(bytes_);
}

void MemoryOutput::drain() {
    std::array<char, 1 << 16> chunk{};
    while (true) {
        const ssize_t got = ::read(read_end_, chunk.data(), chunk.size());
        if (got > 0)
            bytes_.append(chunk.data(), static_cast<size_t>(got));
        else if (got == 0 || errno != EINTR)
            return;
    }
}

void MemoryOutput::read() {
    std::array<pollfd, 2> waited{pollfd{read_end_, POLLIN, 0}, pollfd{done_, POLLIN, 0}};
    while (waited[1].revents == 0) {
        if (::poll(waited.data(), waited.size(), -1) < 0 && errno != EINTR) return;
        drain();
    }
}

}  // namespace tsr::codegen
