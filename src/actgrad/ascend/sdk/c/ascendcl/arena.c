/* The memory blocks in use, and their address space, which the process reserves once.

   If only this process computes, the memory is private, and a forked child gets its own copy from the system. Otherwise
   it is a file in memory, mapped at the same address in this process and in the process that computes. A strict program
   cannot access the device addresses. For the functions that may access the file, it is mapped a second time,
   elsewhere.

   The memory past the last block is always inaccessible, because memory checkers read everything else. */
#include "runtime.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* Blocks are sorted by address. The gaps between blocks are free memory, so free blocks need no merging. */
size_t actgrad_blocks_after(const Blocks* blocks, uint64_t address) {
    size_t low = 0;
    size_t high = blocks->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (blocks->all[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const Block* block_before(const Blocks* blocks, uint64_t address) {
    size_t after = actgrad_blocks_after(blocks, address);
    return after == 0 ? NULL : &blocks->all[after - 1];
}

const Block* actgrad_blocks_find(const Blocks* blocks, uint64_t address) {
    const Block* block = block_before(blocks, address);
    return block != NULL && address - block->start < block->size ? block : NULL;
}

const Block* actgrad_blocks_starting(const Blocks* blocks, uint64_t address) {
    const Block* block = block_before(blocks, address);
    return block != NULL && block->start == address ? block : NULL;
}

bool actgrad_blocks_insert(Blocks* blocks, size_t index, Block block) {
    if (blocks->count == blocks->capacity) {
        size_t capacity = blocks->capacity == 0 ? 64 : 2 * blocks->capacity;
        Block* larger = realloc(blocks->all, capacity * sizeof *larger);
        if (larger == NULL) return false;
        blocks->all = larger;
        blocks->capacity = capacity;
    }
    memmove(&blocks->all[index + 1], &blocks->all[index], (blocks->count - index) * sizeof block);
    blocks->all[index] = block;
    blocks->count++;
    return true;
}

void actgrad_blocks_remove(Blocks* blocks, size_t index) {
    blocks->count--;
    memmove(&blocks->all[index], &blocks->all[index + 1], (blocks->count - index) * sizeof *blocks->all);
}

static const uint64_t LARGEST = 64ull << 30;
static const uint64_t SMALLEST = 1ull << 20;
static const uint64_t STEP = 16ull << 20; /* the accessible part grows by this number of bytes */
/* Far from programs, libraries and heaps, so that the addresses are free in other processes too. The first is in range
   of Valgrind's fast tables. The second is outside AddressSanitizer's memory. */
static const uint64_t BASES[] = {0x1000000000ull, 0x12c000000000ull, 0};
enum { BASE_COUNT = sizeof BASES / sizeof *BASES };

static bool is_strict(void) { return actgrad_get_settings()->is_strict; }
static bool is_shared(void) { return is_strict() || actgrad_get_settings()->uses_server; }

/* Reserves address space. Nothing in it is accessible yet. */
static void* map(uint64_t address, uint64_t size, int flags, int file) {
    return mmap((void*)(uintptr_t)address, size, PROT_NONE, flags | MAP_NORESERVE, file, 0);
}

static void* map_private(uint64_t address, uint64_t size, int flags) {
    return map(address, size, flags | MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

/* The largest size of a file. Writing more ends the process with SIGXFSZ. */
static uint64_t largest_file(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

static int make_file(uint64_t size) {
    int file = size <= largest_file() ? memfd_create("actgrad-device", MFD_CLOEXEC) : -1;
    if (file >= 0 && ftruncate(file, (off_t)size) != 0) {
        close(file);
        file = -1;
    }
    return file;
}

/* Reserves the device addresses. */
static void* reserve(uint64_t size, int file) {
    void* base = MAP_FAILED;
    for (int k = 0; k < BASE_COUNT && base == MAP_FAILED; k++) {
        int flags = BASES[k] == 0 ? 0 : MAP_FIXED_NOREPLACE;
        base = is_strict() ? map_private(BASES[k], size, flags) : map(BASES[k], size, flags | MAP_SHARED, file);
    }
    return base;
}

static bool map_arena(Arena* arena, uint64_t size) {
    const int file = is_shared() ? make_file(size) : -1;
    void* base = !is_shared() ? map_private(0, size, 0) : file >= 0 ? reserve(size, file) : MAP_FAILED;
    void* touchable = base == MAP_FAILED || !is_strict() ? base : map(0, size, MAP_SHARED, file);
    if (touchable != MAP_FAILED) {
        *arena = (Arena){(uint64_t)(uintptr_t)base, size, (int64_t)((uintptr_t)touchable - (uintptr_t)base), file, 0};
        return true;
    }
    if (base != MAP_FAILED) munmap(base, size);
    if (file >= 0) close(file);
    return false;
}

static void unmap_arena(const Arena* arena) {
    munmap((void*)(uintptr_t)arena->base, arena->size);
    if (arena->distance != 0) munmap((void*)(uintptr_t)(arena->base + (uint64_t)arena->distance), arena->size);
    if (arena->file >= 0) close(arena->file);
}

static uint64_t largest_size(void) {
    const uint64_t limit = is_shared() ? largest_file() : LARGEST;
    return limit >= LARGEST ? LARGEST : limit & ~(SMALLEST - 1);
}

bool actgrad_arena_open(Arena* arena) {
    for (uint64_t size = largest_size(); size >= SMALLEST; size /= 2) {
        if (!map_arena(arena, size)) continue;
        if (size == LARGEST || size / 2 < SMALLEST) return true;
        /* The largest size that the system grants would leave no address space for the rest of the program. */
        unmap_arena(arena);
        return map_arena(arena, size / 2);
    }
    return false;
}

static void* touchable(const Arena* arena, uint64_t address) {
    return (void*)(uintptr_t)(address + (uint64_t)arena->distance);
}

static bool open_to(const Arena* arena, uint64_t size) {
    return mprotect(touchable(arena, arena->base), size, PROT_READ | PROT_WRITE) == 0;
}

bool actgrad_arena_reach(Arena* arena, uint64_t end) {
    uint64_t needed = end - arena->base;
    if (needed <= arena->touchable) return true;
    uint64_t more = (needed + STEP - 1) / STEP * STEP;
    if (more > arena->size) more = arena->size;
    if (!open_to(arena, more)) return false;
    arena->touchable = more;
    return true;
}

void actgrad_arena_use_huge_pages(const Arena* arena, uint64_t start, uint64_t end) {
    (void)!madvise(touchable(arena, start), end - start, MADV_HUGEPAGE); /* systems without huge pages work too */
}

void actgrad_arena_give_back(const Arena* arena, uint64_t start, uint64_t end) {
    (void)!madvise(touchable(arena, start), end - start, arena->file < 0 ? MADV_DONTNEED : MADV_REMOVE);
}

static bool copy_bytes(const Arena* arena, int to, uint64_t start, uint64_t end) {
    while (start < end) {
        ssize_t written = pwrite(to, touchable(arena, start), end - start, (off_t)(start - arena->base));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        start += (uint64_t)written;
    }
    return true;
}

/* Copies only the pages that were written, because reading the other pages would allocate them. */
int actgrad_arena_copy(const Arena* arena) {
    const int copy = make_file(arena->size);
    bool is_copied = copy >= 0;
    off_t data, hole = 0;
    while (is_copied && (data = lseek(arena->file, hole, SEEK_DATA)) >= 0) {
        hole = lseek(arena->file, data, SEEK_HOLE);
        is_copied = copy_bytes(arena, copy, arena->base + (uint64_t)data, arena->base + (uint64_t)hole);
    }
    if (is_copied && errno == ENXIO) return copy; /* no data follows */
    if (copy >= 0) close(copy);
    return -1;
}

void actgrad_arena_change_file(Arena* arena, int file) {
    uint64_t address = arena->base + (uint64_t)arena->distance;
    if (file >= 0 && map(address, arena->size, MAP_FIXED | MAP_SHARED, file) == MAP_FAILED) {
        close(file);
        file = -1;
    }
    if (file < 0) {
        fputs("actgrad: device memory is empty in a forked process; the system must have memory for a copy; free "
              "memory before the fork\n",
              stderr);
        map_private(address, arena->size, MAP_FIXED);
    }
    if (arena->touchable > 0) open_to(arena, arena->touchable);
    close(arena->file);
    arena->file = file;
}
