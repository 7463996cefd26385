#include <algorithm>
#include <array>

#include <zlib.h>

#include "runtime/fail.h"
#include "runtime/io/zip.h"

namespace tsr::runtime {

namespace {

constexpr uint32_t kEnd = 0x06054b50, kEnd64Locator = 0x07064b50, kEnd64 = 0x06064b50;
constexpr uint32_t kCentral = 0x02014b50, kLocal = 0x04034b50;
constexpr int64_t kEndBytes = 22, kLongestComment = 65535, kCentralBytes = 46, kLocalBytes = 30;
constexpr int64_t kLargestDirectory = int64_t{64} << 20;

Refusal malformed(const char* what) { return Refusal{std::string("malformed archive: ") + what}; }

struct Directory {
    int64_t offset, bytes;
};

Result<Directory> directory64(const Source& source, int64_t end_record) {
    std::array<uint8_t, 20> locator{};
    if (auto read = source.read(end_record - 20, locator); !read) return read.refusal();
    if (little_endian<uint32_t>(locator.data()) != kEnd64Locator) return malformed("no ZIP64 locator");
    std::array<uint8_t, 56> end{};
    auto at = little_endian<uint64_t>(&locator[8]);
    if (at > static_cast<uint64_t>(source.size())) return malformed("the ZIP64 end record is outside");
    if (auto read = source.read(static_cast<int64_t>(at), end); !read) return read.refusal();
    if (little_endian<uint32_t>(end.data()) != kEnd64) return malformed("no ZIP64 end record");
    auto bytes = little_endian<uint64_t>(&end[40]), offset = little_endian<uint64_t>(&end[48]);
    auto limit = static_cast<uint64_t>(source.size());
    if (bytes > limit || offset > limit) return malformed("the directory is outside");
    return Directory{static_cast<int64_t>(offset), static_cast<int64_t>(bytes)};
}

Result<Directory> find_directory(const Source& source) {
    int64_t searched = std::min(source.size(), kEndBytes + kLongestComment);
    if (searched < kEndBytes) return Refusal{"truncated: no archive"};
    std::vector<uint8_t> tail(static_cast<size_t>(searched));
    if (auto read = source.read(source.size() - searched, tail); !read) return read.refusal();
    for (int64_t at = searched - kEndBytes; at >= 0; --at) {
        const uint8_t* record = tail.data() + at;
        if (little_endian<uint32_t>(record) != kEnd) continue;
        if (at + kEndBytes + little_endian<uint16_t>(record + 20) != searched) continue;
        int64_t bytes = little_endian<uint32_t>(record + 12), offset = little_endian<uint32_t>(record + 16);
        bool large = bytes == 0xFFFFFFFF || offset == 0xFFFFFFFF || little_endian<uint16_t>(record + 10) == 0xFFFF;
        if (large) return directory64(source, source.size() - searched + at);
        return Directory{offset, bytes};
    }
    return Refusal{"no archive, or truncated: its end record is missing"};
}

// The ZIP64 extra field holds, in this order, those of the sizes that are 0xFFFFFFFF in the record.
bool read_zip64(std::span<const uint8_t> extra, ZipMember& member) {
    while (extra.size() >= 4) {
        auto id = little_endian<uint16_t>(extra.data());
        auto length = little_endian<uint16_t>(extra.data() + 2);
        extra = extra.subspan(4);
        if (length > extra.size()) return false;
        if (id == 1) {
            std::span<const uint8_t> field = extra.first(length);
            for (int64_t* value : {&member.size, &member.packed_size, &member.header}) {
                if (*value != 0xFFFFFFFF) continue;
                if (field.size() < 8) return false;
                auto wide = little_endian<uint64_t>(field.data());
                if (wide >> 62 != 0) return false;
                *value = static_cast<int64_t>(wide);
                field = field.subspan(8);
            }
            return true;
        }
        extra = extra.subspan(length);
    }
    return true;
}

Result<Done> inflate_into(std::span<const uint8_t> packed, std::span<uint8_t> out) {
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return Refusal{"out of memory"};
    constexpr size_t kMostAtOnce = size_t{1} << 30;
    int status = Z_OK;
    size_t taken = 0, given = 0;
    while (status == Z_OK) {
        size_t input = std::min(packed.size() - taken, kMostAtOnce), room = std::min(out.size() - given, kMostAtOnce);
        stream.next_in = const_cast<Bytef*>(packed.data() + taken);
        stream.avail_in = static_cast<uInt>(input);
        stream.next_out = out.data() + given;
        stream.avail_out = static_cast<uInt>(room);
        status = inflate(&stream, Z_NO_FLUSH);
        taken += input - stream.avail_in;
        given += room - stream.avail_out;
    }
    inflateEnd(&stream);
    if (status != Z_STREAM_END || given != out.size()) return malformed("a member does not inflate to its size");
    return Done{};
}

}  // namespace

Result<std::vector<ZipMember>> zip_members(const Source& source) {
    Result<Directory> directory = find_directory(source);
    if (!directory) return directory.refusal();
    if (directory->bytes > kLargestDirectory) return malformed("a directory of more than 64 MiB");
    std::vector<uint8_t> bytes(static_cast<size_t>(directory->bytes));
    if (auto read = source.read(directory->offset, bytes); !read) return read.refusal();
    std::vector<ZipMember> members;
    std::span<const uint8_t> rest(bytes);
    while (!rest.empty()) {
        if (static_cast<int64_t>(rest.size()) < kCentralBytes || little_endian<uint32_t>(rest.data()) != kCentral) {
            return malformed("the directory");
        }
        const uint8_t* record = rest.data();
        size_t name = little_endian<uint16_t>(record + 28), extra = little_endian<uint16_t>(record + 30);
        size_t comment = little_endian<uint16_t>(record + 32), head = static_cast<size_t>(kCentralBytes);
        if (rest.size() - head < name + extra + comment) return malformed("the directory");
        ZipMember member;
        member.flags = little_endian<uint16_t>(record + 8);
        member.method = little_endian<uint16_t>(record + 10);
        member.crc = little_endian<uint32_t>(record + 16);
        member.packed_size = little_endian<uint32_t>(record + 20);
        member.size = little_endian<uint32_t>(record + 24);
        member.header = little_endian<uint32_t>(record + 42);
        member.name.assign(reinterpret_cast<const char*>(record + head), name);
        if (!read_zip64(rest.subspan(head + name, extra), member)) return malformed("a ZIP64 field");
        members.push_back(member);
        rest = rest.subspan(head + name + extra + comment);
    }
    return members;
}

Result<std::vector<uint8_t>> read_zip_member(const Source& source, const ZipMember& member) {
    if (member.flags & 1) return Refusal{"'" + member.name + "' is encrypted"};
    if (member.method != 0 && member.method != 8) {
        return Refusal{text("'%s' is compressed by method %d; stored and deflated members can be read",
                            member.name.c_str(), member.method)};
    }
    std::array<uint8_t, kLocalBytes> local{};
    if (auto read = source.read(member.header, local); !read) return read.refusal();
    if (little_endian<uint32_t>(local.data()) != kLocal) return malformed("a member has no header");
    int64_t begin =
        member.header + kLocalBytes + little_endian<uint16_t>(&local[26]) + little_endian<uint16_t>(&local[28]);
    if (begin > source.size() || member.packed_size > source.size() - begin)
        return Refusal{"truncated: a member is cut off"};
    // Deflate makes 1032 bytes of one at most: more is promised by no honest archive, and no memory is asked for it.
    if (member.size / 1032 > member.packed_size + 1) return malformed("a member promises more than it can hold");
    std::vector<uint8_t> packed(static_cast<size_t>(member.packed_size));
    if (auto read = source.read(begin, packed); !read) return read.refusal();
    if (member.method == 0 && member.size != member.packed_size) return malformed("a stored member has two sizes");
    std::vector<uint8_t> bytes;
    if (member.method == 0) {
        bytes = std::move(packed);
    } else {
        bytes.resize(static_cast<size_t>(member.size));
        if (auto done = inflate_into(packed, bytes); !done) return done.refusal();
    }
    if (crc32_z(0, bytes.data(), bytes.size()) != member.crc)
        return Refusal{"damaged: the checksum of '" + member.name + "' is wrong"};
    return bytes;
}

}  // namespace tsr::runtime
