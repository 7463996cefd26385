#include "runtime/tensor/kept_pages.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include <sys/mman.h>

#include "runtime/environment.h"
#include "runtime/memory.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace tsr::runtime {

namespace {

constexpr int64_t kPage = 4096;
constexpr int64_t kHugeFrom = int64_t{4} << 20;  // below it zeroing whole huge pages costs more than it saves

// Few sizes, so that blocks fit again: eight steps between powers of two.
int64_t block_size(int64_t bytes) {
    int64_t step = kPage;
    while (step * 16 < bytes) step *= 2;
    return rounded_up(bytes, step);
}

// A sanitizer sees who still reads memory that was given back.
void hide(const PageBlock& block) {
#if defined(__SANITIZE_ADDRESS__)
    ASAN_POISON_MEMORY_REGION(block.pages, static_cast<size_t>(block.mapped));
#else
    (void)block;
#endif
}
void show(const PageBlock& block) {
#if defined(__SANITIZE_ADDRESS__)
    ASAN_UNPOISON_MEMORY_REGION(block.pages, static_cast<size_t>(block.mapped));
#else
    (void)block;
#endif
}

class KeptPages {
public:
    static KeptPages& instance() {
        static auto* pages = new KeptPages;
        return *pages;
    }

    PageBlock take(int64_t bytes) {
        const int64_t size = block_size(bytes);
        {
            const std::lock_guard lock(mutex_);
            // The block left last is the one that the caches still have.
            const auto found = std::ranges::find(kept_.rbegin(), kept_.rend(), size, &PageBlock::size);
            if (found != kept_.rend()) {
                const PageBlock block = *found;
                kept_.erase(std::next(found).base());
                bytes_ -= block.mapped;
                show(block);
                return block;
            }
        }
        PageBlock block = map(size);
        if (block.data == nullptr && drop(0)) block = map(size);
        return block;
    }

    void give(PageBlock block) {
        block.zeroed = false;
        const bool short_of_memory = is_short();
        {
            const std::lock_guard lock(mutex_);
            hide(block);
            kept_.push_back(block);
            bytes_ += block.mapped;
        }
        drop(short_of_memory ? 0 : limit_.load());
    }

    int64_t bytes() {
        const std::lock_guard lock(mutex_);
        return bytes_;
    }

    int64_t limit(int64_t bytes) {
        const int64_t before = limit_.exchange(bytes);
        drop(bytes);
        return before;
    }

private:
    KeptPages() : total_(memory_of_machine()), limit_(wished_kept_bytes().value_or(total_ / 4)) {}

    // Tensors begin at different places of a page: a processor takes a load for one of a store before it where the
    // last 12 bits of their addresses are equal.
    int64_t next_start() {
        const std::lock_guard lock(mutex_);
        constexpr int64_t kStep = 5 * kAlignment;
        start_ = (start_ + kStep) % kPage;
        return start_;
    }

    PageBlock map(int64_t size) {
        PageBlock block{.zeroed = true, .size = size};
        const bool huge = size >= kHugeFrom;
        block.mapped = size + kPage + (huge ? kHugePage : 0);
        if (!has_memory(size)) return block;
        void* pages = mmap(nullptr, static_cast<size_t>(block.mapped), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED) return block;
        block.pages = pages;
        auto* first = static_cast<std::byte*>(pages);
        if (huge) {
            const auto beyond = static_cast<int64_t>(reinterpret_cast<uintptr_t>(pages)) % kHugePage;
            first += beyond == 0 ? 0 : kHugePage - beyond;
            madvise(first, static_cast<size_t>(size + kPage), MADV_HUGEPAGE);
        }
        block.data = first + next_start();
        return block;
    }

    // Gives the oldest blocks back until no more than `most` bytes are kept. False: there was nothing to give.
    bool drop(int64_t most) {
        std::vector<PageBlock> old;
        {
            const std::lock_guard lock(mutex_);
            while (bytes_ > most && !kept_.empty()) {
                old.push_back(kept_.front());
                bytes_ -= kept_.front().mapped;
                kept_.pop_front();
            }
        }
        for (const PageBlock& block : old) {
            show(block);
            munmap(block.pages, static_cast<size_t>(block.mapped));
        }
        return !old.empty();
    }

    // Asked at most once in a second.
    bool is_short() {
        using Clock = std::chrono::steady_clock;
        const Clock::time_point now = Clock::now();
        {
            const std::lock_guard lock(mutex_);
            if (now < look_again_) return false;
            look_again_ = now + std::chrono::seconds(1);
        }
        const int64_t available = free_memory();
        return available >= 0 && available <= total_ / 16;
    }

    std::mutex mutex_;
    std::deque<PageBlock> kept_;  // the one left last stands last
    int64_t bytes_ = 0;
    int64_t total_;
    std::atomic<int64_t> limit_;
    int64_t start_ = 0;
    std::chrono::steady_clock::time_point look_again_{};
};

}  // namespace

PageBlock take_pages(int64_t bytes) { return KeptPages::instance().take(bytes); }
void give_pages(const PageBlock& block) { KeptPages::instance().give(block); }
int64_t kept_bytes() { return KeptPages::instance().bytes(); }
int64_t limit_kept_bytes(int64_t bytes) { return KeptPages::instance().limit(bytes); }

}  // namespace tsr::runtime
