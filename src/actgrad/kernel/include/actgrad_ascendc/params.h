// Parameter structures of copies and vector calls.
//
// The device has fields of 8 and 16 bits. A larger number loses its upper bits without a word, which is among the
// hardest faults to find. Each such field is therefore a class here that reports the loss (parameter-truncated) and
// then goes on with the number that the device would see.
#pragma once

#include "faults.h"

namespace actgrad {

template <class T>
struct Field {
    T value;

    Field() = default;
    template <class N, class = std::enable_if_t<std::is_arithmetic_v<N> || std::is_enum_v<N>>>
    constexpr Field(N number, ACTGRAD_AT) : value(static_cast<T>(number))
    {
        if (std::is_arithmetic_v<N> && static_cast<N>(value) != number) complain(static_cast<long long>(number), at);
    }
    template <class U>
    constexpr Field(Field<U> other, ACTGRAD_AT) : Field(other.value, at)
    {}
    constexpr operator T() const { return value; }
    template <class N> Field& operator+=(N number) { return *this = Field(value + number); }
    template <class N> Field& operator-=(N number) { return *this = Field(value - number); }
    template <class N> Field& operator*=(N number) { return *this = Field(value * number); }
    Field& operator++() { return *this = Field(value + 1); }

private:
    [[gnu::cold]] void complain(long long number, Where at) const
    {
        ACTGRAD_ERROR(parameter_truncated, at, "%lld does not fit into a parameter of %d bits; the device uses %lld",
                      number, static_cast<int>(8 * sizeof(T)), static_cast<long long>(value));
    }
};

using U8 = Field<uint8_t>;
using U16 = Field<uint16_t>;
using U32 = Field<uint32_t>;

// The number of elements of a call: int32_t or uint32_t on the device.
struct Count {
    int64_t value;

    template <class N, class = std::enable_if_t<std::is_arithmetic_v<N> || std::is_enum_v<N>>>
    constexpr Count(N number) : value(static_cast<int64_t>(number))
    {}
    template <class T>
    constexpr Count(Field<T> field) : value(field.value)
    {}
};

// The mask of a call: the number of leading elements of each repeat, or a bit for each element in two words.
struct Mask {
    bool has_bits;
    int64_t count;
    uint64_t bits[2];

    template <class N, class = std::enable_if_t<std::is_integral_v<N> || std::is_enum_v<N>>>
    constexpr Mask(N number) : has_bits(false), count(static_cast<int64_t>(number)), bits{0, 0}
    {}
    Mask(const uint64_t* words) : has_bits(true), count(0), bits{words[0], words[1]} {}
};

// A type that takes no part in template argument deduction: Muls(halfTensor, halfTensor, 0.5f, n) must compile.
template <class T>
struct Identity {
    using type = T;
};
template <class T>
using NonDeduced = typename Identity<T>::type;

}  // namespace actgrad

namespace AscendC {

using actgrad::U16;
using actgrad::U32;
using actgrad::U8;

// Strides of calls with one source, in blocks of 32 bytes: between blocks of a repeat, and between repeats.
struct UnaryRepeatParams {
    U16 dstBlkStride, srcBlkStride;
    U8 dstRepStride, srcRepStride;
    uint32_t blockNumber = 8;
    bool halfBlock = false, repeatStrideMode = false, strideSizeMode = false;

    UnaryRepeatParams() : UnaryRepeatParams(1, 1, 8, 8) {}
    UnaryRepeatParams(U16 dstBlock, U16 srcBlock, U8 dstRepeat, U8 srcRepeat, bool half = false)
        : dstBlkStride(dstBlock), srcBlkStride(srcBlock), dstRepStride(dstRepeat), srcRepStride(srcRepeat),
          halfBlock(half)
    {}
};

// Strides of calls with two sources, in blocks of 32 bytes.
struct BinaryRepeatParams {
    U8 dstBlkStride, src0BlkStride, src1BlkStride, dstRepStride, src0RepStride, src1RepStride;
    uint32_t blockNumber = 8;
    bool repeatStrideMode = false, strideSizeMode = false;

    BinaryRepeatParams() : BinaryRepeatParams(1, 1, 1, 8, 8, 8) {}
    BinaryRepeatParams(U8 dstBlock, U8 src0Block, U8 src1Block, U8 dstRepeat, U8 src0Repeat, U8 src1Repeat)
        : dstBlkStride(dstBlock), src0BlkStride(src0Block), src1BlkStride(src1Block), dstRepStride(dstRepeat),
          src0RepStride(src0Repeat), src1RepStride(src1Repeat)
    {}
};

// Strides of Copy, in blocks of 32 bytes.
struct CopyRepeatParams {
    U16 dstStride, srcStride, dstRepeatSize, srcRepeatSize;

    CopyRepeatParams() : CopyRepeatParams(1, 1, 8, 8) {}
    CopyRepeatParams(U16 dstBlock, U16 srcBlock, U16 dstRepeat, U16 srcRepeat)
        : dstStride(dstBlock), srcStride(srcBlock), dstRepeatSize(dstRepeat), srcRepeatSize(srcRepeat)
    {}
};

struct BrcbRepeatParams {
    U16 dstBlkStride, dstRepStride;

    BrcbRepeatParams() : BrcbRepeatParams(1, 8) {}
    BrcbRepeatParams(U16 dstBlock, U16 dstRepeat) : dstBlkStride(dstBlock), dstRepStride(dstRepeat) {}
};

// Strides of the destination of Gatherb, in blocks of 32 bytes.
struct GatherRepeatParams {
    U16 dstBlkStride, dstRepStride;
    uint32_t blockNumber = 8;
    bool repeatStrideMode = false, strideSizeMode = false;

    GatherRepeatParams() : GatherRepeatParams(1, 8) {}
    GatherRepeatParams(U8 dstBlock, U8 dstRepeat) : dstBlkStride(dstBlock.value), dstRepStride(dstRepeat.value) {}
};

struct GatherMaskParams {
    U8 src0BlockStride;
    U16 repeatTimes, src0RepeatStride;
    U8 src1RepeatStride;

    GatherMaskParams() : GatherMaskParams(1, 0, 8, 8) {}
    GatherMaskParams(U8 block, U16 repeats, U16 repeat, U8 pattern)
        : src0BlockStride(block), repeatTimes(repeats), src0RepeatStride(repeat), src1RepeatStride(pattern)
    {}
};

// Pieces of a copy. DataCopy counts length and gaps in blocks of 32 bytes. DataCopyPad counts the length in bytes, the
// gap in global memory in bytes and the gap in UB in blocks. A gap goes from the end of a piece to the next piece.
struct DataCopyParams {
    U16 blockCount, blockLen;
    union { U16 srcStride, srcGap; };
    union { U16 dstStride, dstGap; };

    DataCopyParams() : DataCopyParams(1, 0, 0, 0) {}
    DataCopyParams(U16 count, U16 length, U16 source, U16 destination)
        : blockCount(count), blockLen(length), srcStride(source), dstStride(destination)
    {}
};

// The same for DataCopyPad, with wide fields. Strides are signed on Ascend 950.
struct DataCopyExtParams {
#if __NPU_ARCH__ == 3510
    using Stride = int64_t;
#else
    using Stride = uint32_t;
#endif
    U16 blockCount;
    U32 blockLen;
    actgrad::Field<Stride> srcStride, dstStride;
    uint32_t rsv = 0;

    DataCopyExtParams() : DataCopyExtParams(1, 0, 0, 0, 0) {}
    DataCopyExtParams(U16 count, U32 length, actgrad::Field<Stride> source, actgrad::Field<Stride> destination,
                      uint32_t reserved)
        : blockCount(count), blockLen(length), srcStride(source), dstStride(destination), rsv(reserved)
    {}
};

// What DataCopyPad puts around each piece in UB. The paddings are numbers of elements, at most 32 bytes each.
struct DataCopyPadParams {
    bool isPad = false;
    U8 leftPadding = 0, rightPadding = 0;
    uint64_t paddingValue = 0;

    DataCopyPadParams() = default;
    DataCopyPadParams(bool pad, U8 left, U8 right, uint64_t value)
        : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value)
    {}
};

template <class T>
struct DataCopyPadExtParams {
    bool isPad = false;
    U8 leftPadding = 0, rightPadding = 0;
    T paddingValue{};

    DataCopyPadExtParams() = default;
    template <class N>
    DataCopyPadExtParams(bool pad, U8 left, U8 right, N value)
        : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(static_cast<T>(value))
    {}
};

struct TransDataTo5HDParams {
    bool dstHighHalf = false, srcHighHalf = false;
    U8 repeatTimes = 1;
    U16 dstRepStride = 0, srcRepStride = 0;

    TransDataTo5HDParams() = default;
    TransDataTo5HDParams(bool dstHigh, bool srcHigh, U8 repeats, U16 dstRepeat, U16 srcRepeat)
        : dstHighHalf(dstHigh), srcHighHalf(srcHigh), repeatTimes(repeats), dstRepStride(dstRepeat),
          srcRepStride(srcRepeat)
    {}
};

// Two loops around the next copies (Ascend 950). Strides are in bytes.
struct LoopModeParams {
    uint32_t loop1Size = 0, loop2Size = 0;
    uint64_t loop1SrcStride = 0, loop1DstStride = 0, loop2SrcStride = 0, loop2DstStride = 0;
};

// Part of one dimension of a copy of slices.
struct SliceInfo {
    uint32_t startIndex = 0, endIndex = 0, stride = 0, burstLen = 1, shapeValue = 0;
};

// A copy of up to five dimensions (Ascend 950). Index 0 is the innermost dimension; strides are in elements.
template <uint8_t dim>
struct NdDmaLoopInfo {
    uint64_t loopSrcStride[dim];
    uint32_t loopDstStride[dim], loopSize[dim];
    uint8_t loopLpSize[dim], loopRpSize[dim];
};
template <class T, uint8_t dim>
struct NdDmaParams {
    NdDmaLoopInfo<dim> loopInfo;
    T constantValue;
};
struct NdDmaConfig {
    bool isNearestValueMode = false;
    uint16_t loopLpSize = 0xFFFF, loopRpSize = 0xFFFF;
    bool ascOptimize = false;
};
template <uint8_t dim> using MultiCopyLoopInfo = NdDmaLoopInfo<dim>;
template <class T, uint8_t dim> using MultiCopyParams = NdDmaParams<T, dim>;
using MultiCopyConfig = NdDmaConfig;
inline constexpr NdDmaConfig kDefaultNdDmaConfig{};

}  // namespace AscendC
