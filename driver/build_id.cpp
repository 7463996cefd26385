#include "driver/build_id.h"

#include <cstring>
#include <string_view>

#include <elf.h>
#include <fmt/core.h>
#include <link.h>

namespace tsr::driver {

namespace {

// Notes are padded to words of four bytes.
constexpr size_t padded(size_t bytes) { return (bytes + 3) & ~size_t{3}; }

// The description of the note that the linker names "GNU" and NT_GNU_BUILD_ID; empty if it is not in this segment.
std::string_view build_id_note(const char* at, const char* end) {
    while (at + sizeof(ElfW(Nhdr)) <= end) {
        ElfW(Nhdr) header;
        std::memcpy(&header, at, sizeof header);
        const char* name = at + sizeof header;
        const char* description = name + padded(header.n_namesz);
        if (header.n_type == NT_GNU_BUILD_ID &&
            std::string_view(name, header.n_namesz) == std::string_view("GNU\0", 4)) {
            return {description, header.n_descsz};
        }
        at = description + padded(header.n_descsz);
    }
    return {};
}

int find(dl_phdr_info* object, size_t, void* out) {
    for (size_t i = 0; i < object->dlpi_phnum; ++i) {
        const auto& segment = object->dlpi_phdr[i];
        if (segment.p_type != PT_NOTE) continue;
        // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader gives addresses as numbers
        const auto* begin = reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr);
        for (char byte : build_id_note(begin, begin + segment.p_memsz)) {
            *static_cast<std::string*>(out) += fmt::format("{:02x}", static_cast<unsigned char>(byte));
        }
    }
    return 1;  // the first object is the executable
}

}  // namespace

std::string build_id() {
    std::string out;
    dl_iterate_phdr(find, &out);
    return out;
}

}  // namespace tsr::driver
