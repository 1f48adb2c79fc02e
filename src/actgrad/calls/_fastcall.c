/* The fast path: if an earlier call with the same words passed all checks, a call runs its kernel directly.

   The extension is optional: calls/fast_path.py does the same in Python, and decides which one runs. The cache finds a
   call by its key, an array of words. For each input, the key has the type, the dtype, the rank, the shape and the
   strides. For each attribute, it has the hash of the name, the type and the bits. The words of the outputs follow the
   key.

   A call takes the slow path if no cached call has the same words, if it has objects that words cannot describe, or if
   the context may change its checks. Only the slow path raises errors about arguments.
*/
#include "_aliasing.h"
#include "_arrays.h"

#include <structmember.h>

enum { BUCKETS = 256 };

/* The bytes that `packed` of calls/extension.py makes of a kernel. Addresses may follow. */
typedef struct {
    int32_t (*run)(void* block, int64_t* addresses); /* returns 0 if there is not enough memory */
    void* block;
    int64_t is_large; /* then the kernel runs without Python's global lock */
} Kernel;

static PyObject *modules, *selected, *torch_name, *level_name, *slow_path_name;

static bool run(const Kernel* kernel, int64_t* addresses) {
    int32_t done;
    if (kernel->is_large) {
        Py_BEGIN_ALLOW_THREADS
        done = kernel->run(kernel->block, addresses);
        Py_END_ALLOW_THREADS
    } else
        done = kernel->run(kernel->block, addresses);
    if (!done) PyErr_NoMemory();
    return done;
}

/* Whether the context may change a call: a product or rules are chosen, actgrad does not use PyTorch's thread pool yet,
   a mode of PyTorch may intercept the call, or forward-mode differentiation is active. */
static bool is_other_context(PyObject* first) {
    PyObject* value;
    if (PyContextVar_Get(selected, NULL, &value) < 0) return true;
    Py_XDECREF(value);
    if (value != Py_None || (!torch.is_adopted && PyDict_GetItemWithError(modules, torch_name) != NULL)) return true;
    if (Py_TYPE(first) == &PyArray_Type) return false;
    if (torch.tensor == NULL || may_be_intercepted()) return true;
    PyObject* level = PyDict_GetItemWithError(torch.forward_mode, level_name);
    long number = level == NULL ? 0 : PyLong_AsLong(level);
    return number >= 0 || PyErr_Occurred() != NULL;
}

/* The fields of calls/fast_path.py: CachedCall. */
enum { NAMES, VALUES, LAYOUTS, PACKED, ALLOCATE, NOTE_WRITTEN };

/* The bytes of a tensor, relative to its address. For an output, bit j of `alike` says whether it may be exactly tensor
   j. See calls/aliasing.py: Layout. */
typedef struct {
    actgrad_bytes bytes;
    int64_t alike;
} Layout;

/* A cached call: it passed all checks, and has these words. */
typedef struct Entry {
    PyObject_VAR_HEAD
    struct Entry* next; /* the next entry of the bucket */
    PyObject* call;
    uint64_t hash;
    int64_t key;
    Py_ssize_t outputs;
    int64_t words[];
} Entry;

static PyObject* field(const Entry* entry, int name) { return PyTuple_GET_ITEM(entry->call, name); }

static void free_entry(Entry* entry) {
    Py_DECREF(entry->call);
    PyObject_Free(entry);
}

static PyTypeObject entry_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "actgrad.calls._fastcall.Entry",
    .tp_basicsize = sizeof(Entry),
    .tp_itemsize = sizeof(int64_t),
    .tp_dealloc = (destructor)free_entry,
};

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    Py_ssize_t count;
    Entry* buckets[BUCKETS];
} FastPath;

static uint64_t hash_of(const Call* call) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (int64_t k = 0; k < call->key; k++) {
        hash = (hash ^ (uint64_t)call->words.all[k]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return hash;
}

/* Whether an entry with the same words also has the same names and texts. Words contain only their hashes. */
static bool has_texts(const Entry* entry, PyObject* const* values, PyObject* names) {
    Py_ssize_t index = 0;
    for (Py_ssize_t k = 0; names != NULL && k < PyTuple_GET_SIZE(names); k++) {
        if (is_same_text(PyTuple_GET_ITEM(names, k), out_name)) continue;
        PyObject* value = PyTuple_GET_ITEM(field(entry, VALUES), index);
        if (!is_same_text(PyTuple_GET_ITEM(field(entry, NAMES), index++), PyTuple_GET_ITEM(names, k)) ||
            (PyUnicode_CheckExact(value) && !is_same_text(value, values[k])))
            return false;
    }
    return true;
}

static Entry* find(FastPath* self, const Call* call, PyObject* const* values, PyObject* names) {
    uint64_t hash = hash_of(call);
    Py_ssize_t count = call->words.count;
    for (Entry* entry = self->buckets[hash % BUCKETS]; entry != NULL; entry = entry->next) {
        bool is_candidate = call->outputs == 0 ? field(entry, ALLOCATE) != Py_None
                                       : Py_SIZE(entry) == count && entry->outputs == call->outputs;
        if (is_candidate && entry->hash == hash && entry->key == call->key &&
            memcmp(entry->words, call->words.all, count * sizeof *entry->words) == 0 && has_texts(entry, values, names))
            return entry;
    }
    return NULL;
}

/* Allocate results like the results of an entry. False after an error, or if the new results have other words. */
static bool allocate(const Entry* entry, Call* call, PyObject* const* args, PyObject** results) {
    const int64_t* words = entry->words + entry->key;
    for (Py_ssize_t k = 0; k < entry->outputs; k++, words += SHAPE + 2 * words[RANK]) {
        if (words[TYPE] == (int64_t)&PyArray_Type) {
            npy_intp *shape = (npy_intp*)(words + SHAPE), *strides = shape + words[RANK];
            PyArray_Descr* dtype = PyArray_DescrFromType((int)words[DTYPE]);
            results[k] = PyArray_NewFromDescr(&PyArray_Type, dtype, (int)words[RANK], shape, strides, NULL, 0, NULL);
        } else { /* a function, and the index of the tensor that the function takes, or -1 */
            PyObject* way = PyTuple_GET_ITEM(field(entry, ALLOCATE), k);
            Py_ssize_t like = PyLong_AsSsize_t(PyTuple_GET_ITEM(way, 1));
            results[k] = PyObject_Vectorcall(PyTuple_GET_ITEM(way, 0), args + (like < 0 ? 0 : like), like >= 0, NULL);
        }
        if (results[k] == NULL) return false;
    }
    return describe_outputs(call, results, entry->outputs) && call->words.count == Py_SIZE(entry) &&
           memcmp(call->words.all + call->key, entry->words + call->key, (Py_SIZE(entry) - call->key) * 8) == 0;
}

static bool may_write(const Entry* entry, const Call* call) {
    const Layout* layouts = (Layout*)PyBytes_AS_STRING(field(entry, LAYOUTS));
    const int64_t* addresses = call->operands;
    for (Py_ssize_t k = 0; k < call->outputs; k++)
        for (Py_ssize_t j = 0; j < call->outputs + call->inputs; j++)
            if (j != k && !actgrad_may_write(addresses[k], layouts[k].bytes, addresses[j], layouts[j].bytes,
                                             layouts[k].alike >> j & 1))
                return false;
    return true;
}

static PyObject* as_tuple(PyObject* const* items, Py_ssize_t count) {
    PyObject* tuple = PyTuple_New(count);
    for (Py_ssize_t k = 0; tuple != NULL && k < count; k++) {
        Py_INCREF(items[k]);
        PyTuple_SET_ITEM(tuple, k, items[k]);
    }
    return tuple;
}

static bool note_written(const Entry* entry, const Call* call) {
    if (field(entry, NOTE_WRITTEN) == Py_None) return true;
    PyObject* written = as_tuple(call->results, call->outputs);
    PyObject* done = written == NULL ? NULL : PyObject_CallOneArg(field(entry, NOTE_WRITTEN), written);
    Py_XDECREF(written);
    Py_XDECREF(done);
    return done != NULL;
}

static bool may_any_be_locked(PyObject* const* outputs, Py_ssize_t count) {
    for (Py_ssize_t k = 0; k < count; k++)
        if (may_be_locked(outputs[k])) return true;
    return false;
}

/* The result of a call that is like a cached call. NULL if the call must take the slow path, or after an error. If
   `has_run` is true, the call must not take the slow path, which would compute an output in place twice. */
static PyObject* try_call(FastPath* self, PyObject* const* args, Py_ssize_t count, PyObject* names, int* kind,
                          bool* has_run) {
    Call call;
    PyObject *fresh[MAX_TENSORS] = {NULL}, *result = NULL;
    if (count != 0 && !is_other_context(args[0])) *kind = describe_key(&call, args, count, names);
    if (*kind != PLAIN || self->count == 0) return NULL;
    PyObject* out = call.out;
    bool has_out = out != Py_None, is_tuple = PyTuple_CheckExact(out);
    Py_ssize_t out_count = is_tuple ? PyTuple_GET_SIZE(out) : 1;
    PyObject* const* outputs = is_tuple ? &PyTuple_GET_ITEM(out, 0) : &out;
    if (has_out && (!describe_outputs(&call, outputs, out_count) || may_any_be_locked(outputs, out_count))) return NULL;
    Entry* entry = find(self, &call, args + count, names);
    if (entry == NULL || (has_out && is_tuple != (entry->outputs > 1))) return NULL;
    Py_INCREF(entry); /* because another thread may remove the entry from the cache */
    *has_run = has_out ? may_write(entry, &call) : allocate(entry, &call, args, fresh);
    if (*has_run && run((Kernel*)PyBytes_AS_STRING(field(entry, PACKED)), call.operands)) {
        if (!has_out)
            result = entry->outputs == 1 ? fresh[0] : as_tuple(fresh, entry->outputs);
        else if (note_written(entry, &call))
            result = out;
        if (has_out || entry->outputs == 1) Py_XINCREF(result);
    }
    for (Py_ssize_t k = 0; k < entry->outputs; k++) Py_XDECREF(fresh[k]);
    Py_DECREF(entry);
    return result;
}

/* A call. If `may_decline`, it returns None if PyTorch's dispatcher must see the call, and NotImplemented if only the
   autograd graph must see it. */
static PyObject* call(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names, bool may_decline) {
    Py_ssize_t all = count + (names == NULL ? 0 : PyTuple_GET_SIZE(names));
    bool has_run = false;
    int kind = UNKNOWN; /* the kind of the tensors */
    PyObject *result = try_call((FastPath*)self, args, count, names, &kind, &has_run), **with_self;
    if (result != NULL || has_run) return result;
    if (PyErr_Occurred()) { /* the slow path raises the error again. KeyboardInterrupt must stay */
        if (!PyErr_ExceptionMatches(PyExc_Exception)) return NULL;
        PyErr_Clear();
    }
    if (may_decline && kind != PLAIN) return Py_NewRef(kind == ON_GRAPH ? Py_NotImplemented : Py_None);
    if ((with_self = PyMem_Malloc((all + 1) * sizeof *with_self)) == NULL) return PyErr_NoMemory();
    with_self[0] = self;
    for (Py_ssize_t k = 0; k < all; k++) with_self[k + 1] = args[k];
    result = PyObject_VectorcallMethod(slow_path_name, with_self, count + 1, names);
    PyMem_Free(with_self);
    return result;
}

/* operator(*tensors, out=None, **attributes). `call_direct` is for PyTorch's tensors, and may decline. */
static PyObject* call_operator(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* names) {
    return call(self, args, PyVectorcall_NARGS(nargsf), names, false);
}
static PyObject* call_direct(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    if (count == 0 || args[0] == Py_None || Py_TYPE(args[0]) == &PyArray_Type) Py_RETURN_NONE;
    return call(self, args, count, names, true);
}

static PyObject* new_fast_path(PyTypeObject* type, PyObject* Py_UNUSED(args), PyObject* Py_UNUSED(names)) {
    FastPath* self = (FastPath*)type->tp_alloc(type, 0);
    if (self != NULL) self->vectorcall = call_operator;
#if PY_VERSION_HEX < 0x030C0000 /* before 3.12, a subclass written in Python does not inherit the flag */
    if (type->tp_call == PyVectorcall_Call) type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
#endif
    return (PyObject*)self;
}

static PyObject* forget(FastPath* self, PyObject* Py_UNUSED(none)) {
    self->count = 0;
    for (int k = 0; k < BUCKETS; k++)
        while (self->buckets[k] != NULL) {
            Entry* entry = self->buckets[k];
            self->buckets[k] = entry->next;
            Py_DECREF(entry);
        }
    Py_RETURN_NONE;
}

static void free_fast_path(FastPath* self) {
    Py_DECREF(forget(self, NULL));
    Py_TYPE(self)->tp_free(self);
}

/* remember(arguments, outputs, call): cache a call. Returns the number of entries, or 0 if a call has no fast path. */
static PyObject* remember(FastPath* self, PyObject* args) {
    PyObject *arguments, *outputs, *new_call;
    Call call;
    if (!PyArg_ParseTuple(args, "O!O!O!", &PyTuple_Type, &arguments, &PyTuple_Type, &outputs, &PyTuple_Type, &new_call))
        return NULL;
    PyObject* names = PyTuple_GET_ITEM(new_call, NAMES);
    Py_ssize_t tensors = PyTuple_GET_SIZE(arguments) - PyTuple_GET_SIZE(names);
    if (describe_key(&call, &PyTuple_GET_ITEM(arguments, 0), tensors, names) != PLAIN ||
        !describe_outputs(&call, &PyTuple_GET_ITEM(outputs, 0), PyTuple_GET_SIZE(outputs)))
        return PyErr_Occurred() ? NULL : PyLong_FromLong(0);
    Entry* entry = find(self, &call, &PyTuple_GET_ITEM(arguments, 0) + tensors, names);
    if (entry != NULL && (field(entry, ALLOCATE) != Py_None || PyTuple_GET_ITEM(new_call, ALLOCATE) == Py_None))
        return PyLong_FromSsize_t(self->count); /* the cached call cannot serve it, because outputs interleave */
    if ((entry = PyObject_NewVar(Entry, &entry_type, call.words.count)) == NULL) return NULL;
    memcpy(entry->words, call.words.all, Py_SIZE(entry) * sizeof *entry->words);
    Py_INCREF(new_call);
    entry->call = new_call, entry->hash = hash_of(&call), entry->key = call.key, entry->outputs = call.outputs;
    Entry** bucket = &self->buckets[entry->hash % BUCKETS];
    entry->next = *bucket; /* before an entry with the same key, which serves only calls with `out` */
    *bucket = entry;
    return PyLong_FromSsize_t(++self->count);
}

/* launch(kernel and addresses, note_written, result): run a plan. Returns the result, or None if a mode of PyTorch may
   intercept the call. */
static PyObject* launch(PyObject* Py_UNUSED(module), PyObject* const* args, Py_ssize_t count) {
    if (count != 3 || !PyBytes_CheckExact(args[0])) return PyErr_Format(PyExc_TypeError, "launch: wrong arguments");
    if (args[1] != Py_None && may_be_intercepted()) Py_RETURN_NONE;
    Kernel* kernel = (Kernel*)PyBytes_AS_STRING(args[0]);
    if (!run(kernel, (int64_t*)(kernel + 1))) return NULL;
    if (args[1] != Py_None) {
        PyObject* done = PyObject_CallNoArgs(args[1]);
        if (done == NULL) return NULL;
        Py_DECREF(done);
    }
    Py_INCREF(args[2]);
    return args[2];
}

static PyObject* ask_interception(PyObject* Py_UNUSED(module), PyObject* Py_UNUSED(none)) {
    return PyBool_FromLong(may_be_intercepted());
}

/* start(variable): store the context variable of products and rules. If it is not None, calls take the slow path. */
static PyObject* start(PyObject* Py_UNUSED(module), PyObject* variable) {
    Py_INCREF(variable);
    Py_XSETREF(selected, variable);
    Py_RETURN_NONE;
}

/* settle(): the import of PyTorch has ended, and actgrad uses its thread pool. */
static PyObject* settle(PyObject* Py_UNUSED(module), PyObject* Py_UNUSED(none)) {
    torch.is_adopted = true;
    Py_RETURN_NONE;
}

static PyMethodDef fast_path_methods[] = {
    {"_remember", (PyCFunction)remember, METH_VARARGS, NULL},
    {"direct", (PyCFunction)(void (*)(void))call_direct, METH_FASTCALL | METH_KEYWORDS, NULL},
    {"_forget", (PyCFunction)forget, METH_NOARGS, NULL},
    {NULL},
};

static PyMemberDef fast_path_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(FastPath, vectorcall), READONLY, NULL},
    {"_cached", T_PYSSIZET, offsetof(FastPath, count), READONLY, NULL},
    {NULL},
};

static PyTypeObject fast_path_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "actgrad.calls._fastcall.FastPath",
    .tp_basicsize = sizeof(FastPath),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_new = new_fast_path,
    .tp_dealloc = (destructor)free_fast_path,
    .tp_call = PyVectorcall_Call,
    .tp_vectorcall_offset = offsetof(FastPath, vectorcall),
    .tp_methods = fast_path_methods,
    .tp_members = fast_path_members,
};

static PyMethodDef functions[] = {
    {"start", start, METH_O, NULL},
    {"settle", settle, METH_NOARGS, NULL},
    {"adopt_questions", adopt_questions, METH_VARARGS, NULL},
    {"adopt_tensors", adopt_tensors, METH_VARARGS, NULL},
    {"may_be_intercepted", ask_interception, METH_NOARGS, NULL},
    {"launch", (PyCFunction)(void (*)(void))launch, METH_FASTCALL, NULL},
    {NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_fastcall", .m_size = -1, .m_methods = functions};

PyMODINIT_FUNC PyInit__fastcall(void) {
    import_array();
    modules = PyImport_GetModuleDict();
    out_name = PyUnicode_InternFromString("out"), torch_name = PyUnicode_InternFromString("torch");
    level_name = PyUnicode_InternFromString("_current_level");
    slow_path_name = PyUnicode_InternFromString("_slow_path");
    PyObject* module = PyModule_Create(&definition);
    if (module == NULL || PyType_Ready(&entry_type) < 0 || PyType_Ready(&fast_path_type) < 0) return NULL;
    Py_INCREF(modules), Py_INCREF(&fast_path_type);
    if (PyModule_AddObject(module, "FastPath", (PyObject*)&fast_path_type) < 0 ||
        PyModule_AddStringConstant(module, "SOURCE", ACTGRAD_SOURCE) < 0)
        return NULL;
    return module;
}
