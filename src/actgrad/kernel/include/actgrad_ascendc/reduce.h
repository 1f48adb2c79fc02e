// Reductions: sums, maxima and minima of a tensor (Reduce...), of each repeat (WholeReduce...) or of each block of 32
// bytes (BlockReduce...).
//
// The order of a sum is documented. Inside a repeat a tree adds neighbours: (1+2), (3+4), ..., then pairs of these;
// an element that the mask leaves out counts as 0. ReduceSum then joins the sums of the repeats:
//   one after the other          Ascend910B and Ascend910_93, first-n form
//   by trees again               their strided form, Ascend310P, Ascend950
// half rounds after each addition. The index of a maximum is the first one among equals, in the bits of the element.
#pragma once

#include "masks.h"

namespace actgrad {

using AscendC::ReduceOrder;

template <class T>
inline T add_rounded(T a, T b)
{
    if constexpr (is_narrow_v<T>) {
        const float sum = static_cast<float>(a) + static_cast<float>(b);
        T result;
        from_float(&sum, &result, 1);
        return result;
    } else {
        return wrapping(a, b, [](auto x, auto y) { return x + y; });
    }
}

// The sum of neighbours, level by level. `values` is used up.
template <class T>
inline T tree_sum(T* values, uint32_t n)
{
    if (n == 0) return T(0);
    for (; n > 1; n = (n + 1) / 2)
        for (uint32_t i = 0; i < (n + 1) / 2; ++i)
            values[i] = 2 * i + 1 < n ? add_rounded(values[2 * i], values[2 * i + 1]) : values[2 * i];
    return values[0];
}

enum class Extreme : uint8_t { max, min };

template <class T>
struct Found {
    T value;
    uint32_t index = 0;
    bool any = false;

    // Takes a further element. A NaN wins, or loses, by the assumption of Max and Min.
    void take(T candidate, uint32_t at, Extreme extreme, bool nan_wins)
    {
        using W = wide_t<T>;
        const W a = static_cast<W>(value), b = static_cast<W>(candidate);
        bool better = !any;
        if (any) {
            better = extreme == Extreme::max ? b > a : b < a;
            if (nan_wins) better = a == a && (better || b != b);
            else better = better || (a != a && b == b);
        }
        if (!better) return;
        value = candidate;
        index = at;
        any = true;
    }
};

// One element of the result, and what it was computed from.
template <class T>
inline void put_result(uint32_t address, T value, bool is_value, Where origin)
{
    std::memcpy(core->ub + address, &value, sizeof(T));
    if (!options.checks) return;
    core->shadow->define(address, sizeof(T), is_value);
    if (!is_value) core->shadow->set_origin(address, origin);
}
inline void put_index(uint32_t address, uint32_t index, uint32_t size, bool is_value, Where origin)
{
    if (size == 2) put_result<uint16_t>(address, static_cast<uint16_t>(index), is_value, origin);
    else if (size == 8) put_result<uint64_t>(address, index, is_value, origin);
    else put_result<uint32_t>(address, index, is_value, origin);
}

// Checks of a reduction over a strided source with results of `bytes` bytes from `dst.address`.
inline bool begin_reduction(const View& dst, uint32_t bytes, uint32_t alignment, const Operand& src,
                            const Active& active, Where at)
{
    if (!options.checks) return true;
    bool usable = true;
    for (uint32_t repeat = 0; repeat < active.repeats && usable; ++repeat)
        for_touched(src, active, repeat, [&](uint32_t address) {
            usable = usable && core->may_use(src.view, address, block_bytes, "source", at);
            if (usable) core->reads(PIPE_V, address / block_bytes, address / block_bytes + 1, at);
        });
    if (!usable || !core->may_use(dst, dst.address, bytes, "destination", at, alignment)) return false;
    core->writes(PIPE_V, dst.address / block_bytes, (dst.address + bytes + block_bytes - 1) / block_bytes, at);
    return true;
}

// The elements of one repeat as an array, 0 where the mask leaves them out. Tells whether all have a value.
template <class T>
inline bool load_repeat(T* values, const Operand& src, const Active& active, uint32_t repeat, Where& origin)
{
    bool is_value = true;
    for (uint32_t lane = 0; lane < active.lanes; ++lane) {
        values[lane] = T(0);
        if (!active.has(repeat, lane)) continue;
        const uint32_t from = lane_address(src, repeat, lane);
        std::memcpy(static_cast<void*>(&values[lane]), core->ub + from, sizeof(T));
        if (options.checks && !core->shadow->is_defined(from, sizeof(T))) {
            if (is_value) origin = origin_of(from, sizeof(T), origin);
            is_value = false;
        }
    }
    return is_value;
}

// A contiguous tensor of `count` elements as repeats.
template <class T>
inline Active all_of(int64_t count)
{
    constexpr uint32_t lanes = 256 / sizeof(T);
    Active active{lanes, static_cast<uint32_t>((count + lanes - 1) / lanes), {0, 0}, {0, 0}};
    leading_bits(active.bits, lanes);
    leading_bits(active.last, static_cast<uint64_t>(count - int64_t{active.repeats - 1} * lanes));
    return active;
}

inline bool usable_repeats(int64_t repeats, const char* name, Where at)
{
    if (repeats < 0 || repeats > 255)
        ACTGRAD_ERROR(mask_or_repeat, at, "%s gets %lld repeats; at most 255 are allowed", name,
                      static_cast<long long>(repeats));
    return repeats >= 0 && repeats <= 255;
}

// ReduceSum: `sequential` adds the sums of the repeats one after the other.
template <class T>
inline void reduce_sum(const LocalTensor<T>& dst, const Operand& src, const View& tmp, const Active& active,
                       bool sequential, Where at)
{
    if (active.repeats == 0 || !begin_reduction(dst, sizeof(T), sizeof(T), src, active, at)) return;
    if (options.checks && !sequential) {
        const uint32_t per_block = block_bytes / sizeof(T);
        core->may_use(tmp, tmp.address, (active.repeats + per_block - 1) / per_block * block_bytes, "scratch tensor", at);
    }
    std::vector<T> sums(active.repeats);
    bool is_value = true;
    Where origin = at;
    for (uint32_t repeat = 0; repeat < active.repeats; ++repeat) {
        T values[256];
        is_value &= load_repeat(values, src, active, repeat, origin);
        sums[repeat] = tree_sum(values, active.lanes);
    }
    if (sequential) {
        for (uint32_t repeat = 1; repeat < active.repeats; ++repeat) sums[0] = add_rounded(sums[0], sums[repeat]);
    } else {
        constexpr uint32_t lanes = 256 / sizeof(T);
        while (sums.size() > 1) {  // the sums are reduced as a tensor again
            std::vector<T> next;
            for (size_t from = 0; from < sums.size(); from += lanes)
                next.push_back(tree_sum(sums.data() + from, static_cast<uint32_t>(std::min<size_t>(lanes, sums.size() - from))));
            sums = next;
        }
    }
    put_result(dst.address, sums[0], is_value, origin);
    core->last_sum = static_cast<double>(sums[0]);
}

// ReduceMax and ReduceMin. The scratch tensor holds a value and an index for each repeat, except on Ascend 950.
template <class T>
inline void reduce_extreme(const LocalTensor<T>& dst, const Operand& src, const View& tmp, const Active& active,
                           Extreme extreme, bool with_index, Where at)
{
    meet(Assumption::nan_in_max_min);
    if (options.checks && __NPU_ARCH__ != 3510 && active.repeats != 0) {
        const uint32_t bytes = 2 * active.repeats * static_cast<uint32_t>(sizeof(T));
        core->may_use(tmp, tmp.address, (bytes + block_bytes - 1) / block_bytes * block_bytes, "scratch tensor", at);
    }
    if (active.repeats == 0 || !begin_reduction(dst, (with_index ? 2 : 1) * sizeof(T), sizeof(T), src, active, at)) return;
    Found<T> found{};
    bool is_value = true;
    Where origin = at;
    for (uint32_t repeat = 0; repeat < active.repeats; ++repeat) {
        T values[256];
        is_value &= load_repeat(values, src, active, repeat, origin);
        for (uint32_t lane = 0; lane < active.lanes; ++lane)
            if (active.has(repeat, lane))
                found.take(values[lane], repeat * active.lanes + lane, extreme, options.nan_propagates);
    }
    put_result(dst.address, found.value, is_value, origin);
    core->last_extreme = static_cast<double>(found.value);
    core->last_index = found.index;
    if (with_index) put_index(dst.address + sizeof(T), found.index, sizeof(T), is_value, origin);
}

template <class T>
inline void whole_reduce_sum(Call call, const char* name, const LocalTensor<T>& dst, const LocalTensor<T>& src, const Mask& mask, bool sets_mask,
                             int64_t repeats, int64_t dst_stride, uint32_t block, uint32_t repeat_stride, Where at)
{
    start(at);
    require_type<T>(call, name, at);
    if (!core->counter_mode && !usable_repeats(repeats, name, at)) return;
    const Active active = pick(mask, sets_mask, repeats, 256 / sizeof(T), name, at);
    const Operand from = operand(src, "source", block, repeat_stride);
    if (active.repeats == 0 ||
        !begin_reduction(dst, static_cast<uint32_t>(((active.repeats - 1) * dst_stride + 1) * sizeof(T)), sizeof(T), from, active, at))
        return;
    for (uint32_t repeat = 0; repeat < active.repeats; ++repeat) {
        T values[256];
        Where origin = at;
        const bool is_value = load_repeat(values, from, active, repeat, origin);
        put_result(dst.address + static_cast<uint32_t>(repeat * dst_stride * sizeof(T)), tree_sum(values, active.lanes), is_value, origin);
    }
}

template <class T>
inline void whole_reduce_extreme(Call call, const char* name, Extreme extreme, const LocalTensor<T>& dst,
                                 const LocalTensor<T>& src, const Mask& mask, bool sets_mask, int64_t repeats,
                                 int64_t dst_stride, uint32_t block, uint32_t repeat_stride, ReduceOrder order, Where at)
{
    start(at);
    require_type<T>(call, name, at);
    meet(Assumption::nan_in_max_min);
    if (!core->counter_mode && !usable_repeats(repeats, name, at)) return;
    const Active active = pick(mask, sets_mask, repeats, 256 / sizeof(T), name, at);
    const Operand from = operand(src, "source", block, repeat_stride);
    const bool has_both = order == ReduceOrder::ORDER_VALUE_INDEX || order == ReduceOrder::ORDER_INDEX_VALUE;
    const uint32_t index_size = order == ReduceOrder::ORDER_ONLY_INDEX ? 4 : sizeof(T);
    const uint32_t unit = has_both ? 2 * sizeof(T) : order == ReduceOrder::ORDER_ONLY_INDEX ? 4 : sizeof(T);
    if (active.repeats == 0 ||
        !begin_reduction(dst, static_cast<uint32_t>(((active.repeats - 1) * dst_stride + 1) * unit), unit, from, active, at))
        return;
    for (uint32_t repeat = 0; repeat < active.repeats; ++repeat) {
        T values[256];
        Where origin = at;
        const bool is_value = load_repeat(values, from, active, repeat, origin);
        Found<T> found{};
        for (uint32_t lane = 0; lane < active.lanes; ++lane)
            if (active.has(repeat, lane)) found.take(values[lane], lane, extreme, options.nan_propagates);
        const uint32_t to = dst.address + static_cast<uint32_t>(repeat * dst_stride * unit);
        if (order == ReduceOrder::ORDER_ONLY_INDEX) {
            put_index(to, found.index, index_size, is_value, origin);
            continue;
        }
        const bool value_first = order != ReduceOrder::ORDER_INDEX_VALUE;
        put_result(value_first ? to : to + index_size, found.value, is_value, origin);
        if (has_both) put_index(value_first ? to + sizeof(T) : to, found.index, index_size, is_value, origin);
    }
}

// One result for each block of 32 bytes; `reduce(values, lanes picked, n)`.
template <class T, class F>
inline void block_reduce(Call call, const char* name, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                         int64_t repeats, const Mask& mask, bool sets_mask, int64_t dst_stride, uint32_t block,
                         uint32_t repeat_stride, F reduce, Where at)
{
    start(at);
    require_type<T>(call, name, at);
    if (!core->counter_mode && !usable_repeats(repeats, name, at)) return;
    constexpr uint32_t lanes = 256 / sizeof(T), per_block = block_bytes / sizeof(T);
    const Active active = pick(mask, sets_mask, repeats, lanes, name, at);
    const Operand from = operand(src, "source", block, repeat_stride);
    if (active.repeats == 0) return;
    uint32_t last = 1;  // results of the last repeat
    for (uint32_t b = 0; b < 8; ++b)
        if (active.part(active.repeats - 1, b * per_block, per_block) != 0) last = b + 1;
    const int64_t results = int64_t{active.repeats - 1} * dst_stride * 8 + last;
    if (!begin_reduction(dst, static_cast<uint32_t>(results * sizeof(T)), sizeof(T), from, active, at)) return;
    for (uint32_t repeat = 0; repeat < active.repeats; ++repeat) {
        T values[256];
        for (uint32_t b = 0; b < 8; ++b) {
            const uint32_t picked = active.part(repeat, b * per_block, per_block);
            const uint32_t to = dst.address + static_cast<uint32_t>((repeat * dst_stride * 8 + b) * sizeof(T));
            if (picked == 0) continue;  // the destination keeps its value
            bool is_value = true;
            Where origin = at;
            for (uint32_t i = 0; i < per_block; ++i) {
                values[i] = T(0);
                if ((picked >> i & 1) == 0) continue;
                const uint32_t address = lane_address(from, repeat, b * per_block + i);
                std::memcpy(static_cast<void*>(&values[i]), core->ub + address, sizeof(T));
                if (options.checks && !core->shadow->is_defined(address, sizeof(T))) {
                    is_value = false;
                    origin = origin_of(address, sizeof(T), at);
                }
            }
            put_result(to, reduce(values, picked, per_block), is_value, origin);
        }
    }
}

// The sums of neighbours: half as many results as elements. dst_stride counts 128 bytes.
template <class T>
inline void pair_reduce(const LocalTensor<T>& dst, const LocalTensor<T>& src, int64_t repeats, const Mask& mask,
                        bool sets_mask, int64_t dst_stride, uint32_t block, uint32_t repeat_stride, Where at)
{
    start(at);
    require_type<T>(Call::PairReduceSum, "PairReduceSum", at);
    if (!core->counter_mode && !usable_repeats(repeats, "PairReduceSum", at)) return;
    constexpr uint32_t lanes = 256 / sizeof(T);
    const Active active = pick(mask, sets_mask, repeats, lanes, "PairReduceSum", at);
    const Operand from = operand(src, "source", block, repeat_stride);
    if (active.repeats == 0) return;
    uint32_t last = 1;  // results of the last repeat
    for (uint32_t lane = 0; lane < lanes; lane += 2)
        if (active.part(active.repeats - 1, lane, 2) != 0) last = lane / 2 + 1;
    const int64_t bytes = int64_t{active.repeats - 1} * dst_stride * 128 + last * sizeof(T);
    if (!begin_reduction(dst, static_cast<uint32_t>(bytes), block_bytes, from, active, at)) return;
    for (uint32_t repeat = 0; repeat < active.repeats; ++repeat) {
        T values[256];
        Where origin = at;
        bool is_value[128];
        for (uint32_t lane = 0; lane < lanes; lane += 2) {
            is_value[lane / 2] = true;
            for (uint32_t each = lane; each < lane + 2; ++each) {
                values[each] = T(0);
                if (!active.has(repeat, each)) continue;
                const uint32_t address = lane_address(from, repeat, each);
                std::memcpy(static_cast<void*>(&values[each]), core->ub + address, sizeof(T));
                if (options.checks && !core->shadow->is_defined(address, sizeof(T))) {
                    is_value[lane / 2] = false;
                    origin = origin_of(address, sizeof(T), at);
                }
            }
        }
        for (uint32_t lane = 0; lane < lanes; lane += 2)
            if (active.part(repeat, lane, 2) != 0)
                put_result(dst.address + static_cast<uint32_t>(repeat * dst_stride * 128 + lane / 2 * sizeof(T)),
                           add_rounded(values[lane], values[lane + 1]), is_value[lane / 2], origin);
    }
}

template <class T>
inline auto extreme_of_block(Extreme extreme)
{
    meet(Assumption::nan_in_max_min);
    return [extreme](T* values, uint32_t picked, uint32_t n) {
        Found<T> found{};
        for (uint32_t i = 0; i < n; ++i)
            if (picked >> i & 1) found.take(values[i], i, extreme, options.nan_propagates);
        return found.value;
    };
}

}  // namespace actgrad

namespace AscendC {

// ---- the whole tensor: dst[0] is the result, dst[1] the index if calIndex

template <class T, bool isSetMask = true>
void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,
               actgrad::Count count, ACTGRAD_AT)
{
    actgrad::start(at);
    actgrad::require_type<T>(actgrad::Call::ReduceSum, "ReduceSum", at);
    if (!actgrad::usable_count(count.value, "ReduceSum", at)) return;
    actgrad::reduce_sum(dst, actgrad::operand(src, "source", 1, 8), sharedTmpBuffer, actgrad::all_of<T>(count.value),
                        __NPU_ARCH__ == 2201, at);
}
template <class T>
void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,
               const actgrad::Mask& mask, actgrad::Count repeatTime, actgrad::Count srcRepStride, ACTGRAD_AT)
{
    actgrad::start(at);
    actgrad::require_type<T>(actgrad::Call::ReduceSum, "ReduceSum", at);
    const actgrad::Active active = actgrad::pick(mask, true, repeatTime.value, 256 / sizeof(T), "ReduceSum", at);
    actgrad::reduce_sum(dst, actgrad::operand(src, "source", 1, static_cast<uint32_t>(srcRepStride.value)),
                        sharedTmpBuffer, active, false, at);
}

#define ACTGRAD_REDUCE_EXTREME(Name, extreme)                                                                         \
    template <class T>                                                                                                \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,            \
              actgrad::Count count, bool calIndex = false, ACTGRAD_AT)                                                \
    {                                                                                                                 \
        actgrad::start(at);                                                                                           \
        actgrad::require_type<T>(actgrad::Call::Name, #Name, at);                                                     \
        if (!actgrad::usable_count(count.value, #Name, at)) return;                                                   \
        actgrad::reduce_extreme(dst, actgrad::operand(src, "source", 1, 8), sharedTmpBuffer,                          \
                                actgrad::all_of<T>(count.value), extreme, calIndex, at);                              \
    }                                                                                                                 \
    template <class T>                                                                                                \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,            \
              const actgrad::Mask& mask, actgrad::Count repeatTime, actgrad::Count srcRepStride,                      \
              bool calIndex = false, ACTGRAD_AT)                                                                      \
    {                                                                                                                 \
        actgrad::start(at);                                                                                           \
        actgrad::require_type<T>(actgrad::Call::Name, #Name, at);                                                     \
        const auto active = actgrad::pick(mask, true, repeatTime.value, 256 / sizeof(T), #Name, at);                  \
        actgrad::reduce_extreme(dst, actgrad::operand(src, "source", 1, static_cast<uint32_t>(srcRepStride.value)),   \
                                sharedTmpBuffer, active, extreme, calIndex, at);                                      \
    }
ACTGRAD_REDUCE_EXTREME(ReduceMax, actgrad::Extreme::max)
ACTGRAD_REDUCE_EXTREME(ReduceMin, actgrad::Extreme::min)

// ---- one result for each repeat; dstRepStride counts results

template <class T, bool isSetMask = true>
void WholeReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const actgrad::Mask& mask,
                    actgrad::Count repeatTime, actgrad::Count dstRepStride, U16 srcBlkStride, U16 srcRepStride, ACTGRAD_AT)
{
    actgrad::whole_reduce_sum(actgrad::Call::WholeReduceSum, "WholeReduceSum", dst, src, mask, isSetMask, repeatTime.value, dstRepStride.value, srcBlkStride, srcRepStride, at);
}
template <class T, bool isSetMask = true>
void WholeReduceMax(const LocalTensor<T>& dst, const LocalTensor<T>& src, const actgrad::Mask& mask,
                    actgrad::Count repeatTime, actgrad::Count dstRepStride, U16 srcBlkStride, U16 srcRepStride,
                    ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX, ACTGRAD_AT)
{
    actgrad::whole_reduce_extreme(actgrad::Call::WholeReduceMax, "WholeReduceMax", actgrad::Extreme::max, dst, src, mask,
                                  isSetMask, repeatTime.value, dstRepStride.value, srcBlkStride, srcRepStride, order, at);
}
template <class T, bool isSetMask = true>
void WholeReduceMin(const LocalTensor<T>& dst, const LocalTensor<T>& src, const actgrad::Mask& mask,
                    actgrad::Count repeatTime, actgrad::Count dstRepStride, U16 srcBlkStride, U16 srcRepStride,
                    ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX, ACTGRAD_AT)
{
    actgrad::whole_reduce_extreme(actgrad::Call::WholeReduceMin, "WholeReduceMin", actgrad::Extreme::min, dst, src, mask,
                                  isSetMask, repeatTime.value, dstRepStride.value, srcBlkStride, srcRepStride, order, at);
}

// The same by its own name. The block stride of the destination has no effect.
template <class T, bool isSetMask = true>
void RepeatReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, actgrad::Count repeatTime,
                     const actgrad::Mask& mask, actgrad::Count, U16 srcBlkStride, actgrad::Count dstRepStride,
                     U16 srcRepStride, ACTGRAD_AT)
{
    actgrad::whole_reduce_sum(actgrad::Call::RepeatReduceSum, "RepeatReduceSum", dst, src, mask, isSetMask,
                              repeatTime.value, dstRepStride.value, srcBlkStride, srcRepStride, at);
}

// ---- one result for each pair of neighbours: half a repeat; dstRepStride counts half repeats

template <class T, bool isSetMask = true>
void PairReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, actgrad::Count repeatTime,
                   const actgrad::Mask& mask, actgrad::Count dstRepStride, U16 srcBlkStride, U16 srcRepStride, ACTGRAD_AT)
{
    actgrad::pair_reduce(dst, src, repeatTime.value, mask, isSetMask, dstRepStride.value, srcBlkStride, srcRepStride, at);
}

// ---- one result for each block: eight for a repeat; dstRepStride counts eight results

template <class T, bool isSetMask = true>
void BlockReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, actgrad::Count repeatTime,
                    const actgrad::Mask& mask, actgrad::Count dstRepStride, U16 srcBlkStride, U16 srcRepStride, ACTGRAD_AT)
{
    actgrad::block_reduce(actgrad::Call::BlockReduceSum, "BlockReduceSum", dst, src, repeatTime.value, mask, isSetMask,
                          dstRepStride.value, srcBlkStride, srcRepStride,
                          [](T* values, uint32_t, uint32_t n) { return actgrad::tree_sum(values, n); }, at);
}
template <class T, bool isSetMask = true>
void BlockReduceMax(const LocalTensor<T>& dst, const LocalTensor<T>& src, actgrad::Count repeatTime,
                    const actgrad::Mask& mask, actgrad::Count dstRepStride, U16 srcBlkStride, U16 srcRepStride, ACTGRAD_AT)
{
    actgrad::block_reduce(actgrad::Call::BlockReduceMax, "BlockReduceMax", dst, src, repeatTime.value, mask, isSetMask,
                          dstRepStride.value, srcBlkStride, srcRepStride,
                          actgrad::extreme_of_block<T>(actgrad::Extreme::max), at);
}
template <class T, bool isSetMask = true>
void BlockReduceMin(const LocalTensor<T>& dst, const LocalTensor<T>& src, actgrad::Count repeatTime,
                    const actgrad::Mask& mask, actgrad::Count dstRepStride, U16 srcBlkStride, U16 srcRepStride, ACTGRAD_AT)
{
    actgrad::block_reduce(actgrad::Call::BlockReduceMin, "BlockReduceMin", dst, src, repeatTime.value, mask, isSetMask,
                          dstRepStride.value, srcBlkStride, srcRepStride,
                          actgrad::extreme_of_block<T>(actgrad::Extreme::min), at);
}

// ---- the results of the last ReduceSum, ReduceMax or ReduceMin, which the core keeps in registers

template <class T>
T GetReduceRepeatSumSpr()
{
    return static_cast<T>(actgrad::core->last_sum);
}
template <class T>
T GetAccVal()
{
    return GetReduceRepeatSumSpr<T>();
}
// The index has the bits of an integer in the type of the elements.
template <class T>
void GetReduceRepeatMaxMinSpr(T& value, T& index)
{
    value = static_cast<T>(actgrad::core->last_extreme);
    index = actgrad::bits_of<T>(static_cast<actgrad::bits_t<sizeof(T)>>(actgrad::core->last_index));
}
template <class T>
T GetReduceRepeatMaxMinSpr()
{
    return static_cast<T>(actgrad::core->last_extreme);
}
template <class T>
void GetReduceMaxMinCount(T& value, T& index)
{
    GetReduceRepeatMaxMinSpr(value, index);
}
template <class T>
T GetReduceMaxMinCount()
{
    return GetReduceRepeatMaxMinSpr<T>();
}

}  // namespace AscendC
