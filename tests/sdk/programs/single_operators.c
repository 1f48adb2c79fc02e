/* The older interface: its objects, and an operator by its name in graphs. */
#include "acl/acl_op_compiler.h"

#include "program.h"

#include <string.h>

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
    aclDestroyTensorDesc(desc);
    REQUIRE(aclDestroyDataBuffer(buffer) == 0 && aclDestroyDataBuffer(NULL) == ACL_ERROR_INVALID_PARAM);
    CHECK(aclrtFree(memory));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclFinalize());
    puts("ok");
    return 0;
}
