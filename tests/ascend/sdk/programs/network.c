/* Functions that PyTorch computes, from the threads of OpenMP and in a child: its threads are not the program's. */
#include "program.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aclnnop/aclnn_exp.h"
#include "aclnnop/aclnn_reduce_sum.h"

enum { ROWS = 700, COLUMNS = 300 };

/* Powers and their sums over rows, large enough for several threads of PyTorch. */
static void compute(aclrtStream stream, float value) {
    float* values = (float*)malloc(ROWS * COLUMNS * sizeof *values);
    for (int k = 0; k < ROWS * COLUMNS; k++) values[k] = value;
    Tensor x = matrix(ROWS, COLUMNS, values), y = matrix(ROWS, COLUMNS, NULL), sums = matrix(1, COLUMNS, NULL);
    const int64_t rows = 0;
    aclIntArray* dims = aclCreateIntArray(&rows, 1);
    RUN(aclnnExp, x.tensor, y.tensor);
    RUN(aclnnReduceSum, y.tensor, dims, true, ACL_FLOAT, sums.tensor);
    read_back(sums, values);
    for (int k = 0; k < COLUMNS; k++) REQUIRE(fabs(values[k] / (ROWS * exp(value)) - 1) < 1e-5);
    CHECK(aclDestroyIntArray(dims));
    destroy(x);
    destroy(y);
    destroy(sums);
    free(values);
}

int main(void) {
    aclrtStream stream = start();
    compute(stream, 0.5f);
    float total = 0;
#pragma omp parallel for num_threads(3) reduction(+ : total)
    for (int k = 0; k < 6; k++) {
        aclrtStream own;
        CHECK(aclrtSetDevice(0));
        CHECK(aclrtCreateStream(&own));
        compute(own, 0.25f * (float)k);
        CHECK(aclrtDestroyStream(own));
        total += 1;
    }
    REQUIRE(total == 6);
    pid_t child = fork();
    if (child == 0) {
        compute(stream, 1.5f);
        _exit(0);
    }
    int status;
    REQUIRE(waitpid(child, &status, 0) == child && status == 0);
    compute(stream, 2.0f);
    finish(stream);
    puts("ok");
    return 0;
}
