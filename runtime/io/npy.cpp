#include "runtime/io/npy.h"

#include <algorithm>
#include <array>
#include <optional>

#include "runtime/fail.h"
#include "runtime/io/npy_header.h"
#include "runtime/numbers/dtypes.h"

namespace tsr::runtime {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr int64_t kLongestHeader = int64_t{1} << 20;

struct Code {
    std::string_view text;  // without the byte order
    int32_t dtype;
};
constexpr std::array kCodes{
    Code{"b1", TSR_BOOL}, Code{"i1", TSR_I8},  Code{"i2", TSR_I16}, Code{"i4", TSR_I32}, Code{"i8", TSR_I64},
    Code{"u1", TSR_U8},   Code{"u2", TSR_U16}, Code{"u4", TSR_U32}, Code{"u8", TSR_U64}, Code{"f2", TSR_F16},
    Code{"f4", TSR_F32},  Code{"f8", TSR_F64}, Code{"c8", TSR_C64},
};

bool is_byte_float(int32_t dtype) { return dtype == TSR_FP8_E4M3 || dtype == TSR_FP8_E5M2 || dtype == TSR_E8M0; }

struct Encoding {
    int32_t dtype;
    bool swapped;
};

Result<Encoding> read_encoding(const std::string& descr, int32_t wanted) {
    std::string_view code = descr;
    bool has_order = !code.empty() && std::string_view("<>=|").find(code[0]) != std::string_view::npos;
    bool swapped = has_order && code[0] == '>';
    if (has_order) code.remove_prefix(1);
    for (const Code& known : kCodes) {
        if (known.text == code) return Encoding{known.dtype, swapped && bits(known.dtype) > 8};
    }
    if (code == "V2" && !swapped && (wanted < 0 || wanted == TSR_BF16)) return Encoding{TSR_BF16, false};
    if ((code == "V1" || code == "f1") && is_byte_float(wanted)) return Encoding{wanted, false};
    if (code == "V1") return Refusal{"the element type '" + descr + "' has no name in .npy; use .safetensors"};
    return Refusal{"the element type '" + descr + "' is none of Tessera's"};
}

void swap_bytes(std::span<uint8_t> bytes, size_t width) {
    for (size_t at = 0; at + width <= bytes.size(); at += width) {
        std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                     bytes.begin() + static_cast<std::ptrdiff_t>(at + width));
    }
}

struct Preamble {
    NpyHeader header;
    int64_t data_begin;
};

Result<Preamble> read_preamble(const Source& source) {
    std::array<uint8_t, 12> head{};
    size_t known = static_cast<size_t>(std::min<int64_t>(source.size(), 12));
    if (auto read = source.read(0, {head.data(), known}); !read) return read.refusal();
    bool magic = known >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), head.begin(),
                                                      [](char a, uint8_t b) { return static_cast<uint8_t>(a) == b; });
    if (!magic) return Refusal{"not a .npy file: it does not begin with \\x93NUMPY"};
    if (known < 10) return Refusal{"truncated: the header is cut off"};
    int version = head[6];
    if (version < 1 || version > 3)
        return Refusal{text("version %d.%d of the .npy format is unknown", version, head[7])};
    int64_t begin = version == 1 ? 10 : 12;
    int64_t length = version == 1 ? little_endian<uint16_t>(&head[8]) : int64_t{little_endian<uint32_t>(&head[8])};
    if (static_cast<int64_t>(known) < begin) return Refusal{"truncated: the header is cut off"};
    if (length > kLongestHeader) return Refusal{"malformed: a header of more than 1 MiB"};
    std::string header_text(static_cast<size_t>(length), '\0');
    auto read = source.read(begin, {reinterpret_cast<uint8_t*>(header_text.data()), header_text.size()});
    if (!read) return read.refusal();
    Result<NpyHeader> header = parse_npy_header(header_text);
    if (!header) return header.refusal();
    return Preamble{*header, begin + length};
}

// Bytes other than 0 and 1 are true as well.
void normalize_bools(std::span<uint8_t> bytes) {
    for (uint8_t& byte : bytes) byte = byte != 0;
}

}  // namespace

Result<TensorRef> read_npy(const Source& source, int32_t dtype) {
    Result<Preamble> preamble = read_preamble(source);
    if (!preamble) return preamble.refusal();
    auto& [header, begin] = *preamble;
    Result<Encoding> encoding = read_encoding(header.descr, dtype);
    if (!encoding) return encoding.refusal();
    std::vector<int64_t> shape = header.shape;
    if (header.fortran_order) std::ranges::reverse(shape);
    Result<int64_t> bytes = dense_bytes(encoding->dtype, shape);
    if (!bytes) return bytes.refusal();
    // Compared before memory is asked for: a header may promise anything.
    int64_t there = source.size() - begin;
    if (there != *bytes) {
        return Refusal{text("%s: %s needs %lld bytes of data, the file has %lld",
                            there < *bytes ? "truncated" : "malformed",
                            type_text(encoding->dtype, header.shape).c_str(), static_cast<long long>(*bytes),
                            static_cast<long long>(there))};
    }
    Result<TensorRef> tensor = try_make_tensor(encoding->dtype, shape, Contents::undefined);
    if (!tensor) return tensor;
    std::span<uint8_t> data(static_cast<uint8_t*>((*tensor)->dl.data), static_cast<size_t>(*bytes));
    if (auto read = source.read(begin, data); !read) return read.refusal();
    if (encoding->swapped)
        swap_bytes(data, encoding->dtype == TSR_C64 ? 4 : static_cast<size_t>(bits(encoding->dtype) / 8));
    if (encoding->dtype == TSR_BOOL) normalize_bools(data);
    if (!header.fortran_order || shape.size() < 2) return tensor;
    TensorRef turned(tsr_transpose(tensor->get(), nullptr, nullptr));
    return TensorRef(tsr_copy(turned.get(), nullptr));
}

Result<std::string> npy_header(const TsrTensor& tensor) {
    int32_t dtype = tensor.dtype == TSR_INDEX ? TSR_I64 : tensor.dtype;
    if (is_packed(dtype)) {
        return Refusal{std::string(name(dtype)) + " has no form in .npy; use .safetensors"};
    }
    std::string descr = dtype == TSR_BF16 ? "<V2" : is_byte_float(dtype) ? "|V1" : "";
    for (const Code& code : kCodes) {
        if (code.dtype == dtype) descr = (bits(dtype) > 8 ? "<" : "|") + std::string(code.text);
    }
    std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
    for (size_t axis = 0; axis < shape(tensor).size(); ++axis) {
        if (axis > 0) header += " ";
        header += std::to_string(shape(tensor)[axis]) + ",";
    }
    if (tensor.dl.ndim > 1) header.pop_back();
    header += "), }";
    // The data begin at a multiple of 64 bytes; the header ends in a line end.
    size_t length = (10 + header.size() + 1 + 63) / 64 * 64 - 10;
    header.resize(length - 1, ' ');
    header += '\n';
    std::string result(kMagic);
    result += {'\x01', '\x00', static_cast<char>(length & 0xFF), static_cast<char>(length >> 8)};
    return result + header;
}

std::span<const uint8_t> dense_data(const TsrTensor& tensor) {
    return {static_cast<const uint8_t*>(tensor.dl.data),
            static_cast<size_t>(*dense_bytes(tensor.dtype, shape(tensor)))};
}

}  // namespace tsr::runtime
