#include "ir/passes/graph/kernel_writer.h"

#include <algorithm>

namespace tsr::ir {

namespace {

Attrs last_axis(const Function& kernel, ValueId tensor) {
    return {{Attr::axes, std::vector<int64_t>{static_cast<int64_t>(kernel.type(tensor).rank()) - 1}}};
}

}  // namespace

KernelWriter::KernelWriter(const Function& fused, bool names_group) : builder_(kernel_.kernel) {
    kernel_.begin(fused, names_group);
    builder_.to_end_of(kernel_.kernel.body);
    builder_.set_place(fused.place);
}

ValueId KernelWriter::tensor(size_t number, DType elem, const std::vector<Dim>& shape, bool mut,
                             const std::string& name) {
    step_.tensors.push_back(number);
    return kernel_.add_parameter(Type::tensor(elem, shape, mut), mut, name);
}

void KernelWriter::grid(const std::vector<Dim>& extents, const Body& body) {
    Values lengths;
    for (const Dim& dim : extents) lengths.push_back(extent(dim));
    Values at;
    const std::function<void(Builder&)> nest = [&](Builder& here) {
        const size_t axis = at.size();
        if (axis == extents.size()) return body(here, at);
        const bool last = axis + 1 == extents.size() && loops_ == 0;
        if (extents[axis].constant_value() == 1 && !last) {
            at.push_back(here.index(0));
            nest(here);
            at.pop_back();
            return;
        }
        Attrs attrs{{Attr::loop, static_cast<int64_t>(LoopKind::tile_range)}};
        if (loops_ > 0) attrs.set(Attr::axis, static_cast<int64_t>(loops_));
        ++loops_;
        here.for_(here.index(0), lengths[axis], here.index(1), {}, std::move(attrs),
                  [&](Builder& inner, ValueId index, const Values&) {
                      at.push_back(index);
                      nest(inner);
                      at.pop_back();
                      return Values{};
                  });
    };
    nest(builder_);
    builder_.yield({});
}

ValueId KernelWriter::number(const std::string& name) {
    return kernel_.kernel.add_arg(kernel_.kernel.body, Type::scalar(DType::index), name);
}

void KernelWriter::finish(KernelSteps& steps) {
    step_.kernel = steps.kernels.size();
    steps.kernels.push_back(std::move(kernel_));
    steps.steps.push_back(std::move(step_));
}

size_t number_of(const Function& fused, ValueId parameter) {
    const auto& params = fused.params();
    return static_cast<size_t>(std::ranges::find(params, parameter) - params.begin());
}

size_t number_of_result(const Function& fused) {
    return static_cast<size_t>(std::ranges::count_if(
        fused.params(), [&](ValueId param) { return fused.value(param).role.kind != ParamRole::Kind::dimension; }));
}

DType computed_type(DType elem) {
    if (elem == DType::boolean) return DType::i32;
    if (elem == DType::i4) return DType::i8;
    return is_float(elem) && bits(elem) < 32 ? DType::f32 : elem;
}

ValueId repeated(Builder& builder, ValueId scalar, int64_t width) {
    return builder.value(OpKind::expand, {scalar},
                         {{Attr::shape, std::vector<Dim>{Dim::constant(width)}}, {Attr::axes, std::vector<int64_t>{}}});
}

ValueId load_row(Builder& builder, ValueId tensor, const Values& at, int64_t width, std::optional<ValueId> fill) {
    Values operands{tensor};
    operands.insert(operands.end(), at.begin(), at.end());
    if (fill) operands.push_back(*fill);
    Attrs attrs = last_axis(builder.function(), tensor);
    attrs.set(Attr::shape, std::vector<Dim>{Dim::constant(width)});
    return builder.value(OpKind::load_tile, std::move(operands), std::move(attrs));
}

void store_row(Builder& builder, ValueId tensor, ValueId tile, const Values& at) {
    Values operands{tensor, tile};
    operands.insert(operands.end(), at.begin(), at.end());
    builder.emit(OpKind::store_tile, std::move(operands), last_axis(builder.function(), tensor));
}

}  // namespace tsr::ir
