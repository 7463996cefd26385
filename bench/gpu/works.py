"""What the GPU bundle runs: samples with their arguments, and works with a small size that is checked, a large one that is
timed, and what it costs.

`flops` and `bytes` are of one launch at the large size: what the work asks for, however it is done. A program with
`prints_time` prints a time first, which is not compared.
"""

KIB = 1 << 10
MIB = 1 << 20

# Of the samples that need some; vectors are in the bundle's files.
SAMPLE_ARGUMENTS = {"saxpy": ["--x", "inputs/x.npy", "--y", "inputs/y.npy"]}
INPUTS = {"x.npy": [float(i) for i in range(1000)], "y.npy": [0.5] * 1000}

WORKS = [
    dict(name="copy", source="gpu/copy.tsr", kernel="copy", small=[], large=["--n", 256 * MIB], bytes=2 * 4 * 256 * MIB),
    dict(name="saxpy", prints_time=True, source="stream.tsr", kernel="saxpy", small=["--n", 100000], large=["--n", 128 * MIB], bytes=3 * 4 * 128 * MIB),
    dict(name="transpose", source="gpu/transpose.tsr", kernel="transpose", small=[], large=["--m", 16384, "--n", 16384],
         bytes=2 * 4 * 16384 * 16384),
    dict(name="softmax", prints_time=True, source="softmax.tsr", kernel="softmax", small=["--m", 8], large=["--m", 32768], bytes=2 * 4 * 32768 * 4096),
    dict(name="layernorm", prints_time=True, source="layernorm.tsr", kernel="layernorm", small=["--m", 8], large=["--m", 32768],
         bytes=2 * 4 * 32768 * 4096),
    dict(name="gemm_bf16", source="gpu/gemm_bf16.tsr", kernel="gemm", small=[],
         large=["--m", 8192, "--n", 8192, "--k", 8192, "--repeats", 10], flops=2 * 8192**3, type="bf16"),
    dict(name="gemm_fp8", source="gpu/gemm_fp8.tsr", kernel="gemm", small=[],
         large=["--m", 8192, "--n", 8192, "--k", 8192, "--repeats", 10], flops=2 * 8192**3, type="fp8"),
    dict(name="attention_bf16", source="gpu/attention_bf16.tsr", kernel="attention", small=[],
         large=["--h", 16, "--s", 8 * KIB, "--repeats", 10], flops=4 * 16 * (8 * KIB) ** 2 * 128, type="bf16"),
]

# Of dense matrix products with f32 sums, in TFLOP/s, from the makers' data sheets; the first name that fits.
PEAKS = {
    "B200": dict(bf16=2250, fp8=4500),
    "H200": dict(bf16=989, fp8=1979),
    "H100 PCIe": dict(bf16=756, fp8=1513),
    "H100": dict(bf16=989, fp8=1979),
    "A100": dict(bf16=312),
    "L40S": dict(bf16=362, fp8=733),
    "RTX 4090": dict(bf16=165, fp8=330),
}
