#include "runtime/tune/record.h"

#include <bit>
#include <cstdlib>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/fail.h"
#include "runtime/io/output_file.h"
#include "runtime/io/source.h"
#include "runtime/tune/device.h"

namespace tsr::runtime {

namespace {

constexpr std::string_view kFirstLine = "tesserac tuning 1\n";
constexpr std::string_view kPoint = "point ";
constexpr std::string_view kSeconds = "seconds ";
constexpr std::string_view kEnd = "end\n";

// FNV-1a (Fowler, Noll, Vo), 64 bits, from a basis of one's own.
uint64_t hash(std::string_view text, uint64_t basis) {
    for (const char c : text) basis = (basis ^ static_cast<uint8_t>(c)) * 0x100000001b3;
    return basis;
}

// Takes the line that begins so off the text; nothing where it begins otherwise.
std::optional<std::string_view> take_line(std::string_view& text, std::string_view begin) {
    const size_t end = text.find('\n');
    if (!text.starts_with(begin) || end == std::string_view::npos) return std::nullopt;
    const std::string_view line = text.substr(begin.size(), end - begin.size());
    text.remove_prefix(end + 1);
    return line;
}

}  // namespace

int size_class(int64_t size) {
    return size < 1 ? 0 : 1 + static_cast<int>(std::bit_width(static_cast<uint64_t>(size) - 1));
}

std::string record_key(const TsrTuning& tuning, const uint64_t* slots, const std::string& device) {
    std::string key = text("kernel %s %s\ndevice %s\nsizes", tuning.kernel, tuning.content, device.c_str());
    const TsrKernelFamily& family = *tuning.points[0].family;
    for (int32_t i = 0; i < tuning.ndims; ++i) {
        const int32_t slot = tuning.first_dim + i;
        const char* name = family.slot_names != nullptr ? family.slot_names[slot] : nullptr;
        const int upto = size_class(static_cast<int64_t>(slots[slot]));
        const unsigned long long limit = upto == 0 ? 0 : 1ull << (upto - 1);
        key += text(" %s<=%llu", name != nullptr ? name : "", limit);
    }
    return key + "\n";
}

std::string record_text(const std::string& key, const std::string& point, double seconds) {
    return std::string(kFirstLine) + key + std::string(kPoint) + point + "\n" + text("seconds %.9f\n", seconds) +
           std::string(kEnd);
}

std::optional<std::string> find_point(std::string_view records, const std::string& key) {
    const std::string wanted = std::string(kFirstLine) + key;
    for (size_t at = records.find(wanted); at != std::string_view::npos; at = records.find(wanted, at + 1)) {
        std::string_view rest = records.substr(at + wanted.size());
        const auto point = take_line(rest, kPoint);
        if (point && take_line(rest, kSeconds) && rest.starts_with(kEnd)) return std::string(*point);
    }
    return std::nullopt;
}

int first_strange_line(std::string_view records) {
    constexpr std::string_view kParts[] = {"tesserac tuning 1", "kernel ", "device ", "sizes", kPoint, kSeconds, "end"};
    size_t part = 0;
    int line = 1;
    for (; !records.empty(); ++line) {
        if (!take_line(records, kParts[part])) return line;
        part = (part + 1) % std::size(kParts);
    }
    return part == 0 ? 0 : line;
}

std::string cache_folder() {
    const char* given = std::getenv("TESSERA_CACHE_DIR");
    if (given != nullptr && *given != 0) return given;
    const char* xdg = std::getenv("XDG_CACHE_HOME");
    if (xdg != nullptr && *xdg == '/') return std::string(xdg) + "/tesserac";
    const char* home = std::getenv("HOME");
    if (home != nullptr && *home == '/') return std::string(home) + "/.cache/tesserac";
    return {};
}

std::string record_file(const std::string& folder, const std::string& key) {
    const auto first = static_cast<unsigned long long>(hash(key, 0xcbf29ce484222325));
    const auto second = static_cast<unsigned long long>(hash(key, 0x9e3779b97f4a7c15));
    return folder + "/tuning/" + text("%016llx%016llx", first, second);
}

std::string read_records(const std::string& path) {
    constexpr int64_t kMost = int64_t{1} << 20;
    Result<std::unique_ptr<Source>> file = open_file(path);
    if (!file || (*file)->size() > kMost) return {};
    std::vector<uint8_t> bytes(static_cast<size_t>((*file)->size()));
    if (!(*file)->read(0, bytes)) return {};
    return {bytes.begin(), bytes.end()};
}

void write_record(const std::string& path, const std::string& record) {
    // Each folder on the way that is not there yet.
    for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
        mkdir(path.substr(0, slash).c_str(), 0777);
    OutputFile file(path);
    file.write(record);
    (void)file.commit();
}

bool append_record(const std::string& path, const std::string& record) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0) return false;
    // One call: what others append stands before or behind it.
    const bool written = write(file, record.data(), record.size()) == static_cast<ssize_t>(record.size());
    return close(file) == 0 && written;
}

}  // namespace tsr::runtime
