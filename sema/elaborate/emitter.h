// Appends operations to a function: knows where, and from which place of the source. Types of results come from the
// records' `infer`; an operation that its record refuses is an internal error.
#pragma once

#include <string>
#include <vector>

#include "ir/core/function.h"
#include "ir/ops/record.h"

namespace tsr::elaborate {

class Emitter {
public:
    explicit Emitter(ir::Function& function) : function_(function), region_(function.body) {}

    [[nodiscard]] ir::Function& function() { return function_; }
    [[nodiscard]] ir::RegionId region() const { return region_; }
    void enter(ir::RegionId region) { region_ = region; }
    // The source range that operations get from now on; gives back the one before.
    Span at(Span span);
    [[nodiscard]] Span span() const { return place_.span; }
    void push_call(Span call);  // what follows is inlined there
    void pop_call();
    // The calls around, the innermost first.
    [[nodiscard]] const std::vector<Span>& calls() const { return place_.inlined_at; }

    // An `if` gets its results when its regions are filled.
    ir::OpId op(ir::OpKind kind, std::vector<ir::ValueId> operands, ir::Attrs attrs = {});
    ir::ValueId inferred(ir::OpKind kind, std::vector<ir::ValueId> operands, ir::Attrs attrs = {});  // its only result
    // What is called says the types: `call`, `launch`, `host`.
    ir::OpId op_giving(ir::OpKind kind, std::vector<ir::ValueId> operands, const std::vector<ir::Type>& results,
                       ir::Attrs attrs = {});
    ir::ValueId given(ir::OpKind kind, std::vector<ir::ValueId> operands, const ir::Type& type, ir::Attrs attrs = {});
    ir::ValueId constant(int64_t value, DType type);
    ir::ValueId constant(double value, DType type);  // rounded to the type by the rules of cast
    ir::ValueId cast(ir::ValueId value, DType to);   // itself when it has the type
    void yield(std::vector<ir::ValueId> values);

    // An operation at the start of the function, before all others but earlier ones made so.
    ir::ValueId entry(ir::OpKind kind, ir::Attrs attrs);

    // Moves an operation to the start, behind those that were made or moved there before.
    void move_to_entry(ir::OpId op);

    // True when nothing in the region has an effect or reads memory, and it may run where it was not asked for.
    [[nodiscard]] bool may_run_early(ir::RegionId region) const;
    // Moves the operations of a region (without yield) to the end of the current one.
    void splice(ir::RegionId region);

private:
    ir::PlaceId place();
    ir::OpId append(ir::OpId op);
    [[nodiscard]] std::vector<ir::Type> results(ir::OpKind kind, const std::vector<ir::ValueId>& operands,
                                                const ir::Attrs& attrs) const;

    ir::Function& function_;
    ir::RegionId region_;
    ir::Place place_;
    ir::PlaceId place_id_;
    size_t entries_ = 0;
};

// Sets the place for a scope.
class At {
public:
    At(Emitter& emitter, Span span) : emitter_(emitter), before_(emitter.at(span)) {}
    ~At() { emitter_.at(before_); }
    At(const At&) = delete;
    At& operator=(const At&) = delete;

private:
    Emitter& emitter_;
    Span before_;
};

// Emits into another region for a scope.
class Inside {
public:
    Inside(Emitter& emitter, ir::RegionId region) : emitter_(emitter), before_(emitter.region()) {
        emitter.enter(region);
    }
    ~Inside() { emitter_.enter(before_); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

private:
    Emitter& emitter_;
    ir::RegionId before_;
};

}  // namespace tsr::elaborate
