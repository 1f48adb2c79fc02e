/* Weights that a program turns into FRACTAL_NZ before a product: their sizes, and the product. With an argument: the
   product has no such sizes. */
#include "program.h"

#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_trans_matmul_weight.h"

static uint64_t elements(int type, const int64_t* shape, uint64_t count) {
    uint64_t size = 0;
    aclIntArray* array = aclCreateIntArray(shape, count);
    CHECK(aclnnCalculateMatmulWeightSizeV2(array, (aclDataType)type, &size));
    CHECK(aclDestroyIntArray(array));
    return size;
}

/* The older function is for FLOAT16 and BF16. */
static uint64_t elements_of_halves(const int64_t* shape, uint64_t count) {
    uint64_t size = 0;
    aclIntArray* array = aclCreateIntArray(shape, count);
    CHECK(aclnnCalculateMatmulWeightSize(array, &size));
    FAILS(aclnnCalculateMatmulWeightSize(array, NULL), 161001, "weightTensorSize is a null pointer");
    CHECK(aclDestroyIntArray(array));
    return size;
}

static void sizes(void) {
    const int64_t plain[] = {66, 33}, batches[] = {3, 5, 66, 33}, whole[] = {32, 64};
    REQUIRE(elements(ACL_FLOAT16, plain, 2) == 80 * 48);
    REQUIRE(elements(ACL_BF16, batches, 4) == 15 * 80 * 48);
    REQUIRE(elements(ACL_INT8, plain, 2) == 80 * 64);
    REQUIRE(elements(ACL_FLOAT, plain, 2) == 80 * 64);
    REQUIRE(elements(ACL_FLOAT16, whole, 2) == 32 * 64);
    REQUIRE(elements_of_halves(plain, 2) == 80 * 48);
    REQUIRE(elements_of_halves(batches, 4) == 15 * 80 * 48);
}

static void refusals(void) {
    const int64_t shape[] = {4, 0, 5, 6, 7, 8, 9}, negative[] = {4, -16}, huge[] = {INT64_MAX, 3};
    uint64_t size = 7;
    aclIntArray *zero = aclCreateIntArray(shape, 2), *one = aclCreateIntArray(shape, 1);
    aclIntArray *seven = aclCreateIntArray(shape, 7), *below = aclCreateIntArray(negative, 2);
    aclIntArray* large = aclCreateIntArray(huge, 2);
    FAILS(aclnnCalculateMatmulWeightSizeV2(NULL, ACL_FLOAT16, &size), 161001, "tensorShape is a null pointer");
    FAILS(aclnnCalculateMatmulWeightSizeV2(zero, ACL_FLOAT16, NULL), 161001, "weightTensorSize is a null pointer");
    FAILS(aclnnCalculateMatmulWeightSizeV2(one, ACL_FLOAT16, &size), 161002, "has 1 sizes; it must have 2 to 6");
    FAILS(aclnnCalculateMatmulWeightSizeV2(seven, ACL_FLOAT16, &size), 161002, "has 7 sizes");
    FAILS(aclnnCalculateMatmulWeightSizeV2(zero, ACL_FLOAT16, &size), 161002, "size 1 of tensorShape is 0");
    FAILS(aclnnCalculateMatmulWeightSizeV2(below, ACL_FLOAT16, &size), 161002, "size 1 of tensorShape is -16");
    FAILS(aclnnCalculateMatmulWeightSizeV2(large, ACL_FLOAT16, &size), 161002, "at most 2^63 - 1");
    CHECK(aclDestroyIntArray(zero));
    CHECK(aclDestroyIntArray(one));
    CHECK(aclDestroyIntArray(seven));
    CHECK(aclDestroyIntArray(below));
    CHECK(aclDestroyIntArray(large));
    FAILS(aclnnCalculateMatmulWeightSizeV2(zero, ACL_FLOAT16, &size), 161002, "tensorShape was destroyed");
    REQUIRE(size == 7);
}

/* The columns of the weight are its memory's rows, as ggml stores it. */
static void multiplied(aclrtStream stream) {
    enum { ROWS = 2, INNER = 3, COLUMNS = 4 };
    const int64_t stored[] = {COLUMNS, INNER}, shape[] = {INNER, COLUMNS}, strides[] = {1, INNER};
    const int64_t shape_x[] = {ROWS, INNER}, shape_y[] = {ROWS, COLUMNS};
    aclFloat16 weights[COLUMNS * INNER], numbers[ROWS * INNER], results[ROWS * COLUMNS];
    for (int k = 0; k < COLUMNS * INNER; k++) weights[k] = aclFloatToFloat16((float)(k % 5 - 2));
    for (int k = 0; k < ROWS * INNER; k++) numbers[k] = aclFloatToFloat16((float)(k % 4));
    void *w = device_memory(sizeof weights), *x = device_memory(sizeof numbers), *y = device_memory(sizeof results);
    CHECK(aclrtMemcpy(w, sizeof weights, weights, sizeof weights, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK(aclrtMemcpy(x, sizeof numbers, numbers, sizeof numbers, ACL_MEMCPY_HOST_TO_DEVICE));
    aclTensor* plain = aclCreateTensor(stored, 2, ACL_FLOAT16, NULL, 0, ACL_FORMAT_ND, stored, 2, w);
    aclTensor* turned = aclCreateTensor(shape, 2, ACL_FLOAT16, strides, 0, ACL_FORMAT_FRACTAL_NZ, stored, 2, w);
    aclTensor* left = aclCreateTensor(shape_x, 2, ACL_FLOAT16, NULL, 0, ACL_FORMAT_ND, shape_x, 2, x);
    aclTensor* result = aclCreateTensor(shape_y, 2, ACL_FLOAT16, NULL, 0, ACL_FORMAT_ND, shape_y, 2, y);
    RUN(aclnnTransMatmulWeight, plain);
    RUN(aclnnMatmul, left, turned, result, 1);
    CHECK(aclrtMemcpy(results, sizeof results, y, sizeof results, ACL_MEMCPY_DEVICE_TO_HOST));
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            float sum = 0;
            for (int k = 0; k < INNER; k++)
                sum += (float)((i * INNER + k) % 4) * (float)((j * INNER + k) % 5 - 2);
            REQUIRE(aclFloat16ToFloat(results[i * COLUMNS + j]) == sum);
        }
    uint64_t size;
    aclOpExecutor* executor;
    FAILS(aclnnTransMatmulWeightGetWorkspaceSize(turned, &size, &executor), 161002, "has format FRACTAL_NZ");
    CHECK(aclDestroyTensor(plain));
    CHECK(aclDestroyTensor(turned));
    CHECK(aclDestroyTensor(left));
    CHECK(aclDestroyTensor(result));
    CHECK(aclrtFree(w));
    CHECK(aclrtFree(x));
    CHECK(aclrtFree(y));
}

int main(int count, char** arguments) {
    (void)arguments;
    aclrtStream stream = start();
    if (count > 1) {
        uint64_t size;
        const int64_t plain[] = {66, 33};
        FAILS(aclnnCalculateMatmulWeightSizeV2(NULL, ACL_FLOAT16, &size), 361001, "not available on Ascend");
        REQUIRE(elements_of_halves(plain, 2) == 66 * 33);
    } else {
        sizes();
        refusals();
        multiplied(stream);
    }
    finish(stream);
    puts("ok");
    return 0;
}
