// One copy of the functions that check a kernel, for all kernels of a product.

#define ACTGRAD_BODY

#include "actgrad_ascendc/bodies.h"
