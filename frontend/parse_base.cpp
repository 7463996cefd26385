#include "frontend/parse_base.h"

namespace tsr {

void ParserBase::enter() {
    if (too_deep()) throw antlr4::InputMismatchException(this);
    ++depth_;
}

void ParserBase::enterRule(antlr4::ParserRuleContext* context, size_t state, size_t /*rule*/) {
    setState(state);
    _ctx = context;
    _ctx->start = _input->LT(1);
    if (_ctx->parent) static_cast<antlr4::ParserRuleContext*>(_ctx->parent)->addChild(_ctx);
}

void ParserBase::exitRule() {
    _ctx->stop = _input->LT(_matchedEOF ? 1 : -1);
    setState(_ctx->invokingState);
    _ctx = static_cast<antlr4::ParserRuleContext*>(_ctx->parent);
}

}  // namespace tsr
