#include "sema/types/type.h"

#include <algorithm>
#include <utility>

#include "sema/builtins/builtins.h"

namespace tsr::sema {

// What only some kinds have.
struct CompoundDetail {
    std::vector<Type> parts;
    std::vector<ViewAxis> axes;
    std::vector<int64_t> shape;
    std::optional<int64_t> length;
    FunctionId function;
    ModuleId module;
    Builtin builtin{};
    std::string path;
    std::vector<std::string> names;
    bool mut = false;
    size_t size = 1;  // with all parts of parts
    bool operator==(const CompoundDetail&) const = default;
};

Type Type::of_kind(Kind kind) {
    Type type;
    type.kind_ = kind;
    return type;
}

Type Type::scalar(DType elem) {
    Type type = of_kind(Kind::scalar);
    type.elem_ = elem;
    return type;
}

Type Type::carrying(const Policy& policy) const {
    Type type = *this;
    type.policy_ = policy.empty() ? nullptr : std::make_shared<const Policy>(policy);
    return type;
}

Type Type::tensor(DType elem, TensorDetail detail) {
    Type type = of_kind(Kind::tensor);
    type.elem_ = elem;
    type.tensor_ = std::make_shared<const TensorDetail>(std::move(detail));
    return type;
}

Type Type::buffer(DType elem, BufferDetail detail) {
    Type type = of_kind(Kind::buffer);
    type.elem_ = elem;
    type.buffer_ = std::make_shared<const BufferDetail>(std::move(detail));
    return type;
}

namespace {

std::shared_ptr<const CompoundDetail> detail(CompoundDetail value) {
    for (const Type& part : value.parts) value.size += part.size();
    return std::make_shared<const CompoundDetail>(std::move(value));
}

}  // namespace

Type Type::view(const Type& of, std::vector<ViewAxis> axes) {
    Type type = of_kind(Kind::view);
    type.elem_ = of.elem();
    CompoundDetail d;
    d.parts = {of};
    d.axes = std::move(axes);
    type.compound_ = detail(std::move(d));
    return type;
}

Type Type::list(const Type& element, std::optional<int64_t> length) {
    Type type = of_kind(Kind::list);
    CompoundDetail d;
    d.parts = {element};
    d.length = length;
    type.compound_ = detail(std::move(d));
    return type;
}

Type Type::tuple(std::vector<Type> elements) {
    Type type = of_kind(Kind::tuple);
    CompoundDetail d;
    d.parts = std::move(elements);
    type.compound_ = detail(std::move(d));
    return type;
}

Type Type::dict(const Type& key, const Type& value) {
    Type type = of_kind(Kind::dict);
    CompoundDetail d;
    d.parts = {key, value};
    type.compound_ = detail(std::move(d));
    return type;
}

Type Type::record(FunctionId constructor, std::vector<std::string> names, std::vector<Type> fields, bool mut) {
    Type type = of_kind(Kind::record);
    CompoundDetail d;
    d.function = constructor;
    d.names = std::move(names);
    d.parts = std::move(fields);
    d.mut = mut;
    type.compound_ = detail(std::move(d));
    return type;
}

Type Type::keyed_dict(std::vector<std::string> keys, std::vector<Type> values, bool mut) {
    keys.insert(keys.begin(), "dict");
    return record({}, std::move(keys), std::move(values), mut);
}

Type Type::record_like(const Type& like, std::vector<Type> fields, bool mut) {
    return record(like.function_id(), like.names(), std::move(fields), mut);
}

Type Type::vector(DType elem, int64_t width) {
    Type type = of_kind(Kind::vector);
    type.elem_ = elem;
    CompoundDetail d;
    d.length = width;
    type.compound_ = detail(std::move(d));
    return type;
}

Type Type::local(DType elem, std::vector<int64_t> shape) {
    Type type = tile(elem, std::move(shape));
    type.kind_ = Kind::local;
    return type;
}

Type Type::tile(DType elem, std::vector<int64_t> shape) {
    Type type = of_kind(Kind::tile);
    type.elem_ = elem;
    CompoundDetail d;
    d.shape = std::move(shape);
    type.compound_ = detail(std::move(d));
    return type;
}

Type Type::function(FunctionId id, std::vector<Type> held) {
    Type type = of_kind(Kind::function);
    CompoundDetail d;
    d.function = id;
    d.parts = std::move(held);
    type.compound_ = detail(std::move(d));
    return type;
}

Type Type::builtin(Builtin name) {
    Type type = of_kind(Kind::builtin);
    CompoundDetail d;
    d.builtin = name;
    type.compound_ = detail(std::move(d));
    return type;
}

Type Type::launcher(FunctionId kernel, int axes) {
    Type type = of_kind(Kind::launcher);
    CompoundDetail d;
    d.function = kernel;
    d.length = axes;
    type.compound_ = detail(std::move(d));
    return type;
}

Type Type::name_space(std::string path) {
    Type type = of_kind(Kind::name_space);
    CompoundDetail d;
    d.path = std::move(path);
    type.compound_ = detail(std::move(d));
    return type;
}

Type Type::module(ModuleId id, std::string name) {
    Type type = of_kind(Kind::module);
    CompoundDetail d;
    d.path = std::move(name);
    d.module = id;
    type.compound_ = detail(std::move(d));
    return type;
}

Type Type::dtype_value(DType value) {
    Type type = of_kind(Kind::dtype);
    type.elem_ = value;
    return type;
}

Type Type::type_value(const Type& value) {
    Type type = of_kind(Kind::type);
    CompoundDetail d;
    d.parts = {value};
    type.compound_ = detail(std::move(d));
    return type;
}

const Policy& Type::policy() const {
    static const Policy empty;
    if (kind_ == Kind::tensor) return tensor_->policy;
    if (kind_ == Kind::view) return parts()[0].policy();
    return policy_ ? *policy_ : empty;
}

const std::vector<Type>& Type::parts() const { return compound_->parts; }
const std::vector<ViewAxis>& Type::axes() const { return compound_->axes; }
const std::vector<int64_t>& Type::tile_shape() const { return compound_->shape; }
std::optional<int64_t> Type::length() const { return compound_->length; }
ModuleId Type::module_id() const { return compound_->module; }

FunctionId Type::function_id() const { return compound_->function; }
Builtin Type::builtin_name() const { return compound_->builtin; }
const std::vector<std::string>& Type::names() const { return compound_->names; }
bool Type::writable() const {
    if (kind_ == Kind::tensor) return tensor_->mut;
    return kind_ == Kind::record && compound_->mut;
}
const std::string& Type::path() const { return compound_->path; }

size_t Type::size() const { return compound_ ? compound_->size : 1; }
size_t Type::rank() const { return kind_ == Kind::tensor ? tensor_->shape.size() : shape().size(); }

std::vector<ir::Dim> Type::shape() const {
    std::vector<ir::Dim> result;
    auto add_all = [&](const std::vector<int64_t>& extents) {
        for (int64_t extent : extents) result.push_back(ir::Dim::constant(extent));
    };
    if (kind_ == Kind::tensor) return tensor_->shape;
    if (kind_ == Kind::buffer) add_all(buffer_->shape);
    if (kind_ == Kind::tile || kind_ == Kind::local) add_all(tile_shape());
    if (kind_ == Kind::view) {
        std::vector<ir::Dim> whole = parts()[0].shape();
        for (size_t i = 0; i < axes().size(); ++i) {
            const ViewAxis& axis = axes()[i];
            if (axis.extent) {
                result.push_back(ir::Dim::constant(*axis.extent));
            } else if (axis.whole && i < whole.size()) {
                result.push_back(whole[i]);
            }
        }
    }
    return result;
}

Type Type::with_elem(DType elem) const {
    Type type = *this;
    type.elem_ = elem;
    return type;
}

Type Type::with_mut(bool mut) const {
    if (kind_ == Kind::list || kind_ == Kind::dict || kind_ == Kind::tuple || kind_ == Kind::record) {
        Type type = *this;
        CompoundDetail d = *compound_;
        for (Type& part : d.parts) part = part.with_mut(mut);
        d.mut = mut && kind_ == Kind::record;
        type.compound_ = std::make_shared<const CompoundDetail>(std::move(d));
        return type;
    }
    if (kind_ != Kind::tensor) return *this;
    TensorDetail d = *tensor_;
    d.mut = mut;
    return tensor(elem_, std::move(d));
}

Type Type::with_shape(std::vector<ir::Dim> shape) const {
    TensorDetail d = *tensor_;
    d.shape = std::move(shape);
    return tensor(elem_, std::move(d));
}

Type Type::with_policy(const Policy& policy, const Scaling& scaling) const {
    TensorDetail d = *tensor_;
    d.policy = policy;
    d.scaling = scaling;
    return tensor(elem_, std::move(d));
}

Type Type::with_last_axes_swapped() const {
    const auto swap_last = [](auto& shape) { std::swap(shape[shape.size() - 1], shape[shape.size() - 2]); };
    if (kind_ == Kind::tile) {
        std::vector<int64_t> shape = tile_shape();
        swap_last(shape);
        return tile(elem_, std::move(shape)).carrying(policy());
    }
    if (kind_ == Kind::buffer) {
        BufferDetail d = *buffer_;
        swap_last(d.shape);
        d.transposed = !d.transposed;
        return buffer(elem_, std::move(d));
    }
    std::vector<ir::Dim> shape = tensor_->shape;
    swap_last(shape);
    return with_shape(std::move(shape));
}

namespace {

template <typename T>
bool same(const std::shared_ptr<const T>& a, const std::shared_ptr<const T>& b) {
    return a == b || (a && b && *a == *b);
}

}  // namespace

bool Type::operator==(const Type& other) const {
    return kind_ == other.kind_ && elem_ == other.elem_ && same(tensor_, other.tensor_) &&
           same(buffer_, other.buffer_) && same(policy_, other.policy_) && same(compound_, other.compound_);
}

}  // namespace tsr::sema
