// What the parser asks of grammar/TesseraParser.g4 while it reads a program without mistakes.
// frontend/make_parser_tables.cpp finds it when the compiler is built, so that ANTLR's own tables, which are slow to
// make, are needed for messages alone.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tsr {

// Types of words; 0, which no word has, stands for the end of the file.
struct WordSet {
    static constexpr size_t kTypes = 128;  // the grammar has fewer

    uint64_t bits[kTypes / 64];

    [[nodiscard]] bool has(size_t type) const {
        const size_t number = type < kTypes ? type : 0;
        return (bits[number / 64] >> number % 64 & 1) != 0;
    }
};

struct ParserTables {
    struct Alternative {
        uint8_t word;  // that it begins with; 0 where it begins with a rule
        WordSet next;  // what can stand behind that word, or at the begin of the rule
    };
    struct Decision {
        bool is_loop;  // whose last alternative, which leaves it, is not among these
        uint16_t first, count;
    };

    const Decision* decisions;        // by the grammar's number
    const Alternative* alternatives;  // of all decisions
    WordSet statement;                // what a statement begins with
};

extern const ParserTables kParserTables;

}  // namespace tsr
