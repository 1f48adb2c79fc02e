/* The interpreter in this process. Its library is opened when it is needed, so that nothing here is tied to a version
   of Python and its absence is a status. It is isolated: nothing in the environment, nor a python on PATH, matters. */
#include "internal.h"

#include <dlfcn.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

/* ---- the part of Python's C interface that is used, stable since 3.2 */

static struct {
    const char* (*version)(void);
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
    return find(library, "Py_GetVersion", &python.version) &&
           find(library, "Py_IsInitialized", &python.is_initialized) &&
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

/* Finds the interpreter: one that runs in this process (the program may itself be a Python, or have started one), else
   the library. NULL, or why there is none that will do. */
static const char* find_python(void) {
    static char why[1024];
    if (!find_all(RTLD_DEFAULT) || !python.is_initialized()) {
        void* library = dlopen(actgrad_libpython(), RTLD_NOW | RTLD_GLOBAL); /* extension modules need its symbols */
        const char* error = library == NULL ? dlerror() : find_all(library) ? NULL : "it lacks functions";
        if (error != NULL) {
            snprintf(why, sizeof why, "Python's library %s cannot be used (%s)", actgrad_libpython(), error);
            return why;
        }
        /* What a library calls is looked up in the whole process: two of them would call each other. */
        if (dlsym(RTLD_DEFAULT, "Py_IsInitialized") != dlsym(library, "Py_IsInitialized"))
            return "the program has another library of Python, which is not started";
    }
    if (!actgrad_is_version(python.version())) {
        snprintf(why, sizeof why, "this process has Python %.*s, but the SDK was built for %s",
                 (int)strcspn(python.version(), " "), python.version(), actgrad_version());
        return why;
    }
    if (!python.is_initialized() && ACTGRAD_STDLIB[0] != '\0' && access(ACTGRAD_STDLIB "/encodings", R_OK) != 0) {
        /* The interpreter would end the process. */
        snprintf(why, sizeof why, "Python's own modules are not in %s any more", ACTGRAD_STDLIB);
        return why;
    }
    return NULL;
}

/* ---- start */

/* The variables that change what the interpreter loads, or make its start fail for good: without them, for a version
   that cannot be told to ignore them. Changing the environment is nothing to do while other threads read it. */
static const char* const HIDDEN[] = {"PYTHONPATH", "PYTHONHOME", "PYTHONPLATLIBDIR", "PYTHONMALLOC", "PYTHONUTF8",
                                     "PYTHONDEVMODE", "PYTHONWARNINGS", "PYTHONTRACEMALLOC", "PYTHONEXECUTABLE"};
enum { HIDDEN_COUNT = sizeof HIDDEN / sizeof *HIDDEN };

static void hide(char** values) {
    for (int k = 0; k < HIDDEN_COUNT; k++) {
        const char* value = getenv(HIDDEN[k]);
        values[k] = value == NULL ? NULL : strdup(value);
        unsetenv(HIDDEN[k]);
    }
}

static void show(char** values) {
    for (int k = 0; k < HIDDEN_COUNT; k++) {
        if (values[k] != NULL) setenv(HIDDEN[k], values[k], 1);
        free(values[k]);
    }
}

static bool set_flag(const char* name) {
    int* flag = dlsym(RTLD_DEFAULT, name);
    if (flag != NULL) *flag = 1;
    return flag != NULL;
}

static void initialize(void) {
    char* values[HIDDEN_COUNT];
    bool is_isolated = set_flag("Py_IgnoreEnvironmentFlag");
    set_flag("Py_NoUserSiteDirectory");
    if (!is_isolated) hide(values);
    static wchar_t program[4096];
    if (python.set_program_name != NULL && mbstowcs(program, actgrad_python(), 4095) != (size_t)-1 && program[0])
        python.set_program_name(program); /* this is how its virtual environment is found */
    const char* current = setlocale(LC_CTYPE, NULL);
    char* character_type = current == NULL ? NULL : strdup(current); /* the interpreter leaves its own behind */
    python.initialize(0);
    if (character_type != NULL) setlocale(LC_CTYPE, character_type);
    free(character_type);
    if (!is_isolated) show(values);
}

static actgrad_planner planner;
static char failure[2048] = "the interpreter did not run the start-up code";

/* What the Python side calls while it starts. */
static void attach(const actgrad_planner* functions) {
    planner = *functions;
    failure[0] = '\0';
}

static void fail(const char* reason) { snprintf(failure, sizeof failure, "%s", reason); }

/* In a Python that runs already its own modules come first, else the SDK's. NumPy's thread pool for linear algebra,
   which nothing here uses, would cost a third of the start. */
static void run_start_up(bool is_running) {
    static const char code[] =
        "def start():\n"
        "    import sys\n"
        "    try:\n"
        "        more = [p for p in " ACTGRAD_PATH " if p not in sys.path]\n"
        "        sys.path[%s] = more\n"
        "        from actgrad.sdk import seam\n"
        "        seam.attach(%d, %d, %llu, %llu)\n"
        "    except BaseException as error:\n"
        "        import ctypes\n"
        "        fail = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(%llu)\n"
        "        fail(f'{type(error).__name__}: {error}'.encode())\n"
        "start()\n"
        "del start\n";
    char text[sizeof code + 128];
    unsigned long long pointers[] = {(uintptr_t)attach, (uintptr_t)actgrad_report_text, (uintptr_t)fail};
    snprintf(text, sizeof text, code, is_running ? "len(sys.path):" : ":0", INTERFACE, (int)sizeof(actgrad_plan),
             pointers[0], pointers[1], pointers[2]);
    bool has_threads = getenv("OPENBLAS_NUM_THREADS") != NULL;
    if (!has_threads) setenv("OPENBLAS_NUM_THREADS", "1", 1);
    python.run(text);
    if (!has_threads) unsetenv("OPENBLAS_NUM_THREADS");
}

/* ---- one state of the interpreter per thread, for the thread's life: making one for each call would cost more */

static pthread_key_t thread_state;
static __thread bool has_state;
static bool is_of_program; /* the interpreter, which then knows its threads; others get a state for each call */

static void end_state(void* state) {
    /* Not PyGILState_Release: by now the C library has taken away what that looks up. */
    if (!python.is_initialized()) return;
    python.restore_thread(state);
    python.clear_thread(state);
    python.delete_thread();
}

/* Gives the calling thread a state; false where the program has ended the interpreter. */
static bool is_ready(void) {
    if (!python.is_initialized()) {
        actgrad_report(INNER_ERROR, "the program has ended the Python that computes");
        return false;
    }
    if (has_state || is_of_program) return true;
    has_state = true;
    python.ensure();
    pthread_setspecific(thread_state, python.save_thread());
    return true;
}

static void plan(const char* function, const int64_t* words, int64_t count, const int64_t* places, int64_t tensors,
                 actgrad_plan* result) {
    if (is_ready())
        planner.plan(function, words, count, places, tensors, result);
    else
        result->status = 561000;
    if (is_of_program) result->is_general = false; /* its Python may choose other rules for the next call */
}

static int32_t run(int64_t handle) { return is_ready() ? planner.run(handle) : 561000; }

static void release(const int64_t* handles, int64_t count) {
    if (is_ready()) planner.release(handles, count);
}

/* ---- a program that forks */

static __thread int state_of_fork;
static __thread bool is_in_fork;

static void before_fork(void) {
    is_in_fork = python.is_initialized();
    if (!is_in_fork) return;
    state_of_fork = python.ensure();
    python.before_fork();
}

static void after_fork_in_parent(void) {
    if (!is_in_fork) return;
    python.after_fork_parent();
    python.release(state_of_fork);
}

static void after_fork_in_child(void) {
    if (!is_in_fork) return;
    python.after_fork_child();
    python.release(state_of_fork);
}

static const actgrad_planner here = {plan, run, release};

const actgrad_planner* actgrad_start_interpreter(void) {
    const char* why = find_python();
    if (why != NULL) {
        actgrad_report(INNER_ERROR, "%s; set ACTGRAD_SDK_HOST=server", why);
        return NULL;
    }
    is_of_program = python.is_initialized();
    if (is_of_program) {
        int state = python.ensure();
        run_start_up(true);
        python.release(state);
    } else {
        initialize();
        run_start_up(false);
        pthread_key_create(&thread_state, end_state);
        has_state = true; /* this thread started it and has one */
        python.save_thread();
        pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    }
    if (failure[0] == '\0') return &here;
    actgrad_report(INNER_ERROR, "actgrad cannot be loaded: %s", failure);
    return NULL;
}
