// Code of kernels and host functions, kept from one compilation for the next: files `code/KEY` in the cache folder,
// each with the digest of its content in front.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "codegen/codegen.h"

namespace tsr::driver {

class KeptCode : public codegen::CodeStore {
public:
    // The folder is made when code is kept.
    KeptCode();
    // Drops the code used longest ago beyond the limits, where some was added.
    ~KeptCode() override;
    KeptCode(const KeptCode&) = delete;
    KeptCode& operator=(const KeptCode&) = delete;

    // Nothing where the file is not what was written.
    std::optional<std::string> find(const std::string& key) override;
    void keep(const std::string& key, const std::string& code) override;

private:
    [[nodiscard]] std::string path_of(const std::string& key) const;

    std::string folder_;  // empty: there is none
    std::string compiler_;
    std::atomic<bool> added_ = false;
};

}  // namespace tsr::driver
