#include <zlib.h>

#include "runtime/io/zip.h"

namespace tsr::runtime {

namespace {

constexpr int64_t kLimit = 0xFFFFFFFF;
constexpr int kVersion = 45;         // the first that has ZIP64
constexpr int kEpoch = 0x21;         // 1980-01-01: the same inputs give the same file
constexpr int kUtf8Names = 1 << 11;  // flag

class Record {
public:
    Record& number(uint64_t value, int bytes) {
        for (int i = 0; i < bytes; ++i) bytes_.push_back(static_cast<uint8_t>(value >> (8 * i)));
        return *this;
    }
    Record& number(int64_t value, int bytes) { return number(static_cast<uint64_t>(value), bytes); }
    Record& number(int value, int bytes) { return number(static_cast<uint64_t>(value), bytes); }
    Record& number(uint32_t value, int bytes) { return number(static_cast<uint64_t>(value), bytes); }
    std::span<const uint8_t> bytes() const { return bytes_; }

private:
    std::vector<uint8_t> bytes_;
};

// Members always carry the ZIP64 field: sizes in the short fields are then all ones.
void write_local(OutputFile& file, const ZipMember& member) {
    Record record;
    record.number(0x04034b50, 4).number(kVersion, 2).number(kUtf8Names, 2).number(0, 2).number(0, 2).number(kEpoch, 2);
    record.number(member.crc, 4).number(kLimit, 4).number(kLimit, 4);
    record.number(static_cast<uint64_t>(member.name.size()), 2).number(20, 2);
    file.write(record.bytes());
    file.write(member.name);
    Record extra;
    extra.number(1, 2).number(16, 2).number(member.size, 8).number(member.packed_size, 8);
    file.write(extra.bytes());
}

void write_central(OutputFile& file, const ZipMember& member) {
    Record record;
    record.number(0x02014b50, 4).number(kVersion, 2).number(kVersion, 2).number(kUtf8Names, 2).number(0, 2);
    record.number(0, 2).number(kEpoch, 2).number(member.crc, 4).number(kLimit, 4).number(kLimit, 4);
    record.number(static_cast<uint64_t>(member.name.size()), 2).number(28, 2);
    record.number(0, 2).number(0, 2).number(0, 2).number(0, 4).number(kLimit, 4);
    file.write(record.bytes());
    file.write(member.name);
    Record extra;
    extra.number(1, 2).number(24, 2).number(member.size, 8).number(member.packed_size, 8).number(member.header, 8);
    file.write(extra.bytes());
}

}  // namespace

void ZipWriter::add(const std::string& name, std::span<const std::span<const uint8_t>> parts) {
    ZipMember member;
    member.name = name;
    member.header = file_.position();
    uLong crc = 0;
    for (std::span<const uint8_t> part : parts) {
        crc = crc32_z(crc, part.data(), part.size());
        member.size += static_cast<int64_t>(part.size());
    }
    member.crc = static_cast<uint32_t>(crc);
    member.packed_size = member.size;
    write_local(file_, member);
    for (std::span<const uint8_t> part : parts) file_.write(part);
    members_.push_back(member);
}

void ZipWriter::finish() {
    int64_t begin = file_.position();
    for (const ZipMember& member : members_) write_central(file_, member);
    int64_t end = file_.position();
    auto count = static_cast<uint64_t>(members_.size());
    Record record;
    record.number(0x06064b50, 4).number(44, 8).number(kVersion, 2).number(kVersion, 2).number(0, 4).number(0, 4);
    record.number(count, 8).number(count, 8).number(end - begin, 8).number(begin, 8);
    record.number(0x07064b50, 4).number(0, 4).number(end, 8).number(1, 4);
    record.number(0x06054b50, 4).number(0, 2).number(0, 2).number(0xFFFF, 2).number(0xFFFF, 2);
    record.number(kLimit, 4).number(kLimit, 4).number(0, 2);
    file_.write(record.bytes());
}

}  // namespace tsr::runtime
