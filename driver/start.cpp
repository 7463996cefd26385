#include "driver/start.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "driver/output.h"

namespace tsr::driver {

int in_memory(const std::string& executable) {
    int file = ::memfd_create("program", MFD_CLOEXEC);
    if (file < 0) return file;
    int error = write_all(file, executable);
    if (error == 0) return file;
    ::close(file);
    errno = error;
    return -1;
}

std::string become(int program, const Options& options) {
    auto name = options.input;
    std::vector<char*> words{name.data()};
    std::vector<std::string> arguments = options.program_arguments;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    std::signal(SIGXFSZ, SIG_DFL);
    ::fexecve(program, words.data(), environ);
    std::string why = std::strerror(errno);
    std::signal(SIGXFSZ, SIG_IGN);
    ::close(program);
    return why;
}

}  // namespace tsr::driver
