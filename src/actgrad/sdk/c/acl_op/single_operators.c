/* Single operators by name: none is here, and a program that asks for one gets its name back. Options of their compiler
   are kept, because programs set them at their start. */
#include "ascendcl/services.h"

#include <stdio.h>
#include <string.h>

#include "acl/acl_op_compiler.h"

enum { OPTIONS = ACL_OP_DEBUG_OPTION + 1, LONGEST = 512 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char options[OPTIONS][LONGEST]; /* "" for one that was never set */

static aclError check_option(const char* function, aclCompileOpt opt, const void* value) {
    if (value == NULL) return actgrad_fail_null(function, "value");
    if ((int)opt >= 0 && (int)opt < OPTIONS) return ACL_SUCCESS;
    return actgrad_fail(ACL_ERROR_INVALID_PARAM, "%s: opt is %d; it must be of aclCompileOpt", function, (int)opt);
}

/** Kept for aclGetCompileopt; it has no effect. */
aclError aclSetCompileopt(aclCompileOpt opt, const char* value) {
    RETURN_IF_ERROR(check_option(__func__, opt, value));
    if (strlen(value) >= LONGEST)
        return actgrad_fail(ACL_ERROR_INVALID_PARAM, "%s: value has %zu characters; at most %d", __func__,
                            strlen(value), LONGEST - 1);
    LOCKED(&lock);
    strcpy(options[opt], value);
    return ACL_SUCCESS;
}

/** The bytes that aclGetCompileopt needs, with the zero at the end; 0 for no option. */
size_t aclGetCompileoptSize(aclCompileOpt opt) {
    if ((int)opt < 0 || (int)opt >= OPTIONS) return 0;
    LOCKED(&lock);
    return strlen(options[opt]) + 1;
}

aclError aclGetCompileopt(aclCompileOpt opt, char* value, size_t length) {
    RETURN_IF_ERROR(check_option(__func__, opt, value));
    LOCKED(&lock);
    if (strlen(options[opt]) >= length)
        return actgrad_fail(ACL_ERROR_INVALID_PARAM, "%s: length is %zu; the value needs %zu", __func__, length,
                            strlen(options[opt]) + 1);
    strcpy(value, options[opt]);
    return ACL_SUCCESS;
}

/** Fails with the operator's name: its function of the aclnn interface is the one to call. */
aclError aclopCompileAndExecute(const char* opType, int numInputs, const aclTensorDesc* const* inputDesc,
                                const aclDataBuffer* const* inputs, int numOutputs,
                                const aclTensorDesc* const* outputDesc, aclDataBuffer* const* outputs,
                                const aclopAttr* attr, aclopEngineType engineType, aclopCompileType compileFlag,
                                const char* opPath, aclrtStream stream) {
    if (opType == NULL) return actgrad_fail_null(__func__, "opType");
    return actgrad_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                        "%s: the operator %s is not in actgrad, which has operators of the aclnn interface alone",
                        __func__, opType);
}
