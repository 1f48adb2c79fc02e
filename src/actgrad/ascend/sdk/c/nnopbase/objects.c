/* aclTensor, aclScalar, arrays and lists: descriptions of arguments. The operators check them, not this file. */
#include "nnopbase.h"

#include <stdlib.h>
#include <string.h>

#include "data_types.h" /* generated from the registry's data types */

static void fill_contiguous(const int64_t* dims, int64_t rank, int64_t* strides) {
    int64_t step = 1;
    for (int64_t k = rank - 1; k >= 0; k--) {
        strides[k] = step;
        if (__builtin_mul_overflow(step, dims[k], &step)) step = INT64_MAX; /* no memory has this size */
    }
}

static bool has_dims(const char* name, const int64_t* dims, uint64_t count) {
    if (count > 0 && dims == NULL)
        actgrad_fail(INVALID, "aclCreateTensor: %s is a null pointer; it must have %llu sizes; pass them", name,
                     (unsigned long long)count);
    else if (count > MAX_RANK)
        actgrad_fail(INVALID, "aclCreateTensor: %s has %llu sizes; it must have at most %d; merge dimensions", name,
                     (unsigned long long)count, MAX_RANK);
    else
        return true;
    return false;
}

static bool describe(aclTensor* tensor, const int64_t* dims, uint64_t rank, aclDataType dtype, const int64_t* strides,
                     int64_t offset, aclFormat format, const int64_t* storage_dims, uint64_t storage_rank, void* data) {
    if (!has_dims("viewDims", dims, rank) || !has_dims("storageDims", storage_dims, storage_rank)) return false;
    int64_t* sizes = malloc((2 * rank + storage_rank + 1) * sizeof *sizes);
    if (sizes == NULL) return false;
    free(tensor->dims);
    tensor->dtype = dtype;
    tensor->format = format;
    tensor->rank = (int64_t)rank;
    tensor->storage_rank = (int64_t)storage_rank;
    tensor->offset = offset;
    tensor->data = data;
    tensor->dims = sizes;
    tensor->strides = sizes + rank;
    tensor->storage_dims = sizes + 2 * rank;
    if (rank > 0) memcpy(tensor->dims, dims, rank * sizeof *dims);
    if (storage_rank > 0) memcpy(tensor->storage_dims, storage_dims, storage_rank * sizeof *storage_dims);
    if (strides == NULL)
        fill_contiguous(tensor->dims, tensor->rank, tensor->strides);
    else if (rank > 0)
        memcpy(tensor->strides, strides, rank * sizeof *strides);
    return true;
}

aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType, const int64_t* stride,
                           int64_t offset, aclFormat format, const int64_t* storageDims, uint64_t storageDimsNum,
                           void* tensorData) {
    aclTensor* tensor = calloc(1, sizeof *tensor);
    if (tensor == NULL) return NULL;
    if (!describe(tensor, viewDims, viewDimsNum, dataType, stride, offset, format, storageDims, storageDimsNum,
                  tensorData)) {
        free(tensor);
        return NULL;
    }
    actgrad_live_add(LIVE_TENSOR, &tensor->live);
    return tensor;
}

void actgrad_reshape(const void* object, const int64_t* dims, int64_t rank) {
    const aclTensor* tensor = object; /* the program may have destroyed the tensor */
    if (!actgrad_live_has(LIVE_TENSOR, object) || tensor->rank != rank) return;
    memcpy(tensor->dims, dims, (size_t)rank * sizeof *dims);
    fill_contiguous(tensor->dims, rank, tensor->strides);
}

/* Takes an object out of use for aclDestroy.... Fails if the object was destroyed before. */
static aclnnStatus take(actgrad_live_kind kind, const char* function, const void* object) {
    if (actgrad_live_remove(kind, object)) return 0;
    return actgrad_fail(INVALID, "%s: %p is another object or was destroyed before; it must exist; remove the call",
                        function, object);
}

aclnnStatus aclDestroyTensor(const aclTensor* tensor) {
    if (tensor == NULL) return 0;
    RETURN_IF_ERROR(take(LIVE_TENSOR, __func__, tensor));
    free(tensor->dims);
    actgrad_live_retire((void*)tensor);
    return 0;
}

static aclnnStatus check_alive(const char* function, const aclTensor* tensor) {
    if (tensor == NULL)
        return actgrad_fail(NULL_POINTER, "%s: tensor is a null pointer; it is required; pass an aclTensor", function);
    if (actgrad_live_has(LIVE_TENSOR, tensor)) return 0;
    return actgrad_fail(INVALID, "%s: tensor is %p; it must be an aclTensor that is not destroyed; create it",
                        function, (const void*)tensor);
}

static aclnnStatus check_result(const char* function, const aclTensor* tensor, const void* result) {
    RETURN_IF_ERROR(check_alive(function, tensor));
    if (result != NULL) return 0;
    return actgrad_fail(NULL_POINTER, "%s: a result's pointer is null; it is required; pass a pointer", function);
}

/* Returns a copy of sizes, which the caller frees with delete[] or free(). */
#define SIZES_GETTER(name, sizes, rank)                                                                     \
    aclnnStatus name(const aclTensor* tensor, int64_t** result, uint64_t* count) {                          \
        RETURN_IF_ERROR(check_result(__func__, tensor, result));                                            \
        RETURN_IF_ERROR(check_result(__func__, tensor, count));                                             \
        *count = (uint64_t)tensor->rank;                                                                    \
        *result = malloc((*count + 1) * sizeof **result); /* malloc(0) may return NULL */                   \
        if (*result == NULL) return INNER;                                                                  \
        memcpy(*result, tensor->sizes, *count * sizeof **result);                                           \
        return 0;                                                                                           \
    }

SIZES_GETTER(aclGetViewShape, dims, rank)
SIZES_GETTER(aclGetViewStrides, strides, rank)
SIZES_GETTER(aclGetStorageShape, storage_dims, storage_rank)

#define GETTER(name, type, field)                                         \
    aclnnStatus name(const aclTensor* tensor, type* result) {             \
        RETURN_IF_ERROR(check_result(__func__, tensor, result));          \
        *result = (type)tensor->field;                                    \
        return 0;                                                         \
    }

GETTER(aclGetViewOffset, int64_t, offset)
GETTER(aclGetDataType, aclDataType, dtype)
GETTER(aclGetFormat, aclFormat, format)
GETTER(aclGetRawTensorAddr, void*, data)

aclnnStatus aclSetRawTensorAddr(aclTensor* tensor, void* addr) {
    RETURN_IF_ERROR(check_alive(__func__, tensor));
    tensor->data = addr;
    return 0;
}

aclnnStatus aclInitTensor(aclTensor* tensor, const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType,
                          const int64_t* stride, int64_t offset, aclFormat format, const int64_t* storageDims,
                          uint64_t storageDimsNum, void* tensorDataAddr) {
    RETURN_IF_ERROR(check_alive(__func__, tensor));
    bool is_described = describe(tensor, viewDims, viewDimsNum, dataType, stride, offset, format, storageDims,
                                 storageDimsNum, tensorDataAddr);
    return is_described ? 0 : INVALID;
}

static size_t size_of_scalar(int32_t dtype) {
    for (size_t k = 0; k < sizeof DATA_TYPES / sizeof *DATA_TYPES; k++)
        if (DATA_TYPES[k].number == dtype) return DATA_TYPES[k].scalar_size;
    return 0;
}

aclScalar* aclCreateScalar(void* value, aclDataType dataType) {
    size_t size = size_of_scalar((int32_t)dataType);
    if (value == NULL)
        actgrad_fail(INVALID, "aclCreateScalar: value is a null pointer; it is required; pass a pointer");
    else if (size == 0)
        actgrad_fail(INVALID, "aclCreateScalar: dataType is %d; it must be a data type of numbers; pass ACL_FLOAT",
                     (int)dataType);
    if (value == NULL || size == 0) return NULL;
    aclScalar* scalar = calloc(1, sizeof *scalar);
    if (scalar == NULL) return NULL;
    scalar->dtype = dataType;
    memcpy(scalar->bits, value, size);
    actgrad_live_add(LIVE_SCALAR, &scalar->live);
    return scalar;
}

aclnnStatus aclDestroyScalar(const aclScalar* scalar) {
    if (scalar == NULL) return 0;
    RETURN_IF_ERROR(take(LIVE_SCALAR, __func__, scalar));
    actgrad_live_retire((void*)scalar);
    return 0;
}

/* Arrays and lists have the same form. */
typedef struct {
    actgrad_live live;
    uint64_t size;
    void* values;
} List;

const void* actgrad_list_values(const void* object, int64_t* count) {
    const List* list = object;
    *count = (int64_t)list->size;
    return list->values;
}

static void* make_list(const char* function, const void* values, uint64_t size, size_t item) {
    if (values == NULL && size > 0) {
        actgrad_fail(INVALID, "%s: value is a null pointer; it must have %llu entries; pass them", function,
                     (unsigned long long)size);
        return NULL;
    }
    List* list = malloc(sizeof *list);
    void* copy = size < SIZE_MAX / item ? malloc(size * item + 1) : NULL;
    if (list == NULL || copy == NULL) {
        free(list);
        free(copy);
        return NULL;
    }
    if (size > 0) memcpy(copy, values, size * item);
    list->size = size;
    list->values = copy;
    actgrad_live_add(LIVE_LIST, &list->live);
    return list;
}

static aclnnStatus list_size(const char* function, const void* list, uint64_t* size) {
    if (list == NULL || size == NULL)
        return actgrad_fail(NULL_POINTER, "%s: a pointer is null; both are required; pass them", function);
    if (!actgrad_live_has(LIVE_LIST, list))
        return actgrad_fail(INVALID, "%s: list is %p; it must be a list that is not destroyed; create it", function,
                            list);
    *size = ((const List*)list)->size;
    return 0;
}

/* Destroys a list, and its elements if they are objects. */
static aclnnStatus destroy_list(const char* function, const void* list, aclnnStatus (*destroy)(const void*)) {
    if (list == NULL) return 0;
    RETURN_IF_ERROR(take(LIVE_LIST, function, list));
    const List* mine = list;
    for (uint64_t k = 0; destroy != NULL && k < mine->size; k++) destroy(((const void* const*)mine->values)[k]);
    free(mine->values);
    actgrad_live_retire((void*)list);
    return 0;
}

static aclnnStatus destroy_tensor(const void* tensor) { return aclDestroyTensor(tensor); }
static aclnnStatus destroy_scalar(const void* scalar) { return aclDestroyScalar(scalar); }

#define LIST(name, item, destroy)                                                                                    \
    acl##name* aclCreate##name(item const* value, uint64_t size) {                                                   \
        return make_list(__func__, value, size, sizeof(item));                                                       \
    }                                                                                                                \
    aclnnStatus aclGet##name##Size(const acl##name* list, uint64_t* size) { return list_size(__func__, list, size); } \
    aclnnStatus aclDestroy##name(const acl##name* list) { return destroy_list(__func__, list, destroy); }

LIST(IntArray, int64_t, NULL)
LIST(FloatArray, float, NULL)
LIST(BoolArray, bool, NULL)
LIST(TensorList, const aclTensor*, destroy_tensor)
LIST(ScalarList, const aclScalar*, destroy_scalar)
