// Broken files: cut at every byte, every byte changed, random changes. Readers answer with a tensor or a message.
#include <cstdlib>

#include <doctest/doctest.h>

#include "file_helpers.h"

namespace tsr::runtime::tests {

namespace {

struct Sample {
    std::string format;
    Bytes bytes;
};

std::vector<Sample> samples() {
    TensorRef small = counting(TSR_F32, {2, 3}), packed = counting(TSR_FP6_E2M3, {2, 6}),
              bytes = counting(TSR_U8, {40});
    return {{"npy", npy_of(small)},
            {"npz", npz_of({{"a", small}, {"b", bytes}})},
            {"npz", deflated_npz_of(bytes)},
            {"safetensors", safetensors_of({{"a", small}, {"b", packed}})}};
}

// A tensor that was accepted is whole: all its elements can be read.
void use(const Result<TensorRef>& result) {
    if (!result) {
        REQUIRE(!result.message().empty());
        return;
    }
    REQUIRE(size(**result) <= 1 << 20);
    REQUIRE(values(**result).size() == static_cast<size_t>(size(**result)));
}

}  // namespace

TEST_CASE("a file cut off anywhere is refused") {
    for (const Sample& sample : samples()) {
        REQUIRE(read_as(sample.format, sample.bytes));
        for (size_t length = 0; length < sample.bytes.size(); ++length) {
            CAPTURE(sample.format);
            CAPTURE(length);
            Bytes cut(sample.bytes.begin(), sample.bytes.begin() + static_cast<std::ptrdiff_t>(length));
            REQUIRE(!read_as(sample.format, cut));
        }
    }
}

TEST_CASE("a file with any byte changed does no harm") {
    for (const Sample& sample : samples()) {
        for (size_t at = 0; at < sample.bytes.size(); ++at) {
            for (int change : {0x01, 0x80, 0xFF, 0x20}) {
                Bytes bytes = sample.bytes;
                bytes[at] = static_cast<uint8_t>(bytes[at] ^ change);
                CAPTURE(sample.format);
                CAPTURE(at);
                use(read_as(sample.format, bytes));
            }
        }
    }
}

TEST_CASE("files with random changes do no harm") {
    // TSR_MUTANTS asks for more of them; a round is found again by its number.
    const char* asked = std::getenv("TSR_MUTANTS");
    int rounds = asked != nullptr ? std::atoi(asked) : 20000;
    std::vector<Sample> all = samples();
    const std::string digits = "0123456789,[]{}()\"':-eF";
    for (int round = 0; round < rounds; ++round) {
        Dice dice(static_cast<uint64_t>(round));
        const Sample& sample = all[static_cast<size_t>(dice.below(static_cast<int64_t>(all.size())))];
        Bytes bytes = sample.bytes;
        for (int64_t changes = 1 + dice.below(6); changes > 0 && !bytes.empty(); --changes) {
            auto at = static_cast<size_t>(dice.below(static_cast<int64_t>(bytes.size())));
            auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
            switch (dice.below(5)) {
                case 0:
                    bytes[at] = static_cast<uint8_t>(dice.below(256));
                    break;
                case 1:
                    bytes.erase(place);
                    break;
                case 2:
                    bytes.insert(place, static_cast<uint8_t>(dice.below(256)));
                    break;
                case 3:
                    bytes[at] = static_cast<uint8_t>(digits[static_cast<size_t>(dice.below(23))]);
                    break;
                case 4:
                    bytes.resize(at);
                    break;
            }
        }
        CAPTURE(round);
        use(read_as(sample.format, bytes));
    }
}

}  // namespace tsr::runtime::tests
