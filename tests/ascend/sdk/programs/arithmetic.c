/* A mean square by copies, fills, arithmetic and sums; lists of tensors; wrong arguments. */
#include "aclnn/opdev/op_errno.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_arange.h"
#include "aclnnop/aclnn_cat.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_foreach_addcmul_scalar_list.h"
#include "aclnnop/aclnn_foreach_mul_list.h"
#include "aclnnop/aclnn_mm.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_ones.h"
#include "aclnnop/aclnn_foreach_non_finite_check_and_unscale.h"
#include "aclnnop/aclnn_nonzero.h"
#include "aclnnop/aclnn_pow.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "aclnnop/aclnn_unique2.h"
#include "program.h"

/* More tensors than an operator has: a list that is joined, and lists whose tensors are multiplied one by one. */
static void lists(aclrtStream stream) {
    enum { COUNT = 20 };
    const float given[] = {1, 2};
    float results[2 * COUNT];
    Tensor parts[COUNT], joined = matrix(COUNT, 2, NULL), square = matrix(COUNT, COUNT, NULL);
    const aclTensor* tensors[COUNT];
    for (int k = 0; k < COUNT; k++) {
        parts[k] = matrix(1, 2, given);
        tensors[k] = parts[k].tensor;
    }
    aclTensorList* list = aclCreateTensorList(tensors, COUNT);
    RUN(aclnnForeachMulList, list, list, list);
    RUN(aclnnCat, list, 0, joined.tensor);
    read_back(joined, results);
    for (int k = 0; k < COUNT; k++) REQUIRE(results[2 * k] == 1 && results[2 * k + 1] == 4);
    const int64_t dims[] = {2, COUNT}, strides[] = {1, 2};
    aclTensor* turned = aclCreateTensor(dims, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, dims, 2, joined.memory);
    RUN(aclnnMm, joined.tensor, turned, square.tensor, 0);
    float products[COUNT * COUNT];
    read_back(square, products);
    REQUIRE(products[0] == 17 && products[COUNT * COUNT - 1] == 17);
    uint64_t size;
    aclOpExecutor* executor;
    CHECK(aclDestroyTensor(tensors[7]));
    FAILS(aclnnCatGetWorkspaceSize(list, 0, joined.tensor, &size, &executor), 161002, "aclnnCat: tensors was destroyed");
    parts[7].tensor = NULL;
    for (int k = 0; k < COUNT; k++) destroy(parts[k]);
    aclDestroyTensorList(list); /* its tensors are destroyed already */
    FAILS(aclnnCatGetWorkspaceSize(list, 0, joined.tensor, &size, &executor), 161002, "aclnnCat: tensors was destroyed");
    CHECK(aclDestroyTensor(turned));
    destroy(joined);
    destroy(square);
}

static aclTensor* vector(int64_t size, aclDataType type, void* memory) {
    aclTensor* tensor = aclCreateTensor(&size, 1, type, NULL, 0, ACL_FORMAT_ND, &size, 1, memory);
    REQUIRE(tensor != NULL);
    return tensor;
}

static int64_t length(const aclTensor* tensor) {
    int64_t *dims = NULL, first;
    uint64_t count = 0;
    CHECK(aclGetViewShape(tensor, &dims, &count));
    REQUIRE(count == 1);
    first = dims[0];
    free(dims);
    return first;
}

/* Two results whose sizes phase two finds, around one whose size is known. */
static void sizes(aclrtStream stream) {
    enum { COUNT = 6 };
    const float given[COUNT] = {3, 1, 3, 2, 1, 3};
    float values[COUNT];
    int64_t many[COUNT];
    void* memory = device_memory(3 * sizeof many);
    Tensor x = matrix(1, COUNT, given);
    const int64_t shape[] = {1, COUNT};
    aclTensor* inverse = aclCreateTensor(shape, 2, ACL_INT64, NULL, 0, ACL_FORMAT_ND, shape, 2, memory);
    aclTensor* out = vector(COUNT, ACL_FLOAT, (int64_t*)memory + COUNT);
    aclTensor* counts = vector(COUNT, ACL_INT64, (int64_t*)memory + 2 * COUNT);
    RUN(aclnnUnique2, x.tensor, true, true, true, out, inverse, counts);
    REQUIRE(length(out) == 3 && length(counts) == 3);
    CHECK(aclrtMemcpy(values, sizeof values, (int64_t*)memory + COUNT, 3 * sizeof *values, ACL_MEMCPY_DEVICE_TO_HOST));
    REQUIRE(values[0] == 1 && values[1] == 2 && values[2] == 3);
    CHECK(aclrtMemcpy(many, sizeof many, (int64_t*)memory + 2 * COUNT, 3 * sizeof *many, ACL_MEMCPY_DEVICE_TO_HOST));
    REQUIRE(many[0] == 2 && many[1] == 1 && many[2] == 3);
    CHECK(aclrtMemcpy(many, sizeof many, memory, sizeof many, ACL_MEMCPY_DEVICE_TO_HOST));
    REQUIRE(many[0] == 2 && many[1] == 0 && many[5] == 2);
    CHECK(aclDestroyTensor(inverse));
    CHECK(aclDestroyTensor(out));
    CHECK(aclDestroyTensor(counts));
    CHECK(aclrtFree(memory));
    destroy(x);
}

/* Parameters that are written though they are const. */
static void gradients(aclrtStream stream) {
    const float given[] = {2, INFINITY}, scale[] = {0.5f};
    float results[2];
    Tensor x = matrix(1, 2, given), found = matrix(1, 1, NULL), factor = matrix(1, 1, scale);
    aclTensorList* list = aclCreateTensorList((const aclTensor*[]){x.tensor}, 1);
    RUN(aclnnForeachNonFiniteCheckAndUnscale, list, found.tensor, factor.tensor);
    read_back(x, results);
    REQUIRE(results[0] == 1);
    read_back(found, results);
    REQUIRE(results[0] == 1);
    CHECK(aclDestroyTensorList(list));
    x.tensor = NULL; /* the list destroyed it */
    destroy(x);
    destroy(found);
    destroy(factor);
}

/* The factors of a list are a tensor, by the header, or a list of scalars, as torch_npu passes them. */
static void factors(aclrtStream stream) {
    const float given[] = {1, 2}, more[] = {3, 4}, numbers[] = {10, 100};
    float results[2];
    Tensor a = matrix(1, 2, given), b = matrix(1, 2, more), s = matrix(1, 2, numbers);
    Tensor to_a = matrix(1, 2, NULL), to_b = matrix(1, 2, NULL);
    aclTensorList* list = aclCreateTensorList((const aclTensor*[]){a.tensor, b.tensor}, 2);
    aclTensorList* out = aclCreateTensorList((const aclTensor*[]){to_a.tensor, to_b.tensor}, 2);
    aclTensor* factor = vector(2, ACL_FLOAT, s.memory);
    RUN(aclnnForeachAddcmulScalarList, list, list, list, factor, out);
    read_back(to_b, results);
    REQUIRE(results[0] == 903 && results[1] == 1604);
    aclScalarList* scalars = aclCreateScalarList((const aclScalar*[]){number(1.0f), number(2.0f)}, 2);
    RUN(aclnnForeachAddcmulScalarList, list, list, list, (const aclTensor*)scalars, out);
    read_back(to_a, results);
    REQUIRE(results[0] == 2 && results[1] == 6);
    read_back(to_b, results);
    REQUIRE(results[0] == 21 && results[1] == 36);
    CHECK(aclDestroyScalarList(scalars));
    CHECK(aclDestroyTensor(factor));
    CHECK(aclDestroyTensorList(list));
    CHECK(aclDestroyTensorList(out));
    a.tensor = b.tensor = to_a.tensor = to_b.tensor = NULL;
    destroy(a), destroy(b), destroy(to_a), destroy(to_b), destroy(s);
}

/* Results of shapes that hardware takes: steps in four dimensions, positions in a tensor that is too large. */
static void shapes(aclrtStream stream) {
    const int64_t four[] = {1, 1, 1, 10};
    const float sparse[] = {0, 5, 0, 7};
    float steps[10];
    int64_t positions[4];
    uint64_t size;
    aclOpExecutor* executor;
    Tensor x = matrix(1, 4, sparse), line = matrix(1, 10, NULL), pairs = matrix(8, 4, NULL);
    aclScalar *zero = number(0.0f), *ten = number(10.0f), *one = number(1.0f), *three = number(3.0f);
    aclTensor* out = aclCreateTensor(four, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, four, 4, line.memory);
    RUN(aclnnArange, zero, ten, one, out);
    read_back(line, steps);
    REQUIRE(steps[0] == 0 && steps[9] == 9);
    RUN(aclnnPowTensorScalar, line.tensor, three, line.tensor);
    read_back(line, steps);
    REQUIRE(steps[3] == 27 && steps[7] == 343 && steps[9] == 729);
    FAILS(aclnnArangeGetWorkspaceSize(ten, zero, one, out, &size, &executor), ACLNN_ERR_PARAM_INVALID, "aclnnArange: ");
    FAILS(aclnnArangeGetWorkspaceSize(NULL, ten, one, out, &size, &executor), ACLNN_ERR_PARAM_NULLPTR, "start is a null pointer");
    const int64_t large[] = {8, 2};
    aclTensor* found = aclCreateTensor(large, 2, ACL_INT64, NULL, 0, ACL_FORMAT_ND, large, 2, pairs.memory);
    RUN(aclnnNonzero, x.tensor, found);
    CHECK(aclrtMemcpy(positions, sizeof positions, pairs.memory, sizeof positions, ACL_MEMCPY_DEVICE_TO_HOST));
    REQUIRE(positions[0] == 0 && positions[1] == 1 && positions[2] == 0 && positions[3] == 3);
    CHECK(aclDestroyTensor(found));
    CHECK(aclDestroyTensor(out));
    CHECK(aclDestroyScalar(zero));
    CHECK(aclDestroyScalar(ten));
    CHECK(aclDestroyScalar(one));
    CHECK(aclDestroyScalar(three));
    destroy(x), destroy(line), destroy(pairs);
}

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
          "aclnnReduceSum: out has shape (2, 1); it must be (2,)");
    FAILS(aclnnReduceSumGetWorkspaceSize(x.tensor, NULL, true, ACL_FLOAT, sums.tensor, &size, &executor), 161001,
          "(EZ1001): aclnnReduceSum: dims is a null pointer");
    CHECK(aclDestroyIntArray(dims));
    FAILS(aclnnReduceSumGetWorkspaceSize(x.tensor, dims, true, ACL_FLOAT, sums.tensor, &size, &executor), 161002,
          "aclnnReduceSum: dims was destroyed");
    lists(stream);
    sizes(stream);
    gradients(stream);
    factors(stream);
    shapes(stream);
    CHECK(aclDestroyScalar(one));
    CHECK(aclDestroyScalar(half));
    destroy(x);
    destroy(y);
    destroy(sums);
    finish(stream);
    puts("ok");
    return 0;
}
