/* The text of the last failure: each thread has one, and a call returns it once. */
#include "runtime.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    char* newest;
    char* returned; /* readable until the next call of aclGetRecentErrMsg */
} Texts;

static __thread Texts texts;
static pthread_key_t at_end; /* its destructor frees the texts of a thread that ends */
static bool has_key;

/* localtime_r locks the time zone. If another thread forked meanwhile, the child would wait for this lock forever. */
FORK_SAFE_LOCK(clock_lock, CLOCK_ORDER)

static void free_texts(void* of_thread) {
    Texts* ended = of_thread;
    free(ended->newest);
    free(ended->returned);
    *ended = (Texts){NULL, NULL};
}

__attribute__((constructor)) static void make_key(void) { has_key = pthread_key_create(&at_end, free_texts) == 0; }

/* Takes ownership of the text. If memory for the text is missing, only the status code describes the failure. */
static void keep(char* text) {
    if (text == NULL) return;
    free(texts.newest);
    texts.newest = text;
    if (has_key) pthread_setspecific(at_end, &texts);
}

static void write_time(char* text, size_t size) {
    struct timespec now;
    struct tm local;
    clock_gettime(CLOCK_REALTIME, &now);
    {
        LOCKED(&clock_lock);
        localtime_r(&now.tv_sec, &local);
    }
    size_t length = strftime(text, size, "%Y-%m-%d-%H:%M:%S", &local);
    snprintf(text + length, size - length, ".%03ld.%03ld", now.tv_nsec / 1000000, now.tv_nsec / 1000 % 1000);
}

/* Statuses of operators and codes of the runtime have different titles. */
static const char* title_of(int32_t code) {
    if (code == ACL_ERROR_RT_FEATURE_NOT_SUPPORT) return "Feature_Not_Supported";
    switch (code / 1000) {
        case 161: return "AclNN_Parameter_Error(EZ1001)";
        case 361:
        case 561: return "AclNN_Inner_Error(EZ9999)";
        default: return "Invalid_Argument(EE1001)";
    }
}

int32_t actgrad_fail(int32_t code, const char* format, ...) {
    char time[64];
    char* text = NULL;
    char* complete = NULL;
    va_list values;
    va_start(values, format);
    int length = vasprintf(&text, format, values);
    va_end(values);
    if (length < 0) return code;
    write_time(time, sizeof time);
    if (asprintf(&complete, "[PID: %d] %s %s: %s", (int)getpid(), time, title_of(code), text) >= 0) keep(complete);
    free(text);
    return code;
}

const char* actgrad_newest_reason(void) {
    const char* title = texts.newest == NULL ? NULL : strchr(texts.newest, ']'); /* "[PID: n] time title: text" */
    const char* end = title == NULL ? NULL : strstr(title, ": ");
    return end == NULL ? "there was no memory left for the reason" : end + 2;
}

void actgrad_report_text(const char* text) { keep(strdup(text)); }

aclError actgrad_fail_null(const char* function, const char* argument) {
    return actgrad_fail(ACL_ERROR_INVALID_PARAM, "%s: %s is a null pointer; it is required; pass a pointer", function,
                        argument);
}

aclError actgrad_fail_memory(const char* function) {
    return actgrad_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
                        "%s: host memory ran out; the call needs more; free some", function);
}

/** Returns the calling thread's newest text once, otherwise null. The text stays readable until the next call. */
const char* aclGetRecentErrMsg(void) {
    free(texts.returned);
    texts.returned = texts.newest;
    texts.newest = NULL;
    return texts.returned;
}
