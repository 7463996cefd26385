#include "runtime/values/container_text.h"

#include <charconv>

#include "runtime/text/format_spec.h"
#include "runtime/text/quoted.h"
#include "runtime/text/string.h"
#include "runtime/text/tensor_text.h"
#include "runtime/values/value_type.h"

namespace tsr::runtime {

namespace {

std::string dictionary_text(const TsrList& dict) {
    const char* value = behind_type(dict.type + 1);
    std::string result = "{";
    for (int64_t i = 0; i < dict.length; ++i) {
        if (i > 0) result += ", ";
        result += value_text(dict.type + 1, dict.items[2 * i]) + ": " + value_text(value, dict.items[2 * i + 1]);
    }
    return result + '}';
}

// The key that stands in a type as a name: a byte that no name holds is `.` and two hexadecimal digits.
std::string key_text(const char* begin, const char* end) {
    std::string key;
    while (begin < end) {
        int byte = 0;
        const bool coded = *begin == '.' && end - begin >= 3;
        if (coded && std::from_chars(begin + 1, begin + 3, byte, 16).ptr == begin + 3) {
            key += static_cast<char>(byte);
            begin += 3;
        } else if (*begin == '.') {
            ++begin;  // of an empty key
        } else {
            key += *begin++;
        }
    }
    return quoted(key);
}

// `Layer(rate=0.5, name='a')`; of a dictionary whose keys are in its type `{'rate': 0.5, 'name': 'a'}`.
std::string record_text(const TsrList& record) {
    const char* at = behind_name(record.type + 1);
    const bool dict = record.type[1] == '.';
    std::string result = dict ? "{" : std::string(record.type + 1, at - 1) + "(";
    for (int64_t i = 0; i < record.length; ++i) {
        const char* type = behind_name(at);
        if (i > 0) result += ", ";
        result += dict ? key_text(at, type - 1) + ": " : std::string(at, type - 1) + "=";
        result += value_text(type, record.items[i]);
        at = behind_type(type);
    }
    return result + (dict ? '}' : ')');
}

std::string container_text(const TsrList& list) {
    if (*list.type == 'D') return dictionary_text(list);
    if (*list.type == '{') return record_text(list);
    const bool tuple = *list.type == '(';
    ItemTypes types(list.type);
    std::string result(1, tuple ? '(' : '[');
    for (int64_t i = 0; i < list.length; ++i) {
        if (i > 0) result += ", ";
        result += value_text(types.next(), list.items[i]);
    }
    if (tuple && list.length == 1) result += ',';
    return result + (tuple ? ')' : ']');
}

}  // namespace

std::string value_text(const char* type, TsrSlot value) {
    if (is_container_type(type)) return container_text(*value.list);
    if (*type == 'S') return quoted(view(value.string));
    if (*type == 'T') return *tensor_text(*value.tensor);
    return *format_value(value.bits, scalar_dtype(type), {});
}

}  // namespace tsr::runtime

using namespace tsr::runtime;

extern "C" TsrString* tsr_format_list(const TsrList* list, const TsrPlace*) {
    tsr_wait();
    TsrSlot value{};
    value.list = const_cast<TsrList*>(list);
    return make_string(value_text(list->type, value));
}
