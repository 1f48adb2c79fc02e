/* A call as an array of words (integers of 64 bits). If two calls have the same words, the checks decide the same.

   NumPy's macros read NumPy arrays. DLPack's exchange API reads PyTorch's CPU tensors, if this PyTorch has the API. */
#ifndef ACTGRAD_ARRAYS_H
#define ACTGRAD_ARRAYS_H

#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_1_20_API_VERSION
#include <Python.h>

#include <numpy/arrayobject.h>
#include <stdbool.h>

#ifdef Py_GIL_DISABLED
#error "the fast path in C needs the interpreter's lock"
#endif

enum { MAX_TENSORS = 8, MAX_RANK = 64, MAX_ATTRIBUTES = 16, MAX_INTERCEPTORS = 8 };
enum { TYPE, DTYPE, RANK, SHAPE }; /* the words of a tensor. The strides follow the shape */
enum { ATTRIBUTE_WORDS = 3 };
enum { MAX_WORDS = MAX_TENSORS * (SHAPE + 2 * MAX_RANK) + MAX_ATTRIBUTES * ATTRIBUTE_WORDS };

typedef struct {
    int64_t all[MAX_WORDS], count;
} Words;

/* Append `count` words, and return the first one, or NULL if they do not fit. */
static int64_t* add_words(Words* words, int64_t count) {
    if (count > MAX_WORDS - words->count) return NULL;
    words->count += count;
    return words->all + words->count - count;
}

/* DLPack's DLTensor, which PyTorch's exchange API fills in without taking a reference. */
typedef struct {
    char* data;
    int32_t device_type, device_number, rank;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t offset;
} DLTensor;
enum { DL_CPU = 1, DL_COMPLEX = 5 };

/* The head of DLPack's DLPackExchangeAPI, version 1. */
typedef struct {
    uint32_t major, minor;
    void *previous, *allocate, *export, *import;
    int (*describe)(void* tensor, DLTensor* result);
} Exchange;

static struct {
    bool is_adopted; /* the import of PyTorch has ended, and actgrad uses its thread pool */
    bool (*is_function_mode)(void);
    bool (*is_grad_enabled)(void);
    bool (*is_included)(uint16_t key); /* NULL if this PyTorch lacks the functions */
    uint16_t keys[MAX_INTERCEPTORS];
    Py_ssize_t key_count;
    PyTypeObject *tensor, *parameter; /* NULL if this file cannot read tensors */
    int (*describe)(void* tensor, DLTensor* result);
    getter requires_grad;
    PyCFunction is_neg, is_inference;
    uint16_t normal_mode; /* a dispatch key that a thread includes outside inference mode */
    PyObject* forward_mode; /* the dictionary of torch.autograd.forward_ad */
} torch;

static bool may_be_intercepted(void) {
    if (torch.is_included == NULL || torch.is_function_mode()) return true;
    for (Py_ssize_t k = 0; k < torch.key_count; k++)
        if (torch.is_included(torch.keys[k])) return true;
    return false;
}

static bool is_false(PyObject* answer) {
    Py_XDECREF(answer);
    return answer == Py_False;
}

/* Whether PyTorch may refuse to overwrite an output, because it was made in inference mode, which has ended. */
static bool may_be_locked(PyObject* object) {
    PyTypeObject* type = Py_TYPE(object);
    return torch.tensor != NULL && (type == torch.tensor || type == torch.parameter) &&
           torch.is_included(torch.normal_mode) && !is_false(torch.is_inference(object, NULL));
}

/* The kinds of tensors. UNKNOWN: words cannot describe the tensor, or an error occurred. PLAIN: words describe it.
   ON_GRAPH: words describe it, and autograd records its calls. */
enum { UNKNOWN, PLAIN, ON_GRAPH };

/* Append the words of an array, or of None for an optional input, store its address, and return its kind. */
static int describe(PyObject* object, bool is_output, Words* words, int64_t* address) {
    int64_t dtype = 0, rank = 0, *tail, *shape = NULL, *strides = NULL;
    PyTypeObject* type = Py_TYPE(object);
    bool is_on_graph = false;
    *address = 0;
    if (type == &PyArray_Type) {
        PyArrayObject* array = (PyArrayObject*)object;
        if (!PyArray_ISNOTSWAPPED(array) || (is_output && !PyArray_ISWRITEABLE(array))) return UNKNOWN;
        dtype = PyArray_TYPE(array), rank = PyArray_NDIM(array), *address = (int64_t)PyArray_DATA(array);
        shape = (int64_t*)PyArray_DIMS(array), strides = (int64_t*)PyArray_STRIDES(array);
    } else if (torch.tensor != NULL && (type == torch.tensor || type == torch.parameter)) {
        DLTensor tensor;
        /* DLPack does not say whether a tensor requires grad, or is a lazy negation. */
        if (torch.describe(object, &tensor) != 0 || tensor.device_type != DL_CPU || tensor.code == DL_COMPLEX ||
            !is_false(torch.is_neg(object, NULL)))
            return UNKNOWN;
        is_on_graph = (is_output || torch.is_grad_enabled()) && !is_false(torch.requires_grad(object, NULL));
        dtype = tensor.code | tensor.bits << 8 | (int64_t)tensor.lanes << 16, rank = tensor.rank;
        shape = tensor.shape, strides = tensor.strides, *address = (int64_t)(tensor.data + tensor.offset);
        if (rank > 0 && strides == NULL) return UNKNOWN;
    } else if (object == Py_None && !is_output)
        type = NULL;
    else
        return UNKNOWN;
    if (type != NULL && *address == 0) return UNKNOWN; /* no memory: a wrapper, or freed storage */
    if (rank > MAX_RANK || (tail = add_words(words, SHAPE + 2 * rank)) == NULL) return UNKNOWN;
    tail[TYPE] = (int64_t)type, tail[DTYPE] = dtype, tail[RANK] = rank;
    for (int64_t k = 0; k < rank; k++) tail[SHAPE + k] = shape[k], tail[SHAPE + rank + k] = strides[k];
    return is_on_graph ? ON_GRAPH : PLAIN;
}

static bool is_same_text(PyObject* a, PyObject* b) { return a == b || PyUnicode_Compare(a, b) == 0; }

/* Append the words of an attribute. They contain its bits, because 0.0 == -0.0 and 1 == True. */
static bool describe_attribute(PyObject* name, PyObject* value, Words* words) {
    int64_t* tail = add_words(words, ATTRIBUTE_WORDS);
    int overflow = 0;
    if (tail == NULL || !PyUnicode_CheckExact(name)) return false;
    tail[0] = PyObject_Hash(name), tail[1] = (int64_t)Py_TYPE(value);
    if (PyFloat_CheckExact(value))
        memcpy(&tail[2], &((PyFloatObject*)value)->ob_fval, sizeof tail[2]);
    else if (PyLong_CheckExact(value) || PyBool_Check(value))
        tail[2] = PyLong_AsLongLongAndOverflow(value, &overflow);
    else if (PyUnicode_CheckExact(value))
        tail[2] = PyObject_Hash(value);
    else
        return false;
    return !overflow;
}

typedef struct {
    Words words;
    int64_t key;                                    /* the number of words before the words of the outputs */
    int64_t addresses[2 * MAX_TENSORS], *operands; /* operands: addresses of the outputs, then of the inputs */
    Py_ssize_t inputs, outputs;
    PyObject *out, *const *results;
} Call;

static PyObject* out_name;

/* Append the words of tensors and attributes, and return the kind of the tensors. The addresses of the inputs leave
   space before them for the addresses of the outputs. */
static int describe_key(Call* call, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    Py_ssize_t attributes = names == NULL ? 0 : PyTuple_GET_SIZE(names);
    call->words.count = 0, call->inputs = call->outputs = 0, call->out = Py_None;
    int kind = PLAIN, tensor_kind;
    if (count > MAX_TENSORS || attributes > MAX_ATTRIBUTES) return UNKNOWN;
    for (Py_ssize_t k = 0; k < count; k++) {
        tensor_kind = describe(args[k], false, &call->words, call->addresses + MAX_TENSORS + call->inputs);
        if (tensor_kind == UNKNOWN) return UNKNOWN;
        kind = Py_MAX(kind, tensor_kind);
        call->inputs += args[k] != Py_None;
    }
    for (Py_ssize_t k = 0; k < attributes; k++) {
        if (is_same_text(PyTuple_GET_ITEM(names, k), out_name))
            call->out = args[count + k];
        else if (!describe_attribute(PyTuple_GET_ITEM(names, k), args[count + k], &call->words))
            return UNKNOWN;
    }
    call->key = call->words.count;
    return kind;
}

/* Append the words of the outputs. Returns whether there are outputs, all of them PLAIN. */
static bool describe_outputs(Call* call, PyObject* const* results, Py_ssize_t count) {
    call->results = results, call->outputs = count, call->operands = call->addresses + MAX_TENSORS - count;
    if (count == 0 || count + call->inputs > MAX_TENSORS) return false;
    for (Py_ssize_t k = 0; k < count; k++)
        if (describe(results[k], true, &call->words, &call->operands[k]) != PLAIN) return false;
    return true;
}

/* adopt_questions(is_function_mode, is_included, is_grad_enabled, keys): store the addresses of PyTorch's functions
   about modes and gradients, and the dispatch keys of the modes. */
static PyObject* adopt_questions(PyObject* Py_UNUSED(module), PyObject* args) {
    Py_ssize_t is_function_mode, is_included, is_grad_enabled;
    PyObject* keys;
    if (!PyArg_ParseTuple(args, "nnnO!", &is_function_mode, &is_included, &is_grad_enabled, &PyTuple_Type, &keys))
        return NULL;
    torch.key_count = Py_MIN(PyTuple_GET_SIZE(keys), MAX_INTERCEPTORS);
    for (Py_ssize_t k = 0; k < torch.key_count; k++)
        torch.keys[k] = (uint16_t)PyLong_AsLong(PyTuple_GET_ITEM(keys, k));
    if (PyErr_Occurred()) return NULL;
    torch.is_function_mode = (bool (*)(void))is_function_mode;
    torch.is_grad_enabled = (bool (*)(void))is_grad_enabled;
    torch.is_included = (bool (*)(uint16_t))is_included;
    Py_RETURN_NONE;
}

/* adopt_tensors(Tensor, Parameter, exchange capsule, requires_grad, is_neg, is_inference, dispatch key of normal mode,
   dictionary of forward_ad): store how to read tensors. False if this PyTorch has another exchange API or other
   descriptors. `requires_grad`, `is_neg` and `is_inference` must be the descriptors of Tensor. */
static PyObject* adopt_tensors(PyObject* Py_UNUSED(module), PyObject* args) {
    PyObject *tensor, *parameter, *capsule, *requires_grad, *is_neg, *is_inference, *forward_mode;
    unsigned short normal_mode;
    if (!PyArg_ParseTuple(args, "O!O!OOOOHO!", &PyType_Type, &tensor, &PyType_Type, &parameter, &capsule,
                          &requires_grad, &is_neg, &is_inference, &normal_mode, &PyDict_Type, &forward_mode))
        return NULL;
    const Exchange* exchange = PyCapsule_GetPointer(capsule, "dlpack_exchange_api");
    if (exchange == NULL) return NULL;
    if (exchange->major != 1 || exchange->describe == NULL || !Py_IS_TYPE(requires_grad, &PyGetSetDescr_Type) ||
        !Py_IS_TYPE(is_neg, &PyMethodDescr_Type) || !Py_IS_TYPE(is_inference, &PyMethodDescr_Type))
        Py_RETURN_FALSE;
    const PyGetSetDef* get = ((PyGetSetDescrObject*)requires_grad)->d_getset;
    const PyMethodDef *negative = ((PyMethodDescrObject*)is_neg)->d_method,
                      *inference = ((PyMethodDescrObject*)is_inference)->d_method;
    if (get->closure != NULL || negative->ml_flags != METH_NOARGS || inference->ml_flags != METH_NOARGS)
        Py_RETURN_FALSE;
    torch.describe = exchange->describe, torch.requires_grad = get->get, torch.is_neg = negative->ml_meth;
    torch.is_inference = inference->ml_meth, torch.normal_mode = normal_mode;
    Py_INCREF(parameter), Py_INCREF(forward_mode), Py_INCREF(tensor);
    torch.parameter = (PyTypeObject*)parameter, torch.forward_mode = forward_mode;
    torch.tensor = (PyTypeObject*)tensor;
    Py_RETURN_TRUE;
}

#endif
