/* What aclFinalize lists on stderr when strict. The test reads it, and the addresses from stdout. */
#include "check.h"

static int32_t nothing(void* unused) {
    (void)unused;
    return 0;
}

int main(void) {
    void* on_host = NULL;
    aclrtStream stream = NULL;
    aclrtEvent event = NULL;
    aclrtContext context = NULL;
    start();
    OK(aclrtCreateStream(&stream));
    OK(actgrad_submit(stream, nothing, NULL, NULL, NULL));
    OK(actgrad_submit(stream, nothing, NULL, NULL, NULL));
    OK(aclrtDestroyStream(stream));
    char* block = allocate(12345);
    OK(aclrtFree(allocate(99)));
    OK(aclrtMallocHost(&on_host, 321));
    OK(aclrtCreateEvent(&event));
    OK(aclrtCreateContext(&context, 0));
    OK(aclrtCreateStream(&stream));
    OK(actgrad_submit(stream, nothing, NULL, NULL, NULL));
    printf("%p %p %p %p %p\n", (void*)block, on_host, stream, event, context);
    OK(aclFinalize());
    return 0;
}
