// Which operations of a graph become one kernel.
//
// A fusion goes through the positions of one space of axes, and combines along at most one of them: what it computes
// has either all axes of the space, or those that are left when it has combined. `exp(x - max(x))` of rows is one
// fusion: its space is (row, column), and it combines along the columns.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/core/function.h"

namespace tsr::ir {

struct Fusion {
    bool product = false;        // begins with a `contract`, and computes with what that gives
    bool gathers = false;        // begins with what `gathers_elements`; combines nothing
    bool alone = false;          // one operation that has kernels of its own
    std::vector<OpId> ops;       // in the order of the text
    std::vector<Dim> space;      // extents of its axes, those of the literal 1 left out
    std::optional<size_t> axis;  // of the space, along which it combines
};

// An operation that takes a value of a fusion and is no part of it.
struct Apart {
    OpId op;
    size_t from = 0;    // the fusion
    std::string why;    // behind "line 3, exp: ": "it has 64 operations already"
    bool must = false;  // no order changes it
};

// What a schedule says of the fusions of a graph: it comes before what would be chosen.
struct FusionOrders {
    std::vector<std::vector<OpId>> together;  // each: operations of one region that stand in one fusion
    std::set<ValueId> stored;                 // what takes one stands in another fusion than what gives it
};

// An operation that can not stand in the fusion that an order puts it into.
struct RefusedOrder {
    size_t order = 0;  // of `FusionOrders::together`
    OpId op, with;     // `with`: of that fusion
    std::string why;
};

struct Fusions {
    std::vector<Fusion> all;
    std::map<OpId, size_t> of;  // operations in fusions: which one
    std::vector<Apart> apart;
    std::vector<RefusedOrder> refused;
};

// Of the operations in one region of a Graph function (not in the regions below it). Greedy, in the order of the text:
// an operation joins the last fusion that it takes a value from, or with which it shares a tensor, where the spaces are
// equal and nothing outside stands between the two. What is computed again (`anew`) joins the last one of its space
// that does not compute what it is made of. Orders name the fusion where they are possible, also one that it shares no
// tensor with or that is full.
Fusions choose_fusions(const Function& graph, RegionId region, const FusionOrders& orders = {});

// The operations on tensors that give or take elements of the literal value, through broadcasts and transposes.
bool computes_tensors(const Function& graph, OpId op);

}  // namespace tsr::ir
