/* Threads with 64 KiB of stack, and coroutines, plan and compute like others; so do their texts reach them. */
#define _GNU_SOURCE
#include "program.h"

#include <pthread.h>
#include <ucontext.h>

#include "aclnnop/aclnn_selu.h"

enum { ROWS = 7, COLUMNS = 33, SMALL = 64 << 10, OWN = 48 << 10 };

/* A strided view of halves, which takes the kernels that want most stack. */
static void compute(void) {
    static const int64_t shape[] = {COLUMNS, ROWS}, strides[] = {1, COLUMNS}, whole[] = {ROWS * COLUMNS};
    enum { BYTES = ROWS * COLUMNS * 2 };
    aclrtStream stream = NULL;
    uint16_t halves[ROWS * COLUMNS];
    void *from = device_memory(BYTES), *to = device_memory(BYTES);
    for (int k = 0; k < ROWS * COLUMNS; k++) halves[k] = aclFloatToFloat16((float)k);
    CHECK(aclrtMemcpy(from, BYTES, halves, BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
    aclTensor* x = aclCreateTensor(shape, 2, ACL_FLOAT16, strides, 0, ACL_FORMAT_ND, whole, 1, from);
    aclTensor* y = aclCreateTensor(shape, 2, ACL_FLOAT16, NULL, 0, ACL_FORMAT_ND, shape, 2, to);
    RUN(aclnnSelu, x, y);
    CHECK(aclrtMemcpy(halves, BYTES, to, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    for (int c = 0; c < COLUMNS; c++)
        for (int r = 0; r < ROWS; r++)
            REQUIRE(halves[c * ROWS + r] == aclFloatToFloat16(1.0507010f * (float)(r * COLUMNS + c)));
    uint64_t size;
    aclOpExecutor* executor;
    FAILS(aclnnSeluGetWorkspaceSize(x, NULL, &size, &executor), 161001, "out is a null pointer");
    CHECK(aclDestroyTensor(x));
    CHECK(aclDestroyTensor(y));
    CHECK(aclrtFree(from));
    CHECK(aclrtFree(to));
}

static void* in_thread(void* unused) {
    CHECK(aclrtSetDevice(0));
    for (int k = 0; k < 3; k++) compute();
    CHECK(aclrtResetDevice(0));
    return unused;
}

int main(void) {
    aclrtStream stream = start();
    pthread_attr_t small;
    pthread_t threads[3];
    REQUIRE(pthread_attr_init(&small) == 0 && pthread_attr_setstacksize(&small, SMALL) == 0);
    for (int k = 0; k < 3; k++) REQUIRE(pthread_create(&threads[k], &small, in_thread, NULL) == 0);
    for (int k = 0; k < 3; k++) pthread_join(threads[k], NULL);

    static char stack[OWN];
    ucontext_t here, coroutine;
    getcontext(&coroutine);
    coroutine.uc_stack.ss_sp = stack;
    coroutine.uc_stack.ss_size = sizeof stack;
    coroutine.uc_link = &here;
    makecontext(&coroutine, compute, 0);
    REQUIRE(swapcontext(&here, &coroutine) == 0);
    finish(stream);
    puts("ok");
    return 0;
}
