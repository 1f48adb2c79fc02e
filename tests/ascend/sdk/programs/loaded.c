/* Finds everything by dlopen and dlsym, as plug-ins do; closing the libraries is no end of what they started. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"

static void* find(void* library, const char* name) {
    void* symbol = dlsym(library, name);
    if (symbol != NULL) return symbol;
    fprintf(stderr, "%s: %s\n", name, dlerror());
    exit(1);
}

#define FIND(library, name) *(void**)&name##_ = find(library, #name)
#define CHECK(call)                                                   \
    do {                                                              \
        int status = (call);                                          \
        if (status != 0) return printf("%s: %d\n", #call, status), 1; \
    } while (0)

static int use(const char* operators_name) {
    void* operators = dlopen(operators_name, RTLD_NOW | RTLD_LOCAL);
    void* objects = dlopen("libnnopbase.so", RTLD_LAZY | RTLD_LOCAL);
    void* runtime = dlopen("libascendcl.so", RTLD_LAZY | RTLD_LOCAL);
    if (operators == NULL || objects == NULL || runtime == NULL) return puts(dlerror()), 1;
    aclError (*aclInit_)(const char*), (*aclrtSetDevice_)(int32_t), (*aclrtFree_)(void*), (*aclFinalize_)(void);
    aclError (*aclrtMalloc_)(void**, size_t, aclrtMemMallocPolicy), (*aclrtSynchronizeStream_)(aclrtStream);
    aclError (*aclrtMemcpy_)(void*, size_t, const void*, size_t, aclrtMemcpyKind);
    aclTensor* (*aclCreateTensor_)(const int64_t*, uint64_t, aclDataType, const int64_t*, int64_t, aclFormat,
                                   const int64_t*, uint64_t, void*);
    aclnnStatus (*aclDestroyTensor_)(const aclTensor*);
    aclnnStatus (*aclnnInplaceSeluGetWorkspaceSize_)(aclTensor*, uint64_t*, aclOpExecutor**);
    aclnnStatus (*aclnnInplaceSelu_)(void*, uint64_t, aclOpExecutor*, aclrtStream);
    FIND(runtime, aclInit), FIND(runtime, aclrtSetDevice), FIND(runtime, aclrtFree), FIND(runtime, aclFinalize);
    FIND(runtime, aclrtMalloc), FIND(runtime, aclrtMemcpy), FIND(runtime, aclrtSynchronizeStream);
    FIND(objects, aclCreateTensor), FIND(objects, aclDestroyTensor);
    FIND(operators, aclnnInplaceSeluGetWorkspaceSize), FIND(operators, aclnnInplaceSelu);

    float value = 2;
    void* memory = NULL;
    uint64_t size = 0;
    aclOpExecutor* executor = NULL;
    CHECK(aclInit_(NULL));
    CHECK(aclrtSetDevice_(0));
    CHECK(aclrtMalloc_(&memory, sizeof value, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMemcpy_(memory, sizeof value, &value, sizeof value, ACL_MEMCPY_HOST_TO_DEVICE));
    aclTensor* tensor = aclCreateTensor_(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, memory);
    CHECK(aclnnInplaceSeluGetWorkspaceSize_(tensor, &size, &executor));
    CHECK(aclnnInplaceSelu_(NULL, size, executor, NULL));
    CHECK(aclrtSynchronizeStream_(NULL));
    CHECK(aclrtMemcpy_(&value, sizeof value, memory, sizeof value, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK(aclDestroyTensor_(tensor));
    CHECK(aclrtFree_(memory));
    CHECK(aclFinalize_());
    printf("%s %f\n", operators_name, value);
    dlclose(operators);
    dlclose(objects);
    dlclose(runtime);
    return 0;
}

int main(void) {
    static const char* const names[] = {"libopapi_nn.so", "libopapi.so", "libcust_opapi.so", "libopapi_nn.so"};
    for (int k = 0; k < 4; k++)
        if (use(names[k]) != 0) return 1;
    return 0;
}
