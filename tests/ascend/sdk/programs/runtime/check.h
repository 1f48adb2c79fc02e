/* What the programs here test with. */
#ifndef CHECK_H
#define CHECK_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"
#include "ascendcl/services.h"

#define CHECK(condition)                                                          \
    do {                                                                          \
        if (!(condition)) {                                                       \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            _exit(1);                                                             \
        }                                                                         \
    } while (0)

#define OK(call) expect(__FILE__, __LINE__, #call, (call), 0, "")
/* The call gives the code, and a text with these words in it. */
#define FAILS(call, code, words) expect(__FILE__, __LINE__, #call, (call), (code), (words))

static inline void expect(const char* file, int line, const char* call, int got, int wanted, const char* words) {
    const char* text = got == 0 ? "" : aclGetRecentErrMsg();
    if (got == wanted && text != NULL && strstr(text, words) != NULL) return;
    fprintf(stderr, "%s:%d: %s gives %d and \"%s\", not %d and \"%s\"\n", file, line, call, got,
            text == NULL ? "(no text)" : text, wanted, words);
    _exit(1);
}

static inline bool is_strict(void) {
    const char* value = getenv("ACTGRAD_STRICT");
    return value != NULL && strcmp(value, "1") == 0;
}

static inline void start(void) {
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
}

static inline void end(void) {
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
}

static inline char* allocate(size_t size) {
    void* memory = NULL;
    OK(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST));
    return memory;
}

static inline int first_byte(const void* device) {
    unsigned char byte = 0;
    OK(aclrtMemcpy(&byte, 1, device, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    return byte;
}

/* How a child ends that runs the function. */
static inline int status_of_child(void (*function)(void*), void* argument) {
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        function(argument);
        _exit(0);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    return status;
}

static inline void check_child(void (*function)(void*), void* argument) {
    int status = status_of_child(function, argument);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

#endif
