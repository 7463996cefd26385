// Containers: made, counted, released; lists and tuples by position.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "runtime/fail.h"
#include "runtime/made_objects.h"
#include "runtime/memory.h"
#include "runtime/values/value_type.h"

namespace tsr::runtime {

void reserve_items(TsrList& list, int64_t capacity) {
    if (capacity <= list.capacity) return;
    capacity = std::max(capacity, list.capacity * 2);
    const int64_t slots = *list.type == 'D' ? 2 : 1;
    void* items = nullptr;
    if (capacity <= INT64_MAX / 64) {
        require_memory(capacity * slots * static_cast<int64_t>(sizeof(TsrSlot)), nullptr);
        items = std::realloc(list.items, static_cast<size_t>(capacity * slots) * sizeof(TsrSlot));
    }
    if (items == nullptr) fail(nullptr, "out of memory for a list of %lld items", static_cast<long long>(capacity));
    list.items = static_cast<TsrSlot*>(items);
    list.capacity = capacity;
}

namespace {

int64_t checked_index(const TsrList& list, int64_t index, const TsrPlace* place) {
    int64_t i = index < 0 ? index + list.length : index;
    if (i < 0 || i >= list.length) {
        fail(place, "index %lld is outside a list of %lld items", static_cast<long long>(index),
             static_cast<long long>(list.length));
    }
    return i;
}

// The type of the item at a position.
const char* type_at(const TsrList& list, int64_t index) {
    if (*list.type == 'L') return list.type + 1;
    ItemTypes types(list.type);
    const char* type = types.next();
    for (; index > 0; --index) type = types.next();
    return type;
}

TsrSlot* items_at(const TsrList& list, int64_t index) { return list.items == nullptr ? nullptr : list.items + index; }

// Room for `count` items at a position; what is put there is owned.
void open_gap(TsrList& list, int64_t index, int64_t count) {
    reserve_items(list, list.length + count);
    if (list.length > index) {
        std::memmove(list.items + index + count, list.items + index,
                     static_cast<size_t>(list.length - index) * sizeof(TsrSlot));
    }
    list.length += count;
}

// Takes an item out without releasing it.
TsrSlot take_item(TsrList& list, int64_t index) {
    const TsrSlot item = list.items[index];
    std::memmove(list.items + index, list.items + index + 1,
                 static_cast<size_t>(list.length - index - 1) * sizeof(TsrSlot));
    --list.length;
    return item;
}

int64_t found(const TsrList& list, TsrSlot item, int64_t from = 0) {
    for (int64_t i = from; i < list.length; ++i) {
        if (equal_values(list.type + 1, list.items[i], item)) return i;
    }
    return -1;
}

// Python's bounds of a slice: limited to the list; for a step downward the start is the last item that is in.
struct Bounds {
    int64_t start, step, count;
};
Bounds bounds_of(const TsrIndexItem& item, int64_t length, const TsrPlace* place) {
    const int64_t step = (item.given & 4) != 0 ? item.step : 1;
    if (step == 0) fail(place, "the step of a slice is zero");
    const int64_t lowest = step > 0 ? 0 : -1;
    const int64_t highest = step > 0 ? length : length - 1;
    const auto limited = [&](int64_t at) { return std::clamp(at < 0 ? at + length : at, lowest, highest); };
    const int64_t start = (item.given & 1) != 0 ? limited(item.start) : step > 0 ? lowest : highest;
    const int64_t stop = (item.given & 2) != 0 ? limited(item.stop) : step > 0 ? highest : lowest;
    const int64_t way = step > 0 ? stop - start : start - stop;
    if (way <= 0) return {start, step, 0};
    const uint64_t size = step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
    return {start, step, static_cast<int64_t>((static_cast<uint64_t>(way) - 1) / size + 1)};
}

void append_all(TsrList& list, const TsrList& other) {
    const int64_t count = other.length;  // the same list may be both
    reserve_items(list, list.length + count);
    for (int64_t i = 0; i < count; ++i) tsr_list_append(&list, other.items[i]);
}

}  // namespace

}  // namespace tsr::runtime

using namespace tsr::runtime;

extern "C" {

TsrList* tsr_list(const char* type, int64_t capacity) {
    auto* list = new TsrList{};
    object_made(ObjectKind::list, list);
    list->refs = 1;
    list->type = type;
    reserve_items(*list, capacity);
    return list;
}

TsrList* tsr_record_copy(const TsrList* record) {
    return tsr_list_of(record->type, record->items, static_cast<int32_t>(record->length));
}

TsrList* tsr_list_of(const char* type, const TsrSlot* items, int32_t count) {
    TsrList* list = tsr_list(type, *type == 'D' ? count / 2 : count);
    if (*type == 'D') {
        for (int32_t i = 0; i < count; i += 2) tsr_dict_set(list, items[i], items[i + 1]);
        return list;
    }
    ItemTypes types(type);
    for (int32_t i = 0; i < count; ++i) {
        retain_value(types.next(), items[i]);
        list->items[i] = items[i];
    }
    list->length = count;
    return list;
}

TsrList* tsr_list_retain(TsrList* list) {
    if (list != nullptr) ++list->refs;
    return list;
}

void tsr_list_clear(TsrList* list) {
    const int64_t count = slot_count(*list);
    list->length = 0;
    drop_index(*list);
    ItemTypes types(list->type);
    for (int64_t i = 0; i < count; ++i) release_value(types.next(), list->items[i]);
}

void tsr_list_release(TsrList* list) {
    if (list == nullptr || --list->refs > 0) return;
    tsr_list_clear(list);
    std::free(list->items);
    object_freed(list);
    delete list;
}

int64_t tsr_list_length(const TsrList* list) { return list->length; }

TsrSlot tsr_list_get(const TsrList* list, int64_t index, const TsrPlace* place) {
    const int64_t at = checked_index(*list, index, place);
    retain_value(type_at(*list, at), list->items[at]);
    return list->items[at];
}

void tsr_list_set(TsrList* list, int64_t index, TsrSlot item, const TsrPlace* place) {
    const int64_t at = checked_index(*list, index, place);
    const TsrSlot before = list->items[at];
    retain_value(type_at(*list, at), item);
    list->items[at] = item;
    release_value(type_at(*list, at), before);
}

void tsr_list_append(TsrList* list, TsrSlot item) { tsr_list_insert(list, list->length, item); }

void tsr_list_insert(TsrList* list, int64_t index, TsrSlot item) {
    const int64_t at = std::clamp(index < 0 ? index + list->length : index, int64_t{0}, list->length);
    retain_value(list->type + 1, item);
    open_gap(*list, at, 1);
    list->items[at] = item;
}

TsrSlot tsr_list_pop(TsrList* list, int64_t index, const TsrPlace* place) {
    if (list->length == 0) fail(place, "pop from an empty list");
    return take_item(*list, checked_index(*list, index, place));
}

void tsr_list_remove(TsrList* list, TsrSlot item, const TsrPlace* place) {
    release_value(list->type + 1, take_item(*list, tsr_list_index(list, item, place)));
}

void tsr_list_reverse(TsrList* list) { std::reverse(list->items, items_at(*list, list->length)); }

void tsr_list_extend(TsrList* list, const TsrList* other) { append_all(*list, *other); }

TsrList* tsr_list_concat(const TsrList* a, const TsrList* b) {
    TsrList* both = tsr_list(a->type, a->length + b->length);
    append_all(*both, *a);
    append_all(*both, *b);
    return both;
}

TsrList* tsr_list_repeat(const TsrList* list, int64_t times, const TsrPlace* place) {
    int64_t count = 0;
    if (times > 0 && __builtin_mul_overflow(list->length, times, &count)) {
        fail(place, "out of memory for a list of %lld times %lld items", static_cast<long long>(times),
             static_cast<long long>(list->length));
    }
    TsrList* all = tsr_list(list->type, count);
    for (int64_t i = 0; i < times && list->length > 0; ++i) append_all(*all, *list);
    return all;
}

TsrList* tsr_list_slice(const TsrList* list, const TsrIndexItem* items, int32_t, const TsrPlace* place) {
    const Bounds bounds = bounds_of(items[0], list->length, place);
    TsrList* part = tsr_list(list->type, bounds.count);
    for (int64_t i = 0; i < bounds.count; ++i) {
        tsr_list_append(part, list->items[bounds.start + i * bounds.step]);
    }
    return part;
}

void tsr_list_set_slice(TsrList* list, const TsrList* other, const TsrIndexItem* items, int32_t,
                        const TsrPlace* place) {
    const Bounds bounds = bounds_of(items[0], list->length, place);
    const bool whole = bounds.step == 1;
    if (!whole && other->length != bounds.count) {
        fail(place, "%lld items for a slice of %lld with a step", static_cast<long long>(other->length),
             static_cast<long long>(bounds.count));
    }
    const char* type = list->type + 1;
    std::vector<TsrSlot> given(other->items, items_at(*other, other->length));  // the same list may be both
    for (const TsrSlot& item : given) retain_value(type, item);
    std::vector<TsrSlot> before;
    for (int64_t i = 0; i < bounds.count; ++i) before.push_back(list->items[bounds.start + i * bounds.step]);
    if (whole) {
        if (bounds.count > 0) {
            TsrSlot* first = list->items + bounds.start;
            std::memmove(first, first + bounds.count,
                         static_cast<size_t>(list->length - bounds.start - bounds.count) * sizeof(TsrSlot));
            list->length -= bounds.count;
        }
        open_gap(*list, bounds.start, static_cast<int64_t>(given.size()));
    }
    for (size_t i = 0; i < given.size(); ++i) {
        list->items[bounds.start + static_cast<int64_t>(i) * bounds.step] = given[i];
    }
    for (const TsrSlot& item : before) release_value(type, item);
}

int64_t tsr_list_find(const TsrList* list, TsrSlot item) { return found(*list, item); }

int64_t tsr_list_index(const TsrList* list, TsrSlot item, const TsrPlace* place) {
    const int64_t at = found(*list, item);
    if (at < 0) fail(place, "the list has no such item");
    return at;
}

int64_t tsr_list_count(const TsrList* list, TsrSlot item) {
    int64_t count = 0;
    for (int64_t at = found(*list, item); at >= 0; at = found(*list, item, at + 1)) ++count;
    return count;
}
}
