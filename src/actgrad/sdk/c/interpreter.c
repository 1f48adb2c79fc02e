/* The interpreter in this process. Its library is opened when it is needed, so that nothing here is tied to a version
   of Python and its absence is a status. It is isolated: nothing in the environment, nor a python on PATH, matters. */
#include "internal.h"

#include <dlfcn.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#ifndef ACTGRAD_PATH
#define ACTGRAD_PATH "" /* folders of modules, separated by colons */
#endif

/* ---- the part of Python's C interface that is used, stable since 3.2 */

static struct {
    int (*is_initialized)(void);
    void (*initialize)(int with_signal_handlers);
    int (*run)(const char* code);
    int (*ensure)(void);
    void (*release)(int state);
    void* (*save_thread)(void);
    void (*restore_thread)(void* state);
    void (*clear_thread)(void* state);
    void (*delete_thread)(void);
    void (*before_fork)(void);
    void (*after_fork_parent)(void);
    void (*after_fork_child)(void);
    void (*set_program_name)(const wchar_t* name); /* not in every version */
} python;

static bool find(void* library, const char* name, void* place) {
    void* symbol = dlsym(library, name);
    memcpy(place, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool find_all(void* library) {
    find(library, "Py_SetProgramName", &python.set_program_name);
    return find(library, "Py_IsInitialized", &python.is_initialized) &&
           find(library, "Py_InitializeEx", &python.initialize) &&
           find(library, "PyRun_SimpleString", &python.run) && find(library, "PyGILState_Ensure", &python.ensure) &&
           find(library, "PyGILState_Release", &python.release) &&
           find(library, "PyEval_SaveThread", &python.save_thread) &&
           find(library, "PyEval_RestoreThread", &python.restore_thread) &&
           find(library, "PyThreadState_Clear", &python.clear_thread) &&
           find(library, "PyThreadState_DeleteCurrent", &python.delete_thread) &&
           find(library, "PyOS_BeforeFork", &python.before_fork) &&
           find(library, "PyOS_AfterFork_Parent", &python.after_fork_parent) &&
           find(library, "PyOS_AfterFork_Child", &python.after_fork_child);
}

/* ---- start */

/* Variables that would change what the interpreter loads, or make its start fail for good. NumPy's thread pool for
   linear algebra, which nothing here uses, would cost 35 ms. */
static const char* const HIDDEN[] = {"PYTHONPATH",    "PYTHONHOME",         "PYTHONSTARTUP", "PYTHONSAFEPATH",
                                     "PYTHONINSPECT", "PYTHONNOUSERSITE",   "PYTHONUSERBASE", "PYTHONEXECUTABLE",
                                     "PYTHONDEBUG",   "PYTHONVERBOSE",      "PYTHONWARNINGS", "PYTHONMALLOC",
                                     "PYTHONDEVMODE", "PYTHONIOENCODING",   "PYTHONUTF8",     "PYTHONTRACEMALLOC",
                                     "PYTHONPLATLIBDIR"};
enum { HIDDEN_COUNT = sizeof HIDDEN / sizeof *HIDDEN };

static void initialize(void* library) {
    char* values[HIDDEN_COUNT];
    for (int k = 0; k < HIDDEN_COUNT; k++) {
        const char* value = getenv(HIDDEN[k]);
        values[k] = value == NULL ? NULL : strdup(value);
        unsetenv(HIDDEN[k]);
    }
    static const char* const flags[] = {"Py_IgnoreEnvironmentFlag", "Py_NoUserSiteDirectory"};
    for (int k = 0; k < 2; k++) {
        int* flag = dlsym(library, flags[k]);
        if (flag != NULL) *flag = 1;
    }
    static wchar_t program[4096];
    if (python.set_program_name != NULL && mbstowcs(program, actgrad_python(), 4095) != (size_t)-1 && program[0])
        python.set_program_name(program); /* this is how its virtual environment is found */
    const char* current = setlocale(LC_CTYPE, NULL);
    char* character_type = current == NULL ? NULL : strdup(current); /* the interpreter leaves its own behind */
    python.initialize(0);
    if (character_type != NULL) setlocale(LC_CTYPE, character_type);
    free(character_type);
    for (int k = 0; k < HIDDEN_COUNT; k++) {
        if (values[k] != NULL) setenv(HIDDEN[k], values[k], 1);
        free(values[k]);
    }
}

static actgrad_planner planner;
static char failure[2048] = "the interpreter did not run the start-up code";

/* What the Python side calls while it starts. */
EXPORT void actgrad_attach(const actgrad_planner* functions) {
    planner = *functions;
    failure[0] = '\0';
}

EXPORT void actgrad_start_failed(const char* reason) { snprintf(failure, sizeof failure, "%s", reason); }

static void run_start_up(void) {
    Dl_info here;
    if (dladdr((void*)(intptr_t)actgrad_attach, &here) == 0) return;
    static const char code[] =
        "def start():\n"
        "    import sys\n"
        "    try:\n"
        "        sys.path[:0] = [p for p in '%s'.split(':') if p and p not in sys.path]\n"
        "        from actgrad.sdk import seam\n"
        "        seam.attach('%s')\n"
        "    except BaseException as error:\n"
        "        import ctypes\n"
        "        report = ctypes.CDLL('%s').actgrad_start_failed\n"
        "        report(f'{type(error).__name__}: {error}'.encode())\n"
        "start()\n"
        "del start\n";
    size_t size = sizeof code + strlen(ACTGRAD_PATH) + 2 * strlen(here.dli_fname);
    char* text = malloc(size);
    if (text == NULL) return;
    snprintf(text, size, code, ACTGRAD_PATH, here.dli_fname, here.dli_fname);
    const char* threads = getenv("OPENBLAS_NUM_THREADS");
    if (threads == NULL) setenv("OPENBLAS_NUM_THREADS", "1", 1);
    python.run(text);
    if (threads == NULL) unsetenv("OPENBLAS_NUM_THREADS");
    free(text);
}

/* ---- one state of the interpreter per thread, for the thread's life: making one for each call would cost more */

static pthread_key_t thread_state;
static __thread bool has_state;

static void end_state(void* state) {
    /* Not PyGILState_Release: by now the C library has taken away what that looks up. */
    python.restore_thread(state);
    python.clear_thread(state);
    python.delete_thread();
}

static void keep_state(void) {
    if (has_state) return;
    has_state = true;
    python.ensure();
    pthread_setspecific(thread_state, python.save_thread());
}

static void plan(const char* function, const int64_t* words, int64_t count, const int64_t* places, int64_t tensors,
                 actgrad_plan* result) {
    keep_state();
    planner.plan(function, words, count, places, tensors, result);
}

static int32_t run(int64_t handle) {
    keep_state();
    return planner.run(handle);
}

static void release(const int64_t* handles, int64_t count) {
    keep_state();
    planner.release(handles, count);
}

/* ---- a program that forks */

static __thread int state_of_fork;

static void before_fork(void) {
    state_of_fork = python.ensure();
    python.before_fork();
}

static void after_fork_in_parent(void) {
    python.after_fork_parent();
    python.release(state_of_fork);
}

static void after_fork_in_child(void) {
    python.after_fork_child();
    python.release(state_of_fork);
}

static const actgrad_planner here = {plan, run, release};

const actgrad_planner* actgrad_start_interpreter(void) {
    /* The program may itself be a Python, or have started one. */
    bool is_running = find_all(RTLD_DEFAULT) && python.is_initialized();
    if (!is_running) {
        void* library = dlopen(actgrad_libpython(), RTLD_NOW | RTLD_GLOBAL); /* extension modules need its symbols */
        if (library == NULL || !find_all(library)) {
            actgrad_report(INNER_ERROR, "Python's library %s cannot be used (%s); set ACTGRAD_SDK_HOST=server",
                           actgrad_libpython(), library == NULL ? dlerror() : "it lacks functions");
            return NULL;
        }
        initialize(library);
    }
    int state = is_running ? python.ensure() : 0;
    run_start_up();
    if (is_running) {
        python.release(state);
    } else {
        pthread_key_create(&thread_state, end_state);
        has_state = true; /* this thread started it and has one */
        python.save_thread();
        pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    }
    if (failure[0] != '\0') {
        actgrad_report(INNER_ERROR, "actgrad cannot be loaded: %s", failure);
        return NULL;
    }
    return is_running ? &planner : &here;
}
