// Helpers that kernels of operator projects share.
#pragma once

#include "kernel_operator.h"

namespace Ops::Base {

template <class A, class B> constexpr A CeilDiv(A a, B b) { return b == 0 ? a : static_cast<A>((a + b - 1) / b); }
template <class A, class B> constexpr A CeilAlign(A a, B b) { return CeilDiv(a, b) * b; }
template <class A, class B> constexpr A FloorDiv(A a, B b) { return b == 0 ? a : static_cast<A>(a / b); }
template <class A, class B> constexpr A FloorAlign(A a, B b) { return b == 0 ? a : static_cast<A>(a / b * b); }

}  // namespace Ops::Base
