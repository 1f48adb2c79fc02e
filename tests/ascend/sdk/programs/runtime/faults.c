/* Strict: a host that touches device memory is ended, as on hardware, and told why; the runtime finds it elsewhere. */
#include "check.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

static int said; /* a file for the words of a child */

static void read_it(void* address) {
    dup2(said, STDERR_FILENO);
    (void)*(volatile char*)address;
}

static void write_it(void* address) {
    dup2(said, STDERR_FILENO);
    *(volatile char*)address = 1;
}

/* Whether the last child said these two texts; a program that is not strict says nothing. */
static bool was_told(const char* one, const char* other) {
    char text[4096] = "";
    ssize_t length = pread(said, text, sizeof text - 1, 0);
    bool is_told = strstr(text, one) != NULL && strstr(text, other) != NULL;
    return ftruncate(said, 0) == 0 && lseek(said, 0, SEEK_SET) == 0 && is_strict() ? is_told : length == 0;
}

static bool faults(void (*touch)(void*), void* address) {
    int status = status_of_child(touch, address);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

int main(void) {
    const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    said = memfd_create("said", 0);
    start();
    char* block = allocate(10000);
    OK(aclrtMemset(block, 10000, 5, 10000));
    int64_t distance = actgrad_memory_distance();
    CHECK((distance != 0) == is_strict());
    CHECK(block[distance] == 5);
    block[distance + 1] = 6;
    CHECK(first_byte(block + 1) == 6);
    CHECK(faults(read_it, block) == is_strict());
    CHECK(was_told("the host touched device memory: 0x", "is 10000 bytes of aclrtMalloc, called from /"));
    CHECK(faults(write_it, block + 9999) == is_strict());
    CHECK(was_told("lies inside the 10000 bytes of aclrtMalloc at 0x", "; copy it with aclrtMemcpy\n"));
    CHECK(faults(read_it, block + ((size_t)1 << 20)) == is_strict()); /* never allocated, but within reach */
    CHECK(was_told("is device memory that was freed or never allocated", "actgrad: "));
    OK(aclrtFree(block));
    CHECK(faults(read_it, block) == is_strict());
    size_t free = 0, total = 0;
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    CHECK(faults(read_it, block + total / 2)); /* out of reach, strict or not */
    int file = -1;
    uint64_t base = 0, size = 0;
    int shared = actgrad_memory_share(&file, &base, &size);
    CHECK((shared == 0) == (is_strict() || actgrad_get_settings()->uses_server));
    if (shared == 0) {
        char byte = 7, back = 0;
        block = allocate(100);
        CHECK(size == total && (uint64_t)block >= base && (uint64_t)block < base + size);
        CHECK(pwrite(file, &byte, 1, (off_t)((uint64_t)block - base)) == 1); /* as another process would */
        CHECK(first_byte(block) == 7);
        OK(aclrtMemset(block, 100, 8, 100));
        CHECK(pread(file, &back, 1, (off_t)((uint64_t)block - base)) == 1 && back == 8);
        OK(aclrtFree(block));
    }
    end();
    return 0;
}
