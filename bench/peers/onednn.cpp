// Products of 2048 by 2048 matrices by oneDNN: onednn bf16|i8 [packed]. `packed`: the second matrix is brought into the
// form that oneDNN asks for beforehand.
#include <chrono>
#include <cstdio>
#include <string>

#include <dnnl.hpp>

int main(int argc, char** argv) {
    using namespace dnnl;
    const bool floats = argc < 2 || std::string(argv[1]) == "bf16";
    const engine cpu(engine::kind::cpu, 0);
    stream order(cpu);
    const int n = 2048;
    const auto from = floats ? memory::data_type::bf16 : memory::data_type::s8;
    const memory::desc in({n, n}, from, memory::format_tag::ab);
    const memory::desc out({n, n}, floats ? memory::data_type::f32 : memory::data_type::s32, memory::format_tag::ab);
    memory a(in, cpu), b(in, cpu), c(out, cpu);
    auto* bytes_a = static_cast<unsigned char*>(a.get_data_handle());
    auto* bytes_b = static_cast<unsigned char*>(b.get_data_handle());
    const long bytes = static_cast<long>(n) * n * (floats ? 2 : 1);
    for (long i = 0; i < bytes; ++i)
        bytes_a[i] = bytes_b[i] = floats ? (i % 2 != 0 ? 0x3F : 0x80) : static_cast<unsigned char>(i % 7);
    const bool packed = argc > 2 && std::string(argv[2]) == "packed";
    const memory::desc any({n, n}, from, memory::format_tag::any);
    const matmul::primitive_desc chosen(matmul::desc(in, packed ? any : in, out), cpu);
    const matmul product(chosen);
    memory weights = b;
    if (packed) {
        weights = memory(chosen.weights_desc(), cpu);
        reorder(b, weights).execute(order, b, weights);
        order.wait();
    }
    double best = 1e9;
    for (int r = 0; r < 15; ++r) {
        const auto start = std::chrono::steady_clock::now();
        product.execute(order, {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, c}});
        order.wait();
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (seconds < best) best = seconds;
    }
    std::printf("%.9f\n", best);
}
