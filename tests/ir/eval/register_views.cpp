// Views of memory as register tiles: clipped, of every type, along any axes.
#include "any_tensor.h"

namespace tsr::ir::eval {
namespace {

// The element of a memory that belongs to a position of a view; nothing outside.
std::optional<int64_t> element_under(const Shape& memory, const Shape& starts, const Shape& axes,
                                     const Shape& position) {
    Shape at = starts;
    for (size_t k = 0; k < axes.size(); ++k) {
        int64_t& along = at[static_cast<size_t>(axes[k])];
        if (__builtin_add_overflow(along, position[k], &along)) return std::nullopt;
    }
    for (size_t k = 0; k < memory.size(); ++k) {
        if (at[k] < 0 || at[k] >= memory[k]) return std::nullopt;
    }
    return element_of(memory, at);
}

struct View {
    DType type = DType::f32;
    Shape memory, tile, axes;
    std::string fill;  // a constant of the type, or nothing
};

// Kernels that take the starts as arguments.
std::string view_kernel(const View& view, bool loads) {
    std::string params =
        fmt::format("(%x: mut {}, %t: mut {}", type_text(view.type, view.memory), type_text(view.type, view.tile));
    std::string starts;
    for (size_t k = 0; k < view.memory.size(); ++k) {
        params += fmt::format(", %s{}: index", k);
        starts += fmt::format(", %s{}", k);
    }
    std::string body;
    if (!view.fill.empty()) {
        body += fmt::format("  %fill = constant {} : {}\n", view.fill, tsr::name(view.type));
        starts += loads ? ", %fill" : "";
    }
    if (loads) {
        body += fmt::format("  %v = load_tile %x{} {{axes = {}, shape = {}}} : tile {}\n", starts, text(view.axes),
                            text(view.tile), type_text(view.type, view.tile));
        body += store_all("%t", "%v", view.tile);
    } else {
        body += load_all("%v", "%t", view.type, view.tile);
        body += fmt::format("  store_tile %x, %v{} {{axes = {}}}\n", starts, text(view.axes));
    }
    return one_group(params + ")", body);
}

// Elements that share bytes are stored along rows from a byte's beginning on.
bool begins_inside_byte(const View& view, const Shape& starts) {
    const bool along_rows = view.axes.back() + 1 == static_cast<int64_t>(view.memory.size());
    return is_packed(view.type) && along_rows && starts.back() % pack_size(view.type) != 0;
}

// Runs a load and a store at each of the starts and holds them against loops over elements.
void check_view(const View& view, const std::vector<Shape>& all_starts, Bits fill = 0) {
    for (bool loads : {true, false}) {
        const Module module = module_of(view_kernel(view, loads));
        for (const Shape& starts : all_starts) {
            CAPTURE(text(starts));
            AnyTensor memory(view.type, view.memory);
            AnyTensor tile(view.type, view.tile);
            memory.randomize(1);
            tile.randomize(2);
            AnyTensor expected_memory = memory;
            AnyTensor expected_tile = tile;
            for (int64_t i = 0; i < tile.elements(); ++i) {
                const auto from = element_under(view.memory, starts, view.axes, position_of(view.tile, i));
                if (loads) expected_tile.set(i, from ? memory.get(*from) : fill);
                if (!loads && from) expected_memory.set(*from, tile.get(i));
            }
            std::vector<KernelArgument> arguments{memory.argument(), tile.argument()};
            for (int64_t start : starts) arguments.push_back(scalar(start));
            const auto outcome = run_kernel(module.functions.front(), arguments, groups(1), watched());
            if (!loads && begins_inside_byte(view, starts)) {
                REQUIRE(why(outcome).find("which has no byte of its own") != std::string::npos);
                continue;
            }
            REQUIRE_MESSAGE(outcome.clean(), why(outcome));
            REQUIRE(tile == expected_tile);
            REQUIRE(memory == expected_memory);
        }
    }
}

TEST_CASE("a view of every type, clipped at each edge and beyond") {
    std::vector<Shape> starts;
    for (int64_t i : {-4, -3, -1, 0, 1, 3, 5}) {
        for (int64_t j : {-5, -3, -1, 0, 2, 4, 6, 7}) starts.push_back({i, j});
    }
    starts.push_back({INT64_MIN, 0});
    starts.push_back({0, INT64_MAX});
    starts.push_back({INT64_MAX, INT64_MIN});
    for (DType type : kEveryType) {
        CAPTURE(tsr::name(type));
        check_view({type, {5, 7}, {3, 4}, {0, 1}, ""}, starts);
    }
}

TEST_CASE("what lies outside is the fill") {
    const std::vector<Shape> starts{{-1, -2}, {4, 5}, {0, 0}, {9, 0}};
    check_view({DType::f32, {5, 7}, {3, 4}, {0, 1}, "2.5"}, starts, 0x40200000);
    check_view({DType::i4, {5, 7}, {3, 4}, {0, 1}, "-3"}, starts, static_cast<Bits>(-3));
    check_view({DType::fp6_e2m3, {5, 7}, {3, 4}, {0, 1}, "1.0"}, starts, cast_scalar(DType::i32, DType::fp6_e2m3, 1));
    check_view({DType::u64, {5, 7}, {3, 4}, {0, 1}, "7"}, starts, 7);
}

TEST_CASE("tiles along any axes of a memory, single positions along the others") {
    const Shape memory{2, 3, 4, 5};
    for (unsigned chosen = 1; chosen < 16; ++chosen) {
        Shape axes;
        Shape tile;
        for (int64_t k = 0; k < 4; ++k) {
            if ((chosen >> k & 1U) == 0) continue;
            axes.push_back(k);
            tile.push_back(k + 1);
        }
        std::vector<Shape> starts{{0, 0, 0, 0}, {1, 2, 1, 2},  {-1, 0, 0, 0},
                                  {0, 3, 0, 0}, {1, 1, -2, 3}, {1, -1, 3, -3}};
        for (DType type : {DType::i8, DType::bf16, DType::f32, DType::i64, DType::fp4_e2m1, DType::fp6_e3m2}) {
            CAPTURE(text(axes));
            CAPTURE(tsr::name(type));
            check_view({type, memory, tile, axes, ""}, starts);
        }
    }
}

TEST_CASE("starts of every integer type; one that no signed number holds is outside") {
    for (const auto& [type, start, inside] :
         {std::tuple{"i8", uint64_t{0xFF}, true}, std::tuple{"u8", uint64_t{2}, true},
          std::tuple{"i32", uint64_t{0xFFFFFFFF}, true}, std::tuple{"u32", uint64_t{0xFFFFFFFF}, false},
          std::tuple{"u64", ~uint64_t{0}, false}, std::tuple{"u64", uint64_t{1}, true}}) {
        CAPTURE(type);
        AnyTensor x(DType::i32, {4});
        AnyTensor t(DType::i32, {3});
        x.randomize(3);
        const auto outcome = run(
            one_group(fmt::format("(%x: i32[4], %t: mut i32[3], %s: {})", type),
                      "  %v = load_tile %x, %s {axes = [0], shape = [3]} : tile i32[3]\n" + store_all("%t", "%v", {3})),
            {x.argument(), t.argument(), ScalarValue{*dtype_named(type), start}}, groups(1));
        REQUIRE_MESSAGE(outcome.clean(), why(outcome));
        const auto first = static_cast<int64_t>(canonical(*dtype_named(type), start));
        for (int64_t i = 0; i < 3; ++i) {
            const bool in = inside && first + i >= 0 && first + i < 4;
            CHECK(t.get(i) == (in ? x.get(first + i) : 0));
        }
    }
}

TEST_CASE("a load after a store sees it, one before does not; buffers and their stages too") {
    AnyTensor x(DType::i32, {4, 4});
    AnyTensor y(DType::i32, {3, 4, 4});
    x.randomize(4);
    const AnyTensor before = x;
    const auto outcome = run(one_group("(%x: mut i32[4, 4], %y: mut i32[3, 4, 4])", R"(
  %c1 = constant 1 : index
  %c2 = constant 2 : index
  %s = buffer {type = i32, shape = [4, 4], count = 2, name = "s"} : shared i32[4, 4]
  %a = load_tile %x, %z, %z {axes = [0, 1], shape = [4, 4]} : tile i32[4, 4]
  %t = transpose %a : tile i32[4, 4]
  store_tile %x, %t, %c1, %z {axes = [0, 1]}
  %b = load_tile %x, %z, %z {axes = [0, 1], shape = [4, 4]} : tile i32[4, 4]
  %s1 = stage %s, %c1 : shared i32[4, 4]
  store_tile %s1, %b, %z, %z {axes = [0, 1]}
  store_tile %s, %a, %z, %z {axes = [0, 1]}
  %c = load_tile %s1, %z, %z {axes = [0, 1], shape = [4, 4]} : tile i32[4, 4]
  store_tile %y, %a, %z, %z, %z {axes = [1, 2]}
  store_tile %y, %b, %c1, %z, %z {axes = [1, 2]}
  store_tile %y, %c, %c2, %z, %z {axes = [1, 2]}
)"),
                             {x.argument(), y.argument()}, groups(1), watched());
    REQUIRE_MESSAGE(outcome.clean(), why(outcome));
    for (int64_t i = 0; i < 4; ++i) {
        for (int64_t j = 0; j < 4; ++j) {
            const Bits stored = i == 0 ? before.get(j) : before.get(j * 4 + i - 1);
            CHECK(x.get(i * 4 + j) == stored);
            CHECK(y.get(i * 4 + j) == before.get(i * 4 + j));
            CHECK(y.get(16 + i * 4 + j) == stored);
            CHECK(y.get(32 + i * 4 + j) == stored);
        }
    }
}

TEST_CASE("atomics on views combine with what is there, from all groups") {
    using enum OpKind;
    const std::pair<const char*, OpKind> kOps[] = {{"add", add},         {"min", minimum},   {"max", maximum},
                                                   {"bit_and", bit_and}, {"bit_or", bit_or}, {"bit_xor", bit_xor}};
    size_t checked = 0;
    for (DType type : {DType::i8, DType::i32, DType::u64, DType::f32, DType::f64, DType::bf16, DType::boolean}) {
        for (const auto& [op, kind] : kOps) {
            const ScalarFn law = scalar_function(kind, type);
            if (law == nullptr) continue;
            ++checked;
            CAPTURE(std::string(op));
            CAPTURE(tsr::name(type));
            AnyTensor x(type, {5, 6});
            AnyTensor t(type, {3, 4});
            x.randomize(5, 9);
            t.randomize(6, 9);
            AnyTensor expected = x;
            for (int64_t group = 0; group < 3; ++group) {
                for (int64_t i = 0; i < 12; ++i) {
                    // Columns run along the memory's rows in the second kernel.
                    const auto at = element_under({5, 6}, {group - 1, 4}, {0, 1}, position_of({3, 4}, i));
                    if (!at) continue;
                    const Bits given[] = {expected.get(*at), t.get(i)};
                    expected.set(*at, law(given, type, type));
                }
            }
            const auto outcome =
                run(one_group(fmt::format("(%x: mut {}, %t: {})", type_text(type, {5, 6}), type_text(type, {3, 4})),
                              "  %g = group_id : index\n  %c1 = constant 1 : index\n  %i = sub %g, %c1 : index\n"
                              "  %c4 = constant 4 : index\n" +
                                  load_all("%v", "%t", type, {3, 4}) +
                                  fmt::format("  atomic_tile %x, %v, %i, %c4 {{axes = [0, 1], op = {}}}\n", op)),
                    {x.argument(), t.argument()}, groups(3), watched());
            REQUIRE_MESSAGE(outcome.clean(), why(outcome));
            CHECK(x == expected);
        }
    }
    CHECK(checked == 30);
}

TEST_CASE("an atomic along another axis than the last, and an exchange") {
    AnyTensor x(DType::i32, {4, 3});
    AnyTensor t(DType::i32, {5});
    x.randomize(7, 100);
    t.randomize(8, 100);
    const AnyTensor before = x;
    const auto outcome = run(one_group("(%x: mut i32[4, 3], %t: i32[5])", R"(
  %c1 = constant 1 : index
  %c2 = constant 2 : index
  %c-1 = constant -1 : index
)" + load_all("%v", "%t", DType::i32, {5}) + R"(
  atomic_tile %x, %v, %c-1, %c1 {axes = [0], op = add}
  atomic_tile %x, %v, %c2, %c2 {axes = [0], op = exchange}
)"),
                             {x.argument(), t.argument()}, groups(1), watched());
    REQUIRE_MESSAGE(outcome.clean(), why(outcome));
    for (int64_t i = 0; i < 4; ++i) {
        CHECK(x.get(i * 3) == before.get(i * 3));
        CHECK(x.get(i * 3 + 1) == before.get(i * 3 + 1) + t.get(i + 1));
        CHECK(x.get(i * 3 + 2) == (i >= 2 ? t.get(i - 2) : before.get(i * 3 + 2)));
    }
}

}  // namespace
}  // namespace tsr::ir::eval
