/* Prints what the environment sets. */
#include "check.h"

int main(void) {
    printf("%d %d %s %s %s\n", actgrad_is_strict(), actgrad_uses_server(), actgrad_python(), actgrad_libpython(),
           aclrtGetSocName());
    setenv("ACTGRAD_STRICT", "1", 1);
    setenv("ACTGRAD_SDK_PYTHON", "changed", 1);
    CHECK(strcmp(actgrad_python(), "changed") != 0); /* read once */
    return 0;
}
