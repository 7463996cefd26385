#include "runtime/io/inputs.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

namespace tsr::runtime {

namespace {

using FileIdentity = std::pair<dev_t, ino_t>;

std::vector<FileIdentity>& inputs() {
    static auto* files = new std::vector<FileIdentity>;
    return *files;
}

std::string folder_of(const std::string& path) {
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

void note_input(const std::string& path) {
    struct stat status{};
    const bool file = stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
    if (file) inputs().emplace_back(status.st_dev, status.st_ino);
}

Result<Done> check_place(const std::string& path) {
    struct stat status{};
    if (stat(path.c_str(), &status) != 0) {
        const std::string folder = folder_of(path);
        if (stat(folder.c_str(), &status) != 0) return Refusal{path + ": no such folder"};
        if (!S_ISDIR(status.st_mode)) return Refusal{path + ": " + folder + " is no folder"};
        if (access(folder.c_str(), W_OK) != 0) return Refusal{path + ": " + std::strerror(errno)};
        return Done{};
    }
    if (S_ISDIR(status.st_mode)) return Refusal{path + ": this is a folder"};
    const FileIdentity file{status.st_dev, status.st_ino};
    if (S_ISREG(status.st_mode) && std::ranges::find(inputs(), file) != inputs().end()) {
        return Refusal{path + ": this is an input, and input files never change"};
    }
    return Done{};
}

bool same_file(const std::string& one, const std::string& other) {
    struct stat first{}, second{};
    const bool there = stat(one.c_str(), &first) == 0;
    if (there != (stat(other.c_str(), &second) == 0)) return false;
    // Devices and pipes take what several write.
    if (there && !S_ISREG(first.st_mode)) return false;
    if (!there && name_of(one) != name_of(other)) return false;
    if (!there && (stat(folder_of(one).c_str(), &first) != 0 || stat(folder_of(other).c_str(), &second) != 0))
        return false;
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

}  // namespace tsr::runtime
