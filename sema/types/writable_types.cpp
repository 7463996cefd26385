#include "sema/types/writable_types.h"

#include <algorithm>

namespace tsr::sema {

Type written_as(const Type& declared, const Type& given) {
    if (given.is_unknown() && (declared.is(Kind::tensor) || declared.is(Kind::record))) return declared.with_mut(true);
    if (declared.kind() != given.kind()) return declared;
    if (declared.is(Kind::tensor)) return declared.with_mut(given.writable());
    if (declared.is(Kind::record)) return given;
    const bool parted = declared.is(Kind::list) || declared.is(Kind::dict) || declared.is(Kind::tuple);
    if (!parted || declared.parts().size() != given.parts().size()) return declared;
    std::vector<Type> parts;
    for (size_t i = 0; i < declared.parts().size(); ++i)
        parts.push_back(written_as(declared.parts()[i], given.parts()[i]));
    if (declared.is(Kind::list)) return Type::list(parts[0], given.length());
    return declared.is(Kind::dict) ? Type::dict(parts[0], parts[1]) : Type::tuple(std::move(parts));
}

Type made_record(const Type& type, const std::vector<Type>& given) {
    if (!type.is(Kind::record)) return {};
    std::vector<Type> fields = type.parts();
    for (size_t i = 0; i < fields.size(); ++i) fields[i] = written_as(fields[i], given[i]);
    return Type::record(type.function_id(), type.names(), std::move(fields), true);
}

bool is_tree(const Type& type) {
    const bool parted = type.is(Kind::tuple) || type.is(Kind::record) || (type.is(Kind::list) && type.length());
    if (parted) return std::ranges::all_of(type.parts(), is_tree);
    return type.is_unknown() || type.is(Kind::tensor) || type.is_scalar() || type.is_literal() ||
           type.is(Kind::function) || type.is(Kind::none) || type.is(Kind::dtype) || type.is(Kind::string);
}

bool holds_tensors(const Type& type) {
    if (type.is(Kind::tensor)) return true;
    const bool parted = type.is(Kind::list) || type.is(Kind::dict) || type.is(Kind::tuple) || type.is(Kind::record);
    return parted && std::ranges::any_of(type.parts(), holds_tensors);
}

}  // namespace tsr::sema
