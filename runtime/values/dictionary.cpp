// Dictionaries: entries in the order of their first assignment, found through a table of their numbers (open
// addressing, linear steps, at most half full).
#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "runtime/fail.h"
#include "runtime/values/container_text.h"
#include "runtime/values/value_type.h"

struct TsrIndex {
    std::vector<int64_t> entries;  // -1: free; the size is a power of two
};

namespace tsr::runtime {

void drop_index(TsrList& dict) {
    delete dict.index;
    dict.index = nullptr;
}

namespace {

const char* key_type(const TsrList& dict) { return dict.type + 1; }
const char* value_type(const TsrList& dict) { return behind_type(dict.type + 1); }

// The place of the key in the table, or the free one where it would stand.
size_t place_of(const TsrList& dict, TsrSlot key) {
    const std::vector<int64_t>& entries = dict.index->entries;
    const size_t mask = entries.size() - 1;
    size_t at = hash_value(key_type(dict), key) & mask;
    while (entries[at] >= 0 && !equal_values(key_type(dict), dict.items[2 * entries[at]], key)) at = (at + 1) & mask;
    return at;
}

// A new table for `count` entries, the present ones in it. An entry that equals nothing (a NaN) takes a place too.
void make_index(TsrList& dict, int64_t count) {
    if (dict.index == nullptr) dict.index = new TsrIndex;
    dict.index->entries.assign(std::bit_ceil(static_cast<size_t>(std::max<int64_t>(4, count)) * 2), -1);
    for (int64_t i = 0; i < dict.length; ++i) dict.index->entries[place_of(dict, dict.items[2 * i])] = i;
}

// The number of the key's entry, -1: there is none.
int64_t entry_of(const TsrList& dict, TsrSlot key) {
    return dict.index == nullptr ? -1 : dict.index->entries[place_of(dict, key)];
}

TsrSlot value_at(const TsrList& dict, int64_t entry) {
    const TsrSlot value = dict.items[2 * entry + 1];
    retain_value(value_type(dict), value);
    return value;
}

int64_t required_entry(const TsrList& dict, TsrSlot key, const TsrPlace* place) {
    const int64_t entry = entry_of(dict, key);
    if (entry < 0) fail(place, "the dictionary has no key %s", value_text(key_type(dict), key).c_str());
    return entry;
}

// Gives the value's reference away.
TsrSlot take_entry(TsrList& dict, int64_t entry) {
    const TsrSlot key = dict.items[2 * entry];
    const TsrSlot value = dict.items[2 * entry + 1];
    std::memmove(dict.items + 2 * entry, dict.items + 2 * entry + 2,
                 static_cast<size_t>(dict.length - entry - 1) * 2 * sizeof(TsrSlot));
    --dict.length;
    make_index(dict, dict.length);
    release_value(key_type(dict), key);
    return value;
}

// One slot of each entry, as a list.
TsrList* column(const TsrList& dict, const char* type, int64_t which) {
    TsrList* list = tsr_list(type, dict.length);
    for (int64_t i = 0; i < dict.length; ++i) tsr_list_append(list, dict.items[2 * i + which]);
    return list;
}

}  // namespace

}  // namespace tsr::runtime

using namespace tsr::runtime;

extern "C" {

int32_t tsr_dict_has(const TsrList* dict, TsrSlot key) { return entry_of(*dict, key) >= 0 ? 1 : 0; }

TsrSlot tsr_dict_get(const TsrList* dict, TsrSlot key, const TsrPlace* place) {
    return value_at(*dict, required_entry(*dict, key, place));
}

TsrSlot tsr_dict_get_or(const TsrList* dict, TsrSlot key, TsrSlot otherwise) {
    const int64_t entry = entry_of(*dict, key);
    if (entry >= 0) return value_at(*dict, entry);
    retain_value(value_type(*dict), otherwise);
    return otherwise;
}

void tsr_dict_set(TsrList* dict, TsrSlot key, TsrSlot value) {
    retain_value(value_type(*dict), value);
    const int64_t entry = entry_of(*dict, key);
    if (entry >= 0) {
        const TsrSlot before = dict->items[2 * entry + 1];
        dict->items[2 * entry + 1] = value;
        release_value(value_type(*dict), before);
        return;
    }
    reserve_items(*dict, dict->length + 1);
    if (dict->index == nullptr || 2 * static_cast<size_t>(dict->length + 1) > dict->index->entries.size()) {
        make_index(*dict, 2 * (dict->length + 1));
    }
    retain_value(key_type(*dict), key);
    dict->index->entries[place_of(*dict, key)] = dict->length;
    dict->items[2 * dict->length] = key;
    dict->items[2 * dict->length + 1] = value;
    ++dict->length;
}

TsrSlot tsr_dict_set_default(TsrList* dict, TsrSlot key, TsrSlot value) {
    if (entry_of(*dict, key) < 0) tsr_dict_set(dict, key, value);
    return tsr_dict_get_or(dict, key, value);
}

TsrSlot tsr_dict_pop(TsrList* dict, TsrSlot key, const TsrPlace* place) {
    return take_entry(*dict, required_entry(*dict, key, place));
}

TsrSlot tsr_dict_pop_or(TsrList* dict, TsrSlot key, TsrSlot otherwise) {
    const int64_t entry = entry_of(*dict, key);
    if (entry >= 0) return take_entry(*dict, entry);
    retain_value(value_type(*dict), otherwise);
    return otherwise;
}

void tsr_dict_update(TsrList* dict, const TsrList* other) {
    if (dict == other) return;
    for (int64_t i = 0; i < other->length; ++i) tsr_dict_set(dict, other->items[2 * i], other->items[2 * i + 1]);
}

TsrList* tsr_dict_copy(const TsrList* dict) {
    TsrList* copy = tsr_list(dict->type, dict->length);
    tsr_dict_update(copy, dict);
    return copy;
}

TsrList* tsr_dict_keys(const TsrList* dict, const char* type) { return column(*dict, type, 0); }
TsrList* tsr_dict_values(const TsrList* dict, const char* type) { return column(*dict, type, 1); }

TsrList* tsr_dict_items(const TsrList* dict, const char* type) {
    TsrList* list = tsr_list(type, dict->length);
    for (int64_t i = 0; i < dict->length; ++i) {
        TsrSlot entry{};
        entry.list = tsr_list_of(type + 1, dict->items + 2 * i, 2);
        tsr_list_append(list, entry);
        tsr_list_release(entry.list);
    }
    return list;
}
}
