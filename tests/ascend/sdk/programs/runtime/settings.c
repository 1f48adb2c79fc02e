/* Prints what the environment sets. */
#include "check.h"

int main(void) {
    const actgrad_settings* settings = actgrad_get_settings();
    printf("%d %d %s %s %s\n", settings->is_strict, settings->uses_server, settings->python, settings->libpython,
           aclrtGetSocName());
    setenv("ACTGRAD_STRICT", "1", 1);
    setenv("ACTGRAD_SDK_PYTHON", "changed", 1);
    CHECK(strcmp(actgrad_get_settings()->python, "changed") != 0); /* read once */
    return 0;
}
