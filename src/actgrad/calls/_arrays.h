/* Calls as words: two are alike to the checks where the words of their arrays and attributes are the same.

   NumPy arrays are read by NumPy's macros, PyTorch's CPU tensors by DLPack's exchange API, where PyTorch has one. */
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

enum { MOST_TENSORS = 8, MOST_RANK = 64, MOST_ATTRIBUTES = 16, MOST_INTERCEPTORS = 8 };
enum { TYPE, DTYPE, RANK, SHAPE }; /* the words of a tensor; its strides follow the shape */
enum { ATTRIBUTE_WORDS = 3 };
enum { MOST_WORDS = MOST_TENSORS * (SHAPE + 2 * MOST_RANK) + MOST_ATTRIBUTES * ATTRIBUTE_WORDS };

typedef struct {
    int64_t all[MOST_WORDS], count;
} Words;

/* The place of `count` more words; NULL if they do not fit. */
static int64_t* add_words(Words* words, int64_t count) {
    if (count > MOST_WORDS - words->count) return NULL;
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
    bool is_adopted; /* it is imported as a whole, and its threads are in use */
    bool (*is_function_mode)(void);
    bool (*is_grad_enabled)(void);
    bool (*is_included)(uint16_t key); /* NULL: nothing is known of interceptors */
    uint16_t keys[MOST_INTERCEPTORS];
    Py_ssize_t key_count;
    PyTypeObject *tensor, *parameter; /* NULL: its tensors are not described here */
    int (*describe)(void* tensor, DLTensor* result);
    getter requires_grad;
    PyCFunction is_neg;
    PyObject* forward_mode; /* the dictionary of its module of forward-mode differentiation */
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

/* What describes a tensor: nothing (it is of no known kind, or not plain, or an error), or its words. */
enum { UNKNOWN, PLAIN, ON_GRAPH };

/* Describe an array, or an input's None, by words and address; ON_GRAPH: plain, but recorded for differentiation. */
static int describe(PyObject* object, bool is_output, Words* words, int64_t* address) {
    int64_t dtype = 0, rank = 0, *place, *shape = NULL, *strides = NULL;
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
        /* DLPack tells neither that a tensor is on the autograd graph nor that it is a lazy negation. */
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
    if (type != NULL && *address == 0) return UNKNOWN; /* no memory: seen through a transform, or taken away */
    if (rank > MOST_RANK || (place = add_words(words, SHAPE + 2 * rank)) == NULL) return UNKNOWN;
    place[TYPE] = (int64_t)type, place[DTYPE] = dtype, place[RANK] = rank;
    for (int64_t k = 0; k < rank; k++) place[SHAPE + k] = shape[k], place[SHAPE + rank + k] = strides[k];
    return is_on_graph ? ON_GRAPH : PLAIN;
}

static bool is_same_text(PyObject* a, PyObject* b) { return a == b || PyUnicode_Compare(a, b) == 0; }

/* Describe an attribute of a plain type: by its bits, for 0.0 equals -0.0, and 1 equals True. */
static bool describe_attribute(PyObject* name, PyObject* value, Words* words) {
    int64_t* place = add_words(words, ATTRIBUTE_WORDS);
    int overflow = 0;
    if (place == NULL || !PyUnicode_CheckExact(name)) return false;
    place[0] = PyObject_Hash(name), place[1] = (int64_t)Py_TYPE(value);
    if (PyFloat_CheckExact(value))
        memcpy(&place[2], &((PyFloatObject*)value)->ob_fval, sizeof place[2]);
    else if (PyLong_CheckExact(value) || PyBool_Check(value))
        place[2] = PyLong_AsLongLongAndOverflow(value, &overflow);
    else if (PyUnicode_CheckExact(value))
        place[2] = PyObject_Hash(value);
    else
        return false;
    return !overflow;
}

typedef struct {
    Words words;
    int64_t key;                                     /* the number of words before those of the outputs */
    int64_t addresses[2 * MOST_TENSORS], *of_inputs; /* of the outputs, then of the inputs that are there */
    Py_ssize_t inputs, outputs;
    PyObject *out, *const *results;
} Call;

static PyObject* out_name;

/* Describe tensors and attributes; the outputs' addresses have their place before the inputs'. */
static int describe_key(Call* call, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    Py_ssize_t attributes = names == NULL ? 0 : PyTuple_GET_SIZE(names);
    call->words.count = 0, call->inputs = call->outputs = 0, call->out = Py_None;
    int kind = PLAIN, found;
    if (count > MOST_TENSORS || attributes > MOST_ATTRIBUTES) return UNKNOWN;
    for (Py_ssize_t k = 0; k < count; k++) {
        found = describe(args[k], false, &call->words, call->addresses + MOST_TENSORS + call->inputs);
        if (found == UNKNOWN) return UNKNOWN;
        kind = Py_MAX(kind, found);
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

/* Describe outputs, of which there is one at least; false where one is not plain. */
static bool describe_outputs(Call* call, PyObject* const* results, Py_ssize_t count) {
    call->results = results, call->outputs = count, call->of_inputs = call->addresses + MOST_TENSORS - count;
    if (count == 0 || count + call->inputs > MOST_TENSORS) return false;
    for (Py_ssize_t k = 0; k < count; k++)
        if (describe(results[k], true, &call->words, &call->of_inputs[k]) != PLAIN) return false;
    return true;
}

/* adopt_questions(is_function_mode, is_included, is_grad_enabled, keys): the addresses of PyTorch's functions about
   interceptors and gradients. */
static PyObject* adopt_questions(PyObject* Py_UNUSED(module), PyObject* args) {
    Py_ssize_t is_function_mode, is_included, is_grad_enabled;
    PyObject* keys;
    if (!PyArg_ParseTuple(args, "nnnO!", &is_function_mode, &is_included, &is_grad_enabled, &PyTuple_Type, &keys))
        return NULL;
    torch.key_count = Py_MIN(PyTuple_GET_SIZE(keys), MOST_INTERCEPTORS);
    for (Py_ssize_t k = 0; k < torch.key_count; k++)
        torch.keys[k] = (uint16_t)PyLong_AsLong(PyTuple_GET_ITEM(keys, k));
    if (PyErr_Occurred()) return NULL;
    torch.is_function_mode = (bool (*)(void))is_function_mode;
    torch.is_grad_enabled = (bool (*)(void))is_grad_enabled;
    torch.is_included = (bool (*)(uint16_t))is_included;
    Py_RETURN_NONE;
}

/* adopt_tensors(Tensor, Parameter, exchange capsule, requires_grad, is_neg, forward mode's dictionary): whether they
   are as this file knows them. Both descriptors are Tensor's own. */
static PyObject* adopt_tensors(PyObject* Py_UNUSED(module), PyObject* args) {
    PyObject *tensor, *parameter, *capsule, *requires_grad, *is_neg, *forward_mode;
    if (!PyArg_ParseTuple(args, "O!O!OOOO!", &PyType_Type, &tensor, &PyType_Type, &parameter, &capsule, &requires_grad,
                          &is_neg, &PyDict_Type, &forward_mode))
        return NULL;
    const Exchange* exchange = PyCapsule_GetPointer(capsule, "dlpack_exchange_api");
    if (exchange == NULL) return NULL;
    if (exchange->major != 1 || exchange->describe == NULL || !Py_IS_TYPE(requires_grad, &PyGetSetDescr_Type) ||
        !Py_IS_TYPE(is_neg, &PyMethodDescr_Type))
        Py_RETURN_FALSE;
    const PyGetSetDef* get = ((PyGetSetDescrObject*)requires_grad)->d_getset;
    const PyMethodDef* method = ((PyMethodDescrObject*)is_neg)->d_method;
    if (get->closure != NULL || method->ml_flags != METH_NOARGS) Py_RETURN_FALSE;
    torch.describe = exchange->describe, torch.requires_grad = get->get, torch.is_neg = method->ml_meth;
    Py_INCREF(parameter), Py_INCREF(forward_mode), Py_INCREF(tensor);
    torch.parameter = (PyTypeObject*)parameter, torch.forward_mode = forward_mode;
    torch.tensor = (PyTypeObject*)tensor;
    Py_RETURN_TRUE;
}

#endif
