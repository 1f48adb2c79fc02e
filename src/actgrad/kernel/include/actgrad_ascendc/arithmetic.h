// Vector arithmetic: one result element from the elements at the same place of one or two tensors, or of a tensor and
// a scalar.
//
// Each call has a first-n form (count) and a strided form (mask, repeatTime, strides); see vector.h. The scalar has the
// element type of the tensors, so Muls(halfTensor, halfTensor, 0.1f, n) multiplies by the half next to 0.1.
#pragma once

#include "vector.h"

namespace actgrad {

template <class T>
inline T maximum(T a, T b, bool nan_propagates)
{
    if constexpr (std::is_floating_point_v<T>) {
        using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
        T result = a > b ? a : b;
        // Equal numbers have equal bits, except the two zeros: +0 is the larger one.
        result = a == b ? bits_of<T>(static_cast<Bits>(bits_of<Bits>(a) & bits_of<Bits>(b))) : result;
        if (nan_propagates) return a != a ? a : result;
        return b != b ? a : result;
    } else {
        return a > b ? a : b;
    }
}
template <class T>
inline T minimum(T a, T b, bool nan_propagates)
{
    if constexpr (std::is_floating_point_v<T>) return -maximum(-a, -b, nan_propagates);
    else return a < b ? a : b;
}

// Integers wrap around.
template <class T, class F>
inline T wrapping(T a, T b, F f)
{
    if constexpr (std::is_floating_point_v<T>) {
        return f(a, b);
    } else {
        using U = std::make_unsigned_t<std::conditional_t<(sizeof(T) < 4), int32_t, T>>;
        return static_cast<T>(f(static_cast<U>(a), static_cast<U>(b)));
    }
}

template <class T>
inline T divide(T a, T b)
{
    if constexpr (std::is_floating_point_v<T>) return a / b;
    else if (b == 0) return 0;  // the documents do not say; a fault of the processor would end the run
    else if (std::is_signed_v<T> && b == static_cast<T>(-1)) return static_cast<T>(0 - static_cast<uint64_t>(a));
    else return static_cast<T>(a / b);
}

template <class T>
inline T shift(T value, T by, bool to_left)
{
    using U = std::make_unsigned_t<T>;
    constexpr int width = 8 * sizeof(T);
    const uint64_t steps = static_cast<uint64_t>(by);
    if (to_left) return steps >= width ? T(0) : static_cast<T>(static_cast<U>(value) << steps);
    return static_cast<T>(value >> std::min<uint64_t>(steps, width - 1)) * (std::is_signed_v<T> || steps < width);
}

// The loops of the calls: run(out, in..., n).
#define ACTGRAD_LOOP_1(expression)                              \
    [=](auto* out, const auto* in, uint32_t n) {                \
        ::actgrad::map_wide(out, n, [=](auto x) { return expression; }, in); \
    }
#define ACTGRAD_LOOP_2(expression)                                                        \
    [=](auto* out, const auto* in0, const auto* in1, uint32_t n) {                        \
        ::actgrad::map_wide(out, n, [=](auto x, auto y) { return expression; }, in0, in1); \
    }
#define ACTGRAD_LOOP_EXACT(expression)                           \
    [=](auto* out, const auto* in, uint32_t n) {                 \
        ::actgrad::map_exact(out, n, [=](auto x) { return expression; }, in); \
    }

// The two forms of a call with one source. `Parameters` are further template parameters, `run` is its loop.
#define ACTGRAD_UNARY(Name, Parameters, ...)                                                                         \
    template <class T ACTGRAD_LIST Parameters>                                                                       \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, actgrad::Count count, ACTGRAD_AT)                \
    {                                                                                                                \
        actgrad::require_type<T>(actgrad::Call::Name, #Name, at);                                                    \
        actgrad::first_n(__VA_ARGS__, #Name, count.value, at, dst, src);                                             \
    }                                                                                                                \
    template <class T, bool isSetMask = true ACTGRAD_LIST Parameters>                                                \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const actgrad::Mask& mask, U8 repeatTime,        \
              const UnaryRepeatParams& repeatParams, ACTGRAD_AT)                                                     \
    {                                                                                                                \
        actgrad::require_type<T>(actgrad::Call::Name, #Name, at);                                                    \
        actgrad::strided(__VA_ARGS__, #Name, mask, isSetMask, repeatTime.value, false, at,                           \
                         actgrad::operand(dst, "destination", repeatParams.dstBlkStride, repeatParams.dstRepStride), \
                         dst, actgrad::source(src, "source", repeatParams.srcBlkStride, repeatParams.srcRepStride)); \
    }
#define ACTGRAD_LIST(...) __VA_OPT__(, ) __VA_ARGS__

// The two forms of a call with two sources. `accumulates`: the result may be the second source of the next repeat.
#define ACTGRAD_BINARY(Name, Parameters, accumulates, ...)                                                            \
    template <class T ACTGRAD_LIST Parameters>                                                                        \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,                      \
              actgrad::Count count, ACTGRAD_AT)                                                                       \
    {                                                                                                                 \
        actgrad::require_type<T>(actgrad::Call::Name, #Name, at);                                                     \
        actgrad::first_n(__VA_ARGS__, #Name, count.value, at, dst, src0, src1);                                       \
    }                                                                                                                 \
    template <class T, bool isSetMask = true ACTGRAD_LIST Parameters>                                                 \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,                      \
              const actgrad::Mask& mask, U8 repeatTime, const BinaryRepeatParams& repeatParams, ACTGRAD_AT)           \
    {                                                                                                                 \
        actgrad::require_type<T>(actgrad::Call::Name, #Name, at);                                                     \
        actgrad::strided(                                                                                             \
            __VA_ARGS__, #Name, mask, isSetMask, repeatTime.value, accumulates, at,                                   \
            actgrad::operand(dst, "destination", repeatParams.dstBlkStride, repeatParams.dstRepStride), dst,          \
            actgrad::source(src0, "first source", repeatParams.src0BlkStride, repeatParams.src0RepStride),            \
            actgrad::source(src1, "second source", repeatParams.src1BlkStride, repeatParams.src1RepStride));          \
    }

// The two forms of a call with a tensor and a scalar `y`.
#define ACTGRAD_SCALAR(Name, ...)                                                                                    \
    template <class T, bool isSetMask = true>                                                                        \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const actgrad::NonDeduced<T>& scalarValue,       \
              actgrad::Count count, ACTGRAD_AT)                                                                      \
    {                                                                                                                \
        actgrad::require_type<T>(actgrad::Call::Name, #Name, at);                                                    \
        const auto y = static_cast<actgrad::wide_t<T>>(scalarValue);                                                 \
        actgrad::first_n(__VA_ARGS__, #Name, count.value, at, dst, src);                                             \
    }                                                                                                                \
    template <class T, bool isSetMask = true>                                                                        \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const actgrad::NonDeduced<T>& scalarValue,       \
              const actgrad::Mask& mask, U8 repeatTime, const UnaryRepeatParams& repeatParams, ACTGRAD_AT)           \
    {                                                                                                                \
        actgrad::require_type<T>(actgrad::Call::Name, #Name, at);                                                    \
        const auto y = static_cast<actgrad::wide_t<T>>(scalarValue);                                                 \
        actgrad::strided(__VA_ARGS__, #Name, mask, isSetMask, repeatTime.value, false, at,                           \
                         actgrad::operand(dst, "destination", repeatParams.dstBlkStride, repeatParams.dstRepStride), \
                         dst, actgrad::source(src, "source", repeatParams.srcBlkStride, repeatParams.srcRepStride)); \
    }

// Max, Min and Relu of a NaN are an assumption.
inline bool nan_propagates()
{
    meet(Assumption::nan_in_max_min);
    return options.nan_propagates;
}
// Exp, Ln, Sqrt, Div and Reciprocal: the error and subnormal results are assumptions.
inline bool keeps_subnormals()
{
    meet(Assumption::accuracy);
    meet(Assumption::subnormals);
    return options.keeps_subnormals;
}

}  // namespace actgrad

namespace AscendC {

// Algorithms of Ascend 950. All of them compute the same here.
enum class ExpAlgo : uint8_t { INTRINSIC, PRECISION_1ULP_FTZ_TRUE, PRECISION_1ULP_FTZ_FALSE };
enum class LnAlgo : uint8_t { INTRINSIC, PRECISION_1ULP_FTZ_TRUE, PRECISION_1ULP_FTZ_FALSE };
enum class SqrtAlgo : uint8_t {
    INTRINSIC, FAST_INVERSE, PRECISION_1ULP_FTZ_TRUE, PRECISION_1ULP_FTZ_FALSE, PRECISION_0ULP_FTZ_FALSE
};
enum class DivAlgo : uint8_t {
    INTRINSIC, DIFF_COMPENSATION, PRECISION_0ULP_FTZ_TRUE, PRECISION_0ULP_FTZ_FALSE, PRECISION_1ULP_FTZ_TRUE,
    PRECISION_1ULP_FTZ_FALSE
};
enum class ReciprocalAlgo : uint8_t { INTRINSIC, PRECISION_1ULP_FTZ_TRUE, PRECISION_1ULP_FTZ_FALSE };
enum class RsqrtAlgo : uint8_t {
    INTRINSIC, FAST_INVERSE, PRECISION_1ULP_FTZ_TRUE, PRECISION_1ULP_FTZ_FALSE, PRECISION_0ULP_FTZ_FALSE
};
struct ExpConfig { ExpAlgo algo = ExpAlgo::INTRINSIC; };
struct LnConfig { LnAlgo algo = LnAlgo::INTRINSIC; };
struct SqrtConfig { SqrtAlgo algo = SqrtAlgo::INTRINSIC; };
struct RsqrtConfig { RsqrtAlgo algo = RsqrtAlgo::INTRINSIC; };
struct DivConfig { DivAlgo algo = DivAlgo::INTRINSIC; };
struct ReciprocalConfig { ReciprocalAlgo algo = ReciprocalAlgo::INTRINSIC; };
inline constexpr ExpConfig DEFAULT_EXP_CONFIG{};
inline constexpr LnConfig DEFAULT_LN_CONFIG{};
inline constexpr SqrtConfig DEFAULT_SQRT_CONFIG{};
inline constexpr RsqrtConfig DEFAULT_RSQRT_CONFIG{};
inline constexpr DivConfig DEFAULT_DIV_CONFIG{};
inline constexpr ReciprocalConfig DEFAULT_RECIPROCAL_CONFIG{};

// ---- one source

// |x|. The least integer stays as it is.
ACTGRAD_UNARY(Abs, (), ([](auto* out, const auto* in, uint32_t n) {
    actgrad::map_wide(out, n, [](auto x) {
        if constexpr (std::is_floating_point_v<decltype(x)>) return std::fabs(x);
        else return actgrad::wrapping(decltype(x)(0), x, [&](auto a, auto b) { return x < 0 ? a - b : b; });
    }, in);
}))
// e^x, ln x, the square root and 1/x, correctly rounded.
ACTGRAD_UNARY(Exp, (const ExpConfig& config = DEFAULT_EXP_CONFIG), (actgrad::keeps_subnormals(), ACTGRAD_LOOP_EXACT(actgrad::exp_of(x))))
ACTGRAD_UNARY(Ln, (const LnConfig& config = DEFAULT_LN_CONFIG), (actgrad::keeps_subnormals(), ACTGRAD_LOOP_EXACT(actgrad::log_of(x))))
ACTGRAD_UNARY(Sqrt, (const SqrtConfig& config = DEFAULT_SQRT_CONFIG), ([keeps = actgrad::keeps_subnormals()](auto* out, const auto* in, uint32_t n) {
    actgrad::map_wide(out, n, [keeps](auto x) { return actgrad::subnormal(std::sqrt(x), keeps); }, in);
}))
ACTGRAD_UNARY(Reciprocal, (const ReciprocalConfig& config = DEFAULT_RECIPROCAL_CONFIG), ([keeps = actgrad::keeps_subnormals()](auto* out, const auto* in, uint32_t n) {
    actgrad::map_wide(out, n, [keeps](auto x) { return actgrad::subnormal(actgrad::divide(decltype(x)(1), x), keeps); }, in);
}))
// 1 / sqrt(x)
ACTGRAD_UNARY(Rsqrt, (const RsqrtConfig& config = DEFAULT_RSQRT_CONFIG), (actgrad::keeps_subnormals(), ACTGRAD_LOOP_EXACT(1.0 / std::sqrt(x))))
// max(x, 0)
ACTGRAD_UNARY(Relu, (), ([nan = actgrad::nan_propagates()](auto* out, const auto* in, uint32_t n) {
    actgrad::map_wide(out, n, [nan](auto x) { return actgrad::maximum(x, decltype(x)(0), nan); }, in);
}))
// ~x, on the bits
ACTGRAD_UNARY(Not, (), ([](auto* out, const auto* in, uint32_t n) {
    using E = std::decay_t<decltype(*out)>;
    using Bits = actgrad::bits_t<sizeof(E)>;
    for (uint32_t i = 0; i < n; ++i) out[i] = actgrad::bits_of<E>(static_cast<Bits>(~actgrad::bits_of<Bits>(in[i])));
}))
// -x (Ascend 950)
ACTGRAD_UNARY(Neg, (), ([](auto* out, const auto* in, uint32_t n) {
    actgrad::map_wide(out, n, [](auto x) {
        if constexpr (std::is_floating_point_v<decltype(x)>) return -x;
        else return actgrad::wrapping(decltype(x)(0), x, [](auto a, auto b) { return a - b; });
    }, in);
}))

// ---- two sources

ACTGRAD_BINARY(Add, (), true, ACTGRAD_LOOP_2(actgrad::wrapping(x, y, [](auto a, auto b) { return a + b; })))
ACTGRAD_BINARY(Sub, (), true, ACTGRAD_LOOP_2(actgrad::wrapping(x, y, [](auto a, auto b) { return a - b; })))
ACTGRAD_BINARY(Mul, (), true, ACTGRAD_LOOP_2(actgrad::wrapping(x, y, [](auto a, auto b) { return a * b; })))
ACTGRAD_BINARY(Div, (const DivConfig& config = DEFAULT_DIV_CONFIG), false, ([keeps = actgrad::keeps_subnormals()](auto* out, const auto* in0, const auto* in1, uint32_t n) {
    actgrad::map_wide(out, n, [keeps](auto x, auto y) { return actgrad::subnormal(actgrad::divide(x, y), keeps); }, in0, in1);
}))
ACTGRAD_BINARY(Max, (), true, ([nan = actgrad::nan_propagates()](auto* out, const auto* in0, const auto* in1, uint32_t n) {
    actgrad::map_wide(out, n, [nan](auto x, auto y) { return actgrad::maximum(x, y, nan); }, in0, in1);
}))
ACTGRAD_BINARY(Min, (), true, ([nan = actgrad::nan_propagates()](auto* out, const auto* in0, const auto* in1, uint32_t n) {
    actgrad::map_wide(out, n, [nan](auto x, auto y) { return actgrad::minimum(x, y, nan); }, in0, in1);
}))
ACTGRAD_BINARY(And, (), false, ACTGRAD_LOOP_2(static_cast<decltype(x)>(x & y)))
ACTGRAD_BINARY(Or, (), false, ACTGRAD_LOOP_2(static_cast<decltype(x)>(x | y)))
// max(x + y, 0) and max(x - y, 0)
ACTGRAD_BINARY(AddRelu, (), false, ([nan = actgrad::nan_propagates()](auto* out, const auto* in0, const auto* in1, uint32_t n) {
    actgrad::map_wide(out, n, [nan](auto x, auto y) {
        return actgrad::maximum(actgrad::wrapping(x, y, [](auto a, auto b) { return a + b; }), decltype(x)(0), nan);
    }, in0, in1);
}))
ACTGRAD_BINARY(SubRelu, (), false, ([nan = actgrad::nan_propagates()](auto* out, const auto* in0, const auto* in1, uint32_t n) {
    actgrad::map_wide(out, n, [nan](auto x, auto y) {
        return actgrad::maximum(actgrad::wrapping(x, y, [](auto a, auto b) { return a - b; }), decltype(x)(0), nan);
    }, in0, in1);
}))
// x if x >= 0, else x * y (Ascend 950)
ACTGRAD_BINARY(Prelu, (), false, ACTGRAD_LOOP_2(x >= 0 ? x : x * y))

// ---- a tensor and a scalar y

ACTGRAD_SCALAR(Adds, ACTGRAD_LOOP_1(actgrad::wrapping(x, y, [](auto a, auto b) { return a + b; })))
ACTGRAD_SCALAR(Muls, ACTGRAD_LOOP_1(actgrad::wrapping(x, y, [](auto a, auto b) { return a * b; })))
ACTGRAD_SCALAR(Maxs, ([y, nan = actgrad::nan_propagates()](auto* out, const auto* in, uint32_t n) {
    actgrad::map_wide(out, n, [=](auto x) { return actgrad::maximum(x, decltype(x)(y), nan); }, in);
}))
ACTGRAD_SCALAR(Mins, ([y, nan = actgrad::nan_propagates()](auto* out, const auto* in, uint32_t n) {
    actgrad::map_wide(out, n, [=](auto x) { return actgrad::minimum(x, decltype(x)(y), nan); }, in);
}))
// x if x >= 0, else y * x
ACTGRAD_SCALAR(LeakyRelu, ACTGRAD_LOOP_1(x >= 0 ? x : x * y))
ACTGRAD_SCALAR(ShiftLeft, ACTGRAD_LOOP_1(actgrad::shift(x, y, true)))
ACTGRAD_SCALAR(ShiftRight, ACTGRAD_LOOP_1(actgrad::shift(x, y, false)))
ACTGRAD_SCALAR(Subs, ACTGRAD_LOOP_1(actgrad::wrapping(x, y, [](auto a, auto b) { return a - b; })))
ACTGRAD_SCALAR(Divs, ([y, keeps = actgrad::keeps_subnormals()](auto* out, const auto* in, uint32_t n) {
    actgrad::map_wide(out, n, [=](auto x) { return actgrad::subnormal(actgrad::divide(x, decltype(x)(y)), keeps); }, in);
}))

// scalar - x and scalar / x (Ascend 950)
template <class T>
void Subs(const LocalTensor<T>& dst, const actgrad::NonDeduced<T>& scalarValue, const LocalTensor<T>& src,
          actgrad::Count count, ACTGRAD_AT)
{
    actgrad::require_type<T>(actgrad::Call::Subs, "Subs", at);
    const auto y = static_cast<actgrad::wide_t<T>>(scalarValue);
    actgrad::first_n(ACTGRAD_LOOP_1(actgrad::wrapping(decltype(x)(y), x, [](auto a, auto b) { return a - b; })), "Subs",
                     count.value, at, dst, src);
}
template <class T>
void Divs(const LocalTensor<T>& dst, const actgrad::NonDeduced<T>& scalarValue, const LocalTensor<T>& src,
          actgrad::Count count, ACTGRAD_AT)
{
    actgrad::require_type<T>(actgrad::Call::Divs, "Divs", at);
    const auto y = static_cast<actgrad::wide_t<T>>(scalarValue);
    actgrad::first_n(ACTGRAD_LOOP_1(actgrad::divide(decltype(x)(y), x)), "Divs", count.value, at, dst, src);
}

}  // namespace AscendC

namespace actgrad {

// a * b + c, rounded once.
template <class D, class S>
inline D fused(S a, S b, D c)
{
    if constexpr (std::is_integral_v<D>) {
        return wrapping<D>(wrapping<D>(a, b, [](auto x, auto y) { return x * y; }), c, [](auto x, auto y) { return x + y; });
    } else if constexpr (std::is_same_v<D, float>) {
        return std::fma(static_cast<float>(a), static_cast<float>(b), c);
    } else {  // the product is exact in double, and the sum is rounded to odd before it becomes narrow
        const double product = static_cast<double>(static_cast<float>(a)) * static_cast<float>(b);
        const float sum = to_odd_float(product + static_cast<double>(static_cast<float>(c)));
        D result;
        from_float(&sum, &result, 1);
        return result;
    }
}

// dst = in0 * in1 + dst; a null pointer in1 stands for the factor.
template <class D, class S>
inline void multiply_add(D* out, const S* in0, const S* in1, S factor, uint32_t n)
{
    for (uint32_t i = 0; i < n; ++i) out[i] = fused<D>(in0[i], in1 ? in1[i] : factor, out[i]);
}

// dst = in0 * dst + in1, and with `relu` not less than 0.
template <class T>
inline auto fused_multiply_add(bool relu)
{
    return [relu, nan = relu && nan_propagates()](T* out, const T*, const T* in0, const T* in1, uint32_t n) {
        for (uint32_t i = 0; i < n; ++i) {
            const T sum = fused<T>(in0[i], out[i], in1[i]);
            using W = wide_t<T>;
            out[i] = relu ? static_cast<T>(maximum(static_cast<W>(sum), W(0), nan)) : sum;
        }
    };
}

}  // namespace actgrad

namespace AscendC {

// dst = src0 * src1 + dst, rounded once. half sources may have a float destination.
template <class T, class U>
void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, actgrad::Count count,
               ACTGRAD_AT)
{
    actgrad::first_n([](T* out, const T*, const U* in0, const U* in1, uint32_t n) {
        actgrad::multiply_add(out, in0, in1, U(0), n);
    }, "MulAddDst", count.value, at, dst, dst, src0, src1);
}
template <class T, class U, bool isSetMask = true>
void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,
               const actgrad::Mask& mask, U8 repeatTime, const BinaryRepeatParams& repeatParams, ACTGRAD_AT)
{
    actgrad::strided([](T* out, const T*, const U* in0, const U* in1, uint32_t n) {
        actgrad::multiply_add(out, in0, in1, U(0), n);
    }, "MulAddDst", mask, isSetMask, repeatTime.value, true, at,
        actgrad::operand(dst, "destination", repeatParams.dstBlkStride, repeatParams.dstRepStride), dst,
        actgrad::source(dst, "destination", repeatParams.dstBlkStride, repeatParams.dstRepStride),
        actgrad::source(src0, "first source", repeatParams.src0BlkStride, repeatParams.src0RepStride),
        actgrad::source(src1, "second source", repeatParams.src1BlkStride, repeatParams.src1RepStride));
}
// dst = scalar * src + dst, rounded once.
template <class T, class U>
void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const actgrad::NonDeduced<U>& scalarValue,
          actgrad::Count count, ACTGRAD_AT)
{
    actgrad::first_n([scalarValue](T* out, const T*, const U* in, uint32_t n) {
        actgrad::multiply_add(out, in, static_cast<const U*>(nullptr), static_cast<U>(scalarValue), n);
    }, "Axpy", count.value, at, dst, dst, src);
}
template <class T, class U, bool isSetMask = true>
void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const actgrad::NonDeduced<U>& scalarValue,
          const actgrad::Mask& mask, U8 repeatTime, const UnaryRepeatParams& repeatParams, ACTGRAD_AT)
{
    actgrad::strided([scalarValue](T* out, const T*, const U* in, uint32_t n) {
        actgrad::multiply_add(out, in, static_cast<const U*>(nullptr), static_cast<U>(scalarValue), n);
    }, "Axpy", mask, isSetMask, repeatTime.value, true, at,
        actgrad::operand(dst, "destination", repeatParams.dstBlkStride, repeatParams.dstRepStride), dst,
        actgrad::source(dst, "destination", repeatParams.dstBlkStride, repeatParams.dstRepStride),
        actgrad::source(src, "source", repeatParams.srcBlkStride, repeatParams.srcRepStride));
}

// dst = src0 * dst + src1, rounded once; FusedMulAddRelu takes the maximum with 0.
#define ACTGRAD_FUSED(Name, relu)                                                                                     \
    template <class T>                                                                                                \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,                      \
              actgrad::Count count, ACTGRAD_AT)                                                                       \
    {                                                                                                                 \
        actgrad::require_type<T>(actgrad::Call::Name, #Name, at);                                                     \
        actgrad::first_n(actgrad::fused_multiply_add<T>(relu), #Name, count.value, at, dst, dst, src0, src1);         \
    }                                                                                                                 \
    template <class T, bool isSetMask = true>                                                                         \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,                      \
              const actgrad::Mask& mask, U8 repeatTime, const BinaryRepeatParams& repeatParams, ACTGRAD_AT)           \
    {                                                                                                                 \
        actgrad::require_type<T>(actgrad::Call::Name, #Name, at);                                                     \
        actgrad::strided(                                                                                             \
            actgrad::fused_multiply_add<T>(relu), #Name, mask, isSetMask, repeatTime.value, false, at,                \
            actgrad::operand(dst, "destination", repeatParams.dstBlkStride, repeatParams.dstRepStride), dst,          \
            actgrad::source(dst, "destination", repeatParams.dstBlkStride, repeatParams.dstRepStride),                \
            actgrad::source(src0, "first source", repeatParams.src0BlkStride, repeatParams.src0RepStride),            \
            actgrad::source(src1, "second source", repeatParams.src1BlkStride, repeatParams.src1RepStride));          \
    }
ACTGRAD_FUSED(FusedMulAdd, false)
ACTGRAD_FUSED(FusedMulAddRelu, true)

}  // namespace AscendC
