/* Device memory, and the host memory that programs get from the runtime. */
#include "runtime.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ALIGNMENT = 512, PADDING = 32 };
static const uint64_t HUGE_PAGE = 2ull << 20;
static const uint64_t LARGE = 4ull << 20; /* from here on a block is made of huge pages */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Arena arena = {.file = -1};
static Blocks device;
static Blocks host;
static uint64_t device_bytes;
static size_t first_gap; /* the blocks before this one touch each other: there is no room between them */
static int file_for_child = -1;

void actgrad_memory_lock(void) { pthread_mutex_lock(&lock); }
void actgrad_memory_unlock(void) { pthread_mutex_unlock(&lock); }

/* ---- where blocks lie */

static uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }
static uint64_t round_down(uint64_t value, uint64_t unit) { return value / unit * unit; }
static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t largest(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* The runtime of the hardware rounds up to 32 bytes and adds 32 more, which its kernels may read. */
static uint64_t footprint(uint64_t size) { return round_up(round_up(size, PADDING) + PADDING, ALIGNMENT); }

static uint64_t end_before(size_t index) {
    if (index == 0) return arena.base;
    return device.all[index - 1].start + footprint(device.all[index - 1].size);
}

static uint64_t start_at(size_t index) {
    return index < device.count ? device.all[index].start : arena.base + arena.size;
}

/* The first place with room, and how many blocks lie before it; 0 where there is none. */
static uint64_t find_room(uint64_t size, size_t* index) {
    if (size > arena.size) return 0;
    uint64_t alignment = size >= LARGE ? HUGE_PAGE : ALIGNMENT;
    for (size_t k = first_gap; k <= device.count; k++) {
        uint64_t start = round_up(end_before(k), alignment);
        if (start > start_at(k) || start_at(k) - start < footprint(size)) continue;
        *index = k;
        return start;
    }
    return 0;
}

static void note_block(Block block) {
    device_bytes += block.size;
    while (first_gap < device.count && end_before(first_gap) == start_at(first_gap)) first_gap++;
    if (block.size >= LARGE)
        actgrad_arena_use_huge_pages(&arena, block.start, round_up(block.start + block.size, HUGE_PAGE));
}

/* Gives back the pages of a block that no neighbour lies on. */
static void remove_block(size_t index) {
    const Block block = device.all[index];
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t end = round_up(block.start + footprint(block.size), page);
    actgrad_blocks_remove(&device, index);
    device_bytes -= block.size;
    if (first_gap > index) first_gap = index;
    uint64_t from = largest(round_up(end_before(index), page), round_down(block.start, page));
    uint64_t to = least(round_down(start_at(index), page), end);
    if (from < to) actgrad_arena_give_back(&arena, from, to);
}

static bool is_open(void) { return arena.size != 0 || actgrad_arena_open(&arena); }

/* ---- what others ask about addresses */

static bool is_in_arena(uint64_t address) { return address - arena.base < arena.size; }

bool actgrad_is_device_address(uint64_t address) {
    actgrad_memory_lock();
    bool is = is_in_arena(address);
    actgrad_memory_unlock();
    return is;
}

int64_t actgrad_memory_left(uint64_t address) {
    actgrad_memory_lock();
    const Block* block = actgrad_blocks_find(&device, address);
    int64_t left = block == NULL ? -1 : (int64_t)(block->start + block->size - address);
    actgrad_memory_unlock();
    return left;
}

int64_t actgrad_memory_distance(void) {
    actgrad_memory_lock();
    int64_t distance = arena.distance;
    actgrad_memory_unlock();
    return distance;
}

int actgrad_memory_share(int* file, uint64_t* base, uint64_t* size) {
    actgrad_memory_lock();
    int status = is_open() && arena.file >= 0 ? 0 : -1;
    *file = arena.file;
    *base = arena.base;
    *size = arena.size;
    actgrad_memory_unlock();
    return status;
}

static void describe(uint64_t address, char* text, size_t size) {
    const Block* on_device = actgrad_blocks_find(&device, address);
    const Block* on_host = actgrad_blocks_find(&host, address);
    const Block* block = on_device != NULL ? on_device : on_host;
    const char* whose = on_device != NULL ? "aclrtMalloc" : "aclrtMallocHost";
    if (block != NULL && block->start == address)
        snprintf(text, size, "0x%" PRIx64 " is %" PRIu64 " bytes of %s", address, block->size, whose);
    else if (block != NULL)
        snprintf(text, size, "0x%" PRIx64 " lies inside the %" PRIu64 " bytes of %s at 0x%" PRIx64, address,
                 block->size, whose, block->start);
    else if (is_in_arena(address))
        snprintf(text, size, "0x%" PRIx64 " is device memory that is not allocated; it was freed, or never given out",
                 address);
    else
        snprintf(text, size, "0x%" PRIx64 " is host memory that is not of aclrtMallocHost", address);
}

void actgrad_describe_address(uint64_t address, char* text, size_t size) {
    actgrad_memory_lock();
    describe(address, text, size);
    actgrad_memory_unlock();
}

static aclError fail_address(const char* function, const char* argument, uint64_t address, const char* holds) {
    char text[160];
    actgrad_describe_address(address, text, sizeof text);
    return actgrad_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %s %s; %s", function, argument, text, holds);
}

/* ---- device memory */

static aclError allocate(const char* function, void** devPtr, size_t size) {
    if (devPtr == NULL) return actgrad_fail_null(function, "devPtr");
    if (size == 0) return actgrad_fail(ACL_ERROR_INVALID_PARAM, "%s: size is 0; it must be positive", function);
    aclError status = actgrad_check_device(function);
    if (status != ACL_SUCCESS) return status;
    size_t index = 0;
    uint64_t start = 0;
    actgrad_memory_lock();
    if (is_open()) start = find_room(size, &index);
    if (start != 0 && !actgrad_arena_reach(&arena, start + footprint(size))) start = 0;
    if (start != 0 && !actgrad_blocks_insert(&device, index, (Block){start, size})) start = 0;
    if (start != 0) note_block((Block){start, size});
    uint64_t total = arena.size;
    uint64_t used = device_bytes;
    actgrad_memory_unlock();
    if (start == 0)
        return actgrad_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
                            "%s: size is %zu, but of the device's %" PRIu64 " bytes %" PRIu64 " are in use", function,
                            size, total, used);
    *devPtr = (void*)(uintptr_t)start;
    return ACL_SUCCESS;
}

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
    (void)policy;
    return allocate(__func__, devPtr, size);
}

aclError aclrtMallocAlign32(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
    (void)policy;
    return allocate(__func__, devPtr, size);
}

aclError aclrtMallocCached(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
    (void)policy;
    return allocate(__func__, devPtr, size);
}

/* There is no cache between the host and this device. */
static aclError check_cached(const char* function, void* devPtr, size_t size) {
    if (devPtr == NULL) return actgrad_fail_null(function, "devPtr");
    if (actgrad_memory_left((uint64_t)(uintptr_t)devPtr) >= (int64_t)size) return ACL_SUCCESS;
    return fail_address(function, "devPtr", (uint64_t)(uintptr_t)devPtr, "size goes past its end");
}

aclError aclrtMemFlush(void* devPtr, size_t size) { return check_cached(__func__, devPtr, size); }
aclError aclrtMemInvalidate(void* devPtr, size_t size) { return check_cached(__func__, devPtr, size); }

aclError aclrtFree(void* devPtr) {
    const uint64_t address = (uint64_t)(uintptr_t)devPtr;
    if (devPtr == NULL) return actgrad_fail_null(__func__, "devPtr");
    aclError status = actgrad_check_device_if_strict(__func__);
    if (status != ACL_SUCCESS) return status;
    actgrad_memory_lock();
    size_t after = actgrad_blocks_after(&device, address);
    bool is_start = after > 0 && device.all[after - 1].start == address;
    if (is_start) remove_block(after - 1);
    actgrad_memory_unlock();
    return is_start ? ACL_SUCCESS : fail_address(__func__, "devPtr", address, "it must be of aclrtMalloc");
}

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total) {
    if (free == NULL || total == NULL) return actgrad_fail_null(__func__, free == NULL ? "free" : "total");
    if ((int)attr < ACL_DDR_MEM || attr > ACL_HBM_MEM_P2P_HUGE1G)
        return actgrad_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: attr is %d; it must be of aclrtMemAttr", __func__,
                            (int)attr);
    aclError status = actgrad_check_device(__func__);
    if (status != ACL_SUCCESS) return status;
    actgrad_memory_lock();
    bool has_memory = is_open();
    *total = arena.size;
    *free = arena.size - device_bytes;
    actgrad_memory_unlock();
    if (has_memory) return ACL_SUCCESS;
    return actgrad_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: there is no address space for device memory", __func__);
}

/* ---- host memory */

aclError aclrtMallocHost(void** hostPtr, size_t size) {
    enum { PAGE = 4096 };
    if (hostPtr == NULL) return actgrad_fail_null(__func__, "hostPtr");
    if (size == 0) return actgrad_fail(ACL_ERROR_INVALID_PARAM, "%s: size is 0; it must be positive", __func__);
    aclError status = actgrad_check_device_if_strict(__func__);
    if (status != ACL_SUCCESS) return status;
    void* memory = NULL;
    bool is_made = posix_memalign(&memory, PAGE, size) == 0;
    if (is_made) {
        Block block = {(uint64_t)(uintptr_t)memory, size};
        actgrad_memory_lock();
        is_made = actgrad_blocks_insert(&host, actgrad_blocks_after(&host, block.start), block);
        actgrad_memory_unlock();
    }
    if (!is_made) {
        free(memory);
        return actgrad_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: size is %zu, which the system does not have",
                            __func__, size);
    }
    *hostPtr = memory;
    return ACL_SUCCESS;
}

aclError aclrtFreeHost(void* hostPtr) {
    const uint64_t address = (uint64_t)(uintptr_t)hostPtr;
    if (hostPtr == NULL) return actgrad_fail_null(__func__, "hostPtr");
    actgrad_memory_lock();
    size_t after = actgrad_blocks_after(&host, address);
    bool is_start = after > 0 && host.all[after - 1].start == address;
    if (is_start) actgrad_blocks_remove(&host, after - 1);
    actgrad_memory_unlock();
    if (!is_start) return fail_address(__func__, "hostPtr", address, "it must be of aclrtMallocHost");
    free(hostPtr);
    return ACL_SUCCESS;
}

/* ---- the end, and forks */

void actgrad_report_memory_leaks(void) {
    actgrad_memory_lock();
    for (size_t k = 0; k < device.count; k++)
        fprintf(stderr, "actgrad: %" PRIu64 " bytes of device memory at 0x%" PRIx64 " were never freed\n",
                device.all[k].size, device.all[k].start);
    for (size_t k = 0; k < host.count; k++)
        fprintf(stderr, "actgrad: %" PRIu64 " bytes of host memory at 0x%" PRIx64 " were never freed\n",
                host.all[k].size, host.all[k].start);
    actgrad_memory_unlock();
}

/* The copy is made before the fork: after it, the parent would go on writing to what the child copies. */
void actgrad_memory_before_fork(void) {
    if (arena.file >= 0) file_for_child = actgrad_arena_copy(&arena, &device);
}

void actgrad_memory_in_parent(void) {
    if (file_for_child >= 0) close(file_for_child);
    file_for_child = -1;
}

void actgrad_memory_in_child(void) {
    if (arena.file >= 0) actgrad_arena_change_file(&arena, file_for_child);
    file_for_child = -1;
}
