// What follows from the number of a thread in its block: numbers that are linear in its bits, and conditions on them.
#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "ir/layout/linear_map.h"
#include "ir/passes/target/kernel_code.h"

namespace tsr::ir {

// A number that is linear in the bits of the thread's number: a hoisted value, and which of its bits may be set.
struct ThreadPart {
    ValueId value;  // an index
    Bits bits = 0;
};

// Each is made once, before the control flow that the code at hand stands in.
class ThreadNumbers {
public:
    // `thread`: this thread's number, at the beginning of the code.
    ThreadNumbers(KernelCode& code, ValueId thread)
        : code_(code), emit_(code.emit), known_{thread, code.target.body, {}, {}, {}, {}} {}

    [[nodiscard]] ValueId thread() const { return known_.thread; }
    ValueId group_number();                                    // of its warp group, the same for all lanes
    ThreadPart thread_part(const std::vector<Bits>& columns);  // per bit of the thread's number
    ThreadPart thread_part(const LinearMap& map, Counted out);
    ValueId plus(const ThreadPart& part, Bits constant);  // both linear: exclusive or
    static std::vector<Bits> thread_columns(const LinearMap& map);

    // True for the threads that hold an element first.
    ValueId writers(const LinearMap& atom);
    // The same, but of the lanes that differ in these bits alone the last one.
    ValueId last_writers(const LinearMap& atom, Bits lanes);
    // True for the threads whose number has none of these bits; invalid where there are none.
    ValueId without_bits(Bits lane, Bits warp);
    // True for the lanes whose number has an odd count of these bits.
    ValueId parity(Bits lanes);

    // Calls `body`, in which these numbers are made anew: behind a loop that would have to keep them in registers.
    void behind_loops(OpId id, const std::function<void()>& body);

private:
    template <typename Make>
    ValueId hoisted(Make make);
    // True for the threads of whose number these bits are `value`; invalid where there are none.
    ValueId with_bits(Bits bits, Bits value);

    KernelCode& code_;
    Emit& emit_;
    struct Known {
        ValueId thread;
        RegionId region;  // that they stand in
        std::map<std::vector<Bits>, ThreadPart> parts;
        std::map<std::pair<Bits, Bits>, ValueId> owners;
        std::map<Bits, ValueId> parities;
        ValueId group;
    } known_;
};

}  // namespace tsr::ir
