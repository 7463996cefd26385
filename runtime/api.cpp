// The functions of the interface as a table.
#include "runtime/abi.h"

extern "C" const TsrHostApi* tsr_host_api(void) {
#define TSR_FUNCTION(name) &tsr_##name,
    static constexpr TsrHostApi kApi = {TSR_HOST_FUNCTIONS(TSR_FUNCTION)};
#undef TSR_FUNCTION
    return &kApi;
}
