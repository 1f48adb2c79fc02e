/* Copies and fillings, and what is checked of them. */
#include "check.h"

enum { SIZE = 1000 };

static unsigned char ours[SIZE], back[SIZE];

static void round_trip(void) {
    char* first = allocate(SIZE);
    char* second = allocate(SIZE);
    for (int k = 0; k < SIZE; k++) ours[k] = (unsigned char)(k * 7);
    OK(aclrtMemcpy(first, SIZE, ours, SIZE, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(aclrtMemcpy(second, SIZE, first, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE));
    OK(aclrtMemcpy(back, SIZE, second, SIZE, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK(memcmp(ours, back, SIZE) == 0);
    OK(aclrtMemset(second, SIZE, 0x1ff, SIZE)); /* one byte of it */
    OK(aclrtMemcpy(back, SIZE, second, SIZE, ACL_MEMCPY_DEFAULT));
    CHECK(back[0] == 255 && back[SIZE - 1] == 255);
    OK(aclrtMemcpy(back, SIZE, ours, SIZE, ACL_MEMCPY_HOST_TO_HOST));
    CHECK(memcmp(ours, back, SIZE) == 0);
    OK(aclrtMemcpy(first + 1, SIZE - 1, first, SIZE - 1, ACL_MEMCPY_DEVICE_TO_DEVICE)); /* overlapping */
    OK(aclrtMemcpy(back, SIZE, first, SIZE, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK(back[0] == ours[0] && memcmp(back + 1, ours, SIZE - 1) == 0);
    OK(aclrtMemset(back, SIZE, 3, SIZE));
    CHECK(back[SIZE - 1] == 3);
    OK(aclrtMemcpy(first, SIZE, ours, 0, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(aclrtFree(first));
    OK(aclrtFree(second));
}

static void misuse(void) {
    char* block = allocate(SIZE);
    const aclrtMemcpyKind up = ACL_MEMCPY_HOST_TO_DEVICE, down = ACL_MEMCPY_DEVICE_TO_HOST;
    FAILS(aclrtMemcpy(NULL, SIZE, ours, SIZE, up), 100000, "aclrtMemcpy: dst is a null pointer");
    FAILS(aclrtMemcpy(block, SIZE, NULL, SIZE, up), 100000, "aclrtMemcpy: src is a null pointer");
    FAILS(aclrtMemcpy(block, 10, ours, 11, up), 107000, "aclrtMemcpy: count is 11; it must be at most destMax, 10");
    FAILS(aclrtMemcpy(block, SIZE, ours, SIZE, down), 107000,
          "is host memory, but kind is ACL_MEMCPY_DEVICE_TO_HOST");
    FAILS(aclrtMemcpy(block, SIZE, ours, SIZE, ACL_MEMCPY_HOST_TO_HOST), 107000, "is device memory, but kind");
    FAILS(aclrtMemcpy(block, SIZE, ours, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE), 107000, "src");
    FAILS(aclrtMemcpy(block, SIZE, ours, SIZE, (aclrtMemcpyKind)8), 107000, "kind is 8");
    FAILS(aclrtMemcpy(block, SIZE, ours, SIZE, (aclrtMemcpyKind)-1), 107000, "kind is -1");
    FAILS(aclrtMemcpy(block + 1, SIZE, ours, SIZE, up), 107000, "and 999 are left there; count is 1000 and must fit");
    FAILS(aclrtMemcpy(back, SIZE + 1, block, SIZE + 1, down), 107000, "count is 1001 and must fit");
    FAILS(aclrtMemcpy(back, SIZE, block + SIZE, 1, down), 107000, "is device memory that was freed or never allocated");
    FAILS(aclrtMemset(NULL, SIZE, 0, SIZE), 100000, "aclrtMemset: devPtr is a null pointer");
    FAILS(aclrtMemset(block, 4, 0, 5), 107000, "aclrtMemset: count is 5; it must be at most maxCount, 4");
    FAILS(aclrtMemset(block, SIZE + 1, 0, SIZE + 1), 107000, "aclrtMemset: devPtr");
    OK(aclrtFree(block));
    FAILS(aclrtMemcpy(block, SIZE, ours, SIZE, up), 107000, "dst 0x");
    FAILS(aclrtMemcpy(back, SIZE, block, SIZE, down), 107000, "was freed");
    FAILS(aclrtMemset(block, SIZE, 0, SIZE), 107000, "was freed");
}

static void on_a_stream(void) {
    aclrtStream stream = NULL;
    OK(aclrtCreateStream(&stream));
    char* block = allocate(SIZE);
    memset(ours, 1, SIZE);
    memset(back, 0, SIZE);
    OK(aclrtMemcpyAsync(block, SIZE, ours, SIZE, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    ours[0] = 2; /* too early: when strict the copy reads it */
    OK(aclrtMemsetAsync(block + 1, SIZE - 1, 9, 1, stream));
    OK(aclrtMemcpyAsync(back, SIZE, block, SIZE, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    CHECK(back[0] == (is_strict() ? 0 : 1));
    OK(aclrtSynchronizeStream(stream));
    CHECK(back[0] == (is_strict() ? 2 : 1) && back[1] == 9 && back[2] == 1);
    FAILS(aclrtMemcpyAsync(block, SIZE, ours, SIZE, ACL_MEMCPY_DEVICE_TO_HOST, stream), 107000, "MemcpyAsync: src");
    FAILS(aclrtMemsetAsync(block, SIZE, 0, SIZE + 1, stream), 107000, "aclrtMemsetAsync: count is 1001");
    OK(aclrtMemsetAsync(block, SIZE, 0, SIZE, stream));
    OK(aclrtFree(block));
    if (is_strict())
        FAILS(aclrtSynchronizeStream(stream), 107000, "aclrtMemsetAsync: devPtr");
    else
        OK(aclrtSynchronizeStream(stream));
    OK(aclrtSynchronizeStream(stream)); /* a failure is told once */
    OK(aclrtDestroyStream(stream));
    block = allocate(SIZE);
    FAILS(aclrtMemsetAsync(block, SIZE, 0, SIZE, stream), 107003, "aclrtMemsetAsync: stream");
    OK(aclrtFree(block));
}

int main(void) {
    start();
    round_trip();
    misuse();
    on_a_stream();
    end();
    return 0;
}
