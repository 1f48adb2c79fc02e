/* The planner in this process. The first call opens Python's library, so that this library depends on no version of
   Python, and a missing Python gives a status. The interpreter ignores the environment and PATH. */
#include "nnopbase.h"

#include <dlfcn.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <wchar.h>

/* Not null if this process has a leak checker. The checker ignores memory that a thread allocates between the two
   calls. The interpreter and the compiler keep memory until the process ends, and a checker would blame the program. */
extern void __lsan_disable(void) __attribute__((weak));
extern void __lsan_enable(void) __attribute__((weak));

/* Leak checkers ignore memory that the rest of the block allocates. */
#define UNWATCHED __attribute__((cleanup(watch), unused)) const bool is_unwatched = unwatch()
static inline bool unwatch(void) {
    bool has_checker = __lsan_disable != NULL && __lsan_enable != NULL;
    if (has_checker) __lsan_disable();
    return has_checker;
}
static inline void watch(const bool* is_unwatched) {
    if (*is_unwatched) __lsan_enable();
}

/* The functions of Python's C interface that this file calls. They are stable since Python 3.2. */
#define REQUIRED(X)                                                     \
    X(const char*, version, (void), "Py_GetVersion")                    \
    X(int, is_initialized, (void), "Py_IsInitialized")                  \
    X(void, initialize, (int with_signal_handlers), "Py_InitializeEx")  \
    X(int, run, (const char* code), "PyRun_SimpleString")               \
    X(int, ensure, (void), "PyGILState_Ensure")                         \
    X(void, release, (int state), "PyGILState_Release")                 \
    X(void*, save_thread, (void), "PyEval_SaveThread")                  \
    X(void, restore_thread, (void* state), "PyEval_RestoreThread")      \
    X(void, clear_thread, (void* state), "PyThreadState_Clear")         \
    X(void, delete_thread, (void), "PyThreadState_DeleteCurrent")       \
    X(void, before_fork, (void), "PyOS_BeforeFork")                     \
    X(void, after_fork_parent, (void), "PyOS_AfterFork_Parent")         \
    X(void, after_fork_child, (void), "PyOS_AfterFork_Child")
#define FIELD(type, name, parameters, symbol) type(*name) parameters;
#define FIND(type, name, parameters, symbol) find(library, symbol, &python.name)&&

static struct {
    REQUIRED(FIELD)
    void (*set_program_name)(const wchar_t* name); /* missing in some versions of Python */
} python;

/* Whether the version of a Python, such as "3.12.1 (...", is the SDK's version, such as "3.12". */
static bool is_version(const char* version) {
    size_t length = strlen(ACTGRAD_VERSION);
    return strncmp(version, ACTGRAD_VERSION, length) == 0 && version[length] == '.';
}

static bool find(void* library, const char* name, void* place) {
    void* symbol = dlsym(library, name);
    memcpy(place, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool find_all(void* library) {
    find(library, "Py_SetProgramName", &python.set_program_name);
    return REQUIRED(FIND) true;
}

/* Finds a Python that already runs in this process, or loads the library. Returns NULL, or the reason why neither
   worked. */
static const char* find_python(void) {
    static char why[1024];
    const actgrad_settings* settings = actgrad_get_settings();
    if (!find_all(RTLD_DEFAULT) || !python.is_initialized()) {
        void* library = dlopen(settings->libpython, RTLD_NOW | RTLD_GLOBAL); /* extension modules need its symbols */
        const char* error = library == NULL ? dlerror() : find_all(library) ? NULL : "it lacks functions";
        if (error != NULL) {
            snprintf(why, sizeof why, "Python's library %s did not load (%s); it must", settings->libpython, error);
            return why;
        }
        /* The loader looks up a library's calls in the whole process, so two copies of Python would call each other. */
        if (dlsym(RTLD_DEFAULT, "Py_IsInitialized") != dlsym(library, "Py_IsInitialized"))
            return "the program loaded another Python without starting it; it must start it or have none";
    }
    if (!is_version(python.version())) {
        snprintf(why, sizeof why, "this process has Python %.*s; it must be %s, for which the SDK was built",
                 (int)strcspn(python.version(), " "), python.version(), ACTGRAD_VERSION);
        return why;
    }
    if (!python.is_initialized() && ACTGRAD_STDLIB[0] != '\0' && access(ACTGRAD_STDLIB "/encodings", R_OK) != 0) {
        /* Without its own modules, the interpreter would end the process. */
        snprintf(why, sizeof why, "Python's own modules are missing; they must be in %s", ACTGRAD_STDLIB);
        return why;
    }
    return NULL;
}

extern char** environ;

/* The environment without Python's variables, because they change the interpreter's modules or make its start fail.
   NULL if memory is missing. */
static char** other_variables(void) {
    size_t count = 0, kept = 0;
    while (environ != NULL && environ[count] != NULL) count++;
    char** variables = calloc(count + 1, sizeof *variables);
    for (size_t k = 0; variables != NULL && k < count; k++)
        if (strncmp(environ[k], "PYTHON", strlen("PYTHON")) != 0) variables[kept++] = environ[k];
    return variables;
}

static bool set_flag(const char* name) {
    int* flag = dlsym(RTLD_DEFAULT, name);
    if (flag != NULL) *flag = 1;
    return flag != NULL;
}

/* Whether the size of files is limited. Writing more ends the process with SIGXFSZ. The code cache checks the limit
   itself. */
static bool limits_files(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

static void initialize(void) {
    char** const variables = environ;
    char** others = set_flag("Py_IgnoreEnvironmentFlag") ? NULL : other_variables(); /* missing in newer versions */
    if (others != NULL) environ = others;
    set_flag("Py_NoUserSiteDirectory");
    if (limits_files()) set_flag("Py_DontWriteBytecodeFlag");
    static wchar_t program[4096];
    size_t length = mbstowcs(program, actgrad_get_settings()->python, 4095);
    if (python.set_program_name != NULL && length != (size_t)-1 && length > 0)
        python.set_program_name(program); /* the interpreter finds its virtual environment by this name */
    const char* current = setlocale(LC_CTYPE, NULL);
    char* character_type = current == NULL ? NULL : strdup(current); /* the interpreter changes the locale */
    python.initialize(0);
    if (character_type != NULL) setlocale(LC_CTYPE, character_type);
    free(character_type);
    if (others != NULL) environ = variables;
    free(others);
}

/* Without enough address space, the interpreter, NumPy or its linear algebra would end the process at their start. They
   take 160 MB, and the compiler takes at least 160 MB more. */
static bool has_address_space(void) {
    enum { NEEDED = 320 << 20 };
    void* space = mmap(NULL, NEEDED, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED) {
        actgrad_fail(INNER, "the process has too little address space; the operators need %d MB; raise ulimit -v",
                     NEEDED >> 20);
        return false;
    }
    munmap(space, NEEDED);
    return true;
}

static actgrad_planner* planner;
static actgrad_planner ask;
static int process; /* the process that uses the interpreter: the process that started it, or its forked child */

/* When the process ends, waits for the compiler, because the end of LLVM would break it, and lets no other compilation
   begin. */
static void end_compiler(void) {
    actgrad_plan answer;
    if (getpid() == process && python.is_initialized()) ask(END, "", NULL, 0, NULL, 0, &answer);
}

/* The Python side calls this after each import and each compilation, because the last handler runs first. */
static void watch_end(void) { atexit(end_compiler); }

/* The Python side calls this after its start, or reports the reason of a failure. */
static void attach(actgrad_planner* function) {
    planner = function;
    process = getpid();
    watch_end();
}

/* If Python already runs, its own modules come first, otherwise the SDK's modules. The planner never uses NumPy's
   thread pool for linear algebra, which would take a third of the start's time. */
static void run_start_up(bool is_running) {
    static const char code[] =
        "def start():\n"
        "    import sys\n"
        "    try:\n"
        "        more = [p for p in " ACTGRAD_PATH " if p not in sys.path]\n"
        "        sys.path[%s] = more\n"
        "        from actgrad.ascend.sdk import seam\n"
        "        seam.attach(%d, %d, %llu, %llu, %llu)\n"
        "    except BaseException as error:\n"
        "        import ctypes\n"
        "        fail = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(%llu)\n"
        "        fail(f'{type(error).__name__}: {error}'.encode())\n"
        "start()\n"
        "del start\n";
    char text[sizeof code + 128];
    unsigned long long attaching = (uintptr_t)attach, reporting = (uintptr_t)actgrad_report_text;
    unsigned long long watching = (uintptr_t)watch_end;
    snprintf(text, sizeof text, code, is_running ? "len(sys.path):" : ":0", INTERFACE, (int)sizeof(actgrad_plan),
             attaching, reporting, watching, reporting);
    bool has_threads = getenv("OPENBLAS_NUM_THREADS") != NULL;
    if (!has_threads) setenv("OPENBLAS_NUM_THREADS", "1", 1);
    python.run(text);
    if (!has_threads) unsetenv("OPENBLAS_NUM_THREADS");
}

/* One state of the interpreter per thread, for the thread's life, because a state per call would cost more. */
static pthread_key_t thread_state;
static __thread bool has_state;
static bool is_of_program; /* whether the program started the interpreter. Then ctypes makes a state for each call */

static void end_state(void* state) {
    /* PyGILState_Release would read a thread-local value that the C library has already freed. */
    if (!python.is_initialized()) return;
    python.restore_thread(state);
    python.clear_thread(state);
    python.delete_thread();
}

/* Gives the calling thread a state. Returns false if the program has ended the interpreter. */
static bool is_ready(void) {
    if (!python.is_initialized()) {
        actgrad_fail(INNER, "the program ended Python; it must run; leave Py_Finalize out before this call");
        return false;
    }
    if (has_state || is_of_program) return true;
    has_state = true;
    python.ensure();
    pthread_setspecific(thread_state, python.save_thread());
    return true;
}

static void ask(int64_t request, const char* function, const int64_t* words, int64_t count, const int64_t* places,
                int64_t place_count, actgrad_plan* answer) {
    UNWATCHED;
    if (is_ready())
        planner(request, function, words, count, places, place_count, answer);
    else
        answer->status = INNER;
    if (is_of_program) answer->is_general = false; /* the program's Python may choose other rules for the next call */
}

enum { HELD = 0 }; /* the return value of PyGILState_Ensure in a thread that holds the interpreter's lock */
static __thread int state_of_fork;
static __thread bool is_in_fork;

static void before_fork(void) {
    UNWATCHED;
    is_in_fork = python.is_initialized();
    if (!is_in_fork) return;
    state_of_fork = python.ensure();
    python.before_fork();
}

static void after_fork_in_parent(void) {
    UNWATCHED;
    if (!is_in_fork) return;
    python.after_fork_parent();
    python.release(state_of_fork);
}

/* In the child, the interpreter has only this thread's state. It needs a state to make other states, so this state
   stays even if the thread ends. */
static void after_fork_in_child(void) {
    UNWATCHED;
    if (!is_in_fork) return;
    python.after_fork_child();
    process = getpid();
    pthread_setspecific(thread_state, NULL);
    if (has_state || state_of_fork == HELD) {
        python.release(state_of_fork);
    } else {
        has_state = true;
        python.save_thread();
    }
}

actgrad_planner* actgrad_start_interpreter(void) {
    UNWATCHED;
    const char* why = find_python();
    if (why != NULL) {
        actgrad_fail(INNER, "%s; set ACTGRAD_SDK_HOST=server", why);
        return NULL;
    }
    is_of_program = python.is_initialized();
    if (is_of_program) {
        int state = python.ensure();
        run_start_up(true);
        python.release(state);
    } else {
        if (!has_address_space()) return NULL;
        initialize();
        run_start_up(false);
        pthread_key_create(&thread_state, end_state);
        has_state = true; /* this thread started the interpreter and has a state */
        python.save_thread();
        pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    }
    if (planner != NULL) return ask;
    const char* reason = aclGetRecentErrMsg();
    actgrad_fail(INNER, "actgrad was not imported (%s); it must be installed; run actgrad sdk again",
                 reason == NULL ? "it gave no reason" : reason);
    return NULL;
}
