/* A part of runtime/abi.h: the code of a kernel for NVIDIA GPUs, and what that code is given.
 *
 * A kernel is an `.entry` with one parameter of 8 bytes per slot, in order (of a tensor its address, which is aligned,
 * of a scalar its bits in the low bytes), then `i64 begin` and `i64 end`, the groups of this launch (of a flat kernel
 * its elements; where groups are divided, their parts), and the address of a TsrDeviceContext, 0 where `needs_context`
 * is 0. Blocks have one dimension, grids too. Clusters are whole: a block whose group or elements are not below `end`
 * has nothing to do. */
#ifndef TSR_RUNTIME_ABI_CUDA_H
#define TSR_RUNTIME_ABI_CUDA_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct TsrMessage;

typedef struct TsrCudaImage {
    int32_t cubin; /* 0: PTX, which a 0 ends */
    int32_t reserved;
    const void* data;
    int64_t size; /* bytes, without that 0 */
} TsrCudaImage;

typedef struct TsrCudaKernel {
    const char* symbol;         /* of the entry */
    const TsrCudaImage* images; /* in the order to be tried; PTX last */
    int32_t nimages;            /* 0: there is no such code */
    int32_t capability;         /* 10 * major + minor */
    int32_t exact;              /* runs on this capability alone; else on later ones too */
    int32_t threads;            /* of a block */
    int32_t cluster;            /* blocks of a cluster; 1: none */
    int32_t needs_context;
    int64_t shared;    /* bytes of dynamic shared memory */
    int64_t per_block; /* elements of a flat kernel that a block does; 1: blocks are groups, or their parts */
    int64_t parts;     /* of a group, each a block's work; 1: it is not divided */
    int32_t nmessages;
    int32_t reserved;
    const struct TsrMessage* const* messages; /* what it can print or assert, by number */
} TsrCudaKernel;

/* A message of a kernel is TSR_CUDA_MESSAGE_HEAD words and a word for each value, its bits; all messages of a kernel
 * take as many words as the longest. Word 0 is 1 + its number in the table, with TSR_CUDA_ASSERTION if it is an
 * assertion that failed, and the thread in its block << 32; it is written last, after a fence.sys, and is 0 while the
 * others are not there. Word 1 is its order: the group, of a flat kernel the element. */
#define TSR_CUDA_MESSAGE_HEAD 2
#define TSR_CUDA_ASSERTION (1ull << 31)
#define TSR_CUDA_ALIGNMENT 16     /* of the first element of each tensor, in bytes */
typedef struct TsrDeviceContext { /* in memory that host and device see */
    uint64_t next;     /* words taken: a message adds its size (atomic, 64 bits) and has the words from there on … */
    uint64_t capacity; /* … if they end here at the latest; else it is lost, and counted by what `next` says */
    uint64_t* words;
    uint64_t result; /* where group 0 puts the scalar that the kernel returns */
    uint32_t failed; /* set, after its message and a fence.sys, by an assertion that fails, which then traps */
    uint32_t reserved;
} TsrDeviceContext;

#ifdef __cplusplus
}
#endif

#endif
