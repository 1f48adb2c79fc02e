/* Start and end of the use of ACL, and the text of the last failure. */
#ifndef ACTGRAD_ACL_ACL_H
#define ACTGRAD_ACL_ACL_H

#include "acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* `configPath` may be null; otherwise the file must exist. 100002 where aclInit is in force already. */
ACL_FUNC_VISIBILITY aclError aclInit(const char* configPath);
/* Ends what any number of aclInit began; 100037 where nothing is in force. */
ACL_FUNC_VISIBILITY aclError aclFinalize(void);
/* Takes back one aclInit and ends with the last; `refCount`, which may be null, gets how many are left. */
ACL_FUNC_VISIBILITY aclError aclFinalizeReference(uint64_t* refCount);
/* The calling thread's newest text, once; null where there is none. It stays readable until the next call. */
ACL_FUNC_VISIBILITY const char* aclGetRecentErrMsg(void);

#ifdef __cplusplus
}
#endif

#endif
