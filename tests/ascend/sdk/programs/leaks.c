/* Objects that are never given back, for the report at aclFinalize. Their addresses go to standard output. */
#include "program.h"

#include "aclnnop/aclnn_selu.h"

int main(void) {
    aclrtStream stream = start();
    Tensor x = matrix(1, 4, NULL), freed = matrix(1, 4, NULL);
    aclScalar* scalar = number(1);
    const int64_t sizes[] = {1, 2};
    aclIntArray* array = aclCreateIntArray(sizes, 2);
    uint64_t size;
    aclOpExecutor *executor, *used;
    CHECK(aclnnInplaceSeluGetWorkspaceSize(x.tensor, &size, &executor));
    CHECK(aclnnInplaceSeluGetWorkspaceSize(x.tensor, &size, &used));
    CHECK(aclnnInplaceSelu(NULL, size, used, stream));
    CHECK(aclrtSynchronizeStream(stream));
    destroy(freed);
    printf("%p %p %p %p %p\n", x.memory, (void*)x.tensor, (void*)scalar, (void*)array, (void*)executor);
    finish(stream);
    return 0;
}
