/* Every function of the operators once, in what C99 and every C++ since 2011 have in common. */
#include "program.h"

#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_geglu_backward.h"
#include "aclnnop/aclnn_leaky_relu.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"
#include "aclnnop/aclnn_selu.h"
#include "aclnnop/aclnn_selu_backward.h"

static const float X[] = {-3, -1, -0.25f, 0, 0.5f, 1, 2, 4};
static const float G[] = {1, 2, -1, 0.5f, 3, -2, 1, 0.25f};

static void print(const char* function, Tensor tensor) {
    float values[8];
    read_back(tensor, values);
    printf("%s", function);
    for (size_t k = 0; k < tensor.size / sizeof(float); k++) printf(" %a", (double)values[k]);
    printf("\n");
}

int main(void) {
    aclrtStream stream = start();
    aclScalar *alpha = number(1.5f), *scale = number(0.75f), *input_scale = number(1.25f), *slope = number(0.125f);
    Tensor x = matrix(2, 4, X), g = matrix(2, 4, G), half = matrix(2, 2, G), y = matrix(2, 4, NULL);
    Tensor out = matrix(2, 2, NULL), gelu = matrix(2, 2, NULL), changed = matrix(2, 4, X);

    RUN(aclnnElu, x.tensor, alpha, scale, input_scale, y.tensor);
    print("aclnnElu", y);
    RUN(aclnnInplaceElu, changed.tensor, alpha, scale, input_scale);
    print("aclnnInplaceElu", changed);
    RUN(aclnnEluBackward, g.tensor, alpha, scale, input_scale, true, x.tensor, y.tensor);
    print("aclnnEluBackward", y);
    RUN(aclnnSelu, x.tensor, y.tensor);
    print("aclnnSelu", y);
    RUN(aclnnInplaceSelu, changed.tensor);
    print("aclnnInplaceSelu", changed);
    RUN(aclnnSeluBackward, g.tensor, x.tensor, y.tensor);
    print("aclnnSeluBackward", y);
    RUN(aclnnLeakyRelu, x.tensor, slope, y.tensor);
    print("aclnnLeakyRelu", y);
    RUN(aclnnInplaceLeakyRelu, changed.tensor, slope);
    print("aclnnInplaceLeakyRelu", changed);
    RUN(aclnnLeakyReluBackward, g.tensor, x.tensor, slope, false, y.tensor);
    print("aclnnLeakyReluBackward", y);
    RUN(aclnnGeGlu, x.tensor, -1, 0, out.tensor, gelu.tensor);
    print("aclnnGeGlu", out);
    RUN(aclnnGeGluBackward, half.tensor, x.tensor, gelu.tensor, -1, 0, y.tensor);
    print("aclnnGeGluBackward", y);
    RUN(aclnnGeGluV3, x.tensor, 1, 1, true, out.tensor, gelu.tensor);
    print("aclnnGeGluV3", out);
    RUN(aclnnGeGluV3Backward, half.tensor, x.tensor, gelu.tensor, 1, 1, true, y.tensor);
    print("aclnnGeGluV3Backward", y);

    Tensor all[] = {x, g, half, y, out, gelu, changed};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) destroy(all[k]);
    aclScalar* scalars[] = {alpha, scale, input_scale, slope};
    for (size_t k = 0; k < sizeof scalars / sizeof *scalars; k++) CHECK(aclDestroyScalar(scalars[k]));
    finish(stream);
    return 0;
}
