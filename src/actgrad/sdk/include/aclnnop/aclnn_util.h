/* How the operators' functions are declared. */
#ifndef ACTGRAD_ACLNNOP_ACLNN_UTIL_H
#define ACTGRAD_ACLNNOP_ACLNN_UTIL_H

#ifdef __GNUC__
#define ACLNN_API __attribute__((visibility("default")))
#else
#define ACLNN_API
#endif

#endif
