#pragma once

#ifdef ACTGRAD_KERNEL
#include "actgrad_ascendc/tiling_fields.h"
#else
#include "actgrad_ascendc/host.h"
#endif
