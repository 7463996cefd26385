#include "ir/machine/memory_rate.h"

#include <algorithm>
#include <array>

namespace tsr::ir {

namespace {

struct Card {
    int32_t capability;
    GpuCard card;
};
constexpr std::array kCards{Card{70, {900, 80, 1.53}},    Card{75, {320, 40, 1.59}},   Card{80, {2039, 108, 1.41}},
                            Card{86, {936, 82, 1.695}},   Card{89, {1008, 128, 2.52}}, Card{90, {3350, 132, 1.83}},
                            Card{100, {8000, 148, 1.85}}, Card{120, {1792, 170, 2.41}}};

}  // namespace

const GpuCard* card_of(const GpuMachine& machine) {
    const auto found = std::ranges::find(kCards, machine.capability, &Card::capability);
    return found == kCards.end() ? nullptr : &found->card;
}

double memory_rate(const GpuMachine& machine) {
    const GpuCard* card = card_of(machine);
    return card == nullptr ? 0 : card->gigabytes / (card->multiprocessors * card->gigahertz);
}

}  // namespace tsr::ir
