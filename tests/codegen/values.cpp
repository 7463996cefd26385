#include "values.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace tsr::test {

using ir::Bits;

namespace {

size_t bytes_of(DType type) { return static_cast<size_t>(bits(type) + 7) / 8; }

std::vector<Bits> real_edges(DType type) {
    const double large = std::numeric_limits<double>::infinity();
    std::vector<double> numbers{
        0.0,    -0.0,        1.0,         -1.0,         0.5,         -0.5,   1.5,     2.5,    -2.5,    3.0,    7.0,
        -7.0,   0.1,         -0.3,        127.5,        -128.5,      255.5,  32767.5, 65504., 65519.9, 65520., 1e9,
        -1e9,   2147483647., 2147483648., -2147483649., 4294967295., 9.2e18, 1.9e19,  1e30,   -1e38,   3.4e38, 1e-5,
        6e-8,   1e-40,       -1e-45,      1e-300,       1e300,       large,  -large,  448.,   464.,    465.,   57344.,
        61440., 28.,         29.,         30.,          7.25,        6.0,    5.0,     0.25,   0.75,    0.125};
    std::vector<Bits> all;
    for (const double number : numbers)
        all.push_back(ir::cast_scalar(DType::f64, type, std::bit_cast<uint64_t>(number)));
    all.push_back(ir::cast_scalar(DType::f64, type, std::bit_cast<uint64_t>(std::nan(""))));
    return all;
}

std::vector<Bits> whole_edges(DType type) {
    const int width = bits(type);
    const uint64_t top = uint64_t{1} << (width - 1);
    std::vector<Bits> all;
    for (const uint64_t raw : {uint64_t{0},
                               uint64_t{1},
                               ~uint64_t{0},
                               uint64_t{2},
                               ~uint64_t{1},
                               top,
                               top - 1,
                               top + 1,
                               uint64_t{3},
                               uint64_t{5},
                               uint64_t{7},
                               ~uint64_t{6},
                               uint64_t{8},
                               uint64_t{31},
                               uint64_t{32},
                               uint64_t{33},
                               uint64_t{63},
                               uint64_t{64},
                               uint64_t{100},
                               uint64_t{1} << 24,
                               (uint64_t{1} << 24) + 1,
                               (uint64_t{1} << 53) + 1,
                               uint64_t{0x4040000000000001},
                               uint64_t{0x7fffffbfffffffff},
                               uint64_t{0x8080808080808080}}) {
        all.push_back(ir::canonical(type, raw));
    }
    return all;
}

}  // namespace

std::vector<Bits> operands_of(DType type, size_t count, uint64_t seed) {
    std::mt19937_64 random(seed);
    const bool real = is_float(type) || type == DType::e8m0;
    std::vector<Bits> all = real ? real_edges(type) : whole_edges(type);
    // The edges meet each other in different pairs.
    const size_t edges = all.size();
    while (all.size() < std::min(count / 2, edges + 256)) all.push_back(all[random() % edges]);
    while (all.size() < count) {
        const uint64_t raw = random();
        switch (random() % 3) {
            case 0:
                all.push_back(ir::canonical(type, raw));
                break;
            case 1:
                all.push_back(ir::cast_scalar(DType::i64, type, raw % 2001 - 1000));
                break;
            default: {
                const double number = std::ldexp(static_cast<double>(static_cast<int64_t>(raw)),
                                                 -63 + static_cast<int>(random() % 40) - 20);
                all.push_back(ir::cast_scalar(DType::f64, type, std::bit_cast<uint64_t>(number)));
            }
        }
    }
    all.resize(count);
    return all;
}

double real_of(DType type, Bits value) { return std::bit_cast<double>(ir::cast_scalar(type, DType::f64, value)); }

bool is_nan(DType type, Bits value) {
    if (!is_float(type) && type != DType::e8m0) return false;
    const double number = real_of(type, value);
    return number != number;
}

Array::Array(DType type, size_t count) : type_(type), bytes_(count * bytes_of(type) + 64) {}

Array::Array(DType type, const std::vector<Bits>& values) : Array(type, values.size()) {
    const size_t each = bytes_of(type);
    for (size_t i = 0; i < values.size(); ++i) std::memcpy(bytes_.data() + i * each, &values[i], each);
}

Bits Array::at(size_t index) const {
    uint64_t raw = 0;
    const size_t each = bytes_of(type_);
    std::memcpy(&raw, bytes_.data() + index * each, each);
    return ir::canonical(type_, raw);
}

}  // namespace tsr::test
