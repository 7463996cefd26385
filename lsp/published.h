// Diagnostics of files that no editor has open: what each open document, as a root that imports them, says of them.
#pragma once

#include <map>
#include <string>

#include "lsp/json.h"

namespace tsr::lsp {

class Published {
public:
    // What `root` says now, by URI of the file. Gives what is to be published of each file that this changes.
    std::map<std::string, Json> replace(const std::string& root, std::map<std::string, Json> said);
    // A document was closed: nothing is left of what it said, and of its own text nothing is said any more.
    std::map<std::string, Json> drop(const std::string& root);

private:
    // Of several roots that say something, one.
    [[nodiscard]] Json of_file(const std::string& uri) const;

    std::map<std::string, std::map<std::string, Json>> by_root_;
    std::map<std::string, Json> shown_;
};

}  // namespace tsr::lsp
