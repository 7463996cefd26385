// Equality, order and hashes of values.
#include <bit>

#include "runtime/numbers/number.h"
#include "runtime/text/string.h"
#include "runtime/values/value_type.h"

namespace tsr::runtime {

namespace {

int sign(bool less, bool more) { return less ? -1 : more ? 1 : 0; }

int compare_numbers(int32_t dtype, uint64_t a, uint64_t b) {
    const Number x = number_of(a, dtype);
    const Number y = number_of(b, dtype);
    switch (x.kind) {
        case Number::Kind::integer:
            return sign(x.integer<y.integer, x.integer> y.integer);
        case Number::Kind::unsigned_integer:
            return sign(x.unsigned_integer<y.unsigned_integer, x.unsigned_integer> y.unsigned_integer);
        case Number::Kind::floating:
            return sign(x.floating<y.floating, x.floating> y.floating);
    }
    return 0;
}

bool is_nan(int32_t dtype, uint64_t bits) {
    const Number x = number_of(bits, dtype);
    return x.kind == Number::Kind::floating && x.floating != x.floating;
}

bool equal_dictionaries(const TsrList& a, const TsrList& b) {
    const char* value = behind_type(a.type + 1);
    for (int64_t i = 0; i < a.length; ++i) {
        if (tsr_dict_has(&b, a.items[2 * i]) == 0) return false;
        const TsrSlot other = tsr_dict_get(&b, a.items[2 * i], nullptr);
        const bool same = equal_values(value, a.items[2 * i + 1], other);
        release_value(value, other);
        if (!same) return false;
    }
    return true;
}

bool equal_containers(const TsrList& a, const TsrList& b) {
    if (a.length != b.length) return false;
    if (*a.type == 'D') return equal_dictionaries(a, b);
    ItemTypes types(a.type);
    for (int64_t i = 0; i < a.length; ++i) {
        if (!equal_values(types.next(), a.items[i], b.items[i])) return false;
    }
    return true;
}

int compare_containers(const TsrList& a, const TsrList& b) {
    ItemTypes types(a.type);
    for (int64_t i = 0; i < a.length && i < b.length; ++i) {
        const int order = compare_values(types.next(), a.items[i], b.items[i]);
        if (order != 0) return order;
    }
    return sign(a.length<b.length, a.length> b.length);
}

// FNV-1a.
uint64_t hash_bytes(std::string_view bytes) {
    uint64_t hash = 0xcbf29ce484222325;
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

// The last step of MurmurHash3.
uint64_t mixed(uint64_t word) {
    word = (word ^ (word >> 33)) * 0xff51afd7ed558ccd;
    word = (word ^ (word >> 33)) * 0xc4ceb9fe1a85ec53;
    return word ^ (word >> 33);
}

uint64_t hash_number(int32_t dtype, uint64_t bits) {
    const Number number = number_of(bits, dtype);
    if (number.kind != Number::Kind::floating) return mixed(number.unsigned_integer);
    return mixed(std::bit_cast<uint64_t>(number.floating == 0 ? 0.0 : number.floating));
}

}  // namespace

bool equal_values(const char* type, TsrSlot a, TsrSlot b) {
    if (is_container_type(type)) return a.list == b.list || equal_containers(*a.list, *b.list);
    if (*type == 'S') return view(a.string) == view(b.string);
    if (*type == 'T') return a.tensor == b.tensor;
    const int32_t dtype = scalar_dtype(type);
    return compare_numbers(dtype, a.bits, b.bits) == 0 && !is_nan(dtype, a.bits) && !is_nan(dtype, b.bits);
}

int compare_values(const char* type, TsrSlot a, TsrSlot b) {
    if (is_container_type(type)) return compare_containers(*a.list, *b.list);
    if (*type == 'S') return tsr_string_compare(a.string, b.string);
    if (*type == 'T') return 0;
    return compare_numbers(scalar_dtype(type), a.bits, b.bits);
}

uint64_t hash_value(const char* type, TsrSlot value) {
    if (*type == 'S') return hash_bytes(view(value.string));
    if (*type == 'T') return mixed(value.bits);
    if (!is_container_type(type)) return hash_number(scalar_dtype(type), value.bits);
    uint64_t hash = 0;
    ItemTypes types(value.list->type);
    for (int64_t i = 0; i < slot_count(*value.list); ++i) {
        hash = mixed(hash * 31 + hash_value(types.next(), value.list->items[i]));
    }
    return hash;
}

}  // namespace tsr::runtime

using namespace tsr::runtime;

extern "C" {

int32_t tsr_list_equal(const TsrList* a, const TsrList* b) { return equal_containers(*a, *b) ? 1 : 0; }
int32_t tsr_list_compare(const TsrList* a, const TsrList* b) { return compare_containers(*a, *b); }
}
