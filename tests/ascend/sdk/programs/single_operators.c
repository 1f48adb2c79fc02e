/* The older interface: its objects, and an operator by its name in graphs. */
#include "acl/acl_op_compiler.h"

#include "program.h"

#include <string.h>

typedef struct {
    const aclTensorDesc* desc;
    aclDataBuffer* buffer;
    const aclopAttr* attr;
} Objects;

static int execute(Objects input, Objects output, aclrtStream stream) {
    return aclopCompileAndExecute("Elu", 1, &input.desc, (const aclDataBuffer* const*)&input.buffer, 1, &output.desc,
                                  &output.buffer, input.attr, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream);
}

/* Objects that are destroyed, of another kind or no objects at all, and buffers that are too small. */
static void misuse(void* memory, aclrtStream stream) {
    const int64_t dims[] = {4, 4}, negative[] = {-1}, many[] = {INT64_MAX, INT64_MAX};
    const int64_t* const lists[] = {dims, NULL};
    const int sizes[] = {2, 1};
    int64_t size;
    char no_object[64] = {0};
    aclTensorDesc* desc = aclCreateTensorDesc(ACL_FLOAT, 2, dims, ACL_FORMAT_ND);
    aclDataBuffer* buffer = aclCreateDataBuffer(memory, 64);
    aclopAttr* attr = aclopCreateAttr();
    const Objects good = {desc, buffer, attr};
    FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_FAILURE, "operator Nothing"); /* a failure of main */
    CHECK(execute(good, good, stream));
    CHECK(aclrtSynchronizeStream(stream));
    aclTensorDesc* old_desc = aclCreateTensorDesc(ACL_FLOAT, 2, dims, ACL_FORMAT_ND);
    aclDataBuffer* old_buffer = aclCreateDataBuffer(memory, 64);
    aclopAttr* old_attr = aclopCreateAttr();
    aclDestroyTensorDesc(old_desc);
    CHECK(aclDestroyDataBuffer(old_buffer));
    aclopDestroyAttr(old_attr);
    void* const wrong[] = {(void*)1, (void*)8, no_object, stream, desc, buffer, attr, old_desc, old_buffer, old_attr};
    for (int k = 0; k < 10; k++) {
        Objects bad = {wrong[k] == desc ? NULL : wrong[k], buffer, attr};
        FAILS(execute(bad, good, stream), ACL_ERROR_INVALID_PARAM, "inputDesc[0] is ");
        FAILS(execute(good, bad, stream), ACL_ERROR_INVALID_PARAM, "outputDesc[0] is ");
        bad = (Objects){desc, wrong[k] == buffer ? NULL : wrong[k], attr};
        FAILS(execute(bad, good, stream), ACL_ERROR_INVALID_PARAM, "inputs[0] is ");
        FAILS(execute(good, bad, stream), ACL_ERROR_INVALID_PARAM, "outputs[0] is ");
        if (wrong[k] != attr) {
            bad = (Objects){desc, buffer, wrong[k]};
            FAILS(execute(bad, good, stream), ACL_ERROR_INVALID_PARAM, "attr is ");
            FAILS(aclopSetAttrInt(wrong[k], "axis", 1), ACL_ERROR_INVALID_PARAM, "must be an aclopAttr that is not");
            FAILS(aclopSetAttrListListInt(wrong[k], "x", 1, sizes, lists), ACL_ERROR_INVALID_PARAM, "attr is ");
            aclopDestroyAttr(wrong[k]);
            REQUIRE(strstr(aclGetRecentErrMsg(), "aclopDestroyAttr: attr is ") != NULL);
        }
        if (wrong[k] != buffer) {
            FAILS(aclDestroyDataBuffer(wrong[k]), ACL_ERROR_INVALID_PARAM, "must be an aclDataBuffer that is not");
            FAILS(aclUpdateDataBuffer(wrong[k], memory, 4), ACL_ERROR_INVALID_PARAM, "call aclCreateDataBuffer");
            REQUIRE(aclGetDataBufferAddr(wrong[k]) == NULL && aclGetDataBufferSizeV2(wrong[k]) == 0);
        }
        aclTensorDesc* no_desc = wrong[k];
        if (no_desc == desc) continue;
        FAILS(aclSetTensorShape(no_desc, 2, dims), ACL_ERROR_INVALID_PARAM, "must be an aclTensorDesc that is not");
        FAILS(aclSetTensorFormat(no_desc, ACL_FORMAT_ND), ACL_ERROR_INVALID_PARAM, "call aclCreateTensorDesc");
        FAILS(aclSetTensorPlaceMent(no_desc, ACL_MEMTYPE_HOST), ACL_ERROR_INVALID_PARAM, "desc is ");
        FAILS(aclGetTensorDescDimV2(no_desc, 0, &size), ACL_ERROR_INVALID_PARAM, "desc is ");
        aclSetTensorDescName(no_desc, "x");
        REQUIRE(strcmp(aclGetTensorDescName(no_desc), "") == 0 && aclGetTensorDescNumDims(no_desc) == 0);
        REQUIRE(aclGetTensorDescSize(no_desc) == 0 && aclGetTensorDescElementCount(no_desc) == 0);
        REQUIRE(aclGetTensorDescType(no_desc) == ACL_DT_UNDEFINED);
        REQUIRE(aclGetTensorDescFormat(no_desc) == ACL_FORMAT_UNDEFINED);
        aclDestroyTensorDesc(no_desc);
        REQUIRE(strstr(aclGetRecentErrMsg(), "aclDestroyTensorDesc: desc is ") != NULL);
    }
    CHECK(aclUpdateDataBuffer(buffer, memory, 63));
    FAILS(execute(good, good, stream), ACL_ERROR_INVALID_PARAM, "inputs[0] has 63 bytes, but inputDesc[0] describes 64");
    aclDataBuffer* enough = aclCreateDataBuffer(memory, 64);
    const Objects whole = {desc, enough, attr};
    FAILS(execute(whole, good, stream), ACL_ERROR_INVALID_PARAM, "outputs[0] has 63 bytes, but outputDesc[0] describes");
    CHECK(aclSetTensorShape(desc, 1, negative));
    FAILS(execute(whole, whole, stream), ACL_ERROR_INVALID_PARAM, "the dims of inputDesc[0] have no product");
    REQUIRE(aclGetTensorDescSize(desc) == 0);
    CHECK(aclSetTensorShape(desc, 2, many));
    FAILS(execute(whole, whole, stream), ACL_ERROR_INVALID_PARAM, "the dims of inputDesc[0] have no product");
    FAILS(aclopCompileAndExecute("Elu", 1, NULL, NULL, 0, NULL, NULL, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream),
          ACL_ERROR_INVALID_PARAM, "inputDesc is a null pointer");
    FAILS(aclopSetAttrListListInt(attr, "lists", 2, sizes, lists), ACL_ERROR_INVALID_PARAM, "lists has 1 values at ");
    const char* texts[] = {"a", NULL};
    FAILS(aclopSetAttrListString(attr, "texts", 2, texts), ACL_ERROR_INVALID_PARAM, "an entry of values is a null");
    CHECK(aclDestroyDataBuffer(enough));
    CHECK(aclDestroyDataBuffer(buffer));
    aclopDestroyAttr(attr);
    aclDestroyTensorDesc(desc);
}

int main(void) {
    const int64_t dims[] = {2, 3};
    const int sizes[] = {2, 1};
    const int64_t* const lists[] = {dims, dims};
    int64_t size = 0;
    char value[8];
    float data[6] = {-1, 0, 1, 2, -2, 3}, found[6];
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    aclrtStream stream;
    CHECK(aclrtCreateStream(&stream));
    void* memory = device_memory(sizeof data);
    CHECK(aclrtMemcpy(memory, sizeof data, data, sizeof data, ACL_MEMCPY_HOST_TO_DEVICE));
    aclTensorDesc* desc = aclCreateTensorDesc(ACL_FLOAT, 2, dims, ACL_FORMAT_ND);
    aclDataBuffer* buffer = aclCreateDataBuffer(data, sizeof data);
    aclopAttr* attr = aclopCreateAttr();
    REQUIRE(desc != NULL && buffer != NULL && attr != NULL);
    REQUIRE(aclGetTensorDescNumDims(desc) == 2 && aclGetTensorDescType(desc) == ACL_FLOAT);
    REQUIRE(aclGetTensorDescSize(desc) == sizeof data && aclGetTensorDescFormat(desc) == ACL_FORMAT_ND);
    REQUIRE(aclGetTensorDescDimV2(desc, 1, &size) == 0 && size == 3);
    REQUIRE(aclGetTensorDescDimV2(desc, 2, &size) == ACL_ERROR_INVALID_PARAM);
    REQUIRE(strstr(aclGetRecentErrMsg(), "index is 2; it must be less than 2, the number of dims") != NULL);
    REQUIRE(aclSetTensorShape(desc, 0, NULL) == 0 && aclGetTensorDescElementCount(desc) == 1);
    REQUIRE(aclSetTensorShape(desc, -1, dims) == ACL_ERROR_INVALID_PARAM);
    REQUIRE(aclSetTensorFormat(desc, ACL_FORMAT_NCHW) == 0 && aclSetTensorPlaceMent(desc, ACL_MEMTYPE_HOST) == 0);
    aclSetTensorDescName(desc, "x");
    aclSetTensorDescName(desc, "input");
    REQUIRE(strcmp(aclGetTensorDescName(desc), "input") == 0);
    REQUIRE(aclGetDataBufferAddr(buffer) == data && aclGetDataBufferSizeV2(buffer) == sizeof data);
    REQUIRE(aclopSetAttrFloat(attr, "alpha", 1.0f) == 0 && aclopSetAttrBool(attr, "flag", 1) == 0);
    REQUIRE(aclopSetAttrListInt(attr, "dims", 2, dims) == 0 && aclopSetAttrListInt(attr, "none", 0, NULL) == 0);
    REQUIRE(aclopSetAttrListListInt(attr, "lists", 2, sizes, lists) == 0);
    REQUIRE(aclopSetAttrString(attr, "mode", NULL) == ACL_ERROR_INVALID_PARAM);
    REQUIRE(aclopSetAttrInt(NULL, "axis", 1) == ACL_ERROR_INVALID_PARAM);
    REQUIRE(aclGetCompileoptSize(ACL_OP_JIT_COMPILE) == 8); /* the chip is an Ascend910B */
    REQUIRE(aclGetCompileopt(ACL_OP_JIT_COMPILE, value, sizeof value) == 0 && strcmp(value, "disable") == 0);
    REQUIRE(aclSetCompileopt(ACL_OP_JIT_COMPILE, "enable") == 0 && aclGetCompileoptSize(ACL_OP_JIT_COMPILE) == 7);
    REQUIRE(aclGetCompileopt(ACL_OP_JIT_COMPILE, value, sizeof value) == 0 && strcmp(value, "enable") == 0);
    REQUIRE(aclGetCompileopt(ACL_OP_JIT_COMPILE, value, 6) == ACL_ERROR_INVALID_PARAM);
    aclopAttr* alpha = aclopCreateAttr();
    CHECK(aclSetTensorShape(desc, 2, dims));
    CHECK(aclUpdateDataBuffer(buffer, memory, sizeof data));
    CHECK(aclopSetAttrFloat(alpha, "alpha", 0.5f));
#define EXECUTE(name, count, attributes)                                                                              \
    aclopCompileAndExecute(name, count, (const aclTensorDesc* const*)&desc, (const aclDataBuffer* const*)&buffer, 1, \
                           (const aclTensorDesc* const*)&desc, &buffer, attributes, ACL_ENGINE_SYS, ACL_COMPILE_SYS, \
                           NULL, stream)
    CHECK(EXECUTE("Elu", 1, alpha));
    CHECK(aclopCompileAndExecuteV2("Elu", 1, &desc, &buffer, 1, &desc, &buffer, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS,
                                   NULL, stream));
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtMemcpy(found, sizeof found, memory, sizeof found, ACL_MEMCPY_DEVICE_TO_HOST));
    REQUIRE(fabsf(found[0] - expm1f(0.5f * expm1f(-1))) < 1e-6f && found[1] == 0 && found[5] == 3);
    FAILS(EXECUTE("Nothing", 1, NULL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "operator Nothing is not in actgrad");
    FAILS(EXECUTE("Elu", 0, NULL), ACL_ERROR_INVALID_PARAM, "Elu: x is missing");
    FAILS(EXECUTE("Elu", 1, attr), ACL_ERROR_INVALID_PARAM, "Elu: flag is unknown");
    FAILS(EXECUTE("Elu", 33, alpha), ACL_ERROR_INVALID_PARAM, "Elu has 33 inputs");
    CHECK(aclUpdateDataBuffer(buffer, data, sizeof data));
    FAILS(EXECUTE("Elu", 1, alpha), ACL_ERROR_INVALID_PARAM, "Elu: input 0 is at 0x");
    aclopDestroyAttr(alpha);
    aclopDestroyAttr(attr);
    aclopDestroyAttr(NULL);
    aclDestroyTensorDesc(NULL);
    aclDestroyTensorDesc(desc);
    REQUIRE(aclDestroyDataBuffer(buffer) == 0 && aclDestroyDataBuffer(NULL) == ACL_ERROR_INVALID_PARAM);
    CHECK(aclrtFree(memory));
    memory = device_memory(64);
    misuse(memory, stream);
    CHECK(aclrtFree(memory));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclFinalize());
    puts("ok");
    return 0;
}
