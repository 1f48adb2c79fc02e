/* A program with a Python of its own: its library and what to do with it are arguments. "runs": it is started before
   the first call; "waits": it is loaded, but not started; "ends": it is ended between calls; "keeps": a thread keeps its
   lock and waits for another, which calls. */
#include "program.h"

#include <dlfcn.h>
#include <pthread.h>

#include "aclnnop/aclnn_selu.h"

static void (*initialize)(void);
static int (*finalize)(void);
static int (*run)(const char*);
static void* (*save)(void);
static void (*restore)(void*);

static void load(const char* name) {
    void* library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    REQUIRE(library != NULL);
    *(void**)&initialize = dlsym(library, "Py_Initialize");
    *(void**)&finalize = dlsym(library, "Py_FinalizeEx");
    *(void**)&run = dlsym(library, "PyRun_SimpleString");
    *(void**)&save = dlsym(library, "PyEval_SaveThread");
    *(void**)&restore = dlsym(library, "PyEval_RestoreThread");
    REQUIRE(initialize && finalize && run && save && restore);
}

static void compute(aclrtStream stream) {
    const float value = 2;
    float result;
    Tensor x = matrix(1, 1, &value);
    RUN(aclnnInplaceSelu, x.tensor);
    read_back(x, &result);
    REQUIRE(fabsf(result - 2.101402f) < 1e-5f);
    destroy(x);
}

static void* compute_alone(void* stream) {
    CHECK(aclrtSetDevice(0));
    compute(stream);
    return NULL;
}

static void compute_in_thread(aclrtStream stream) {
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, compute_alone, stream) == 0);
    REQUIRE(pthread_join(thread, NULL) == 0);
}

/* A Python that computed in this process is gone; a server is not. */
static void compute_after_end(aclrtStream stream) {
    const char* host = getenv("ACTGRAD_SDK_HOST");
    if (host == NULL) {
        compute(stream);
        return;
    }
    Tensor x = matrix(1, 1, NULL);
    uint64_t size;
    aclOpExecutor* executor;
    FAILS(aclnnInplaceSeluGetWorkspaceSize(x.tensor, &size, &executor), 561000, "the program ended Python");
    destroy(x);
}

int main(int count, char** arguments) {
    REQUIRE(count == 3);
    const char* when = arguments[2];
    load(arguments[1]);
    if (strcmp(when, "waits") != 0) {
        initialize();
        REQUIRE(run("import sys, json; paths = list(sys.path)") == 0);
    }
    aclrtStream stream = start();
    compute(stream); /* with the interpreter's lock */
    if (strcmp(when, "keeps") == 0) compute_in_thread(stream);
    if (strcmp(when, "waits") != 0) {
        void* state = save();
        compute(stream); /* and without */
        restore(state);
        REQUIRE(run("assert sys.path[:len(paths)] == paths, sys.path; assert json.dumps([1]) == '[1]'") == 0);
    }
    if (strcmp(when, "ends") == 0) {
        REQUIRE(finalize() == 0);
        compute_after_end(stream);
    }
    finish(stream);
    puts("ok");
    return 0;
}
