#pragma once

#include "actgrad_ascendc/host.h"
