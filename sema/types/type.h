// Types as the checker sees them. Values: cheap to copy, compared by what they say.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/ids.h"
#include "base/policy.h"
#include "ir/core/dim.h"
#include "sema/types/scaling.h"

namespace tsr::sema {

using ModuleId = Id<struct ModuleTag>;      // a file of the program
using FunctionId = Id<struct FunctionTag>;  // a `def` of the program (sema/tables.h)
enum class Builtin : uint16_t;              // a name of the root namespace (sema/builtins.h)

enum class Kind : uint8_t {
    unknown,        // an error was given or nothing is known: absorbs everything, silences what follows
    none,           // `None`, and what a call without result gives
    int_literal,    // a static integer: takes any numeric type that holds it
    float_literal,  // a static float: takes any float type
    scalar,         // one element, also bool and index
    string,
    tensor,  // a reference to global memory
    view,    // X[t:t+128] of a tensor or buffer, in kernels
    buffer,  // shared memory of a group
    list,    // elements of one type: buffers, scalars, tensors
    tuple,
    dict,        // host
    record,      // an object of a class, or a dictionary whose keys are in its type; by reference: host
    vector,      // `width` elements held by one tile
    tile,        // a register tile of the group
    local,       // an array of each tile's own, by reference
    range,       // what `range(…)` and `tile.range(…)` give: only a `for` takes it
    function,    // a `def` of the program
    builtin,     // a function or value of the root namespace
    launcher,    // kernel[groups]
    name_space,  // `tile`, `math`
    module,      // an imported one
    dtype,       // `f32` as a value
    type,        // `f32[n]` as a value
    context,     // tile.context()
};

// How a tensor parameter may be used besides `mut`.
enum class Privilege : uint8_t { none, read, write, reduce_sum, reduce_max, reduce_min, reduce_prod };

class Type;

// One axis of a view: a single position, or `extent` elements from a start.
struct ViewAxis {
    std::optional<int64_t> extent;  // nothing: a single position, the axis is gone from the view's shape
    bool whole = false;             // `:`, the whole axis; `extent` is set if it is static
    bool operator==(const ViewAxis&) const = default;
};

struct TensorDetail {
    std::vector<ir::Dim> shape;
    Policy policy;
    Scaling scaling;
    bool mut = false;  // may be written by whoever holds this reference
    Privilege privilege = Privilege::none;
    bool transposed = false;  // `.T` of a tensor: not dense row-major
    bool operator==(const TensorDetail&) const = default;
};

struct BufferDetail {
    std::vector<int64_t> shape;
    std::string layout = "row";    // "row", "col", "blocked(…)", "interleaved(…)"
    std::string swizzle = "none";  // "xor", "none"
    int64_t alignment = 0;         // bytes; 0: not said
    bool transposed = false;       // `.T`, an operand of tile.mma only
    bool operator==(const BufferDetail&) const = default;
};

struct CompoundDetail;

class Type {
public:
    Type() = default;  // unknown

    static Type unknown() { return {}; }
    static Type none() { return of_kind(Kind::none); }
    static Type int_literal() { return of_kind(Kind::int_literal); }
    static Type float_literal() { return of_kind(Kind::float_literal); }
    static Type scalar(DType elem);
    // A scalar or vector read from a tensor remembers its policy.
    [[nodiscard]] Type carrying(const Policy& policy) const;
    static Type boolean() { return scalar(DType::boolean); }
    static Type index() { return scalar(DType::index); }
    static Type string() { return of_kind(Kind::string); }
    static Type tensor(DType elem, TensorDetail detail);
    static Type buffer(DType elem, BufferDetail detail);
    // `of` is a tensor or a buffer; one axis per axis of it.
    static Type view(const Type& of, std::vector<ViewAxis> axes);
    static Type list(const Type& element, std::optional<int64_t> length);
    static Type tuple(std::vector<Type> elements);
    static Type dict(const Type& key, const Type& value);
    // `names`: of the class, then of the fields. A record that is not `mut` keeps its fields.
    static Type record(FunctionId constructor, std::vector<std::string> names, std::vector<Type> fields, bool mut);
    // A dictionary with these keys: a record without a class. `like`: with the keys of that one, or of its class.
    static Type keyed_dict(std::vector<std::string> keys, std::vector<Type> values, bool mut);
    static Type record_like(const Type& like, std::vector<Type> fields, bool mut);
    static Type vector(DType elem, int64_t width);
    static Type tile(DType elem, std::vector<int64_t> shape);
    static Type local(DType elem, std::vector<int64_t> shape);
    static Type range() { return of_kind(Kind::range); }
    // `held`: the types of values that it has beside what it is called with.
    static Type function(FunctionId id, std::vector<Type> held = {});
    static Type builtin(Builtin name);
    // The result of kernel[groups]; `axes` numbers of groups were given.
    static Type launcher(FunctionId kernel, int axes);
    static Type name_space(std::string path);  // "tile"; "" is the root
    static Type module(ModuleId id, std::string name);
    static Type dtype_value(DType value);
    static Type type_value(const Type& value);
    static Type context() { return of_kind(Kind::context); }

    [[nodiscard]] Kind kind() const { return kind_; }
    [[nodiscard]] bool is(Kind kind) const { return kind_ == kind; }
    [[nodiscard]] bool is_unknown() const { return kind_ == Kind::unknown; }
    [[nodiscard]] bool is_literal() const { return kind_ == Kind::int_literal || kind_ == Kind::float_literal; }
    // A record that is a dictionary: its fields are what its keys stand for.
    [[nodiscard]] bool is_keyed_dict() const { return is(Kind::record) && !function_id().valid(); }
    [[nodiscard]] bool is_scalar() const { return kind_ == Kind::scalar; }
    [[nodiscard]] bool is_bool() const { return is_scalar() && elem_ == DType::boolean; }
    [[nodiscard]] bool is_number() const { return is_literal() || (is_scalar() && elem_ != DType::boolean); }
    [[nodiscard]] bool is_integer() const { return is(Kind::int_literal) || (is_scalar() && tsr::is_integer(elem_)); }
    [[nodiscard]] bool is_float() const { return is(Kind::float_literal) || (is_scalar() && tsr::is_float(elem_)); }
    [[nodiscard]] bool is_memory() const { return is(Kind::tensor) || is(Kind::buffer); }

    // Element type of a scalar, tensor, buffer, view, vector, tile or array of each tile; the value of a dtype.
    [[nodiscard]] DType elem() const { return elem_; }
    [[nodiscard]] const Policy& policy() const;  // of a scalar, vector, tensor, or view of a tensor; empty elsewhere
    [[nodiscard]] const TensorDetail& tensor() const { return *tensor_; }  // of a tensor
    [[nodiscard]] const BufferDetail& buffer() const { return *buffer_; }  // of a buffer
    // List: the element. Tuple: the elements. Dict: key, value. Record: the fields. View: the tensor or buffer. Type
    // value: the type. Function: what it holds.
    [[nodiscard]] const std::vector<Type>& parts() const;
    [[nodiscard]] const std::vector<ViewAxis>& axes() const;       // of a view
    [[nodiscard]] const std::vector<int64_t>& tile_shape() const;  // of a register tile or an array of each tile
    [[nodiscard]] std::optional<int64_t> length() const;           // of a list; the width of a vector
    [[nodiscard]] ModuleId module_id() const;
    [[nodiscard]] FunctionId function_id() const;                 // of a function or launcher; a record's constructor
    [[nodiscard]] const std::vector<std::string>& names() const;  // of a record: of its class, then of its fields
    [[nodiscard]] bool writable() const;                          // a tensor or record that is `mut`
    [[nodiscard]] Builtin builtin_name() const;                   // of a builtin
    [[nodiscard]] const std::string& path() const;                // of a name space; a module's name
    [[nodiscard]] size_t size() const;                            // the types that it consists of, all in all
    [[nodiscard]] size_t rank() const;                            // of a tensor, buffer, tile, or a view's result
    // Extents of a tensor, buffer, tile or view (a view's single positions left out; a whole axis by its dimension).
    [[nodiscard]] std::vector<ir::Dim> shape() const;

    [[nodiscard]] Type with_elem(DType elem) const;                   // the same kind and shape
    [[nodiscard]] Type with_mut(bool mut) const;                      // of all tensors and records in it
    [[nodiscard]] Type with_shape(std::vector<ir::Dim> shape) const;  // of a tensor
    [[nodiscard]] Type with_policy(const Policy& policy, const Scaling& scaling) const;  // of a tensor
    [[nodiscard]] Type with_last_axes_swapped() const;  // `.T` of a tensor, buffer or tile

    // As in source: `f32`, `mut bf16[M, K] @accum(f32)`, `shared f16[128, 64]`, `a view f32[128]`.
    [[nodiscard]] std::string text() const;
    bool operator==(const Type& other) const;

private:
    static Type of_kind(Kind kind);

    Kind kind_ = Kind::unknown;
    DType elem_ = DType::f32;
    std::shared_ptr<const TensorDetail> tensor_;
    std::shared_ptr<const BufferDetail> buffer_;
    std::shared_ptr<const Policy> policy_;  // of scalars and vectors; null: empty
    std::shared_ptr<const CompoundDetail> compound_;
};

}  // namespace tsr::sema
