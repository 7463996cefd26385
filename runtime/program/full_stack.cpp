#include "runtime/program/full_stack.h"

#include <array>
#include <csignal>
#include <cstdint>
#include <cstring>

#include <ucontext.h>
#include <unistd.h>

namespace tsr::runtime {

namespace {

const char* watched = "";
std::array<char, 1 << 16> handler_stack;  // the full one has no room

void say(const char* text) { [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text)); }

// Only what a signal handler may call.
void on_fault(int signal, siginfo_t* info, void* context) {
    const auto* state = static_cast<const ucontext_t*>(context);
    const auto stack = static_cast<uint64_t>(state->uc_mcontext.gregs[REG_RSP]);
    const auto at = reinterpret_cast<uint64_t>(info->si_addr);
    constexpr uint64_t kNear = 1 << 16;
    if (at + kNear > stack && at < stack + kNear) {
        say(watched);
        say(": error: calls are nested too deeply: the stack is full\n");
        ::_exit(1);
    }
    std::signal(signal, SIG_DFL);  // the access is made again and ends the program
}

}  // namespace

void watch_stack(const char* program) {
    watched = program;
    stack_t room{};
    room.ss_sp = handler_stack.data();
    room.ss_size = handler_stack.size();
    struct sigaction action{};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigemptyset(&action.sa_mask);
    if (::sigaltstack(&room, nullptr) == 0) ::sigaction(SIGSEGV, &action, nullptr);
}

}  // namespace tsr::runtime
