/* Reads a line between calls, so that a test can kill the server meanwhile; later calls say so, each of them. */
#include "program.h"

#include "aclnnop/aclnn_selu.h"

int main(void) {
    aclrtStream stream = start();
    Tensor x = matrix(1, 4, NULL);
    uint64_t size;
    aclOpExecutor *executor, *planned;
    RUN(aclnnInplaceSelu, x.tensor);
    CHECK(aclnnInplaceSeluGetWorkspaceSize(x.tensor, &size, &planned));
    puts("ready"), fflush(stdout);
    REQUIRE(getchar() == '\n');
    int status = aclnnInplaceSelu(NULL, size, planned, stream);
    if (status == 0) status = aclrtSynchronizeStream(stream);
    FAILS(status, 561000, "the server of the operators ended");
    for (int k = 0; k < 3; k++)
        FAILS(aclnnInplaceSeluGetWorkspaceSize(x.tensor, &size, &executor), 561000, "the server of the operators ended");
    destroy(x);
    finish(stream);
    puts("ok");
    return 0;
}
