// Number types, enumerations and keywords of Ascend C.
//
// On the CPU every address space is ordinary memory, so the keywords that name one are empty. `half` is the compiler's
// _Float16. `bfloat16_t` and the types of eight bits are classes that hold bits and convert through float.
#pragma once

// For headers that serve host and kernel.
#ifndef ACTGRAD_KERNEL
#define ACTGRAD_KERNEL
#endif

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>  // in the GNU library, this has std::min, std::max and std::fill, and compiles faster than <algorithm>
#if !defined(__GLIBCXX__)
#include <algorithm>
#endif

#define __aicore__
#define __global__
#define __gm__
#define __ubuf__
#define __cbuf__
#define __local_mem__
#define __tiling_data_ptr__
#define __vector__
#define __cube__
#define __mix__(...)
#define __simd_vf__
#define __sync_noalias__
#define __sync_alias__
#define __in_pipe__(...)
#define __out_pipe__(...)
#define GM_ADDR __gm__ uint8_t*

using half = _Float16;
using float16_t = half;
using float32_t = float;

namespace actgrad {

template <class To, class From>
inline To bits_of(From value)
{
    static_assert(sizeof(To) == sizeof(From), "only the type changes");
    To result;
    std::memcpy(&result, &value, sizeof result);
    return result;
}

// The unsigned integer of this many bytes.
template <size_t bytes>
using bits_t = std::conditional_t<bytes == 1, uint8_t, std::conditional_t<bytes == 2, uint16_t,
               std::conditional_t<bytes == 4, uint32_t, uint64_t>>>;

// The 16 upper bits of a float, rounded to nearest with ties to even. A NaN stays a NaN.
inline uint16_t bfloat16_bits(float value)
{
    const uint32_t bits = bits_of<uint32_t>(value);
    const uint32_t rounded = (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16;
    const uint32_t quiet_nan = (bits >> 16) | 0x40u;
    return static_cast<uint16_t>((bits & 0x7FFFFFFFu) > 0x7F800000u ? quiet_nan : rounded);
}

}  // namespace actgrad

// Eight bits of exponent, seven of mantissa.
struct bfloat16_t {
    uint16_t bits;

    bfloat16_t() = default;
    template <class T, class = std::enable_if_t<std::is_arithmetic_v<T> || std::is_same_v<T, half>>>
    bfloat16_t(T value) : bits(actgrad::bfloat16_bits(static_cast<float>(value)))
    {}
    operator float() const { return actgrad::bits_of<float>(static_cast<uint32_t>(bits) << 16); }
    bfloat16_t& operator+=(float value) { return *this = bfloat16_t(float(*this) + value); }
    bfloat16_t& operator-=(float value) { return *this = bfloat16_t(float(*this) - value); }
    bfloat16_t& operator*=(float value) { return *this = bfloat16_t(float(*this) * value); }
    bfloat16_t& operator/=(float value) { return *this = bfloat16_t(float(*this) / value); }
};
#if !defined(__BFLT16_MANT_DIG__)  // a compiler without a type of its own
#define __bf16 bfloat16_t
#endif

namespace actgrad {

// A floating type of eight bits: `exponent` bits of exponent with this bias, the rest mantissa.
// e4m3fn has no infinity: its largest exponent holds numbers, and all ones mean NaN.
template <int exponent, int bias, bool has_infinity>
struct Float8 {
    static constexpr int mantissa = 7 - exponent;
    uint8_t bits;

    Float8() = default;
    explicit Float8(float value) : bits(encode(value)) {}
    operator float() const
    {
        const int field = (bits >> mantissa) & ((1 << exponent) - 1), rest = bits & ((1 << mantissa) - 1);
        const int top = (1 << exponent) - 1;
        float size;
        if (has_infinity ? field == top : (bits & 0x7F) == 0x7F)
            size = has_infinity && rest == 0 ? INFINITY : NAN;
        else if (field == 0)
            size = std::ldexp(static_cast<float>(rest), 1 - bias - mantissa);
        else
            size = std::ldexp(static_cast<float>(rest + (1 << mantissa)), field - bias - mantissa);
        return bits & 0x80 ? -size : size;
    }
    static constexpr int largest = has_infinity ? (((1 << exponent) - 1) << mantissa) - 1 : 0x7E;

    // To nearest, ties to even. A number beyond the range becomes the largest one, as the documents say.
    static uint8_t encode(float value)
    {
        const uint8_t sign = std::signbit(value) ? 0x80 : 0;
        if (std::isnan(value)) return static_cast<uint8_t>(sign | 0x7F);
        const float size = std::fabs(value);
        if (std::isinf(size)) return static_cast<uint8_t>(sign | largest);
        int power = 0;
        if (size > 0) std::frexp(size, &power);
        const int step = std::max(power - 1, 1 - bias) - mantissa;  // the exponent of the last bit
        const int units = static_cast<int>(std::nearbyint(std::ldexp(size, -step)));
        const int code = units + ((step + mantissa + bias - 1) << mantissa);  // a carry moves into the exponent
        return static_cast<uint8_t>(sign | (code > largest ? largest : code));
    }
};

}  // namespace actgrad

using fp8_e5m2_t = actgrad::Float8<5, 15, true>;
using fp8_e4m3fn_t = actgrad::Float8<4, 7, false>;
struct hifloat8_t { uint8_t bits; };
struct fp8_e8m0_t { uint8_t bits; };
struct fp4x2_e2m1_t { uint8_t bits; };
struct fp4x2_e1m2_t { uint8_t bits; };
struct int4b_t { uint8_t bits; };

// Pipes of one core. Each one runs its instructions in order, and all of them run at the same time.
enum pipe_t { PIPE_S = 0, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_FIX };
enum event_t { EVENT_ID0 = 0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };
enum class CacheMode { CACHE_MODE_DISABLE = 0, CACHE_MODE_NORMAL = 1, CACHE_MODE_LAST = 2, CACHE_MODE_PERSISTENT = 4 };

// Codes of data types, for `#if (ORIG_DTYPE_X == DT_FLOAT16)`. They are the numbers of CANN's ge::DataType.
#define DT_FLOAT 0
#define DT_FLOAT16 1
#define DT_INT8 2
#define DT_INT32 3
#define DT_UINT8 4
#define DT_INT16 6
#define DT_UINT16 7
#define DT_UINT32 8
#define DT_INT64 9
#define DT_UINT64 10
#define DT_DOUBLE 11
#define DT_BOOL 12
#define DT_COMPLEX64 16
#define DT_COMPLEX128 17
#define DT_BF16 27
#define DT_INT4 29
#define DT_COMPLEX32 33
#define DT_HIFLOAT8 34
#define DT_FLOAT8_E5M2 35
#define DT_FLOAT8_E4M3FN 36
#define DT_FLOAT8_E8M0 37
#define DT_FLOAT4_E2M1 40
#define DT_FLOAT4_E1M2 41

namespace AscendC {

using ::bfloat16_t;
using ::float16_t;
using ::half;
using TEventID = int8_t;

// A logical position. VECIN, VECCALC and VECOUT all lie in the Unified Buffer (UB).
enum class TPosition : uint8_t {
    GM, A1, A2, B1, B2, C1, C2, CO1, CO2, VECIN, VECOUT, VECCALC, LCM = VECCALC, SPM, SHM = SPM, TSCM, C2PIPE2GM,
    C2PIPE2LOCAL, MAX
};
using QuePosition = TPosition;

// An event between two pipes: the first sets a flag, the second waits for it.
enum class HardEvent : uint8_t {
    MTE2_MTE1, MTE1_MTE2, MTE1_M, M_MTE1, MTE2_V, V_MTE2, MTE3_V, V_MTE3, M_V, V_M, V_V, MTE3_MTE1, MTE1_MTE3, MTE1_V,
    MTE2_M, M_MTE2, V_MTE1, M_FIX, FIX_M, MTE3_MTE2, MTE2_MTE3, S_V, V_S, S_MTE2, MTE2_S, S_MTE3, MTE3_S, MTE2_FIX,
    FIX_MTE2, FIX_S, M_S, FIX_MTE3, MTE1_FIX, FIX_MTE1, FIX_FIX, MAX
};

enum class RoundMode : uint8_t {
    CAST_NONE = 0,  // as CAST_RINT where the result is not exact
    CAST_RINT,      // to nearest, ties to even
    CAST_FLOOR,
    CAST_CEIL,
    CAST_ROUND,  // to nearest, ties away from zero
    CAST_TRUNC,
    CAST_ODD,     // what is dropped sets the last bit
    CAST_HYBRID,  // random, for hifloat8
};
enum class CMPMODE : uint8_t { LT = 0, GT, EQ, LE, GE, NE };
enum class SELMODE : uint8_t { VSEL_CMPMASK_SPR = 0, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };
enum class MaskMode : uint8_t { NORMAL = 0, COUNTER };
enum class PaddingMode : uint8_t { Normal = 0, Compact };
enum class ReduceOrder : uint8_t { ORDER_VALUE_INDEX = 0, ORDER_INDEX_VALUE, ORDER_ONLY_VALUE, ORDER_ONLY_INDEX };
enum class DataCopyMVType : uint8_t { UB_TO_OUT = 0, OUT_TO_UB };
enum class CacheRwMode : uint8_t { READ = 1, WRITE, RW };
enum class CacheLine : uint8_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE };
enum class DcciDst : uint8_t { CACHELINE_ALL = 0, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
enum class GatherMaskMode : uint8_t { VERSION_V1 = 0, VERSION_V2 };

enum KernelMetaType : uint8_t {
    KERNEL_TYPE_AIV_ONLY, KERNEL_TYPE_AIC_ONLY, KERNEL_TYPE_MIX_AIV_1_0, KERNEL_TYPE_MIX_AIC_1_0,
    KERNEL_TYPE_MIX_AIC_1_1, KERNEL_TYPE_MIX_AIC_1_2, KERNEL_TYPE_AICORE, KERNEL_TYPE_VECTORCORE,
    KERNEL_TYPE_MIX_AICORE, KERNEL_TYPE_MIX_VECTOR_CORE, KERNEL_TYPE_MAX
};

constexpr uint64_t MASK_PLACEHOLDER = 0;
constexpr uint32_t ONE_BLK_SIZE = 32;      // bytes of a block
constexpr uint32_t ONE_REPEAT_BYTE_SIZE = 256;
constexpr uint32_t DEFAULT_C0_SIZE = 32;
constexpr uint32_t DEFAULT_BLK_NUM = 8;    // blocks of a repeat
constexpr uint32_t DEFAULT_BLK_STRIDE = 1;
constexpr uint32_t DEFAULT_REPEAT_STRIDE = 8;
constexpr uint32_t MAX_REPEAT_TIMES = 255;
constexpr uint32_t NCHW_CONV_ADDR_LIST_SIZE = 16;
constexpr uint32_t DEFAULT_DATA_COPY_NBURST = 1;
constexpr uint32_t DEFAULT_DATA_COPY_STRIDE = 0;
constexpr uint32_t TILING_KEY_VAR_UNUSED = 0;

// Vector-only kernels run on a vector core (AIV).
constexpr int AIC = 1, AIV = 2, MIX = 0;
constexpr int g_coreType = AIV;
#define ASCEND_IS_AIV constexpr(::AscendC::g_coreType == ::AscendC::AIV)
#define ASCEND_IS_AIC constexpr(::AscendC::g_coreType == ::AscendC::AIC)

template <class A, class B>
struct IsSameType : std::is_same<A, B> {};

// The part of the C++ library that AscendC::Std repeats.
namespace Std {
template <class A, class B> using is_same = std::is_same<A, B>;
template <class A, class B> constexpr bool is_same_v = std::is_same_v<A, B>;
template <bool C, class T = void> using enable_if = std::enable_if<C, T>;
template <bool C, class T = void> using enable_if_t = std::enable_if_t<C, T>;
template <bool C, class A, class B> using conditional = std::conditional<C, A, B>;
template <bool C, class A, class B> using conditional_t = std::conditional_t<C, A, B>;
template <class T> using is_integral = std::is_integral<T>;
template <class T> using is_floating_point = std::is_floating_point<T>;
template <class T> using remove_reference_t = std::remove_reference_t<T>;
template <class T> using decay_t = std::decay_t<T>;
template <class A, A value> using integral_constant = std::integral_constant<A, value>;
template <class A, class B> constexpr std::common_type_t<A, B> min(const A& a, const B& b) { return b < a ? b : a; }
template <class A, class B> constexpr std::common_type_t<A, B> max(const A& a, const B& b) { return a < b ? b : a; }
}  // namespace Std

}  // namespace AscendC
