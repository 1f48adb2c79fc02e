/* Device memory, and the host memory that the runtime allocates for programs. */
#include "runtime.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ALIGNMENT = 512, PADDING = 32, PAGE = 4096 };
static const uint64_t HUGE_PAGE = 2ull << 20;
static const uint64_t LARGE = 4ull << 20; /* a block of at least this size uses huge pages */

FORK_SAFE_LOCK(memory_lock, MEMORY_ORDER)
static Arena arena = {.file = -1};
static Blocks device;
static Blocks host;
static uint64_t device_bytes;
static size_t first_gap; /* no gaps separate the blocks before this one */
static int file_for_child = -1;

static uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }
static uint64_t round_down(uint64_t value, uint64_t unit) { return value / unit * unit; }
static uint64_t minimum(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t maximum(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* On hardware, the runtime rounds up to 32 bytes and adds 32 more, which kernels may read. */
static uint64_t footprint(uint64_t size) { return round_up(round_up(size, PADDING) + PADDING, ALIGNMENT); }

static uint64_t end_before(size_t index) {
    if (index == 0) return arena.base;
    return device.all[index - 1].start + footprint(device.all[index - 1].size);
}

static uint64_t start_at(size_t index) {
    return index < device.count ? device.all[index].start : arena.base + arena.size;
}

/* The first address with enough room, or 0. `index` gets the number of blocks before it. */
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

static bool is_in_arena(uint64_t address) { return address - arena.base < arena.size; }

static void describe(uint64_t address, char* text, size_t size) {
    const Block* on_device = actgrad_blocks_find(&device, address);
    const Block* block = on_device != NULL ? on_device : actgrad_blocks_find(&host, address);
    const char* maker = on_device != NULL ? "aclrtMalloc" : "aclrtMallocHost";
    if (block != NULL && block->start == address)
        snprintf(text, size, "0x%" PRIx64 " is %" PRIu64 " bytes of %s", address, block->size, maker);
    else if (block != NULL)
        snprintf(text, size, "0x%" PRIx64 " lies inside the %" PRIu64 " bytes of %s at 0x%" PRIx64, address,
                 block->size, maker, block->start);
    else if (is_in_arena(address))
        snprintf(text, size, "0x%" PRIx64 " is device memory that was freed or never allocated", address);
    else
        snprintf(text, size, "0x%" PRIx64 " is host memory that aclrtMallocHost did not allocate", address);
}

/* Writes the file and the offset of the code that allocated a block, for addr2line. Returns the length of the text. */
static int describe_maker(const Block* block, const char* word, char* text, size_t size) {
    Dl_info maker = {0};
    text[0] = '\0';
    if (block == NULL || block->maker == NULL || dladdr(block->maker, &maker) == 0) return 0;
    return snprintf(text, size, "%s%.4000s+0x%" PRIx64, word, maker.dli_fname,
                    (uint64_t)((const char*)block->maker - (const char*)maker.dli_fbase));
}

static struct sigaction earlier; /* the earlier handler of SIGSEGV */

/* Explains a fault in device memory before the program dies. Then the instruction runs again with the earlier handler.
   Only tries the lock, because this thread itself may hold it. */
static void explain_fault(int number, siginfo_t* information, void* context) {
    const uint64_t address = (uint64_t)(uintptr_t)information->si_addr;
    char place[160], text[4400];
    if (is_in_arena(address) && pthread_mutex_trylock(&memory_lock) == 0) {
        const Block* block = actgrad_blocks_find(&device, address);
        describe(address, place, sizeof place);
        int length = snprintf(text, sizeof text, "actgrad: the host touched device memory: %s", place);
        length += describe_maker(block, ", called from ", text + length, sizeof text - (size_t)length);
        length += snprintf(text + length, sizeof text - (size_t)length,
                           "; only operators may; copy it with aclrtMemcpy\n");
        pthread_mutex_unlock(&memory_lock);
        if (write(STDERR_FILENO, text, (size_t)length) < 0) length = 0;
    }
    sigaction(SIGSEGV, &earlier, NULL);
}

static bool open_arena(void) {
    if (!actgrad_arena_open(&arena)) return false;
    struct sigaction action = {.sa_sigaction = explain_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    if (actgrad_get_settings()->is_strict) sigaction(SIGSEGV, &action, &earlier);
    return true;
}

static bool is_open(void) { return arena.size != 0 || open_arena(); }

/* The address of a new block, or 0 if address space or memory is missing. */
static uint64_t add_block(uint64_t size, const void* maker) {
    size_t index = 0;
    uint64_t start = is_open() ? find_room(size, &index) : 0;
    if (start == 0 || !actgrad_arena_reach(&arena, start + footprint(size)) ||
        !actgrad_blocks_insert(&device, index, (Block){start, size, maker}))
        return 0;
    device_bytes += size;
    while (first_gap < device.count && end_before(first_gap) == start_at(first_gap)) first_gap++;
    if (size >= LARGE) actgrad_arena_use_huge_pages(&arena, start, round_up(start + size, HUGE_PAGE));
    return start;
}

/* Removes a block and frees its pages, except pages that a neighbour uses too. */
static void remove_block(size_t index) {
    const Block block = device.all[index];
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t end = round_up(block.start + footprint(block.size), page);
    actgrad_blocks_remove(&device, index);
    device_bytes -= block.size;
    if (first_gap > index) first_gap = index;
    uint64_t from = maximum(round_up(end_before(index), page), round_down(block.start, page));
    uint64_t to = minimum(round_down(start_at(index), page), end);
    if (from < to) actgrad_arena_give_back(&arena, from, to);
}

bool actgrad_is_device_address(uint64_t address) {
    LOCKED(&memory_lock);
    return is_in_arena(address);
}

int64_t actgrad_memory_left(uint64_t address) {
    LOCKED(&memory_lock);
    const Block* block = actgrad_blocks_find(&device, address);
    return block == NULL ? -1 : (int64_t)(block->start + block->size - address);
}

int64_t actgrad_memory_distance(void) {
    LOCKED(&memory_lock);
    return arena.distance;
}

int actgrad_memory_share(int* file, uint64_t* base, uint64_t* size) {
    LOCKED(&memory_lock);
    int status = is_open() && arena.file >= 0 ? 0 : -1;
    *file = arena.file;
    *base = arena.base;
    *size = arena.size;
    return status;
}

void actgrad_describe_address(uint64_t address, char* text, size_t size) {
    LOCKED(&memory_lock);
    describe(address, text, size);
}

static aclError fail_address(const char* function, const char* argument, uint64_t address, const char* holds) {
    char text[160];
    actgrad_describe_address(address, text, sizeof text);
    return actgrad_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %s %s; %s", function, argument, text, holds);
}

static aclError check_size(const char* function, size_t size) {
    return size > 0 ? ACL_SUCCESS
                    : actgrad_fail(ACL_ERROR_INVALID_PARAM,
                                   "%s: size is 0; it must be positive; pass a size", function);
}

static aclError allocate(const char* function, void** devPtr, size_t size, const void* maker) {
    if (devPtr == NULL) return actgrad_fail_null(function, "devPtr");
    RETURN_IF_ERROR(check_size(function, size));
    RETURN_IF_ERROR(actgrad_check_device(function));
    LOCKED(&memory_lock);
    uint64_t start = add_block(size, maker);
    if (start == 0)
        return actgrad_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
                            "%s: size is %zu; the device has %" PRIu64 " bytes, and %" PRIu64
                            " are in use; free memory",
                            function, size, arena.size, device_bytes);
    *devPtr = (void*)(uintptr_t)start;
    return ACL_SUCCESS;
}

#define ALLOCATOR(name)                                                              \
    aclError name(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {         \
        return allocate(__func__, devPtr, size, __builtin_return_address(0));        \
    }

ALLOCATOR(aclrtMalloc)
ALLOCATOR(aclrtMallocAlign32)
ALLOCATOR(aclrtMallocCached)

/* Only checks the range: host and device share memory without a cache between them. */
static aclError check_cached(const char* function, void* devPtr, size_t size) {
    if (devPtr == NULL) return actgrad_fail_null(function, "devPtr");
    if (actgrad_memory_left((uint64_t)(uintptr_t)devPtr) >= (int64_t)size) return ACL_SUCCESS;
    return fail_address(function, "devPtr", (uint64_t)(uintptr_t)devPtr,
                        "it must hold size bytes of device memory; pass a smaller size");
}

aclError aclrtMemFlush(void* devPtr, size_t size) { return check_cached(__func__, devPtr, size); }
aclError aclrtMemInvalidate(void* devPtr, size_t size) { return check_cached(__func__, devPtr, size); }

/* Removes the block that starts at an address. Returns false if there is none. */
static bool remove_starting(Blocks* blocks, uint64_t address) {
    LOCKED(&memory_lock);
    const Block* block = actgrad_blocks_starting(blocks, address);
    if (block == NULL) return false;
    size_t index = (size_t)(block - blocks->all);
    if (blocks == &device)
        remove_block(index);
    else
        actgrad_blocks_remove(blocks, index);
    return true;
}

aclError aclrtFree(void* devPtr) {
    const uint64_t address = (uint64_t)(uintptr_t)devPtr;
    if (devPtr == NULL) return actgrad_fail_null(__func__, "devPtr");
    RETURN_IF_ERROR(actgrad_check_device_if_strict(__func__));
    if (remove_starting(&device, address)) return ACL_SUCCESS;
    return fail_address(__func__, "devPtr", address, "it must be the result of an aclrtMalloc; pass that address");
}

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total) {
    if (free == NULL || total == NULL) return actgrad_fail_null(__func__, free == NULL ? "free" : "total");
    if ((int)attr < ACL_DDR_MEM || attr > ACL_HBM_MEM_P2P_HUGE1G)
        return actgrad_fail(ACL_ERROR_RT_PARAM_INVALID,
                            "%s: attr is %d; it must be one of aclrtMemAttr; pass one", __func__,
                            (int)attr);
    RETURN_IF_ERROR(actgrad_check_device(__func__));
    LOCKED(&memory_lock);
    bool has_memory = is_open();
    *total = arena.size;
    *free = arena.size - device_bytes;
    if (has_memory) return ACL_SUCCESS;
    return actgrad_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
                        "%s: no address space is left for device memory; the process needs more; raise ulimit -v",
                        __func__);
}

aclError aclrtMallocHost(void** hostPtr, size_t size) {
    if (hostPtr == NULL) return actgrad_fail_null(__func__, "hostPtr");
    RETURN_IF_ERROR(check_size(__func__, size));
    RETURN_IF_ERROR(actgrad_check_device_if_strict(__func__));
    void* memory = NULL;
    bool is_made = posix_memalign(&memory, PAGE, size) == 0;
    if (is_made) {
        LOCKED(&memory_lock);
        Block block = {(uint64_t)(uintptr_t)memory, size, __builtin_return_address(0)};
        is_made = actgrad_blocks_insert(&host, actgrad_blocks_after(&host, block.start), block);
    }
    if (!is_made) {
        free(memory);
        return actgrad_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
                            "%s: size is %zu; the system must have that much memory; pass a smaller size",
                            __func__, size);
    }
    *hostPtr = memory;
    return ACL_SUCCESS;
}

aclError aclrtFreeHost(void* hostPtr) {
    const uint64_t address = (uint64_t)(uintptr_t)hostPtr;
    if (hostPtr == NULL) return actgrad_fail_null(__func__, "hostPtr");
    if (!remove_starting(&host, address))
        return fail_address(__func__, "hostPtr", address,
                            "it must be the result of an aclrtMallocHost; pass that address");
    free(hostPtr);
    return ACL_SUCCESS;
}

static void report_blocks(const Blocks* blocks, const char* kind, const char* end) {
    for (size_t k = 0; k < blocks->count; k++) {
        char maker[4100];
        describe_maker(&blocks->all[k], ", allocated at ", maker, sizeof maker);
        fprintf(stderr,
                "actgrad: %" PRIu64 " bytes of %s memory at 0x%" PRIx64 "%s, were never freed; free all memory before "
                "aclFinalize; call %s\n",
                blocks->all[k].size, kind, blocks->all[k].start, maker, end);
    }
}

void actgrad_report_memory(void) {
    LOCKED(&memory_lock);
    report_blocks(&device, "device", "aclrtFree");
    report_blocks(&host, "host", "aclrtFreeHost");
}

/* Copies memory before the fork, because after the fork the parent would write to memory that the child copies. */
static void before_fork(void) {
    if (arena.file >= 0) file_for_child = actgrad_arena_copy(&arena);
}

static void in_parent(void) {
    if (file_for_child >= 0) close(file_for_child);
    file_for_child = -1;
}

static void in_child(void) {
    if (arena.file >= 0) actgrad_arena_change_file(&arena, file_for_child);
    file_for_child = -1;
}

/* The handlers with the first order run while every lock is held. */
__attribute__((constructor(FIRST_ORDER))) static void watch_forks(void) {
    pthread_atfork(before_fork, in_parent, in_child);
}
