// Characters as terminals show them.
#pragma once

#include <cstdint>
#include <string_view>

namespace tsr {

inline constexpr char32_t kNoCharacter = 0xFFFFFFFF;

struct Character {
    char32_t code = kNoCharacter;  // kNoCharacter: the byte begins none
    uint32_t bytes = 1;
};

// The character that a text begins with, which is not empty.
Character first_character(std::string_view text);

// How many columns it takes: 0 for combining marks, 2 for East Asian wide characters and emoji, else 1.
int terminal_columns(std::string_view text);

}  // namespace tsr
