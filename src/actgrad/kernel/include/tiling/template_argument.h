// In a kernel the macros are empty (actgrad_ascendc/tiling.h); on the host they compute the key.
#pragma once

#ifndef ACTGRAD_KERNEL
#include "actgrad_ascendc/host.h"
#endif
