/* Calls like one that passed need no interpreter, and are refused all the same where their memory does not do. */
#include "program.h"

#include <dlfcn.h>
#include <pthread.h>

#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"

enum { INVALID = 161002, N = 4 };

static aclrtStream stream;
static aclScalar* slope;

static aclTensor* vector_at(void* memory, int64_t step, int64_t offset, int64_t storage) {
    const int64_t shape[] = {N}, strides[] = {step};
    aclTensor* tensor = aclCreateTensor(shape, 1, ACL_FLOAT, strides, offset, ACL_FORMAT_ND, &storage, 1, memory);
    REQUIRE(tensor != NULL);
    return tensor;
}

static void* numbers(const float* values, size_t count) {
    void* memory = device_memory(count * sizeof *values);
    CHECK(aclrtMemcpy(memory, count * sizeof *values, values, count * sizeof *values, ACL_MEMCPY_HOST_TO_DEVICE));
    return memory;
}

static void expect(const void* memory, const float* values, size_t count) {
    float found[64];
    CHECK(aclrtMemcpy(found, sizeof found, memory, count * sizeof *found, ACL_MEMCPY_DEVICE_TO_HOST));
    REQUIRE(memcmp(found, values, count * sizeof *found) == 0);
}

/* Phase one of LeakyReLU backward on three places, with strides of `step` elements, `offset` into that many. */
static int plan_at(void* g, void* x, void* out, int64_t step, int64_t offset, int64_t storage, aclOpExecutor** made) {
    void* const places[] = {g, x, out};
    aclTensor* tensors[3];
    uint64_t size = 0;
    for (int k = 0; k < 3; k++) tensors[k] = vector_at(places[k], step, offset, storage);
    int status = aclnnLeakyReluBackwardGetWorkspaceSize(tensors[0], tensors[1], slope, false, tensors[2], &size, made);
    for (int k = 0; k < 3; k++) CHECK(aclDestroyTensor(tensors[k]));
    return status;
}

static void run_at(void* g, void* x, void* out, int64_t step, int64_t offset, int64_t storage) {
    aclOpExecutor* executor = NULL;
    CHECK(plan_at(g, x, out, step, offset, storage, &executor));
    CHECK(aclnnLeakyReluBackward(NULL, 0, executor, stream));
    CHECK(aclrtSynchronizeStream(stream));
}

/* Memory: the same words on other memory, all kinds of it that must be refused, and some that must not. */
static void on_other_memory(void) {
    static const float ones[] = {1, 2, 3, 4}, signs[] = {-1, 1, -1, 1}, flipped[] = {1, -1, 1, -1};
    static const float first[] = {0.5f, 2, 1.5f, 4}, second[] = {1, 1, 3, 2};
    void *g = numbers(ones, N), *x = numbers(signs, N), *other = numbers(flipped, N), *out = device_memory(4 * N);
    void *tail = device_memory(8 * N), *freed = device_memory(4 * N);
    char on_host[4 * N];
    aclOpExecutor* executor = NULL;
    for (int k = 0; k < 3; k++) {
        run_at(g, x, out, 1, 0, N);
        expect(out, first, N);
        run_at(g, other, out, 1, 0, N);
        expect(out, second, N);
    }
    char* late = (char*)tail + 4 * N + 4; /* one element short of its allocation's end */
    FAILS(plan_at(g, x, late, 1, 0, N, &executor), INVALID, "out");
    FAILS(plan_at(g, on_host, out, 1, 0, N, &executor), INVALID, "it must be device memory");
    FAILS(plan_at(g, NULL, out, 1, 0, N, &executor), INVALID, "its storage is a null pointer");
    CHECK(aclrtFree(freed));
    FAILS(plan_at(g, freed, out, 1, 0, N, &executor), INVALID, "it must be device memory");
    FAILS(plan_at(tail, x, (char*)tail + 4, 1, 0, N, &executor), INVALID, "overlaps");
    run_at(g, x, g, 1, 0, N); /* in place */
    expect(g, first, N);
    run_at(g, other, x, 1, 0, N);
    expect(x, (float[]){0.5f, 1, 1.5f, 2}, N);
    CHECK(aclrtFree(g));
    CHECK(aclrtFree(x));
    CHECK(aclrtFree(other));
    CHECK(aclrtFree(out));
    CHECK(aclrtFree(tail));
}

/* Of one address and one layout, but not of one offset: no view in place of another. */
static void on_offsets(void) {
    static const float ones[] = {1, 2, 3, 4, 5}, signs[] = {-1, 1, -1, 1, -1}, computed[] = {0, 0.5f, 2, 1.5f, 4};
    void *g = numbers(ones, N + 1), *x = numbers(signs, N + 1), *out = device_memory(4 * (N + 1));
    CHECK(aclrtMemset(out, 4 * (N + 1), 0, 4 * (N + 1)));
    aclTensor *first = vector_at(g, 1, 0, N + 1), *self = vector_at(x, 1, 0, N + 1);
    aclTensor *apart = vector_at(out, 1, 1, N + 1), *shifted = vector_at(x, 1, 1, N + 1);
    for (int k = 0; k < 3; k++) {
        uint64_t size = 0;
        aclOpExecutor* executor = NULL;
        RUN(aclnnLeakyReluBackward, first, self, slope, false, apart);
        expect(out, computed, N + 1);
        FAILS(aclnnLeakyReluBackwardGetWorkspaceSize(first, self, slope, false, shifted, &size, &executor), INVALID,
              "overlaps");
        expect(x, signs, N + 1);
    }
    CHECK(aclDestroyTensor(first));
    CHECK(aclDestroyTensor(self));
    CHECK(aclDestroyTensor(apart));
    CHECK(aclDestroyTensor(shifted));
    CHECK(aclrtFree(g));
    CHECK(aclrtFree(x));
    CHECK(aclrtFree(out));
}

/* Views into one storage of 4 x 3 numbers: columns that interlock share no element, nor does the call harm the rest. */
static void on_columns(void) {
    static const float values[] = {1, -1, 9, 2, 1, 9, 3, -1, 9, 4, 1, 9};
    static const float computed[] = {1, -1, 0.5f, 2, 1, 2, 3, -1, 1.5f, 4, 1, 4};
    for (int k = 0; k < 3; k++) {
        char* memory = numbers(values, 12);
        run_at(memory, memory + 4, memory + 8, 3, 0, 10);
        expect(memory, computed, 12);
        CHECK(aclrtFree(memory));
    }
}

/* Outputs must not share memory with each other, in place or not. */
static void on_two_outputs(void) {
    static const float ones[] = {1, 1};
    Tensor x = matrix(1, 2, ones), out = matrix(1, 1, NULL), gelu = matrix(1, 1, NULL);
    for (int k = 0; k < 3; k++) {
        uint64_t size = 0;
        aclOpExecutor* executor = NULL;
        RUN(aclnnGeGlu, x.tensor, -1, 0, out.tensor, gelu.tensor);
        aclTensor* same = describe(out.memory, 1, 1);
        FAILS(aclnnGeGluGetWorkspaceSize(x.tensor, -1, 0, out.tensor, same, &size, &executor), INVALID, "overlap");
        CHECK(aclDestroyTensor(same));
    }
    destroy(x);
    destroy(out);
    destroy(gelu);
}

/* More calls than there is room for: each writes its own elements, also when it has been forgotten before it runs. */
static void many(int count) {
    static const float untouched[] = {7, 7, 7, 7, 7, 7}, computed[] = {7, 1, 1, 1, 1, 7};
    const size_t size = ((size_t)count + N + 2) * sizeof(float);
    aclOpExecutor** executors = calloc((size_t)count, sizeof *executors);
    float* ones = malloc(size);
    void *g = device_memory(size), *x = device_memory(size), *out = device_memory(size);
    for (int k = 0; k < count + N + 2; k++) ones[k] = 1;
    CHECK(aclrtMemcpy(g, size, ones, size, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK(aclrtMemcpy(x, size, ones, size, ACL_MEMCPY_HOST_TO_DEVICE));
    for (int k = 0; k < count; k++) CHECK(plan_at(g, x, out, 1, k + 1, N + k + 1, &executors[k]));
    for (int k = 0; k < count; k++) {
        char* place = (char*)out + (size_t)k * sizeof(float);
        CHECK(aclrtMemcpy(place, sizeof untouched, untouched, sizeof untouched, ACL_MEMCPY_HOST_TO_DEVICE));
        CHECK(aclnnLeakyReluBackward(NULL, 0, executors[k], stream));
        CHECK(aclrtSynchronizeStream(stream));
        expect(place, computed, N + 2);
    }
    free(executors);
    free(ones);
    CHECK(aclrtFree(g));
    CHECK(aclrtFree(x));
    CHECK(aclrtFree(out));
}

static pthread_barrier_t barrier;

/* Keeps the interpreter to itself for a while. */
static void* hold_interpreter(void* argument) {
    int (*ensure)(void);
    void (*release)(int);
    void* symbols[] = {dlsym(RTLD_DEFAULT, "PyGILState_Ensure"), dlsym(RTLD_DEFAULT, "PyGILState_Release")};
    REQUIRE(symbols[0] != NULL && symbols[1] != NULL);
    memcpy(&ensure, &symbols[0], sizeof ensure);
    memcpy(&release, &symbols[1], sizeof release);
    int state = ensure();
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    release(state);
    return argument;
}

/* While another thread holds the interpreter for good, calls like known ones come to an end. */
static void without_interpreter(void) {
    static const float ones[] = {1, 2, 3, 4}, signs[] = {-1, 1, -1, 1}, computed[] = {0.5f, 2, 1.5f, 4};
    void *g = numbers(ones, N), *x = numbers(signs, N), *out = device_memory(4 * N);
    pthread_t holder;
    run_at(g, x, out, 1, 0, N);
    pthread_barrier_init(&barrier, NULL, 2);
    REQUIRE(pthread_create(&holder, NULL, hold_interpreter, NULL) == 0);
    pthread_barrier_wait(&barrier);
    for (int k = 0; k < 1000; k++) {
        CHECK(aclrtMemset(out, 4 * N, 255, 4 * N));
        run_at(g, x, out, 1, 0, N);
        expect(out, computed, N);
    }
    run_at(g, x, g, 1, 0, N);
    expect(g, computed, N);
    pthread_barrier_wait(&barrier);
    pthread_join(holder, NULL);
    CHECK(aclrtFree(g));
    CHECK(aclrtFree(x));
    CHECK(aclrtFree(out));
}

/* Argument: how many different calls. */
int main(int count, char** arguments) {
    stream = start();
    slope = number(0.5f);
    on_other_memory();
    on_offsets();
    on_columns();
    on_two_outputs();
    many(count > 1 ? atoi(arguments[1]) : 16);
    if (getenv("ACTGRAD_SDK_HOST") == NULL) without_interpreter(); /* else there is none in this process */
    CHECK(aclDestroyScalar(slope));
    finish(stream);
    puts("ok");
    return 0;
}
