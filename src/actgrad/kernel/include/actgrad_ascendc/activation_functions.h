// Activations and other functions that a kernel includes by name, from lib/activation or lib/math. kernel_operator.h leaves
// them out, because kernels often call a class of their own Swish or GeGLU.
#pragma once

#include "math_functions.h"

namespace actgrad {

// x / (1 + e^(-scale x)), and its limit -0 where both parts are infinite.
inline double swish(double x, double scale)
{
    const double power = std::exp(-scale * x);
    return std::isinf(power) && std::isinf(x) ? -0.0 : x / (1.0 + power);
}

}  // namespace actgrad

namespace AscendC {

ACTGRAD_FUNCTION(Silu, (), false, actgrad::swish(x, 1.0))

// x / (1 + e^(-scalar x))
template <class T, bool isReuseSource = false>
void Swish(const LocalTensor<T>& dst, const LocalTensor<T>& src, actgrad::Count count,
           const actgrad::NonDeduced<T> scalarValue, ACTGRAD_AT)
{
    const double scale = static_cast<double>(scalarValue);
    actgrad::function_of([scale](double x) { return actgrad::swish(x, scale); }, "Swish", dst, src,
                         count.value, false, at);
}

// The smaller (ClampMax) or larger (ClampMin) one of an element and a scalar.
template <class T, bool isReuseSource = false>
void ClampMax(const LocalTensor<T>& dst, const LocalTensor<T>& src, const actgrad::NonDeduced<T> scalar,
              actgrad::Count count, ACTGRAD_AT)
{
    const double most = static_cast<double>(scalar);
    actgrad::function_of([most](double x) { return x > most ? most : x; }, "ClampMax", dst, src, count.value, true, at);
}
template <class T, bool isReuseSource = false>
void ClampMin(const LocalTensor<T>& dst, const LocalTensor<T>& src, const actgrad::NonDeduced<T> scalar,
              actgrad::Count count, ACTGRAD_AT)
{
    const double least = static_cast<double>(scalar);
    actgrad::function_of([least](double x) { return x < least ? least : x; }, "ClampMin", dst, src, count.value, true, at);
}

}  // namespace AscendC

namespace actgrad {

template <class F, class T>
inline void function_of_two(F f, const char* name, const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                            const LocalTensor<T>& src1, int64_t count, Where at)
{
    static_assert(std::is_same_v<T, half> || std::is_same_v<T, float>, "the function takes half and float");
    meet(Assumption::accuracy);
    first_n([f](T* out, const T* in0, const T* in1, uint32_t n) { map_exact(out, n, f, in0, in1); }, name, count, at, dst,
            src0, src1);
}

}  // namespace actgrad

namespace AscendC {

// A function of two tensors, with or without scratch memory.
#define ACTGRAD_FUNCTION_2(Name, expression)                                                                         \
    template <class T, bool isReuseSource = false>                                                                    \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,                      \
              actgrad::Count count, ACTGRAD_AT)                                                                       \
    {                                                                                                                 \
        actgrad::function_of_two([](double x, double y) { return expression; }, #Name, dst, src0, src1, count.value, at); \
    }                                                                                                                 \
    template <class T, bool isReuseSource = false>                                                                    \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,                      \
              const LocalTensor<uint8_t>& sharedTmpBuffer, actgrad::Count count, ACTGRAD_AT)                          \
    {                                                                                                                 \
        if (actgrad::options.checks)                                                                                  \
            actgrad::core->may_use(sharedTmpBuffer, sharedTmpBuffer.address, 1, "scratch tensor", at);                \
        Name<T>(dst, src0, src1, count, at);                                                                          \
    }
ACTGRAD_FUNCTION_2(Power, std::pow(x, y))
// src0 times an activation of src1
ACTGRAD_FUNCTION_2(ReGlu, x * (y > 0 ? y : 0.0))
ACTGRAD_FUNCTION_2(GeGLU, x * (y == -INFINITY ? -0.0 : y / (1.0 + std::exp(-1.5957691216057308 * (y + 0.044715 * y * y * y)))))

// src0 * src1 / (1 + e^(-scalar src1))
template <class T, bool isReuseSource = false>
void SwiGLU(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
            const float& scalarValue, actgrad::Count count, ACTGRAD_AT)
{
    const double scale = scalarValue;
    actgrad::function_of_two([scale](double x, double y) { return x * actgrad::swish(y, scale); }, "SwiGLU", dst,
                             src0, src1, count.value, at);
}
template <class T, bool isReuseSource = false>
void SwiGLU(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
            const float& scalarValue, const LocalTensor<uint8_t>& sharedTmpBuffer, actgrad::Count count, ACTGRAD_AT)
{
    if (actgrad::options.checks)
        actgrad::core->may_use(sharedTmpBuffer, sharedTmpBuffer.address, 1, "scratch tensor", at);
    SwiGLU<T>(dst, src0, src1, scalarValue, count, at);
}

}  // namespace AscendC
