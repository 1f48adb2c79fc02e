#pragma once

#include "kernel_operator.h"
#include "actgrad_ascendc/activation_functions.h"
