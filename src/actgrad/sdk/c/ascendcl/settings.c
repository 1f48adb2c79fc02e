/* The environment, read once: a program may change it while threads run. */
#include "services.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static actgrad_settings settings = {.version = ACTGRAD_VERSION};
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void say_ignored(const char* name, const char* value, const char* known) {
    fprintf(stderr, "actgrad: %s is \"%s\", which is ignored; it may be %s\n", name, value, known);
}

/* The value of a variable; `otherwise` when it is unset or empty. */
static const char* value_of(const char* name, const char* otherwise) {
    const char* value = getenv(name);
    return value == NULL || value[0] == '\0' ? otherwise : value;
}

/* A copy of the value, for the life of the process. */
static const char* copied_value_of(const char* name, const char* otherwise) {
    const char* copy = strdup(value_of(name, otherwise));
    return copy == NULL ? otherwise : copy;
}

static bool read_strict(void) {
    const char* value = value_of("ACTGRAD_STRICT", "0");
    if (strcmp(value, "0") != 0 && strcmp(value, "1") != 0) say_ignored("ACTGRAD_STRICT", value, "0 or 1");
    return strcmp(value, "1") == 0;
}

bool actgrad_is_version(const char* version) {
    size_t length = strlen(ACTGRAD_VERSION);
    return strncmp(version, ACTGRAD_VERSION, length) == 0 && version[length] == '.';
}

/* Whether the program has a Python that the operators cannot share: another version, or one not started yet, which the
   program may start and end at any time. */
static bool has_foreign_python(void) {
    int (*is_initialized)(void);
    const char* (*version)(void);
    *(void**)&is_initialized = dlsym(RTLD_DEFAULT, "Py_IsInitialized");
    *(void**)&version = dlsym(RTLD_DEFAULT, "Py_GetVersion");
    return is_initialized != NULL && version != NULL && (!is_initialized() || !actgrad_is_version(version()));
}

static bool read_server(const char* libpython) {
    const char* value = value_of("ACTGRAD_SDK_HOST", "");
    if (strcmp(value, "server") == 0) return true;
    if (access(libpython, R_OK) != 0) return true; /* "" is no file either */
    if (strcmp(value, "inprocess") == 0) return false;
    if (value[0] != '\0') say_ignored("ACTGRAD_SDK_HOST", value, "inprocess or server");
    return has_foreign_python();
}

static void read_environment(void) {
    settings.is_strict = read_strict();
    settings.python = copied_value_of("ACTGRAD_SDK_PYTHON", ACTGRAD_PYTHON);
    settings.libpython = copied_value_of("ACTGRAD_SDK_LIBPYTHON", ACTGRAD_LIBPYTHON);
    settings.uses_server = read_server(settings.libpython);
    settings.product = copied_value_of("ACTGRAD_PRODUCT", "");
}

const actgrad_settings* actgrad_get_settings(void) {
    pthread_once(&once, read_environment);
    return &settings;
}
