// The same server as a process of its own, for one request whose work can not be given up halfway.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "lsp/json.h"

namespace tsr::lsp {

// Its answer. Raises Cancelled, after it has ended it, when `cancel` is set; RequestError where it answers with one, or
// ends without an answer.
Json second_server(const std::string& compiler, std::string_view method, const Json& params,
                   const std::atomic<bool>& cancel);

}  // namespace tsr::lsp
