/* A mean square by copies, fills, arithmetic and sums; arrays of integers; wrong arguments. */
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_ones.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "program.h"

int main(void) {
    aclrtStream stream = start();
    const float given[] = {1, 2, 3, 4, 5, 6};
    float results[6];
    const int64_t last[] = {1};
    Tensor x = matrix(2, 3, given), y = matrix(2, 3, NULL), sums = matrix(2, 1, NULL);
    aclScalar *one = number(1.0f), *half = number(0.5f);
    aclIntArray* dims = aclCreateIntArray(last, 1);
    RUN(aclnnInplaceCopy, y.tensor, x.tensor);
    RUN(aclnnInplaceMul, y.tensor, x.tensor);
    RUN(aclnnAdds, y.tensor, half, one, x.tensor);
    read_back(x, results);
    REQUIRE(results[0] == 1.5f && results[5] == 36.5f);
    RUN(aclnnInplaceOne, y.tensor);
    RUN(aclnnInplaceAdd, x.tensor, y.tensor, half);
    RUN(aclnnReduceSum, x.tensor, dims, true, ACL_FLOAT, sums.tensor);
    read_back(sums, results);
    REQUIRE(results[0] == 1 + 4 + 9 + 3 && results[1] == 16 + 25 + 36 + 3);
    uint64_t size;
    aclOpExecutor* executor;
    FAILS(aclnnReduceSumGetWorkspaceSize(x.tensor, dims, false, ACL_FLOAT, sums.tensor, &size, &executor), 161002,
          "aclnnReduceSum: out has shape (2, 1); it must have (2,)");
    FAILS(aclnnReduceSumGetWorkspaceSize(x.tensor, NULL, true, ACL_FLOAT, sums.tensor, &size, &executor), 161001,
          "aclnnReduceSum: dims is a null pointer");
    CHECK(aclDestroyIntArray(dims));
    FAILS(aclnnReduceSumGetWorkspaceSize(x.tensor, dims, true, ACL_FLOAT, sums.tensor, &size, &executor), 161002,
          "aclnnReduceSum: dims was destroyed");
    CHECK(aclDestroyScalar(one));
    CHECK(aclDestroyScalar(half));
    destroy(x);
    destroy(y);
    destroy(sums);
    finish(stream);
    puts("ok");
    return 0;
}
