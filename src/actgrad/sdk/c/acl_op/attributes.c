/* aclopAttr: the attributes of a single operator. No operator reads them: they are checked and counted. */
#include "ascendcl/runtime.h"

#include <stdlib.h>
#include <string.h>

#include "acl/acl_op.h"

struct aclopAttr {
    size_t count; /* of the attributes set so far */
};

aclopAttr* aclopCreateAttr(void) { return calloc(1, sizeof(aclopAttr)); }

void aclopDestroyAttr(const aclopAttr* attr) { free((void*)(uintptr_t)attr); }

static aclError set(const char* function, aclopAttr* attr, const char* name, int count, const void* values) {
    if (attr == NULL || name == NULL) return actgrad_fail_null(function, attr == NULL ? "attr" : "attrName");
    if (count < 0 || (count > 0 && values == NULL))
        return actgrad_fail(ACL_ERROR_INVALID_PARAM, "%s: attribute %s has %d values at %p; there must be as many",
                            function, name, count, values);
    attr->count++;
    return ACL_SUCCESS;
}

aclError aclopSetAttrBool(aclopAttr* attr, const char* attrName, uint8_t attrValue) {
    return set(__func__, attr, attrName, 1, &attrValue);
}

aclError aclopSetAttrInt(aclopAttr* attr, const char* attrName, int64_t attrValue) {
    return set(__func__, attr, attrName, 1, &attrValue);
}

aclError aclopSetAttrFloat(aclopAttr* attr, const char* attrName, float attrValue) {
    return set(__func__, attr, attrName, 1, &attrValue);
}

aclError aclopSetAttrString(aclopAttr* attr, const char* attrName, const char* attrValue) {
    return set(__func__, attr, attrName, 1, attrValue);
}

aclError aclopSetAttrDataType(aclopAttr* attr, const char* attrName, aclDataType attrValue) {
    return set(__func__, attr, attrName, 1, &attrValue);
}

aclError aclopSetAttrListBool(aclopAttr* attr, const char* attrName, int numValues, const uint8_t* values) {
    return set(__func__, attr, attrName, numValues, values);
}

aclError aclopSetAttrListInt(aclopAttr* attr, const char* attrName, int numValues, const int64_t* values) {
    return set(__func__, attr, attrName, numValues, values);
}

aclError aclopSetAttrListFloat(aclopAttr* attr, const char* attrName, int numValues, const float* values) {
    return set(__func__, attr, attrName, numValues, values);
}

aclError aclopSetAttrListString(aclopAttr* attr, const char* attrName, int numValues, const char** values) {
    return set(__func__, attr, attrName, numValues, values);
}

aclError aclopSetAttrListDataType(aclopAttr* attr, const char* attrName, int numValues, const aclDataType* values) {
    return set(__func__, attr, attrName, numValues, values);
}

aclError aclopSetAttrListListInt(aclopAttr* attr, const char* attrName, int numLists, const int* numValues,
                                 const int64_t* const* values) {
    if (numLists > 0 && numValues == NULL) return actgrad_fail_null(__func__, "numValues");
    return set(__func__, attr, attrName, numLists, values);
}
