// Handles of structured control flow and values.
#pragma once

#include "ir/ops/handle.h"

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
    [[nodiscard]] ValueId lower() const { return operand(0); }
    [[nodiscard]] ValueId upper() const { return operand(1); }
    [[nodiscard]] ValueId step() const { return operand(2); }
    [[nodiscard]] ValueSpan inits() const { return operands(kFirstInit); }
    [[nodiscard]] RegionId body() const { return op().regions[0]; }
    [[nodiscard]] ValueId iv() const { return args(body())[0]; }
    [[nodiscard]] ValueSpan carried() const { return args(body(), 1); }  // as the body sees them
    [[nodiscard]] ValueSpan next() const { return yielded(fn, body()); }
    [[nodiscard]] LoopKind loop() const { return static_cast<LoopKind>(attrs().integer(Attr::loop, 0)); }
    [[nodiscard]] int64_t prefetch() const { return attrs().integer(Attr::prefetch, 0); }
    // Operands before the carried ones; the region has one argument before them.
    static constexpr size_t kFirstInit = 3;
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
    [[nodiscard]] ValueId condition() const { return operand(0); }
    [[nodiscard]] RegionId then() const { return op().regions[0]; }
    [[nodiscard]] RegionId otherwise() const { return op().regions[1]; }
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

struct CastOp : Handle<OpKind::cast, OpKind::bitcast> {
    using Handle::Handle;
    [[nodiscard]] ValueId from() const { return operand(0); }
    [[nodiscard]] DType to() const { return attrs().dtype(Attr::type); }
};

struct SelectOp : Handle<OpKind::select> {
    using Handle::Handle;
    [[nodiscard]] ValueId condition() const { return operand(0); }
    [[nodiscard]] ValueId then() const { return operand(1); }
    [[nodiscard]] ValueId otherwise() const { return operand(2); }
};

}  // namespace tsr::ir
