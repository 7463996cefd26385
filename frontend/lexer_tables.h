// The automaton of grammar/TesseraLexer.g4, which frontend/make_lexer_tables.cpp makes when the compiler is built.
#pragma once

#include <cstdint>

namespace tsr {

struct LexerTables {
    struct Accepted {
        uint8_t type;    // of the word by the grammar's number; 0: the state accepts nothing
        uint8_t pushes;  // a mode; 0: none
        bool skips;
        bool pops;
    };

    uint8_t ascii[128];        // the class of a character
    uint8_t other, end;        // of any other character, and of the end of the text
    uint16_t classes;          // how many there are
    const uint16_t* steps;     // by state and class: the next state, 0 where there is none
    const Accepted* accepted;  // by state
    const uint16_t* begins;    // by mode
};

extern const LexerTables kLexerTables;

}  // namespace tsr
