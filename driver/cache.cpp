#include "driver/cache.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/core.h>

#include "driver/build_id.h"
#include "driver/machines.h"
#include "driver/output.h"
#include "driver/sha256.h"

namespace tsr::driver {

namespace fs = std::filesystem;

std::string cache_folder() {
    if (const char* given = std::getenv("TESSERA_CACHE_DIR"); given != nullptr && *given != 0) return given;
    if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && *xdg == '/')
        return fmt::format("{}/tesserac", xdg);
    if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
        return fmt::format("{}/.cache/tesserac", home);
    return {};
}

namespace {

constexpr size_t kMostFiles = 512;  // two for each program
constexpr uintmax_t kMostBytes = uintmax_t{1} << 30;

// Everything but the sources that the executable follows from.
std::string describe(const Options& options) {
    std::string text =
        fmt::format("{}\nO{} g{} cpu={} deterministic={} schedule={} stop={} limit={}", build_id(),
                    options.optimization, options.debug_info, options.cpu, options.deterministic, options.schedule,
                    options.stop_after, options.pass_limit ? std::to_string(*options.pass_limit) : "none");
    for (const std::string& target : options.targets) text += " target=" + target;
    text += " machine=" + this_machine(options);
    for (const std::string& folder : options.include_folders) text += "\n" + folder;
    return text;
}

}  // namespace

void drop_oldest(const std::string& folder, size_t most_files, uintmax_t most_bytes) {
    struct Entry {
        fs::path path;
        fs::file_time_type used;
        uintmax_t bytes;
    };
    std::error_code ignored;
    std::vector<Entry> all;
    uintmax_t bytes = 0;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        std::error_code error;
        Entry found{entry.path(), entry.last_write_time(error), entry.file_size(error)};
        if (error) continue;
        bytes += found.bytes;
        all.push_back(std::move(found));
    }
    std::ranges::sort(all, {}, &Entry::used);
    size_t left = all.size();
    for (const Entry& entry : all) {
        if (left <= most_files && bytes <= most_bytes) return;
        if (!fs::remove(entry.path, ignored)) continue;
        --left;
        bytes -= entry.bytes;
    }
}

std::string check_cache_folder() {
    const char* given = std::getenv("TESSERA_CACHE_DIR");
    std::error_code error;
    const bool is_file = given != nullptr && *given != 0 && fs::is_regular_file(given, error);
    return is_file ? fmt::format("TESSERA_CACHE_DIR={}: expected a folder, this is a file", given) : "";
}

ProgramCache::ProgramCache(const Options& options) : folder_(cache_folder()), compiler_and_options_(describe(options)) {
    if (folder_.empty()) return;
    std::error_code error;
    fs::create_directories(folder_, error);
    auto absolute = fs::absolute(options.input, error).string();
    Sha256 key;
    for (const std::string& field : {compiler_and_options_, absolute, options.input}) key.add_field(field);
    inputs_ = fmt::format("{}/{}.inputs", folder_, key.finish());
}

std::optional<std::string> ProgramCache::find() const {
    if (folder_.empty()) return std::nullopt;
    std::ifstream list(inputs_);
    std::string line;
    while (std::getline(list, line)) {
        std::istringstream words(line);
        std::string kind;
        std::string digest;
        words >> kind;
        if (kind == "program") {
            uintmax_t bytes = 0;
            words >> digest >> bytes;
            auto program = fmt::format("{}/{}.program", folder_, digest);
            std::error_code error;
            // A disk that was full, or a hand, left something else there.
            if (fs::file_size(program, error) != bytes || error) return std::nullopt;
            fs::last_write_time(program, fs::file_time_type::clock::now(), error);  // it was used now
            return error ? std::nullopt : std::optional(program);
        }
        if (kind == "have") words >> digest;
        words.get();  // the space
        std::string path;
        std::getline(words, path);
        if (kind == "miss") {
            std::error_code error;
            if (fs::exists(path, error)) return std::nullopt;
        } else {
            auto text = content(path);
            if (!text || sha256(*text) != digest) return std::nullopt;
        }
    }
    return std::nullopt;
}

std::optional<std::string> ProgramCache::place_for(const Sources& sources) const {
    std::error_code error;
    if (folder_.empty() || !fs::is_directory(folder_, error)) return std::nullopt;
    Sha256 key;
    key.add_field(compiler_and_options_);
    for (size_t i = 0; i < sources.count(); ++i) {
        key.add_field(sources.path(FileId(i)));
        key.add_field(sources.text(FileId(i)));
    }
    return fmt::format("{}/{}.program", folder_, key.finish());
}

void ProgramCache::remember(const Sources& sources, const std::string& program) const {
    std::string list;
    for (size_t i = 0; i < sources.count(); ++i) {
        FileId file(i);
        if (sources.is_file(file)) list += fmt::format("have {} {}\n", sha256(sources.text(file)), sources.path(file));
    }
    for (const std::string& path : sources.looked_for()) list += fmt::format("miss {}\n", path);
    std::error_code error;
    const uintmax_t bytes = fs::file_size(program, error);
    if (error) return;
    list += fmt::format("program {} {}\n", fs::path(program).stem().string(), bytes);
    // A list that can not be written costs the next run its time, nothing else.
    (void)write_output(inputs_, list, FileKind::data);
    drop_oldest(folder_, kMostFiles, kMostBytes);
}

}  // namespace tsr::driver
