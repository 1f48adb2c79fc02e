// Functions of the advanced interface: one result for each element, with scratch memory from the kernel or from what
// InitBuffer has left of UB. They compute in double and round once; the documents give no bound for their errors.
#pragma once

#include "arithmetic.h"
#include "queues.h"

namespace actgrad {

template <class F, class T>
inline void function_of(F f, const char* name, const LocalTensor<T>& dst, const LocalTensor<T>& src, int64_t count,
                        bool may_coincide, Where at)
{
    meet(Assumption::accuracy);
    if (!may_coincide && options.checks && dst.address == src.address && dst.buffer == src.buffer)
        ACTGRAD_ERROR(overlap, at, "the destination and the source of %s coincide; they must lie apart", name);
    first_n([f](T* out, const T* in, uint32_t n) { map_exact(out, n, f, in); }, name, count, at, dst, src);
}

}  // namespace actgrad

namespace AscendC {

#define ACTGRAD_FUNCTION(Name, Parameters, may_coincide, expression)                                                  \
    template <class T, bool isReuseSource = false ACTGRAD_LIST Parameters>                                            \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, actgrad::Count count, ACTGRAD_AT)                 \
    {                                                                                                                 \
        static_assert(std::is_same_v<T, half> || std::is_same_v<T, float>, #Name " takes half and float");            \
        actgrad::function_of([](double x) { return expression; }, #Name, dst, src, count.value, may_coincide, at);    \
    }                                                                                                                 \
    template <class T, bool isReuseSource = false ACTGRAD_LIST Parameters>                                            \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, ACTGRAD_AT)                                       \
    {                                                                                                                 \
        Name<T>(dst, src, actgrad::Count(src.GetSize()), at);                                                         \
    }                                                                                                                 \
    template <class T, bool isReuseSource = false ACTGRAD_LIST Parameters>                                            \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& sharedTmpBuffer,      \
              actgrad::Count count, ACTGRAD_AT)                                                                       \
    {                                                                                                                 \
        if (actgrad::options.checks)                                                                                  \
            actgrad::core->may_use(sharedTmpBuffer, sharedTmpBuffer.address, 1, "scratch tensor", at);                \
        Name<T>(dst, src, count, at);                                                                                 \
    }                                                                                                                 \
    template <class T, bool isReuseSource = false ACTGRAD_LIST Parameters>                                            \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& sharedTmpBuffer,      \
              ACTGRAD_AT)                                                                                             \
    {                                                                                                                 \
        Name<T>(dst, src, sharedTmpBuffer, actgrad::Count(src.GetSize()), at);                                        \
    }

// Algorithms of Ascend 950. All of them compute the same here.
enum class ErfAlgo : uint8_t { INTRINSIC, PADE_APPROXIMATION, SUBSECTION_POLYNOMIAL_APPROXIMATION };
enum class TanhAlgo : uint8_t { INTRINSIC, SUBSECTION_COMPENSATION };
struct ErfConfig { ErfAlgo algo = ErfAlgo::PADE_APPROXIMATION; };
struct TanhConfig { TanhAlgo algo = TanhAlgo::INTRINSIC; };
inline constexpr ErfConfig defaultErfConfig{};
inline constexpr TanhConfig DEFAULT_TANH_CONFIG{};

ACTGRAD_FUNCTION(Sigmoid, (), true, 1.0 / (1.0 + std::exp(-x)))
ACTGRAD_FUNCTION(Tanh, (const auto& config = DEFAULT_TANH_CONFIG), false, std::tanh(x))
ACTGRAD_FUNCTION(Erf, (const auto& config = defaultErfConfig), false, std::erf(x))
ACTGRAD_FUNCTION(Erfc, (), false, std::erfc(x))
ACTGRAD_FUNCTION(Log, (), true, std::log(x))
ACTGRAD_FUNCTION(Log2, (), true, std::log2(x))
ACTGRAD_FUNCTION(Log10, (), true, std::log10(x))
ACTGRAD_FUNCTION(Sin, (), true, std::sin(x))
ACTGRAD_FUNCTION(Cos, (), true, std::cos(x))
ACTGRAD_FUNCTION(Tan, (), true, std::tan(x))
ACTGRAD_FUNCTION(Atan, (), true, std::atan(x))
ACTGRAD_FUNCTION(Asin, (), true, std::asin(x))
ACTGRAD_FUNCTION(Acos, (), true, std::acos(x))
ACTGRAD_FUNCTION(Sinh, (), true, std::sinh(x))
ACTGRAD_FUNCTION(Cosh, (), true, std::cosh(x))
ACTGRAD_FUNCTION(Asinh, (), true, std::asinh(x))
ACTGRAD_FUNCTION(Acosh, (), true, std::acosh(x))
ACTGRAD_FUNCTION(Atanh, (), true, std::atanh(x))
ACTGRAD_FUNCTION(Floor, (), true, std::floor(x))
ACTGRAD_FUNCTION(Ceil, (), true, std::ceil(x))
ACTGRAD_FUNCTION(Trunc, (), true, std::trunc(x))
ACTGRAD_FUNCTION(Round, (), true, std::nearbyint(x))
ACTGRAD_FUNCTION(Frac, (), true, x - std::trunc(x))
ACTGRAD_FUNCTION(Sign, (), true, x > 0 ? 1.0 : x < 0 ? -1.0 : x)
// The tanh form, as x / (1 + e^(-1.5957... (x + 0.044715 x^3))).
ACTGRAD_FUNCTION(Gelu, (), true, x == -INFINITY ? -0.0 : x / (1.0 + std::exp(-1.5957691216057308 * (x + 0.044715 * x * x * x))))
ACTGRAD_FUNCTION(FasterGelu, (), true, x == -INFINITY ? -0.0 : x / (1.0 + std::exp(-1.702 * x)))

ACTGRAD_FUNCTION(Rint, (), true, std::nearbyint(x))

}  // namespace AscendC
