// `workspace/diagnostic`: what is wrong with programs in the editor's folders that nobody has open. They are checked
// one by one while no message waits. The request is answered once all of them are, and something differs from what its
// client knows; until then it stands.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lsp/json.h"
#include "lsp/workspace.h"

namespace tsr::lsp {

class FolderCheck {
public:
    explicit FolderCheck(Workspace& workspace) : workspace_(workspace) {}

    // A request comes, with what its client knows: `previousResultIds`. Gives the id of the one that it takes the place
    // of; null where none stood.
    Json ask(Json id, const Json& params);
    // Nobody wants an answer to this request any more. False: it does not stand.
    bool give_up(const Json& id);
    // The request that stands; null: none does.
    [[nodiscard]] const Json& standing() const { return id_; }

    // Files, or folders, came or went, or others have written them.
    void files_changed() { listed_ = false; }
    // An open document has another text.
    void text_changed(const std::string& path);

    // Whether `step` would do something.
    [[nodiscard]] bool has_work() const { return !id_.is_null() && (!listed_ || !waiting_.empty() || !compared_); }
    // Finds the files, or checks one of them, or gives the result of the request, which then stands no more. Raises
    // Cancelled: the step begins anew the next time.
    std::optional<Json> step();

private:
    struct Checked {
        std::map<std::string, std::string> files;  // that have a part in it, and what tells their texts from others
        Json diagnostics;
        size_t number = 0;  // of this result
    };
    void list();
    void check(const std::string& path);
    [[nodiscard]] std::string stamp(const std::string& path) const;
    [[nodiscard]] bool is_still_right(const Checked& checked) const;
    std::optional<Json> compare();

    Workspace& workspace_;
    Json id_;
    std::map<std::string, std::string> known_;  // result ids by URI
    bool listed_ = false;                       // `checked_` and `waiting_` have all files between them
    bool compared_ = false;                     // nothing differs from what the client knows
    std::map<std::string, Checked> checked_;    // by path
    std::set<std::string> waiting_;
    size_t results_ = 0;
};

}  // namespace tsr::lsp
