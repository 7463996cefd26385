#include "runtime/program/words.h"

#include "runtime/text/string.h"

namespace tsr::runtime {

namespace {

std::vector<std::string>& words() {
    static auto* instance = new std::vector<std::string>;
    return *instance;
}

}  // namespace

void set_words(std::vector<std::string> new_words) { words() = std::move(new_words); }

}  // namespace tsr::runtime

extern "C" TsrList* tsr_args(void) {
    using namespace tsr::runtime;
    TsrList* list = tsr_list("LS", static_cast<int64_t>(words().size()));
    for (const std::string& word : words()) {
        TsrSlot slot{};
        slot.string = make_string(word);
        tsr_list_append(list, slot);
        tsr_string_release(slot.string);
    }
    return list;
}
