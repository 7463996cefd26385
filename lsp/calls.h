// The call around a place, also of a text that is being typed.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "lsp/descriptions.h"
#include "lsp/places.h"

namespace tsr::lsp {

struct OpenCall {
    Callable callable;
    std::string documentation;
    size_t argument = 0;             // which one the place is in, from 0
    std::string keyword;             // `h` where the place is behind `h=`
    bool at_start = false;           // of an argument: nothing but a part of a name stands before the place
    std::set<std::string> keywords;  // that arguments before it have
    [[nodiscard]] std::optional<size_t> parameter() const;
};

// Nothing where the place is in no call, or what is called is not known.
std::optional<OpenCall> call_around(const Workspace& workspace, const Place& place);

}  // namespace tsr::lsp
