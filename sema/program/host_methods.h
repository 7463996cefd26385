// The methods of strings, lists and dictionaries of host programs: one row each. Checking and elaboration are the same
// for all of them: a method is a call of an entry of the runtime (ir/passes/host/entries.h).
#pragma once

#include <string_view>
#include <vector>

#include "sema/types/type.h"

namespace tsr::sema {

// Parameters, in order and separated by blanks, a letter and perhaps what stands for one that is not given:
//   s  a string (`s=`: the empty one)   i  an integer (`i=-1`)
//   x  a container of the receiver's type
//   S  a list of strings
//   e  an item of the list             k v  a key, a value of the dictionary
//   E K V  the same, and it becomes part of the container: an empty one gets its type from it
// Result: n nothing; s i b a string, an integer, a truth value; S a list of strings; x the receiver's type;
//   e v an item, a value; K V I lists of keys, of values, of entries.
struct HostMethod {
    Kind receiver;
    std::string_view name;
    std::string_view parameters;
    char result;
    std::string_view entry;
    bool changes = false;  // the receiver
};

// The rows of a name, one per number of arguments.
std::vector<const HostMethod*> host_methods(Kind receiver, std::string_view name);
std::vector<std::string> host_method_names(Kind receiver);

struct MethodParameter {
    char letter = 0;
    bool optional = false;
    std::string_view otherwise;
};
std::vector<MethodParameter> method_parameters(const HostMethod& method);

}  // namespace tsr::sema
