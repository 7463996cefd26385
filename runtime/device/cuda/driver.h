// NVIDIA's driver, found when it is first asked for: a table of the functions used, declared as the driver documents
// them, so that nothing of CUDA is needed to build.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "runtime/result.h"

namespace tsr::runtime::cuda {

using Status = int;        // CUresult
using Pointer = uint64_t;  // CUdeviceptr
using DeviceNumber = int;  // CUdevice
using Context = struct CUctx_st*;
using Stream = struct CUstream_st*;
using Module = struct CUmod_st*;
using Function = struct CUfunc_st*;
using Pool = struct CUmemPoolHandle_st*;
using Event = struct CUevent_st*;
using Graph = struct CUgraph_st*;
using GraphExec = struct CUgraphExec_st*;
using GraphNode = struct CUgraphNode_st*;

enum : Status { kSuccess = 0, kOutOfMemory = 2 };

// CUlaunchAttribute and CUlaunchConfig.
struct LaunchAttribute {
    int id;
    char pad[4];
    union {
        char all[64];
        unsigned cluster[3];
    } value;
};
constexpr int kClusterDimension = 4;
struct LaunchConfig {
    unsigned grid[3];
    unsigned block[3];
    unsigned shared;
    Stream stream;
    LaunchAttribute* attributes;
    unsigned nattributes;
};

// CUDA_KERNEL_NODE_PARAMS_v1.
struct KernelNode {
    Function function;
    unsigned grid[3];
    unsigned block[3];
    unsigned shared;
    void** arguments;
    void** extra;
};
constexpr int kCaptureRelaxed = 2;  // CU_STREAM_CAPTURE_MODE_RELAXED

// clang-format off
// Name here, symbol, parameters.
#define TSR_CUDA_FUNCTIONS(X) \
    X(init, cuInit, (unsigned flags)) \
    X(driver_version, cuDriverGetVersion, (int* version)) \
    X(device_count, cuDeviceGetCount, (int* count)) \
    X(device_get, cuDeviceGet, (DeviceNumber* device, int ordinal)) \
    X(device_name, cuDeviceGetName, (char* name, int length, DeviceNumber device)) \
    X(device_attribute, cuDeviceGetAttribute, (int* value, int attribute, DeviceNumber device)) \
    X(retain_context, cuDevicePrimaryCtxRetain, (Context* context, DeviceNumber device)) \
    X(set_current, cuCtxSetCurrent, (Context context)) \
    X(make_stream, cuStreamCreate, (Stream* stream, unsigned flags)) \
    X(wait_stream, cuStreamSynchronize, (Stream stream)) \
    X(make_event, cuEventCreate, (Event* event, unsigned flags)) \
    X(destroy_event, cuEventDestroy_v2, (Event event)) \
    X(record_event, cuEventRecord, (Event event, Stream stream)) \
    X(elapsed, cuEventElapsedTime, (float* milliseconds, Event from, Event to)) \
    X(memory_info, cuMemGetInfo_v2, (size_t* free, size_t* total)) \
    X(allocate, cuMemAlloc_v2, (Pointer* memory, size_t bytes)) \
    X(free, cuMemFree_v2, (Pointer memory)) \
    X(allocate_host, cuMemHostAlloc, (void** memory, size_t bytes, unsigned flags)) \
    X(host_pointer, cuMemHostGetDevicePointer_v2, (Pointer* memory, void* host, unsigned flags)) \
    X(copy_in, cuMemcpyHtoDAsync_v2, (Pointer to, const void* from, size_t bytes, Stream stream)) \
    X(copy_out, cuMemcpyDtoHAsync_v2, (void* to, Pointer from, size_t bytes, Stream stream)) \
    X(copy, cuMemcpyDtoDAsync_v2, (Pointer to, Pointer from, size_t bytes, Stream stream)) \
    X(fill, cuMemsetD8Async, (Pointer to, unsigned char byte, size_t bytes, Stream stream)) \
    X(fill_16, cuMemsetD16Async, (Pointer to, unsigned short value, size_t count, Stream stream)) \
    X(fill_32, cuMemsetD32Async, (Pointer to, unsigned value, size_t count, Stream stream)) \
    X(load_module, cuModuleLoadDataEx, (Module* module, const void* image, unsigned n, int* options, void** values)) \
    X(find_function, cuModuleGetFunction, (Function* function, Module module, const char* name)) \
    X(set_function, cuFuncSetAttribute, (Function function, int attribute, int value)) \
    X(launch, cuLaunchKernel, (Function function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, \
                               unsigned bz, unsigned shared, Stream stream, void** arguments, void** extra)) \
    X(error_name, cuGetErrorName, (Status status, const char** text)) \
    X(error_text, cuGetErrorString, (Status status, const char** text))
// Of newer drivers; null where they are not there.
#define TSR_CUDA_NEWER_FUNCTIONS(X) \
    X(launch_ex, cuLaunchKernelEx, (const LaunchConfig* config, Function function, void** arguments, void** extra)) \
    X(allocate_ordered, cuMemAllocAsync, (Pointer* memory, size_t bytes, Stream stream)) \
    X(free_ordered, cuMemFreeAsync, (Pointer memory, Stream stream)) \
    X(default_pool, cuDeviceGetDefaultMemPool, (Pool* pool, DeviceNumber device)) \
    X(set_pool, cuMemPoolSetAttribute, (Pool pool, int attribute, void* value)) \
    X(trim_pool, cuMemPoolTrimTo, (Pool pool, size_t keep)) \
    X(occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor, (int* blocks, Function function, int threads, size_t shared)) \
    X(active_clusters, cuOccupancyMaxActiveClusters, (int* clusters, Function function, const LaunchConfig* config)) \
    X(encode_map, cuTensorMapEncodeTiled, (void* map, int type, uint32_t rank, void* address, const uint64_t* extents, \
                                           const uint64_t* steps, const uint32_t* box, const uint32_t* every, \
                                           int interleave, int swizzle, int promotion, int fill)) \
    X(begin_capture, cuStreamBeginCapture_v2, (Stream stream, int mode)) \
    X(capture_info, cuStreamGetCaptureInfo_v2, (Stream stream, int* status, uint64_t* id, Graph* graph, \
                                                const GraphNode** last, size_t* count)) \
    X(end_capture, cuStreamEndCapture, (Stream stream, Graph* graph)) \
    X(instantiate, cuGraphInstantiateWithFlags, (GraphExec* made, Graph graph, unsigned long long flags)) \
    X(set_node, cuGraphExecKernelNodeSetParams, (GraphExec graph, GraphNode node, const KernelNode* launch)) \
    X(launch_graph, cuGraphLaunch, (GraphExec graph, Stream stream)) \
    X(destroy_graph, cuGraphDestroy, (Graph graph)) \
    X(destroy_exec, cuGraphExecDestroy, (GraphExec graph))
// clang-format on

struct Driver {
#define TSR_CUDA_FIELD(name, symbol, parameters) Status(*name) parameters = nullptr;
    TSR_CUDA_FUNCTIONS(TSR_CUDA_FIELD)
    TSR_CUDA_NEWER_FUNCTIONS(TSR_CUDA_FIELD)
#undef TSR_CUDA_FIELD
    // "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered"
    std::string text(Status status) const;
};

// Of TESSERA_CUDA_DRIVER, a path, else of this system; ready for use. Looked for once.
const Result<const Driver*>& driver();

}  // namespace tsr::runtime::cuda
