// Calls that move elements to other places: transposes, gathers, broadcasts and index sequences.
//
// Each of them moves the definition of the bytes with the bytes.
#pragma once

#include "copies.h"
#include "reduce.h"

namespace actgrad {

using AscendC::TransDataTo5HDParams;

// An element with the knowledge whether it has a value.
template <class T>
struct Held {
    T value;
    bool is_value;
    Where origin;
};

template <class T>
inline Held<T> take(uint32_t address, Where at)
{
    Held<T> held{{}, true, at};
    std::memcpy(static_cast<void*>(&held.value), core->ub + address, sizeof(T));
    if (options.checks && !core->shadow->is_defined(address, sizeof(T))) {
        held.is_value = false;
        held.origin = origin_of(address, sizeof(T), at);
    }
    return held;
}
template <class T>
inline void put(uint32_t address, const Held<T>& held)
{
    put_result(address, held.value, held.is_value, held.origin);
}

// Checks that [address, address + bytes) may be read or written, and notes it.
inline bool note_read(const View& view, uint32_t address, int64_t bytes, const char* role, Where at, uint32_t alignment = 32)
{
    if (!options.checks) return true;
    if (!core->may_use(view, address, bytes, role, at, alignment)) return false;
    core->reads(PIPE_V, address / block_bytes, static_cast<uint32_t>((address + bytes + block_bytes - 1) / block_bytes), at);
    return true;
}
inline bool note_write(const View& view, uint32_t address, int64_t bytes, const char* role, Where at, uint32_t alignment = 32)
{
    if (!options.checks) return true;
    if (!core->may_use(view, address, bytes, role, at, alignment)) return false;
    core->writes(PIPE_V, address / block_bytes, static_cast<uint32_t>((address + bytes + block_bytes - 1) / block_bytes), at);
    return true;
}

// The operands of these calls start at a multiple of 32 bytes, and lie apart.
inline bool usable_operand(const View& view, int64_t bytes, const char* role, Where at)
{
    return !options.checks || core->may_use(view, view.address, bytes, role, at);
}
inline void require_apart(const View& dst, int64_t dst_bytes, const View& src, int64_t src_bytes, Where at)
{
    if (options.checks && dst.address < src.address + src_bytes && src.address < dst.address + dst_bytes)
        ACTGRAD_ERROR(overlap, at, "the destination and the source overlap; they must lie apart");
}

// 16 blocks of 32 bytes to 16 blocks. 16-bit types: a transposed matrix of 16 x 16. 32-bit types: 16 blocks of 8
// elements become 8 rows of 16; the destination blocks 2j and 2j + 1 hold element j of the sources 0 to 7 and 8 to 15.
// 8-bit types: the lower or upper halves of the blocks.
template <class T>
inline void transpose_blocks(const View* dst, const View* src, const TransDataTo5HDParams& p, Where at)
{
    start(at);
    require_type<T>(Call::TransDataTo5HD, "TransDataTo5HD", at);
    constexpr uint32_t columns = sizeof(T) == 4 ? 8 : 16;
    for (uint32_t repeat = 0; repeat < p.repeatTimes; ++repeat) {
        const uint32_t from = repeat * p.srcRepStride * block_bytes, to = repeat * p.dstRepStride * block_bytes;
        for (int i = 0; i < 16; ++i)
            if (!note_read(src[i], src[i].address + from, block_bytes, "source", at) ||
                !note_write(dst[i], dst[i].address + to, block_bytes, "destination", at))
                return;
        Held<T> elements[16][16];
        const uint32_t skipped = sizeof(T) == 1 && p.srcHighHalf ? 16 : 0, offset = sizeof(T) == 1 && p.dstHighHalf ? 16 : 0;
        for (uint32_t row = 0; row < 16; ++row)
            for (uint32_t column = 0; column < columns; ++column)
                elements[row][column] = take<T>(src[row].address + from + (skipped + column) * sizeof(T), at);
        for (uint32_t row = 0; row < 16; ++row)
            for (uint32_t column = 0; column < columns; ++column) {
                const uint32_t block = sizeof(T) == 4 ? 2 * column + row / 8 : column;
                const uint32_t place = sizeof(T) == 4 ? row % 8 : offset + row;
                put(dst[block].address + to + place * static_cast<uint32_t>(sizeof(T)), elements[row][column]);
            }
    }
}

}  // namespace actgrad

namespace AscendC {

// ---- TransDataTo5HD: the blocks as tensors, or as their addresses

template <class T>
void TransDataTo5HD(const LocalTensor<T> (&dstList)[NCHW_CONV_ADDR_LIST_SIZE],
                    const LocalTensor<T> (&srcList)[NCHW_CONV_ADDR_LIST_SIZE], const TransDataTo5HDParams& p, ACTGRAD_AT)
{
    actgrad::View dst[16], src[16];
    for (int i = 0; i < 16; ++i) dst[i] = dstList[i], src[i] = srcList[i];
    actgrad::transpose_blocks<T>(dst, src, p, at);
}
template <class T>
void TransDataTo5HD(uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE], uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE],
                    const TransDataTo5HDParams& p, ACTGRAD_AT)
{
    actgrad::View dst[16], src[16];
    for (int i = 0; i < 16; ++i) {
        dst[i] = actgrad::tensor_at(reinterpret_cast<const T*>(dstList[i]));
        src[i] = actgrad::tensor_at(reinterpret_cast<const T*>(srcList[i]));
    }
    actgrad::transpose_blocks<T>(dst, src, p, at);
}
// The name of the layer below.
template <class T>
void TransDataTo5HDImpl(__ubuf__ T* dstList[NCHW_CONV_ADDR_LIST_SIZE], __ubuf__ T* srcList[NCHW_CONV_ADDR_LIST_SIZE],
                        const TransDataTo5HDParams& p, ACTGRAD_AT)
{
    actgrad::View dst[16], src[16];
    for (int i = 0; i < 16; ++i) dst[i] = actgrad::tensor_at(dstList[i]), src[i] = actgrad::tensor_at(srcList[i]);
    actgrad::transpose_blocks<T>(dst, src, p, at);
}
template <class T>
void TransDataTo5HD(const LocalTensor<uint64_t>& dst, const LocalTensor<uint64_t>& src, const TransDataTo5HDParams& p, ACTGRAD_AT)
{
    uint64_t dstList[16], srcList[16];
    for (int i = 0; i < 16; ++i) dstList[i] = dst.GetValue(i, at), srcList[i] = src.GetValue(i, at);
    TransDataTo5HD<T>(dstList, srcList, p, at);
}

// A matrix of 16 x 16 elements of 16 bits.
template <class T>
void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src, ACTGRAD_AT)
{
    static_assert(sizeof(T) == 2, "Transpose takes elements of 16 bits");
    actgrad::View to[16], from[16];
    for (int i = 0; i < 16; ++i) to[i] = dst[16 * i], from[i] = src[16 * i];
    actgrad::transpose_blocks<T>(to, from, TransDataTo5HDParams(), at);
}

// ---- Gather and Scatter: offsets are bytes

template <class T>
void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
            uint32_t srcBaseAddr, actgrad::Count count, ACTGRAD_AT)
{
    actgrad::start(at);
    actgrad::require_type<T>(actgrad::Call::Gather, "Gather", at);
    if (!actgrad::usable_count(count.value, "Gather", at)) return;
    if (!actgrad::note_read(srcOffset, srcOffset.address, 4 * count.value, "offsets", at) ||
        !actgrad::note_write(dst, dst.address, count.value * sizeof(T), "destination", at) ||
        !actgrad::usable_operand(src, 0, "source", at))
        return;
    for (int64_t i = 0; i < count.value; ++i) {
        const auto offset = actgrad::take<uint32_t>(srcOffset.address + static_cast<uint32_t>(4 * i), at);
        const uint32_t from = src.address + srcBaseAddr + offset.value;
        actgrad::View place = src;
        place.address = from;
        actgrad::require_apart(dst, count.value * sizeof(T), place, sizeof(T), at);
        if (!actgrad::note_read(src, from, sizeof(T), "source", at, sizeof(T))) return;
        auto element = actgrad::take<T>(from, at);
        if (!offset.is_value) element.is_value = false, element.origin = offset.origin;
        actgrad::put(dst.address + static_cast<uint32_t>(i * sizeof(T)), element);
    }
}
template <class T>
void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
            uint32_t srcBaseAddr, const actgrad::Mask& mask, U8 repeatTime, U16 dstRepStride, ACTGRAD_AT)
{
    actgrad::start(at);
    actgrad::require_type<T>(actgrad::Call::Gather, "Gather", at);
    constexpr uint32_t lanes = 256 / sizeof(T);
    const auto active = actgrad::pick(mask, true, repeatTime, lanes, "Gather", at);
    const actgrad::Operand to = actgrad::operand(dst, "destination", 1, dstRepStride);
    if (!actgrad::note_read(srcOffset, srcOffset.address, int64_t{4} * lanes * active.repeats, "offsets", at)) return;
    for (uint32_t repeat = 0; repeat < active.repeats; ++repeat)
        for (uint32_t lane = 0; lane < lanes; ++lane) {
            if (!active.has(repeat, lane)) continue;
            const auto offset = actgrad::take<uint32_t>(srcOffset.address + 4 * (repeat * lanes + lane), at);
            const uint32_t from = src.address + srcBaseAddr + offset.value;
            const uint32_t target = actgrad::lane_address(to, repeat, lane);
            if (!actgrad::note_read(src, from, sizeof(T), "source", at, sizeof(T)) ||
                !actgrad::note_write(dst, target, sizeof(T), "destination", at, sizeof(T)))
                return;
            actgrad::put(target, actgrad::take<T>(from, at));
        }
}
// Eight blocks of 32 bytes in each repeat; an offset for each block, a multiple of 32 bytes.
template <class T>
void Gatherb(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<uint32_t>& offset,
             U8 repeatTime, const GatherRepeatParams& repeatParams, ACTGRAD_AT)
{
    actgrad::start(at);
    actgrad::require_type<T>(actgrad::Call::Gatherb, "Gatherb", at);
    constexpr uint32_t block = actgrad::block_bytes;
    if (!actgrad::note_read(offset, offset.address, int64_t{32} * repeatTime.value, "offsets", at)) return;
    for (uint32_t each = 0; each < 8u * repeatTime.value; ++each) {
        const auto from = actgrad::take<uint32_t>(offset.address + 4 * each, at);
        const uint32_t to = dst.address + (each / 8 * repeatParams.dstRepStride + each % 8 * repeatParams.dstBlkStride) * block;
        if (!actgrad::note_read(src0, src0.address + from.value, block, "source", at) ||
            !actgrad::note_write(dst, to, block, "destination", at))
            return;
        for (uint32_t i = 0; i < block; i += sizeof(T)) {
            auto element = actgrad::take<T>(src0.address + from.value + i, at);
            if (!from.is_value) element.is_value = false, element.origin = from.origin;
            actgrad::put(to + i, element);
        }
    }
}
template <class T>
void Scatter(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& dstOffset,
             uint32_t dstBaseAddr, actgrad::Count count, ACTGRAD_AT)
{
    actgrad::start(at);
    actgrad::require_type<T>(actgrad::Call::Scatter, "Scatter", at);
    if (!actgrad::usable_count(count.value, "Scatter", at)) return;
    if (!actgrad::note_read(dstOffset, dstOffset.address, 4 * count.value, "offsets", at) ||
        !actgrad::note_read(src, src.address, count.value * sizeof(T), "source", at))
        return;
    for (int64_t i = 0; i < count.value; ++i) {
        const auto offset = actgrad::take<uint32_t>(dstOffset.address + static_cast<uint32_t>(4 * i), at);
        const uint32_t to = dst.address + dstBaseAddr + offset.value;
        if (!actgrad::note_write(dst, to, sizeof(T), "destination", at, sizeof(T))) return;
        actgrad::put(to, actgrad::take<T>(src.address + static_cast<uint32_t>(i * sizeof(T)), at));
    }
}

// ---- GatherMask: the elements that a pattern picks, one after the other
// Patterns 1 to 7: even places, odd places, the first, second, third, fourth of four, all. Or a tensor of bits.

}  // namespace AscendC

namespace actgrad {

template <class T, class Picks>
inline void gather_picked(const LocalTensor<T>& dst, const LocalTensor<T>& src, Picks picks, bool reduce_mode,
                          uint32_t mask, const AscendC::GatherMaskParams& p, uint64_t& kept, Where at)
{
    constexpr uint32_t lanes = 256 / sizeof(T);
    const Operand from = operand(src, "source", p.src0BlockStride, p.src0RepeatStride);
    kept = 0;
    if (!usable_operand(src, 0, "source", at) || !usable_operand(dst, 0, "destination", at)) return;
    const bool total = __NPU_ARCH__ == 2002 && reduce_mode;  // the mask is the number of all elements
    const uint32_t repeats = total ? (mask + lanes - 1) / lanes : p.repeatTimes.value;
    for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
        const uint32_t count = !reduce_mode ? lanes : total ? std::min(lanes, mask - repeat * lanes) : mask;
        for (uint32_t lane = 0; lane < count; ++lane) {
            if (!picks(repeat, lane)) continue;
            // A mask larger than a repeat goes on behind it, as the blocks do.
            const uint32_t address = lane_address(from, repeat, lane);
            const uint32_t to = dst.address + static_cast<uint32_t>(kept * sizeof(T));
            if (!note_read(src, address, sizeof(T), "source", at, sizeof(T)) ||
                !note_write(dst, to, sizeof(T), "destination", at, sizeof(T)))
                return;
            put(to, take<T>(address, at));
            ++kept;
        }
    }
}

}  // namespace actgrad

namespace AscendC {

template <class T, GatherMaskMode mode = GatherMaskMode::VERSION_V2>
void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, uint8_t src1Pattern, bool reduceMode,
                uint32_t mask, const GatherMaskParams& p, uint64_t& rsvdCnt, ACTGRAD_AT)
{
    actgrad::start(at);
    if (src1Pattern < 1 || src1Pattern > 7)
        ACTGRAD_ERROR(mask_or_repeat, at, "the pattern of GatherMask is %d; the patterns are 1 to 7", src1Pattern);
    const auto picks = [=](uint32_t, uint32_t lane) {
        switch (src1Pattern) {
            case 1: return lane % 2 == 0;
            case 2: return lane % 2 == 1;
            case 7: return true;
            default: return src1Pattern >= 3 && lane % 4 == src1Pattern - 3u;
        }
    };
    actgrad::gather_picked(dst, src0, picks, reduceMode, mask, p, rsvdCnt, at);
}
template <class T, class U, GatherMaskMode mode = GatherMaskMode::VERSION_V2>
void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<U>& src1Pattern,
                bool reduceMode, uint32_t mask, const GatherMaskParams& p, uint64_t& rsvdCnt, ACTGRAD_AT)
{
    actgrad::start(at);
    const auto picks = [&](uint32_t repeat, uint32_t lane) {
        const uint32_t byte = src1Pattern.address + repeat * p.src1RepeatStride * 32 + lane / 8;
        if (!actgrad::note_read(src1Pattern, byte, 1, "pattern", at, 1)) return false;
        return (actgrad::core->ub[byte] >> lane % 8 & 1) != 0;
    };
    actgrad::gather_picked(dst, src0, picks, reduceMode, mask, p, rsvdCnt, at);
}

// ---- Brcb: each of 8 source elements of a repeat fills one block of 32 bytes

template <class T>
void Brcb(const LocalTensor<T>& dst, const LocalTensor<T>& src, U8 repeatTime, const BrcbRepeatParams& p, ACTGRAD_AT)
{
    actgrad::start(at);
    actgrad::require_type<T>(actgrad::Call::Brcb, "Brcb", at);
    if (!actgrad::note_read(src, src.address, int64_t{8} * repeatTime * sizeof(T), "source", at)) return;
    if (repeatTime != 0) {
        const int64_t last = (repeatTime - 1) * p.dstRepStride + 7 * p.dstBlkStride;
        actgrad::require_apart(dst, 32 * (last + 1), src, int64_t{8} * repeatTime * sizeof(T), at);
    }
    for (uint32_t repeat = 0; repeat < repeatTime; ++repeat)
        for (uint32_t element = 0; element < 8; ++element) {
            const auto held = actgrad::take<T>(src.address + (8 * repeat + element) * static_cast<uint32_t>(sizeof(T)), at);
            const uint32_t to = dst.address + 32 * (repeat * p.dstRepStride + element * p.dstBlkStride);
            if (!actgrad::note_write(dst, to, 32, "destination", at)) return;
            for (uint32_t byte = 0; byte < 32; byte += sizeof(T)) actgrad::put(to + byte, held);
        }
}

// ---- CreateVecIndex, ArithProgression, Arange: first + i * step

}  // namespace AscendC

namespace actgrad {

template <class T>
inline auto progression(T first, T step)
{
    return [=](T* out, uint32_t n) {
        using W = std::conditional_t<std::is_floating_point_v<wide_t<T>>, wide_t<T>, int64_t>;
        for (uint32_t i = 0; i < n; ++i)
            out[i] = static_cast<T>(static_cast<W>(first) + static_cast<W>(i) * static_cast<W>(step));
    };
}

}  // namespace actgrad

namespace AscendC {

template <class T>
void CreateVecIndex(LocalTensor<T> dst, const actgrad::NonDeduced<T>& firstValue, actgrad::Count count, ACTGRAD_AT)
{
    actgrad::require_type<T>(actgrad::Call::CreateVecIndex, "CreateVecIndex", at);
    actgrad::first_n(actgrad::progression<T>(firstValue, T(1)), "CreateVecIndex", count.value, at, dst);
}
template <class T>
void ArithProgression(const LocalTensor<T>& dst, const actgrad::NonDeduced<T> firstValue,
                      const actgrad::NonDeduced<T> diffValue, actgrad::Count count, ACTGRAD_AT)
{
    actgrad::first_n(actgrad::progression<T>(firstValue, diffValue), "ArithProgression", count.value, at, dst);
}
template <class T>
void Arange(const LocalTensor<T>& dst, const actgrad::NonDeduced<T> firstValue,
            const actgrad::NonDeduced<T> diffValue, actgrad::Count count, ACTGRAD_AT)
{
    actgrad::first_n(actgrad::progression<T>(firstValue, diffValue), "Arange", count.value, at, dst);
}

// ---- Interleave and DeInterleave (Ascend 950)

// src0 and src1 element by element; the first half of the result goes to dst0, the second to dst1.
template <class T>
void Interleave(const LocalTensor<T>& dst0, const LocalTensor<T>& dst1, const LocalTensor<T>& src0,
                const LocalTensor<T>& src1, actgrad::Count count, ACTGRAD_AT)
{
    actgrad::start(at);
    actgrad::require_type<T>(actgrad::Call::Interleave, "Interleave", at);
    const int64_t n = count.value, bytes = n * sizeof(T);
    if (n % 2 != 0) ACTGRAD_ERROR(mask_or_repeat, at, "the count of Interleave is %lld; it must be even", static_cast<long long>(n));
    if (!actgrad::note_read(src0, src0.address, bytes, "first source", at) ||
        !actgrad::note_read(src1, src1.address, bytes, "second source", at) ||
        !actgrad::note_write(dst0, dst0.address, bytes, "first destination", at) ||
        !actgrad::note_write(dst1, dst1.address, bytes, "second destination", at))
        return;
    for (int64_t i = 0; i < 2 * n; ++i) {
        const auto& src = i % 2 == 0 ? src0 : src1;
        const auto& dst = i < n ? dst0 : dst1;
        actgrad::put(dst.address + static_cast<uint32_t>(i % n * sizeof(T)),
                     actgrad::take<T>(src.address + static_cast<uint32_t>(i / 2 * sizeof(T)), at));
    }
}
// The even elements of src0 and src1, one behind the other, go to dst0, the odd ones to dst1.
template <class T>
void DeInterleave(const LocalTensor<T>& dst0, const LocalTensor<T>& dst1, const LocalTensor<T>& src0,
                  const LocalTensor<T>& src1, actgrad::Count count, ACTGRAD_AT)
{
    actgrad::start(at);
    actgrad::require_type<T>(actgrad::Call::DeInterleave, "DeInterleave", at);
    const int64_t n = count.value, bytes = n * sizeof(T);
    if (n % 2 != 0) ACTGRAD_ERROR(mask_or_repeat, at, "the count of DeInterleave is %lld; it must be even", static_cast<long long>(n));
    if (!actgrad::note_read(src0, src0.address, bytes, "first source", at) ||
        !actgrad::note_read(src1, src1.address, bytes, "second source", at) ||
        !actgrad::note_write(dst0, dst0.address, bytes, "first destination", at) ||
        !actgrad::note_write(dst1, dst1.address, bytes, "second destination", at))
        return;
    for (int64_t i = 0; i < 2 * n; ++i) {
        const auto& src = i < n ? src0 : src1;
        const auto& dst = i % 2 == 0 ? dst0 : dst1;
        actgrad::put(dst.address + static_cast<uint32_t>(i / 2 * sizeof(T)),
                     actgrad::take<T>(src.address + static_cast<uint32_t>(i % n * sizeof(T)), at));
    }
}
template <class T>
void DeInterleave(const LocalTensor<T>& dst0, const LocalTensor<T>& dst1, const LocalTensor<T>& src,
                  actgrad::Count srcCount, ACTGRAD_AT)
{
    actgrad::start(at);
    actgrad::require_type<T>(actgrad::Call::DeInterleave, "DeInterleave", at);
    const int64_t n = srcCount.value, half_bytes = n / 2 * sizeof(T);
    if (!actgrad::note_read(src, src.address, n * sizeof(T), "source", at) ||
        !actgrad::note_write(dst0, dst0.address, half_bytes, "first destination", at) ||
        !actgrad::note_write(dst1, dst1.address, half_bytes, "second destination", at))
        return;
    for (int64_t i = 0; i < n; ++i)
        actgrad::put((i % 2 == 0 ? dst0 : dst1).address + static_cast<uint32_t>(i / 2 * sizeof(T)),
                     actgrad::take<T>(src.address + static_cast<uint32_t>(i * sizeof(T)), at));
}

}  // namespace AscendC
