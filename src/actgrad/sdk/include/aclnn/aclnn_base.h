/* Start and end of the use of the operators, for programs that do not call aclInit. */
#ifndef ACTGRAD_ACLNN_ACLNN_BASE_H
#define ACTGRAD_ACLNN_ACLNN_BASE_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/* `configPath` may be null. Beside aclInit and aclFinalize these are no error. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInit(const char* configPath);
ACL_FUNC_VISIBILITY aclnnStatus aclnnFinalize(void);

#ifdef __cplusplus
}
#endif

#endif
