// Types of values, on every level.
#pragma once

#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/policy.h"
#include "ir/core/dim.h"

namespace tsr::ir {

enum class TypeKind : uint8_t {
    none,        // no value: what a statement gives
    scalar,      // one element
    vector,      // `width` elements: of one tile on level Tile, of `width` lanes on level Target
    tensor,      // global memory, dense row-major in kernels; on level Host a counted reference
    buffer,      // shared memory of a group; a handle names one stage of it
    lane_array,  // one scalar (or vector, width > 0) per lane of a group, alive across barriers
    tile,        // a register tile, static shape
    pointer,     // level Target: address of elements
    string,      // level Host
    // Level Host, counted references to containers:
    list,    // parts[0]: its items
    dict,    // parts: key, value
    tuple,   // parts: its items; tuples stand in one value only as items of containers
    record,  // parts: its fields; names: of the class, then of the fields
};

// Where a pointer points (level Target).
enum class Space : uint8_t { global, shared, stack };

struct Type {
    TypeKind kind = TypeKind::none;
    DType elem = DType::f32;
    uint32_t width = 0;              // vector, lane_array of vectors
    bool mut = false;                // tensor
    Space space = Space::global;     // pointer
    Policy policy;                   // tensor: what is read from it is computed in, what is stored in it rounded by
    std::vector<Dim> shape;          // tensor, buffer, tile
    std::vector<Type> parts;         // containers
    std::vector<std::string> names;  // record

    static Type none() { return {}; }
    static Type scalar(DType elem) { return make(TypeKind::scalar, elem, 0, {}); }
    static Type vector(DType elem, uint32_t width) { return make(TypeKind::vector, elem, width, {}); }
    static Type tensor(DType elem, std::vector<Dim> shape, bool mut, const Policy& policy = {}) {
        Type type = make(TypeKind::tensor, elem, 0, std::move(shape));
        type.mut = mut;
        type.policy = policy;
        return type;
    }
    static Type buffer(DType elem, std::vector<Dim> shape) { return make(TypeKind::buffer, elem, 0, std::move(shape)); }
    static Type lane_array(DType elem, uint32_t width = 0) { return make(TypeKind::lane_array, elem, width, {}); }
    static Type tile(DType elem, std::vector<Dim> shape) { return make(TypeKind::tile, elem, 0, std::move(shape)); }
    static Type pointer(DType elem, Space space) {
        Type type = make(TypeKind::pointer, elem, 0, {});
        type.space = space;
        return type;
    }
    static Type string() { return make(TypeKind::string, DType::u8, 0, {}); }
    static Type list(const Type& items) { return container(TypeKind::list, {items}, {}); }
    static Type dict(const Type& key, const Type& value) { return container(TypeKind::dict, {key, value}, {}); }
    static Type tuple(const std::vector<Type>& parts) { return container(TypeKind::tuple, parts, {}); }
    static Type record(std::vector<std::string> names, const std::vector<Type>& fields) {
        return container(TypeKind::record, fields, std::move(names));
    }

    [[nodiscard]] bool is_scalar() const { return kind == TypeKind::scalar; }
    [[nodiscard]] bool is_vector() const { return kind == TypeKind::vector; }
    [[nodiscard]] bool is_memory() const { return kind == TypeKind::tensor || kind == TypeKind::buffer; }
    [[nodiscard]] bool is_container() const {
        return kind == TypeKind::list || kind == TypeKind::dict || kind == TypeKind::tuple || kind == TypeKind::record;
    }
    [[nodiscard]] bool is_bool() const { return is_scalar() && elem == DType::boolean; }
    [[nodiscard]] size_t rank() const { return shape.size(); }
    // The same kind and width with another element type, without the policy.
    [[nodiscard]] Type with(DType other) const {
        Type copy = *this;
        copy.elem = other;
        copy.policy = {};
        return copy;
    }
    bool operator==(const Type&) const = default;

    // `f32`, `f32x16`, `mut f32[n, m+1]`, `bf16[n] @accum(f32) @round(rz)`, `shared bf16[128, 64]`, `lanes f32`, `tile
    // f32[128, 64]`, `ptr f32 global`, `string`, `none`, `list f32`, `dict string list f32`, `tuple(i32, string)`,
    // `record Layer(w f32[n], rate f32)`; reads back.
    [[nodiscard]] std::string text() const;

private:
    // Who holds a container may write the tensors in it as far as their own type says: containers do not.
    static Type container(TypeKind kind, std::vector<Type> parts, std::vector<std::string> names) {
        Type type = make(kind, DType::u8, 0, {});
        type.parts = std::move(parts);
        for (Type& part : type.parts) part.mut = false;
        type.names = std::move(names);
        return type;
    }
    static Type make(TypeKind kind, DType elem, uint32_t width, std::vector<Dim> shape) {
        Type type;
        type.kind = kind;
        type.elem = elem;
        type.width = width;
        type.shape = std::move(shape);
        return type;
    }
};

}  // namespace tsr::ir
