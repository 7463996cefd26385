#include "sema/elaborate/types.h"

#include <cctype>

#include <fmt/format.h>

#include "sema/elaborate/complex_values.h"
#include "sema/types/elements.h"

namespace tsr::elaborate {

using sema::Kind;

namespace {

// What may be written through a record is the checker's matter: its fields have one type in the IR.
ir::Type record_ir_type(const sema::Type& type) {
    std::vector<ir::Type> fields;
    const sema::Type read = type.with_mut(false);
    for (const sema::Type& field : read.parts()) fields.push_back(item_ir_type(field));
    if (!type.is_keyed_dict()) return ir::Type::record(type.names(), fields);
    std::vector<std::string> names{".dict"};
    for (size_t i = 1; i < type.names().size(); ++i) names.push_back(key_word(type.names()[i]));
    return ir::Type::record(std::move(names), fields);
}

}  // namespace

std::string key_word(const std::string& key) {
    if (key.empty()) return ".";
    std::string word;
    for (const char c : key) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = byte < 128 && (std::isalnum(byte) != 0 || c == '_');
        word += plain ? std::string(1, c) : fmt::format(".{:02x}", byte);
    }
    return word;
}

ir::Type ir_type(const sema::Type& type) {
    switch (type.kind()) {
        case Kind::scalar:  // a complex number is a tuple
            return sema::is_complex_number(type) ? ir::Type::none() : ir::Type::scalar(type.elem());
        case Kind::vector:
            return ir::Type::vector(type.elem(), static_cast<uint32_t>(type.length().value_or(1)));
        case Kind::tile:
            return ir::Type::tile(type.elem(), type.shape());
        case Kind::tensor:
            return ir::Type::tensor(type.elem(), type.tensor().shape, type.tensor().mut, type.policy());
        case Kind::buffer:
            return ir::Type::buffer(type.elem(), type.shape());
        case Kind::string:
            return ir::Type::string();
        case Kind::list:
            return type.parts().empty() ? ir::Type::none() : ir::Type::list(item_ir_type(type.parts()[0]));
        case Kind::dict:
            return ir::Type::dict(item_ir_type(type.parts()[0]), item_ir_type(type.parts()[1]));
        case Kind::record:
            return record_ir_type(type);
        case Kind::int_literal:
            return ir::Type::scalar(DType::i32);
        case Kind::float_literal:
            return ir::Type::scalar(DType::f32);
        case Kind::unknown:
        case Kind::none:
        case Kind::local:
        case Kind::view:
        case Kind::tuple:
        case Kind::range:
        case Kind::function:
        case Kind::builtin:
        case Kind::launcher:
        case Kind::name_space:
        case Kind::module:
        case Kind::dtype:
        case Kind::type:
        case Kind::context:
            return ir::Type::none();
    }
    return ir::Type::none();
}

bool holds_elements(const ir::Type& type) {
    return type.is_scalar() || type.is_vector() || type.kind == ir::TypeKind::tile;
}

std::optional<DType> element_dtype(const sema::Type& type) {
    const bool held = type.is_scalar() || type.is(Kind::vector) || type.is(Kind::tile);
    return held ? std::optional(type.elem()) : std::nullopt;
}

ir::Type item_ir_type(const sema::Type& type) {
    if (sema::is_complex_number(type)) return item_ir_type(parts_of_complex());
    if (!type.is(Kind::tuple)) return ir_type(type);
    std::vector<ir::Type> parts;
    for (const sema::Type& part : type.parts()) parts.push_back(item_ir_type(part));
    return ir::Type::tuple(parts);
}

void result_types(const sema::Type& type, std::vector<ir::Type>& types) {
    if (sema::is_complex_number(type)) {
        result_types(parts_of_complex(), types);
    } else if (type.is(sema::Kind::tuple)) {
        for (const sema::Type& part : type.parts()) result_types(part, types);
    } else if (const ir::Type held = ir_type(type); held.kind != ir::TypeKind::none) {
        types.push_back(held);
    }
}

}  // namespace tsr::elaborate
