#include "ir/eval/host/host_value.h"

#include <utility>

namespace tsr::ir::eval {

namespace {

bool is_container(TypeKind kind) {
    return kind == TypeKind::list || kind == TypeKind::dict || kind == TypeKind::tuple || kind == TypeKind::record;
}

}  // namespace

HostValue HostValue::scalar(uint64_t bits) {
    HostValue value;
    value.kind_ = TypeKind::scalar;
    value.slot_.bits = bits;
    return value;
}

HostValue HostValue::owned(const TsrHostApi& api, TypeKind kind, TsrSlot slot) {
    HostValue value;
    value.api_ = &api;
    value.kind_ = kind;
    value.slot_ = slot;
    return value;
}

HostValue HostValue::borrowed(const TsrHostApi& api, TypeKind kind, TsrSlot slot) {
    HostValue theirs = owned(api, kind, slot);
    HostValue ours = theirs;
    theirs.release();
    return ours;
}

HostValue::HostValue(const HostValue& other) : api_(other.api_), kind_(other.kind_), slot_(other.slot_) {
    if (api_ == nullptr || slot_.bits == 0) return;
    if (kind_ == TypeKind::tensor) api_->tensor_retain(slot_.tensor);
    if (kind_ == TypeKind::string) api_->string_retain(slot_.string);
    if (is_container(kind_)) api_->list_retain(slot_.list);
}

HostValue::~HostValue() {
    if (api_ == nullptr || slot_.bits == 0) return;
    if (kind_ == TypeKind::tensor) api_->tensor_release(slot_.tensor);
    if (kind_ == TypeKind::string) api_->string_release(slot_.string);
    if (is_container(kind_)) api_->list_release(slot_.list);
}

TsrSlot HostValue::release() {
    const TsrSlot slot = slot_;
    api_ = nullptr;
    slot_ = {};
    return slot;
}

void HostValue::swap(HostValue& other) noexcept {
    std::swap(api_, other.api_);
    std::swap(kind_, other.kind_);
    std::swap(slot_, other.slot_);
}

}  // namespace tsr::ir::eval
