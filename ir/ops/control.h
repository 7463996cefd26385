// Handles of structured control flow and values.
#pragma once

#include "ir/ops/element.h"

namespace tsr::ir {

struct ConstantOp : Handle<OpKind::constant> {
    using Handle::Handle;
    [[nodiscard]] DType dtype() const { return attrs().dtype(Attr::type); }
    [[nodiscard]] bool is_whole() const { return std::holds_alternative<int64_t>(*attrs().find(Attr::value)); }
    [[nodiscard]] int64_t integer() const { return attrs().integer(Attr::value); }
    [[nodiscard]] double real() const { return attrs().real(Attr::value); }
};

struct ForOp : Handle<OpKind::for_> {
    using Handle::Handle;
    [[nodiscard]] ValueId lower() const { return operand(kLower); }
    [[nodiscard]] ValueId upper() const { return operand(kUpper); }
    [[nodiscard]] ValueId step() const { return operand(kStep); }
    [[nodiscard]] ValueSpan bounds() const { return operands(0).first(kFirstInit); }  // lower, upper and step
    [[nodiscard]] ValueSpan inits() const { return operands(kFirstInit); }
    [[nodiscard]] RegionId body() const { return op().regions[0]; }
    [[nodiscard]] ValueId iv() const { return args(body())[0]; }
    [[nodiscard]] ValueSpan carried() const { return args(body(), 1); }  // as the body sees them
    [[nodiscard]] ValueSpan next() const { return yielded(fn, body()); }
    [[nodiscard]] LoopKind loop() const { return static_cast<LoopKind>(attrs().integer(Attr::loop, 0)); }
    [[nodiscard]] int64_t prefetch() const { return attrs().integer(Attr::prefetch, 0); }
    // Places among the operands; the region has one argument before the carried ones.
    static constexpr size_t kLower = 0, kUpper = 1, kStep = 2, kFirstInit = 3;
    static constexpr size_t kFirstCarried = 1;
};

struct WhileOp : Handle<OpKind::while_> {
    using Handle::Handle;
    [[nodiscard]] ValueSpan inits() const { return operands(0); }
    [[nodiscard]] RegionId test() const { return op().regions[0]; }
    [[nodiscard]] RegionId body() const { return op().regions[1]; }
    [[nodiscard]] ValueId condition() const { return yielded(fn, test())[0]; }
    [[nodiscard]] ValueSpan tested() const { return args(test()); }   // carried, as the test sees them
    [[nodiscard]] ValueSpan carried() const { return args(body()); }  // carried, as the body sees them
    [[nodiscard]] ValueSpan next() const { return yielded(fn, body()); }
};

struct IfOp : Handle<OpKind::if_> {
    using Handle::Handle;
    [[nodiscard]] ValueId condition() const { return operand(kCondition); }
    [[nodiscard]] RegionId then() const { return op().regions[0]; }
    [[nodiscard]] RegionId otherwise() const { return op().regions[1]; }
    static constexpr size_t kCondition = 0;
};

// `for` and `while`.
struct LoopOp : Handle<OpKind::for_, OpKind::while_> {
    using Handle::Handle;
    // Operands before the carried ones.
    [[nodiscard]] size_t bounds() const { return op().kind == OpKind::for_ ? ForOp::kFirstInit : 0; }
    [[nodiscard]] ValueSpan inits() const { return operands(bounds()); }
    [[nodiscard]] RegionId body() const { return op().regions.back(); }
};

struct CallOp : Handle<OpKind::call> {
    using Handle::Handle;
    [[nodiscard]] const std::string& callee() const { return attrs().string(Attr::callee); }
    [[nodiscard]] ValueSpan arguments() const { return operands(0); }
};

struct DimOp : Handle<OpKind::dim> {
    using Handle::Handle;
    [[nodiscard]] const Dim& dim() const { return attrs().dim(Attr::dim); }
};

struct PrintOp : Handle<OpKind::print> {
    using Handle::Handle;
    [[nodiscard]] const std::string& text() const { return attrs().string(Attr::text); }
    [[nodiscard]] ValueSpan values() const { return operands(0); }
};

struct AssertOp : Handle<OpKind::assert_> {
    using Handle::Handle;
    [[nodiscard]] ValueId condition() const { return operand(0); }
    [[nodiscard]] const std::string& text() const { return attrs().string(Attr::text); }
    [[nodiscard]] ValueSpan values() const { return operands(1); }
};

}  // namespace tsr::ir
