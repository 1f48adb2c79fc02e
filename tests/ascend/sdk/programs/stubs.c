/* Calls functions by name, with arguments that none of them reads, and prints their statuses and texts. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "acl/acl.h"

int main(int count, char** arguments) {
    void* library = dlopen("libopapi.so", RTLD_NOW);
    for (int k = 1; k < count; k++) {
        int (*function)(void*, void*);
        void* symbol = dlsym(library, arguments[k]);
        memcpy(&function, &symbol, sizeof function);
        if (function == NULL) return 1;
        int status = function(NULL, NULL);
        const char* text = aclGetRecentErrMsg();
        printf("%d %s\n", status, text == NULL ? "" : text);
    }
    return 0;
}
