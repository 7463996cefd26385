#include "runtime/text/string.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "runtime/values/made_objects.h"

using namespace tsr::runtime;

extern "C" {

TsrString* tsr_string(const char* text, int64_t length) {
    // One block: the head, the bytes, a 0.
    auto size = static_cast<size_t>(length);
    auto* block = static_cast<char*>(::operator new(sizeof(TsrString) + size + 1));
    char* bytes = block + sizeof(TsrString);
    if (size > 0) std::memcpy(bytes, text, size);
    bytes[size] = 0;
    auto* string = new (block) TsrString{1, 0, length, bytes};
    object_made(ObjectKind::string, string);
    return string;
}

TsrString* tsr_string_retain(TsrString* string) {
    if (string != nullptr && string->refs >= 0) ++string->refs;
    return string;
}

void tsr_string_release(TsrString* string) {
    if (string == nullptr || string->refs < 0) return;
    --string->refs;
    if (string->refs > 0) return;
    object_freed(string);
    ::operator delete(string);
}

TsrString* tsr_concat(const TsrString* a, const TsrString* b) {
    const TsrString* parts[] = {a, b};
    return tsr_join(parts, 2, "");
}

TsrString* tsr_join(const TsrString* const* parts, int32_t count, const char* separator) {
    std::string result;
    for (int32_t i = 0; i < count; ++i) {
        if (i > 0) result += separator;
        result += view(parts[i]);
    }
    return make_string(result);
}

int64_t tsr_string_length(const TsrString* text) {
    int64_t count = 0;
    for (const char c : view(text)) count += (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;  // not a later byte
    return count;
}

int32_t tsr_string_compare(const TsrString* a, const TsrString* b) {
    int order = view(a).compare(view(b));
    return order < 0 ? -1 : order > 0 ? 1 : 0;
}
}
