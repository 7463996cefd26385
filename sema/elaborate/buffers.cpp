#include "sema/elaborate/buffers.h"

#include <algorithm>

namespace tsr::elaborate {

uint32_t BufferSites::site(const std::string& key, const sema::Type& type, const std::string& name, Span span) {
    const auto [entry, fresh] = numbers_.emplace(key, static_cast<uint32_t>(sites_.size()));
    if (fresh) sites_.push_back({.type = type, .name = name, .span = span, .parent = entry->second});
    return entry->second;
}

uint32_t BufferSites::group(uint32_t site) const {
    while (sites_[site].parent != site) site = sites_[site].parent;
    return site;
}

void BufferSites::unite(uint32_t a, uint32_t b) {
    const uint32_t first = std::min(group(a), group(b));
    const uint32_t second = std::max(group(a), group(b));
    if (first == second) return;
    sites_[second].parent = first;
    changed_ = true;
}

bool BufferSites::begin_again() {
    if (!changed_) return false;
    changed_ = false;
    for (Site& site : sites_) site.handle = {};
    return true;
}

int64_t BufferSites::stage(uint32_t site) const {
    int64_t before = 0;
    for (uint32_t other = 0; other < site; ++other) before += group(other) == group(site);
    return before;
}

int64_t BufferSites::stages(uint32_t site) const {
    int64_t count = 0;
    for (uint32_t other = 0; other < sites_.size(); ++other) count += group(other) == group(site);
    return count;
}

}  // namespace tsr::elaborate
