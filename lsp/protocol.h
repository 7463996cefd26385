// Numbers of the protocol, and the failure of a request.
#pragma once

#include <stdexcept>
#include <string>

#include "base/cancel.h"
#include "lsp/json.h"
#include "lsp/positions.h"

namespace tsr::lsp {

enum class ErrorCode : int {
    parse_error = -32700,
    invalid_request = -32600,
    method_not_found = -32601,
    invalid_params = -32602,
    internal_error = -32603,
    not_initialized = -32002,
    request_failed = -32803,
    server_cancelled = -32802,
    content_modified = -32801,
    request_cancelled = -32800,
};

// A request that gets an error for an answer.
class RequestError : public std::runtime_error {
public:
    RequestError(ErrorCode code, const std::string& message) : std::runtime_error(message), code(code) {}
    ErrorCode code;
};

inline Json json_of(Position at) { return {{"line", at.line}, {"character", at.character}}; }
inline Position position_of(const Json& json) {
    return {json.at("line").get<uint32_t>(), json.at("character").get<uint32_t>()};
}

}  // namespace tsr::lsp
