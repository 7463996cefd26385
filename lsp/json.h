// The JSON of the protocol: values, and how members are read that may be absent.
#pragma once

#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace tsr::lsp {

using Json = nlohmann::json;

// The value below these names; null where one of them is absent.
inline const Json& below(const Json& object, std::initializer_list<const char*> names) {
    static const Json absent;
    const Json* at = &object;
    for (const char* name : names) {
        if (!at->is_object()) return absent;
        const auto found = at->find(name);
        if (found == at->end()) return absent;
        at = &*found;
    }
    return *at;
}

// Whether a client says `true` there.
inline bool says(const Json& object, std::initializer_list<const char*> names) { return below(object, names) == true; }

// The library asks for the locale whenever it reads or writes, and `localeconv` may not be called by two threads.
inline std::mutex& one_at_a_time() {
    static std::mutex mutex;
    return mutex;
}

// What is no JSON in UTF-8 gives a value that `is_discarded`.
inline Json parse_json(std::string_view text) {
    const std::lock_guard lock(one_at_a_time());
    return Json::parse(text, nullptr, false);
}

// The text of a value. Bytes that are no UTF-8, as files may have them, stand as U+FFFD.
inline std::string text_of(const Json& value) {
    const std::lock_guard lock(one_at_a_time());
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tsr::lsp
