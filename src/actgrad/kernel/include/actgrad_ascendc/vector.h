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

inline bool usable_count(int64_t count, const char* name, Where at)
{
    if (count == 0) meet(Assumption::zero_length);
    if (count < 0 || count > INT32_MAX)
        ACTGRAD_ERROR(parameter_truncated, at, "the count of %s is %lld; the device has 31 bits for it", name,
                      static_cast<long long>(count));
    return count > 0 && count <= INT32_MAX;
}

// A destination and a source coincide, or have nothing in common.
inline bool is_overlap(uint32_t to, uint64_t to_bytes, uint32_t from, uint64_t from_bytes)
{
    if (to + to_bytes <= from || from + from_bytes <= to) return false;
    return to != from || to_bytes > from_bytes;
}

// Checks and notes a call of the first-n form. `operands[0]` is the destination. False: the call cannot run.
inline bool begin_first_n(const Operand* operands, int number, int64_t count, Where at)
{
    if (!options.checks) return true;
    bool usable = true;
    for (int i = 0; i < number; ++i)
        usable &= core->may_use(operands[i].view, operands[i].view.address, count * operands[i].size, operands[i].role,
                                at);
    const Operand& to = operands[0];
    if (!usable) {  // later calls would only repeat that these bytes have no value
        const View& view = to.view;
        const uint64_t end = std::min<uint64_t>(view.address + count * to.size, view.high);
        if (view.buffer != 0 && view.address >= view.low && end > view.address)
            core->shadow->define(view.address, static_cast<uint32_t>(end - view.address));
        return false;
    }
    for (int i = 1; i < number; ++i) {
        const uint32_t from = operands[i].view.address;
        if (is_overlap(to.view.address, count * to.size, from, count * operands[i].size))
            ACTGRAD_ERROR(overlap, at, "the %s and the %s overlap in part; they must coincide or lie apart", to.role,
                          operands[i].role);
        core->reads(PIPE_V, from / block_bytes,
                    static_cast<uint32_t>((from + count * operands[i].size + block_bytes - 1) / block_bytes), at);
    }
    const uint32_t start_address = to.view.address;
    core->writes(PIPE_V, start_address / block_bytes,
                 static_cast<uint32_t>((start_address + count * to.size + block_bytes - 1) / block_bytes), at);
    return true;
}

// Undefined bytes of sources make undefined results, element by element.
[[gnu::noinline, gnu::cold]]
inline void spread_undefined(const Operand* operands, int number, int64_t count, Where at)
{
    Shadow& shadow = *core->shadow;
    const Operand& to = operands[0];
    for (int64_t i = 0; i < count; ++i) {
        bool is_value = true;
        Where origin = at;
        for (int j = 1; j < number; ++j) {
            const uint32_t from = operands[j].view.address + static_cast<uint32_t>(i * operands[j].size);
            if (shadow.is_defined(from, operands[j].size)) continue;
            is_value = false;
            origin = origin_of(from, operands[j].size, at);
        }
        const uint32_t address = to.view.address + static_cast<uint32_t>(i * to.size);
        shadow.define(address, to.size, is_value);
        if (!is_value) shadow.origin[address / block_bytes] = origin;
    }
}

inline void end_first_n(const Operand* operands, int number, int64_t count, Where at)
{
    if (!options.checks) return;
    const Operand& to = operands[0];
    for (int i = 1; i < number; ++i)
        if (!core->shadow->is_defined(operands[i].view.address, static_cast<uint32_t>(count * operands[i].size)))
            return spread_undefined(operands, number, count, at);
    core->shadow->define(to.view.address, static_cast<uint32_t>(count * to.size));
}

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
inline Active pick(const Mask& mask, bool sets_mask, int64_t repeats, uint32_t lanes, const char* name, Where at)
{
    Active active{lanes, static_cast<uint32_t>(repeats), {0, 0}, {0, 0}};
    uint64_t bits[2] = {core->mask[0], core->mask[1]};
    if (core->counter_mode) {
        const int64_t total = sets_mask ? mask.count : static_cast<int64_t>(core->mask[0]);
        if (total == 0 || (sets_mask && mask.has_bits)) {
            ACTGRAD_ERROR(mask_or_repeat, at, "the mask of %s is %s in Counter mode, where it is the number of elements",
                          name, total == 0 ? "0" : "an array of bits");
            active.repeats = 0;
            return active;
        }
        active.repeats = static_cast<uint32_t>((total + lanes - 1) / lanes);
        leading_bits(active.bits, lanes);
        leading_bits(active.last, total - int64_t{active.repeats - 1} * lanes);
        return active;
    }
    if (repeats == 0) meet(Assumption::zero_length);
    if (sets_mask && !mask.has_bits) {
        if (mask.count < 1 || mask.count > lanes)
            ACTGRAD_ERROR(mask_or_repeat, at, "the mask of %s is %lld; a repeat has %u elements here", name,
                          static_cast<long long>(mask.count), lanes);
        leading_bits(bits, static_cast<uint64_t>(std::clamp<int64_t>(mask.count, 0, lanes)));
    } else if (sets_mask) {
        bits[0] = mask.bits[0];
        bits[1] = mask.bits[1];
    }
    if (lanes < 128) bits[1] = 0;
    if (lanes < 64) bits[0] &= (1ull << lanes) - 1;
    if (bits[0] == 0 && bits[1] == 0 && !(sets_mask && !mask.has_bits))
        ACTGRAD_ERROR(mask_or_repeat, at, "the mask of %s picks no element", name);
    active.bits[0] = active.last[0] = bits[0];
    active.bits[1] = active.last[1] = bits[1];
    return active;
}

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
inline bool has_bad_overlap(const Operand& to, const Operand& from, const Active& active)
{
    const auto last = [&](const Operand& operand) {
        const uint32_t blocks = active.lanes * operand.size / block_bytes;
        return operand.view.address + ((active.repeats - 1) * operand.repeat_stride +
                                       (blocks - 1) * operand.block_stride + 1) * block_bytes;
    };
    if (last(to) <= from.view.address || last(from) <= to.view.address) return false;
    const bool same = to.view.address == from.view.address && to.block_stride == from.block_stride &&
                      to.repeat_stride == from.repeat_stride && to.size == from.size;
    if (same && (to.repeat_stride != 0 || active.repeats == 1)) return false;
    static std::vector<uint32_t> written(arena_blocks);  // the repeat that wrote a block, plus 1
    std::fill(written.begin(), written.end(), 0);
    for (uint32_t repeat = 0; repeat < active.repeats; ++repeat) {
        bool bad = false;
        for_touched(from, active, repeat, [&](uint32_t address) { bad |= written[address / block_bytes] != 0; });
        if (bad) return true;
        for_touched(to, active, repeat, [&](uint32_t address) { written[address / block_bytes] = repeat + 1; });
        if (to.size == from.size) {
            uint32_t ours[8], theirs[8];
            int a = 0, b = 0;
            for_touched(to, active, repeat, [&](uint32_t address) { ours[a++ & 7] = address; });
            for_touched(from, active, repeat, [&](uint32_t address) { theirs[b++ & 7] = address; });
            for (int i = 0; i < a; ++i)
                for (int j = 0; j < b; ++j)
                    if (i != j && ours[i] == theirs[j]) return true;
        }
    }
    return false;
}

// As begin_first_n. `accumulates`: a call that may use its result as the second source of the next repeat.
inline bool begin_strided(const Operand* operands, int number, const Active& active, bool accumulates, Where at)
{
    if (!options.checks) return true;
    bool usable = true;
    for (int i = 0; i < number; ++i)
        for (uint32_t repeat = 0; repeat < active.repeats && usable; ++repeat)
            for_touched(operands[i], active, repeat, [&](uint32_t address) {
                if (usable) usable = core->may_use(operands[i].view, address, block_bytes, operands[i].role, at);
            });
    if (!usable) return false;
    const Operand& to = operands[0];
    for (int i = 1; i < number; ++i) {
        const bool may_accumulate = accumulates && i == 2 && to.view.address == operands[2].view.address &&
                                    (to.repeat_stride == 0 || operands[2].repeat_stride == 0);
        if (!may_accumulate && has_bad_overlap(to, operands[i], active))
            ACTGRAD_ERROR(overlap, at, "the %s overlaps the %s, and a repeat reads what was written before", to.role,
                          operands[i].role);
    }
    for (uint32_t repeat = 0; repeat < active.repeats; ++repeat) {
        for (int i = 1; i < number; ++i)
            for_touched(operands[i], active, repeat, [&](uint32_t address) {
                core->reads(PIPE_V, address / block_bytes, address / block_bytes + 1, at);
            });
        for_touched(to, active, repeat, [&](uint32_t address) {
            core->writes(PIPE_V, address / block_bytes, address / block_bytes + 1, at);
        });
    }
    return true;
}

inline uint32_t lane_address(const Operand& operand, uint32_t repeat, uint32_t lane)
{
    const uint32_t offset = lane * operand.size;
    return operand.view.address + offset % block_bytes +
           (repeat * operand.repeat_stride + offset / block_bytes * operand.block_stride) * block_bytes;
}

// The definition of one element of the result follows from its sources.
inline void define_lane(const Operand* operands, int number, uint32_t repeat, uint32_t lane, Where at)
{
    Shadow& shadow = *core->shadow;
    bool is_value = true;
    Where origin = at;
    for (int i = 1; i < number; ++i) {
        const uint32_t from = lane_address(operands[i], repeat, lane);
        if (shadow.is_defined(from, operands[i].size)) continue;
        is_value = false;
        origin = origin_of(from, operands[i].size, at);
    }
    const uint32_t address = lane_address(operands[0], repeat, lane);
    shadow.define(address, operands[0].size, is_value);
    if (!is_value) shadow.origin[address / block_bytes] = origin;
}

// The same for a chunk of lanes, which lie together in each operand.
inline void define_chunk(const Operand* operands, int number, uint32_t repeat, uint32_t lane, uint32_t chunk,
                         uint32_t bits, bool whole, Where at)
{
    bool all = whole;
    for (int i = 1; i < number && all; ++i)
        all = core->shadow->is_defined(lane_address(operands[i], repeat, lane), chunk * operands[i].size);
    if (all) return core->shadow->define(lane_address(operands[0], repeat, lane), chunk * operands[0].size);
    for (uint32_t i = 0; i < chunk; ++i)
        if (bits >> i & 1) define_lane(operands, number, repeat, lane + i, at);
}

// Runs one call of the strided form, block by block of the widest operand. run(destination, sources..., n).
template <class Run, class D, class... S>
inline void strided(Run run, const char* name, const Mask& mask, bool sets_mask, int64_t repeats, bool accumulates,
                    Where at, const Operand& dst, const LocalTensor<D>&, const std::pair<Operand, const S*>&... src)
{
    start(at);
    constexpr uint32_t widest = std::max({sizeof(D), sizeof(S)...}), chunk = block_bytes / widest;
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
