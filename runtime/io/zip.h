// ZIP archives, as .npz files are (PKWARE APPNOTE 6.3): stored and deflated members, ZIP64 sizes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/io/output_file.h"
#include "runtime/io/source.h"

namespace tsr::runtime {

struct ZipMember {
    std::string name;
    int method = 0;  // 0 stored, 8 deflated
    int flags = 0;
    uint32_t crc = 0;
    int64_t packed_size = 0, size = 0;
    int64_t header = 0;  // where its local header begins
};

// The central directory. Refused: no end record, members outside the file.
Result<std::vector<ZipMember>> zip_members(const Source& source);
// The bytes of a member, checked against its size and CRC.
Result<std::vector<uint8_t>> read_zip_member(const Source& source, const ZipMember& member);

// Writes stored members; finish() writes the directory.
class ZipWriter {
public:
    explicit ZipWriter(OutputFile& file) : file_(file) {}
    // The member's bytes are the parts in order.
    void add(const std::string& name, std::span<const std::span<const uint8_t>> parts);
    void finish();

private:
    OutputFile& file_;
    std::vector<ZipMember> members_;
};

}  // namespace tsr::runtime
