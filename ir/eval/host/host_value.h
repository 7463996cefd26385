// Values of host programs.
#pragma once

#include "ir/core/type.h"
#include "runtime/abi.h"

namespace tsr::ir::eval {

// Handles are counted references.
class HostValue {
public:
    HostValue() = default;
    static HostValue scalar(uint64_t bits);
    // Takes over a reference, or adds one to a borrowed handle.
    static HostValue owned(const TsrHostApi& api, TypeKind kind, TsrSlot slot);
    static HostValue borrowed(const TsrHostApi& api, TypeKind kind, TsrSlot slot);
    HostValue(const HostValue& other);
    HostValue(HostValue&& other) noexcept { swap(other); }
    HostValue& operator=(HostValue other) noexcept {
        swap(other);
        return *this;
    }
    ~HostValue();

    [[nodiscard]] TypeKind kind() const { return kind_; }
    [[nodiscard]] TsrSlot slot() const { return slot_; }
    [[nodiscard]] uint64_t bits() const { return slot_.bits; }
    // Gives the reference away.
    TsrSlot release();

private:
    void swap(HostValue& other) noexcept;

    const TsrHostApi* api_ = nullptr;  // null: no handle
    TypeKind kind_ = TypeKind::none;
    TsrSlot slot_{};
};

}  // namespace tsr::ir::eval
