#include "frontend/parse_base.h"

#include "frontend/parser_tables.h"

namespace tsr {

void ParserBase::enter() {
    if (too_deep()) throw antlr4::InputMismatchException(this);
    ++depth_;
}

size_t ParserBase::decide(size_t decision) {
    const ParserTables::Decision& asked = kParserTables.decisions[decision];
    const size_t first = _input->word(0).type(), second = _input->word(1).type();
    for (size_t i = 0; i < asked.count; ++i) {
        const ParserTables::Alternative& one = kParserTables.alternatives[asked.first + i];
        if (one.word == 0 ? one.next.has(first) : one.word == first && one.next.has(second)) return i + 1;
    }
    if (!asked.is_loop) throw antlr4::NoViableAltException(this);
    return asked.count + 1;
}

}  // namespace tsr
