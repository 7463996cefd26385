// What an expression or variable holds while a function is elaborated.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/dtype.h"
#include "base/policy.h"
#include "frontend/ast.h"
#include "ir/core/function.h"
#include "sema/types/static.h"

namespace tsr::elaborate {

struct Val {
    enum class Kind : uint8_t {
        undefined,  // declared or assigned on other paths only: no read reaches it
        none,       // no runtime value: `None`, functions, types, name spaces
        fixed,      // static: no operation yet
        ssa,        // a value of the IR: scalar, vector, tile, tensor, string, list
        tuple,      // parts
        list,       // parts; lists of kernels and list expressions of the host before they are stored
        buffer,     // a stage of a shared buffer: `site` says which allocation, parts[0] the stage number
        view,       // parts[0]: memory; then one start per axis of it
        local,      // an array of each tile: `site` says which slot holds its elements (elaborate/local_arrays.h)
    };
    Kind kind = Kind::undefined;
    sema::Static fixed;
    // fixed: the type a context gave it. ssa scalar, vector or tile: its type in the language, narrower than the IR
    // value's while an expression of narrow floats is not rounded yet.
    std::optional<DType> type;
    std::optional<Rounding> round;         // how it will be rounded to its type, where that says it
    const ast::Expr* rounds_at = nullptr;  // in a graph function: the place that draws, where it is rounded by chance
    ir::ValueId id;
    std::vector<Val> parts;
    uint32_t site = 0;

    static Val none() { return {.kind = Kind::none}; }
    static Val of(sema::Static value, std::optional<DType> type = {}) {
        return {.kind = Kind::fixed, .fixed = std::move(value), .type = type};
    }
    static Val truth(bool value) { return of(sema::Static::of(value), DType::boolean); }
    static Val index(int64_t value) { return of(sema::Static::of(value), DType::index); }
    static Val ssa(ir::ValueId id, std::optional<DType> type = {}) {
        return {.kind = Kind::ssa, .type = type, .id = id};
    }
    static Val tuple(std::vector<Val> parts) { return {.kind = Kind::tuple, .parts = std::move(parts)}; }
    static Val list(std::vector<Val> parts) { return {.kind = Kind::list, .parts = std::move(parts)}; }
    static Val buffer(uint32_t site, Val stage) {
        return {.kind = Kind::buffer, .parts = {std::move(stage)}, .site = site};
    }

    // One of several: what it is read or written by is refused.
    static constexpr uint32_t kUnknownArray = UINT32_MAX;
    static Val local(uint32_t site) { return {.kind = Kind::local, .site = site}; }

    [[nodiscard]] bool is(Kind k) const { return kind == k; }
    [[nodiscard]] bool is_fixed() const { return kind == Kind::fixed; }
    [[nodiscard]] bool is_ssa() const { return kind == Kind::ssa; }
    [[nodiscard]] bool is_fixed_bool(bool value) const { return is_fixed() && fixed.boolean() == value; }
    // A tuple or list whose elements can be named: parts, or a static one.
    [[nodiscard]] bool has_elements() const {
        return kind == Kind::tuple || kind == Kind::list || (is_fixed() && fixed.tuple() != nullptr);
    }
    [[nodiscard]] size_t element_count() const { return is_fixed() ? fixed.tuple()->size() : parts.size(); }
    [[nodiscard]] Val element(size_t i) const { return is_fixed() ? of((*fixed.tuple())[i]) : parts[i]; }
    // Of a tuple in tuples the element that the number names (`nested_element`); -1: the value itself.
    [[nodiscard]] Val nested(int number) const;

    void round_by(std::optional<Rounding> how, const ast::Expr* at) {
        round = how;
        rounds_at = how == Rounding::stochastic ? at : nullptr;
    }

    bool operator==(const Val&) const = default;
};

// A variable of one frame of inlined calls, or a flag or dimension symbol.
struct Slot {
    uint32_t frame = 0;
    uint32_t variable = 0;
    auto operator<=>(const Slot&) const = default;
};

// What all slots hold at one point of the program.
using Env = std::map<Slot, Val>;

}  // namespace tsr::elaborate
