/* aclopAttr: the attributes of a single operator, as JSON text. A float is a JSON object with its bits, because the
   digits of a float would depend on the program's locale. */
#include "ascendcl/runtime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_op.h"

struct aclopAttr {
    actgrad_live live;
    FILE* stream; /* writes into the text */
    char* text;
    size_t size;
};

typedef enum { BOOLS, INTS, FLOATS, TEXTS, TYPES } Kind;

aclopAttr* aclopCreateAttr(void) {
    aclopAttr* attr = calloc(1, sizeof *attr);
    if (attr != NULL && (attr->stream = open_memstream(&attr->text, &attr->size)) == NULL) {
        free(attr);
        return NULL;
    }
    if (attr != NULL) actgrad_live_add(LIVE_ATTR, &attr->live);
    return attr;
}

static aclError check_attr(const char* function, const void* attr) {
    return actgrad_check_object(LIVE_ATTR, function, "attr", attr);
}

/** Does nothing for a null pointer. For an object that was destroyed before, it only keeps the text of a failure. */
void aclopDestroyAttr(const aclopAttr* attr) {
    if (attr == NULL || check_attr(__func__, attr) != ACL_SUCCESS || !actgrad_live_remove(LIVE_ATTR, attr)) return;
    fclose(attr->stream);
    free(attr->text);
    actgrad_live_retire((void*)(uintptr_t)attr);
}

const char* actgrad_attributes(const aclopAttr* attr) {
    if (attr == NULL) return "";
    fflush(attr->stream);
    return attr->text;
}

static void put_text(FILE* to, const char* text) {
    fputc('"', to);
    for (; *text != '\0'; text++)
        fprintf(to, (unsigned char)*text < ' ' || *text == '"' || *text == '\\' ? "\\u%04x" : "%c", *text);
    fputc('"', to);
}

static void put_value(FILE* to, Kind kind, const void* values, int index) {
    uint32_t bits;
    if (kind == BOOLS) fputs(((const uint8_t*)values)[index] ? "true" : "false", to);
    if (kind == INTS) fprintf(to, "%" PRId64, ((const int64_t*)values)[index]);
    if (kind == TYPES) fprintf(to, "%d", (int)((const aclDataType*)values)[index]);
    if (kind == TEXTS) put_text(to, ((const char* const*)values)[index]);
    if (kind != FLOATS) return;
    memcpy(&bits, (const float*)values + index, sizeof bits);
    fprintf(to, "{\"bits\": %" PRIu32 "}", bits);
}

static void put_list(FILE* to, Kind kind, int count, const void* values) {
    fputc('[', to);
    for (int k = 0; k < count; k++) {
        if (k > 0) fputc(',', to);
        put_value(to, kind, values, k);
    }
    fputc(']', to);
}

static aclError check_values(const char* function, const char* name, int count, const void* values) {
    if (count >= 0 && (count == 0 || values != NULL)) return ACL_SUCCESS;
    return actgrad_fail(ACL_ERROR_INVALID_PARAM,
                        "%s: attribute %s has %d values at %p; there must be as many; pass the values", function,
                        name == NULL ? "" : name, count, values);
}

/* Checks an attribute, and writes its name. */
static aclError begin(const char* function, aclopAttr* attr, const char* name, int count, const void* values) {
    RETURN_IF_ERROR(check_attr(function, attr));
    if (name == NULL) return actgrad_fail_null(function, "attrName");
    RETURN_IF_ERROR(check_values(function, name, count, values));
    if (ftell(attr->stream) > 0) fputc(',', attr->stream);
    put_text(attr->stream, name);
    fputc(':', attr->stream);
    return ACL_SUCCESS;
}

static aclError set(const char* function, aclopAttr* attr, const char* name, Kind kind, const void* value) {
    RETURN_IF_ERROR(begin(function, attr, name, 1, value));
    put_value(attr->stream, kind, value, 0);
    return ACL_SUCCESS;
}

static aclError set_list(const char* function, aclopAttr* attr, const char* name, Kind kind, int count,
                         const void* values) {
    RETURN_IF_ERROR(begin(function, attr, name, count, values));
    put_list(attr->stream, kind, count, values);
    return ACL_SUCCESS;
}

#define SETTERS(name, kind, type)                                                                                      \
    aclError aclopSetAttr##name(aclopAttr* attr, const char* attrName, type attrValue) {                               \
        return set(__func__, attr, attrName, kind, &attrValue);                                                        \
    }                                                                                                                  \
    aclError aclopSetAttrList##name(aclopAttr* attr, const char* attrName, int numValues, const type* values) {        \
        return set_list(__func__, attr, attrName, kind, numValues, values);                                            \
    }

SETTERS(Bool, BOOLS, uint8_t)
SETTERS(Int, INTS, int64_t)
SETTERS(Float, FLOATS, float)
SETTERS(DataType, TYPES, aclDataType)

aclError aclopSetAttrString(aclopAttr* attr, const char* attrName, const char* attrValue) {
    return set(__func__, attr, attrName, TEXTS, attrValue == NULL ? NULL : &attrValue);
}

aclError aclopSetAttrListString(aclopAttr* attr, const char* attrName, int numValues, const char** values) {
    for (int k = 0; values != NULL && k < numValues; k++)
        if (values[k] == NULL) return actgrad_fail_null(__func__, "an entry of values");
    return set_list(__func__, attr, attrName, TEXTS, numValues, values);
}

aclError aclopSetAttrListListInt(aclopAttr* attr, const char* attrName, int numLists, const int* numValues,
                                 const int64_t* const* values) {
    if (numLists > 0 && numValues == NULL) return actgrad_fail_null(__func__, "numValues");
    for (int k = 0; values != NULL && k < numLists; k++)
        RETURN_IF_ERROR(check_values(__func__, attrName, numValues[k], values[k]));
    RETURN_IF_ERROR(begin(__func__, attr, attrName, numLists, values));
    fputc('[', attr->stream);
    for (int k = 0; k < numLists; k++) {
        if (k > 0) fputc(',', attr->stream);
        put_list(attr->stream, INTS, numValues[k], values[k]);
    }
    fputc(']', attr->stream);
    return ACL_SUCCESS;
}
