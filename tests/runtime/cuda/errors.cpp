// What a user is told when there is no driver, no such device, no code for it, or a kernel fails.
#include <cstdio>
#include <cstdlib>
#include <string>

#include <doctest/doctest.h>
#include <sys/wait.h>

#include "runtime/device/cuda/device.h"

namespace tsr::runtime::tests {

namespace {

struct Ended {
    int code;
    std::string said;  // on stdout and stderr
};

// With variables of the environment: "A=b C=d".
Ended run(const std::string& environment, const std::string& scenario) {
    const std::string command = "env " + environment + " '" TSR_SCENARIO "' '" + scenario + "' 2>&1";
    std::FILE* pipe = popen(command.c_str(), "r");
    Ended ended{-1, ""};
    for (int c = 0; (c = std::fgetc(pipe)) != EOF;) ended.said += static_cast<char>(c);
    const int status = pclose(pipe);
    ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return ended;
}

// One message, behind what the driver itself says.
void check_said(const Ended& ended, const std::string& begin, const std::string& end = "") {
    CHECK(ended.code == 1);
    CAPTURE(ended.said);
    CHECK(("\n" + ended.said).find("\n" + begin) != std::string::npos);
    CHECK(ended.said.ends_with(end));
}

bool has_gpu() {
    static const bool there = run("TESSERA_DEVICE=cuda:0", "choice").code == 0;
    return there;
}

const std::string kNoDriver = "TESSERA_CUDA_DRIVER=/nowhere/libcuda.so ";

}  // namespace

TEST_CASE("without a driver programs run on the processor, unless they were told otherwise") {
    if (!has_gpu()) CHECK(run("-u TESSERA_DEVICE -u TESSERA_CUDA_DRIVER", "saxpy").said == "processor 9\n");
    check_said(run("-u TESSERA_DEVICE " + kNoDriver, "saxpy"),
               "error: TESSERA_CUDA_DRIVER: there is no CUDA driver: /nowhere/libcuda.so: cannot open");
    CHECK(run("TESSERA_DEVICE=cpu " + kNoDriver, "saxpy").said == "processor 9\n");
    check_said(run("TESSERA_DEVICE=cuda:0 " + kNoDriver, "choice"),
               "error: TESSERA_DEVICE=cuda:0: there is no CUDA driver: /nowhere/libcuda.so: cannot open");
    // A file that is no library.
    check_said(run("TESSERA_DEVICE=cuda TESSERA_CUDA_DRIVER=/dev/null", "choice"),
               "error: TESSERA_DEVICE=cuda: there is no CUDA driver: /dev/null: ");
    // A library that is no driver.
    check_said(run("TESSERA_DEVICE=cuda:0 TESSERA_CUDA_DRIVER=libz.so.1", "choice"),
               "error: TESSERA_DEVICE=cuda:0: the CUDA driver libz.so.1 is too old: it has no cu");
    for (const char* name : {"gpu", "cuda:", "cuda:x", "cuda:-1", "cuda0"}) {
        check_said(run("TESSERA_DEVICE=" + std::string(name) + " " + kNoDriver, "choice"),
                   "error: TESSERA_DEVICE=" + std::string(name) + ": no such device; expected cpu or cuda:N\n");
    }
}

TEST_CASE("the device is chosen") {
    if (!has_gpu()) return;
    CHECK(run("-u TESSERA_DEVICE", "saxpy").said == "device 9\n");
    CHECK(run("TESSERA_DEVICE=cuda:0", "saxpy").said == "device 9\n");
    CHECK(run("TESSERA_DEVICE=cpu", "saxpy").said == "processor 9\n");
    check_said(run("TESSERA_DEVICE=cuda:99", "choice"),
               "error: TESSERA_DEVICE=cuda:99: no such device; this machine has ");
}

TEST_CASE("code that the device does not take") {
    if (!has_gpu()) return;
    CHECK(run("-u TESSERA_DEVICE", "other GPU").said == "processor 9\n");
    check_said(run("TESSERA_DEVICE=cuda:0", "other GPU"),
               "main.tsr:7:5: error: kernel saxpy: its code is for sm_999a; cuda:0 (",
               ") needs other code (TESSERA_DEVICE=cpu runs without it)\n");
    check_said(run("-u TESSERA_DEVICE", "no image"), "main.tsr:7:5: error: kernel saxpy: the driver of cuda:0 (",
               " (TESSERA_DEVICE=cpu runs without it)\n");
}

TEST_CASE("a kernel that faults is named, with its place") {
    if (!has_gpu()) return;
    const Ended one = run("TESSERA_CUDA_WAIT=1", "fault");
    CHECK(one.code == 1);
    CAPTURE(one.said);
    CHECK(one.said.find("main.tsr:9:5: error: kernel faults (k.tsr:3) failed on cuda:0 (") != std::string::npos);
    CHECK(one.said.find("CUDA_ERROR_ILLEGAL_ADDRESS: ") != std::string::npos);
    CHECK(one.said.find("launched") == std::string::npos);
    const Ended later = run("-u TESSERA_CUDA_WAIT", "fault");
    CHECK(later.said.find("error: kernel faults (k.tsr:3) failed on cuda:0 (") != std::string::npos);
    const Ended several = run("-u TESSERA_CUDA_WAIT", "fault of several");
    CHECK(several.code == 1);
    CAPTURE(several.said);
    CHECK(several.said.find("one of the last 3 launches failed on cuda:0 (") != std::string::npos);
    CHECK(
        several.said.find("; the latest first: faults (k.tsr:3), saxpy (k.tsr:3) (TESSERA_CUDA_WAIT=1 finds which)") !=
        std::string::npos);
    const Ended found = run("TESSERA_CUDA_WAIT=1", "fault of several");
    CHECK(found.said.find("error: kernel faults (k.tsr:3) failed on cuda:0 (") != std::string::npos);
}

TEST_CASE("a device that failed is not used again") {
    if (!has_gpu()) return;
    const Ended ended = run("-u TESSERA_CUDA_WAIT", "failed before");
    CHECK(ended.code == 0);
    CAPTURE(ended.said);
    CHECK(ended.said.find("\nkernel faults (k.tsr:3) failed on cuda:0 (") != std::string::npos);
    CHECK(ended.said.ends_with(") can not be used any more; it failed before\n"));
}

TEST_CASE("a failed assertion ends the program with its line, behind what was printed before") {
    if (!has_gpu()) return;
    const Ended ended = run("-u TESSERA_CUDA_WAIT", "assertion");
    CHECK(ended.code == 1);
    CAPTURE(ended.said);
    CHECK(ended.said.find("k.tsr:6:9: error: assertion failed in kernel talks: group ") != std::string::npos);
    CHECK(ended.said.find("printed behind it") == std::string::npos);
    CHECK(run("-u TESSERA_CUDA_WAIT", "failure behind lines").said ==
          "0 0\n0 1\nmain.tsr:9:5: error: the host's own\n");
}

}  // namespace tsr::runtime::tests
