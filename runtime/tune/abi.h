/* The binary interface of tuned kernels, a part of runtime/abi.h that few need. */
#ifndef TSR_RUNTIME_TUNE_ABI_H
#define TSR_RUNTIME_TUNE_ABI_H

#include "runtime/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A tuned kernel: points of its space, which give the same result and differ in speed. */
typedef struct TsrTuningPoint {
    const TsrKernelFamily* family;
    const char* text; /* one line: "BM=64, BN=128" */
} TsrTuningPoint;
typedef struct TsrTuning {
    const char* kernel;  /* its name */
    const char* content; /* tells the code of all points from that of any other kernel */
    int32_t npoints;
    int32_t ndims;
    int32_t first_dim; /* of the slots */
    int32_t reserved;
    const TsrTuningPoint* points;
    const char* known; /* records of winners that came with the program (runtime/tune/record.h), or NULL */
} TsrTuning;
/* Launches one point: of these arguments' sizes the fastest that is known, else what measuring finds (language
 * reference, section 4, "Tuning"), on copies of the tensors that the kernel may write.
 * groups: per point groups along x, y, z, which become the last three slots, and their total. */
void tsr_launch_tuned(const TsrTuning* tuning, const uint64_t* slots, TsrTensor* const* tensors, const int64_t* groups,
                      uint64_t* result, const TsrPlace* place);

#ifdef __cplusplus
}
#endif

#endif
