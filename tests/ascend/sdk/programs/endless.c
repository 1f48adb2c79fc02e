/* Says "ready" and goes on planning and computing until a signal ends it, or "handled" catches it. */
#include "program.h"

#include <signal.h>

#include "aclnnop/aclnn_leaky_relu.h"

static volatile sig_atomic_t is_over;
static void note(int signal_number) { (void)signal_number, is_over = 1; }

int main(int count, char** arguments) {
    aclrtStream stream = start();
    signal(SIGINT, SIG_DFL); /* a shell's background jobs ignore it */
    if (count > 1 && strcmp(arguments[1], "handled") == 0) signal(SIGINT, note);
    Tensor x = matrix(1, 1 << 14, NULL);
    for (int k = 1; !is_over; k++) {
        aclScalar* slope = number(1.0f / (float)k);
        RUN(aclnnLeakyRelu, x.tensor, slope, x.tensor);
        CHECK(aclDestroyScalar(slope));
        if (k == 20) puts("ready"), fflush(stdout);
    }
    destroy(x);
    finish(stream);
    puts("ended");
    return 0;
}
