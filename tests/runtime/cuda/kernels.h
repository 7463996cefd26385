// Kernels written by hand, as tables and PTX: each with code for GPUs, some with code for the processor too.
#pragma once

#include "runtime/abi.h"

namespace tsr::runtime::tests {

// y[i] = alpha * x[i] + y[i] of f32; slots x, y, alpha, n; flat.
extern const TsrKernelFamily saxpy_both;
extern const TsrCudaKernel saxpy_cuda;
// The same, but its first image is no image.
extern const TsrKernelFamily saxpy_second_image;
// The same without an image that anything takes, and with nothing for a processor.
extern const TsrKernelFamily saxpy_no_image;
// The same for GPUs that there are not.
extern const TsrKernelFamily saxpy_other_gpu;
// A variant for x at 256 bytes adds 1000, the other one 2000 to x[0]; slot x.
extern const TsrKernelFamily guarded;
// counts[group] += 1 of i32; slot counts; groups of 64 threads.
extern const TsrKernelFamily count_groups;
// The same, its groups divided into 2^40 parts.
extern const TsrKernelFamily count_many;
// Group g of two threads prints "g thread" and, where g >= limit, fails an assertion; slot limit.
extern const TsrKernelFamily talks;
// Gives begin + end + 40 as an i64.
extern const TsrKernelFamily returns_number;
// y[0] = the addresses of y and x modulo 16, y[1] = x[0], of f32; slots y, x.
extern const TsrKernelFamily tells_address;
// counts[group] = blocks of its cluster, 2, of i32, by way of the last of 100 KiB of shared memory; slot counts.
extern const TsrKernelFamily in_clusters;
// Writes to address 16.
extern const TsrKernelFamily faults;
// y[i] = x[i] + 1 of f32, for the processor alone; slots x, y, n; flat.
extern const TsrKernelFamily on_processor;

}  // namespace tsr::runtime::tests
