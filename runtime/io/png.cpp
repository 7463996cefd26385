#include "runtime/io/png.h"

#include <cstring>
#include <vector>

#include <zlib.h>

namespace tsr::runtime {

namespace {

void append_big_endian(std::vector<uint8_t>& bytes, uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<uint8_t>(value >> shift));
}

void write_chunk(OutputFile& file, const char* name, const std::vector<uint8_t>& data) {
    std::vector<uint8_t> chunk;
    append_big_endian(chunk, static_cast<uint32_t>(data.size()));
    chunk.insert(chunk.end(), name, name + 4);
    chunk.insert(chunk.end(), data.begin(), data.end());
    append_big_endian(chunk, static_cast<uint32_t>(crc32_z(0, chunk.data() + 4, chunk.size() - 4)));
    file.write(chunk);
}

}  // namespace

Result<Done> write_png(OutputFile& file, const TsrTensor& tensor) {
    Shape extents = shape(tensor);
    int64_t channels = extents.size() == 3 ? extents[2] : 1;
    bool picture =
        tensor.dtype == TSR_U8 && (extents.size() == 2 || (extents.size() == 3 && (channels == 3 || channels == 4)));
    if (!picture) {
        return Refusal{type_text(tensor) + " is no picture; .png holds u8[H, W], u8[H, W, 3] or u8[H, W, 4]"};
    }
    int64_t height = extents[0], width = extents[1];
    constexpr int64_t kMost = 1 << 20;
    if (height < 1 || width < 1 || height > kMost || width > kMost || size(tensor) > int64_t{1} << 30) {
        return Refusal{type_text(tensor) + " is empty or too large for a .png"};
    }
    file.write("\x89PNG\r\n\x1a\n");
    std::vector<uint8_t> head;
    append_big_endian(head, static_cast<uint32_t>(width));
    append_big_endian(head, static_cast<uint32_t>(height));
    head.insert(head.end(), {8, static_cast<uint8_t>(channels == 1 ? 0 : channels == 3 ? 2 : 6), 0, 0, 0});
    write_chunk(file, "IHDR", head);
    // Each row begins with its filter, none.
    auto row = static_cast<size_t>(width * channels);
    std::vector<uint8_t> rows((row + 1) * static_cast<size_t>(height));
    const auto* pixels = static_cast<const uint8_t*>(tensor.dl.data);
    for (size_t y = 0; y < static_cast<size_t>(height); ++y) {
        std::memcpy(&rows[y * (row + 1) + 1], pixels + y * row, row);
    }
    uLongf length = compressBound(rows.size());
    std::vector<uint8_t> packed(length);
    if (compress2(packed.data(), &length, rows.data(), rows.size(), 6) != Z_OK) return Refusal{"out of memory"};
    packed.resize(length);
    write_chunk(file, "IDAT", packed);
    write_chunk(file, "IEND", {});
    return Done{};
}

}  // namespace tsr::runtime
