// The bodies of all functions that do not depend on a kernel (ACTGRAD_BODY in faults.h).
#pragma once

#include "compare_bodies.h"
#include "copies_bodies.h"
#include "core_bodies.h"
#include "memory_bodies.h"
#include "queues_bodies.h"
#include "sync_bodies.h"
#include "tensors_bodies.h"
#include "vector_bodies.h"
