/* The environment. It is read once, because a program may change it while threads run. */
#include "services.h"

#include <dlfcn.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "products.h" /* generated from the operators' products */

static actgrad_settings settings;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void say_ignored(const char* name, const char* value, const char* known) {
    fprintf(stderr,
            "actgrad: %s is \"%s\"; it must be %s; set it to one, because it is ignored now\n", name, value, known);
}

/* The value of a variable, or `otherwise` if the variable is unset or empty. */
static const char* value_of(const char* name, const char* otherwise) {
    const char* value = getenv(name);
    return value == NULL || value[0] == '\0' ? otherwise : value;
}

/* A copy of the value that lives as long as the process. */
static const char* copied_value_of(const char* name, const char* otherwise) {
    const char* copy = strdup(value_of(name, otherwise));
    return copy == NULL ? otherwise : copy;
}

static bool read_strict(void) {
    const char* value = value_of("ACTGRAD_STRICT", "0");
    if (strcmp(value, "0") != 0 && strcmp(value, "1") != 0) say_ignored("ACTGRAD_STRICT", value, "0 or 1");
    return strcmp(value, "1") == 0;
}

/* Whether the program has a Python interpreter. A thread may hold the interpreter's lock while it waits for a call in
   another thread, and that call must not need the lock. The interpreter may also be of another version, and start and
   end at any time. */
static bool has_python(void) { return dlsym(RTLD_DEFAULT, "Py_IsInitialized") != NULL; }

/* Whether torch_npu's own thread calls the operators. torch_npu's other threads hold Python's lock while they wait for
   it. */
static bool has_waiting_queue(void) {
    if (strcmp(value_of("TASK_QUEUE_ENABLE", "1"), "0") == 0) return false;
    if (dlopen("libtorch_npu.so", RTLD_NOLOAD | RTLD_LAZY) == NULL) return false;
    fprintf(stderr,
            "actgrad: ACTGRAD_SDK_HOST is \"inprocess\", but torch_npu's queue would wait for Python's lock; "
            "a server computes now; set TASK_QUEUE_ENABLE=0 to compute in the process\n");
    return true;
}

static bool read_server(const char* libpython) {
    const char* value = value_of("ACTGRAD_SDK_HOST", "");
    if (strcmp(value, "server") == 0) return true;
    if (access(libpython, R_OK) != 0) return true; /* "" is not the name of a file */
    if (strcmp(value, "inprocess") == 0) return has_waiting_queue();
    if (value[0] != '\0') say_ignored("ACTGRAD_SDK_HOST", value, "inprocess or server");
    return has_python();
}

static bool matches(const char* text, const char* expression) {
    regex_t compiled;
    if (regcomp(&compiled, expression, REG_EXTENDED | REG_NOSUB) != 0) return false;
    bool is_match = regexec(&compiled, text, 0, NULL, 0) == 0;
    regfree(&compiled);
    return is_match;
}

/* A product is named by its family or by one of its chips. The operators' default is Ascend910B. */
static void read_product(void) {
    settings.product = copied_value_of("ACTGRAD_PRODUCT", "");
    settings.is_known = settings.product[0] == '\0';
    settings.chip = "Ascend910B1";
    for (size_t k = 0; k < sizeof PRODUCTS / sizeof *PRODUCTS && !settings.is_known; k++) {
        settings.is_known = matches(settings.product, PRODUCTS[k].chips);
        if (strcmp(settings.product, PRODUCTS[k].name) == 0)
            settings.chip = PRODUCTS[k].chip;
        else if (settings.is_known)
            settings.chip = settings.product;
    }
}

/* The number of devices in a list such as "0,2,3", up to the first device that does not exist or appears twice. */
static int read_devices(void) {
    const char* list = value_of("ASCEND_RT_VISIBLE_DEVICES", NULL);
    bool is_seen[DEVICES] = {false};
    int count = 0;
    if (list == NULL) return DEVICES;
    for (;;) {
        char* end;
        long device = strtol(list, &end, 10);
        if (end == list || device < 0 || device >= DEVICES || is_seen[device]) return count;
        is_seen[device] = true;
        count++;
        if (*end != ',') return count;
        list = end + 1;
    }
}

static void read_environment(void) {
    settings.is_strict = read_strict();
    settings.python = copied_value_of("ACTGRAD_SDK_PYTHON", ACTGRAD_PYTHON);
    settings.libpython = copied_value_of("ACTGRAD_SDK_LIBPYTHON", ACTGRAD_LIBPYTHON);
    settings.uses_server = read_server(settings.libpython);
    settings.queues_phase_one = strcmp(value_of("TASK_QUEUE_ENABLE", ""), "2") == 0;
    settings.devices = read_devices();
    read_product();
}

const actgrad_settings* actgrad_get_settings(void) {
    pthread_once(&once, read_environment);
    return &settings;
}
