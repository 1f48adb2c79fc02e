/* The text of the last failure. */
#include "check.h"

#include <pthread.h>

static void* other_thread(void* unused) {
    (void)unused;
    CHECK(aclGetRecentErrMsg() == NULL); /* a failure is of the thread that met it */
    CHECK(aclrtFree(NULL) == 100000);
    CHECK(aclrtFree(NULL) == 100000); /* left behind: the thread's end frees it */
    return NULL;
}

int main(void) {
    char title[64];
    pthread_t thread;
    CHECK(aclGetRecentErrMsg() == NULL);
    OK(aclInit(NULL));
    CHECK(aclGetRecentErrMsg() == NULL);
    CHECK(aclrtSetDevice(-1) == 107001);
    CHECK(aclrtGetDevice(NULL) == 100000);
    const char* text = aclGetRecentErrMsg();
    CHECK(text != NULL && strstr(text, "aclrtGetDevice: deviceId is a null pointer") != NULL); /* the newest */
    CHECK(strstr(text, "aclrtSetDevice") == NULL);
    snprintf(title, sizeof title, "[PID: %d] 20", (int)getpid());
    CHECK(strncmp(text, title, strlen(title)) == 0 && strstr(text, " Invalid_Argument(EE1001): ") != NULL);
    CHECK(aclGetRecentErrMsg() == NULL); /* once */
    CHECK(aclrtGetDevice(NULL) == 100000);
    CHECK(pthread_create(&thread, NULL, other_thread, NULL) == 0 && pthread_join(thread, NULL) == 0);
    text = aclGetRecentErrMsg();
    OK(aclrtSetDevice(0)); /* success leaves the text readable */
    CHECK(strstr(text, "aclrtGetDevice") != NULL);
    actgrad_fail(561000, "%s: %d", "long", 7);
    CHECK(strstr(aclGetRecentErrMsg(), "AclNN_Inner_Error(EZ9999): long: 7") != NULL);
    actgrad_report_text("complete 100%");
    CHECK(strcmp(aclGetRecentErrMsg(), "complete 100%") == 0);
    char* very_long = malloc(100001);
    memset(very_long, 'x', 100000);
    very_long[100000] = 0;
    actgrad_report_text(very_long);
    CHECK(strcmp(aclGetRecentErrMsg(), very_long) == 0);
    free(very_long);
    CHECK(aclrtFree(NULL) == 100000); /* left unread at the end */
    end();
    return 0;
}
