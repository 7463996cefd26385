#include "driver/code_store.h"

#include <filesystem>

#include <fmt/core.h>

#include "driver/build_id.h"
#include "driver/cache.h"
#include "driver/output.h"
#include "driver/sha256.h"

namespace tsr::driver {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMostObjects = 8192;
constexpr uintmax_t kMostObjectBytes = uintmax_t{1} << 29;
constexpr size_t kDigest = 64;  // characters

// Tells a whole file from a broken one, and from that of another key.
std::string digest_of(const std::string& key, const std::string& code) {
    Sha256 digest;
    digest.add_field(key);
    digest.add_field(code);
    return digest.finish();
}

}  // namespace

KeptCode::KeptCode() : folder_(cache_folder()), compiler_(build_id()) {
    if (!folder_.empty()) folder_ += "/code";
}

KeptCode::~KeptCode() {
    if (added_) drop_oldest(folder_, kMostObjects, kMostObjectBytes);
}

std::string KeptCode::path_of(const std::string& key) const {
    Sha256 name;
    name.add_field(compiler_);
    name.add_field(key);
    return fmt::format("{}/{}", folder_, name.finish());
}

std::optional<std::string> KeptCode::find(const std::string& key) {
    if (folder_.empty()) return std::nullopt;
    const std::string path = path_of(key);
    auto found = content(path);
    if (!found || found->size() < kDigest) return std::nullopt;
    std::string code = found->substr(kDigest);
    if (found->compare(0, kDigest, digest_of(key, code)) != 0) return std::nullopt;
    std::error_code ignored;
    fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);  // it was used now
    return code;
}

void KeptCode::keep(const std::string& key, const std::string& code) {
    std::error_code error;
    if (folder_.empty()) return;
    fs::create_directories(folder_, error);
    if (error) return;
    if (write_output(path_of(key), digest_of(key, code) + code, FileKind::data).empty()) added_ = true;
}

}  // namespace tsr::driver
