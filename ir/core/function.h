// Functions, regions, operations, values: one set of data structures for every level.
// A function owns all that is in it, in pools addressed by ids; a variant of a function is a copy.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/span.h"
#include "ir/core/attribute.h"
#include "ir/core/opkind.h"
#include "ir/core/plan.h"
#include "ir/core/type.h"

namespace tsr::ir {

using ValueId = Id<struct ValueTag>;
using OpId = Id<struct OpTag>;
using RegionId = Id<struct RegionTag>;
using PlaceId = Id<struct PlaceTag>;

// Graph: functions of whole tensors.
enum class Level : uint8_t { graph, host, tile, target };

// Where a function's parameter has its value from, if it is not simply what the caller gives.
struct ParamRole {
    enum class Kind : uint8_t {
        value,      // what the caller gives
        dimension,  // that, and it is the size of a dimension: the symbol with the number
        seed,       // the seed of the program's random numbers
        stream,     // the stream of random numbers of a place in the text, by the place's number
    };
    Kind kind = Kind::value;
    int64_t number = 0;
    bool operator==(const ParamRole&) const = default;
};

// Where an operation comes from: its range, and the calls it was inlined at, innermost first.
struct Place {
    Span span;
    std::vector<Span> inlined_at;
    bool operator==(const Place&) const = default;
};

// The places of a function, by number. Functions made from one another share those that were there then: a place may be
// shared by thousands of kernels.
class Places {
public:
    Places() = default;
    Places(const Places& other) : shared_(other.all_shared()) {}
    Places& operator=(const Places& other) {
        if (this == &other) return *this;
        shared_ = other.all_shared();
        own_.clear();
        return *this;
    }
    Places(Places&&) noexcept = default;
    Places& operator=(Places&&) noexcept = default;
    ~Places() = default;

    [[nodiscard]] size_t size() const { return shared_size() + own_.size(); }
    [[nodiscard]] const Place& operator[](size_t number) const {
        return number < shared_size() ? (*shared_)[number] : own_[number - shared_size()];
    }
    void add(Place place) { own_.push_back(std::move(place)); }

private:
    using Shared = std::shared_ptr<const std::vector<Place>>;

    [[nodiscard]] size_t shared_size() const { return shared_ == nullptr ? 0 : shared_->size(); }
    // Those of this function's own become shared, too: to be copied is all that tells. Not for two threads at once.
    [[nodiscard]] const Shared& all_shared() const;

    mutable Shared shared_;
    mutable std::vector<Place> own_;
};

struct Value {
    Type type;
    OpId op;              // the operation that gives it; invalid for a region's argument
    RegionId region;      // the region whose argument it is; invalid for a result
    uint32_t number = 0;  // which result or argument
    std::string name;     // the programmer's name for it, for messages and printing; may be empty
    ParamRole role;       // of a function's parameter
};

struct Op {
    OpKind kind = OpKind::constant;
    PlaceId place;
    RegionId parent;  // invalid while it stands nowhere
    std::vector<ValueId> operands;
    std::vector<ValueId> results;
    std::vector<RegionId> regions;
    Attrs attrs;
};

// One block with arguments; its last operation is a `yield`.
struct Region {
    OpId parent;  // invalid for a function's body and a kernel's launch region
    std::vector<ValueId> args;
    std::vector<OpId> ops;
};

// A point of a tuned kernel's space (language reference, section 4, "Tuning").
struct TuningPoint {
    // An integer, or another value as the program spells it: `"xor"`, `True`.
    using Value = std::variant<int64_t, std::string>;
    std::string kernel;  // as the program names it
    std::vector<std::pair<std::string, Value>> values;

    [[nodiscard]] std::string text() const;  // "BM=64, BN=128"
    [[nodiscard]] std::optional<int64_t> integer(std::string_view name) const;
};

// What was decided about a loop or the whole kernel, and why, for the programmer.
struct Note {
    Span place;
    std::string text;
};

// What is true of a kernel as a whole. Filled by elaboration from the header, completed by `classify`.
struct KernelInfo {
    bool flat = false;                    // numbers the tiles of the launch; has no groups
    bool elements = false;                // its grid loop is of single elements: groups are not told apart
    std::vector<int64_t> group_shape;     // `tile[(128,)]`; empty: not said, 128
    std::vector<Dim> header_tiles;        // `tile[n]`, `tile[H*W]`: flat over these
    std::optional<int64_t> shared_limit;  // `shared(8_KiB)`, bytes
    // The source names the group: an id or size of it, a shared buffer, a collective. `tile.linear_id()` alone does
    // not.
    bool names_group = false;
    bool nondeterministic = false;
    std::optional<TuningPoint> point;  // of a tuned kernel
    // Not part of the IR's text:
    size_t packed = 0;        // on a CPU: the last parameters, buffers that the launch has filled before
    std::vector<Note> notes;  // in the order of the text
    // A region without arguments over the parameters' values (no memory is read): yields the number of groups per
    // axis; of tiles for a flat kernel, of elements where `elements`. Invalid: the launch must say.
    RegionId launch;

    [[nodiscard]] int64_t group_size() const;
    // What the point says of the warps of a thread block, `num_warps`.
    [[nodiscard]] std::optional<int64_t> warps() const { return point ? point->integer("num_warps") : std::nullopt; }
};

class Function {
public:
    std::string name;
    Level level = Level::tile;
    PlaceId place;
    std::vector<std::string> symbols;  // dimension names, in order of binding
    std::vector<Type> results;
    RegionId body;  // its arguments are the parameters
    bool is_kernel = false;
    KernelInfo kernel;
    std::optional<Plan> plan;
    int64_t scratch_bytes = 0;  // level Target: that the buffers of one group take, of a task's scratch or a block's
                                // shared memory

    Function();
    Function(const Function&) = default;
    Function& operator=(const Function&) = default;
    // The move of a deque may allocate. Where that fails the program ends; in return vectors of functions move them.
    Function(Function&&) noexcept = default;
    Function& operator=(Function&&) noexcept = default;
    ~Function() = default;

    [[nodiscard]] const Op& op(OpId id) const { return ops_[id.index]; }
    [[nodiscard]] Op& op(OpId id) { return ops_[id.index]; }
    [[nodiscard]] const Region& region(RegionId id) const { return regions_[id.index]; }
    [[nodiscard]] Region& region(RegionId id) { return regions_[id.index]; }
    [[nodiscard]] const Value& value(ValueId id) const { return values_[id.index]; }
    [[nodiscard]] Value& value(ValueId id) { return values_[id.index]; }
    [[nodiscard]] const Type& type(ValueId id) const { return values_[id.index].type; }
    [[nodiscard]] const Place& place_of(PlaceId id) const { return places_[id.index]; }
    [[nodiscard]] Span span() const { return place.valid() ? place_of(place).span : Span{}; }
    [[nodiscard]] Span span_of(OpId id) const;  // its range in the source; invalid if it has no place
    [[nodiscard]] const std::vector<ValueId>& params() const { return region(body).args; }
    [[nodiscard]] size_t value_count() const { return values_.size(); }
    [[nodiscard]] size_t op_count() const { return ops_.size(); }
    [[nodiscard]] size_t region_count() const { return regions_.size(); }

    PlaceId add_place(Place place);
    // Takes over another function's places: its ids then mean the same here. Only while this one has none.
    void share_places(const Function& other) { places_ = other.places_; }
    // The next region of the operation, whose list of regions it joins; without one a region that stands alone.
    RegionId add_region(OpId parent);
    ValueId add_arg(RegionId region, Type type, std::string name = {});
    // Makes an operation that stands nowhere yet; its results get the given types.
    OpId add_op(OpKind kind, PlaceId place, std::vector<ValueId> operands, const std::vector<Type>& results,
                Attrs attrs = {});
    ValueId add_result(OpId op, Type type);
    void append(RegionId region, OpId op);
    void insert(RegionId region, size_t at, OpId op);
    // Takes the operation out of its region; its place in the pool stays, unused.
    void remove(OpId op);
    // In all operands of operations that stand somewhere, `from` becomes `to`. Linear in the function.
    void replace_uses(ValueId from, ValueId to);
    // Many at once: where `to[v.index]` is valid it replaces v. Chains are followed.
    void replace_uses(const std::vector<ValueId>& to);

private:
    std::deque<Op> ops_;
    std::deque<Region> regions_;
    std::deque<Value> values_;
    Places places_;
};

// The functions of a program.
struct Module {
    std::deque<Function> functions;

    [[nodiscard]] Function* find(const std::string& name);
    [[nodiscard]] const Function* find(const std::string& name) const;
};

}  // namespace tsr::ir
