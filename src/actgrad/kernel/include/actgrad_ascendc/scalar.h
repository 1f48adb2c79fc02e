// Scalar calls: where the block is, workspace, bit counts, control bits, and output for debugging.
#pragma once

#include <cstdio>

#include "sync.h"

namespace AscendC {

inline int64_t GetBlockIdx() { return actgrad::core->block; }
inline int64_t GetBlockNum() { return actgrad::number_of_blocks; }
inline int64_t GetSubBlockIdx() { return 0; }
inline int64_t GetSubBlockNum() { return 1; }
inline int64_t GetTaskRation() { return 1; }
inline int64_t GetTaskRatio() { return 1; }
inline int16_t GetDataBlockSizeInBytes() { return 32; }
inline uint32_t GetVecLen() { return 256; }
inline uint32_t GetUBSizeInBytes() { return actgrad::options.ub; }
inline int64_t GetSystemCycle()
{
    static int64_t cycles = 0;
    return cycles += 100;  // a clock that only goes on
}

// A run has no system part in front of the user's workspace.
inline GM_ADDR GetUserWorkspace(GM_ADDR workspace) { return workspace; }
inline void SetSysWorkspace(GM_ADDR) {}
inline void SetSysWorkspaceForce(GM_ADDR) {}
inline void SetSysWorkSpace(GM_ADDR) {}

// The number of leading zeros of a word, 64 for 0; and the number of its bits that equal `value`.
inline int64_t ScalarCountLeadingZero(uint64_t word) { return word == 0 ? 64 : __builtin_clzll(word); }
inline int64_t CountLeadingZero(uint64_t word) { return ScalarCountLeadingZero(word); }
template <int value>
int64_t ScalarGetCountOfValue(uint64_t word)
{
    static_assert(value == 0 || value == 1, "a bit is 0 or 1");
    return value == 1 ? __builtin_popcountll(word) : 64 - __builtin_popcountll(word);
}
template <int value>
int64_t GetBitCount(uint64_t word)
{
    return ScalarGetCountOfValue<value>(word);
}
// The place of the first bit that equals `value`, from the lowest one on; -1 if there is none.
template <int value>
int64_t ScalarGetSFFValue(uint64_t word)
{
    const uint64_t searched = value == 1 ? word : ~word;
    return searched == 0 ? -1 : __builtin_ctzll(searched);
}
template <class From, class To, RoundMode mode>
To ScalarCast(From value)
{
    return actgrad::convert<To>(value, mode);
}
// The quotient, rounded up; 0 for a divisor of 0.
inline int32_t CeilDivision(int32_t num1, int32_t num2) { return num2 == 0 ? 0 : (num1 + num2 - 1) / num2; }

inline uint32_t AlignUp(uint32_t number, uint32_t unit) { return unit == 0 ? 0 : (number + unit - 1) / unit * unit; }
inline uint32_t DivCeil(uint32_t number, uint32_t unit) { return unit == 0 ? 0 : (number + unit - 1) / unit; }

inline float ToFloat(const bfloat16_t& value) { return static_cast<float>(value); }
inline bfloat16_t ToBfloat16(const float& value) { return bfloat16_t(value); }

// Control bits. Bit 48 of Ascend 950: 0 saturates half and bfloat16_t results, 1 keeps infinity and NaN.
template <int8_t startBit, int8_t endBit>
int64_t GetCtrlSpr()
{
    constexpr uint64_t bits = endBit - startBit == 63 ? ~0ull : (1ull << (endBit - startBit + 1)) - 1;
    return static_cast<int64_t>(actgrad::core->ctrl >> startBit & bits);
}
template <int8_t startBit, int8_t endBit>
void SetCtrlSpr(int64_t value)
{
    constexpr uint64_t bits = endBit - startBit == 63 ? ~0ull : (1ull << (endBit - startBit + 1)) - 1;
    uint64_t& ctrl = actgrad::core->ctrl;
    ctrl = (ctrl & ~(bits << startBit)) | (static_cast<uint64_t>(value) & bits) << startBit;
    if constexpr (startBit <= 48 && 48 <= endBit) {
        actgrad::options.half_overflows = ctrl >> 48 & 1;
        actgrad::meet(actgrad::Assumption::half_overflow);
    }
}

// ---- debugging

// The kernel found a condition false.
[[noreturn]] inline void assertion_failed(const char* condition, actgrad::Where at)
{
    ACTGRAD_ERROR(crash, at, "the kernel's assertion failed: %s", condition);
    throw actgrad::StopBlock();
}

// The kernel stops itself.
[[noreturn]] inline void Trap(ACTGRAD_AT)
{
    ACTGRAD_ERROR(crash, at, "the kernel calls Trap");
    throw actgrad::StopBlock();
}

template <class T>
void DumpTensor(const LocalTensor<T>& tensor, uint32_t description, uint32_t size, ACTGRAD_AT)
{
    std::printf("DumpTensor %u:", description);
    for (uint32_t i = 0; i < size; ++i) std::printf(" %g", static_cast<double>(static_cast<float>(tensor.GetValue(i, at))));
    std::printf("\n");
}
template <class T>
void DumpTensor(const GlobalTensor<T>& tensor, uint32_t description, uint32_t size, ACTGRAD_AT)
{
    std::printf("DumpTensor %u:", description);
    for (uint32_t i = 0; i < size; ++i) std::printf(" %g", static_cast<double>(static_cast<float>(tensor.GetValue(i, at))));
    std::printf("\n");
}
using ::std::printf;
#define PRINTF(...) ::std::printf(__VA_ARGS__)

}  // namespace AscendC

// The device's compiler has min and max of scalars without a namespace.
template <class A, class B> constexpr std::common_type_t<A, B> min(A a, B b) { return b < a ? b : a; }
template <class A, class B> constexpr std::common_type_t<A, B> max(A a, B b) { return a < b ? b : a; }

#define ENABLE_PRINTF()
#ifndef ASSERT
#define ASSERT(condition) \
    ((condition) ? void() : ::AscendC::assertion_failed(#condition, ::actgrad::Where{__FILE__, __LINE__}))
#endif
#define ASCENDC_ASSERT(condition, ...) ASSERT(condition)
#define KERNEL_LOG(...)
