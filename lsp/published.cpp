#include "lsp/published.h"

namespace tsr::lsp {

Json Published::of_file(const std::string& uri) const {
    for (const auto& [root, said] : by_root_) {
        const auto found = said.find(uri);
        if (found != said.end() && !found->second.empty()) return found->second;
    }
    return Json::array();
}

std::map<std::string, Json> Published::replace(const std::string& root, std::map<std::string, Json> said) {
    std::map<std::string, Json> before = std::move(by_root_[root]);
    by_root_[root] = std::move(said);
    before.insert(by_root_[root].begin(), by_root_[root].end());
    std::map<std::string, Json> changed;
    for (const auto& [uri, unused] : before) {
        Json now = of_file(uri);
        Json& shown = shown_.try_emplace(uri, Json::array()).first->second;
        if (shown == now) continue;
        shown = now;
        changed[uri] = std::move(now);
    }
    return changed;
}

std::map<std::string, Json> Published::drop(const std::string& root) {
    std::map<std::string, Json> changed = replace(root, {});
    by_root_.erase(root);
    changed[root] = of_file(root);
    return changed;
}

}  // namespace tsr::lsp
