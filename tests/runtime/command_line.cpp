// A whole program, run as its executable runs: words in, files, texts and exit code out.
#include "runtime/program/command_line.h"

#include <array>
#include <cstdio>
#include <cstdlib>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file_helpers.h"
#include "runtime/io/json.h"
#include "runtime/program/scalars.h"
#include "saxpy_program.h"

namespace tsr::runtime::tests {

namespace {

struct Ended {
    int code;
    std::string out, err;
};

std::string file_text(const std::string& path) {
    Bytes bytes = read_bytes(path);
    return {bytes.begin(), bytes.end()};
}

// In a process of its own: the end of a program is the end of its process.
Ended run(const Folder& folder, std::vector<std::string> words, const TsrProgram& program = saxpy,
          const std::vector<std::pair<const char*, std::string>>& environment = {}) {
    std::fflush(stdout);
    std::string out = folder.path(".out"), err = folder.path(".err");
    pid_t child = fork();
    if (child == 0) {
        if (std::freopen(out.c_str(), "w", stdout) == nullptr || std::freopen(err.c_str(), "w", stderr) == nullptr)
            _exit(99);
        for (const auto& [name, value] : environment) setenv(name, value.c_str(), 1);
        if (chdir(folder.path("").c_str()) != 0) _exit(98);
        words.insert(words.begin(), "saxpy");
        std::vector<char*> arguments;
        for (std::string& word : words) arguments.push_back(word.data());
        int code = tsr_main(&program, static_cast<int>(arguments.size()), arguments.data());
        std::fflush(stdout);
        std::fflush(stderr);
        _exit(code);
    }
    int status = 0;
    waitpid(child, &status, 0);
    Ended ended{WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), file_text(out), file_text(err)};
    unlink(out.c_str());
    unlink(err.c_str());
    return ended;
}

void save(const Folder& folder, const std::string& name, const TensorRef& t) {
    NamedTensor named{"t", t};
    REQUIRE(save_tensors(folder.path(name), {&named, 1}));
}

std::string bits_text(const std::string& word, int32_t dtype) {
    Result<uint64_t> bits = parse_scalar(word, dtype);
    return bits ? std::to_string(*bits) : bits.message();
}

}  // namespace

TEST_CASE("a program reads its tensors, runs and writes its result") {
    Folder folder;
    save(folder, "x.npy", counting(TSR_F32, {4}));
    save(folder, "y.npz", tensor(TSR_F32, {4}, {1, 1, 1, 1}));
    Ended printed = run(folder, {"--x", "x.npy", "--y=y.npz:t", "--alpha", "-3"});
    CHECK(printed.code == 0);
    CHECK(printed.out == "y: f32[4]\n[ 1. -2. -5. -8.]\n");
    CHECK(printed.err.empty());
    CHECK(run(folder, {"--x", "x.npy", "--y", "y.npz", "--out", "r.safetensors"}).out.empty());
    CHECK(values(**load_tensor({folder.path("r.safetensors"), "y"}, TSR_F32, 1)) == std::vector<double>{1, 3, 5, 7});
    CHECK(run(folder, {"--x", "x.npy", "--y", "y.npz", "--out.y", "r.npy"}).code == 0);
    CHECK(values(**load_tensor({folder.path("r.npy"), ""}, TSR_F32, 1)) == std::vector<double>{1, 3, 5, 7});
    // The input has not changed, although y is a mut parameter.
    CHECK(values(**load_tensor({folder.path("y.npz"), ""}, TSR_F32, 1)) == std::vector<double>{1, 1, 1, 1});
    CHECK(folder.names() == std::vector<std::string>{"r.npy", "r.safetensors", "x.npy", "y.npz"});
}

TEST_CASE("mistakes on the command line: exit code 2, a message") {
    Folder folder;
    auto message = [&](std::vector<std::string> words) {
        Ended ended = run(folder, std::move(words));
        CHECK(ended.code == 2);
        CHECK(ended.out.empty());
        return ended.err;
    };
    CHECK(message({}) == "saxpy: --x is missing; --help shows the options\n");
    CHECK(message({"--alhpa", "2"}) == "saxpy: unknown option --alhpa; did you mean --alpha?\n");
    CHECK(message({"--nothing-like-it"}) == "saxpy: unknown option --nothing-like-it; --help shows the options\n");
    CHECK(message({"--x"}) == "saxpy: --x needs a value\n");
    CHECK(message({"--alpha", "--x", "4"}) ==
          "saxpy: --alpha needs a value, and another option follows; a value that begins so is written --alpha=--x\n");
    CHECK(message({"--help=3"}) == "saxpy: --help takes no value\n");
    CHECK(message({"-O2"}) ==
          "saxpy: -O2 is an option of the compiler: these stand before the program (tesserac run -O2 … FILE.tsr)\n");
    CHECK(message({"--interpret"}).starts_with("saxpy: --interpret is an option of the compiler"));
    // Told before files are read.
    CHECK(message({"--x", "no.npy", "--y", "x.npy", "--alpha", "two"}) ==
          "saxpy: --alpha: expected a number, found 'two'\n");
    CHECK(message({"--x", "a", "--x", "b"}) == "saxpy: --x is given twice\n");
    CHECK(message({"x.npy"}) == "saxpy: 'x.npy' belongs to no option; write --NAME x.npy\n");
    CHECK(message({"--seed", "-1"}) == "saxpy: --seed: -1 is outside the range of u64\n");
    CHECK(message({"--out.z", "f.npy"}) == "saxpy: --out.z: main returns no `z`; it returns: y\n");
    CHECK(message({"--mesh", "dp=2"}) == "saxpy: --mesh: this executable holds no code for more than one rank\n");
}

TEST_CASE("mistakes in the values: exit code 1, one message") {
    Folder folder;
    save(folder, "x.npy", counting(TSR_F32, {4}));
    save(folder, "short.npy", counting(TSR_F32, {3}));
    save(folder, "wide.npy", counting(TSR_F64, {4}));
    auto message = [&](std::vector<std::string> words) {
        Ended ended = run(folder, std::move(words));
        CHECK(ended.code == 1);
        CHECK(ended.out.empty());
        return ended.err;
    };
    CHECK(message({"--x", "no.npy", "--y", "x.npy"}) == "error: --x: no.npy: no such file\n");
    CHECK(message({"--x", "x.npy", "--y", "short.npy"}) ==
          "error: main: argument `y` has `n` = 3, but argument `x` has `n` = 4\n");
    CHECK(message({"--x", "wide.npy", "--y", "x.npy"}) ==
          "error: --x: wide.npy: holds f64[4], but f32 elements are needed\n");
    CHECK(message({"--x", "x.npy:t", "--y", "x.npy"}) ==
          "error: --x: x.npy:t: an .npy file holds one tensor and has no keys; write x.npy\n");
    REQUIRE(mkfifo(folder.path("pipe.npy").c_str(), 0600) == 0);
    CHECK(message({"--x", "pipe.npy", "--y", "x.npy"}) ==
          "error: --x: pipe.npy: not a regular file: tensors are read at places of their own\n");
    unlink(folder.path("pipe.npy").c_str());
    CHECK(message({"--x", "x.npy", "--y", "x.npy", "--n", "5"}) ==
          "error: main: argument `n` has `n` = 5, but argument `x` has `n` = 4\n");
    CHECK(message({"--x", "x.npy", "--y", "x.npy", "--out", "/dev/full"}) ==
          "error: /dev/full: No space left on device\n");
    CHECK(message({"--x", "x.npy", "--y", "x.npy", "--out", "r.txt"}) ==
          "error: r.txt: tensors are written to .npy, .npz, .safetensors and .png files\n");
    CHECK(folder.names() == std::vector<std::string>{"short.npy", "wide.npy", "x.npy"});
}

TEST_CASE("the environment chooses device, level, threads and trace") {
    Folder folder;
    save(folder, "x.npy", counting(TSR_F32, {100000}));
    std::vector<std::string> words{"--x", "x.npy", "--y", "x.npy", "--out", "r.npy"};
    auto with = [&](const char* name, const char* value) { return run(folder, words, saxpy, {{name, value}}); };
    CHECK(with("TESSERA_DEVICE", "cpu").code == 0);
    CHECK(
        run(folder, words, saxpy, {{"TESSERA_DEVICE", "cuda:1"}, {"TESSERA_CUDA_DRIVER", "/nowhere/libcuda.so"}}).err ==
        "error: TESSERA_DEVICE=cuda:1: there is no CUDA driver: /nowhere/libcuda.so: cannot open shared object file: "
        "No such file or directory\n");
    CHECK(with("TESSERA_DEVICE", "tpu").err == "error: TESSERA_DEVICE=tpu: no such device; expected cpu or cuda:N\n");
    CHECK(with("TESSERA_CPU", "v2").code == 0);
    CHECK(with("TESSERA_CPU", "v9").err ==
          "error: TESSERA_CPU=v9: expected v1, v2, v3, v3-vnni, v4, v4-vnni, v4-bf16 or v4-amx\n");
    for (const auto& [name, value, expected] :
         {std::array{"TUNE", "maybe", "off or again"}, std::array{"PROGRESS", "yes", "0 or 1"},
          std::array{"CUDA_WAIT", "2", "0 or 1"}, std::array{"THREADS", " 4", "a number from 1 to 1024"},
          std::array{"CACHE_DIR", "x.npy", "a folder, this is a file"}}) {
        const std::string variable = std::string("TESSERA_") + name;
        const Ended ended = with(variable.c_str(), value);
        CHECK(ended.code == 1);
        CHECK(ended.err == "error: " + variable + "=" + value + ": expected " + expected + "\n");
    }
    CHECK(with("TESSERA_THREADS", "many").err == "error: TESSERA_THREADS=many: expected a number from 1 to 1024\n");
    for (const char* threads : {"1", "2", "7"}) {
        REQUIRE(with("TESSERA_THREADS", threads).code == 0);
        std::vector<double> result = values(**load_tensor({folder.path("r.npy"), ""}, TSR_F32, 1));
        CHECK(result[99999] == 299997);
    }
    REQUIRE(with("TESSERA_TRACE", "trace.json").code == 0);
    Result<Json> trace = parse_json(file_text(folder.path("trace.json")));
    REQUIRE(trace);
    const Json* events = trace->member("traceEvents");
    REQUIRE(events != nullptr);
    REQUIRE(events->items.size() == 1);
    const Json& event = events->items[0];
    CHECK(event.member("name")->string == "saxpy");
    CHECK(event.member("ph")->string == "X");
    CHECK(event.member("args")->member("kernel")->string == "saxpy.tsr:3");
    CHECK(event.member("args")->member("launched")->string == "saxpy.tsr:10");
    CHECK(event.member("args")->member("n")->integer == 100000);
    CHECK(event.member("dur")->number >= 0);
}

TEST_CASE("help shows the docstring and the table of parameters") {
    Folder folder;
    Ended ended = run(folder, {"--help"});
    CHECK(ended.code == 0);
    CHECK(ended.out.starts_with("Scale and add two vectors.\n\nusage: saxpy --x FILE --y FILE [OPTION …]\n"));
    CHECK(ended.out.find("  --alpha NUMBER                   f32     default 2.0\n") != std::string::npos);
    CHECK(ended.out.find("  --check_input, --no-check_input  bool    default True\n") != std::string::npos);
}

TEST_CASE("flags, hyphens, several results, the rest behind --") {
    static const TsrResult two_results[] = {{"loss", TSR_KIND_SCALAR, TSR_F32}, {nullptr, TSR_KIND_TENSOR, TSR_I32}};
    TsrProgram program = saxpy;
    program.nresults = 2;
    program.results = two_results;
    program.run = [](void*, const TsrSlot* in, TsrSlot* out) {
        int64_t count = 2;
        out[0].bits = in[3].bits ? 0x3F800000 : 0;
        out[1].tensor = tsr_full(TSR_I32, &count, 1, static_cast<uint64_t>(tsr_args()->length), nullptr);
    };
    Folder folder;
    save(folder, "x.npy", counting(TSR_F32, {4}));
    std::vector<std::string> words{"--x", "x.npy", "--y", "x.npy"};
    auto with = [&](std::vector<std::string> more) {
        std::vector<std::string> all = words;
        all.insert(all.end(), more.begin(), more.end());
        return run(folder, all, program);
    };
    CHECK(with({}).out == "loss = 1.0\n1: i32[2]\n[0 0]\n");
    CHECK(with({"--no-check-input", "--", "a", "--b", "c"}).out == "loss = 0.0\n1: i32[2]\n[3 3]\n");
    CHECK(with({"--check_input=false"}).out.starts_with("loss = 0.0"));
    CHECK(with({"--out", "r.npy"}).err ==
          "saxpy: --out: main returns 2 values; use an .npz or .safetensors file, or --out.NAME for each\n");
    CHECK(with({"--out", "r.npz", "--out.1", "one.npy"}).code == 0);
    CHECK(values(**load_tensor({folder.path("r.npz"), "loss"}, TSR_F32, 0)) == std::vector<double>{1});
    CHECK(values(**load_tensor({folder.path("r.npz"), "1"}, TSR_I32, 1)) == std::vector<double>{0, 0});
    CHECK(values(**load_tensor({folder.path("one.npy"), ""}, TSR_I32, 1)) == std::vector<double>{0, 0});
}

TEST_CASE("failures name their place; what was printed before comes out, and the trace") {
    Folder folder;
    save(folder, "x.npy", counting(TSR_F32, {4}));
    TsrProgram program = saxpy;
    program.run = [](void*, const TsrSlot* in, TsrSlot* out) {
        static const TsrPlace place{"p.tsr", 4, 9};
        saxpy.run(nullptr, in, out);
        TsrString* text = tsr_string("before", 6);
        tsr_print(text);
        int64_t outside = 9;
        tsr_get(in[0].tensor, &outside, 1, &place);
    };
    Ended ended = run(folder, {"--x", "x.npy", "--y", "x.npy"}, program, {{"TESSERA_TRACE", "t.json"}});
    CHECK(ended.code == 1);
    CHECK(ended.out == "before\n");
    CHECK(ended.err == "p.tsr:4:9: error: index [9] is outside f32[4]: axis 0 has size 4\n");
    CHECK(parse_json(file_text(folder.path("t.json"))));
    program.run = [](void*, const TsrSlot*, TsrSlot*) {
        static const TsrPlace place{"p.tsr", 7, 0};
        tsr_assert_failed(tsr_string("too small", 9), &place);
    };
    CHECK(run(folder, {"--x", "x.npy", "--y", "x.npy"}, program).err ==
          "p.tsr:7: error: assertion failed: too small\n");
}

TEST_CASE("a trace that can not be written is an error, and no file of the program's becomes one") {
    Folder folder;
    save(folder, "x.npy", counting(TSR_F32, {4}));
    const std::string before = file_text(folder.path("x.npy"));
    REQUIRE(symlink("x.npy", folder.path("link").c_str()) == 0);
    REQUIRE(link(folder.path("x.npy").c_str(), folder.path("hard").c_str()) == 0);
    const auto traced = [&](const std::string& trace) {
        return run(folder, {"--x", "x.npy", "--y", "x.npy", "--out", "r.npy"}, saxpy,
                   {{"TESSERA_TRACE", trace.c_str()}});
    };
    const Ended full = traced("/dev/full");
    CHECK(full.code == 1);
    CHECK(full.err == "error: TESSERA_TRACE=/dev/full: No space left on device\n");
    CHECK(traced("no/such").err == "error: TESSERA_TRACE=no/such: no such folder\n");
    for (const char* name : {"x.npy", "./x.npy", "link", "hard"}) {
        const Ended ended = traced(name);
        CHECK(ended.code == 1);
        CHECK(ended.err ==
              "error: TESSERA_TRACE=" + std::string(name) + ": the program has this file for something else\n");
        CHECK(file_text(folder.path("x.npy")) == before);
    }
    CHECK(traced("./r.npy").err == "error: TESSERA_TRACE=./r.npy: the program has this file for something else\n");
    CHECK(traced("t.json").code == 0);
    CHECK(parse_json(file_text(folder.path("t.json"))));
}

TEST_CASE("progress is shown on a terminal, or when asked for") {
    Folder folder;
    save(folder, "x.npy", counting(TSR_F32, {4}));
    TsrProgram program = saxpy;
    program.nresults = 0;
    program.run = [](void*, const TsrSlot*, TsrSlot*) {
        TsrProgress* progress = tsr_progress_begin(tsr_string("rows", 4), 3);
        for (int i = 0; i < 3; ++i) {
            tsr_progress_loss(progress, 1.0 / (1 << i));
            tsr_progress_step(progress);
        }
        tsr_progress_end(progress);
    };
    std::vector<std::string> words{"--x", "x.npy", "--y", "x.npy"};
    CHECK(run(folder, words, program).err.empty());
    CHECK(run(folder, words, program, {{"TESSERA_PROGRESS", "0"}}).err.empty());
    CHECK(run(folder, words, program, {{"TESSERA_PROGRESS", "1"}}).err.starts_with("rows 3/3 100% "));
    CHECK(run(folder, words, program, {{"TESSERA_PROGRESS", "1"}}).err.ends_with(" s, loss 0.25\n"));
    CHECK(run(folder, {"--x", "x.npy", "--y", "x.npy", "--out", "r.npy"}, program).err ==
          "saxpy: --out: main returns nothing\n");
}

TEST_CASE("scalars are parsed in their type") {
    CHECK(bits_text("1_000", TSR_I32) == "1000");
    CHECK(bits_text("-0x10", TSR_I8) == "240");
    CHECK(bits_text("128", TSR_I8) == "128 is outside the range of i8");
    CHECK(bits_text("-128", TSR_I8) == "128");
    CHECK(bits_text("7", TSR_I4) == "7");
    CHECK(bits_text("8", TSR_I4) == "8 is outside the range of i4");
    CHECK(bits_text("18446744073709551615", TSR_U64) == "18446744073709551615");
    CHECK(bits_text("18446744073709551616", TSR_U64) == "18446744073709551616 is outside the range of u64");
    CHECK(bits_text("1.5", TSR_I32) == "expected an integer, found '1.5'");
    CHECK(bits_text("_1", TSR_I32) == "expected an integer, found '_1'");
    CHECK(bits_text("", TSR_I32) == "expected an integer, found ''");
    CHECK(bits_text("0.1", TSR_F32) == std::to_string(0x3DCCCCCD));
    CHECK(bits_text("448", TSR_FP8_E4M3) == std::to_string(0x7E));
    CHECK(bits_text("-500", TSR_FP8_E4M3) == "-500 is outside the range of fp8_e4m3");
    CHECK(bits_text("6.5", TSR_FP4_E2M1) == "6.5 is outside the range of fp4_e2m1");
    CHECK(bits_text("0", TSR_E8M0) == "0 is outside the range of e8m0");
    CHECK(bits_text("inf", TSR_F16) == std::to_string(0x7C00));
    CHECK(bits_text("0.1x", TSR_F32) == "expected a number, found '0.1x'");
    CHECK(bits_text(" 1", TSR_F32) == "expected a number, found ' 1'");
    CHECK(bits_text("yes", TSR_BOOL) == "expected true or false, found 'yes'");
    CHECK(bits_text("1-2j", TSR_C64) == std::to_string(uint64_t{0xC0000000} << 32 | 0x3F800000));
    CHECK(bits_text("2j", TSR_C64) == std::to_string(uint64_t{0x40000000} << 32));
    CHECK(bits_text("1+", TSR_C64) == "expected a complex number like 1+2j, found '1+'");
}

TEST_CASE("a full disk under stdout is an error") {
    Folder folder;
    save(folder, "x.npy", counting(TSR_F32, {4}));
    TsrProgram program = saxpy;
    program.run = [](void*, const TsrSlot* in, TsrSlot* out) {
        if (std::freopen("/dev/full", "w", stdout) == nullptr) _exit(97);
        out[0].tensor = tsr_tensor_retain(in[0].tensor);
    };
    Ended ended = run(folder, {"--x", "x.npy", "--y", "x.npy"}, program);
    CHECK(ended.code == 1);
    CHECK(ended.err == "saxpy: error: stdout: the output could not be written\n");
}

}  // namespace tsr::runtime::tests
