// The shared buffers of a kernel. Allocations that a variable or list may both hold become stages of one buffer, so
// that a swap is a swap of stage numbers and no handle is carried by a loop. Which ones these are is known after the
// kernel was elaborated once; it is elaborated again until nothing new is found.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ir/core/function.h"
#include "sema/types/type.h"

namespace tsr::elaborate {

class BufferSites {
public:
    // The number of an allocation. Equal keys are one buffer: an allocation in a loop is made once.
    uint32_t site(const std::string& key, const sema::Type& type, const std::string& name, Span span);
    // One variable may hold either.
    void unite(uint32_t a, uint32_t b);
    // Forgets the values of the last elaboration; false when it found nothing new and its result stands.
    bool begin_again();

    [[nodiscard]] uint32_t group(uint32_t site) const;
    [[nodiscard]] int64_t stage(uint32_t site) const;   // of the site in its group
    [[nodiscard]] int64_t stages(uint32_t site) const;  // of its group
    [[nodiscard]] const sema::Type& type(uint32_t site) const { return sites_[site].type; }
    [[nodiscard]] const std::string& name(uint32_t site) const { return sites_[group(site)].name; }
    [[nodiscard]] Span span(uint32_t site) const { return sites_[group(site)].span; }
    ir::ValueId& handle(uint32_t site) { return sites_[group(site)].handle; }

private:
    struct Site {
        sema::Type type;
        std::string name;
        Span span;  // the allocation
        uint32_t parent = 0;
        ir::ValueId handle;  // of the group's first site: the buffer operation's result
    };
    std::vector<Site> sites_;
    std::map<std::string, uint32_t> numbers_;
    bool changed_ = false;
};

}  // namespace tsr::elaborate
