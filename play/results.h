// The files that runs of programs leave in a folder.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace tsr::play {

class Results {
public:
    explicit Results(std::string folder) : folder_(std::move(folder)) {}

    // What stands in the folder now: time of the last change and size, by name.
    using Seen = std::map<std::string, std::tuple<int64_t, uint64_t>>;
    [[nodiscard]] Seen look() const;

    struct Result {
        int id = 0;
        std::string name;
        uint64_t bytes = 0;
    };
    // What has come or changed since, in the order of its names. Each gets a number of its own.
    std::vector<Result> since(const Seen& before);

    // The name and the content of a result, where it is still there.
    struct Content {
        std::string name;
        std::string bytes;
    };
    [[nodiscard]] std::optional<Content> read(const std::string& id);

private:
    std::string folder_;
    std::mutex mutex_;
    std::vector<std::string> names_;  // by id
};

}  // namespace tsr::play
