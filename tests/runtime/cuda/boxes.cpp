// Kernels with maps of their tensors: what the driver is told of a tensor, which launches have maps, and what becomes
// of the others. The part on a GPU needs one that copies boxes.
#include "runtime/abi/boxes.h"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "launch.h"
#include "runtime/device/cuda/maps.h"

namespace tsr::runtime::tests {

namespace {

// ---- a driver that writes down what it is asked for ----

struct Asked {
    int type = -1, interleave = -1, swizzle = -1, promotion = -1, fill = -1;
    uint32_t rank = 0;
    uint64_t address = 0;
    std::array<uint64_t, 5> extents{}, steps{};
    std::array<uint32_t, 5> box{}, every{};
};
Asked asked;
int times_asked = 0;

cuda::Status encode(void* map, int type, uint32_t rank, void* address, const uint64_t* extents, const uint64_t* steps,
                    const uint32_t* box, const uint32_t* every, int interleave, int swizzle, int promotion, int fill) {
    asked = {type, interleave, swizzle, promotion, fill, rank, reinterpret_cast<uint64_t>(address), {}, {}, {}, {}};
    for (uint32_t i = 0; i < rank; ++i) {
        asked.extents[i] = extents[i];
        asked.box[i] = box[i];
        asked.every[i] = every[i];
        if (i + 1 < rank) asked.steps[i] = steps[i];
    }
    static_cast<unsigned char*>(map)[0] = static_cast<unsigned char>(++times_asked);
    return cuda::kSuccess;
}
cuda::Status refuse(void*, int, uint32_t, void*, const uint64_t*, const uint64_t*, const uint32_t*, const uint32_t*,
                    int, int, int, int) {
    return 1;
}

cuda::Device device_with(const cuda::Driver& driver) { return {.driver = driver}; }

TsrCudaBoxKernel with_maps(const TsrCudaMap* maps, int32_t count) {
    TsrCudaBoxKernel kernel{};
    kernel.kernel.reserved = count;
    kernel.maps = maps;
    return kernel;
}

// Of a tensor of f32 at an address of the device.
auto maps_of(const cuda::Driver& driver, const TsrCudaMap& map, std::initializer_list<int64_t> shape,
             uint64_t address = 4096) {
    const std::vector<int64_t> extents(shape);
    TensorRef tensor(tsr_zeros(TSR_F32, extents.data(), static_cast<int32_t>(extents.size()), nullptr));
    TsrTensor* const tensors[] = {tensor.get()};
    const uint64_t slots[] = {address};
    const TsrCudaBoxKernel kernel = with_maps(&map, 1);
    return cuda::make_maps(device_with(driver), kernel.kernel, tensors, slots);
}

// ---- a kernel by hand ----

// y[0:3, 0:8] = x[3:6, 8:16], 0 outside of x, by way of shared memory.
constexpr std::string_view kBoxes = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry boxes(.param .u64 x, .param .u64 y, .param .u64 begin, .param .u64 end, .param .u64 context,
                      .param .align 64 .b8 of_x[128], .param .align 64 .b8 of_y[128])
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .b64 %d<6>;
    .shared .align 128 .b8 place[128];
    .shared .align 8 .b64 arrivals;
    mov.b64 %d0, of_x;
    cvta.param.u64 %d1, %d0;
    mov.b64 %d2, of_y;
    cvta.param.u64 %d3, %d2;
    mov.u32 %r0, place;
    mov.u32 %r1, arrivals;
    mbarrier.init.shared::cta.b64 [%r1], 1;
    fence.mbarrier_init.release.cluster;
    mbarrier.arrive.expect_tx.shared::cta.b64 %d4, [%r1], 96;
    mov.u32 %r2, 8;
    mov.u32 %r3, 3;
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r0], [%d1, {%r2, %r3}], [%r1];
WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %p0, [%r1], 0;
    @!%p0 bra WAIT;
    mov.u32 %r2, 0;
    cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%d3, {%r2, %r2}], [%r0];
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
    ret;
}
)";

// y[0, 0] = -1.
constexpr std::string_view kPlain = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry plain(.param .u64 x, .param .u64 y, .param .u64 begin, .param .u64 end, .param .u64 context)
{
    .reg .f32 %f<2>;
    .reg .b64 %d<2>;
    ld.param.u64 %d0, [y];
    mov.f32 %f0, 0fBF800000;
    st.global.f32 [%d0], %f0;
    ret;
}
)";

constexpr TsrCudaMap kMaps[] = {{0, 2, 4, 32, {3, 8, 0, 0, 0}, 0}, {1, 2, 4, 32, {3, 8, 0, 0, 0}, 0}};

constexpr TsrCudaKernel kernel_of(const char* symbol, const TsrCudaImage* image, int32_t capability, int32_t maps) {
    return {.symbol = symbol,
            .images = image,
            .nimages = 1,
            .capability = capability,
            .threads = 1,
            .cluster = 1,
            .per_block = 1,
            .parts = 1,
            .reserved = maps};
}
constexpr TsrCudaImage image_of(std::string_view text) {
    return {0, 0, text.data(), static_cast<int64_t>(text.size())};
}

const TsrCudaImage boxes_image = image_of(kBoxes), plain_image = image_of(kPlain);
const TsrCudaBoxKernel boxes_kernel{kernel_of("boxes", &boxes_image, 90, 2), kMaps, 0};
const TsrCudaKernel plain_kernel = kernel_of("plain", &plain_image, 75, 0);
const TsrKernelVariant variants[] = {
    {.machine = TSR_MACHINE_CUDA, .task = 1, .plan = "boxes", .cuda = &boxes_kernel.kernel},
    {.machine = TSR_MACHINE_CUDA, .task = 1, .plan = "plain", .cuda = &plain_kernel}};
const uint8_t uses[] = {TSR_SLOT_READ, TSR_SLOT_WRITTEN};
const TsrKernelFamily family{"boxes", {"k.tsr", 3, 1}, 2, 2, nullptr, variants, uses};

// x[i, j] = 100 i + j + 1 of so many columns, y of 3 rows.
std::vector<double> launched(int64_t rows, int64_t columns, int64_t y_columns) {
    std::vector<double> numbers;
    for (int64_t i = 0; i < rows * columns; ++i)
        numbers.push_back(static_cast<double>(100 * (i / columns) + i % columns + 1));
    TensorRef x = tensor(TSR_F32, {rows, columns}, numbers);
    const int64_t shape[] = {3, y_columns};
    TensorRef y(tsr_zeros(TSR_F32, shape, 2, nullptr));
    const uint64_t slots[] = {slot_of(x), slot_of(y)};
    TsrTensor* const tensors[] = {x.get(), y.get()};
    tsr_launch(&family, slots, tensors, 1, nullptr, nullptr);
    return values(*y);
}

bool has_boxes() { return cuda::device() != nullptr && cuda::device()->capability >= 90; }

}  // namespace

TEST_CASE("a map lists axes, steps and boxes from the last axis on") {
    cuda::Driver driver;
    driver.encode_map = encode;
    static constexpr TsrCudaMap map{0, 3, 4, 128, {1, 64, 32, 0, 0}, 0};
    const auto made = maps_of(driver, map, {5, 100, 40}, 4096 + 8);
    REQUIRE(made);
    REQUIRE(made->size() == 1);
    CHECK(asked.rank == 3);
    CHECK(asked.type == 2);
    CHECK(asked.swizzle == 3);
    CHECK((asked.interleave == 0 && asked.fill == 0));
    // One that begins elsewhere is moved there before the launch.
    CHECK(asked.address == 4096);
    CHECK(asked.extents == std::array<uint64_t, 5>{40, 100, 5});
    CHECK(asked.steps == std::array<uint64_t, 5>{160, 16000});
    CHECK(asked.box == std::array<uint32_t, 5>{32, 64, 1});
    CHECK(asked.every == std::array<uint32_t, 5>{1, 1, 1});
}

TEST_CASE("a map is made once for a tensor at its place") {
    cuda::Driver driver;
    driver.encode_map = encode;
    static constexpr TsrCudaMap map{0, 2, 4, 0, {8, 8, 0, 0, 0}, 0};
    const int before = times_asked;
    const auto first = maps_of(driver, map, {16, 16}), again = maps_of(driver, map, {16, 16});
    REQUIRE((first && again));
    CHECK(times_asked == before + 1);
    CHECK(first->front().bytes[0] == again->front().bytes[0]);
    REQUIRE(maps_of(driver, map, {16, 20}));
    REQUIRE(maps_of(driver, map, {16, 16}, 8192));
    CHECK(times_asked == before + 3);
}

TEST_CASE("tensors that have no maps") {
    cuda::Driver driver;
    driver.encode_map = encode;
    static constexpr TsrCudaMap map{0, 2, 4, 0, {8, 4, 0, 0, 0}, 0};
    CHECK(maps_of(driver, map, {16, 12}));
    CHECK_FALSE(maps_of(driver, map, {16, 13}));     // rows of 52 bytes
    CHECK_FALSE(maps_of(driver, map, {2, 16, 12}));  // of another rank
    CHECK_FALSE(maps_of(driver, map, {0, 12}));
    static constexpr TsrCudaMap line{0, 1, 4, 0, {4, 0, 0, 0, 0}, 0};
    CHECK(maps_of(driver, line, {13}));
    cuda::Driver without, unwilling;
    unwilling.encode_map = refuse;
    CHECK_FALSE(maps_of(without, map, {32, 12}));
    CHECK_FALSE(maps_of(unwilling, map, {32, 12}));
    // A kernel without maps needs no driver for them.
    const TsrCudaBoxKernel none = with_maps(nullptr, 0);
    const auto made = cuda::make_maps(device_with(without), none.kernel, nullptr, nullptr);
    CHECK((made && made->empty()));
}

TEST_CASE("boxes of tensors come and go, and what lies outside is 0 and is not written") {
    if (!has_boxes()) return;
    CHECK(launched(5, 12, 8) == std::vector<double>{309, 310, 311, 312, 0, 0, 0, 0,  //
                                                    409, 410, 411, 412, 0, 0, 0, 0,  //
                                                    0,   0,   0,   0,   0, 0, 0, 0});
    CHECK(launched(8, 20, 4) == std::vector<double>{309, 310, 311, 312, 409, 410, 411, 412, 509, 510, 511, 512});
    CHECK(launched(8, 20, 12)[8] == 0);
}

TEST_CASE("a launch without maps takes the next variant") {
    if (!has_boxes()) return;
    CHECK(launched(5, 13, 8)[0] == -1);
    CHECK(launched(5, 12, 7)[0] == -1);
    // A driver that can not make them: this one, from here on.
    auto& driver = const_cast<cuda::Driver&>(cuda::device()->driver);
    const auto encoding = std::exchange(driver.encode_map, nullptr);
    CHECK(launched(6, 12, 8)[0] == -1);
    driver.encode_map = refuse;
    CHECK(launched(6, 16, 8)[0] == -1);
    driver.encode_map = encoding;
    CHECK(launched(6, 12, 8)[0] == 309);
}

}  // namespace tsr::runtime::tests
