/* Copies and fills, immediate or on a stream. */
#include "runtime.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The kinds of copies: their names, and which sides are device memory. */
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

/* A copy, or a fill with a byte. */
typedef struct {
    const char* function;
    bool is_copy;
    void* destination;
    const void* source;
    size_t count;
    aclrtMemcpyKind kind;
    int32_t byte;
} Transfer;

static aclError check_range(const char* function, const char* argument, const void* pointer, size_t count) {
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    if (!actgrad_is_device_address(address)) return ACL_SUCCESS; /* the size of host memory is unknown */
    int64_t left = actgrad_memory_left(address);
    if (left >= 0 && (uint64_t)left >= count) return ACL_SUCCESS;
    char text[160];
    actgrad_describe_address(address, text, sizeof text);
    if (left < 0)
        return actgrad_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %s %s; it must be allocated; call aclrtMalloc", function,
                            argument, text);
    return actgrad_fail(ACL_ERROR_RT_PARAM_INVALID,
                        "%s: %s %s, and "
                        "%" PRId64 " are left there; count is %zu and must fit; pass less", function,
                        argument, text, left, count);
}

static aclError check_ranges(const Transfer* each) {
    if (each->is_copy) RETURN_IF_ERROR(check_range(each->function, "src", each->source, each->count));
    return check_range(each->function, each->is_copy ? "dst" : "devPtr", each->destination, each->count);
}

static aclError check_side(const Transfer* copy, const char* argument, const void* pointer, int side) {
    bool is_device = actgrad_is_device_address((uint64_t)(uintptr_t)pointer);
    if (is_device == ((KINDS[copy->kind].sides & side) != 0)) return ACL_SUCCESS;
    return actgrad_fail(ACL_ERROR_RT_PARAM_INVALID,
                        "%s: %s %p is %s memory, but kind is %s; they must agree; change kind or %s", copy->function,
                        argument, pointer, is_device ? "device" : "host", KINDS[copy->kind].name, argument);
}

static aclError check_kind(const Transfer* copy) {
    if ((int)copy->kind < 0 || (size_t)copy->kind >= sizeof KINDS / sizeof *KINDS)
        return actgrad_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: kind is %d; it must be one of aclrtMemcpyKind; pass one",
                            copy->function, (int)copy->kind);
    if (copy->kind == ACL_MEMCPY_DEFAULT) return ACL_SUCCESS;
    RETURN_IF_ERROR(check_side(copy, "src", copy->source, FROM_DEVICE));
    return check_side(copy, "dst", copy->destination, TO_DEVICE);
}

static aclError check(const Transfer* each, size_t limit) {
    if (each->destination == NULL) return actgrad_fail_null(each->function, each->is_copy ? "dst" : "devPtr");
    if (each->is_copy && each->source == NULL) return actgrad_fail_null(each->function, "src");
    RETURN_IF_ERROR(actgrad_check_device_if_strict(each->function));
    if (each->count > limit)
        return actgrad_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: count is %zu; it must be at most %s, %zu; pass less",
                            each->function, each->count, each->is_copy ? "destMax" : "maxCount", limit);
    return each->is_copy ? check_kind(each) : ACL_SUCCESS;
}

static void* touchable(const void* pointer) {
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    if (actgrad_is_device_address(address)) address += (uint64_t)actgrad_memory_distance();
    return (void*)(uintptr_t)address;
}

/* Checks the ranges of queued work again, because the program may have freed the memory meanwhile. */
static int32_t transfer(void* argument) {
    const Transfer* each = argument;
    RETURN_IF_ERROR(check_ranges(each));
    if (each->is_copy)
        memmove(touchable(each->destination), touchable(each->source), each->count);
    else
        memset(touchable(each->destination), each->byte, each->count);
    return ACL_SUCCESS;
}

static bool writes(const void* argument, uint64_t start, uint64_t stop) {
    const Transfer* each = argument;
    const uint64_t first = (uint64_t)(uintptr_t)each->destination;
    return first < stop && start < first + each->count;
}

static aclError transfer_later(Transfer each, size_t limit, aclrtStream stream) {
    RETURN_IF_ERROR(check(&each, limit));
    RETURN_IF_ERROR(check_ranges(&each));
    if (each.is_copy) RETURN_IF_ERROR(actgrad_check_refusals(each.function));
    Transfer* queued = malloc(sizeof *queued);
    if (queued == NULL) return actgrad_fail_memory(each.function);
    *queued = each;
    return actgrad_submit_from(each.function, stream, transfer, free, writes, queued, NULL);
}

static aclError transfer_now(Transfer each, size_t limit) {
    RETURN_IF_ERROR(check(&each, limit));
    if (each.is_copy) {
        const uint64_t start = (uint64_t)(uintptr_t)each.source;
        RETURN_IF_ERROR(actgrad_check_refusals(each.function));
        actgrad_warn_of_writers(each.function, start, start + each.count);
    }
    return transfer(&each);
}

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind) {
    return transfer_now((Transfer){__func__, true, dst, src, count, kind, 0}, destMax);
}

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream) {
    return transfer_later((Transfer){__func__, true, dst, src, count, kind, 0}, destMax, stream);
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
    return transfer_now((Transfer){__func__, false, devPtr, NULL, count, ACL_MEMCPY_DEFAULT, value}, maxCount);
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream) {
    return transfer_later((Transfer){__func__, false, devPtr, NULL, count, ACL_MEMCPY_DEFAULT, value}, maxCount, stream);
}
