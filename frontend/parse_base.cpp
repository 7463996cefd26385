#include "frontend/parse_base.h"

namespace tsr {

void ParserBase::enterRecursionRule(antlr4::ParserRuleContext* context, size_t state, size_t rule, int precedence) {
    if (too_deep()) throw antlr4::InputMismatchException(this);
    ++depth_;
    Parser::enterRecursionRule(context, state, rule, precedence);
}

void ParserBase::unrollRecursionContexts(antlr4::ParserRuleContext* parent) {
    --depth_;
    Parser::unrollRecursionContexts(parent);
}

}  // namespace tsr
