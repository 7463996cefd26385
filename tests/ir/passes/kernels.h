// Kernels as elaboration makes them: the program of one tile.
#pragma once

#include <string>

#include <doctest/doctest.h>

#include "ir/passes/tile/check_uniform.h"
#include "ir/passes/tile/form_groups.h"
#include "ir/text/parse_text.h"
#include "ir/text/print.h"
#include "ir/verify/verify.h"

namespace tsr::ir::kernels {

inline Function read(const char* text) {
    auto module = parse_text(text);
    if (!module) FAIL(module.message());
    REQUIRE(module.value().functions.size() == 1);
    return module.value().functions.front();
}

inline void check_sound(const Function& function) {
    for (const std::string& message : verify(function)) FAIL_CHECK(message << "\n" << print(function));
}

inline Function formed(const char* text) {
    Function kernel = read(text);
    check_sound(kernel);
    Diagnostics diagnostics;
    auto shape = classify(kernel, diagnostics);
    REQUIRE(shape.has_value());
    REQUIRE(check_uniform(kernel, *shape, diagnostics));
    Function group = form_groups(kernel, *shape);
    check_sound(group);
    return group;
}

// A product over a grid of tiles; the accumulator is carried.
inline constexpr const char* kGemm = R"(kernel @gemm<M, N, K>(%A: bf16[M, K], %B: bf16[K, N], %C: mut f32[M, N]) {
  %zero = constant 0 : index
  %M = dim {dim = M} : index
  %K = dim {dim = K} : index
  %c64 = constant 64 : index
  for %zero, %M, %c64 {loop = tile_range} (%m: index) {
    %none = constant 0.0 : f32
    %z = expand %none {axes = [], shape = [64, 48]} : tile f32[64, 48]
    %acc = for %zero, %K, %c64, %z {loop = tile_range} : tile f32[64, 48] (%k: index, %c: tile f32[64, 48]) {
      %a = load_tile %A, %m, %k {axes = [0, 1], shape = [64, 64]} : tile bf16[64, 64]
      %b = load_tile %B, %k, %zero {axes = [0, 1], shape = [64, 48]} : tile bf16[64, 48]
      %d = mma %a, %b, %c {type = f32} : tile f32[64, 48]
      yield %d
    }
    store_tile %C, %acc, %m, %zero {axes = [0, 1]}
  }
}
)";

inline constexpr const char* kSaxpy = R"(kernel @saxpy<n>(%x: f32[n], %y: mut f32[n], %alpha: f32) {
  %i = tile_id : index
  %n = dim {dim = n} : index
  %in = lt %i, %n : bool
  if %in {
    %a = read %x[%i] : f32
    %b = read %y[%i] : f32
    %s = fma %alpha, %a, %b : f32
    write %y[%i], %s
  }
}
)";

// A barrier in a uniform loop; a value of each tile that lives across it.
inline constexpr const char* kGroupSum =
    R"(kernel @group_sum<n, grid_groups>(%x: f32[n], %out: mut f32[grid_groups]) names_group group [128] {
  %s = buffer {type = f32, shape = [128], name = "s"} : shared f32[128]
  %i = tile_id : index
  %g = group_id : index
  %c128 = constant 128 : index
  %n = dim {dim = n} : index
  %groups = dim {dim = grid_groups} : index
  %base = mul %g, %c128 : index
  %start = add %base, %i : index
  %stride = mul %groups, %c128 : index
  %zero = constant 0.0 : f32
  %acc = for %start, %n, %stride, %zero {loop = in_order} : f32 (%k: index, %a: f32) {
    %e = read %x[%k] : f32
    %b = add %a, %e : f32
    yield %b
  }
  write %s[%i], %acc
  barrier
  %c64 = constant 64 : index
  %d = while %c64 : index (%d.1: index) {
    %c0 = constant 0 : index
    %more = gt %d.1, %c0 : bool
    yield %more
  } do (%d.2: index) {
    %in = lt %i, %d.2 : bool
    if %in {
      %p = read %s[%i] : f32
      %j = add %i, %d.2 : index
      %q = read %s[%j] : f32
      %r = add %p, %q : f32
      write %s[%i], %r
    }
    barrier
    %c2 = constant 2 : index
    %half = floordiv %d.2, %c2 : index
    yield %half
  }
  %c0.1 = constant 0 : index
  %sum = read %s[%c0.1] : f32
  %twice = add %acc, %sum : f32
  %last = lt %i, %c0.1 : bool
  if %last {
    write %out[%i], %twice
  }
  write %out[%g], %sum
}
)";

inline constexpr const char* kMandelbrot = R"(kernel @mandelbrot<H, W>(%image: mut i32[H, W]) {
  %c0 = constant 0 : index
  %c1 = constant 1 : index
  %h = dim {dim = H} : index
  %w = dim {dim = W} : index
  for %c0, %h, %c1 {loop = tile_range} (%y: index) {
    for %c0, %w, %c1 {loop = tile_range, axis = 1} (%x: index) {
      %xf = cast %x {type = f32} : f32
      %yf = cast %y {type = f32} : f32
      %scale = constant 0.01 : f32
      %cr = mul %xf, %scale : f32
      %ci = mul %yf, %scale : f32
      %z = constant 0.0 : f32
      %k0 = constant 0 : i32
      %zr, %zi, %k = while %z, %z, %k0 : f32, f32, i32 (%a: f32, %b: f32, %n: i32) {
        %a2 = mul %a, %a : f32
        %r2 = fma %b, %b, %a2 : f32
        %four = constant 4.0 : f32
        %near = le %r2, %four : bool
        %limit = constant 100 : i32
        %less = lt %n, %limit : bool
        %go = bit_and %near, %less : bool
        yield %go
      } do (%a.1: f32, %b.1: f32, %n.1: i32) {
        %bb = mul %b.1, %b.1 : f32
        %nb = neg %bb : f32
        %re = fma %a.1, %a.1, %nb : f32
        %re2 = add %re, %cr : f32
        %two = constant 2.0 : f32
        %ab = mul %two, %a.1 : f32
        %im = fma %ab, %b.1, %ci : f32
        %one = constant 1 : i32
        %n.2 = add %n.1, %one : i32
        yield %re2, %im, %n.2
      }
      write %image[%y, %x], %k
    }
  }
}
)";

}  // namespace tsr::ir::kernels
