#include "file_helpers.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <unistd.h>
#include <zlib.h>

#include "runtime/io/npy.h"
#include "runtime/io/zip.h"

namespace tsr::runtime::tests {

namespace {

Bytes saved(const std::string& name, const std::vector<NamedTensor>& tensors) {
    Folder folder;
    Result<Done> done = save_tensors(folder.path(name), tensors);
    return done ? read_bytes(folder.path(name)) : Bytes{};
}

void put(Bytes& bytes, uint64_t value, int count) {
    for (int i = 0; i < count; ++i) bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

Bytes deflated(const Bytes& bytes) {
    z_stream stream{};
    deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    Bytes out(deflateBound(&stream, bytes.size()));
    stream.next_in = const_cast<Bytef*>(bytes.data());
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = out.data();
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

}  // namespace

Folder::Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "tessera-test-XXXXXX").string();
    path_ = mkdtemp(name.data());
}

Folder::~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::vector<std::string> Folder::names() const {
    std::vector<std::string> result;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) result.push_back(entry.path().filename());
    std::ranges::sort(result);
    return result;
}

Bytes read_bytes(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write_bytes(const std::string& path, const Bytes& bytes) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

Bytes npy_of(const TensorRef& tensor) { return saved("t.npy", {{"t", tensor}}); }
Bytes npz_of(const std::vector<NamedTensor>& tensors) { return saved("t.npz", tensors); }
Bytes safetensors_of(const std::vector<NamedTensor>& tensors) { return saved("t.safetensors", tensors); }

// As zip programs write it: plain sizes, deflated, an archive comment.
Bytes deflated_npz_of(const TensorRef& tensor) {
    Bytes npy = npy_of(tensor), packed = deflated(npy);
    const std::string name = "t.npy", comment = "made by hand";
    auto crc = static_cast<uint32_t>(crc32_z(0, npy.data(), npy.size()));
    Bytes zip;
    auto sizes = [&] {
        put(zip, 20, 2), put(zip, 0, 2), put(zip, 8, 2), put(zip, 0, 4), put(zip, crc, 4);
        put(zip, packed.size(), 4), put(zip, npy.size(), 4), put(zip, name.size(), 2), put(zip, 0, 2);
    };
    put(zip, 0x04034b50, 4);
    sizes();
    zip.insert(zip.end(), name.begin(), name.end());
    zip.insert(zip.end(), packed.begin(), packed.end());
    size_t directory = zip.size();
    put(zip, 0x02014b50, 4), put(zip, 20, 2);
    sizes();
    put(zip, 0, 2), put(zip, 0, 2), put(zip, 0, 2), put(zip, 0, 4), put(zip, 0, 4);
    zip.insert(zip.end(), name.begin(), name.end());
    size_t end = zip.size();
    put(zip, 0x06054b50, 4), put(zip, 0, 4), put(zip, 1, 2), put(zip, 1, 2), put(zip, end - directory, 4);
    put(zip, directory, 4), put(zip, comment.size(), 2);
    zip.insert(zip.end(), comment.begin(), comment.end());
    return zip;
}

Bytes npy_with_header(const std::string& dictionary, const Bytes& data) {
    Bytes bytes{0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
    put(bytes, dictionary.size(), 2);
    bytes.insert(bytes.end(), dictionary.begin(), dictionary.end());
    bytes.insert(bytes.end(), data.begin(), data.end());
    return bytes;
}

Result<TensorRef> read_as(const std::string& format, const Bytes& bytes, int32_t dtype) {
    // Copied to a block of exactly this size, so that a sanitizer sees every byte read past the end.
    std::unique_ptr<uint8_t[]> exact(new uint8_t[bytes.size()]);
    std::ranges::copy(bytes, exact.get());
    MemorySource source({exact.get(), bytes.size()});
    if (format == "npy") return read_npy(source, dtype);
    if (format == "safetensors") {
        Result<std::vector<std::string>> names = safetensors_names(source);
        if (!names) return names.refusal();
        if (names->empty()) return Refusal{"no tensors"};
        return read_safetensors(source, names->front());
    }
    Result<std::vector<ZipMember>> members = zip_members(source);
    if (!members) return members.refusal();
    if (members->empty()) return Refusal{"no members"};
    Result<Bytes> member = read_zip_member(source, members->front());
    if (!member) return member.refusal();
    return read_npy(MemorySource(*member), dtype);
}

}  // namespace tsr::runtime::tests
