// The types of containers, as text (abi.h, "Containers").
#pragma once

#include <cstdint>

#include "runtime/abi.h"

namespace tsr::runtime {

inline bool is_scalar_type(const char* type) { return *type >= 'a' && *type < 'a' + TSR_DTYPES; }
inline int32_t scalar_dtype(const char* type) { return *type - 'a'; }
inline bool is_container_type(const char* type) { return *type == 'L' || *type == 'D' || *type == '(' || *type == '{'; }

// What stands behind the type that begins here.
const char* behind_type(const char* type);
// Behind a name and its ';'.
const char* behind_name(const char* name);

// The types of a container's items in order: of a list always the same one, of a dictionary key and value.
class ItemTypes {
public:
    explicit ItemTypes(const char* container);
    const char* next();

private:
    const char* first_;
    const char* at_;
    bool named_, again_;  // fields have names; after the last one the first follows
};

// One more or one less reference to what a slot of the type holds.
void retain_value(const char* type, TsrSlot value);
void release_value(const char* type, TsrSlot value);

// By value (abi.h). Ordered: < 0, 0, > 0; a NaN is ordered like an equal number.
bool equal_values(const char* type, TsrSlot a, TsrSlot b);
int compare_values(const char* type, TsrSlot a, TsrSlot b);
uint64_t hash_value(const char* type, TsrSlot value);

// Slots of a container: of a dictionary two per entry.
inline int64_t slot_count(const TsrList& list) { return *list.type == 'D' ? 2 * list.length : list.length; }
void reserve_items(TsrList& list, int64_t capacity);
void drop_index(TsrList& dict);

}  // namespace tsr::runtime
