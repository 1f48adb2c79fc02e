/* Sizes of weights in the format FRACTAL_NZ, for programs that allocate them. */
#include "nnopbase.h"

#include "aclnnop/aclnn_trans_matmul_weight.h"

enum { BLOCK_ROWS = 16, HALVES = 16, BYTES = 32 }; /* the rows of a block, and its columns by the size of an element */

static bool has_format(const char* chip) {
    static const char* const chips[] = {"Ascend310P", "Ascend910B", "Ascend910_93", "Ascend950"};
    for (size_t k = 0; k < sizeof chips / sizeof *chips; k++)
        if (strncmp(chip, chips[k], strlen(chips[k])) == 0) return true;
    return false;
}

/* Multiplies by a size, rounded up to whole blocks. False if the size is not positive, or the product overflows. */
static bool multiply(int64_t* product, int64_t size, int64_t block) {
    int64_t sum;
    if (size <= 0 || __builtin_add_overflow(size, block - 1, &sum)) return false;
    return !__builtin_mul_overflow(*product, sum / block * block, product);
}

/* The number of elements, not of bytes. The last two sizes are rounded up to whole blocks, on chips with the format. */
static aclnnStatus count_elements(const char* function, const aclIntArray* tensorShape, aclDataType dataType,
                                  bool has_blocks, uint64_t* weightTensorSize) {
    if (tensorShape == NULL || weightTensorSize == NULL)
        return actgrad_fail(NULL_POINTER, "%s: %s is a null pointer; it is required; pass a pointer", function,
                            tensorShape == NULL ? "tensorShape" : "weightTensorSize");
    if (!actgrad_live_has(LIVE_LIST, tensorShape))
        return actgrad_fail(INVALID, "%s: tensorShape was destroyed; it must be an array; create it again", function);
    int64_t count, product = 1;
    const int64_t* sizes = actgrad_list_values(tensorShape, &count);
    if (count < 2 || count > 6)
        return actgrad_fail(INVALID, "%s: tensorShape has %lld sizes; it must have 2 to 6; reshape the weight",
                            function, (long long)count);
    int64_t columns = !has_blocks ? 1 : dataType == ACL_FLOAT16 || dataType == ACL_BF16 ? HALVES : BYTES;
    int64_t rows = has_blocks ? BLOCK_ROWS : 1;
    for (int64_t k = 0; k < count; k++)
        if (!multiply(&product, sizes[k], k == count - 1 ? columns : k == count - 2 ? rows : 1))
            return actgrad_fail(INVALID, "%s: size %lld of tensorShape is %lld; it must be positive, and the elements "
                                "at most 2^63 - 1; change the shape", function, (long long)k, (long long)sizes[k]);
    *weightTensorSize = (uint64_t)product;
    return 0;
}

/* For FLOAT16 and BF16. */
aclnnStatus aclnnCalculateMatmulWeightSize(const aclIntArray* tensorShape, uint64_t* weightTensorSize) {
    return count_elements("aclnnCalculateMatmulWeightSize", tensorShape, ACL_FLOAT16,
                          has_format(actgrad_get_settings()->chip), weightTensorSize);
}

aclnnStatus aclnnCalculateMatmulWeightSizeV2(const aclIntArray* tensorShape, aclDataType dataType,
                                             uint64_t* weightTensorSize) {
    static const char function[] = "aclnnCalculateMatmulWeightSizeV2";
    if (!has_format(actgrad_get_settings()->chip))
        return actgrad_fail(RUNTIME, "%s: not available on %s; it must be Ascend310P, Ascend910B, Ascend910_93 or "
                            "Ascend950; choose another ACTGRAD_PRODUCT", function, actgrad_get_settings()->chip);
    return count_elements(function, tensorShape, dataType, true, weightTensorSize);
}
