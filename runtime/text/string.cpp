#include "runtime/text/string.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include "runtime/fail.h"
#include "runtime/made_objects.h"
#include "runtime/memory.h"

namespace tsr::runtime {

TsrString* new_string(int64_t length, const TsrPlace* place) {
    constexpr int64_t kMost = INT32_MAX;
    if (length > kMost) {
        fail(place, "a string of %lld bytes is too long: the most are %lld", static_cast<long long>(length),
             static_cast<long long>(kMost));
    }
    require_memory(length, place);
    // One block: the head, the bytes, a 0.
    const auto size = static_cast<size_t>(length);
    auto* block = static_cast<char*>(::operator new(sizeof(TsrString) + size + 1));
    char* bytes = block + sizeof(TsrString);
    bytes[size] = 0;
    auto* string = new (block) TsrString{1, 0, length, bytes};
    object_made(ObjectKind::string, string);
    return string;
}

namespace {

// Written one behind the other into a string's bytes.
class Writer {
public:
    explicit Writer(TsrString* string) : at_(bytes_of(string)) {}
    void add(std::string_view text) {
        if (!text.empty()) std::memcpy(at_, text.data(), text.size());
        at_ += text.size();
    }

private:
    char* at_;
};

}  // namespace

}  // namespace tsr::runtime

using namespace tsr::runtime;

extern "C" {

TsrString* tsr_string(const char* text, int64_t length) {
    TsrString* string = new_string(length, nullptr);
    Writer(string).add({text, static_cast<size_t>(length)});
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
    const std::string_view between = separator;
    int64_t length = static_cast<int64_t>(between.size()) * (count > 1 ? count - 1 : 0);
    for (int32_t i = 0; i < count; ++i) length += parts[i]->length;
    TsrString* whole = new_string(length, nullptr);
    Writer writer(whole);
    for (int32_t i = 0; i < count; ++i) {
        if (i > 0) writer.add(between);
        writer.add(view(parts[i]));
    }
    return whole;
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
