// Types as messages and hovers write them.
#include <fmt/format.h>

#include "sema/builtins/builtins.h"
#include "sema/types/static.h"
#include "sema/types/type.h"

namespace tsr::sema {

namespace {

std::string joined(const std::vector<std::string>& texts) {
    std::string result;
    for (const std::string& text : texts) result += (result.empty() ? "" : ", ") + text;
    return result;
}

std::string extents(const Type& type) {
    std::vector<std::string> texts;
    for (const ir::Dim& dim : type.shape()) texts.push_back(dim.text());
    return "[" + joined(texts) + "]";
}

std::string list_text(const std::vector<Type>& parts) {
    std::vector<std::string> texts;
    for (const Type& part : parts) texts.push_back(part.text());
    return joined(texts);
}

// `{"w": f32[4, 3], "b": f32[3]}`
std::string keyed_dict_text(const Type& type) {
    std::vector<std::string> texts;
    for (size_t i = 0; i < type.parts().size(); ++i)
        texts.push_back(fmt::format("{}: {}", Static::of(type.names()[i + 1]).text(), type.parts()[i].text()));
    return "{" + joined(texts) + "}";
}

std::string_view privilege_text(Privilege privilege) {
    switch (privilege) {
        case Privilege::none:
            return "";
        case Privilege::read:
            return "read";
        case Privilege::write:
            return "write";
        case Privilege::reduce_sum:
            return "reduce_sum";
        case Privilege::reduce_max:
            return "reduce_max";
        case Privilege::reduce_min:
            return "reduce_min";
        case Privilege::reduce_prod:
            return "reduce_prod";
    }
    return "";
}

// What is said about the place beside the type: two buffers that differ there alone are of two types.
std::string buffer_text(const Type& type) {
    const BufferDetail& detail = type.buffer();
    std::string text = detail.transposed ? "transposed " : "";
    text += fmt::format("shared {}{}", name(type.elem()), extents(type));
    if (detail.layout != "row") text += fmt::format(" layout {}", detail.layout);
    if (detail.swizzle != "none") text += fmt::format(" swizzle {}", detail.swizzle);
    if (detail.alignment != 0) text += fmt::format(" alignment {}", detail.alignment);
    return text;
}

std::string tensor_text(const Type& type) {
    const TensorDetail& detail = type.tensor();
    std::string text = std::string(name(type.elem())) + extents(type) + detail.policy.text() + detail.scaling.text();
    if (detail.privilege != Privilege::none)
        return fmt::format("Region[{}, {}]", privilege_text(detail.privilege), text);
    return text;
}

}  // namespace

std::string Type::text() const {
    switch (kind_) {
        case Kind::unknown:
            return "an unknown type";
        case Kind::none:
            return "None";
        case Kind::int_literal:
            return "an integer literal";
        case Kind::float_literal:
            return "a float literal";
        case Kind::scalar:
            return std::string(name(elem_));
        case Kind::string:
            return "a string";
        case Kind::tensor:
            return tensor_text(*this);
        case Kind::view:
            return fmt::format("view {}{}", name(elem_), extents(*this));
        case Kind::buffer:
            return buffer_text(*this);
        case Kind::list:
            return fmt::format("a list of {}", parts()[0].text());
        case Kind::tuple:
            return fmt::format("({})", list_text(parts()));
        case Kind::dict:
            return fmt::format("a dictionary of {} to {}", parts()[0].text(), parts()[1].text());
        case Kind::record:
            return is_keyed_dict() ? keyed_dict_text(*this) : names()[0];
        case Kind::vector:
            return fmt::format("vector {}x{}", name(elem_), length().value_or(0));
        case Kind::tile:
            return fmt::format("tile {}{}", name(elem_), extents(*this));
        case Kind::local:
            return fmt::format("local {}{}", name(elem_), extents(*this));
        case Kind::range:
            return "a range";
        case Kind::function:
            return parts().empty() ? "a function" : fmt::format("a function that holds {}", list_text(parts()));
        case Kind::builtin:
            return fmt::format("the function `{}`", spelling(builtin_name()));
        case Kind::launcher:
            return "a kernel with a number of groups";
        case Kind::name_space:
            return path().empty() ? "the namespace `tessera`" : fmt::format("the namespace `{}`", path());
        case Kind::module:
            return fmt::format("the module `{}`", path());
        case Kind::dtype:
            return fmt::format("the type `{}`", name(elem_));
        case Kind::type:
            return fmt::format("the type `{}`", parts()[0].text());
        case Kind::context:
            return "the tile context";
    }
    return "";
}

}  // namespace tsr::sema
