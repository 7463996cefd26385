// Sorting of lists: stable, as Python's.
#include <algorithm>
#include <numeric>
#include <vector>

#include "runtime/values/value_type.h"

namespace {

// The positions of a list's items in their order. Equal items keep theirs, also from the highest down.
std::vector<int64_t> sorted_positions(const TsrList& list, bool descending) {
    std::vector<int64_t> order(static_cast<size_t>(list.length));
    std::iota(order.begin(), order.end(), int64_t{0});
    const char* type = list.type + 1;
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        if (descending) std::swap(a, b);
        return tsr::runtime::compare_values(type, list.items[a], list.items[b]) < 0;
    });
    return order;
}

void arrange(TsrList& list, const std::vector<int64_t>& order) {
    const std::vector<TsrSlot> before(list.items, list.items + list.length);
    for (size_t i = 0; i < order.size(); ++i) list.items[i] = before[static_cast<size_t>(order[i])];
}

}  // namespace

extern "C" {

void tsr_list_sort(TsrList* list, int64_t descending) {
    if (list->length > 1) arrange(*list, sorted_positions(*list, descending != 0));
}

void tsr_list_sort_by(TsrList* list, TsrList* keys, int64_t descending) {
    if (list->length < 2) return;
    const std::vector<int64_t> order = sorted_positions(*keys, descending != 0);
    arrange(*list, order);
    arrange(*keys, order);
}
}
