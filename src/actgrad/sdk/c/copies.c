/* aclrtMemcpy and aclrtMemset, at once and on a stream. */
#include "runtime.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char* const KIND_NAMES[] = {
    "ACL_MEMCPY_HOST_TO_HOST",        "ACL_MEMCPY_HOST_TO_DEVICE",         "ACL_MEMCPY_DEVICE_TO_HOST",
    "ACL_MEMCPY_DEVICE_TO_DEVICE",    "ACL_MEMCPY_DEFAULT",                "ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE",
    "ACL_MEMCPY_INNER_DEVICE_TO_DEVICE", "ACL_MEMCPY_INTER_DEVICE_TO_DEVICE"};
enum { KINDS = sizeof KIND_NAMES / sizeof *KIND_NAMES };
static const bool FROM_DEVICE[KINDS] = {[ACL_MEMCPY_DEVICE_TO_HOST] = true,
                                        [ACL_MEMCPY_DEVICE_TO_DEVICE] = true,
                                        [ACL_MEMCPY_INNER_DEVICE_TO_DEVICE] = true,
                                        [ACL_MEMCPY_INTER_DEVICE_TO_DEVICE] = true};
static const bool TO_DEVICE[KINDS] = {[ACL_MEMCPY_HOST_TO_DEVICE] = true,
                                      [ACL_MEMCPY_DEVICE_TO_DEVICE] = true,
                                      [ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE] = true,
                                      [ACL_MEMCPY_INNER_DEVICE_TO_DEVICE] = true,
                                      [ACL_MEMCPY_INTER_DEVICE_TO_DEVICE] = true};

/* A copy, or, where there is no source, a filling with a byte. */
typedef struct {
    const char* function;
    void* destination;
    const void* source;
    size_t count;
    int32_t byte;
} Transfer;

/* ---- checks */

static aclError check_range(const char* function, const char* argument, const void* pointer, size_t count) {
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    if (!actgrad_is_device_address(address)) return ACL_SUCCESS; /* of host memory nothing is known */
    int64_t left = actgrad_memory_left(address);
    if (left >= 0 && (uint64_t)left >= count) return ACL_SUCCESS;
    char text[160];
    actgrad_describe_address(address, text, sizeof text);
    if (left < 0) return actgrad_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %s %s", function, argument, text);
    return actgrad_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %s %s, of which %" PRId64 " are left there, but count is %zu",
                        function, argument, text, left, count);
}

static aclError check_side(const char* function, const char* argument, const void* pointer, aclrtMemcpyKind kind,
                           bool should_be_device) {
    bool is_device = actgrad_is_device_address((uint64_t)(uintptr_t)pointer);
    if (is_device == should_be_device) return ACL_SUCCESS;
    return actgrad_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %s %p is %s memory, but kind is %s", function, argument,
                        pointer, is_device ? "device" : "host", KIND_NAMES[kind]);
}

static aclError check_kind(const char* function, const void* dst, const void* src, aclrtMemcpyKind kind) {
    if ((int)kind < 0 || (int)kind >= KINDS)
        return actgrad_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: kind is %d; it must be of aclrtMemcpyKind", function,
                            (int)kind);
    if (kind == ACL_MEMCPY_DEFAULT) return ACL_SUCCESS;
    aclError status = check_side(function, "src", src, kind, FROM_DEVICE[kind]);
    return status != ACL_SUCCESS ? status : check_side(function, "dst", dst, kind, TO_DEVICE[kind]);
}

static aclError check_count(const char* function, size_t count, const char* limit_name, size_t limit) {
    if (count <= limit) return ACL_SUCCESS;
    return actgrad_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: count is %zu, but %s is %zu", function, count, limit_name,
                        limit);
}

static aclError check_ranges(const Transfer* transfer) {
    aclError status = ACL_SUCCESS;
    if (transfer->source != NULL) status = check_range(transfer->function, "src", transfer->source, transfer->count);
    if (status != ACL_SUCCESS) return status;
    const char* name = transfer->source == NULL ? "devPtr" : "dst";
    return check_range(transfer->function, name, transfer->destination, transfer->count);
}

static aclError check_copy(const Transfer* copy, size_t destMax, aclrtMemcpyKind kind) {
    const char* function = copy->function;
    if (copy->destination == NULL) return actgrad_fail_null(function, "dst");
    if (copy->source == NULL) return actgrad_fail_null(function, "src");
    aclError status = actgrad_check_device_if_strict(function);
    if (status == ACL_SUCCESS) status = check_count(function, copy->count, "destMax", destMax);
    if (status == ACL_SUCCESS) status = check_kind(function, copy->destination, copy->source, kind);
    return status != ACL_SUCCESS ? status : check_ranges(copy);
}

static aclError check_filling(const Transfer* filling, size_t maxCount) {
    if (filling->destination == NULL) return actgrad_fail_null(filling->function, "devPtr");
    aclError status = actgrad_check_device_if_strict(filling->function);
    if (status == ACL_SUCCESS) status = check_count(filling->function, filling->count, "maxCount", maxCount);
    return status != ACL_SUCCESS ? status : check_ranges(filling);
}

/* ---- the work */

static void* touchable(const void* pointer) {
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    if (actgrad_is_device_address(address)) address += (uint64_t)actgrad_memory_distance();
    return (void*)(uintptr_t)address;
}

static void transfer_bytes(const Transfer* transfer) {
    if (transfer->source == NULL)
        memset(touchable(transfer->destination), transfer->byte, transfer->count);
    else
        memmove(touchable(transfer->destination), touchable(transfer->source), transfer->count);
}

/* Checks anew: the memory may have been freed since the work was queued. */
static int32_t do_transfer(void* argument) {
    aclError status = check_ranges(argument);
    if (status == ACL_SUCCESS) transfer_bytes(argument);
    return status;
}

static aclError submit(const Transfer* transfer, aclrtStream stream) {
    Transfer* queued = malloc(sizeof *queued);
    if (queued == NULL)
        return actgrad_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: there is no host memory left", transfer->function);
    *queued = *transfer;
    return actgrad_do(transfer->function, stream, do_transfer, free, queued, NULL);
}

/* ---- the functions */

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind) {
    Transfer copy = {__func__, dst, src, count, 0};
    aclError status = check_copy(&copy, destMax, kind);
    if (status == ACL_SUCCESS) transfer_bytes(&copy);
    return status;
}

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream) {
    Transfer copy = {__func__, dst, src, count, 0};
    aclError status = check_copy(&copy, destMax, kind);
    return status != ACL_SUCCESS ? status : submit(&copy, stream);
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
    Transfer filling = {__func__, devPtr, NULL, count, value};
    aclError status = check_filling(&filling, maxCount);
    if (status == ACL_SUCCESS) transfer_bytes(&filling);
    return status;
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream) {
    Transfer filling = {__func__, devPtr, NULL, count, value};
    aclError status = check_filling(&filling, maxCount);
    return status != ACL_SUCCESS ? status : submit(&filling, stream);
}
