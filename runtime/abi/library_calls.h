/* A part of runtime/abi.h: what fails inside a function of the standard library is reported at the user's call of it.
 */
#ifndef TSR_RUNTIME_ABI_LIBRARY_CALLS_H
#define TSR_RUNTIME_ABI_LIBRARY_CALLS_H

#ifdef __cplusplus
extern "C" {
#endif

struct TsrPlace;

/* A place in the user's program where a function of the standard library is called. */
typedef struct TsrLibraryCall {
    const struct TsrPlace* place;
    const char* function; /* as the program names it */
} TsrLibraryCall;

/* What this thread is in from now on; NULL: code of the user's. Returns what it was in: it is in that again when the
 * call is over. */
const TsrLibraryCall* tsr_enter_library(const TsrLibraryCall* call);

#ifdef __cplusplus
}
#endif

#endif
