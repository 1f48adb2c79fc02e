/* Prints the number of devices and the name of their chip; only so many can be set. */
#include <stdio.h>

#include "acl/acl.h"

int main(void) {
    uint32_t count = 0;
    if (aclInit(NULL) != 0) {
        fputs(aclGetRecentErrMsg(), stderr);
        return 1;
    }
    aclrtGetDeviceCount(&count);
    for (uint32_t k = 0; k < count; k++)
        if (aclrtSetDevice((int32_t)k) != 0) return 2;
    if (aclrtSetDevice((int32_t)count) == 0) return 3;
    printf("%u devices, %s\n", count, aclrtGetSocName());
    return 0;
}
