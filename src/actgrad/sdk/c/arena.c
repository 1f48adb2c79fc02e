/* The address space that device memory comes from, reserved once and filled by the system where it is touched.

   Private memory where only this process computes: a forked child gets its own copy from the system. Else a file in
   memory, mapped at one address here and in the process that computes. When strict, the device addresses themselves
   cannot be touched, and the file is mapped a second time, elsewhere, for those who may.

   What lies past the last block cannot be touched at all: checkers of memory read whatever can be. */
#include "runtime.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000 /* a kernel that does not know it takes the address as a wish, which will do */
#endif

static const uint64_t LARGEST = 64ull << 30;
static const uint64_t SMALLEST = 1ull << 20;
static const uint64_t STEP = 16ull << 20; /* by which the part that can be touched grows */
/* Far from where the system puts programs, libraries and heaps, so that they are free in other processes too. The first
   is within the reach of Valgrind's quick tables, the second outside AddressSanitizer's own memory. */
static const uint64_t BASES[] = {0x1000000000ull, 0x12c000000000ull, 0};
enum { BASE_COUNT = sizeof BASES / sizeof *BASES };

static bool is_shared(void) { return actgrad_is_strict() || actgrad_uses_server(); }

/* Address space alone: nothing can be touched there. */
static void* map(uint64_t address, uint64_t size, int flags, int file) {
    return mmap((void*)(uintptr_t)address, size, PROT_NONE, flags | MAP_NORESERVE, file, 0);
}

static void* map_private(uint64_t address, uint64_t size, int flags) {
    return map(address, size, flags | MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

static void* map_file(uint64_t address, uint64_t size, int flags, int file) {
    return map(address, size, flags | MAP_SHARED, file);
}

static int make_file(uint64_t size) {
    int file = memfd_create("actgrad-device", MFD_CLOEXEC);
    if (file >= 0 && ftruncate(file, (off_t)size) != 0) {
        close(file);
        file = -1;
    }
    return file;
}

/* The device addresses. */
static void* reserve(uint64_t size, int file) {
    void* base = MAP_FAILED;
    for (int k = 0; k < BASE_COUNT && base == MAP_FAILED; k++) {
        int flags = BASES[k] == 0 ? 0 : MAP_FIXED_NOREPLACE;
        base = actgrad_is_strict() ? map_private(BASES[k], size, flags) : map_file(BASES[k], size, flags, file);
    }
    return base;
}

static bool map_shared_arena(Arena* arena, uint64_t size) {
    int file = make_file(size);
    if (file < 0) return false;
    void* base = reserve(size, file);
    void* touchable = base == MAP_FAILED || !actgrad_is_strict() ? base : map_file(0, size, 0, file);
    if (touchable == MAP_FAILED) {
        if (base != MAP_FAILED) munmap(base, size);
        close(file);
        return false;
    }
    *arena = (Arena){(uint64_t)(uintptr_t)base, size, (int64_t)((uintptr_t)touchable - (uintptr_t)base), file, 0};
    return true;
}

static bool map_private_arena(Arena* arena, uint64_t size) {
    void* base = map_private(0, size, 0);
    if (base == MAP_FAILED) return false;
    *arena = (Arena){(uint64_t)(uintptr_t)base, size, 0, -1, 0};
    return true;
}

static bool map_arena(Arena* arena, uint64_t size) {
    return is_shared() ? map_shared_arena(arena, size) : map_private_arena(arena, size);
}

static void unmap_arena(const Arena* arena) {
    munmap((void*)(uintptr_t)arena->base, arena->size);
    if (arena->distance != 0) munmap((void*)(uintptr_t)(arena->base + (uint64_t)arena->distance), arena->size);
    if (arena->file >= 0) close(arena->file);
}

/* A file larger than its limit ends the process with SIGXFSZ. */
static uint64_t largest_size(void) {
    struct rlimit limit;
    if (!is_shared() || getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= LARGEST) return LARGEST;
    return limit.rlim_cur & ~(SMALLEST - 1);
}

bool actgrad_arena_open(Arena* arena) {
    for (uint64_t size = largest_size(); size >= SMALLEST; size /= 2) {
        if (!map_arena(arena, size)) continue;
        if (size == LARGEST || size / 2 < SMALLEST) return true;
        /* The most that is granted would leave the rest of the program with nothing. */
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
    (void)!madvise(touchable(arena, start), end - start, MADV_HUGEPAGE); /* a system without them does as well */
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

/* Copies what was ever touched of a block: reading the rest would fill it, with zeros. */
static bool copy_block(const Arena* arena, int to, const Block* block) {
    const off_t end = (off_t)(block->start - arena->base + block->size);
    off_t from = (off_t)(block->start - arena->base);
    while (from < end) {
        off_t data = lseek(arena->file, from, SEEK_DATA);
        if (data < 0 && errno == ENXIO) return true; /* none is left */
        if (data < 0) data = from;                   /* a system that cannot tell */
        if (data >= end) return true;
        off_t hole = lseek(arena->file, data, SEEK_HOLE);
        if (hole < 0 || hole > end) hole = end;
        if (!copy_bytes(arena, to, arena->base + (uint64_t)data, arena->base + (uint64_t)hole)) return false;
        from = hole;
    }
    return true;
}

int actgrad_arena_copy(const Arena* arena, const Blocks* used) {
    int copy = make_file(arena->size);
    for (size_t k = 0; copy >= 0 && k < used->count; k++) {
        if (copy_block(arena, copy, &used->all[k])) continue;
        close(copy);
        copy = -1;
    }
    return copy;
}

void actgrad_arena_change_file(Arena* arena, int file) {
    uint64_t address = arena->base + (uint64_t)arena->distance;
    if (file >= 0 && map_file(address, arena->size, MAP_FIXED, file) == MAP_FAILED) {
        close(file);
        file = -1;
    }
    if (file < 0) {
        fputs("actgrad: device memory could not be copied for a forked process, where it is empty now\n", stderr);
        map_private(address, arena->size, MAP_FIXED);
    }
    if (arena->touchable > 0) open_to(arena, arena->touchable);
    close(arena->file);
    arena->file = file;
}
