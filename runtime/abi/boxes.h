/* A part of runtime/abi.h: tensors as the copies of boxes of a kernel see them.
 *
 * Behind the context such a kernel has for parameters CUtensorMaps of 128 bytes, aligned to 64, which the launch makes
 * of the tensors of slots. A launch whose tensors can not be described so (rows that are no multiples of 16 bytes, no
 * elements, a driver that makes no maps) takes the next variant that fits. */
#ifndef TSR_RUNTIME_ABI_BOXES_H
#define TSR_RUNTIME_ABI_BOXES_H

#include "runtime/abi/cuda.h"

/* The axes are the tensor's, in its order; what a box has outside of the tensor is 0, or is not written. */
#define TSR_CUDA_MAP_AXES 5
typedef struct TsrCudaMap {
    int32_t slot;
    int32_t rank;
    int32_t bytes;   /* of an element: 1, 2, 4 or 8 */
    int32_t swizzle; /* bytes of the rows in which pieces change places: 32, 64, 128, or 0: none */
    int32_t box[TSR_CUDA_MAP_AXES];
    int32_t reserved;
} TsrCudaMap;

/* A kernel whose `reserved` is not 0, but the number of its maps, stands in one of these. */
typedef struct TsrCudaBoxKernel {
    TsrCudaKernel kernel;
    const TsrCudaMap* maps; /* in the order of the parameters */
    int64_t in_turn;        /* 1: blocks take the groups of a launch in turn, however many they are, in clusters of
                               `kernel.cluster` or in none */
} TsrCudaBoxKernel;

#endif
