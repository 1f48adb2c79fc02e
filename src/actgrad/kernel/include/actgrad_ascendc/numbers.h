// Arithmetic on element types: conversions, rounding, and functions that are correct to the last bit.
//
// half and bfloat16_t compute in float and round once for each instruction; for + - * / and sqrt that equals rounding
// the exact result, because float has more than twice their bits. exp and log compute in double with an error of about
// 1e-15, so their results in float and half are correctly rounded except about once in ten million.
// These are not the numbers of the chip, which the documents do not give; they are what the documents promise at best.
#pragma once

#include <tuple>

#include "core.h"

namespace actgrad {

// The type that the arithmetic of an element type is done in.
template <class T> struct Wide { using type = T; };
template <> struct Wide<half> { using type = float; };
template <> struct Wide<bfloat16_t> { using type = float; };
template <class T> using wide_t = typename Wide<T>::type;
template <class T> constexpr bool is_narrow_v = !std::is_same_v<wide_t<T>, T>;
template <class T> constexpr bool is_float_v = std::is_floating_point_v<wide_t<T>>;

#if defined(__F16C__)
// Eight halves at once, by the compiler's names of the instructions: <immintrin.h> takes long to compile.
typedef short EightHalves __attribute__((vector_size(16)));
typedef float EightFloats __attribute__((vector_size(32)));
#endif

inline void to_float(const half* from, float* to, uint32_t n)
{
    uint32_t i = 0;
#if defined(__F16C__)
    for (; i + 8 <= n; i += 8) {
        EightHalves halves;
        std::memcpy(&halves, from + i, sizeof halves);
        const EightFloats floats = __builtin_ia32_vcvtph2ps256(halves);
        std::memcpy(to + i, &floats, sizeof floats);
    }
#endif
    for (; i < n; ++i) to[i] = static_cast<float>(from[i]);
}
inline void to_float(const bfloat16_t* from, float* to, uint32_t n)
{
    for (uint32_t i = 0; i < n; ++i) to[i] = bits_of<float>(static_cast<uint32_t>(from[i].bits) << 16);
}

// Results in half where the mode saturates: infinity becomes the largest number, NaN becomes 0.
inline void saturate(const float* from, float* to, uint32_t n, float largest)
{
    for (uint32_t i = 0; i < n; ++i) {
        const float clamped = from[i] > largest ? largest : from[i] < -largest ? -largest : from[i];
        to[i] = from[i] == from[i] ? clamped : 0.0f;
    }
}

inline void from_float(const float* from, half* to, uint32_t n)
{
    float clamped[256];
    if (!options.half_overflows) {
        for (; n > 256; n -= 256, from += 256, to += 256) {
            saturate(from, clamped, 256, 65504.0f);
            for (uint32_t i = 0; i < 256; ++i) to[i] = static_cast<half>(clamped[i]);
        }
        saturate(from, clamped, n, 65504.0f);
        from = clamped;
    }
    uint32_t i = 0;
#if defined(__F16C__)
    for (; i + 8 <= n; i += 8) {
        EightFloats floats;
        std::memcpy(&floats, from + i, sizeof floats);
        const EightHalves halves = __builtin_ia32_vcvtps2ph256(floats, 0);  // 0: to nearest, ties to even
        std::memcpy(static_cast<void*>(to + i), &halves, sizeof halves);
    }
#endif
    for (; i < n; ++i) to[i] = static_cast<half>(from[i]);
}
inline void from_float(const float* from, bfloat16_t* to, uint32_t n)
{
    for (uint32_t i = 0; i < n; ++i) {
        float value = from[i];
        if (!options.half_overflows) saturate(&value, &value, 1, 3.38953139e38f);
        to[i].bits = bfloat16_bits(value);
    }
}

// A double rounded once to float. Rounding on to half would round twice, so the last bit of the float remembers what
// was dropped; half has few enough bits that the second rounding is then the only one that counts.
inline float to_odd_float(double value)
{
    float rounded = static_cast<float>(value);
    if (static_cast<double>(rounded) != value && std::isfinite(rounded)) {
        uint32_t bits = bits_of<uint32_t>(rounded);
        const bool too_large = std::fabs(static_cast<double>(rounded)) > std::fabs(value);
        bits = too_large ? bits - 1 : bits;  // toward zero, then sticky
        rounded = bits_of<float>(bits | 1u);
    }
    return rounded;
}

// Applies f to arrays of elements in the wide type, in pieces that stay in the first cache.
template <class T, class F, class... S>
inline void map_wide(T* out, uint32_t n, F f, const S*... in)
{
    if constexpr (!is_narrow_v<T> && (!is_narrow_v<S> && ...)) {
        for (uint32_t i = 0; i < n; ++i) out[i] = f(in[i]...);
    } else {
        constexpr uint32_t piece = 256;
        const auto widen = [](auto* from, auto* buffer, uint32_t count) {
            using From = std::decay_t<decltype(*from)>;
            if constexpr (is_narrow_v<From>) {
                to_float(from, buffer, count);
                return static_cast<const float*>(buffer);
            } else {
                return from;
            }
        };
        for (uint32_t done = 0; done < n; done += piece) {
            const uint32_t count = std::min(piece, n - done);
            float results[piece], buffers[sizeof...(S)][piece];
            int index = 0;
            const auto apply = [&](const auto*... wide) {
                using R = wide_t<T>;
                if constexpr (is_narrow_v<T>) {
                    for (uint32_t i = 0; i < count; ++i) results[i] = f(wide[i]...);
                } else {
                    for (uint32_t i = 0; i < count; ++i) out[done + i] = static_cast<R>(f(wide[i]...));
                }
            };
            std::apply(apply, std::tuple{widen(in + done, buffers[index++], count)...});
            if constexpr (is_narrow_v<T>) from_float(results, out + done, count);
        }
    }
}

// ---- functions

// e^x for x in double, without branches, so that loops over it vectorise.
inline double exp_of(double x)
{
    const double clamped = x < -745.2 ? -745.2 : x > 709.8 ? 709.8 : x;
    const double n = std::nearbyint(clamped * 1.4426950408889634);
    const double r = (clamped - n * 0.6931471803691238) - n * 1.9082149292705877e-10;
    // The Taylor series of e^r for |r| <= 0.35: the first term left out is below 1e-17.
    double p = 1.0 / 6227020800.0;
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    // 2^n in two factors: n may lie outside of the exponents of normal numbers. Adding 1.5 * 2^52 puts n into the
    // low bits of the double.
    const double half_n = std::nearbyint(n * 0.5), magic = 6755399441055744.0;
    const int64_t first = bits_of<int64_t>(half_n + magic) << 52;
    const int64_t second = bits_of<int64_t>(n - half_n + magic) << 52;
    const double one = 1.0;
    const int64_t one_bits = bits_of<int64_t>(one);
    const double value = p * bits_of<double>(one_bits + first) * bits_of<double>(one_bits + second);
    const double bounded = x > 709.8 ? INFINITY : x < -745.2 ? 0.0 : value;
    return x == x ? bounded : x;
}

// ln x for x that a float holds. Only operations that vectorise without AVX-512.
inline double log_of(double x)
{
    // The exponent e, plus 1023, with m = x / 2^e in [sqrt(1/2), sqrt(2)).
    const uint64_t bits = bits_of<uint64_t>(x);
    const uint64_t biased = (bits + (0x3FF0000000000000ull - 0x3FE6A09E667F3BCDull)) >> 52;
    const double exponent = bits_of<double>(biased | 0x4330000000000000ull) - (4503599627370496.0 + 1023.0);
    const double m = bits_of<double>(bits - (biased << 52) + 0x3FF0000000000000ull);
    const double s = (m - 1.0) / (m + 1.0), t = s * s;
    // 2 artanh(s) for |s| <= 0.1716: the first term left out is below 1e-17.
    double p = 1.0 / 21.0;
    p = p * t + 1.0 / 19.0;
    p = p * t + 1.0 / 17.0;
    p = p * t + 1.0 / 15.0;
    p = p * t + 1.0 / 13.0;
    p = p * t + 1.0 / 11.0;
    p = p * t + 1.0 / 9.0;
    p = p * t + 1.0 / 7.0;
    p = p * t + 1.0 / 5.0;
    p = p * t + 1.0 / 3.0;
    const double value = exponent * 0.6931471805599453 + (2.0 * s + 2.0 * s * t * p);
    const double positive = x == INFINITY ? INFINITY : value;
    return x > 0.0 ? positive : x == 0.0 ? -INFINITY : NAN;
}

// Results below the smallest normal float, in calls that flush them on Ascend 950.
template <class T>
inline T subnormal(T value, bool keeps)
{
    if constexpr (std::is_same_v<T, float>)
        return !keeps && std::fabs(value) < 1.17549435e-38f ? std::copysign(0.0f, value) : value;
    else
        return value;
}

// A result in double, rounded once to the element type.
template <class T>
inline void round_results(const double* from, T* to, uint32_t n)
{
    if constexpr (std::is_same_v<T, half>) {
        float odd[256];
        for (uint32_t done = 0; done < n; done += 256) {
            const uint32_t count = std::min<uint32_t>(256, n - done);
            for (uint32_t i = 0; i < count; ++i) odd[i] = to_odd_float(from[done + i]);
            from_float(odd, to + done, count);
        }
    } else {
        const bool keeps = options.keeps_subnormals;
        for (uint32_t i = 0; i < n; ++i) to[i] = static_cast<T>(subnormal(static_cast<float>(from[i]), keeps));
    }
}

// Applies a function of double to half or float elements and rounds once.
template <class T, class F, class... S>
inline void map_exact(T* out, uint32_t n, F f, const S*... in)
{
    constexpr uint32_t piece = 256;
    for (uint32_t done = 0; done < n; done += piece) {
        const uint32_t count = std::min(piece, n - done);
        double results[piece];
        map_wide(results, count, [&](auto... x) { return static_cast<double>(f(static_cast<double>(x)...)); },
                 (in + done)...);
        round_results(results, out + done, count);
    }
}

// ---- rounding

using AscendC::RoundMode;

template <class F>
inline F round_to_integer(F x, RoundMode mode)
{
    switch (mode) {
        case RoundMode::CAST_FLOOR: return std::floor(x);
        case RoundMode::CAST_CEIL: return std::ceil(x);
        case RoundMode::CAST_TRUNC: return std::trunc(x);
        case RoundMode::CAST_ROUND: return std::round(x);
        case RoundMode::CAST_ODD: {
            const F cut = std::trunc(x);
            return cut != x && std::fmod(cut, F(2)) == 0 ? cut + std::copysign(F(1), x) : cut;
        }
        default: return std::nearbyint(x);
    }
}

// x with `digits` binary digits and this smallest exponent of the last digit.
template <class F>
inline F round_to_digits(F x, int digits, int smallest, RoundMode mode)
{
    if (x == 0 || !std::isfinite(x)) return x;
    int power;
    std::frexp(x, &power);
    const int step = std::max(power - digits, smallest);
    return std::ldexp(round_to_integer(std::ldexp(x, -step), mode), step);
}

template <class D, class S>
inline D convert(S value, RoundMode mode)
{
    // long double holds each integer of 64 bits.
    using F = std::conditional_t<std::is_integral_v<S> && sizeof(S) == 8, long double, double>;
    if constexpr (std::is_same_v<D, bool>) {
        return value != S(0);
    } else if constexpr (std::is_integral_v<D>) {
        F exact;
        if constexpr (std::is_integral_v<S>) exact = static_cast<F>(value);
        else exact = round_to_integer(static_cast<F>(static_cast<wide_t<S>>(value)), mode);
        if (exact != exact) return 0;
        if (exact >= static_cast<F>(std::numeric_limits<D>::max())) return std::numeric_limits<D>::max();
        if (exact <= static_cast<F>(std::numeric_limits<D>::min())) return std::numeric_limits<D>::min();
        return static_cast<D>(exact);
    } else {
        const F exact = static_cast<F>(static_cast<std::conditional_t<std::is_integral_v<S>, S, float>>(value));
        if constexpr (std::is_same_v<D, float>) {
            return static_cast<float>(round_to_digits(exact, 24, -149, mode));
        } else if constexpr (std::is_same_v<D, half>) {
            const float rounded = static_cast<float>(round_to_digits(exact, 11, -24, mode));
            half result;
            from_float(&rounded, &result, 1);
            return result;
        } else if constexpr (std::is_same_v<D, bfloat16_t>) {
            const float rounded = static_cast<float>(round_to_digits(exact, 8, -133, mode));
            bfloat16_t result;
            from_float(&rounded, &result, 1);
            return result;
        } else {
            return static_cast<D>(static_cast<float>(exact));
        }
    }
}

}  // namespace actgrad
