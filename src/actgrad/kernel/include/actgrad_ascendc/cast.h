// Cast: conversion between element types with a rounding mode.
//
// The documents list the allowed modes for each pair of types and product. Numbers beyond the range of an integer type
// become its largest or smallest number, and NaN becomes 0. A strided call counts lanes by the wider type: 64 for half
// to float, so the half side has a repeat stride of 4 for contiguous data.
#pragma once

#include "masks.h"

namespace actgrad {

template <class T>
constexpr bool is_number_v = std::is_arithmetic_v<T> || std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t> ||
                             std::is_same_v<T, fp8_e5m2_t> || std::is_same_v<T, fp8_e4m3fn_t>;

template <class D, class S>
inline bool check_cast(RoundMode mode, Where at)
{
    static const char* const modes[] = {"NONE", "RINT", "FLOOR", "CEIL", "ROUND", "TRUNC", "ODD", "HYBRID"};
    if constexpr (!is_number_v<D> || !is_number_v<S>) {
        ACTGRAD_ERROR(dtype_unsupported, at, "Cast from %s to %s is not imitated", type_name<S>(), type_name<D>());
        return false;
    }
    for (const CastRow& row : cast_rows) {
        if (static_cast<int>(row.from) != type_index<S>() || static_cast<int>(row.to) != type_index<D>()) continue;
        if ((row.modes >> static_cast<int>(mode) & 1) == 0)
            ACTGRAD_ERROR(dtype_unsupported, at, "Cast from %s to %s does not take CAST_%s on %s", type_name<S>(),
                          type_name<D>(), modes[static_cast<int>(mode) & 7], product_name());
        return true;
    }
    ACTGRAD_ERROR(dtype_unsupported, at, "Cast does not convert %s to %s on %s", type_name<S>(), type_name<D>(),
                  product_name());
    return true;
}

// The loop of a Cast: run(out, in, n).
template <class D, class S>
struct CastLoop {
    RoundMode mode;

    void operator()(D* out, const S* in, uint32_t n) const
    {
        const bool to_nearest = mode == RoundMode::CAST_NONE || mode == RoundMode::CAST_RINT;
        if constexpr (!is_number_v<D> || !is_number_v<S>) {
            return;
        } else if constexpr (std::is_same_v<D, S>) {
            if (!is_float_v<S> || sizeof(S) < 4) return void(std::memmove(static_cast<void*>(out), in, n * sizeof(S)));
            for (uint32_t i = 0; i < n; ++i) out[i] = static_cast<D>(round_to_integer(static_cast<wide_t<S>>(in[i]), mode));
        } else if constexpr (std::is_same_v<D, float> && is_narrow_v<S>) {
            to_float(in, out, n);
        } else if constexpr (std::is_same_v<S, float> && is_narrow_v<D>) {
            if (to_nearest) return from_float(in, out, n);
            for (uint32_t i = 0; i < n; ++i) out[i] = convert<D>(in[i], mode);
        } else if constexpr (std::is_same_v<S, int32_t> && std::is_same_v<D, half>) {
            for (uint32_t i = 0; i < n; ++i) {
                const float scaled = to_odd_float(static_cast<double>(in[i]) * core->deq_scale);
                from_float(&scaled, &out[i], 1);
            }
        } else if constexpr (std::is_integral_v<S> && std::is_integral_v<D>) {
            for (uint32_t i = 0; i < n; ++i) out[i] = convert<D>(in[i], mode);
        } else {
            for (uint32_t i = 0; i < n; ++i) out[i] = convert<D>(in[i], mode);
        }
    }
};

template <class D, class S>
inline void met_cast()
{
    if constexpr (is_narrow_v<D>) meet(Assumption::half_overflow);
    if constexpr (!is_float_v<D> && is_float_v<S>) meet(Assumption::float_to_integer);
}

}  // namespace actgrad

namespace AscendC {

template <class T, class U>
void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, actgrad::Count count,
          ACTGRAD_AT)
{
    if (!actgrad::check_cast<T, U>(roundMode, at)) return;
    actgrad::met_cast<T, U>();
    actgrad::first_n(actgrad::CastLoop<T, U>{roundMode}, "Cast", count.value, at, dst, src);
}
template <class T, class U, bool isSetMask = true>
void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, const actgrad::Mask& mask,
          U8 repeatTime, const UnaryRepeatParams& repeatParams, ACTGRAD_AT)
{
    if (!actgrad::check_cast<T, U>(roundMode, at)) return;
    actgrad::met_cast<T, U>();
    actgrad::strided(actgrad::CastLoop<T, U>{roundMode}, "Cast", mask, isSetMask, repeatTime.value, false, at,
                     actgrad::operand(dst, "destination", repeatParams.dstBlkStride, repeatParams.dstRepStride), dst,
                     actgrad::source(src, "source", repeatParams.srcBlkStride, repeatParams.srcRepStride));
}

// The factor of Cast from int32_t to half.
inline void SetDeqScale(half scale) { actgrad::core->deq_scale = static_cast<float>(scale); }

}  // namespace AscendC
