/* Copies the result of a matrix product to the host before the synchronize, and after it.

   A strict program warns of the early copy of the result, but not of early copies of other memory. */
#include "aclnnop/aclnn_matmul.h"
#include "program.h"

int main(void) {
    aclrtStream stream = start();
    const float numbers[] = {1, 2, 3, 4};
    float results[4];
    Tensor x = matrix(2, 2, numbers), product = matrix(2, 2, NULL), other = matrix(2, 2, NULL);
    uint64_t size = 0;
    aclOpExecutor* executor = NULL;
    CHECK(aclnnMatmulGetWorkspaceSize(x.tensor, x.tensor, product.tensor, 0, &size, &executor));
    CHECK(aclnnMatmul(NULL, size, executor, stream));
    read_back(x, results);
    read_back(product, results); /* early */
    read_back(other, results);
    CHECK(aclrtSynchronizeStream(stream));
    read_back(product, results);
    REQUIRE(results[0] == 7 && results[1] == 10 && results[2] == 15 && results[3] == 22);
    destroy(x);
    destroy(product);
    destroy(other);
    finish(stream);
    puts("ok");
    return 0;
}
