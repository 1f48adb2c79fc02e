/* Functions that ggml's CANN backend calls for Llama, in BF16, against plain loops: a product with INT8 and INT4 weights,
   rotary positions, attention with grouped heads, rows copied by index, repetition. */
#include "program.h"

#include "aclnnop/aclnn_fused_infer_attention_score_v2.h"
#include "aclnnop/aclnn_index_copy.h"
#include "aclnnop/aclnn_repeat_interleave.h"
#include "aclnnop/aclnn_rotary_position_embedding.h"
#include "aclnnop/aclnn_weight_quant_batch_matmul_v2.h"

static uint16_t to_half(float value) { /* BF16, cut off: all inputs here are exact */
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return (uint16_t)(bits >> 16);
}

static float from_half(uint16_t half) {
    uint32_t bits = (uint32_t)half << 16;
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

/* A small number that BF16 holds, another one for each place. */
static float sample(int place, int kind) {
    return (float)((place * 37 + kind * 11) % 17 - 8) / 8;
}

typedef struct {
    aclTensor* tensor;
    uint16_t* memory;
    int count;
} Halves;

static Halves halves(int rank, const int64_t* shape, const int64_t* strides, int kind) {
    Halves made = {NULL, NULL, 1};
    for (int k = 0; k < rank; k++) made.count *= (int)shape[k];
    uint16_t values[512];
    REQUIRE(made.count <= 512);
    for (int k = 0; k < made.count; k++) values[k] = kind < 0 ? 0 : to_half(sample(k, kind));
    made.memory = (uint16_t*)device_memory(2 * (size_t)made.count);
    CHECK(aclrtMemcpy(made.memory, 2 * (size_t)made.count, values, 2 * (size_t)made.count, ACL_MEMCPY_HOST_TO_DEVICE));
    const int64_t storage = made.count;
    made.tensor = aclCreateTensor(
        shape, (uint64_t)rank, ACL_BF16, strides, 0, ACL_FORMAT_ND, &storage, 1, made.memory);
    REQUIRE(made.tensor != NULL);
    return made;
}

/* Each result is within BF16's rounding of the expected one. */
static void compare(Halves result, const float* expected, const char* what) {
    uint16_t values[512];
    size_t size = 2 * (size_t)result.count;
    CHECK(aclrtMemcpy(values, size, result.memory, size, ACL_MEMCPY_DEVICE_TO_HOST));
    for (int k = 0; k < result.count; k++)
        if (!(fabsf(from_half(values[k]) - expected[k]) <= 0.004f * fabsf(expected[k]) + 1e-6f)) {
            fprintf(stderr, "%s: %d is %g, not %g\n", what, k, from_half(values[k]), expected[k]);
            exit(1);
        }
}

static void release(Halves tensor) {
    CHECK(aclDestroyTensor(tensor.tensor));
    CHECK(aclrtFree(tensor.memory));
}

enum { ROWS = 3, INNER = 64, COLUMNS = 5, GROUP = 32 };

/* As ggml stores it: each column's weights in a row, a scale for each 32 of them. */
static void quantised(aclrtStream stream, bool is_four_bits) {
    const int64_t shape_x[] = {ROWS, INNER}, shape_w[] = {INNER, COLUMNS}, shape_y[] = {ROWS, COLUMNS};
    const int64_t shape_s[] = {INNER / GROUP, COLUMNS}, shape_b[] = {COLUMNS};
    const int64_t strides_w[] = {1, INNER}, strides_s[] = {1, INNER / GROUP};
    int8_t weights[INNER * COLUMNS], packed[INNER * COLUMNS] = {0};
    for (int k = 0; k < INNER * COLUMNS; k++) {
        weights[k] = (int8_t)(is_four_bits ? k * 7 % 16 - 8 : k * 31 % 255 - 127);
        if (!is_four_bits) packed[k] = weights[k];
        else packed[k / 2] = (int8_t)(packed[k / 2] | (weights[k] & 15) << (k % 2 * 4));
    }
    size_t size = sizeof packed / (is_four_bits ? 2 : 1);
    void* memory = device_memory(size);
    CHECK(aclrtMemcpy(memory, size, packed, size, ACL_MEMCPY_HOST_TO_DEVICE));
    const int64_t storage = INNER * COLUMNS, small = storage / 4;
    int type = is_four_bits ? ACL_INT4 : ACL_INT8;
    aclTensor* w = aclCreateTensor(shape_w, 2, type, strides_w, 0, ACL_FORMAT_ND, &storage, 1, memory);
    Halves x = halves(2, shape_x, NULL, 1), y = halves(2, shape_y, NULL, -1);
    Halves scale = halves(2, shape_s, strides_s, 2), offset = halves(2, shape_s, strides_s, 3);
    Tensor bias = matrix(1, COLUMNS, NULL);
    aclTensor* b = aclCreateTensor(shape_b, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape_b, 1, bias.memory);
    RUN(aclnnWeightQuantBatchMatmulV2, x.tensor, w, scale.tensor, offset.tensor, NULL, NULL, b, GROUP, y.tensor);
    float expected[ROWS * COLUMNS];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            expected[i * COLUMNS + j] = 0;
            for (int k = 0; k < INNER; k++) {
                int at = j * (INNER / GROUP) + k / GROUP;
                expected[i * COLUMNS + j] +=
                    sample(i * INNER + k, 1) * ((weights[j * INNER + k] + sample(at, 3)) * sample(at, 2));
            }
        }
    compare(y, expected, is_four_bits ? "INT4" : "INT8");
    uint64_t bytes;
    aclOpExecutor* executor;
    FAILS(aclnnWeightQuantBatchMatmulV2GetWorkspaceSize(
              x.tensor, w, scale.tensor, NULL, scale.tensor, NULL, NULL, GROUP, y.tensor, &bytes, &executor),
          161002, "quantScale or quantOffset is given");
    if (is_four_bits) { /* beyond the memory: half a byte an element */
        const int64_t long_shape[] = {INNER, 4 * COLUMNS}, strides[] = {4 * COLUMNS, 1};
        aclTensor* beyond = aclCreateTensor(long_shape, 2, type, strides, 0, ACL_FORMAT_ND, &small, 1, memory);
        FAILS(aclnnWeightQuantBatchMatmulV2GetWorkspaceSize(
                  x.tensor, beyond, scale.tensor, NULL, NULL, NULL, NULL, GROUP, y.tensor, &bytes, &executor),
              161002, "weight has 160 bytes of storage; viewDims, strides and offset need 640");
        CHECK(aclDestroyTensor(beyond));
    }
    CHECK(aclDestroyTensor(w));
    CHECK(aclDestroyTensor(b));
    CHECK(aclrtFree(memory));
    destroy(bias);
    release(x), release(y), release(scale), release(offset);
}

enum { LENGTH = 3, HEADS = 4, WIDTH = 8 };

static void rotary(aclrtStream stream, int64_t mode) {
    const int64_t shape[] = {1, LENGTH, HEADS, WIDTH}, angles[] = {1, LENGTH, 1, WIDTH};
    Halves x = halves(4, shape, NULL, 4), y = halves(4, shape, NULL, -1);
    Halves cosine = halves(4, angles, NULL, 5), sine = halves(4, angles, NULL, 6);
    RUN(aclnnRotaryPositionEmbedding, x.tensor, cosine.tensor, sine.tensor, mode, y.tensor);
    float expected[LENGTH * HEADS * WIDTH];
    for (int s = 0; s < LENGTH; s++)
        for (int h = 0; h < HEADS; h++)
            for (int d = 0; d < WIDTH; d++) {
                int row = (s * HEADS + h) * WIDTH;
                int partner = mode == 0 ? (d + WIDTH / 2) % WIDTH : d ^ 1;
                bool is_first = mode == 0 ? d < WIDTH / 2 : d % 2 == 0;
                float turned = (is_first ? -1.0f : 1.0f) * sample(row + partner, 4);
                int at = s * WIDTH + d;
                expected[row + d] = sample(row + d, 4) * sample(at, 5) + turned * sample(at, 6);
            }
    compare(y, expected, "rotary");
    release(x), release(y), release(cosine), release(sine);
}

/* Two heads of keys for four of queries, with what is added to the scores. */
static void attention(aclrtStream stream) {
    enum { KEYS = 5, GROUPS = 2 };
    const int64_t shape_q[] = {1, LENGTH, HEADS, WIDTH}, shape_k[] = {1, KEYS, GROUPS, WIDTH};
    const int64_t shape_s[] = {1, HEADS, LENGTH, KEYS};
    Halves q = halves(4, shape_q, NULL, 1), k = halves(4, shape_k, NULL, 2), v = halves(4, shape_k, NULL, 3);
    Halves shift = halves(4, shape_s, NULL, 4), y = halves(4, shape_q, NULL, -1);
    const aclTensor *list_k[] = {k.tensor}, *list_v[] = {v.tensor};
    aclTensorList *keys = aclCreateTensorList(list_k, 1), *values = aclCreateTensorList(list_v, 1);
    char layout[] = "BSND";
    RUN(aclnnFusedInferAttentionScoreV2, q.tensor, keys, values, shift.tensor, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, HEADS, 0.5, 65535, 65535, layout,
        GROUPS, 0, 0, 0, 0, false, 0, 0, y.tensor, NULL);
    float expected[LENGTH * HEADS * WIDTH];
    for (int s = 0; s < LENGTH; s++)
        for (int h = 0; h < HEADS; h++) {
            double scores[KEYS], total = 0;
            int at_q = (s * HEADS + h) * WIDTH;
            for (int t = 0; t < KEYS; t++) {
                scores[t] = sample((h * LENGTH + s) * KEYS + t, 4);
                for (int d = 0; d < WIDTH; d++)
                    scores[t] += 0.5 * sample(at_q + d, 1) * sample((t * GROUPS + h / 2) * WIDTH + d, 2);
                total += scores[t] = exp(scores[t]);
            }
            for (int d = 0; d < WIDTH; d++) {
                double sum = 0;
                for (int t = 0; t < KEYS; t++) sum += scores[t] / total * sample((t * GROUPS + h / 2) * WIDTH + d, 3);
                expected[at_q + d] = (float)sum;
            }
        }
    compare(y, expected, "attention");
    CHECK(aclDestroyTensorList(keys));
    CHECK(aclDestroyTensorList(values)); /* with their tensors */
    CHECK(aclrtFree(k.memory));
    CHECK(aclrtFree(v.memory));
    release(q), release(shift), release(y);
}

static void rows(aclrtStream stream) {
    const int64_t shape[] = {4, 2}, shape_source[] = {2, 2}, shape_long[] = {4, 6}, two = 2;
    const int64_t places[] = {3, 1};
    Halves to = halves(2, shape, NULL, 1), source = halves(2, shape_source, NULL, 2);
    Halves repeated = halves(2, shape_long, NULL, -1);
    void* memory = device_memory(sizeof places);
    CHECK(aclrtMemcpy(memory, sizeof places, places, sizeof places, ACL_MEMCPY_HOST_TO_DEVICE));
    aclTensor* index = aclCreateTensor(&two, 1, ACL_INT64, NULL, 0, ACL_FORMAT_ND, &two, 1, memory);
    RUN(aclnnInplaceIndexCopy, to.tensor, 0, index, source.tensor);
    const float expected[] = {sample(0, 1), sample(1, 1), sample(2, 2), sample(3, 2),
                              sample(4, 1), sample(5, 1), sample(0, 2), sample(1, 2)};
    compare(to, expected, "index copy");
    RUN(aclnnRepeatInterleaveIntWithDim, to.tensor, 3, 1, 6, repeated.tensor);
    float triple[24];
    for (int k = 0; k < 24; k++) triple[k] = expected[k / 3];
    compare(repeated, triple, "repetition");
    /* No rows: their storage, as a program computes it from strides, is negative. */
    const int64_t none[] = {0, 2}, strides[] = {2, 1}, zero = 0, negative = -1;
    aclTensor* nothing = aclCreateTensor(none, 2, ACL_BF16, strides, 0, ACL_FORMAT_ND, &negative, 1, source.memory);
    aclTensor* no_index = aclCreateTensor(&zero, 1, ACL_INT64, NULL, 0, ACL_FORMAT_ND, &zero, 1, memory);
    RUN(aclnnInplaceIndexCopy, to.tensor, 0, no_index, nothing);
    compare(to, expected, "no rows");
    CHECK(aclDestroyTensor(nothing));
    CHECK(aclDestroyTensor(no_index));
    CHECK(aclDestroyTensor(index));
    CHECK(aclrtFree(memory));
    release(to), release(source), release(repeated);
}

int main(void) {
    aclrtStream stream = start();
    quantised(stream, false);
    quantised(stream, true);
    rotary(stream, 0);
    rotary(stream, 1);
    attention(stream);
    rows(stream);
    finish(stream);
    puts("ok");
    return 0;
}
