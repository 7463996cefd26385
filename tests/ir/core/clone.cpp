// Copies, and dimensions as arithmetic.
#include "ir/build/clone.h"

#include "ir/build/dim_code.h"
#include "ir/ops/handle.h"
#include "ir/passes/host/lower_dims.h"
#include "read.h"

using namespace tsr;
using namespace tsr::ir;

namespace {

OpId first_of(const Function& fn, OpKind kind) {
    for (OpId id : fn.region(fn.body).ops) {
        if (fn.op(id).kind == kind) return id;
    }
    return {};
}

const char* const kSum = R"(host @sum(%count: index, %start: f32) -> f32 {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %sum = for %c0, %count, %c1, %start {loop = in_order} : f32 (%i: index, %before: f32) {
    %even = eq %i, %c0 : bool
    %next = if %even : f32 {
      %twice = add %before, %before : f32
      yield %twice
    } else {
      yield %before
    }
    yield %next
  }
  yield %sum
}
)";

}  // namespace

TEST_CASE("a copy has all that stands in it, and what the map says instead of its operands") {
    Module module = read(kSum);
    Function& fn = module.functions[0];
    const OpId loop = first_of(fn, OpKind::for_);
    Builder at = Builder::at_end(fn, fn.body);
    ValueMap values{{fn.op(loop).operands[3], fn.op(loop).results[0]}};
    Cloner cloner(fn, fn, values);
    cloner.copy(at, loop);
    fn.op(yield_of(fn, fn.body)).operands = {values.at(fn.op(loop).results[0])};
    CHECK(faults(fn) == "");
    CHECK(print(fn) == R"(host @sum(%count: index, %start: f32) -> f32 {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %sum = for %c0, %count, %c1, %start {loop = in_order} : f32 (%i: index, %before: f32) {
    %even = eq %i, %c0 : bool
    %next = if %even : f32 {
      %twice = add %before, %before : f32
      yield %twice
    } else {
      yield %before
    }
    yield %next
  }
  %sum.1 = for %c0, %count, %c1, %sum {loop = in_order} : f32 (%i.1: index, %before.1: f32) {
    %even.1 = eq %i.1, %c0 : bool
    %next.1 = if %even.1 : f32 {
      %twice.1 = add %before.1, %before.1 : f32
      yield %twice.1
    } else {
      yield %before.1
    }
    yield %next.1
  }
  yield %sum.1
}
)");
}

TEST_CASE("a value is copied with what it is made of, each once, and operations may be replaced") {
    const Module module = read(R"(host @f(%a: index) -> index {
  %c2 = constant 2 : index
  %b = mul %a, %c2 : index
  %c = add %b, %b : index
  yield %c
}
)");
    const Function& from = module.functions[0];
    Function to;
    to.name = "g";
    to.level = Level::host;
    to.results = {Type::scalar(DType::index)};
    const ValueId seven = to.add_arg(to.body, Type::scalar(DType::index), "seven");
    ValueMap values{{from.params()[0], seven}};
    Builder at = Builder::at_end(to, to.body);
    Cloner cloner(from, to, values);
    cloner.names = false;
    cloner.place = [](PlaceId) { return PlaceId(); };
    cloner.replaces = [&](Builder& here, OpId id) {
        if (from.op(id).kind != OpKind::constant) return false;
        values[from.op(id).results[0]] = here.index(3);
        return true;
    };
    at.yield({cloner.value(at, yielded(from, from.body)[0])});
    CHECK(faults(to) == "");
    CHECK(print(to) == R"(host @g(%seven: index) -> index {
  %c3 = constant 3 : index
  %0 = mul %seven, %c3 : index
  %1 = add %0, %0 : index
  yield %1
}
)");
}

TEST_CASE("dimensions of host functions become arithmetic, their quotients with checks") {
    Module module = read(R"(host @f<n, k>(%x: f32[n], %y: f32[k]) -> index {
  %n = dim {dim = n} : index
  %d = dim {dim = 2*n*k + n/k - 1} : index
  %s = add %n, %d : index
  yield %s
}
)");
    Function& fn = module.functions[0];
    lower_dims(fn);
    CHECK(faults(fn) == "");
    CHECK(print(fn) == R"(host @f<n, k>(%x: f32[n], %y: f32[k]) -> index {
  %n = dim {dim = n} : index
  %c-1 = constant -1 : index
  %0 = dim {dim = k} : index
  %1 = dim {dim = n} : index
  %2 = mul %0, %1 : index
  %c2 = constant 2 : index
  %3 = mul %2, %c2 : index
  %4 = add %c-1, %3 : index
  %5 = dim {dim = n} : index
  %6 = dim {dim = k} : index
  %c0 = constant 0 : index
  %7 = eq %6, %c0 : bool
  if %7 {
    host {callee = "fail", text = "the dimension n / k divides by zero"}
  }
  %8 = mod %5, %6 : index
  %9 = ne %8, %c0 : bool
  if %9 {
    host {callee = "fail", text = "the dimension n / k is no whole number"}
  }
  %10 = floordiv %5, %6 : index
  %11 = add %4, %10 : index
  %s = add %n, %11 : index
  yield %s
}
)");
}
