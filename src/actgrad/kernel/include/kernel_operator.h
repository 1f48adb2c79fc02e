// The interface of Ascend C for kernels, written from its public documentation to run on a CPU.
#pragma once

#include "actgrad_ascendc/arithmetic.h"
#include "actgrad_ascendc/arrange.h"
#include "actgrad_ascendc/compare_select.h"
#include "actgrad_ascendc/copies.h"
#include "actgrad_ascendc/math_functions.h"
#include "actgrad_ascendc/operators.h"
#include "actgrad_ascendc/reduce.h"
#include "actgrad_ascendc/scalar.h"
#include "actgrad_ascendc/sort.h"
#include "actgrad_ascendc/sync.h"
#include "actgrad_ascendc/tiling.h"

#ifndef ACTGRAD_SEPARATE
#include "actgrad_ascendc/bodies.h"
#endif
