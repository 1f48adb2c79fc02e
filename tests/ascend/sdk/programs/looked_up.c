/* Finds names in a library, which is loaded by its path. */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char** arguments) {
    void* library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    for (int k = 2; k < count && library != NULL; k++)
        if (dlsym(library, arguments[k]) == NULL) return 1;
    puts(library == NULL ? dlerror() : "ok");
    return library == NULL;
}
