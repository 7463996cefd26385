// Texts and bytes of files that the program itself reads and writes.
#include <memory>

#include "runtime/fail.h"
#include "runtime/io/inputs.h"
#include "runtime/io/output_file.h"
#include "runtime/io/source.h"
#include "runtime/tensor/tensor.h"
#include "runtime/text/string.h"
#include "runtime/trace/trace.h"

namespace tsr::runtime {

namespace {

// Where UTF-8 breaks (Unicode 15, table 3-7: shortest forms, no surrogates, up to U+10FFFF); -1: nowhere.
int64_t broken_utf8(std::string_view text) {
    const auto byte = [&](size_t i) { return i < text.size() ? unsigned{static_cast<uint8_t>(text[i])} : 0U; };
    size_t i = 0;
    while (i < text.size()) {
        const unsigned first = byte(i);
        size_t length = 1;
        unsigned low = 0x80, high = 0xBF;  // of the second byte
        if (first >= 0x80) {
            if (first < 0xC2 || first > 0xF4) return static_cast<int64_t>(i);
            length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
            if (first == 0xE0) low = 0xA0;
            if (first == 0xED) high = 0x9F;
            if (first == 0xF0) low = 0x90;
            if (first == 0xF4) high = 0x8F;
            if (byte(i + 1) < low || byte(i + 1) > high) return static_cast<int64_t>(i);
            for (size_t k = 2; k < length; ++k) {
                if (byte(i + k) < 0x80 || byte(i + k) > 0xBF) return static_cast<int64_t>(i);
            }
        }
        i += length;
    }
    return -1;
}

std::unique_ptr<Source> opened(const std::string& path, const TsrPlace* place) {
    if (auto other = check_no_trace(path); !other) fail(place, "%s", other.message().c_str());
    Result<std::unique_ptr<Source>> source = open_file(path);
    if (!source) fail(place, "%s: %s", path.c_str(), source.message().c_str());
    return std::move(*source);
}

void read_whole(const std::string& path, const Source& source, std::span<uint8_t> to, const TsrPlace* place) {
    if (Result<Done> read = source.read(0, to); !read) fail(place, "%s: %s", path.c_str(), read.message().c_str());
}

}  // namespace

}  // namespace tsr::runtime

using namespace tsr::runtime;

extern "C" {

TsrString* tsr_read_text(const TsrString* path, const TsrPlace* place) {
    const std::string name(view(path));
    const std::unique_ptr<Source> source = opened(name, place);
    TsrString* text = new_string(source->size(), place);
    read_whole(name, *source, {reinterpret_cast<uint8_t*>(bytes_of(text)), static_cast<size_t>(text->length)}, place);
    if (const int64_t at = broken_utf8(view(text)); at >= 0) {
        tsr_string_release(text);
        fail(place, "%s: no text in UTF-8: byte %lld", name.c_str(), static_cast<long long>(at));
    }
    return text;
}

void tsr_write_text(const TsrString* path, const TsrString* text, const TsrPlace* place) {
    const std::string name(view(path));
    if (Result<Done> fits = check_place(name); !fits) fail(place, "%s", fits.message().c_str());
    OutputFile file(name);
    file.write(view(text));
    if (Result<Done> done = file.commit(); !done) fail(place, "%s", done.message().c_str());
}

TsrTensor* tsr_read_bytes(const TsrString* path, const TsrPlace* place) {
    const std::string name(view(path));
    const std::unique_ptr<Source> source = opened(name, place);
    const int64_t size = source->size();
    TensorRef bytes = make_tensor(TSR_U8, {&size, 1}, Contents::undefined, place);
    read_whole(name, *source, {static_cast<uint8_t*>(tsr_data(bytes.get())), static_cast<size_t>(size)}, place);
    return bytes.give();
}
}
