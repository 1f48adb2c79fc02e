/* aclTensorDesc and aclDataBuffer: descriptions of tensors, for the older interface of single operators. */
#include "ascendcl/runtime.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DIMS = 64 };

struct aclTensorDesc {
    aclDataType type;
    aclFormat format;
    size_t rank;
    int64_t dims[MOST_DIMS];
    char* name; /* NULL if it has no name */
};

struct aclDataBuffer {
    void* data;
    size_t size;
};

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
    if (set_dims(__func__, desc, numDims, dims) == ACL_SUCCESS) return desc;
    free(desc);
    return NULL;
}

void aclDestroyTensorDesc(const aclTensorDesc* desc) {
    if (desc == NULL) return;
    free(desc->name);
    free((void*)(uintptr_t)desc);
}

aclError aclSetTensorShape(aclTensorDesc* desc, int numDims, const int64_t* dims) {
    return desc == NULL ? actgrad_fail_null(__func__, "desc") : set_dims(__func__, desc, numDims, dims);
}

aclError aclSetTensorFormat(aclTensorDesc* desc, aclFormat format) {
    if (desc == NULL) return actgrad_fail_null(__func__, "desc");
    desc->format = format;
    return ACL_SUCCESS;
}

/** Checks `desc` and has no other effect, because addresses show where memory is. */
aclError aclSetTensorPlaceMent(aclTensorDesc* desc, aclMemType memType) {
    return desc == NULL ? actgrad_fail_null(__func__, "desc") : ACL_SUCCESS;
}

void aclSetTensorDescName(aclTensorDesc* desc, const char* name) {
    if (desc == NULL) return;
    free(desc->name);
    desc->name = name == NULL ? NULL : strdup(name);
}

const char* aclGetTensorDescName(aclTensorDesc* desc) { return desc == NULL || desc->name == NULL ? "" : desc->name; }

/** Returns ACL_DT_UNDEFINED for a null pointer. */
aclDataType aclGetTensorDescType(const aclTensorDesc* desc) { return desc == NULL ? ACL_DT_UNDEFINED : desc->type; }

/** Returns ACL_FORMAT_UNDEFINED for a null pointer. */
aclFormat aclGetTensorDescFormat(const aclTensorDesc* desc) {
    return desc == NULL ? ACL_FORMAT_UNDEFINED : desc->format;
}

size_t aclGetTensorDescNumDims(const aclTensorDesc* desc) { return desc == NULL ? 0 : desc->rank; }

aclError aclGetTensorDescDimV2(const aclTensorDesc* desc, size_t index, int64_t* dimSize) {
    if (desc == NULL || dimSize == NULL) return actgrad_fail_null(__func__, desc == NULL ? "desc" : "dimSize");
    if (index >= desc->rank)
        return actgrad_fail(ACL_ERROR_INVALID_PARAM,
                            "%s: index is %zu; it must be less than %zu, the number of dims; pass less",
                            __func__, index,
                            desc->rank);
    *dimSize = desc->dims[index];
    return ACL_SUCCESS;
}

/** Returns the number of elements, or 0 for a null pointer. */
size_t aclGetTensorDescElementCount(const aclTensorDesc* desc) {
    size_t count = desc != NULL;
    for (size_t k = 0; desc != NULL && k < desc->rank; k++) count *= (size_t)desc->dims[k];
    return count;
}

/** Returns the bytes of all elements. */
size_t aclGetTensorDescSize(const aclTensorDesc* desc) {
    return desc == NULL ? 0 : aclGetTensorDescElementCount(desc) * aclDataTypeSize(desc->type);
}

aclDataBuffer* aclCreateDataBuffer(void* data, size_t size) {
    aclDataBuffer* buffer = malloc(sizeof *buffer);
    if (buffer != NULL) *buffer = (aclDataBuffer){data, size};
    return buffer;
}

/** Does not free the memory that the buffer describes. */
aclError aclDestroyDataBuffer(const aclDataBuffer* dataBuffer) {
    if (dataBuffer == NULL) return actgrad_fail_null(__func__, "dataBuffer");
    free((void*)(uintptr_t)dataBuffer);
    return ACL_SUCCESS;
}

aclError aclUpdateDataBuffer(aclDataBuffer* dataBuffer, void* data, size_t size) {
    if (dataBuffer == NULL) return actgrad_fail_null(__func__, "dataBuffer");
    *dataBuffer = (aclDataBuffer){data, size};
    return ACL_SUCCESS;
}

void* aclGetDataBufferAddr(const aclDataBuffer* dataBuffer) { return dataBuffer == NULL ? NULL : dataBuffer->data; }
size_t aclGetDataBufferSizeV2(const aclDataBuffer* dataBuffer) { return dataBuffer == NULL ? 0 : dataBuffer->size; }
