// One name in all programs of the editor: the open documents, and files of the workspace that import a module.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lsp/places.h"

namespace tsr::lsp {

// A place of a name, in the program in which it was found.
struct FoundUse {
    const Analysis* analysis;
    sema::NameUse use;
};

class Occurrences {
public:
    // Of the name at this place. Names that only one function has are looked for in one program.
    Occurrences(Workspace& workspace, const Place& place, const sema::Entity& entity);

    // Each place once, those of the program of the document first.
    [[nodiscard]] const std::vector<FoundUse>& all() const { return all_; }

private:
    void add(const Analysis& analysis, const sema::Entity& entity);
    void add_others(Workspace& workspace, const Place& place, Span definition);
    void add_from(const Analysis& analysis, const std::string& path, uint32_t offset);

    std::vector<std::unique_ptr<Analysis>> closed_;  // programs of files that are not open
    std::vector<FoundUse> all_;
    std::set<std::pair<std::string, uint32_t>> seen_;  // path and offset
};

}  // namespace tsr::lsp
