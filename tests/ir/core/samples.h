// Programs on every level, as the printer writes them.
#pragma once

namespace tsr::ir::samples {

inline constexpr const char* kSaxpy = R"(kernel @saxpy<n>(%x: f32[n], %y: mut f32[n], %alpha: f32) flat scratch 64 {
  %i = tile_id : index
  %n = dim {dim = n} : index
  %in = lt %i, %n : bool
  if %in {
    %a = read %x[%i] : f32
    %b = read %y[%i] : f32
    %s = fma %alpha, %a, %b : f32
    write %y[%i], %s
  }
} launch {
  %n.1 = dim {dim = n} : index
  yield %n.1
} plan {machine = "x86-64-v4", lanes = 16, interleave = 4, task = 16384, narrow_index = true, depth = 256, pack = true, split = 1024, most_groups = 4, panels = ["f32[32, 64] 11 x 2", "i32[8, 8] 8 x 1"], reasons = ["a \"reason\"", "line\nbreak"]}
)";

// A barrier in a uniform while, and a value that lives across it.
inline constexpr const char* kGroupSum =
    R"(kernel @group_sum<n, grid_groups>(%x: f32[n], %out: mut f32[grid_groups]) -> f32 elements names_group group [128] shared 8192 {
  %s = buffer {type = f32, alignment = 16, name = "s", shape = [128]} : shared f32[128]
  %c0 = constant 0 : index
  %c128 = constant 128 : index
  %c1 = constant 1 : index
  %n = dim {dim = n} : index
  %g = group_id : index
  %own = lanes %c0, %c128, %c1 {over = tiles} : lanes f32 (%i: index) {
    %c0.0 = constant 0.0 : f32
    %r = for %i, %n, %c128, %c0.0 {loop = in_order} : f32 (%k: index, %a: f32) {
      %e = read %x[%k] : f32
      %b = add %a, %e : f32
      yield %b
    }
    write %s[%i], %r
    yield %r
  }
  barrier
  %d = while %c128 : index (%d.1: index) {
    %0 = gt %d.1, %c0 : bool
    yield %0
  } do (%d.2: index) {
    lanes %c0, %c128, %c1 {over = tiles} (%i.1: index) {
      %in = lt %i.1, %d.2 : bool
      if %in {
        %p = read %s[%i.1] : f32
        %1 = add %i.1, %d.2 : index
        %q = read %s[%1] : f32
        %2 = add %p, %q : f32
        write %s[%i.1], %2
      } else {
        %v = lane_read %own : f32
        print %v {text = "{:.3}"}
      }
    }
    barrier
    %c2 = constant 2 : index
    %3 = floordiv %d.2, %c2 : index
    yield %3
  }
  %total = group_reduce %own {op = add} : f32
  %sum = read %s[%c0] : f32
  %old = atomic %out[%g], %sum {op = add} : f32
  %seen = atomic %out[%g], %sum, %old {op = compare_exchange} : f32
  copy_async %s, %x[%g]
  wait_group {count = 0}
  result %total
}
)";

inline constexpr const char* kHost = R"(host @main<n, `B*H`>(%x: f32[n], %y: f32[n], %alpha: f32) -> f32[n] {
  launch %x, %y, %alpha {callee = "saxpy", count = 0}
  %0 = shape_of %x {axis = 0} : index
  %1 = string {value = "tab\tquote\"\\ \x01 ü"} : string
  %2 = host %0 {type = f32, callee = "zeros", codes = [1, -2], names = ["a", ""]} : f32[n]
  %3 = dim {dim = `B*H`*((n + 127)//128) + 2*n - n/2 - 1} : index
  %true = constant true : bool
  assert %true, %3 {text = "why {}"}
  yield %2
}

kernel @saxpy<n>(%x: f32[n], %y: mut f32[n], %alpha: f32) flat tiles [n] nondeterministic {
}
)";

inline constexpr const char* kTarget = R"(func @"saxpy v4"() target {
  %x = slot {type = f32, count = 0, pointer} : ptr f32 global
  %n = slot {type = i64, count = 1} : i64
  %lo = task_begin : index
  %hi = task_end : index
  %c16 = constant 16 : index
  %c1.5 = constant 1.5 : f32
  %av = splat %c1.5 {width = 16} : f32x16
  for %lo, %hi, %c16 {unroll = 4} (%i: index) {
    %p = pointer_add %x, %i : ptr f32 global
    %lanes = iota {type = index, width = 16} : indexx16
    %h = splat %hi {width = 16} : indexx16
    %m = lt %lanes, %h : boolx16
    %a = load %p, %m {width = 16, alignment = 64, masked} : f32x16
    %s = fma %av, %a, %a : f32x16
    store %p, %s, %m {masked}
    for_active %m (%lane: i32) {
      %e = extract %s, %lane : f32
      print %e {text = "{}"}
    }
  }
}
)";

inline constexpr const char* kConstants = R"(func @constants() tile {
  %c0.1 = constant 0.1 : f32
  %c0.1.1 = constant 0.1 : f64
  %c-0.0 = constant -0.0 : f16
  %cinf = constant inf : bf16
  %c-inf = constant -inf : f64
  %cnan = constant nan : f32
  %c1e+20 = constant 1e+20 : f64
  %c18446744073709551615 = constant 18446744073709551615 : u64
  %c-9223372036854775808 = constant -9223372036854775808 : i64
  %c-8 = constant -8 : i4
  %false = constant false : bool
  %c448.0 = constant 448.0 : fp8_e4m3
  %named = constant 64 : i32
  %c64 = constant 64 : i32
  %c64.1 = constant 64 : i32
  %0 = add %c64, %c64.1 : i32
  %1 = cast %0 {type = index} : index
}
)";

inline constexpr const char* kAll[] = {kSaxpy, kGroupSum, kHost, kTarget, kConstants};

}  // namespace tsr::ir::samples
