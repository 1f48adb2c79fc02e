// Calls that sort pairs of a value and an index, the largest value first.
//
// A pair takes 8 bytes: float has the value in bytes 0 to 3, half in bytes 0 and 1; the index is in bytes 4 to 7. Of
// equal values, the one that comes first in the source comes first. The documents do not say where NaN comes; here it
// comes last.
//
//   Sort32         32 values with their indices to 32 sorted pairs, for each repeat
//   MrgSort        up to four sorted lists of pairs to one
//   Sort           a whole tensor (isFullSort), or 32 elements at a time; Concat prepares it, Extract takes pairs apart
#pragma once

#include "arrange.h"

namespace actgrad {

constexpr uint32_t pair_bytes = 8, pairs_of_repeat = 32;

struct Pair {
    float order;  // the value as a float, for comparisons
    uint8_t bytes[pair_bytes];
    bool is_value;
    Where origin;
};

template <class T>
inline void require_sort(const char* name, Where at)
{
    static_assert(std::is_same_v<T, half> || std::is_same_v<T, float>, "the documents sort half and float");
    if (__NPU_ARCH__ == 2002)
        ACTGRAD_ERROR(dtype_unsupported, at, "%s of Ascend310P sorts region proposals, which actgrad does not imitate", name);
}

template <class T>
inline Pair pair_of(uint32_t value_at, uint32_t index_at, Where at)
{
    Pair pair{};
    const Held<T> value = take<T>(value_at, at);
    const Held<uint32_t> index = take<uint32_t>(index_at, at);
    std::memcpy(pair.bytes, &value.value, sizeof(T));
    std::memcpy(pair.bytes + 4, &index.value, 4);
    pair.order = static_cast<float>(value.value);
    pair.is_value = value.is_value && index.is_value;
    pair.origin = value.is_value ? index.origin : value.origin;
    return pair;
}
inline void put_pair(uint32_t address, const Pair& pair)
{
    std::memcpy(core->ub + address, pair.bytes, pair_bytes);
    if (!options.checks) return;
    core->shadow->define(address, pair_bytes, pair.is_value);
    if (!pair.is_value) core->shadow->set_origin(address, pair.origin);
}

// Whether `a` comes before an earlier `b`.
inline bool comes_before(const Pair& a, const Pair& b) { return a.order > b.order || (b.order != b.order && a.order == a.order); }

// Merge sort, which keeps the order of equal values.
inline void sort_pairs(std::vector<Pair>& pairs)
{
    std::vector<Pair> sorted(pairs.size());
    for (size_t width = 1; width < pairs.size(); width *= 2) {
        for (size_t from = 0; from < pairs.size(); from += 2 * width) {
            const size_t middle = std::min(from + width, pairs.size()), end = std::min(from + 2 * width, pairs.size());
            size_t left = from, right = middle;
            for (size_t to = from; to < end; ++to) {
                const bool takes_right = left == middle || (right != end && comes_before(pairs[right], pairs[left]));
                sorted[to] = pairs[takes_right ? right++ : left++];
            }
        }
        pairs.swap(sorted);
    }
}

// Values and indices to pairs, sorted in groups of `group` elements.
template <class T>
inline void sort_values(const View& dst, const View& values, const View& indices, int64_t count, int64_t group, Where at)
{
    if (count == 0) return meet(Assumption::zero_length);
    if (!note_read(values, values.address, count * sizeof(T), "values", at) ||
        !note_read(indices, indices.address, count * 4, "indices", at) ||
        !note_write(dst, dst.address, count * pair_bytes, "destination", at))
        return;
    std::vector<Pair> pairs;
    for (int64_t from = 0; from < count; from += group) {
        pairs.clear();
        for (int64_t i = from; i < std::min(from + group, count); ++i)
            pairs.push_back(pair_of<T>(values.address + static_cast<uint32_t>(i * sizeof(T)),
                                       indices.address + static_cast<uint32_t>(i * 4), at));
        sort_pairs(pairs);
        for (size_t i = 0; i < pairs.size(); ++i)
            put_pair(dst.address + static_cast<uint32_t>((from + static_cast<int64_t>(i)) * pair_bytes), pairs[i]);
    }
}

}  // namespace actgrad

namespace AscendC {

// src0 are the values, src1 the indices. At most 255 repeats.
template <class T>
void Sort32(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<uint32_t>& src1,
            actgrad::Count repeatTime, ACTGRAD_AT)
{
    actgrad::start(at);
    actgrad::require_sort<T>("Sort32", at);
    if (!actgrad::usable_repeats(repeatTime.value, "Sort32", at)) return;
    const int64_t count = repeatTime.value * actgrad::pairs_of_repeat;
    actgrad::sort_values<T>(dst, src0, src1, count, actgrad::pairs_of_repeat, at);
}

template <class T>
struct MrgSortSrcList {
    LocalTensor<T> src1, src2, src3, src4;

    MrgSortSrcList() = default;
    MrgSortSrcList(const LocalTensor<T>& first, const LocalTensor<T>& second, const LocalTensor<T>& third,
                   const LocalTensor<T>& fourth)
        : src1(first), src2(second), src3(third), src4(fourth)
    {}
};

// elementLengths: pairs of each list. validBit: 3, 7 or 15 for two, three or four lists. ifExhaustedSuspension: the call
// ends when one list is used up. repeatTimes: how often the call merges four lists that lie one after the other.
struct MrgSort4Info {
    uint16_t elementLengths[4] = {};
    bool ifExhaustedSuspension = false;
    actgrad::U16 validBit = 0;
    actgrad::U8 repeatTimes = 1;

    MrgSort4Info() = default;
    MrgSort4Info(const uint16_t lengths[4], bool suspends, actgrad::U16 valid, actgrad::U16 repeats)
        : ifExhaustedSuspension(suspends), validBit(valid), repeatTimes(static_cast<int>(repeats))
    {
        for (int list = 0; list < 4; ++list) elementLengths[list] = lengths[list];
    }
};

template <class T>
void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& src, const MrgSort4Info& params, ACTGRAD_AT)
{
    using namespace actgrad;
    start(at);
    require_sort<T>("MrgSort", at);
    const uint32_t valid = static_cast<uint16_t>(params.validBit), repeats = params.repeatTimes.value;
    if (valid != 3 && valid != 7 && valid != 15)
        return ACTGRAD_ERROR(mask_or_repeat, at, "validBit of MrgSort is %u; it is 3, 7 or 15 for two, three or four "
                             "lists", valid);
    if (repeats > 1 && (valid != 15 || params.ifExhaustedSuspension))
        ACTGRAD_ERROR(mask_or_repeat, at, "MrgSort with %u repeats needs four lists and no suspension", repeats);
    const View lists[4] = {src.src1, src.src2, src.src3, src.src4};
    uint32_t all = 0;
    for (int list = 0; list < 4; ++list)
        if (valid >> list & 1) all += params.elementLengths[list];
    for (int list = 0; list < 4; ++list)
        if (valid >> list & 1 &&
            !note_read(lists[list], lists[list].address, int64_t{params.elementLengths[list]} * pair_bytes, "list", at, 8))
            return;
    if (!note_write(dst, dst.address, int64_t{all} * repeats * pair_bytes, "destination", at)) return;
    std::vector<Pair> merged;
    for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
        const uint32_t offset = repeat * all * pair_bytes;
        uint32_t done[4] = {};
        merged.clear();
        for (bool ends = false; !ends;) {
            int best = -1;
            Pair first{};
            for (int list = 0; list < 4; ++list) {
                if ((valid >> list & 1) == 0 || done[list] == params.elementLengths[list]) continue;
                const uint32_t address = lists[list].address + offset + done[list] * pair_bytes;
                const Pair pair = pair_of<T>(address, address + 4, at);
                if (best >= 0 && !comes_before(pair, first)) continue;
                best = list;
                first = pair;
            }
            if (best < 0) break;
            merged.push_back(first);
            ends = ++done[best] == params.elementLengths[best] && params.ifExhaustedSuspension;
        }
        for (size_t i = 0; i < merged.size(); ++i)
            put_pair(dst.address + offset + static_cast<uint32_t>(i) * pair_bytes, merged[i]);
        for (int list = 0; list < 4; ++list) core->merged[list] = static_cast<uint16_t>(done[list]);
    }
}
// How many pairs of each list the last MrgSort has taken.
inline void GetMrgSortResult(uint16_t& first, uint16_t& second, uint16_t& third, uint16_t& fourth)
{
    first = actgrad::core->merged[0];
    second = actgrad::core->merged[1];
    third = actgrad::core->merged[2];
    fourth = actgrad::core->merged[3];
}

// Ascend910B and Ascend950 sort the values where they are, so Concat only passes them on.
template <class T>
void Concat(LocalTensor<T>& concat, const LocalTensor<T>& src, const LocalTensor<T>&, actgrad::Count repeatTime, ACTGRAD_AT)
{
    actgrad::report.last = at;
    actgrad::require_sort<T>("Concat", at);
    actgrad::usable_repeats(repeatTime.value, "Concat", at);
    concat = src;
}

// The scratch tensor is as large as the destination if the whole tensor is sorted.
template <class T, bool isFullSort>
void Sort(const LocalTensor<T>& dst, const LocalTensor<T>& concat, const LocalTensor<uint32_t>& index, LocalTensor<T>& tmp,
          actgrad::Count repeatTime, ACTGRAD_AT)
{
    actgrad::start(at);
    actgrad::require_sort<T>("Sort", at);
    if (!actgrad::usable_repeats(repeatTime.value, "Sort", at)) return;
    const int64_t count = repeatTime.value * actgrad::pairs_of_repeat;
    if (isFullSort && count > actgrad::pairs_of_repeat &&
        !actgrad::note_write(tmp, tmp.address, count * actgrad::pair_bytes, "scratch tensor", at))
        return;
    actgrad::sort_values<T>(dst, concat, index, count, isFullSort ? std::max<int64_t>(count, 1) : actgrad::pairs_of_repeat, at);
}

template <class T>
void Extract(const LocalTensor<T>& value, const LocalTensor<uint32_t>& index, const LocalTensor<T>& sorted,
             actgrad::Count repeatTime, ACTGRAD_AT)
{
    using namespace actgrad;
    start(at);
    require_sort<T>("Extract", at);
    if (!usable_repeats(repeatTime.value, "Extract", at)) return;
    const int64_t count = repeatTime.value * pairs_of_repeat;
    if (count == 0) return meet(Assumption::zero_length);
    if (!note_read(sorted, sorted.address, count * pair_bytes, "source", at) ||
        !note_write(value, value.address, count * sizeof(T), "values", at) ||
        !note_write(index, index.address, count * 4, "indices", at))
        return;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t from = sorted.address + i * pair_bytes;
        put(value.address + i * static_cast<uint32_t>(sizeof(T)), take<T>(from, at));
        put(index.address + i * 4, take<uint32_t>(from + 4, at));
    }
}

// Elements of T that `count` pairs take, and the distance of a pair.
template <class T>
constexpr uint32_t GetSortLen(uint32_t count)
{
    return count * (actgrad::pair_bytes / static_cast<uint32_t>(sizeof(T)));
}
template <class T>
constexpr uint32_t GetSortOffset(uint32_t offset)
{
    return GetSortLen<T>(offset);
}

}  // namespace AscendC
