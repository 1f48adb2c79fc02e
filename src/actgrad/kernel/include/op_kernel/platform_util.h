// Sizes of the hardware, for kernels of operator projects.
#pragma once

#include "kernel_operator.h"

namespace platform {

constexpr uint32_t GetUbBlockSize() { return 32; }
constexpr uint32_t GetVRegSize() { return 256; }

}  // namespace platform

namespace Ops::Base {

using platform::GetUbBlockSize;
using platform::GetVRegSize;

}  // namespace Ops::Base
