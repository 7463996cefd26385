#include "sema/types/nested_elements.h"

#include <fmt/format.h>

namespace tsr::sema {

namespace {

constexpr int kBits = 8;
constexpr int kInnermost = 1 << (2 * kBits);  // numbers from here name an element on the third level
constexpr size_t kMostElements = (1 << kBits) - 2;

}  // namespace

int nested_element(int outer, size_t number) {
    if (outer < 0) return static_cast<int>(number);
    int shift = kBits;
    while (outer >> shift != 0) shift += kBits;
    return outer + (static_cast<int>(number + 1) << shift);
}

bool has_nested_element(int outer, size_t number) { return outer < kInnermost && number < kMostElements; }

std::vector<size_t> path_of_element(int element) {
    if (element < 0) return {};
    constexpr int kMask = (1 << kBits) - 1;
    std::vector<size_t> path{static_cast<size_t>(element & kMask)};
    for (int inner = element >> kBits; inner > 0; inner >>= kBits)
        path.push_back(static_cast<size_t>(inner & kMask) - 1);
    return path;
}

std::string text_of_element(int element) {
    std::string text;
    for (const size_t number : path_of_element(element)) text += fmt::format(".{}", number);
    return text;
}

const Type* type_of_element(const Type& type, int element) {
    const Type* found = &type;
    for (const size_t number : path_of_element(element)) {
        if (!found->is(Kind::tuple) || number >= found->parts().size()) return nullptr;
        found = &found->parts()[number];
    }
    return found;
}

}  // namespace tsr::sema
