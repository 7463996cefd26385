// Products of register tiles by the matrix instructions of warps.
#include "ir/passes/target/gpu/tiles/code.h"

namespace tsr::ir {

void ThreadTiles::product(OpId id) { (void)id; }

}  // namespace tsr::ir
