#include "kernels.h"

#include <bit>
#include <string_view>

namespace tsr::runtime::tests {

namespace {

constexpr std::string_view kSaxpy = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry saxpy(.param .u64 x, .param .u64 y, .param .u64 alpha, .param .u64 n,
                      .param .u64 begin, .param .u64 end, .param .u64 context)
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .f32 %f<4>;
    .reg .b64 %d<12>;
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %ntid.x;
    mov.u32 %r2, %tid.x;
    cvt.u64.u32 %d0, %r2;
    mad.wide.u32 %d0, %r0, %r1, %d0;
    ld.param.u64 %d1, [begin];
    add.u64 %d0, %d0, %d1;
    ld.param.u64 %d2, [end];
    setp.ge.s64 %p0, %d0, %d2;
    @%p0 bra DONE;
    shl.b64 %d3, %d0, 2;
    ld.param.u64 %d4, [x];
    add.u64 %d4, %d4, %d3;
    ld.param.u64 %d5, [y];
    add.u64 %d5, %d5, %d3;
    ld.param.f32 %f0, [alpha];
    ld.global.f32 %f1, [%d4];
    ld.global.f32 %f2, [%d5];
    fma.rn.f32 %f3, %f0, %f1, %f2;
    st.global.f32 [%d5], %f3;
DONE:
    ret;
}
)";

constexpr std::string_view kGuarded = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry aligned(.param .u64 x, .param .u64 begin, .param .u64 end, .param .u64 context)
{
    .reg .f32 %f<2>;
    .reg .b64 %d<2>;
    ld.param.u64 %d0, [x];
    ld.global.f32 %f0, [%d0];
    add.rn.f32 %f0, %f0, 0f447A0000;
    st.global.f32 [%d0], %f0;
    ret;
}
.visible .entry any(.param .u64 x, .param .u64 begin, .param .u64 end, .param .u64 context)
{
    .reg .f32 %f<2>;
    .reg .b64 %d<2>;
    ld.param.u64 %d0, [x];
    ld.global.f32 %f0, [%d0];
    add.rn.f32 %f0, %f0, 0f44FA0000;
    st.global.f32 [%d0], %f0;
    ret;
}
)";

constexpr std::string_view kCount = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry count(.param .u64 counts, .param .u64 begin, .param .u64 end, .param .u64 context)
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .b64 %d<6>;
    mov.u32 %r0, %tid.x;
    setp.ne.u32 %p0, %r0, 0;
    @%p0 bra DONE;
    mov.u32 %r1, %ctaid.x;
    cvt.u64.u32 %d0, %r1;
    ld.param.u64 %d1, [begin];
    add.u64 %d0, %d0, %d1;
    ld.param.u64 %d2, [end];
    setp.ge.s64 %p1, %d0, %d2;
    @%p1 bra DONE;
    ld.param.u64 %d3, [counts];
    shl.b64 %d4, %d0, 2;
    add.u64 %d3, %d3, %d4;
    ld.global.u32 %r2, [%d3];
    add.u32 %r2, %r2, 1;
    st.global.u32 [%d3], %r2;
DONE:
    ret;
}
)";

// A message takes four words: head, order, two values.
constexpr std::string_view kTalks = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry talks(.param .u64 limit, .param .u64 begin, .param .u64 end, .param .u64 context)
{
    .reg .pred %p<4>;
    .reg .b32 %r<4>;
    .reg .b64 %d<16>;
    mov.u32 %r0, %ctaid.x;
    cvt.u64.u32 %d0, %r0;
    ld.param.u64 %d1, [begin];
    add.u64 %d0, %d0, %d1;
    mov.u32 %r1, %tid.x;
    cvt.u64.u32 %d2, %r1;
    ld.param.u64 %d3, [context];
    ld.param.u64 %d4, [limit];
    mov.u64 %d5, 0;
SAY:
    atom.global.add.u64 %d6, [%d3], 4;
    ld.global.u64 %d7, [%d3+8];
    add.u64 %d8, %d6, 4;
    setp.gt.u64 %p0, %d8, %d7;
    @%p0 bra SAID;
    ld.global.u64 %d9, [%d3+16];
    shl.b64 %d10, %d6, 3;
    add.u64 %d9, %d9, %d10;
    st.global.u64 [%d9+8], %d0;
    st.global.u64 [%d9+16], %d0;
    st.global.u64 [%d9+24], %d2;
    fence.acq_rel.sys;
    shl.b64 %d11, %d2, 32;
    add.u64 %d12, %d5, 1;
    or.b64 %d11, %d11, %d12;
    st.global.u64 [%d9], %d11;
SAID:
    setp.ne.u64 %p1, %d5, 0;
    @%p1 bra FAIL;
    setp.lt.s64 %p2, %d0, %d4;
    @%p2 bra DONE;
    mov.u64 %d5, 2147483649;
    bra SAY;
FAIL:
    fence.acq_rel.sys;
    mov.u32 %r2, 1;
    st.global.u32 [%d3+32], %r2;
    trap;
DONE:
    ret;
}
)";

constexpr std::string_view kReturns = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry number(.param .u64 begin, .param .u64 end, .param .u64 context)
{
    .reg .b64 %d<4>;
    ld.param.u64 %d0, [begin];
    ld.param.u64 %d1, [end];
    add.u64 %d0, %d0, %d1;
    add.u64 %d0, %d0, 40;
    ld.param.u64 %d2, [context];
    st.global.u64 [%d2+24], %d0;
    ret;
}
)";

constexpr std::string_view kFaults = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry faults(.param .u64 x, .param .u64 begin, .param .u64 end, .param .u64 context)
{
    .reg .b32 %r<2>;
    .reg .b64 %d<2>;
    mov.u32 %r0, 1;
    mov.u64 %d0, 16;
    st.global.u32 [%d0], %r0;
    ret;
}
)";

constexpr std::string_view kAddress = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry address(.param .u64 y, .param .u64 x, .param .u64 begin, .param .u64 end, .param .u64 context)
{
    .reg .f32 %f<2>;
    .reg .b64 %d<4>;
    ld.param.u64 %d0, [y];
    ld.param.u64 %d1, [x];
    or.b64 %d2, %d0, %d1;
    and.b64 %d2, %d2, 15;
    cvt.rn.f32.u64 %f0, %d2;
    ld.global.f32 %f1, [%d1];
    st.global.f32 [%d0], %f0;
    st.global.f32 [%d0+4], %f1;
    ret;
}
)";

constexpr std::string_view kClusters = R"(
.version 7.8
.target sm_90
.address_size 64
.extern .shared .align 16 .b8 memory[];
.visible .entry clusters(.param .u64 counts, .param .u64 begin, .param .u64 end, .param .u64 context)
{
    .reg .pred %p<2>;
    .reg .b32 %r<6>;
    .reg .b64 %d<6>;
    mov.u32 %r0, %cluster_nctaid.x;
    mov.u32 %r1, memory;
    st.shared.u32 [%r1+102396], %r0;
    ld.shared.u32 %r2, [%r1+102396];
    mov.u32 %r3, %ctaid.x;
    cvt.u64.u32 %d0, %r3;
    ld.param.u64 %d1, [begin];
    add.u64 %d0, %d0, %d1;
    ld.param.u64 %d2, [end];
    setp.ge.s64 %p0, %d0, %d2;
    @%p0 bra DONE;
    ld.param.u64 %d3, [counts];
    shl.b64 %d4, %d0, 2;
    add.u64 %d3, %d3, %d4;
    st.global.u32 [%d3], %r2;
DONE:
    ret;
}
)";

constexpr TsrCudaImage ptx(std::string_view text) { return {0, 0, text.data(), static_cast<int64_t>(text.size())}; }

const TsrCudaImage saxpy_image = ptx(kSaxpy), guarded_image = ptx(kGuarded), count_image = ptx(kCount);
const TsrCudaImage talks_image = ptx(kTalks), returns_image = ptx(kReturns), faults_image = ptx(kFaults);
const TsrCudaImage address_image = ptx(kAddress), clusters_image = ptx(kClusters);
const TsrCudaImage no_image = {1, 0, "this is no image", 16};
const TsrCudaImage second_image[] = {no_image, saxpy_image};

constexpr TsrCudaKernel kernel(const char* symbol, const TsrCudaImage* images, int32_t count, int32_t threads,
                               int64_t per_block) {
    return {.symbol = symbol,
            .images = images,
            .nimages = count,
            .capability = 75,
            .threads = threads,
            .cluster = 1,
            .per_block = per_block,
            .parts = 1};
}

constexpr TsrKernelVariant on_gpu(const TsrCudaKernel& kernel) {
    return {.machine = TSR_MACHINE_CUDA, .task = 1, .plan = "by hand", .cuda = &kernel};
}

constexpr TsrKernelVariant on_cpu(TsrKernelEntry entry) {
    return {.machine = TSR_MACHINE_X86_64, .entry = entry, .task = 1024, .plan = "by hand, processor"};
}

void saxpy_entry(const uint64_t* slots, int64_t begin, int64_t end, void*, TsrTask*) {
    const auto* x = std::bit_cast<const float*>(slots[0]);
    auto* y = std::bit_cast<float*>(slots[1]);
    auto alpha = std::bit_cast<float>(static_cast<uint32_t>(slots[2]));
    for (int64_t i = begin; i < end; ++i) y[i] = alpha * x[i] + y[i];
}

void plus_one_entry(const uint64_t* slots, int64_t begin, int64_t end, void*, TsrTask*) {
    const auto* x = std::bit_cast<const float*>(slots[0]);
    auto* y = std::bit_cast<float*>(slots[1]);
    for (int64_t i = begin; i < end; ++i) y[i] = x[i] + 1;
}

const uint8_t saxpy_uses[] = {TSR_SLOT_READ, TSR_SLOT_WRITTEN, TSR_SLOT_VALUE, TSR_SLOT_VALUE};
const uint8_t address_uses[] = {TSR_SLOT_WRITTEN, TSR_SLOT_READ};
const uint8_t one_written[] = {TSR_SLOT_WRITTEN};
const uint8_t one_value[] = {TSR_SLOT_VALUE};

constexpr TsrKernelFamily family(const char* name, int32_t slots, const TsrKernelVariant* variants, int32_t count,
                                 const uint8_t* uses) {
    return {name, {"k.tsr", 3, 1}, slots, count, nullptr, variants, uses};
}

const TsrCudaKernel second_image_cuda = kernel("saxpy", second_image, 2, 128, 128);
const TsrCudaKernel no_image_cuda = kernel("saxpy", &no_image, 1, 128, 128);
const TsrCudaKernel other_gpu_cuda = [] {
    TsrCudaKernel other = kernel("saxpy", &saxpy_image, 1, 128, 128);
    other.capability = 999;
    other.exact = 1;
    return other;
}();
const TsrCudaKernel aligned_cuda = kernel("aligned", &guarded_image, 1, 32, 1);
const TsrCudaKernel any_cuda = kernel("any", &guarded_image, 1, 32, 1);
const TsrCudaKernel count_cuda = kernel("count", &count_image, 1, 64, 1);
const TsrCudaKernel count_many_cuda = [] {
    TsrCudaKernel many = count_cuda;
    many.parts = int64_t{1} << 40;
    return many;
}();
const TsrCudaKernel faults_cuda = kernel("faults", &faults_image, 1, 32, 1);

const TsrMessagePiece line_pieces[] = {{nullptr, TSR_I64, nullptr}, {" ", 0, nullptr}, {nullptr, TSR_I64, nullptr}};
const TsrMessagePiece failure_pieces[] = {{"group ", 0, nullptr}, {nullptr, TSR_I64, nullptr}};
const TsrMessage line{{"k.tsr", 5, 9}, 3, line_pieces}, failure{{"k.tsr", 6, 9}, 2, failure_pieces};
const TsrMessage* const talks_messages[] = {&line, &failure};
const TsrCudaKernel talks_cuda = [] {
    TsrCudaKernel talks = kernel("talks", &talks_image, 1, 2, 1);
    talks.needs_context = 1;
    talks.nmessages = 2;
    talks.messages = talks_messages;
    return talks;
}();
const TsrCudaKernel returns_cuda = [] {
    TsrCudaKernel returns = kernel("number", &returns_image, 1, 1, 100);
    returns.needs_context = 1;
    return returns;
}();

const TsrCudaKernel address_cuda = kernel("address", &address_image, 1, 1, 1);
const TsrCudaKernel clusters_cuda = [] {
    TsrCudaKernel clusters = kernel("clusters", &clusters_image, 1, 1, 1);
    clusters.capability = 90;
    clusters.cluster = 2;
    clusters.shared = 100 * 1024;
    return clusters;
}();

const TsrGuard at_256{TSR_GUARD_DIVISIBLE, 0, 256};
// Behind a table without code.
const TsrCudaKernel absent_cuda = kernel("", nullptr, 0, 128, 128);
const TsrKernelVariant saxpy_variants[] = {on_gpu(absent_cuda), on_gpu(saxpy_cuda), on_cpu(saxpy_entry)};
const TsrKernelVariant second_image_variants[] = {on_gpu(second_image_cuda)};
const TsrKernelVariant no_image_variants[] = {on_gpu(no_image_cuda)};
const TsrKernelVariant other_gpu_variants[] = {on_gpu(other_gpu_cuda), on_cpu(saxpy_entry)};
const TsrKernelVariant guarded_variants[] = {
    {.machine = TSR_MACHINE_CUDA, .nguards = 1, .guards = &at_256, .task = 1, .plan = "aligned", .cuda = &aligned_cuda},
    on_gpu(any_cuda)};
const TsrKernelVariant count_variants[] = {on_gpu(count_cuda)};
const TsrKernelVariant count_many_variants[] = {on_gpu(count_many_cuda)};
const TsrKernelVariant talks_variants[] = {on_gpu(talks_cuda)};
const TsrKernelVariant returns_variants[] = {on_gpu(returns_cuda)};
const TsrKernelVariant faults_variants[] = {on_gpu(faults_cuda)};
const TsrKernelVariant address_variants[] = {on_gpu(address_cuda)};
const TsrKernelVariant clusters_variants[] = {on_gpu(clusters_cuda)};
const TsrKernelVariant processor_variants[] = {on_cpu(plus_one_entry)};

}  // namespace

const TsrCudaKernel saxpy_cuda = kernel("saxpy", &saxpy_image, 1, 128, 128);
const TsrKernelFamily saxpy_both = family("saxpy", 4, saxpy_variants, 3, saxpy_uses);
const TsrKernelFamily saxpy_second_image = family("saxpy", 4, second_image_variants, 1, saxpy_uses);
const TsrKernelFamily saxpy_no_image = family("saxpy", 4, no_image_variants, 1, saxpy_uses);
const TsrKernelFamily saxpy_other_gpu = family("saxpy", 4, other_gpu_variants, 2, saxpy_uses);
const TsrKernelFamily guarded = family("guarded", 1, guarded_variants, 2, one_written);
const TsrKernelFamily count_groups = family("count", 1, count_variants, 1, one_written);
const TsrKernelFamily count_many = family("count", 1, count_many_variants, 1, one_written);
const TsrKernelFamily talks = family("talks", 1, talks_variants, 1, one_value);
const TsrKernelFamily returns_number = family("number", 0, returns_variants, 1, one_value);
const TsrKernelFamily tells_address = family("address", 2, address_variants, 1, address_uses);
const TsrKernelFamily in_clusters = family("clusters", 1, clusters_variants, 1, one_written);
const TsrKernelFamily faults = family("faults", 1, faults_variants, 1, one_written);
const TsrKernelFamily on_processor = family("plus_one", 3, processor_variants, 1, saxpy_uses);

}  // namespace tsr::runtime::tests
