/* A part of runtime/abi.h, which includes it: calls that are replayed (`@jit(capture_graph=True)`), on a GPU alone. */
#ifndef TSR_RUNTIME_ABI_REPLAYED_CALLS_H
#define TSR_RUNTIME_ABI_REPLAYED_CALLS_H

#ifdef __cplusplus
extern "C" {
#endif

/* A call of `function` stands between begin and end. kinds[i] is the type of arguments[i], -1 of a tensor. 1: it was
 * recorded before with such arguments (the same extents, numbers and places in their memory) and its launches are made
 * again, as one CUDA graph; what it gives is asked for by number, then, and it is not called. 0: it is called, and its
 * results are told to tsr_capture_end. */
int32_t tsr_capture_begin(const char* function, const int64_t* kinds, int32_t nkinds, const TsrSlot* arguments,
                          int32_t count, const TsrPlace* place);
TsrTensor* tsr_capture_tensor(int32_t number); /* a new reference, once */
uint64_t tsr_capture_number(int32_t number);   /* the bits of a scalar */
void tsr_capture_end(const int64_t* kinds, int32_t nkinds, const TsrSlot* results, int32_t count);

#ifdef __cplusplus
}
#endif

#endif
