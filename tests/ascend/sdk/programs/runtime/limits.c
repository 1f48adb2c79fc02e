/* Little address space, as under `ulimit -v`, and small files, as under `ulimit -f`. */
#include "check.h"

#include <sys/resource.h>

enum { LIMIT = 64 << 20 };

static void use_memory(size_t least) {
    size_t unused = 0, total = 0;
    start();
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &unused, &total));
    CHECK(total >= least);
    char* block = allocate(least / 4);
    OK(aclrtMemset(block, least / 4, 1, least / 4));
    CHECK(first_byte(block + least / 4 - 1) == 1);
    void* more = NULL;
    FAILS(aclrtMalloc(&more, total, ACL_MEM_MALLOC_HUGE_FIRST), 207001, "are in use");
    OK(aclrtFree(block));
}

static void set_limit(int resource) {
    const struct rlimit limit = {LIMIT, LIMIT};
    CHECK(setrlimit(resource, &limit) == 0);
}

static void little_address_space(void* unused) {
    (void)unused;
    set_limit(RLIMIT_AS);
    use_memory(4 << 20);
    void* ours = NULL;
    OK(aclrtMallocHost(&ours, 5 << 20)); /* something is left for the rest of the program */
    OK(aclrtFreeHost(ours));
    end();
}

static void small_files(void* unused) {
    (void)unused;
    set_limit(RLIMIT_FSIZE);
    use_memory(LIMIT / 2);
    end();
}

int main(void) {
    const bool has_checker = getenv("UNDER_A_CHECKER") != NULL; /* which needs address space of its own */
    if (!has_checker) check_child(little_address_space, NULL);
    check_child(small_files, NULL);
    return 0;
}
