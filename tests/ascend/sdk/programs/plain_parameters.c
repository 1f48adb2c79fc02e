/* Parameters of type char* and double: their values reach the kernel, wrong ones and null pointers are refused. */
#include "aclnnop/aclnn_gelu_backward_v2.h"
#include "aclnnop/aclnn_situ_glu.h"
#include "program.h"

/* Each call is made twice: the second finds the plan of the first. */
#define TWICE for (int time = 0; time < 2; time++)

/* Results lie below 2, where floats are 1.2e-7 apart; a kernel errs by a few of those. */
static void require_close(Tensor tensor, double expected) {
    float got;
    read_back(tensor, &got);
    if (!(fabs(got - expected) <= 1e-6)) fprintf(stderr, "%g, expected %g\n", got, expected);
    REQUIRE(fabs(got - expected) <= 1e-6);
}

/* The derivatives of both forms of GELU at 1. */
static double slope_by_erf(void) {
    return 0.5 * (1 + erf(sqrt(0.5))) + exp(-0.5) / sqrt(2 * M_PI);
}

static double slope_by_tanh(void) {
    double root = sqrt(2 / M_PI), t = tanh(root * (1 + 0.044715));
    return 0.5 * (1 + t) + 0.5 * (1 - t * t) * root * (1 + 3 * 0.044715);
}

static void texts(aclrtStream stream) {
    const float given[] = {1};
    Tensor g = matrix(1, 1, given), x = matrix(1, 1, given), out = matrix(1, 1, NULL);
    char tanh_name[] = "tanh", none_name[] = "none", erf_name[] = "erf", empty[] = "";
    uint64_t size;
    aclOpExecutor* executor;
    TWICE {
        RUN(aclnnGeluBackwardV2, g.tensor, x.tensor, tanh_name, out.tensor);
        require_close(out, slope_by_tanh());
        RUN(aclnnGeluBackwardV2, g.tensor, x.tensor, none_name, out.tensor);
        require_close(out, slope_by_erf());
        FAILS(aclnnGeluBackwardV2GetWorkspaceSize(g.tensor, x.tensor, erf_name, out.tensor, &size, &executor), 161002,
              "approximate is \"erf\"");
        FAILS(aclnnGeluBackwardV2GetWorkspaceSize(g.tensor, x.tensor, empty, out.tensor, &size, &executor), 161002,
              "approximate is \"\"");
        FAILS(aclnnGeluBackwardV2GetWorkspaceSize(g.tensor, x.tensor, NULL, out.tensor, &size, &executor), 161001,
              "approximate is a null pointer");
    }
    /* A text is read at the call: the same memory may hold another one later. */
    strcpy(tanh_name, "none");
    RUN(aclnnGeluBackwardV2, g.tensor, x.tensor, tanh_name, out.tensor);
    require_close(out, slope_by_erf());
    destroy(g);
    destroy(x);
    destroy(out);
}

static double situ(double beta, double linear_beta) {
    double gate = 1, up = linear_beta > 0 ? linear_beta * tanh(2 / linear_beta) : 2;
    return beta * tanh(gate / beta) / (1 + exp(-gate)) * up;
}

static void doubles(aclrtStream stream) {
    const float given[] = {1, 2};
    const double betas[][2] = {{1, 0}, {1.5, 0}, {1.5, -0.0}, {1.5, 0.7}, {0.1, 1e9}, {0.7, 1.5}};
    Tensor x = matrix(1, 2, given), out = matrix(1, 1, NULL);
    TWICE {
        for (size_t k = 0; k < sizeof betas / sizeof *betas; k++) {
            RUN(aclnnSituGlu, x.tensor, -1, betas[k][0], betas[k][1], true, out.tensor);
            require_close(out, situ(betas[k][0], betas[k][1]));
        }
    }
    destroy(x);
    destroy(out);
}

int main(void) {
    aclrtStream stream = start();
    texts(stream);
    doubles(stream);
    finish(stream);
    puts("ok");
    return 0;
}
