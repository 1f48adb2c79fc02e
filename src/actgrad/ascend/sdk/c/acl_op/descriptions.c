/* aclTensorDesc and aclDataBuffer: descriptions of tensors, for the older interface of single operators. */
#include "ascendcl/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIMS = 64 };

struct aclTensorDesc {
    actgrad_live live;
    aclDataType type;
    aclFormat format;
    size_t rank;
    int64_t dims[MOST_DIMS];
    char* name; /* NULL if it has no name */
};

struct aclDataBuffer {
    actgrad_live live;
    void* data;
    size_t size;
};

static aclError check_desc(const char* function, const void* desc) {
    return actgrad_check_object(LIVE_DESC, function, "desc", desc);
}

static aclError check_buffer(const char* function, const void* buffer) {
    return actgrad_check_object(LIVE_BUFFER, function, "dataBuffer", buffer);
}

/* For getters without a status. A null pointer is no failure of these. */
static bool has_desc(const char* function, const void* desc) {
    return desc != NULL && check_desc(function, desc) == ACL_SUCCESS;
}

static bool has_buffer(const char* function, const void* buffer) {
    return buffer != NULL && check_buffer(function, buffer) == ACL_SUCCESS;
}

static aclError set_dims(const char* function, aclTensorDesc* desc, int numDims, const int64_t* dims) {
    if (numDims < 0 || numDims > MOST_DIMS || (numDims > 0 && dims == NULL))
        return actgrad_fail(ACL_ERROR_INVALID_PARAM,
                            "%s: numDims is %d and dims is %p; dims must have 0 to %d sizes; pass the sizes", function,
                            numDims, (const void*)dims, MOST_DIMS);
    desc->rank = (size_t)numDims;
    if (numDims > 0) memcpy(desc->dims, dims, desc->rank * sizeof *dims);
    return ACL_SUCCESS;
}

aclTensorDesc* aclCreateTensorDesc(aclDataType dataType, int numDims, const int64_t* dims, aclFormat format) {
    aclTensorDesc* desc = calloc(1, sizeof *desc);
    if (desc == NULL) return NULL;
    desc->type = dataType;
    desc->format = format;
    if (set_dims(__func__, desc, numDims, dims) != ACL_SUCCESS) {
        free(desc);
        return NULL;
    }
    actgrad_live_add(LIVE_DESC, &desc->live);
    return desc;
}

/** Does nothing for a null pointer. For an object that was destroyed before, it only keeps the text of a failure. */
void aclDestroyTensorDesc(const aclTensorDesc* desc) {
    if (!has_desc(__func__, desc) || !actgrad_live_remove(LIVE_DESC, desc)) return;
    free(desc->name);
    actgrad_live_retire((void*)(uintptr_t)desc);
}

aclError aclSetTensorShape(aclTensorDesc* desc, int numDims, const int64_t* dims) {
    RETURN_IF_ERROR(check_desc(__func__, desc));
    return set_dims(__func__, desc, numDims, dims);
}

aclError aclSetTensorFormat(aclTensorDesc* desc, aclFormat format) {
    RETURN_IF_ERROR(check_desc(__func__, desc));
    desc->format = format;
    return ACL_SUCCESS;
}

/** Checks `desc` and has no other effect, because addresses show where memory is. */
aclError aclSetTensorPlaceMent(aclTensorDesc* desc, aclMemType memType) {
    return check_desc(__func__, desc);
}

void aclSetTensorDescName(aclTensorDesc* desc, const char* name) {
    if (!has_desc(__func__, desc)) return;
    free(desc->name);
    desc->name = name == NULL ? NULL : strdup(name);
}

const char* aclGetTensorDescName(aclTensorDesc* desc) {
    return has_desc(__func__, desc) && desc->name != NULL ? desc->name : "";
}

/** Returns ACL_DT_UNDEFINED for a null pointer or a destroyed object. */
aclDataType aclGetTensorDescType(const aclTensorDesc* desc) {
    return has_desc(__func__, desc) ? desc->type : ACL_DT_UNDEFINED;
}

/** Returns ACL_FORMAT_UNDEFINED for a null pointer or a destroyed object. */
aclFormat aclGetTensorDescFormat(const aclTensorDesc* desc) {
    return has_desc(__func__, desc) ? desc->format : ACL_FORMAT_UNDEFINED;
}

size_t aclGetTensorDescNumDims(const aclTensorDesc* desc) { return has_desc(__func__, desc) ? desc->rank : 0; }

aclError aclGetTensorDescDimV2(const aclTensorDesc* desc, size_t index, int64_t* dimSize) {
    RETURN_IF_ERROR(check_desc(__func__, desc));
    if (dimSize == NULL) return actgrad_fail_null(__func__, "dimSize");
    if (index >= desc->rank)
        return actgrad_fail(ACL_ERROR_INVALID_PARAM,
                            "%s: index is %zu; it must be less than %zu, the number of dims; pass less",
                            __func__, index,
                            desc->rank);
    *dimSize = desc->dims[index];
    return ACL_SUCCESS;
}

/* Returns false if a size is negative, or if there are too many elements. */
static bool multiply_dims(const aclTensorDesc* desc, size_t* product) {
    for (size_t k = 0; k < desc->rank; k++)
        if (desc->dims[k] < 0 || __builtin_mul_overflow(*product, (size_t)desc->dims[k], product)) return false;
    return true;
}

/** Returns the number of elements, or 0 if there is none: for a null pointer, a destroyed object or a negative size. */
size_t aclGetTensorDescElementCount(const aclTensorDesc* desc) {
    size_t count = 1;
    return has_desc(__func__, desc) && multiply_dims(desc, &count) ? count : 0;
}

/** Returns the bytes of all elements, or 0 where aclGetTensorDescElementCount does. */
size_t aclGetTensorDescSize(const aclTensorDesc* desc) {
    return has_desc(__func__, desc) ? aclGetTensorDescElementCount(desc) * aclDataTypeSize(desc->type) : 0;
}

aclDataBuffer* aclCreateDataBuffer(void* data, size_t size) {
    aclDataBuffer* buffer = calloc(1, sizeof *buffer);
    if (buffer == NULL) return NULL;
    buffer->data = data;
    buffer->size = size;
    actgrad_live_add(LIVE_BUFFER, &buffer->live);
    return buffer;
}

/** Does not free the memory that the buffer describes. */
aclError aclDestroyDataBuffer(const aclDataBuffer* dataBuffer) {
    RETURN_IF_ERROR(check_buffer(__func__, dataBuffer));
    if (actgrad_live_remove(LIVE_BUFFER, dataBuffer)) actgrad_live_retire((void*)(uintptr_t)dataBuffer);
    return ACL_SUCCESS;
}

aclError aclUpdateDataBuffer(aclDataBuffer* dataBuffer, void* data, size_t size) {
    RETURN_IF_ERROR(check_buffer(__func__, dataBuffer));
    dataBuffer->data = data;
    dataBuffer->size = size;
    return ACL_SUCCESS;
}

void* aclGetDataBufferAddr(const aclDataBuffer* dataBuffer) {
    return has_buffer(__func__, dataBuffer) ? dataBuffer->data : NULL;
}

size_t aclGetDataBufferSizeV2(const aclDataBuffer* dataBuffer) {
    return has_buffer(__func__, dataBuffer) ? dataBuffer->size : 0;
}

int32_t actgrad_check_described(const char* function, const char* side, int index, const aclTensorDesc* desc,
                                const aclDataBuffer* buffer) {
    char name[32];
    snprintf(name, sizeof name, "%sDesc[%d]", side, index);
    RETURN_IF_ERROR(actgrad_check_object(LIVE_DESC, function, name, desc));
    snprintf(name, sizeof name, "%ss[%d]", side, index);
    RETURN_IF_ERROR(actgrad_check_object(LIVE_BUFFER, function, name, buffer));
    size_t bytes = aclDataTypeSize(desc->type);
    if (!multiply_dims(desc, &bytes))
        return actgrad_fail(ACL_ERROR_INVALID_PARAM,
                            "%s: the dims of %sDesc[%d] have no product; each must be 0 or more; call aclSetTensorShape",
                            function, side, index);
    if (bytes <= buffer->size) return ACL_SUCCESS;
    return actgrad_fail(ACL_ERROR_INVALID_PARAM,
                        "%s: %s has %zu bytes, but %sDesc[%d] describes %zu; the buffer must hold them; enlarge it",
                        function, name, buffer->size, side, index, bytes);
}
