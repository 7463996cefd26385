// Tensors to files and back, and what is refused.
#include <cstring>
#include <filesystem>

#include <doctest/doctest.h>

#include "file_helpers.h"
#include "runtime/io/json.h"
#include "runtime/numbers/dtypes.h"

namespace tsr::runtime::tests {

namespace {

// Every element type in every rank up to three, odd row lengths among them.
std::vector<TensorRef> all_samples() {
    std::vector<TensorRef> result;
    Dice dice(4);
    for (int32_t dtype = 0; dtype < TSR_DTYPES; ++dtype) {
        for (std::vector<int64_t> extents : {std::vector<int64_t>{}, {7}, {0}, {3, 8}, {2, 3, 5}}) {
            TensorRef t(tsr_zeros(dtype, extents.data(), static_cast<int32_t>(extents.size()), nullptr));
            int64_t row = extents.empty() ? 1 : extents.back(),
                    pitch = extents.size() < 2 ? row : t->strides[extents.size() - 2];
            for (int64_t i = 0; i < size(*t); ++i) {
                write_bits(*t, i / row * pitch + i % row, dtype == TSR_BOOL ? dice.bits() & 1 : dice.bits());
            }
            result.push_back(t);
        }
    }
    return result;
}

// Equal in type, shape and every bit.
bool same(const TsrTensor& a, const TsrTensor& b) {
    if (!same_storage(a.dtype, b.dtype) || type_text(TSR_I8, shape(a)) != type_text(TSR_I8, shape(b))) return false;
    return std::memcmp(a.dl.data, b.dl.data, static_cast<size_t>(*dense_bytes(a.dtype, shape(a)))) == 0;
}

std::string refusal(const std::string& format, const Bytes& bytes, int32_t dtype = -1) {
    Result<TensorRef> result = read_as(format, bytes, dtype);
    return result ? "accepted" : result.message();
}

Bytes safetensors(const std::string& header, size_t data) {
    Bytes bytes;
    for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<uint8_t>(header.size() >> (8 * i)));
    bytes.insert(bytes.end(), header.begin(), header.end());
    bytes.resize(bytes.size() + data);
    return bytes;
}

}  // namespace

TEST_CASE("every tensor comes back from every format that can hold it") {
    for (const TensorRef& t : all_samples()) {
        CAPTURE(type_text(*t));
        bool whole_bytes = size(*t) * bits(t->dtype) % 8 == 0;
        Bytes file = safetensors_of({{"t", t}});
        CHECK(file.empty() == !whole_bytes);
        if (whole_bytes) {
            Result<TensorRef> back = read_as("safetensors", file);
            REQUIRE(back);
            CHECK(same(*t, **back));
        }
        for (const std::string format : {"npy", "npz"}) {
            Bytes bytes = format == "npy" ? npy_of(t) : npz_of({{"t", t}});
            CHECK(bytes.empty() == is_packed(t->dtype));
            if (is_packed(t->dtype)) continue;
            Result<TensorRef> back = read_as(format, bytes, t->dtype);
            REQUIRE(back);
            CHECK(same(*t, **back));
        }
        if (is_packed(t->dtype)) continue;
        Result<TensorRef> back = read_as("npz", deflated_npz_of(t), t->dtype);
        REQUIRE(back);
        CHECK(same(*t, **back));
    }
}

TEST_CASE(".npy: orders of bytes and of axes, versions, names of types") {
    Bytes six{0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6};
    Result<TensorRef> big =
        read_as("npy", npy_with_header("{'descr': '>i2', 'fortran_order': False, 'shape': (2, 3)}", six));
    REQUIRE(big);
    CHECK(values(**big) == std::vector<double>{1, 2, 3, 4, 5, 6});
    Result<TensorRef> columns =
        read_as("npy", npy_with_header("{'shape': (2, 3,), 'fortran_order': True, 'descr': \">u2\", }\n", six));
    REQUIRE(columns);
    CHECK(values(**columns) == std::vector<double>{1, 3, 5, 2, 4, 6});
    CHECK(tsr_is_dense(columns->get()));
    Bytes second = npy_with_header("{'descr': '|i1', 'fortran_order': False, 'shape': ()}", {42});
    second[6] = 3;
    second.insert(second.begin() + 10, {0, 0});
    Result<TensorRef> later = read_as("npy", second);
    REQUIRE(later);
    CHECK(values(**later) == std::vector<double>{42});
    Bytes two{0x80, 0x3F};
    CHECK(values(**read_as("npy", npy_with_header("{'descr': '<V2', 'fortran_order': False, 'shape': (1,)}", two))) ==
          std::vector<double>{1});
    CHECK(refusal("npy", npy_with_header("{'descr': '|V1', 'fortran_order': False, 'shape': (2,)}", two)) ==
          "the element type '|V1' has no name in .npy; use .safetensors");
    CHECK(
        read_as("npy", npy_with_header("{'descr': '|V1', 'fortran_order': False, 'shape': (2,)}", two), TSR_FP8_E4M3));
    Result<TensorRef> bools =
        read_as("npy", npy_with_header("{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}", two));
    REQUIRE(bools);
    CHECK(static_cast<uint8_t*>((*bools)->dl.data)[0] == 1);
}

TEST_CASE(".npy: what is refused, and how it is said") {
    auto header = [](const std::string& descr, const std::string& shape, const Bytes& data) {
        return refusal(
            "npy", npy_with_header("{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + "}", data));
    };
    CHECK(header("'<f4'", "(2,)", {0, 0, 0, 0}) == "truncated: f32[2] needs 8 bytes of data, the file has 4");
    CHECK(header("'<f4'", "(1,)", Bytes(5)) == "malformed: f32[1] needs 4 bytes of data, the file has 5");
    CHECK(header("'<f4'", "(4611686018427387904, 16)", {}) == "f32[4611686018427387904, 16] has more than 2^58 bytes");
    CHECK(header("'<f4'", "(99999999999999999999,)", {}) ==
          "malformed: the header is not the dictionary that NumPy writes");
    CHECK(header("'<f4'", "(-1,)", {}) == "malformed: the header is not the dictionary that NumPy writes");
    CHECK(header("'<f4'", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)", Bytes(4)) ==
          "a tensor of rank 17; at most 16 axes are possible");
    CHECK(header("'<U4'", "(1,)", Bytes(16)) == "the element type '<U4' is none of Tessera's");
    CHECK(header("'|O'", "(1,)", Bytes(8)) == "the element type '|O' is none of Tessera's");
    CHECK(header("[('a', '<f4')]", "(1,)", Bytes(4)) == "the elements are records (a structured dtype), not numbers");
    CHECK(refusal("npy", npy_with_header("{'descr': '<f4'}", {})) ==
          "malformed: the header is not the dictionary that NumPy writes");
    CHECK(refusal("npy", {}) == "not a .npy file: it does not begin with \\x93NUMPY");
    Bytes version = npy_with_header("{}", {});
    version[6] = 4;
    CHECK(refusal("npy", version) == "version 4.0 of the .npy format is unknown");
}

TEST_CASE(".safetensors: what is refused, and how it is said") {
    auto entry = [](const char* dtype, const char* shape, int begin, int end) {
        return std::string("{\"dtype\":\"") + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":[" +
               std::to_string(begin) + "," + std::to_string(end) + "]}";
    };
    CHECK(refusal("safetensors", safetensors("{\"a\":" + entry("F32", "[2]", 0, 8) + "}", 8)) == "accepted");
    CHECK(refusal("safetensors",
                  safetensors("{\"__metadata__\":{\"k\":\"v\"},\"a\":" + entry("F4", "[2,3]", 0, 3) + "}", 3)) ==
          "accepted");
    CHECK(refusal("safetensors", safetensors("{\"a\":" + entry("F32", "[2]", 0, 8) + "}", 7)) ==
          "truncated: the header describes 8 bytes of data, the file has 7");
    CHECK(refusal("safetensors", safetensors("{\"a\":" + entry("F32", "[2]", 0, 8) + "}", 9)) ==
          "malformed: the header describes 8 bytes of data, the file has 9");
    CHECK(refusal("safetensors", safetensors("{\"a\":" + entry("F32", "[3]", 0, 8) + "}", 8)) ==
          "malformed: 'a' is f32[3] and has 8 bytes of data");
    CHECK(refusal("safetensors", safetensors("{\"a\":" + entry("F4", "[3]", 0, 2) + "}", 2)) ==
          "malformed: 'a' is fp4_e2m1[3] and has 2 bytes of data");
    CHECK(refusal("safetensors", safetensors("{\"a\":" + entry("F128", "[1]", 0, 16) + "}", 16)) ==
          "the element type 'F128' is none of Tessera's");
    CHECK(refusal("safetensors",
                  safetensors("{\"a\":" + entry("U8", "[4]", 0, 4) + ",\"b\":" + entry("U8", "[4]", 2, 6) + "}", 6)) ==
          "malformed: the data of 'b' begin at 2, expected 4");
    CHECK(refusal("safetensors", safetensors("{\"a\":" + entry("U8", "[4]", 4, 8) + "}", 8)) ==
          "malformed: the data of 'a' begin at 4, expected 0");
    CHECK(refusal("safetensors", safetensors("{\"a\":" + entry("U8", "[4]", 4, 0) + "}", 4)) ==
          "malformed: the entry of 'a' lacks a dtype, a shape or two data_offsets");
    CHECK(refusal("safetensors", safetensors("{\"a\":1}", 0)) ==
          "malformed: the entry of 'a' lacks a dtype, a shape or two data_offsets");
    CHECK(refusal("safetensors", safetensors("{\"a\"}", 0)) == "malformed JSON at byte 4");
    CHECK(refusal("safetensors", Bytes(8, 0xFF)) == "malformed: a header of more than 100 MB");
    CHECK(refusal("safetensors", Bytes(7)) == "truncated: a .safetensors file has at least 8 bytes");
}

TEST_CASE("keys of archives, and messages that name the file") {
    Folder folder;
    std::string path = folder.path("two.npz"), other = folder.path("two.safetensors");
    std::vector<NamedTensor> two{{"x", counting(TSR_F32, {3})}, {"y", counting(TSR_I64, {2, 2})}};
    REQUIRE(save_tensors(path, two));
    REQUIRE(save_tensors(other, two));
    for (const std::string& file : {path, other}) {
        CHECK(values(**load_tensor({file, "y"}, TSR_INDEX, 2)) == std::vector<double>{0, 1, 2, 3});
        CHECK(load_tensor({file, ""}, -1, -1).message() ==
              file + ": which tensor? Write the file as FILE:KEY; its keys are: x, y");
        CHECK(load_tensor({file, "z"}, -1, -1).message() == file + ":z: no tensor 'z'; its keys are: x, y");
        CHECK(load_tensor({file, "x"}, TSR_F64, 1).message() == file + ":x: holds f32[3], but f64 elements are needed");
        CHECK(load_tensor({file, "x"}, TSR_F32, 2).message() ==
              file + ":x: holds f32[3] of rank 1, but rank 2 is needed");
    }
    CHECK(load_tensor({folder.path("no.npy"), ""}, -1, -1).message() == folder.path("no.npy") + ": no such file");
    CHECK(load_tensor({folder.path("no.txt"), ""}, -1, -1)
              .message()
              .ends_with("are read from .npy, .npz and .safetensors files"));
    std::filesystem::create_directory(folder.path("a.npy"));
    CHECK(load_tensor({folder.path("a.npy"), ""}, -1, -1).message() == folder.path("a.npy") + ": this is a folder");
    CHECK(split_location("a:b/c.npz:k:l").path == "a:b/c.npz");
    CHECK(split_location("a:b/c.npz:k:l").key == "k:l");
    CHECK(split_location("c.npy").key.empty());
}

TEST_CASE("a file is there whole or not at all") {
    Folder folder;
    std::string path = folder.path("t.npy");
    write_bytes(path, {1, 2, 3});
    std::vector<NamedTensor> two{{"x", counting(TSR_F32, {3})}, {"y", counting(TSR_F32, {2})}};
    CHECK(save_tensors(path, two).message() ==
          path + ": 2 tensors do not go into one .npy file; use .npz or .safetensors");
    CHECK(read_bytes(path) == Bytes{1, 2, 3});
    std::vector<NamedTensor> packed{{"x", counting(TSR_FP4_E2M1, {4})}};
    CHECK(save_tensors(path, packed).message() == path + ": fp4_e2m1 has no form in .npy; use .safetensors");
    CHECK(folder.names() == std::vector<std::string>{"t.npy"});
    std::vector<NamedTensor> one{two[0]};
    CHECK(save_tensors(folder.path("no/t.npy"), one).message() == folder.path("no/t.npy") + ": no such folder");
    CHECK(save_tensors("/dev/full", one).message() == "/dev/full: No space left on device");
    CHECK(save_tensors(folder.path("t.xyz"), one)
              .message()
              .ends_with("are written to .npy, .npz, .safetensors and .png files"));
    REQUIRE(save_tensors(path, one));
    CHECK(folder.names() == std::vector<std::string>{"t.npy"});
    CHECK(values(**load_tensor({path, ""}, TSR_F32, 1)) == std::vector<double>{0, 1, 2});
    // Through a link the file is replaced, not the link.
    std::filesystem::create_symlink("t.npy", folder.path("link.npy"));
    REQUIRE(save_tensors(folder.path("link.npy"), {&two[1], 1}));
    CHECK(std::filesystem::is_symlink(folder.path("link.npy")));
    CHECK(values(**load_tensor({path, ""}, TSR_F32, 1)) == std::vector<double>{0, 1});
}

TEST_CASE("pictures") {
    Folder folder;
    std::vector<NamedTensor> grey{{"p", counting(TSR_U8, {4, 5})}}, wrong{{"p", counting(TSR_F32, {4, 5})}};
    REQUIRE(save_tensors(folder.path("p.png"), grey));
    Bytes png = read_bytes(folder.path("p.png"));
    CHECK(Bytes(png.begin(), png.begin() + 8) == Bytes{0x89, 'P', 'N', 'G', 13, 10, 26, 10});
    CHECK(Bytes(png.begin() + 16, png.begin() + 29) == Bytes{0, 0, 0, 5, 0, 0, 0, 4, 8, 0, 0, 0, 0});
    CHECK(save_tensors(folder.path("q.png"), wrong).message() ==
          folder.path("q.png") + ": f32[4, 5] is no picture; .png holds u8[H, W], u8[H, W, 3] or u8[H, W, 4]");
}

TEST_CASE("JSON: values, and what is none") {
    Result<Json> json = parse_json(" {\"a\": [1, -2.5, true, null, \"\\u00e9\\n\\ud83d\\ude00\"], \"b\": {}} ");
    REQUIRE(json);
    const Json* a = json->member("a");
    REQUIRE(a != nullptr);
    CHECK(a->items[0].integer == 1);
    CHECK(a->items[1].number == -2.5);
    CHECK(a->items[2].boolean);
    CHECK(a->items[4].string == "é\n😀");
    CHECK(json_quoted("é\"\n") == "\"é\\\"\\u000a\"");
    for (const char* wrong : {"", "{", "[1,]", "{\"a\":1,}", "01", "1.", "+1", "nul", "\"\\x\"", "\"\\ud83d\"",
                              "\"\xff\"", "\"\xc0\x80\"", "{\"a\":1,\"a\":2}", "[1] 2", "\"\t\""}) {
        CAPTURE(wrong);
        CHECK(!parse_json(wrong));
    }
    CHECK(!parse_json(std::string(100000, '[')));
}

}  // namespace tsr::runtime::tests
