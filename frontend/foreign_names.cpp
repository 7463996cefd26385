#include "frontend/foreign_names.h"

#include <utility>

namespace tsr {

std::optional<std::string_view> own_spelling(std::string_view name) {
    static constexpr std::pair<std::string_view, std::string_view> kOwn[] = {
        {"__syncthreads", "tbarrier"},
        {"syncthreads", "tbarrier"},
        {"tile.sync", "tile.barrier"},
        {"tile.syncthreads", "tile.barrier"},
        {"tile.program_id", "tile.group_id"},
        {"tile.num_programs", "grid_groups"},
        {"tile.block_id", "tile.group_id"},
        {"tile.thread_id", "tile.local_id"},
        {"tile.global_id", "tile.linear_id"},
        {"tile.shared", "tile.alloc_shared"},
        {"tile.sum", "tile.reduce_sum"},
        {"tile.max", "tile.reduce_max"},
        {"tile.min", "tile.reduce_min"},
        {"atomicAdd", "atomic.add"},
        {"atomicMax", "atomic.max"},
        {"atomicMin", "atomic.min"},
        {"atomicExch", "atomic.exchange"},
        {"atomicCAS", "atomic.compare_exchange"},
        {"atomic_add", "atomic.add"},
        {"atomic_max", "atomic.max"},
        {"atomic_min", "atomic.min"},
        {"atomic_cas", "atomic.compare_exchange"},
        {"tile.atomic_add", "atomic.add"},
        {"tile.atomic_max", "atomic.max"},
        {"tile.atomic_min", "atomic.min"},
        {"tile.atomic_cas", "atomic.compare_exchange"},
        {"atomic.fetch_add", "atomic.add"},
        {"tile.any_sync", "tile.any"},
        {"__popc", "popcount"},
        {"__popcll", "popcount"},
        {"bit_count", "popcount"},
        {"bitwise_count", "popcount"},
        {"__clz", "clz"},
        {"__clzll", "clz"},
        {"__umulhi", "mulhi"},
        {"__mulhi", "mulhi"},
        {"umulhi", "mulhi"},
        {"tile.dot", "tile.mma"},
        {"cat", "concat"},
        {"tensor", "from_list"},
        {"array", "from_list"},
    };
    for (const auto& [foreign, own] : kOwn) {
        if (foreign == name) return own;
    }
    return std::nullopt;
}

namespace {

constexpr std::string_view kArrays =
    "functions on arrays need no prefix here: `zeros`, `ones`, `arange`, `sqrt`, `exp`, `sum`; elements are computed "
    "in "
    "kernels";
constexpr std::string_view kTriton =
    "Triton's names stand under `tile` here: `tile.load(x[a:b])`, `tile.iota`, `tile.mma`, `tile.reduce_sum`; "
    "`tile.group_id()` is the program id";
constexpr std::string_view kShared = "shared memory is allocated in the kernel: `buf = tshared.alloc[f32](128)`";
constexpr std::string_view kParallel =
    "a kernel is the program of one tile: `i = tile.linear_id()` and `if i < n:` take the place of a parallel loop";
constexpr std::string_view kKernel = "a kernel is a function under `@kernel`; functions that it calls are plain ones";

}  // namespace

std::optional<std::string_view> foreign_hint(std::string_view name) {
    static constexpr std::pair<std::string_view, std::string_view> kHints[] = {
        // CUDA
        {"threadIdx",
         "the index of a thread in its block is `tile.local_id()` here; `tile.linear_id()` counts through "
         "the whole launch in a kernel that uses nothing else of the group"},
        {"blockIdx", "the index of a block is `tile.group_id()` here, `tile.group_id(axis)` with several axes"},
        {"blockDim",
         "the number of threads of a block is `tile.group_size()` here; `tile[(128,)]` in the header sets it"},
        {"gridDim", "the number of blocks is `grid_groups` here"},
        {"warpSize", "a warp has 32 tiles on every target; `tile.lane_id()` is the index in it"},
        {"__shared__", kShared},
        {"shared", kShared},
        {"__global__", kKernel},
        {"__device__", kKernel},
        {"__host__", kKernel},
        {"dim3", "a launch names its groups in brackets: `k[4, 4](x)`"},
        {"cudaMalloc", "tensors have their memory by themselves: `x = zeros((n,), f32)`"},
        {"cudaMemcpy", "tensors move between host and device by themselves"},
        {"cudaDeviceSynchronize", "reading an element of a tensor waits for the device"},
        {"printf", "`print(…)`, also in kernels"},
        {"cuda", "the names of kernels stand under `tile` here: `tile.linear_id()`, `tile.barrier()`"},
        // NumPy and its kin
        {"np", kArrays},
        {"numpy", kArrays},
        {"jnp", kArrays},
        {"jax", kArrays},
        {"torch", kArrays},
        {"cp", kArrays},
        {"cupy", kArrays},
        {"F", kArrays},
        {"nn", "a layer is a class whose fields are its weights, `w: param f32[d, d]`, and a method `__call__`"},
        {"concatenate", "tensors one behind the other: `concat([a, b], axis=0)`"},
        {"vstack", "rows one below the other: `concat([a, b], axis=0)`, of vectors `stack([a, b])`"},
        {"hstack", "columns side by side: `concat([a, b], axis=1)`"},
        {"take_along_axis", "elements by their numbers along an axis: `gather(x, ids, axis)`"},
        {"meshgrid", "numbers along two axes broadcast: `y[:, None]` and `x[None, :]`"},
        {"tensordot", "sums of products by letters: `einsum(\"ij,jk->ik\", a, b)`"},
        {"masked_fill", "elements by a mask: `where(mask, e, x)`"},
        {"arctan2", "the angle of a point is `atan2(y, x)` here"},
        {"nll_loss", "the loss of log-probabilities is `nll(logs, labels)` here"},
        {"logical_and", "of truth values `a & b`, in one place or element by element"},
        {"logical_or", "of truth values `a | b`, in one place or element by element"},
        {"logical_not", "of truth values `~a`, element by element"},
        {"equal", "element by element `a == b`"},
        {"greater", "element by element `a > b`"},
        {"less", "element by element `a < b`"},
        {"linear", "a layer is written out: `x @ w + b`; weights of PyTorch are the other way round, `x @ w.T + b`"},
        {"addmm", "written out: `c + a @ b`"},
        {"lerp", "written out: `a + (b - a) * t`"},
        {"rand_like", "of a shape: `rand(x.shape)`"},
        {"randn_like", "of a shape: `randn(x.shape)`"},
        {"numba", kKernel},
        {"njit", kKernel},
        {"prange", kParallel},
        // Triton
        {"tl", kTriton},
        {"triton", kTriton},
        // ispc
        {"foreach", kParallel},
        {"programIndex", "the index of a lane is `tile.lane_id()` here; `tile.linear_id()` that of the tile"},
        {"programCount", "the number of tiles of a group is `tile.group_size()` here"},
        {"taskIndex", "the index of a group is `tile.group_id()` here"},
        {"taskCount", "the number of groups is `grid_groups` here"},
        {"uniform", "what is the same for all tiles needs no word: the compiler finds it"},
        {"varying", "what differs between tiles needs no word: the compiler finds it"},
        // OpenCL
        {"get_global_id", "the index of a work-item is `tile.linear_id()` here"},
        {"get_local_id", "the index of a work-item in its group is `tile.local_id()` here"},
        {"get_group_id", "the index of a work-group is `tile.group_id()` here"},
        {"get_local_size", "the size of a work-group is `tile.group_size()` here"},
        {"get_num_groups", "the number of work-groups is `grid_groups` here"},
        {"barrier", "a barrier of the group is `tile.barrier()` here"},
        // Python
        {"self", "the first parameter of a method is the record: `def forward(self, x):`"},
        {"divmod", "quotient and remainder are `a // b, a % b`"},
        {"tuple", "a tuple is written with its items, `(a, b)`; a list has items of one type, `[a, b]`"},
        {"cdiv", "a quotient that is rounded up is `(a + b - 1) // b`"},
        {"filter", "what fits of a list is `[x for x in xs if …]`"},
        {"type", "types are known when the program is compiled; `x.dtype` is the element type"},
        {"repr", "the text of a value is `str(x)`, or `f\"{x}\"`"},
        {"hex", "a number in another base is `f\"{n:x}\"`, `f\"{n:b}\"`, `f\"{n:o}\"`"},
        {"bin", "a number in another base is `f\"{n:x}\"`, `f\"{n:b}\"`, `f\"{n:o}\"`"},
        {"oct", "a number in another base is `f\"{n:x}\"`, `f\"{n:b}\"`, `f\"{n:o}\"`"},
        {"__name__", "a program begins with `def main():`, an imported module's `main` is not called"},
        {"isinstance", "types are known when the program is compiled; `x.dtype == f32` asks for an element type"},
    };
    for (const auto& [foreign, hint] : kHints) {
        if (foreign == name) return hint;
    }
    return std::nullopt;
}

}  // namespace tsr
