#include "play/results.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <sys/stat.h>

namespace tsr::play {

namespace {

constexpr size_t kMostResults = 50;
constexpr uint64_t kLargest = 256 << 20;

}  // namespace

Results::Seen Results::look() const {
    Seen seen;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored)) {
        struct stat about{};
        // A link may lead anywhere: it is no result.
        if (::lstat(entry.path().c_str(), &about) != 0 || !S_ISREG(about.st_mode)) continue;
        const int64_t time = about.st_mtim.tv_sec * int64_t{1'000'000'000} + about.st_mtim.tv_nsec;
        seen[entry.path().filename().string()] = {time, static_cast<uint64_t>(about.st_size)};
    }
    return seen;
}

std::vector<Results::Result> Results::since(const Seen& before) {
    std::vector<Result> found;
    const std::lock_guard lock(mutex_);
    for (const auto& [name, state] : look()) {
        const auto then = before.find(name);
        if ((then != before.end() && then->second == state) || found.size() == kMostResults) continue;
        found.push_back({static_cast<int>(names_.size()), name, std::get<1>(state)});
        names_.push_back(name);
    }
    return found;
}

std::optional<Results::Content> Results::read(const std::string& id) {
    std::string name;
    {
        const std::lock_guard lock(mutex_);
        size_t number = 0;
        const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
        if (error != std::errc() || end != id.data() + id.size() || number >= names_.size()) return std::nullopt;
        name = names_[number];
    }
    const std::string path = folder_ + "/" + name;
    struct stat about{};
    if (::lstat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) return std::nullopt;
    if (static_cast<uint64_t>(about.st_size) > kLargest) return std::nullopt;
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    return Content{name, {std::istreambuf_iterator<char>(file), {}}};
}

}  // namespace tsr::play
