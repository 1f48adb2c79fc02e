/* Single operators by their names in graphs. The planner of the aclnn interface computes them. The options of their
   compiler are only stored, because programs set them at their start. */
#include "nnopbase/nnopbase.h"

#include "acl/acl_op_compiler.h"

#include <stdio.h>

enum { OPTIONS = ACL_OP_DEBUG_OPTION + 1, LONGEST = 512, MOST = 32 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char options[OPTIONS][LONGEST]; /* "" if the program never set the option */

static aclError check_option(const char* function, aclCompileOpt opt, const void* value) {
    if (value == NULL) return actgrad_fail_null(function, "value");
    if ((int)opt >= 0 && (int)opt < OPTIONS) return ACL_SUCCESS;
    return actgrad_fail(ACL_ERROR_INVALID_PARAM, "%s: opt is %d; it must be one of aclCompileOpt; pass one", function,
                        (int)opt);
}

/* The value of an option. If ACL_OP_JIT_COMPILE is not set, it is "enable" for chips before Ascend910B, because they
   compile operators at run time. */
static const char* option(aclCompileOpt opt) {
    const char* chip = aclrtGetSocName();
    const bool is_older = strncmp(chip, "Ascend310P", 10) == 0 ||
                          (strncmp(chip, "Ascend910", 9) == 0 && chip[9] != 'B' && chip[9] != '_');
    if (opt == ACL_OP_JIT_COMPILE && options[opt][0] == '\0') return is_older ? "enable" : "disable";
    return options[opt];
}

/** Stores the value for aclGetCompileopt. The value has no effect. */
aclError aclSetCompileopt(aclCompileOpt opt, const char* value) {
    RETURN_IF_ERROR(check_option(__func__, opt, value));
    if (strlen(value) >= LONGEST)
        return actgrad_fail(ACL_ERROR_INVALID_PARAM,
                            "%s: value has %zu characters; it must have at most %d; cut it", __func__,
                            strlen(value), LONGEST - 1);
    LOCKED(&lock);
    strcpy(options[opt], value);
    return ACL_SUCCESS;
}

/** Returns the bytes that aclGetCompileopt needs, including the zero at the end, or 0 if the option does not exist. */
size_t aclGetCompileoptSize(aclCompileOpt opt) {
    if ((int)opt < 0 || (int)opt >= OPTIONS) return 0;
    LOCKED(&lock);
    return strlen(option(opt)) + 1;
}

aclError aclGetCompileopt(aclCompileOpt opt, char* value, size_t length) {
    RETURN_IF_ERROR(check_option(__func__, opt, value));
    LOCKED(&lock);
    if (strlen(option(opt)) >= length)
        return actgrad_fail(ACL_ERROR_INVALID_PARAM,
                            "%s: length is %zu; it must be %zu; enlarge value", __func__, length,
                            strlen(option(opt)) + 1);
    strcpy(value, option(opt));
    return ACL_SUCCESS;
}

/* Tensors as the aclnn interface has them. A tensor of an undefined type is an argument that was left out. */
static aclTensorList* listed(int count, const aclTensorDesc* const* descs, const aclDataBuffer* const* buffers) {
    const aclTensor* tensors[MOST] = {NULL};
    int64_t dims[MAX_RANK];
    for (int k = 0; k < count; k++) {
        const size_t rank = aclGetTensorDescNumDims(descs[k]);
        for (size_t d = 0; d < rank; d++) aclGetTensorDescDimV2(descs[k], d, &dims[d]);
        const aclDataType type = aclGetTensorDescType(descs[k]);
        if (type != ACL_DT_UNDEFINED)
            tensors[k] = aclCreateTensor(dims, rank, type, NULL, 0, aclGetTensorDescFormat(descs[k]), dims, rank,
                                         aclGetDataBufferAddr(buffers[k]));
    }
    return aclCreateTensorList(tensors, (uint64_t)count);
}

/* Operators have at most MOST inputs and MOST outputs. */
static aclError check_counts(const char* function, const char* opType, int numInputs, int numOutputs) {
    if (opType == NULL) return actgrad_fail_null(function, "opType");
    if (numInputs >= 0 && numInputs <= MOST && numOutputs >= 0 && numOutputs <= MOST) return ACL_SUCCESS;
    return actgrad_fail(ACL_ERROR_INVALID_PARAM,
                        "%s: %s has %d inputs and %d outputs; each must be 0 to %d; correct numInputs or numOutputs",
                        function, opType, numInputs, numOutputs, MOST);
}

static aclError check_side(const char* function, const char* side, int count, const aclTensorDesc* const* descs,
                           const aclDataBuffer* const* buffers) {
    char name[16];
    snprintf(name, sizeof name, descs == NULL ? "%sDesc" : "%ss", side);
    if (count > 0 && (descs == NULL || buffers == NULL)) return actgrad_fail_null(function, name);
    for (int k = 0; k < count; k++)
        RETURN_IF_ERROR(actgrad_check_described(function, side, k, descs[k], buffers[k]));
    return ACL_SUCCESS;
}

static int32_t run(const char* function, const char* opType, const aclopAttr* attr, const aclTensorList* inputs,
                   const aclTensorList* outputs, aclrtStream stream) {
    const actgrad_argument arguments[] = {
        {TEXT, opType, 0}, {TEXT, actgrad_attributes(attr), 0}, {TENSORS, inputs, 0}, {TENSORS, outputs, 0}};
    uint64_t size;
    aclOpExecutor* executor;
    RETURN_IF_ERROR(actgrad_phase_one(function, arguments, 4, &size, &executor));
    return actgrad_phase_two(function, NULL, 0, executor, stream);
}

/** Computes an operator of actgrad.ir. With any other name, this call fails with 207000, and so does the next copy or
    synchronize. */
aclError aclopCompileAndExecute(const char* opType, int numInputs, const aclTensorDesc* const* inputDesc,
                                const aclDataBuffer* const* inputs, int numOutputs,
                                const aclTensorDesc* const* outputDesc, aclDataBuffer* const* outputs,
                                const aclopAttr* attr, aclopEngineType engineType, aclopCompileType compileFlag,
                                const char* opPath, aclrtStream stream) {
    const aclDataBuffer* const* results = (const aclDataBuffer* const*)outputs;
    int32_t status = check_counts(__func__, opType, numInputs, numOutputs);
    if (status == ACL_SUCCESS) status = check_side(__func__, "input", numInputs, inputDesc, inputs);
    if (status == ACL_SUCCESS) status = check_side(__func__, "output", numOutputs, outputDesc, results);
    if (status == ACL_SUCCESS && attr != NULL) status = actgrad_check_object(LIVE_ATTR, __func__, "attr", attr);
    if (status == ACL_SUCCESS) {
        aclTensorList* in = listed(numInputs, inputDesc, inputs);
        aclTensorList* out = listed(numOutputs, outputDesc, results);
        status = run(__func__, opType, attr, in, out, stream);
        aclDestroyTensorList(in);
        aclDestroyTensorList(out);
    }
    if (status == INNER_NULL) status = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    if (status == NULL_POINTER || status == INVALID) status = ACL_ERROR_INVALID_PARAM;
    return actgrad_note_refusal(status, true);
}

/** Like aclopCompileAndExecute. The descriptions of the outputs must have the outputs' shapes. */
aclError aclopCompileAndExecuteV2(const char* opType, int numInputs, aclTensorDesc** inputDesc, aclDataBuffer** inputs,
                                  int numOutputs, aclTensorDesc** outputDesc, aclDataBuffer** outputs, aclopAttr* attr,
                                  aclopEngineType engineType, aclopCompileType compileFlag, const char* opPath,
                                  aclrtStream stream) {
    return aclopCompileAndExecute(opType, numInputs, (const aclTensorDesc* const*)inputDesc,
                                  (const aclDataBuffer* const*)inputs, numOutputs,
                                  (const aclTensorDesc* const*)outputDesc, outputs, attr, engineType, compileFlag,
                                  opPath, stream);
}
