#include "runtime/io/safetensors.h"

#include <algorithm>
#include <array>

#include "runtime/fail.h"
#include "runtime/io/json.h"
#include "runtime/io/npy.h"
#include "runtime/io/packing.h"
#include "runtime/numbers/dtypes.h"

namespace tsr::runtime {

namespace {

constexpr int64_t kMostHeaderBytes = 100'000'000;  // the limit of the format's own library

struct Name {
    std::string_view text;
    int32_t dtype;
};
constexpr std::array kNames{
    Name{"BOOL", TSR_BOOL},
    Name{"I4", TSR_I4},
    Name{"I8", TSR_I8},
    Name{"I16", TSR_I16},
    Name{"I32", TSR_I32},
    Name{"I64", TSR_I64},
    Name{"U8", TSR_U8},
    Name{"U16", TSR_U16},
    Name{"U32", TSR_U32},
    Name{"U64", TSR_U64},
    Name{"F64", TSR_F64},
    Name{"F32", TSR_F32},
    Name{"F16", TSR_F16},
    Name{"BF16", TSR_BF16},
    Name{"F8_E4M3", TSR_FP8_E4M3},
    Name{"F8_E5M2", TSR_FP8_E5M2},
    Name{"F6_E3M2", TSR_FP6_E3M2},
    Name{"F6_E2M3", TSR_FP6_E2M3},
    Name{"F4", TSR_FP4_E2M1},
    Name{"F8_E8M0", TSR_E8M0},
    Name{"C64", TSR_C64},
};

struct Entry {
    std::string name, dtype;
    std::vector<int64_t> shape;
    int64_t begin = 0, end = 0;
};

struct Header {
    std::vector<Entry> entries;
    int64_t data = 0;  // where the data begin
    Json metadata;
};

bool read_integers(const Json* json, std::vector<int64_t>& out) {
    if (json == nullptr || json->kind != Json::Kind::array) return false;
    for (const Json& item : json->items) {
        if (item.kind != Json::Kind::integer || item.integer < 0) return false;
        out.push_back(item.integer);
    }
    return true;
}

Result<Entry> read_entry(const std::string& name, const Json& json) {
    Entry entry;
    entry.name = name;
    const Json* dtype = json.member("dtype");
    std::vector<int64_t> offsets;
    bool whole = json.kind == Json::Kind::object && dtype != nullptr && dtype->kind == Json::Kind::string &&
                 read_integers(json.member("shape"), entry.shape) &&
                 read_integers(json.member("data_offsets"), offsets) && offsets.size() == 2 && offsets[0] <= offsets[1];
    if (!whole) return Refusal{"malformed: the entry of '" + name + "' lacks a dtype, a shape or two data_offsets"};
    entry.dtype = dtype->string;
    entry.begin = offsets[0];
    entry.end = offsets[1];
    return entry;
}

// The data are covered from the first byte to the last, each byte once.
Result<Done> check_ranges(std::vector<Entry> entries, int64_t bytes) {
    std::ranges::sort(entries, {}, [](const Entry& e) { return std::pair(e.begin, e.end); });
    int64_t covered = 0;
    for (const Entry& entry : entries) {
        if (entry.begin != covered) {
            return Refusal{text("malformed: the data of '%s' begin at %lld, expected %lld", entry.name.c_str(),
                                static_cast<long long>(entry.begin), static_cast<long long>(covered))};
        }
        covered = entry.end;
    }
    if (covered == bytes) return Done{};
    return Refusal{text("%s: the header describes %lld bytes of data, the file has %lld",
                        covered > bytes ? "truncated" : "malformed", static_cast<long long>(covered),
                        static_cast<long long>(bytes))};
}

Result<Header> read_header(const Source& source) {
    std::array<uint8_t, 8> prefix{};
    if (source.size() < 8) return Refusal{"truncated: a .safetensors file has at least 8 bytes"};
    if (auto read = source.read(0, prefix); !read) return read.refusal();
    auto length = little_endian<uint64_t>(prefix.data());
    if (length > static_cast<uint64_t>(kMostHeaderBytes)) return Refusal{"malformed: a header of more than 100 MB"};
    if (length > static_cast<uint64_t>(source.size() - 8)) return Refusal{"truncated: the header is cut off"};
    std::string header_text(length, '\0');
    auto read = source.read(8, {reinterpret_cast<uint8_t*>(header_text.data()), header_text.size()});
    if (!read) return read.refusal();
    Result<Json> json = parse_json(header_text);
    if (!json) return json.refusal();
    if (json->kind != Json::Kind::object) return Refusal{"malformed: the header is no JSON object"};
    Header header;
    header.data = 8 + static_cast<int64_t>(length);
    for (size_t i = 0; i < json->keys.size(); ++i) {
        if (json->keys[i] == "__metadata__") {
            header.metadata = json->items[i];
            continue;
        }
        Result<Entry> entry = read_entry(json->keys[i], json->items[i]);
        if (!entry) return entry.refusal();
        header.entries.push_back(*entry);
    }
    if (auto checked = check_ranges(header.entries, source.size() - header.data); !checked) return checked.refusal();
    return header;
}

Result<TensorRef> read_tensor(const Source& source, const Header& header, const Entry& entry) {
    const auto* name = std::ranges::find(kNames, entry.dtype, &Name::text);
    if (name == kNames.end()) return Refusal{"the element type '" + entry.dtype + "' is none of Tessera's"};
    Result<int64_t> padded = dense_bytes(name->dtype, entry.shape);
    if (!padded) return padded.refusal();
    int64_t count = 1;
    for (int64_t extent : entry.shape) count *= extent;  // dense_bytes has bounded it
    int64_t bits = count * runtime::bits(name->dtype);
    int64_t bytes = entry.end - entry.begin;
    if (bits % 8 != 0 || bits / 8 != bytes) {
        return Refusal{text("malformed: '%s' is %s and has %lld bytes of data", entry.name.c_str(),
                            type_text(name->dtype, entry.shape).c_str(), static_cast<long long>(bytes))};
    }
    Result<TensorRef> tensor = try_make_tensor(name->dtype, entry.shape, Contents::zero);
    if (!tensor) return tensor;
    auto* data = static_cast<uint8_t*>((*tensor)->dl.data);
    if (rows_fill_packs(**tensor)) {
        if (auto read = source.read(header.data + entry.begin, {data, static_cast<size_t>(bytes)}); !read) {
            return read.refusal();
        }
    } else {
        std::vector<uint8_t> packed(static_cast<size_t>(bytes));
        if (auto read = source.read(header.data + entry.begin, packed); !read) return read.refusal();
        unpack_gapless(**tensor, packed);
    }
    if (name->dtype == TSR_BOOL) {
        for (int64_t i = 0; i < bytes; ++i) data[i] = data[i] != 0;
    }
    return tensor;
}

}  // namespace

Result<std::vector<std::string>> safetensors_names(const Source& source) {
    Result<Header> header = read_header(source);
    if (!header) return header.refusal();
    std::vector<std::string> names;
    for (const Entry& entry : header->entries) names.push_back(entry.name);
    return names;
}

Result<TensorRef> read_safetensors(const Source& source, const std::string& key) {
    Result<Header> header = read_header(source);
    if (!header) return header.refusal();
    for (const Entry& entry : header->entries) {
        if (entry.name == key) return read_tensor(source, *header, entry);
    }
    return Refusal{"no tensor named '" + key + "'"};
}

Result<std::string> safetensors_metadata(const Source& source, const std::string& key) {
    Result<Header> header = read_header(source);
    if (!header) return header.refusal();
    const Json* said = header->metadata.kind == Json::Kind::object ? header->metadata.member(key) : nullptr;
    return said != nullptr && said->kind == Json::Kind::string ? said->string : std::string();
}

Result<Done> write_safetensors(OutputFile& file, std::span<const NamedTensor> tensors,
                               std::span<const Metadata> metadata) {
    std::string header = "{";
    for (const Metadata& entry : metadata) {
        header += header.size() > 1 ? "," : "\"__metadata__\":{";
        header += json_quoted(entry.key) + ":" + json_quoted(entry.value);
    }
    if (!metadata.empty()) header += '}';
    int64_t at = 0;
    for (const NamedTensor& entry : tensors) {
        const TsrTensor& t = *entry.tensor;
        int32_t dtype = t.dtype == TSR_INDEX ? TSR_I64 : t.dtype;
        const auto* name = std::ranges::find(kNames, dtype, &Name::dtype);
        if (gapless_bits(t) % 8 != 0) {
            return Refusal{type_text(t) + " does not fill whole bytes, as .safetensors demands"};
        }
        int64_t end = at + gapless_bits(t) / 8;
        if (header.size() > 1) header += ',';
        header += json_quoted(entry.name) + ":{\"dtype\":\"" + std::string(name->text) + "\",\"shape\":[";
        for (size_t axis = 0; axis < shape(t).size(); ++axis) {
            header += (axis > 0 ? "," : "") + std::to_string(shape(t)[axis]);
        }
        header += "],\"data_offsets\":[" + std::to_string(at) + "," + std::to_string(end) + "]}";
        at = end;
    }
    header += '}';
    header.resize((header.size() + 7) / 8 * 8, ' ');  // the data begin aligned
    std::array<uint8_t, 8> prefix{};
    for (size_t i = 0; i < 8; ++i) prefix[i] = static_cast<uint8_t>(header.size() >> (8 * i));
    file.write(prefix);
    file.write(header);
    for (const NamedTensor& entry : tensors) {
        if (rows_fill_packs(*entry.tensor)) {
            file.write(dense_data(*entry.tensor).first(static_cast<size_t>(gapless_bits(*entry.tensor) / 8)));
        } else {
            file.write(pack_gapless(*entry.tensor));
        }
    }
    return Done{};
}

}  // namespace tsr::runtime
