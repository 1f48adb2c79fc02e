/* Copies and fillings, at once and on a stream. */
#include "runtime.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The kinds of copies: their names, and the sides that are device memory. */
enum { FROM_DEVICE = 1, TO_DEVICE = 2 };
static const struct {
    const char* name;
    int sides;
} KINDS[] = {
    {"ACL_MEMCPY_HOST_TO_HOST", 0},
    {"ACL_MEMCPY_HOST_TO_DEVICE", TO_DEVICE},
    {"ACL_MEMCPY_DEVICE_TO_HOST", FROM_DEVICE},
    {"ACL_MEMCPY_DEVICE_TO_DEVICE", FROM_DEVICE | TO_DEVICE},
    {"ACL_MEMCPY_DEFAULT", 0},
    {"ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE", TO_DEVICE},
    {"ACL_MEMCPY_INNER_DEVICE_TO_DEVICE", FROM_DEVICE | TO_DEVICE},
    {"ACL_MEMCPY_INTER_DEVICE_TO_DEVICE", FROM_DEVICE | TO_DEVICE},
};

/* A copy, or, with `source` NULL, a filling with a byte. */
typedef struct {
    const char* function;
    void* destination;
    const void* source;
    size_t count;
    int32_t byte;
} Transfer;

static aclError check_range(const char* function, const char* argument, const void* pointer, size_t count) {
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    if (!actgrad_is_device_address(address)) return ACL_SUCCESS; /* the size of host memory is unknown */
    int64_t left = actgrad_memory_left(address);
    if (left >= 0 && (uint64_t)left >= count) return ACL_SUCCESS;
    char text[160];
    actgrad_describe_address(address, text, sizeof text);
    if (left < 0) return actgrad_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %s %s", function, argument, text);
    return actgrad_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %s %s, of which %" PRId64 " are left there, but count is %zu",
                        function, argument, text, left, count);
}

static aclError check_side(const char* function, const char* argument, const void* pointer, aclrtMemcpyKind kind,
                           int side) {
    bool is_device = actgrad_is_device_address((uint64_t)(uintptr_t)pointer);
    if (is_device == ((KINDS[kind].sides & side) != 0)) return ACL_SUCCESS;
    return actgrad_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %s %p is %s memory, but kind is %s", function, argument,
                        pointer, is_device ? "device" : "host", KINDS[kind].name);
}

static aclError check_kind(const Transfer* copy, aclrtMemcpyKind kind) {
    if ((int)kind < 0 || (size_t)kind >= sizeof KINDS / sizeof *KINDS)
        return actgrad_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: kind is %d; it must be of aclrtMemcpyKind",
                            copy->function, (int)kind);
    if (kind == ACL_MEMCPY_DEFAULT) return ACL_SUCCESS;
    RETURN_IF_ERROR(check_side(copy->function, "src", copy->source, kind, FROM_DEVICE));
    return check_side(copy->function, "dst", copy->destination, kind, TO_DEVICE);
}

static aclError check_count(const Transfer* transfer, const char* limit_name, size_t limit) {
    RETURN_IF_ERROR(actgrad_check_device_if_strict(transfer->function));
    if (transfer->count <= limit) return ACL_SUCCESS;
    return actgrad_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: count is %zu, but %s is %zu", transfer->function,
                        transfer->count, limit_name, limit);
}

static aclError check_ranges(const Transfer* transfer) {
    if (transfer->source != NULL)
        RETURN_IF_ERROR(check_range(transfer->function, "src", transfer->source, transfer->count));
    const char* name = transfer->source == NULL ? "devPtr" : "dst";
    return check_range(transfer->function, name, transfer->destination, transfer->count);
}

static aclError check_copy(const Transfer* copy, size_t destMax, aclrtMemcpyKind kind) {
    if (copy->destination == NULL) return actgrad_fail_null(copy->function, "dst");
    if (copy->source == NULL) return actgrad_fail_null(copy->function, "src");
    RETURN_IF_ERROR(check_count(copy, "destMax", destMax));
    RETURN_IF_ERROR(check_kind(copy, kind));
    return check_ranges(copy);
}

static aclError check_filling(const Transfer* filling, size_t maxCount) {
    if (filling->destination == NULL) return actgrad_fail_null(filling->function, "devPtr");
    RETURN_IF_ERROR(check_count(filling, "maxCount", maxCount));
    return check_ranges(filling);
}

static void* touchable(const void* pointer) {
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    if (actgrad_is_device_address(address)) address += (uint64_t)actgrad_memory_distance();
    return (void*)(uintptr_t)address;
}

static aclError transfer(const Transfer* each) {
    if (each->source == NULL)
        memset(touchable(each->destination), each->byte, each->count);
    else
        memmove(touchable(each->destination), touchable(each->source), each->count);
    return ACL_SUCCESS;
}

/* Checks again: the program may have freed the memory since it queued the work. */
static int32_t transfer_later(void* argument) {
    RETURN_IF_ERROR(check_ranges(argument));
    return transfer(argument);
}

static aclError submit(const Transfer* each, aclrtStream stream) {
    Transfer* queued = malloc(sizeof *queued);
    if (queued == NULL) return actgrad_fail_memory(each->function);
    *queued = *each;
    return actgrad_submit_from(each->function, stream, transfer_later, free, queued, NULL);
}

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind) {
    const Transfer copy = {__func__, dst, src, count, 0};
    RETURN_IF_ERROR(check_copy(&copy, destMax, kind));
    return transfer(&copy);
}

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream) {
    const Transfer copy = {__func__, dst, src, count, 0};
    RETURN_IF_ERROR(check_copy(&copy, destMax, kind));
    return submit(&copy, stream);
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
    const Transfer filling = {__func__, devPtr, NULL, count, value};
    RETURN_IF_ERROR(check_filling(&filling, maxCount));
    return transfer(&filling);
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream) {
    const Transfer filling = {__func__, devPtr, NULL, count, value};
    RETURN_IF_ERROR(check_filling(&filling, maxCount));
    return submit(&filling, stream);
}
