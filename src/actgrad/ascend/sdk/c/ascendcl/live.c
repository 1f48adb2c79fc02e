/* The objects that a program may use. Each kind has a hash table whose chains link the objects themselves. */
#include "services.h"

#include <stdio.h>
#include <stdlib.h>

#include "acl/acl_base.h"

enum { CHAINS = 4096 };

static const struct {
    const char *name, *create, *end;
} KINDS[LIVE_KINDS] = {
    [LIVE_STREAM] = {"stream", "aclrtCreateStream", "aclrtDestroyStream"},
    [LIVE_EVENT] = {"event", "aclrtCreateEvent", "aclrtDestroyEvent"},
    [LIVE_TENSOR] = {"aclTensor", "aclCreateTensor", "aclDestroyTensor"},
    [LIVE_SCALAR] = {"aclScalar", "aclCreateScalar", "aclDestroyScalar"},
    [LIVE_LIST] = {"array or list", "aclCreate and its type, for example aclCreateIntArray",
                   "aclDestroy and its type, for example aclDestroyIntArray"},
    [LIVE_EXECUTOR] = {"aclOpExecutor", "phase one", "aclDestroyAclOpExecutor"},
    [LIVE_DESC] = {"aclTensorDesc", "aclCreateTensorDesc", "aclDestroyTensorDesc"},
    [LIVE_BUFFER] = {"aclDataBuffer", "aclCreateDataBuffer", "aclDestroyDataBuffer"},
    [LIVE_ATTR] = {"aclopAttr", "aclopCreateAttr", "aclopDestroyAttr"},
};

FORK_SAFE_LOCK(live_lock, LIVE_ORDER)
static actgrad_live* chains[LIVE_KINDS][CHAINS];

/* Returns the link to an object, or the link at the end of its chain if the object is missing. */
static actgrad_live** find(actgrad_live_kind kind, const void* object) {
    actgrad_live** link = &chains[kind][((uintptr_t)object >> 4) * 0x9e3779b97f4a7c15u >> 20 & (CHAINS - 1)];
    while (*link != NULL && *link != object) link = &(*link)->next;
    return link;
}

void actgrad_live_add(actgrad_live_kind kind, actgrad_live* object) {
    LOCKED(&live_lock);
    object->next = NULL;
    *find(kind, object) = object;
}

bool actgrad_live_has(actgrad_live_kind kind, const void* object) {
    LOCKED(&live_lock);
    return *find(kind, object) != NULL;
}

bool actgrad_live_remove(actgrad_live_kind kind, const void* object) {
    LOCKED(&live_lock);
    actgrad_live** link = find(kind, object);
    if (*link == NULL) return false;
    *link = (*link)->next;
    return true;
}

void actgrad_live_retire(void* memory) {
    enum { KEPT = 256 };
    static void* kept[KEPT];
    static size_t next;
    LOCKED(&live_lock);
    free(kept[next]);
    kept[next] = memory;
    next = (next + 1) % KEPT;
}

int32_t actgrad_check_object(actgrad_live_kind kind, const char* function, const char* argument, const void* object) {
    if (object == NULL) return actgrad_fail_null(function, argument);
    if (actgrad_live_has(kind, object)) return ACL_SUCCESS;
    return actgrad_fail(ACL_ERROR_INVALID_PARAM, "%s: %s is %p; it must be an %s that is not destroyed; call %s",
                        function, argument, object, KINDS[kind].name, KINDS[kind].create);
}

void actgrad_report_objects(void) {
    LOCKED(&live_lock);
    for (int kind = 0; kind < LIVE_KINDS; kind++)
        for (int k = 0; k < CHAINS; k++)
            for (const actgrad_live* each = chains[kind][k]; each != NULL; each = each->next)
                fprintf(stderr,
                        "actgrad: %s %p was never destroyed; destroy all objects before aclFinalize; call %s\n",
                        KINDS[kind].name, (const void*)each, KINDS[kind].end);
}
