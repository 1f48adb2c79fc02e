// Compare writes a bit for each element, the first element in the lowest bit. Select chooses by such bits.
//
// Compare: the documents ask for a count whose elements fill whole pieces of 256 bytes; an incomplete piece at the end
// is not compared. Kernels rely on it all the same, so we compare it and warn (compare-remainder). Comparisons with
// NaN are an assumption. The mask of the strided form has no effect on Ascend910B, Ascend910_93 and Ascend310P.
//
// Select: a bit of 1 takes the first source. The modes differ in how they use the bits:
//   0 VSEL_CMPMASK_SPR           the first 256 / sizeof(T) bits, again for each repeat
//   1 VSEL_TENSOR_SCALAR_MODE    a tensor and a scalar, bits one after the other
//   2 VSEL_TENSOR_TENSOR_MODE    two tensors, bits one after the other
// Before Ascend 950, modes 1 and 2 need 8 KB of UB that no buffer takes.
#pragma once

#include "cast.h"

namespace actgrad {

using AscendC::CMPMODE;
using AscendC::SELMODE;

template <class T>
inline bool compare(T x, T y, CMPMODE mode, bool ieee)
{
    switch (mode) {
        case CMPMODE::LT: return x < y;
        case CMPMODE::GT: return x > y;
        case CMPMODE::EQ: return x == y;
        case CMPMODE::LE: return ieee ? x <= y : !(x > y);
        case CMPMODE::GE: return ieee ? x >= y : !(x < y);
        default: return x != y;
    }
}

template <class T>
inline void check_compare(Call call, const char* name, CMPMODE mode, Where at)
{
    require_type<T>(call, name, at);
    if (__NPU_ARCH__ == 2201 && std::is_same_v<T, int32_t> && mode != CMPMODE::EQ)
        ACTGRAD_ERROR(dtype_unsupported, at, "%s of int32_t compares only with EQ on %s", name, product_name());
    meet(Assumption::nan_in_compare);
}

// Eight results to a byte. y(i) is the second operand of element i.
template <class T, class Y>
inline void compare_bits(uint8_t* out, const T* in, Y y, uint32_t n, CMPMODE mode)
{
    using W = wide_t<T>;
    const bool ieee = options.nan_compares_as_ieee;
    uint8_t results[256];
    const auto loop = [&](uint32_t done, uint32_t count, auto test) {
        for (uint32_t i = 0; i < count; ++i)
            results[i] = test(static_cast<W>(in[done + i]), static_cast<W>(y(done + i)));
    };
    for (uint32_t done = 0; done < n; done += 256) {
        const uint32_t count = std::min<uint32_t>(256, n - done);
        switch (mode) {
            case CMPMODE::LT: loop(done, count, [](W a, W b) { return a < b; }); break;
            case CMPMODE::GT: loop(done, count, [](W a, W b) { return a > b; }); break;
            case CMPMODE::EQ: loop(done, count, [](W a, W b) { return a == b; }); break;
            case CMPMODE::LE: loop(done, count, [ieee](W a, W b) { return compare(a, b, CMPMODE::LE, ieee); }); break;
            case CMPMODE::GE: loop(done, count, [ieee](W a, W b) { return compare(a, b, CMPMODE::GE, ieee); }); break;
            default: loop(done, count, [](W a, W b) { return a != b; }); break;
        }
        std::fill(results + count, results + (count + 7) / 8 * 8, 0);
        for (uint32_t byte = 0; byte < (count + 7) / 8; ++byte) {
            uint64_t eight;
            std::memcpy(&eight, results + 8 * byte, 8);
            const uint8_t bits = static_cast<uint8_t>((eight * 0x0102040810204080ull) >> 56);
            const uint32_t kept = count - 8 * byte;  // bits of elements that do not exist keep their value
            const uint8_t valid = kept >= 8 ? 0xFF : static_cast<uint8_t>((1u << kept) - 1);
            uint8_t& target = out[done / 8 + byte];
            target = static_cast<uint8_t>((target & ~valid) | (bits & valid));
        }
    }
}

// Checks around a first-n call whose operands count bytes of their own: bytes[0] is of the destination.
bool begin_bytes(const Operand* operands, const int64_t* bytes, int number, Where at);

inline bool is_defined(const Operand& operand, int64_t element)
{
    return core->shadow->is_defined(operand.view.address + static_cast<uint32_t>(element * operand.size), operand.size);
}

// The result bits of `count` elements: a byte is defined if its eight elements are.
void define_bits(const Operand& dst, const Operand* sources, int number, int64_t count, Where at);

template <class T, class Y, class U>
inline void compare_first_n(const char* name, const LocalTensor<U>& dst, const LocalTensor<T>& src0,
                            const LocalTensor<T>* src1, Y y, CMPMODE mode, int64_t count, Where at)
{
    start(at);
    if (!usable_count(count, name, at)) return;
    if (count * sizeof(T) % 256 != 0) {
        meet(Assumption::compare_tail);
        ACTGRAD_WARNING(compare_remainder, at, "%s of %lld elements ends inside a piece of 256 bytes, which the documents "
                        "forbid; the bits of the last %lld elements may be old ones", name,
                        static_cast<long long>(count), static_cast<long long>(count * sizeof(T) % 256 / sizeof(T)));
    }
    const Operand operands[] = {{dst, 1, "destination"}, {src0, sizeof(T), "first source"},
                                {src1 ? *src1 : src0, sizeof(T), "second source"}};
    const int64_t bytes[] = {(count + 7) / 8, static_cast<int64_t>(count * sizeof(T)),
                             static_cast<int64_t>(count * sizeof(T))};
    const int number = src1 ? 3 : 2;
    if (!begin_bytes(operands, bytes, number, at)) return;
    compare_bits(pointer<uint8_t>(dst), pointer<T>(src0), y, static_cast<uint32_t>(count), mode);
    define_bits(operands[0], operands + 1, number - 1, count, at);
}

template <class T, class U, class Y>
inline void compare_strided(const char* name, const LocalTensor<U>& dst, const Operand& src0, const Operand* src1, Y y,
                            CMPMODE mode, const Mask& mask, bool sets_mask, int64_t repeats, Where at)
{
    start(at);
    constexpr uint32_t lanes = 256 / sizeof(T);
    const bool uses_mask = __NPU_ARCH__ == 3510;
    Active active = pick(uses_mask ? mask : Mask(lanes), uses_mask ? sets_mask : true, repeats, lanes, name, at);
    if (active.repeats == 0) return;
    const Operand to{dst, 1, "destination"};
    if (options.checks) {
        const Operand operands[] = {src0, src0, src1 ? *src1 : src0};
        for (uint32_t repeat = 0; repeat < active.repeats; ++repeat)
            for (int i = 1; i < (src1 ? 3 : 2); ++i) {
                bool usable = true;
                for_touched(operands[i], active, repeat, [&](uint32_t address) {
                    usable = usable && core->may_use(operands[i].view, address, block_bytes, operands[i].role, at);
                    if (usable) core->reads(PIPE_V, address / block_bytes, address / block_bytes + 1, at);
                });
                if (!usable) return;
            }
        const uint32_t bytes = active.repeats * lanes / 8;
        if (!core->may_use(dst, dst.address, bytes, "destination", at)) return;
        core->writes(PIPE_V, dst.address / block_bytes, (dst.address + bytes + block_bytes - 1) / block_bytes, at);
    }
    for (uint32_t repeat = 0; repeat < active.repeats; ++repeat)
        for (uint32_t lane = 0; lane < lanes; ++lane) {
            if (!active.has(repeat, lane)) continue;
            const uint32_t from = lane_address(src0, repeat, lane);
            T x;
            std::memcpy(static_cast<void*>(&x), core->ub + from, sizeof(T));
            const bool result = compare<wide_t<T>>(x, y(repeat, lane), mode, options.nan_compares_as_ieee);
            const uint32_t bit = repeat * lanes + lane, byte = dst.address + bit / 8;
            core->ub[byte] = static_cast<uint8_t>((core->ub[byte] & ~(1u << bit % 8)) | unsigned{result} << bit % 8);
            if (!options.checks) continue;
            const bool is_value = core->shadow->is_defined(from, sizeof(T)) &&
                                  (!src1 || core->shadow->is_defined(lane_address(*src1, repeat, lane), sizeof(T)));
            uint8_t with_value = bit % 8 == 0 ? 0xFF : core->shadow->bits_of_byte(byte);
            if (!is_value) with_value = static_cast<uint8_t>(with_value & ~(1u << bit % 8));
            core->shadow->define_bits(byte, with_value);
            if (!is_value) core->shadow->set_origin(byte, origin_of(from, sizeof(T), at));
        }
}

// ---- Select

// Modes 1 and 2 need the last 8 KB of UB before Ascend 950. A warning if a buffer covers them and the kernel has not used
// this part of the buffer: kernels that take all of UB as one buffer often leave its end alone.
void check_reserve(SELMODE mode, Where at);

// One operand of Select: a tensor or a scalar.
template <class T>
struct Choice {
    const LocalTensor<T>* tensor;
    T scalar;
    uint32_t block_stride = 1, repeat_stride = 8;
};

template <class T, class U>
inline void select_first_n(const LocalTensor<T>& dst, const LocalTensor<U>& bits, Choice<T> a, Choice<T> b,
                           SELMODE mode, int64_t count, Where at)
{
    start(at);
    require_type<T>(Call::Select, "Select", at);
    check_reserve(mode, at);
    if (!usable_count(count, "Select", at)) return;
    constexpr uint32_t lanes = 256 / sizeof(T);
    const bool repeats_bits = mode == SELMODE::VSEL_CMPMASK_SPR;
    const int64_t bit_bytes = ((repeats_bits ? std::min<int64_t>(lanes, count) : count) + 7) / 8;
    Operand operands[4] = {{dst, sizeof(T), "destination"}, {bits, 1, "mask"}};
    int64_t bytes[4] = {static_cast<int64_t>(count * sizeof(T)), bit_bytes};
    int number = 2;
    for (const Choice<T>* choice : {&a, &b})
        if (choice->tensor != nullptr) {
            operands[number] = {*choice->tensor, sizeof(T), choice == &a ? "first source" : "second source"};
            bytes[number++] = static_cast<int64_t>(count * sizeof(T));
        }
    for (int i = 2; i < number; ++i)
        if (options.checks && is_overlap(dst.address, sizeof(T), operands[i].view.address, sizeof(T), count))
            ACTGRAD_ERROR(overlap, at, "the destination and the %s overlap in part", operands[i].role);
    if (!begin_bytes(operands, bytes, number, at)) return;
    bool all = true;
    if (options.checks)
        for (int i = 1; i < number; ++i)
            all &= core->shadow->is_defined(operands[i].view.address, static_cast<uint32_t>(bytes[i]));
    if (!all)  // before the destination changes, which may be a source
        for (int64_t i = 0; i < count; ++i) {
            const int64_t bit = repeats_bits ? i % lanes : i;
            const uint8_t word = core->ub[bits.address + bit / 8];
            const Choice<T>& taken = word >> bit % 8 & 1 ? a : b;
            bool is_value = core->shadow->bits_of_byte(bits.address + static_cast<uint32_t>(bit / 8)) >> bit % 8 & 1;
            Where origin = is_value ? at : origin_of(bits.address + static_cast<uint32_t>(bit / 8), 1, at);
            if (is_value && taken.tensor != nullptr) {
                const uint32_t from = taken.tensor->address + static_cast<uint32_t>(i * sizeof(T));
                is_value = core->shadow->is_defined(from, sizeof(T));
                if (!is_value) origin = origin_of(from, sizeof(T), at);
            }
            const uint32_t to = dst.address + static_cast<uint32_t>(i * sizeof(T));
            core->shadow->define(to, sizeof(T), is_value);
            if (!is_value) core->shadow->set_origin(to, origin);
        }
    using Bits = bits_t<sizeof(T)>;
    const uint8_t* words = pointer<uint8_t>(bits);
    Bits* out = pointer<Bits>(dst);
    uint8_t wide[256];
    Bits constant[2];
    std::memcpy(&constant[0], &a.scalar, sizeof(T));
    std::memcpy(&constant[1], &b.scalar, sizeof(T));
    for (int64_t done = 0; done < count; done += lanes) {
        const uint32_t n = static_cast<uint32_t>(std::min<int64_t>(lanes, count - done));
        const uint8_t* piece = words + (repeats_bits ? 0 : done / 8);
        for (uint32_t byte = 0; byte < (n + 7) / 8; ++byte) {
            // Bit k of the byte becomes byte k.
            const uint64_t eight = ((piece[byte] * 0x0101010101010101ull) & 0x8040201008040201ull);
            const uint64_t flags = ((eight + 0x7F7F7F7F7F7F7F7Full) | eight) >> 7 & 0x0101010101010101ull;
            std::memcpy(wide + 8 * byte, &flags, 8);
        }
        const Bits* x = a.tensor ? pointer<Bits>(*a.tensor) + done : nullptr;
        const Bits* y = b.tensor ? pointer<Bits>(*b.tensor) + done : nullptr;
        if (x && y)
            for (uint32_t i = 0; i < n; ++i) out[done + i] = wide[i] ? x[i] : y[i];
        else if (x)
            for (uint32_t i = 0; i < n; ++i) out[done + i] = wide[i] ? x[i] : constant[1];
        else
            for (uint32_t i = 0; i < n; ++i) out[done + i] = wide[i] ? constant[0] : y[i];
    }
    if (options.checks && all) core->shadow->define(dst.address, static_cast<uint32_t>(bytes[0]));
}

// `words`: the bits, or the compare register if there is no tensor of bits.
template <class T>
inline void select_strided(const LocalTensor<T>& dst, uint32_t dst_block, uint32_t dst_repeat, const View* bits,
                           Choice<T> a, Choice<T> b, SELMODE mode, const Mask& mask, bool sets_mask, int64_t repeats,
                           Where at)
{
    start(at);
    require_type<T>(Call::Select, "Select", at);
    check_reserve(mode, at);
    constexpr uint32_t lanes = 256 / sizeof(T);
    const Active active = pick(mask, sets_mask, repeats, lanes, "Select", at);
    if (active.repeats == 0) return;
    const bool repeats_bits = mode == SELMODE::VSEL_CMPMASK_SPR;
    Operand operands[3] = {operand(dst, "destination", dst_block, dst_repeat)};
    int number = 1;
    for (const Choice<T>* choice : {&a, &b})
        if (choice->tensor != nullptr)
            operands[number++] = operand(*choice->tensor, choice == &a ? "first source" : "second source",
                                         choice->block_stride, choice->repeat_stride);
    if (!begin_strided(operands, number, active, false, at)) return;
    if (bits != nullptr && options.checks) {
        const uint32_t bytes = (repeats_bits ? 1 : active.repeats) * lanes / 8;
        if (!core->may_use(*bits, bits->address, bytes, "mask", at)) return;
        core->reads(PIPE_V, bits->address / block_bytes, (bits->address + bytes + block_bytes - 1) / block_bytes, at);
    }
    for (uint32_t repeat = 0; repeat < active.repeats; ++repeat)
        for (uint32_t lane = 0; lane < lanes; ++lane) {
            if (!active.has(repeat, lane)) continue;
            const uint32_t bit = repeats_bits ? lane : repeat * lanes + lane;
            const uint8_t word = bits != nullptr ? core->ub[bits->address + bit / 8] : core->compare_mask[bit / 8 % 32];
            const bool first = word >> bit % 8 & 1;
            const Choice<T>& taken = first ? a : b;
            T value = taken.scalar;
            bool is_value = bits == nullptr || !options.checks ||
                            (core->shadow->bits_of_byte(bits->address + bit / 8) >> bit % 8 & 1);
            Where origin = at;
            if (taken.tensor != nullptr) {
                const uint32_t from = lane_address(
                    operand(*taken.tensor, "", taken.block_stride, taken.repeat_stride), repeat, lane);
                std::memcpy(static_cast<void*>(&value), core->ub + from, sizeof(T));
                if (options.checks && !core->shadow->is_defined(from, sizeof(T))) {
                    is_value = false;
                    origin = origin_of(from, sizeof(T), at);
                }
            }
            const uint32_t to = lane_address(operands[0], repeat, lane);
            std::memcpy(core->ub + to, &value, sizeof(T));
            if (!options.checks) continue;
            core->shadow->define(to, sizeof(T), is_value);
            if (!is_value) core->shadow->set_origin(to, origin);
        }
}

}  // namespace actgrad

namespace AscendC {

// ---- Compare: two tensors

template <class T, class U>
void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode,
             actgrad::Count count, ACTGRAD_AT)
{
    actgrad::check_compare<T>(actgrad::Call::Compare, "Compare", cmpMode, at);
    const T* second = actgrad::pointer<T>(src1);
    actgrad::compare_first_n("Compare", dst, src0, &src1, [second](uint32_t i) { return second[i]; }, cmpMode,
                             count.value, at);
}
template <class T, class U, bool isSetMask = true>
void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode,
             const actgrad::Mask& mask, U8 repeatTime, const BinaryRepeatParams& p, ACTGRAD_AT)
{
    actgrad::check_compare<T>(actgrad::Call::Compare, "Compare", cmpMode, at);
    const actgrad::Operand first = actgrad::operand(src0, "first source", p.src0BlkStride, p.src0RepStride);
    const actgrad::Operand second = actgrad::operand(src1, "second source", p.src1BlkStride, p.src1RepStride);
    const auto value = [&second](uint32_t repeat, uint32_t lane) {
        T y;
        std::memcpy(static_cast<void*>(&y), actgrad::core->ub + actgrad::lane_address(second, repeat, lane), sizeof(T));
        return y;
    };
    actgrad::compare_strided<T>("Compare", dst, first, &second, value, cmpMode, mask, isSetMask, repeatTime.value, at);
}
// Into the compare register: the results of one repeat, for Select without a tensor of bits.
template <class T, bool isSetMask = true>
void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode, const actgrad::Mask& mask,
             const BinaryRepeatParams& p, ACTGRAD_AT)
{
    actgrad::check_compare<T>(actgrad::Call::Compare, "Compare", cmpMode, at);
    actgrad::start(at);
    constexpr uint32_t lanes = 256 / sizeof(T);
    const actgrad::Active active = actgrad::pick(mask, isSetMask, 1, lanes, "Compare", at);
    const actgrad::Operand first = actgrad::operand(src0, "first source", p.src0BlkStride, p.src0RepStride);
    const actgrad::Operand second = actgrad::operand(src1, "second source", p.src1BlkStride, p.src1RepStride);
    for (uint32_t lane = 0; lane < lanes; ++lane) {
        if (!active.has(0, lane)) continue;
        const uint32_t x = actgrad::lane_address(first, 0, lane), y = actgrad::lane_address(second, 0, lane);
        if (actgrad::options.checks && (!actgrad::core->may_use(src0, x, sizeof(T), "first source", at, sizeof(T)) ||
                                        !actgrad::core->may_use(src1, y, sizeof(T), "second source", at, sizeof(T))))
            return;
        T a, b;
        std::memcpy(static_cast<void*>(&a), actgrad::core->ub + x, sizeof(T));
        std::memcpy(static_cast<void*>(&b), actgrad::core->ub + y, sizeof(T));
        const bool result = actgrad::compare<actgrad::wide_t<T>>(a, b, cmpMode, actgrad::options.nan_compares_as_ieee);
        uint8_t& byte = actgrad::core->compare_mask[lane / 8];
        byte = static_cast<uint8_t>((byte & ~(1u << lane % 8)) | unsigned{result} << lane % 8);
    }
}

// ---- Compares: a tensor and a scalar. CompareScalar is the older name.

#define ACTGRAD_COMPARES(Name)                                                                                       \
    template <class T, class U>                                                                                      \
    void Name(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const actgrad::NonDeduced<T> src1Scalar,        \
              CMPMODE cmpMode, actgrad::Count count, ACTGRAD_AT)                                                     \
    {                                                                                                                \
        actgrad::check_compare<T>(actgrad::Call::Name, #Name, cmpMode, at);                                          \
        actgrad::compare_first_n(#Name, dst, src0, static_cast<const LocalTensor<T>*>(nullptr),                      \
                                 [src1Scalar](uint32_t) { return src1Scalar; }, cmpMode, count.value, at);           \
    }                                                                                                                \
    template <class T, class U, bool isSetMask = true>                                                               \
    void Name(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const actgrad::NonDeduced<T> src1Scalar,        \
              CMPMODE cmpMode, const actgrad::Mask& mask, U8 repeatTime, const UnaryRepeatParams& p, ACTGRAD_AT)     \
    {                                                                                                                \
        actgrad::check_compare<T>(actgrad::Call::Name, #Name, cmpMode, at);                                          \
        const actgrad::Operand first = actgrad::operand(src0, "source", p.srcBlkStride, p.srcRepStride);             \
        actgrad::compare_strided<T>(#Name, dst, first, nullptr,                                                      \
                                    [src1Scalar](uint32_t, uint32_t) { return src1Scalar; }, cmpMode, mask,          \
                                    isSetMask, repeatTime.value, at);                                                \
    }
ACTGRAD_COMPARES(Compares)
ACTGRAD_COMPARES(CompareScalar)

// ---- Select

template <class T, class U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            const LocalTensor<T>& src1, SELMODE selMode, actgrad::Count count, ACTGRAD_AT)
{
    actgrad::select_first_n<T, U>(dst, selMask, {&src0, T{}}, {&src1, T{}}, selMode, count.value, at);
}
template <class T, class U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            actgrad::NonDeduced<T> src1, SELMODE selMode, actgrad::Count count, ACTGRAD_AT)
{
    actgrad::select_first_n<T, U>(dst, selMask, {&src0, T{}}, {nullptr, src1}, selMode, count.value, at);
}
template <class T, class U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, actgrad::NonDeduced<T> src0,
            const LocalTensor<T>& src1, SELMODE selMode, actgrad::Count count, ACTGRAD_AT)
{
    actgrad::select_first_n<T, U>(dst, selMask, {nullptr, src0}, {&src1, T{}}, selMode, count.value, at);
}
template <class T, class U, bool isSetMask = true>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            const LocalTensor<T>& src1, SELMODE selMode, const actgrad::Mask& mask, U8 repeatTime,
            const BinaryRepeatParams& p, ACTGRAD_AT)
{
    actgrad::select_strided<T>(dst, p.dstBlkStride, p.dstRepStride, &selMask,
                               {&src0, T{}, p.src0BlkStride, p.src0RepStride},
                               {&src1, T{}, p.src1BlkStride, p.src1RepStride}, selMode, mask, isSetMask,
                               repeatTime.value, at);
}
template <class T, class U, bool isSetMask = true>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            actgrad::NonDeduced<T> src1, SELMODE selMode, const actgrad::Mask& mask, U8 repeatTime,
            const BinaryRepeatParams& p, ACTGRAD_AT)
{
    actgrad::select_strided<T>(dst, p.dstBlkStride, p.dstRepStride, &selMask,
                               {&src0, T{}, p.src0BlkStride, p.src0RepStride}, {nullptr, src1}, selMode, mask,
                               isSetMask, repeatTime.value, at);
}
// By the compare register (SetCmpMask, or Compare without a destination).
template <class T, SELMODE selMode>
void Select(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, U8 repeatTime,
            const BinaryRepeatParams& p, ACTGRAD_AT)
{
    actgrad::select_strided<T>(dst, p.dstBlkStride, p.dstRepStride, nullptr,
                               {&src0, T{}, p.src0BlkStride, p.src0RepStride},
                               {&src1, T{}, p.src1BlkStride, p.src1RepStride}, selMode,
                               actgrad::Mask(256 / sizeof(T)), false, repeatTime.value, at);
}

// The compare register from and to a tensor of at least 16 bytes.
template <class T>
void SetCmpMask(const LocalTensor<T>& src, ACTGRAD_AT)
{
    actgrad::start(at);
    if (!actgrad::options.checks || actgrad::core->may_use(src, src.address, 16, "source", at))
        std::memcpy(actgrad::core->compare_mask, actgrad::core->ub + src.address, 16);
}
template <class T>
void GetCmpMask(const LocalTensor<T>& dst, ACTGRAD_AT)
{
    actgrad::start(at);
    if (actgrad::options.checks) {
        if (!actgrad::core->may_use(dst, dst.address, 16, "destination", at)) return;
        actgrad::core->writes(PIPE_V, dst.address / 32, dst.address / 32 + 1, at);
        actgrad::core->shadow->define(dst.address, 16);
    }
    std::memcpy(actgrad::core->ub + dst.address, actgrad::core->compare_mask, 16);
}

}  // namespace AscendC
