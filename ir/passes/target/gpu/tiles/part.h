// An operand of a product of warps, as a thread has it.
#pragma once

#include <map>

#include "ir/passes/target/gpu/tiles/code.h"

namespace tsr::ir {

// In registers, or in shared memory: then each step along the inner axis loads its own matrices.
struct ThreadTiles::Part {
    Operand operand = Operand::a;
    DType input = DType::f32;  // that the product multiplies
    Layout layout;             // of the operand as the product sees it
    Registers registers;       // of all atoms; empty: in shared memory
    ValueId buffer;            // that steps read elements of; invalid: matrices
    bool turned = false;       // rows of the buffer are columns of the operand
    bool along_inner = false;
    bool transposed = false;
    int64_t row = 0, piece = 0;  // elements of a row (of a panel), and of a piece of 16 bytes
    int64_t panel = 0;           // elements of a panel of several; 0: there is one
    int panel_bits = 0;          // log2 of the pieces of its rows
    // This thread's row, and its piece there; of B of two atoms, or of one.
    struct Place {
        ValueId row, first_row;  // addresses
        ValueId rows;            // from the first row to this thread's
        ThreadPart piece;        // in its panel, after changing places
        ThreadPart panel;        // its number
        std::map<Bits, ValueId> known;
    } pair, single;
};

}  // namespace tsr::ir
