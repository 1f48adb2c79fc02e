/* The planner in another process. It serves Python executables without a shared library, and programs with a Python
   whose lock may not be available during a call. The server maps device memory at the same address. Requests and
   answers go over a pair of sockets. */
#include "nnopbase.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

FORK_SAFE_LOCK(server_lock, SERVER_ORDER)
static int connection = -1;
static pid_t owner; /* the process that the connection belongs to */

static bool receive(void* data, size_t size) {
    for (char* place = data; size > 0;) {
        ssize_t got = recv(connection, place, size, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        place += got;
        size -= (size_t)got;
    }
    return true;
}

static bool send_all(const void* data, size_t size) {
    for (const char* place = data; size > 0;) {
        ssize_t sent = send(connection, place, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return false;
        place += sent;
        size -= (size_t)sent;
    }
    return true;
}

static void disconnect(void) {
    if (connection >= 0) close(connection);
    connection = -1;
}

/* In a forked child, the server still belongs to the parent. */
__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, disconnect); }

/* Starts the server and waits for the process that starts it. The server itself is no child of the program, because a
   program may wait for any child. The server has its own process group, so that a terminal's signals reach only the
   program. Of the program's files, the server keeps only standard error open. */
static bool spawn_server(int there, int memory, uint64_t base, uint64_t size) {
    static const char code[] =
        "import os, sys\n"
        "os.fork() and os._exit(0)\n"
        "low, high = sorted([%d, %d])\n"
        "for first, end in (3, low), (low + 1, high), (high + 1, os.sysconf('SC_OPEN_MAX')):\n"
        "    os.closerange(first, end)\n"
        "os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')\n"
        "try:\n"
        "    sys.path[:0] = [p for p in " ACTGRAD_PATH " if p not in sys.path]\n"
        "    from actgrad.ascend.sdk import seam\n"
        "    seam.serve(%d, %d, %d, %d, %llu, %llu)\n"
        "except BaseException as error:\n"
        "    why = f'{type(error).__name__}: {error}'.encode()\n"
        "    try:\n"
        "        os.write(%d, len(why).to_bytes(8, 'little') + why)\n"
        "    except OSError:\n"
        "        pass\n"; /* the program has ended */
    char text[sizeof code + 128];
    snprintf(text, sizeof text, code, there, memory, INTERFACE, (int)sizeof(actgrad_plan), there, memory,
             (unsigned long long)base, (unsigned long long)size, there);
    char* arguments[] = {(char*)(uintptr_t)actgrad_get_settings()->python, "-I", "-c", text, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, there, there); /* onto itself, so that it stays open */
    posix_spawn_file_actions_adddup2(&files, memory, memory);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    pid_t process;
    int error = posix_spawn(&process, arguments[0], &files, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    if (error != 0) {
        actgrad_fail(INNER,
                     "the Python %s did not start (%s); it must run; build the SDK again or set ACTGRAD_SDK_PYTHON",
                     arguments[0], strerror(error));
        return false;
    }
    while (waitpid(process, NULL, 0) < 0 && errno == EINTR) continue;
    return true;
}

/* A text, which the caller frees, or NULL if the server has ended. */
static char* receive_text(void) {
    int64_t length;
    char* text = receive(&length, sizeof length) ? calloc(1, (size_t)length + 1) : NULL;
    if (text != NULL && receive(text, (size_t)length)) return text;
    free(text);
    return NULL;
}

/* Waits for the server's first text, which is the reason of a failure. */
static bool is_ready(void) {
    char* why = receive_text();
    const bool is_ready = why != NULL && why[0] == '\0';
    if (!is_ready)
        actgrad_fail(INNER, "actgrad was not imported by %s (%s); it must be installed there; run actgrad sdk again",
                     actgrad_get_settings()->python, why == NULL ? "it gave no reason" : why);
    free(why);
    return is_ready;
}

/* Starts a server for this process and waits until it is ready. */
static bool connect_server(void) {
    int ends[2], memory;
    uint64_t base, size;
    disconnect();
    if (actgrad_memory_share(&memory, &base, &size) != 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        actgrad_fail(INNER,
                     "device memory is not shared (%s); the server needs it; set ACTGRAD_SDK_HOST=inprocess",
                     strerror(errno));
        return false;
    }
    /* Use a file descriptor above 2, because a program may have closed the standard files. */
    int there = fcntl(ends[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int memory_there = fcntl(memory, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    bool is_started = spawn_server(there, memory_there, base, size);
    close(ends[1]);
    close(there);
    close(memory_there);
    connection = ends[0];
    owner = getpid();
    is_started = is_started && is_ready();
    if (!is_started) disconnect();
    return is_started;
}

/* Sends a request: its number and three sizes, a name, words, places. Receives a plan, and the text of a failure. */
static void ask(int64_t request, const char* function, const int64_t* words, int64_t count, const int64_t* places,
                int64_t place_count, actgrad_plan* answer) {
    const int64_t head[] = {request, (int64_t)strlen(function), count * 8, place_count * 8};
    LOCKED(&server_lock);
    /* A forked child has a copy of the memory, and needs a server that computes on the copy. */
    bool is_connected = owner == getpid() || connect_server();
    bool is_answered = is_connected && connection >= 0 && send_all(head, sizeof head) &&
                       send_all(function, (size_t)head[1]) && send_all(words, (size_t)head[2]) &&
                       send_all(places, (size_t)head[3]) && receive(answer, sizeof *answer);
    char* text = is_answered ? receive_text() : NULL;
    if (text != NULL) {
        if (text[0] != '\0') actgrad_report_text(text);
        free(text);
        return;
    }
    if (is_connected) actgrad_fail(INNER, "the server of the operators ended; it must run; start the program again");
    disconnect();
    answer->status = INNER;
}

actgrad_planner* actgrad_start_server(void) {
    LOCKED(&server_lock);
    return connect_server() ? ask : NULL;
}
