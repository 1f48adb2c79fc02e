/* The older interface of single operators: its objects are there, its operators are not. */
#include "acl/acl_op_compiler.h"

#include "program.h"

#include <string.h>

int main(void) {
    const int64_t dims[] = {2, 3};
    const int sizes[] = {2, 1};
    const int64_t* const lists[] = {dims, dims};
    int64_t size = 0;
    char value[8];
    float data[6];
    aclTensorDesc* desc = aclCreateTensorDesc(ACL_FLOAT, 2, dims, ACL_FORMAT_ND);
    aclDataBuffer* buffer = aclCreateDataBuffer(data, sizeof data);
    aclopAttr* attr = aclopCreateAttr();
    REQUIRE(desc != NULL && buffer != NULL && attr != NULL);
    REQUIRE(aclGetTensorDescNumDims(desc) == 2 && aclGetTensorDescType(desc) == ACL_FLOAT);
    REQUIRE(aclGetTensorDescSize(desc) == sizeof data && aclGetTensorDescFormat(desc) == ACL_FORMAT_ND);
    REQUIRE(aclGetTensorDescDimV2(desc, 1, &size) == 0 && size == 3);
    REQUIRE(aclGetTensorDescDimV2(desc, 2, &size) == ACL_ERROR_INVALID_PARAM);
    REQUIRE(strstr(aclGetRecentErrMsg(), "index is 2, but the tensor has 2 dims") != NULL);
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
    REQUIRE(aclSetCompileopt(ACL_OP_JIT_COMPILE, "enable") == 0 && aclGetCompileoptSize(ACL_OP_JIT_COMPILE) == 7);
    REQUIRE(aclGetCompileopt(ACL_OP_JIT_COMPILE, value, sizeof value) == 0 && strcmp(value, "enable") == 0);
    REQUIRE(aclGetCompileopt(ACL_OP_JIT_COMPILE, value, 6) == ACL_ERROR_INVALID_PARAM);
    REQUIRE(aclopCompileAndExecute("Relu", 1, (const aclTensorDesc* const*)&desc, (const aclDataBuffer* const*)&buffer, 1,
                                 (const aclTensorDesc* const*)&desc, &buffer, attr, ACL_ENGINE_SYS, ACL_COMPILE_SYS,
                                 NULL, NULL) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    REQUIRE(strstr(aclGetRecentErrMsg(), "the operator Relu is not in actgrad") != NULL);
    aclopDestroyAttr(attr);
    aclopDestroyAttr(NULL);
    aclDestroyTensorDesc(desc);
    REQUIRE(aclDestroyDataBuffer(buffer) == 0 && aclDestroyDataBuffer(NULL) == ACL_ERROR_INVALID_PARAM);
    puts("ok");
    return 0;
}
