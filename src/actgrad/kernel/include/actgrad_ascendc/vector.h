// The frame of a vector call: which elements it handles, and what is checked around it.
//
// First-n form: `count` elements from the start of each operand.
// Strided form: up to 255 repeats. A repeat is 8 blocks of 32 bytes of the widest operand (128 half, 64 float), and
// strides give the distances of its blocks and of the repeats, in blocks. The mask picks elements of each repeat: the
// leading ones, or a bit for each. Others keep the value that the destination had. In the Counter mode (SetMaskCount)
// the mask is the number of all elements, and the number of repeats follows from it.
//
// A vector call reads and writes whole blocks on pipe V, as far as races are concerned.
#pragma once

#include <tuple>

#include "numbers.h"
#include "tensors.h"

namespace actgrad {

using AscendC::LocalTensor;

struct Operand {
    View view;
    uint32_t size;  // of an element
    const char* role;
    uint32_t block_stride = 1, repeat_stride = 8;
};

// The elements of a strided call.
struct Active {
    uint32_t lanes;  // of a repeat
    uint32_t repeats;
    uint64_t bits[2], last[2];  // of each repeat, and of the last one

    bool has(uint32_t repeat, uint32_t lane) const
    {
        const uint64_t* words = repeat + 1 == repeats ? last : bits;
        return words[lane / 64] >> (lane % 64) & 1;
    }
    // The bits of `count` lanes from `lane` on; count is at most 32.
    uint32_t part(uint32_t repeat, uint32_t lane, uint32_t count) const
    {
        const uint64_t* words = repeat + 1 == repeats ? last : bits;
        return static_cast<uint32_t>(words[lane / 64] >> (lane % 64) & ((uint64_t{1} << count) - 1));
    }
    bool is_full() const
    {
        const uint64_t low = lanes >= 64 ? ~0ull : (1ull << lanes) - 1, high = lanes > 64 ? ~0ull : 0;
        return (bits[0] & low) == low && (bits[1] & high) == high && (last[0] & low) == low && (last[1] & high) == high;
    }
};

inline void leading_bits(uint64_t (&bits)[2], uint64_t count)
{
    bits[0] = count >= 64 ? ~0ull : (1ull << count) - 1;
    bits[1] = count >= 128 ? ~0ull : count > 64 ? (1ull << (count - 64)) - 1 : 0;
}

// ---- dtypes

template <class T>
constexpr int type_index()
{
    if constexpr (std::is_same_v<T, bool>) return static_cast<int>(Type::bool_);
    else if constexpr (std::is_same_v<T, half>) return static_cast<int>(Type::half_);
    else if constexpr (std::is_same_v<T, bfloat16_t>) return static_cast<int>(Type::bfloat16_t_);
    else if constexpr (std::is_same_v<T, float>) return static_cast<int>(Type::float_);
    else if constexpr (std::is_same_v<T, double>) return static_cast<int>(Type::double_);
    else if constexpr (std::is_same_v<T, fp8_e5m2_t>) return static_cast<int>(Type::fp8_e5m2_t_);
    else if constexpr (std::is_same_v<T, fp8_e4m3fn_t>) return static_cast<int>(Type::fp8_e4m3fn_t_);
    else if constexpr (std::is_same_v<T, hifloat8_t>) return static_cast<int>(Type::hifloat8_t_);
    else if constexpr (std::is_same_v<T, fp8_e8m0_t>) return static_cast<int>(Type::fp8_e8m0_t_);
    else if constexpr (std::is_same_v<T, fp4x2_e2m1_t>) return static_cast<int>(Type::fp4x2_e2m1_t_);
    else if constexpr (std::is_same_v<T, fp4x2_e1m2_t>) return static_cast<int>(Type::fp4x2_e1m2_t_);
    else if constexpr (std::is_same_v<T, int4b_t>) return static_cast<int>(Type::int4b_t_);
    else {
        constexpr int first = static_cast<int>(std::is_signed_v<T> ? Type::int8_t_ : Type::uint8_t_);
        return first + (sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 2 : sizeof(T) == 4 ? 4 : 6);
    }
}

template <class T>
inline void require_type(Call call, const char* name, Where at)
{
    const uint32_t types = types_of_calls[static_cast<int>(call)];
    if (__builtin_expect(types >> type_index<T>() & 1, 1)) return;
    if (types == 0)
        ACTGRAD_ERROR(dtype_unsupported, at, "%s does not have %s", product_name(), name);
    else
        ACTGRAD_ERROR(dtype_unsupported, at, "%s does not take %s on %s", name, type_name<T>(), product_name());
}

// ---- the first-n form

// Starts a vector instruction. Every call begins with this.
inline void start(Where at)
{
    report.last = at;
    core->clocks.issue(PIPE_V, at);
}

bool usable_count(int64_t count, const char* name, Where at);

// Whether `count` elements of a destination and a source share memory in a way that destroys elements before they are
// read. Elements of one size must coincide or lie apart. With two sizes, no repeat may write what a later one reads:
// a Cast of half in the upper half of a buffer to float in all of it is right.
inline bool is_overlap(uint32_t to, uint32_t to_size, uint32_t from, uint32_t from_size, int64_t count)
{
    if (to + count * to_size <= from || from + count * from_size <= to) return false;
    if (to_size == from_size) return to != from;
    const int64_t lanes = 256 / std::max(to_size, from_size);
    for (int64_t done = lanes; done < count; done += lanes)
        if (to < from + count * from_size && to + done * to_size > from + done * from_size) return true;
    return false;
}

// Checks and notes a call of the first-n form. `operands[0]` is the destination. False: the call cannot run.
bool begin_first_n(const Operand* operands, int number, int64_t count, Where at);

// Undefined bytes of sources make undefined results, element by element.
[[gnu::cold]] void spread_undefined(const Operand* operands, int number, int64_t count, Where at);

void end_first_n(const Operand* operands, int number, int64_t count, Where at);

template <class T>
inline T* pointer(const View& view)
{
    return reinterpret_cast<T*>(core->ub + view.address);
}

// run(destination, sources..., n) computes n elements.
template <class Run, class D, class... S>
inline void first_n(Run run, const char* name, int64_t count, Where at, const LocalTensor<D>& dst,
                    const LocalTensor<S>&... src)
{
    start(at);
    if (!usable_count(count, name, at)) return;
    static constexpr const char* roles[] = {"first source", "second source", "third source"};
    int index = 0;
    const Operand operands[] = {{dst, sizeof(D), "destination"},
                                {src, sizeof(S), sizeof...(S) == 1 ? "source" : roles[index++]}...};
    if (!begin_first_n(operands, 1 + sizeof...(S), count, at)) return;
    run(pointer<D>(dst), pointer<S>(src)..., static_cast<uint32_t>(count));
    end_first_n(operands, 1 + sizeof...(S), count, at);
}

// ---- the strided form

// The elements that mask, mode and repeats pick; no repeats if there are none. `lanes`: elements of a repeat.
Active pick(const Mask& mask, bool sets_mask, int64_t repeats, uint32_t lanes, const char* name, Where at);

// f(address) for each block of an operand that the call touches.
template <class F>
inline void for_touched(const Operand& operand, const Active& active, uint32_t repeat, F f)
{
    const uint32_t lanes = block_bytes / operand.size;  // of a block
    for (uint32_t block = 0; block * lanes < active.lanes; ++block)
        if (active.part(repeat, block * lanes, lanes) != 0)
            f(operand.view.address + (repeat * operand.repeat_stride + block * operand.block_stride) * block_bytes);
}

// In one repeat, the destination and a source coincide or lie apart; and no repeat reads what an earlier one wrote.
bool has_bad_overlap(const Operand& to, const Operand& from, const Active& active);

// As begin_first_n. `accumulates`: a call that may use its result as the second source of the next repeat.
bool begin_strided(const Operand* operands, int number, const Active& active, bool accumulates, Where at);

inline uint32_t lane_address(const Operand& operand, uint32_t repeat, uint32_t lane)
{
    const uint32_t offset = lane * operand.size;
    return operand.view.address + offset % block_bytes +
           (repeat * operand.repeat_stride + offset / block_bytes * operand.block_stride) * block_bytes;
}

// The definition of one element of the result follows from its sources.
void define_lane(const Operand* operands, int number, uint32_t repeat, uint32_t lane, Where at);

// The same for a chunk of lanes, which lie together in each operand.
void define_chunk(const Operand* operands, int number, uint32_t repeat, uint32_t lane, uint32_t chunk,
                         uint32_t bits, bool whole, Where at);

template <size_t first, size_t... others>
constexpr uint32_t largest()
{
    size_t result = first;
    ((result = others > result ? others : result), ...);
    return static_cast<uint32_t>(result);
}

// Runs one call of the strided form, block by block of the widest operand. run(destination, sources..., n).
template <class Run, class D, class... S>
inline void strided(Run run, const char* name, const Mask& mask, bool sets_mask, int64_t repeats, bool accumulates,
                    Where at, const Operand& dst, const LocalTensor<D>&, const std::pair<Operand, const S*>&... src)
{
    start(at);
    constexpr uint32_t widest = largest<sizeof(D), sizeof(S)...>(), chunk = block_bytes / widest;
    const Active active = pick(mask, sets_mask, repeats, 256 / widest, name, at);
    if (active.repeats == 0) return;
    const Operand operands[] = {dst, src.first...};
    if (!begin_strided(operands, 1 + sizeof...(S), active, accumulates, at)) return;
    for (uint32_t repeat = 0; repeat < active.repeats; ++repeat) {
        for (uint32_t lane = 0; lane < active.lanes; lane += chunk) {
            const uint32_t bits = active.part(repeat, lane, chunk);
            if (bits == 0) continue;
            const bool whole = bits == static_cast<uint32_t>((uint64_t{1} << chunk) - 1);
            if (options.checks) define_chunk(operands, 1 + sizeof...(S), repeat, lane, chunk, bits, whole, at);
            if (whole) {
                run(reinterpret_cast<D*>(core->ub + lane_address(dst, repeat, lane)),
                    reinterpret_cast<const S*>(core->ub + lane_address(src.first, repeat, lane))..., chunk);
                continue;
            }
            for (uint32_t i = 0; i < chunk; ++i)
                if (bits >> i & 1)
                    run(reinterpret_cast<D*>(core->ub + lane_address(dst, repeat, lane + i)),
                        reinterpret_cast<const S*>(core->ub + lane_address(src.first, repeat, lane + i))..., 1);
        }
    }
}

template <class T>
inline Operand operand(const LocalTensor<T>& tensor, const char* role, uint32_t block_stride, uint32_t repeat_stride)
{
    return {tensor, sizeof(T), role, block_stride, repeat_stride};
}
template <class T>
inline std::pair<Operand, const T*> source(const LocalTensor<T>& tensor, const char* role, uint32_t block_stride,
                                           uint32_t repeat_stride)
{
    return {operand(tensor, role, block_stride, repeat_stride), nullptr};
}

}  // namespace actgrad
