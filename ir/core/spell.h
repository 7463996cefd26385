// Parts of IR text that printer and parser share.
#pragma once

#include <string>

#include "ir/core/function.h"

namespace tsr::ir {

std::string spell(const AttrValue& value);
// `key = value`, with the name of an enumerator; of a flag `key`.
std::string spell_attr(OpKind kind, Attr key, const AttrValue& value);
// False for a number that is none of the enumeration that the attribute holds.
bool in_enumeration(OpKind kind, Attr key, int64_t number);
bool has_enumerators(OpKind kind, Attr key);
// The number that the name stands for.
std::optional<int64_t> enumerator_named(OpKind kind, Attr key, std::string_view name);
std::string spell_function(const std::string& name);  // @saxpy, @"a name that is no identifier"
std::string spell(Span span);                         // FILE:BEGIN-END
std::string_view name(Level level);

// What may stand in the name of a value, function or operation.
bool is_word(char c);        // letters, digits, _ and .
bool is_value_char(char c);  // and + -, as constants are named c-1, c1e+20

}  // namespace tsr::ir
