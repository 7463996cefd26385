#include "frontend/parse_base.h"

namespace tsr {

void ParserBase::enter() {
    if (too_deep()) throw antlr4::InputMismatchException(this);
    ++depth_;
}

}  // namespace tsr
