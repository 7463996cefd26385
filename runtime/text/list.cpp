// Lists of host programs: growable, items of one kind, handles owned.
#include <algorithm>
#include <cstdlib>

#include "runtime/fail.h"
#include "runtime/text/format_spec.h"
#include "runtime/text/string.h"
#include "runtime/text/tensor_text.h"

namespace tsr::runtime {

namespace {

void retain_item(int32_t kind, TsrSlot item) {
    switch (static_cast<TsrKind>(kind)) {
        case TSR_KIND_TENSOR:
            tsr_tensor_retain(item.tensor);
            break;
        case TSR_KIND_STRING:
            tsr_string_retain(item.string);
            break;
        case TSR_KIND_LIST:
            tsr_list_retain(item.list);
            break;
        case TSR_KIND_SCALAR:
            break;
    }
}

void release_item(int32_t kind, TsrSlot item) {
    switch (static_cast<TsrKind>(kind)) {
        case TSR_KIND_TENSOR:
            tsr_tensor_release(item.tensor);
            break;
        case TSR_KIND_STRING:
            tsr_string_release(item.string);
            break;
        case TSR_KIND_LIST:
            tsr_list_release(item.list);
            break;
        case TSR_KIND_SCALAR:
            break;
    }
}

void reserve(TsrList& list, int64_t capacity) {
    if (capacity <= list.capacity) return;
    capacity = std::max(capacity, list.capacity * 2);
    auto* items = static_cast<TsrSlot*>(
        capacity > INT64_MAX / 16 ? nullptr
                                  : std::realloc(list.items, static_cast<size_t>(capacity) * sizeof(TsrSlot)));
    if (items == nullptr) fail(nullptr, "out of memory for a list of %lld items", static_cast<long long>(capacity));
    list.items = items;
    list.capacity = capacity;
}

int64_t checked_index(const TsrList& list, int64_t index, const TsrPlace* place) {
    int64_t i = index < 0 ? index + list.length : index;
    if (i < 0 || i >= list.length) {
        fail(place, "index %lld is outside a list of %lld items", static_cast<long long>(index),
             static_cast<long long>(list.length));
    }
    return i;
}

// Python's repr of a string, with the quote that needs no escape.
std::string quoted(std::string_view text) {
    char quote = text.find('\'') != text.npos && text.find('"') == text.npos ? '"' : '\'';
    std::string result(1, quote);
    for (char c : text) {
        auto byte = static_cast<unsigned char>(c);
        if (c == quote || c == '\\') {
            result += {'\\', c};
        } else if (c == '\n') {
            result += "\\n";
        } else if (c == '\t') {
            result += "\\t";
        } else if (c == '\r') {
            result += "\\r";
        } else if (byte < 0x20 || byte == 0x7F) {
            result += runtime::text("\\x%02x", byte);
        } else {
            result += c;
        }
    }
    return result + quote;
}

std::string list_text(const TsrList& list) {
    std::string result = "[";
    for (int64_t i = 0; i < list.length; ++i) {
        if (i > 0) result += ", ";
        switch (static_cast<TsrKind>(list.kind)) {
            case TSR_KIND_TENSOR:
                result += *tensor_text(*list.items[i].tensor);
                break;
            case TSR_KIND_SCALAR:
                result += *format_value(list.items[i].bits, list.dtype, {});
                break;
            case TSR_KIND_STRING:
                result += quoted(view(list.items[i].string));
                break;
            case TSR_KIND_LIST:
                result += list_text(*list.items[i].list);
                break;
        }
    }
    return result + ']';
}

}  // namespace

}  // namespace tsr::runtime

using namespace tsr::runtime;

extern "C" {

TsrList* tsr_list(int32_t kind, int32_t dtype, int64_t capacity) {
    auto* list = new TsrList{};
    list->refs = 1;
    list->kind = kind;
    list->dtype = dtype;
    reserve(*list, capacity);
    return list;
}

TsrList* tsr_list_retain(TsrList* list) {
    if (list != nullptr) ++list->refs;
    return list;
}

void tsr_list_release(TsrList* list) {
    if (list == nullptr || --list->refs > 0) return;
    for (int64_t i = 0; i < list->length; ++i) release_item(list->kind, list->items[i]);
    std::free(list->items);
    delete list;
}

void tsr_list_append(TsrList* list, TsrSlot item) {
    reserve(*list, list->length + 1);
    retain_item(list->kind, item);
    list->items[list->length++] = item;
}

TsrSlot tsr_list_get(const TsrList* list, int64_t index, const TsrPlace* place) {
    return list->items[checked_index(*list, index, place)];
}

int64_t tsr_list_length(const TsrList* list) { return list->length; }

void tsr_list_set(TsrList* list, int64_t index, TsrSlot item, const TsrPlace* place) {
    TsrSlot& slot = list->items[checked_index(*list, index, place)];
    retain_item(list->kind, item);
    release_item(list->kind, slot);
    slot = item;
}

TsrString* tsr_format_list(const TsrList* list, const TsrPlace*) {
    tsr_wait();
    return make_string(list_text(*list));
}
}
