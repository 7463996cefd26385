// Texts with words exchanged: whatever reads is verified without a crash, and what is sound stays sound when
// simplified.
#include <random>

#include "ir/passes/simplify/simplify.h"
#include "read.h"
#include "samples.h"

using namespace tsr;
using namespace tsr::ir;

namespace {

// Words, names with their signs, numbers, and single other characters.
std::vector<std::string> words(const std::string& text) {
    std::vector<std::string> all;
    auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
    for (char c : text) {
        const bool joins = !all.empty() && in_word(c) && (in_word(all.back().back()) || all.back() == "%");
        if (joins) {
            all.back() += c;
        } else {
            all.emplace_back(1, c);
        }
    }
    return all;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += word;
    return text;
}

}  // namespace

TEST_CASE("exchanged words crash neither parser, verifier nor simplifier") {
    std::vector<std::string> vocabulary{"-1", "9223372036854775807", "[]", "string", "list f32[n]", "ptr f32 stack"};
    for (const char* text : samples::kAll) {
        for (std::string& word : words(text)) vocabulary.push_back(std::move(word));
    }
    std::mt19937 random(1);
    size_t parsed = 0;
    size_t sound = 0;
    for (int round = 0; round < 30000; ++round) {
        std::vector<std::string> text = words(samples::kAll[random() % std::size(samples::kAll)]);
        for (size_t changes = 1 + random() % 3; changes > 0; --changes) {
            text[random() % text.size()] = vocabulary[random() % vocabulary.size()];
        }
        Result<Module> module = parse_text(joined(text));
        if (!module) continue;
        ++parsed;
        (void)print(module.value(), {.places = true});
        if (!verify(module.value()).empty()) continue;
        ++sound;
        for (Function& function : module.value().functions) {
            simplify(function);
            const std::string messages = faults(function);
            CHECK_MESSAGE(messages == "", joined(text));
        }
    }
    CHECK(parsed > 1000);
    CHECK(sound > 100);
}
