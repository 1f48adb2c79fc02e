/* A view that reaches beyond its declared storage runs where its allocation is large enough, as on hardware. */
#include "aclnnop/aclnn_elu.h"
#include "program.h"

enum { COUNT = 8 };

static aclTensor* view_on(void* memory) {
    const int64_t shape[] = {COUNT}, storage[] = {COUNT / 2};
    return aclCreateTensor(shape, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, storage, 1, memory);
}

int main(void) {
    aclrtStream stream = start();
    const float ones[COUNT] = {1, 1, 1, 1, 1, 1, 1, 1};
    float results[COUNT];
    Tensor x = matrix(1, COUNT, ones), out = matrix(1, COUNT, NULL);
    aclTensor *beyond = view_on(x.memory), *also = view_on(out.memory);
    aclScalar* one = number(1.0f);
    RUN(aclnnElu, beyond, one, one, one, also);
    read_back(out, results);
    for (int k = 0; k < COUNT; k++) REQUIRE(results[k] == 1.0f);
    void* small = device_memory(sizeof ones - 4);
    aclTensor* outside = view_on(small);
    uint64_t size;
    aclOpExecutor* executor;
    FAILS(aclnnEluGetWorkspaceSize(outside, one, one, one, also, &size, &executor), 161002,
          "self has 28 bytes of storage; viewDims, strides and offset need 32");
    CHECK(aclDestroyTensor(beyond) || aclDestroyTensor(also) || aclDestroyTensor(outside) || aclDestroyScalar(one));
    CHECK(aclrtFree(small));
    destroy(x);
    destroy(out);
    finish(stream);
    puts("ok");
    return 0;
}
