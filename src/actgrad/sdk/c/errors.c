/* The text of the last failure: one per thread, handed out once. */
#include "runtime.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    char* newest;
    char* handed_out; /* readable until the next is asked for */
} Texts;

static pthread_key_t key;
static bool has_key;

/* localtime_r locks the time zone: a child forked meanwhile by another thread would wait for ever in it. */
static pthread_mutex_t clock_lock = PTHREAD_MUTEX_INITIALIZER;

void actgrad_clock_lock(void) { pthread_mutex_lock(&clock_lock); }
void actgrad_clock_unlock(void) { pthread_mutex_unlock(&clock_lock); }

static void forget(void* texts) {
    free(((Texts*)texts)->newest);
    free(((Texts*)texts)->handed_out);
    free(texts);
}

__attribute__((constructor)) static void make_key(void) { has_key = pthread_key_create(&key, forget) == 0; }

/* A thread that ends after the library is gone must not call into it. */
__attribute__((destructor)) static void delete_key(void) {
    if (!has_key) return;
    Texts* texts = pthread_getspecific(key);
    if (texts != NULL) forget(texts);
    pthread_key_delete(key);
    has_key = false;
}

static Texts* texts_of_thread(void) {
    if (!has_key) return NULL;
    Texts* texts = pthread_getspecific(key);
    if (texts != NULL) return texts;
    texts = calloc(1, sizeof *texts);
    if (texts != NULL && pthread_setspecific(key, texts) != 0) {
        free(texts);
        return NULL;
    }
    return texts;
}

/* Takes the text. Without memory for it there is no text: the code alone tells the failure. */
static void keep(char* text) {
    Texts* texts = texts_of_thread();
    if (texts == NULL) {
        free(text);
        return;
    }
    free(texts->newest);
    texts->newest = text;
}

static void write_time(char* text, size_t size) {
    struct timespec now;
    struct tm local;
    clock_gettime(CLOCK_REALTIME, &now);
    actgrad_clock_lock();
    localtime_r(&now.tv_sec, &local);
    actgrad_clock_unlock();
    size_t length = strftime(text, size, "%Y-%m-%d-%H:%M:%S", &local);
    snprintf(text + length, size - length, ".%03ld.%03ld", now.tv_nsec / 1000000, now.tv_nsec / 1000 % 1000);
}

static void report(const char* title, const char* format, va_list values) {
    char time[64];
    write_time(time, sizeof time);
    char* text = NULL;
    char* complete = NULL;
    if (vasprintf(&text, format, values) < 0) return;
    if (asprintf(&complete, "[PID: %d] %s %s: %s", (int)getpid(), time, title, text) >= 0) keep(complete);
    free(text);
}

void actgrad_report(const char* title, const char* format, ...) {
    va_list values;
    va_start(values, format);
    report(title, format, values);
    va_end(values);
}

void actgrad_report_text(const char* text) {
    char* copy = strdup(text);
    if (copy != NULL) keep(copy);
}

aclError actgrad_fail(aclError code, const char* format, ...) {
    va_list values;
    va_start(values, format);
    report(RUNTIME_ERROR, format, values);
    va_end(values);
    return code;
}

aclError actgrad_fail_null(const char* function, const char* argument) {
    return actgrad_fail(ACL_ERROR_INVALID_PARAM, "%s: %s is a null pointer; it is required", function, argument);
}

const char* aclGetRecentErrMsg(void) {
    Texts* texts = texts_of_thread();
    if (texts == NULL) return NULL;
    free(texts->handed_out);
    texts->handed_out = texts->newest;
    texts->newest = NULL;
    return texts->handed_out;
}
