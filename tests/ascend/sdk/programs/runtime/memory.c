/* Allocation and freeing. */
#include "check.h"

enum { MANY = 2000 };

static void alignment_and_bounds(void) {
    const size_t sizes[] = {1, 31, 32, 33, 480, 481, 4096, 5 << 20};
    char* blocks[8];
    for (int k = 0; k < 8; k++) {
        blocks[k] = allocate(sizes[k]);
        CHECK((uintptr_t)blocks[k] % 512 == 0);
        CHECK(actgrad_memory_left((uint64_t)blocks[k]) == (int64_t)sizes[k]);
        CHECK(actgrad_memory_left((uint64_t)blocks[k] + sizes[k] - 1) == 1);
        CHECK(actgrad_memory_left((uint64_t)blocks[k] + sizes[k]) == -1);
        CHECK(actgrad_memory_left((uint64_t)blocks[k] - 1) == -1);
        for (int j = 0; j < k; j++)
            CHECK(blocks[j] + sizes[j] + 32 <= blocks[k] || blocks[k] + sizes[k] + 32 <= blocks[j]);
    }
    CHECK((uintptr_t)blocks[7] % (2 << 20) == 0);
    for (int k = 0; k < 8; k++) OK(aclrtFree(blocks[k]));
    for (int k = 0; k < 8; k++) CHECK(actgrad_memory_left((uint64_t)blocks[k]) == -1);
}

/* Random sizes and lifetimes: no two blocks overlap, and each keeps its bytes. */
static void many_blocks(void) {
    static struct {
        char* address;
        size_t size;
    } blocks[64];
    srand(1);
    for (int turn = 0; turn < MANY; turn++) {
        int k = rand() % 64;
        if (blocks[k].address != NULL) {
            CHECK(first_byte(blocks[k].address) == k && first_byte(blocks[k].address + blocks[k].size - 1) == k);
            OK(aclrtFree(blocks[k].address));
            blocks[k].address = NULL;
        } else {
            blocks[k].size = 1 + (size_t)rand() % (turn % 16 == 0 ? 200000 : 3000);
            blocks[k].address = allocate(blocks[k].size);
            OK(aclrtMemset(blocks[k].address, blocks[k].size, k, blocks[k].size));
        }
    }
    for (int k = 0; k < 64; k++)
        if (blocks[k].address != NULL) OK(aclrtFree(blocks[k].address));
}

/* What was freed is one hole again. */
static void holes_are_used_again(void) {
    char* first = allocate(1000);
    char* second = allocate(1000);
    char* third = allocate(1000);
    CHECK(first < second && second < third);
    OK(aclrtFree(first));
    OK(aclrtFree(second));
    char* both = allocate(2500);
    CHECK(both == first);
    OK(aclrtFree(both));
    OK(aclrtFree(third));
}

static size_t resident_pages(void) {
    size_t all = 0, resident = 0;
    FILE* file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL && fscanf(file, "%zu %zu", &all, &resident) == 2);
    fclose(file);
    return resident;
}

static void memory_is_given_back(void) {
    const size_t size = 32 << 20, pages = size / 4096;
    char* block = allocate(size);
    OK(aclrtMemset(block, size, 1, size));
    size_t full = resident_pages();
    OK(aclrtFree(block));
    CHECK(resident_pages() + pages * 9 / 10 <= full);
    block = allocate(size);
    CHECK(first_byte(block) == 0);
    OK(aclrtFree(block));
}

static void information(void) {
    size_t free = 0, total = 0, later = 0;
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    CHECK(free == total && total >= 1 << 20);
    char* block = allocate(100000);
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &later, &total));
    CHECK(free - later == 100000);
    OK(aclrtFree(block));
    FAILS(aclrtGetMemInfo((aclrtMemAttr)99, &free, &total), 107000, "aclrtGetMemInfo: attr is 99");
    FAILS(aclrtGetMemInfo(ACL_HBM_MEM, NULL, &total), 100000, "aclrtGetMemInfo: free is a null pointer");
}

static void misuse(void) {
    char on_host = 0;
    void* block = NULL;
    FAILS(aclrtMalloc(NULL, 8, ACL_MEM_MALLOC_HUGE_FIRST), 100000, "aclrtMalloc: devPtr is a null pointer");
    FAILS(aclrtMalloc(&block, 0, ACL_MEM_MALLOC_HUGE_FIRST), 100000, "aclrtMalloc: size is 0; it must be positive");
    FAILS(aclrtMalloc(&block, SIZE_MAX, ACL_MEM_MALLOC_HUGE_FIRST), 207001, "aclrtMalloc: size is 1844674407370955");
    FAILS(aclrtMalloc(&block, (size_t)1 << 40, ACL_MEM_MALLOC_HUGE_FIRST), 207001, "are in use");
    CHECK(block == NULL);
    FAILS(aclrtFree(NULL), 100000, "aclrtFree: devPtr is a null pointer");
    FAILS(aclrtFree(&on_host), 107000, "is host memory");
    block = allocate(100);
    FAILS(aclrtFree((char*)block + 8), 107000, "lies inside the 100 bytes of aclrtMalloc");
    FAILS(aclrtFreeHost(block), 107000, "is 100 bytes of aclrtMalloc; it must be the result of an aclrtMallocHost");
    OK(aclrtFree(block));
    FAILS(aclrtFree(block), 107000, "is device memory that was freed or never allocated");
}

static void host_memory(void) {
    void* block = NULL;
    OK(aclrtMallocHost(&block, 100));
    memset(block, 7, 100);
    FAILS(aclrtFree(block), 107000, "is 100 bytes of aclrtMallocHost; it must be the result of an aclrtMalloc");
    OK(aclrtFreeHost(block));
    FAILS(aclrtFreeHost(block), 107000, "it must be the result of an aclrtMallocHost");
    FAILS(aclrtFreeHost(NULL), 100000, "hostPtr is a null pointer");
    FAILS(aclrtMallocHost(&block, 0), 100000, "size is 0");
    FAILS(aclrtMallocHost(NULL, 1), 100000, "hostPtr is a null pointer");
}

static void other_names(void) {
    void* block = NULL;
    OK(aclrtMallocAlign32(&block, 40, ACL_MEM_MALLOC_NORMAL_ONLY));
    OK(aclrtFree(block));
    OK(aclrtMallocCached(&block, 40, ACL_MEM_MALLOC_NORMAL_ONLY));
    OK(aclrtMemFlush(block, 40));
    OK(aclrtMemInvalidate(block, 40));
    FAILS(aclrtMemFlush(block, 41), 107000, "aclrtMemFlush");
    OK(aclrtFree(block));
}

int main(void) {
    void* block = NULL;
    if (!is_strict()) FAILS(aclrtMalloc(&block, 8, ACL_MEM_MALLOC_HUGE_FIRST), 107002, "call aclrtSetDevice");
    start();
    alignment_and_bounds();
    many_blocks();
    holes_are_used_again();
    if (getenv("UNDER_A_CHECKER") == NULL) memory_is_given_back();
    information();
    misuse();
    host_memory();
    other_names();
    end();
    return 0;
}
