/* The status of one call, of another one like it, and their texts. */
#include "program.h"

#include "aclnnop/aclnn_selu.h"

int main(void) {
    aclrtStream stream = start();
    Tensor x = matrix(1, 4, NULL);
    for (int k = 0; k < 2; k++) {
        uint64_t size;
        aclOpExecutor* executor = NULL;
        int status = aclnnInplaceSeluGetWorkspaceSize(x.tensor, &size, &executor);
        const char* text = aclGetRecentErrMsg();
        printf("%d %s\n", status, text ? text : "");
        if (executor != NULL) CHECK(aclDestroyAclOpExecutor(executor));
    }
    destroy(x);
    finish(stream);
    return 0;
}
