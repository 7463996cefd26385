// Which statements are the group's, how loops are spread, where regions split.
#include "ir/passes/tile/walk.h"
#include "kernels.h"

using namespace tsr;
using namespace tsr::ir;

namespace {

size_t count(const Function& function, OpKind kind) {
    size_t found = 0;
    walk(function, function.body, [&](OpId op) { found += function.op(op).kind == kind ? 1 : 0; });
    return found;
}

}  // namespace

TEST_CASE("a guard makes a flat kernel with its domain") {
    Function kernel = kernels::formed(kernels::kSaxpy);
    CHECK(kernel.kernel.flat);
    REQUIRE(kernel.kernel.launch.valid());
    CHECK(count(kernel, OpKind::lanes) == 1);
    CHECK(count(kernel, OpKind::tile_id) == 0);
}

TEST_CASE("regions split at barriers and group reads; a value alive across them is a lane array") {
    Function kernel = kernels::formed(kernels::kGroupSum);
    CHECK_FALSE(kernel.kernel.flat);
    CHECK(count(kernel, OpKind::barrier) == 2);
    CHECK(count(kernel, OpKind::lanes) == 3);
    CHECK(count(kernel, OpKind::lane_read) == 1);
}

TEST_CASE("a grid loop of single elements is spread over groups and tiles at once") {
    Function kernel = kernels::formed(kernels::kMandelbrot);
    CHECK(kernel.kernel.elements);
    CHECK(count(kernel, OpKind::lanes) == 1);
}

TEST_CASE("operations on register tiles are the group's; a loop that carries a tile is in order") {
    Function kernel = kernels::formed(kernels::kGemm);
    CHECK_FALSE(kernel.kernel.flat);
    CHECK_FALSE(kernel.kernel.elements);
    CHECK(count(kernel, OpKind::grid) == 1);
    CHECK(count(kernel, OpKind::for_) == 1);
    CHECK(count(kernel, OpKind::mma) == 1);
    CHECK(count(kernel, OpKind::lanes) == 0);
}

TEST_CASE("a register tile is not made of values that differ between tiles") {
    Function kernel = kernels::read(R"(kernel @f(%y: mut i32[4]) names_group {
  %i = tile_id {local} : index
  %v = cast %i {type = i32} : i32
  %t = expand %v {axes = [], shape = [4]} : tile i32[4]
  %zero = constant 0 : index
  store_tile %y, %t, %zero {axes = [0]}
}
)");
    Diagnostics diagnostics;
    auto shape = classify(kernel, diagnostics);
    REQUIRE(shape.has_value());
    CHECK_FALSE(check_uniform(kernel, *shape, diagnostics));
    REQUIRE(diagnostics.all().size() == 1);
    CHECK(diagnostics.all().front().code == "E0465");
}
