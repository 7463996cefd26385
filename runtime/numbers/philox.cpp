#include "runtime/numbers/philox.h"

namespace tsr::runtime {

PhiloxBlock philox(PhiloxBlock counter, std::array<uint32_t, 2> key) {
    constexpr uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
    constexpr uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
    for (int round = 0; round < 10; ++round) {
        uint64_t product0 = uint64_t{kMultiplier0} * counter[0];
        uint64_t product1 = uint64_t{kMultiplier1} * counter[2];
        counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(product1),
                   static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(product0)};
        key[0] += kWeyl0;
        key[1] += kWeyl1;
    }
    return counter;
}

PhiloxBlock philox(const TsrRandomKey& key, uint64_t block) {
    return philox(PhiloxBlock{static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), key.count, key.site},
                  {static_cast<uint32_t>(key.seed), static_cast<uint32_t>(key.seed >> 32)});
}

}  // namespace tsr::runtime

extern "C" void tsr_philox4x32_10(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
    auto words = tsr::runtime::philox({counter[0], counter[1], counter[2], counter[3]}, {key[0], key[1]});
    for (int i = 0; i < 4; ++i) out[i] = words[static_cast<unsigned>(i)];
}
