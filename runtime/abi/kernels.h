/* A part of runtime/abi.h, which includes it: tables of kernels, and their launches. */
#ifndef TSR_RUNTIME_ABI_KERNELS_H
#define TSR_RUNTIME_ABI_KERNELS_H

#include "runtime/abi/cuda.h"
#include "runtime/abi/x86.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Text of a kernel's print or assert: pieces in order, a piece with text alone, or a value formatted by a spec. */
typedef struct TsrMessagePiece {
    const char* text; /* the text, or NULL: the next value */
    int32_t dtype;
    const char* spec;
} TsrMessagePiece;
typedef struct TsrMessage {
    TsrPlace place;
    int32_t npieces;
    const TsrMessagePiece* pieces;
} TsrMessage;

/* What a kernel is given beside its slots; one per worker. */
typedef struct TsrTask {
    int32_t worker;   /* 0 … workers - 1 */
    int32_t failed;   /* set by tsr_task_assert_failed: the code should return */
    int64_t total;    /* groups, or elements of a flat kernel, of the whole launch */
    uint64_t* result; /* where group 0 puts the scalar that the kernel returns */
    void* log;        /* the runtime's */
} TsrTask;
/* `group` orders the lines of a launch: group number, or element number of a flat kernel. */
void tsr_task_print(TsrTask* task, const TsrMessage* message, const uint64_t* values, int64_t group);
void tsr_task_assert_failed(TsrTask* task, const TsrMessage* message, const uint64_t* values, int64_t group);

/* Slots: 8 bytes each: data pointers, dimension values, scalars as bits. Runs groups (flat: elements) [begin, end). */
typedef void (*TsrKernelEntry)(const uint64_t* slots, int64_t begin, int64_t end, void* scratch, TsrTask* task);

typedef enum TsrMachine { TSR_MACHINE_X86_64, TSR_MACHINE_CUDA } TsrMachine;

typedef enum TsrGuardOp { TSR_GUARD_LESS, TSR_GUARD_AT_LEAST, TSR_GUARD_EQUAL, TSR_GUARD_DIVISIBLE } TsrGuardOp;
/* slots[slot] `op` value, both signed 64 bits; DIVISIBLE also serves for alignment of pointers, of those of the machine
 * that the variant is for. */
typedef struct TsrGuard {
    int32_t op, slot;
    int64_t value;
} TsrGuard;

/* An operand of a kernel that its launch brings into a form of its own before the groups run. */
typedef struct TsrBlockAxis {
    int32_t slot; /* of the extent; -1: `extent` */
    int32_t reserved;
    int64_t extent;
    int64_t step;
} TsrBlockAxis;
typedef struct TsrPackedOperand {
    TsrKernelEntry entry;     /* fills blocks [begin, end); its groups along x are the blocks */
    const TsrBlockAxis* axes; /* the product of ceil(extent / step) blocks */
    int64_t naxes;
    int64_t block_bytes;
    int64_t task;    /* blocks worth one task */
    int64_t scratch; /* bytes per worker */
} TsrPackedOperand;

typedef struct TsrKernelVariant {
    int32_t machine; /* TsrMachine */
    int32_t nguards;
    uint64_t features;                         /* needed, TSR_CPU_… */
    const TsrGuard* guards;                    /* all must hold */
    int32_t (*accepts)(const uint64_t* slots); /* and this, when not NULL */
    TsrKernelEntry entry;
    int64_t task;                   /* groups or elements worth one task; also the alignment of every `begin`; >= 1 */
    int64_t scratch;                /* bytes per worker, given aligned to 64; 0: scratch is NULL */
    const char* plan;               /* its text */
    const TsrPackedOperand* packed; /* their buffers stand in the slots behind the kernel's own */
    int64_t npacked;
    const TsrCudaKernel* cuda; /* of TSR_MACHINE_CUDA, which has no features, entry, task, scratch or packed operands */
} TsrKernelVariant;

typedef enum TsrSlotUse {
    TSR_SLOT_VALUE,  /* a number */
    TSR_SLOT_READ,   /* the first element of a tensor that the kernel reads */
    TSR_SLOT_WRITTEN /* … that it may write, and read */
} TsrSlotUse;

/* A kernel in an executable. The first variant that the machine has and whose guards hold is run; the last of each
 * machine has no guards. */
typedef struct TsrKernelFamily {
    const char* name;
    TsrPlace place;
    int32_t nslots;
    int32_t nvariants;
    const char* const* slot_names; /* of dimensions, else NULL; nslots of them, shown in traces; may be NULL */
    const TsrKernelVariant* variants;
    const uint8_t* uses; /* TsrSlotUse of each slot; NULL: its tensors are not known, it runs on the CPU */
} TsrKernelFamily;

/* Runs groups, of a flat kernel elements, [0, total); total <= 0 runs nothing. `tensors[i]` is the tensor of slot i,
 * whose first element stands there by its address on the CPU, for every slot up to the last that is one (others: NULL);
 * the tensors are dense. NULL for all of them where `uses` is NULL. `result` may be NULL when the kernel returns
 * nothing; it is there, as what the kernel writes is for others than the runtime, after tsr_wait. */
void tsr_launch(const TsrKernelFamily* family, const uint64_t* slots, TsrTensor* const* tensors, int64_t total,
                uint64_t* result, const TsrPlace* place);
/* Whether a launch of the kernel with a tensor as this one goes to a GPU. NULL, a kernel of no program: it does not. */
int32_t tsr_on_gpu(const TsrTensor* tensor, const TsrKernelFamily* family);
int32_t tsr_workers(void); /* TESSERA_THREADS, else the cores this process may use */

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
