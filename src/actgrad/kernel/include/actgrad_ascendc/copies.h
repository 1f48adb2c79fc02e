// Copies between global memory and UB.
//
//   DataCopy     whole blocks of 32 bytes. A count whose bytes are not a multiple of 32 loses its tail.
//   DataCopyPad  any number of bytes. Each piece fills up whole blocks in UB; to global memory exactly its bytes go.
//
// From global memory on pipe MTE2, to global memory on pipe MTE3, inside UB on pipe V.
// Addresses in UB are multiples of 32.
#pragma once

#include "masks.h"

namespace actgrad {

using AscendC::GlobalTensor;

// A copy between global memory and UB as pieces on both sides. In UB, a piece starts at a multiple of 32 bytes.
struct Transfer {
    int argument;
    Pieces gm;
    View ub;
    int64_t ub_stride;         // bytes from piece to piece
    int64_t left = 0;          // bytes of UB before the data of a piece
    int64_t filled = 0;        // bytes of UB that a piece takes, padding included
};

// Each copy of the documents is `count` pieces; sizes that no field can hold are refused by the fields themselves.
inline bool usable_pieces(const char* name, int64_t count, int64_t length, Where at)
{
    if (count == 0 || length == 0) meet(Assumption::zero_length);
    if (count > 4095)
        ACTGRAD_ERROR(copy_length, at, "%s copies %lld pieces; at most 4095 are allowed", name,
                      static_cast<long long>(count));
    if (length > 2097151)
        ACTGRAD_ERROR(copy_length, at, "the pieces of %s have %lld bytes; at most 2097151 are allowed", name,
                      static_cast<long long>(length));
    return count > 0 && length > 0;
}

// From global memory. `pad(ub address)` fills the padding of a piece after the data is there.
template <class Pad>
inline void copy_in(const Transfer& t, Where at, Pad pad)
{
    report.last = at;
    core->clocks.issue(PIPE_MTE2, at);
    const int64_t past = (t.gm.count - 1) * t.ub_stride + t.filled;
    const int64_t lowest = std::min<int64_t>(0, (t.gm.count - 1) * t.ub_stride);
    if (options.checks) {
        if (!core->may_use(t.ub, static_cast<uint32_t>(t.ub.address + lowest), past - lowest, "destination", at)) return;
        for (int64_t piece = 0; piece < t.gm.count; ++piece) {
            const uint32_t address = static_cast<uint32_t>(t.ub.address + piece * t.ub_stride);
            core->writes(PIPE_MTE2, address / block_bytes,
                         static_cast<uint32_t>((address + t.filled + block_bytes - 1) / block_bytes), at);
        }
    }
    if (!core->may_use_gm(t.argument, t.gm, false, at)) return;
    const Argument& argument = memory.arguments[t.argument];
    if (options.checks) core->gm_read(PIPE_MTE2, t.argument, t.gm, at);
    for (int64_t piece = 0; piece < t.gm.count; ++piece) {
        const int64_t from = t.gm.start + piece * t.gm.stride;
        const uint32_t to = static_cast<uint32_t>(t.ub.address + piece * t.ub_stride + t.left);
        // Bytes outside of the argument stay undefined; the fault is reported already.
        const int64_t skipped = std::clamp<int64_t>(-from, 0, t.gm.piece);
        const int64_t end = std::clamp<int64_t>(static_cast<int64_t>(argument.bytes) - from, skipped, t.gm.piece);
        std::memcpy(core->ub + to + skipped, argument.data + from + skipped, end - skipped);
        if (options.checks && end > skipped)
            core->shadow->define(to + static_cast<uint32_t>(skipped), static_cast<uint32_t>(end - skipped));
        pad(static_cast<uint32_t>(t.ub.address + piece * t.ub_stride));
    }
}

// To global memory.
inline void copy_out(const Transfer& t, Where at)
{
    report.last = at;
    core->clocks.issue(PIPE_MTE3, at);
    const int64_t past = (t.gm.count - 1) * t.ub_stride + t.gm.piece;
    const int64_t lowest = std::min<int64_t>(0, (t.gm.count - 1) * t.ub_stride);
    if (options.checks) {
        if (!core->may_use(t.ub, static_cast<uint32_t>(t.ub.address + lowest), past - lowest, "source", at)) return;
        for (int64_t piece = 0; piece < t.gm.count; ++piece) {
            const uint32_t address = static_cast<uint32_t>(t.ub.address + piece * t.ub_stride);
            core->reads(PIPE_MTE3, address / block_bytes,
                        static_cast<uint32_t>((address + t.gm.piece + block_bytes - 1) / block_bytes), at);
        }
    }
    if (!core->may_use_gm(t.argument, t.gm, true, at)) return;
    const Argument& argument = memory.arguments[t.argument];
    bool same = number_of_blocks > 1;
    for (int64_t piece = 0; piece < t.gm.count; ++piece) {
        const int64_t to = t.gm.start + piece * t.gm.stride;
        const uint32_t from = static_cast<uint32_t>(t.ub.address + piece * t.ub_stride);
        const int64_t skipped = std::clamp<int64_t>(-to, 0, t.gm.piece);
        const int64_t end = std::clamp<int64_t>(static_cast<int64_t>(argument.bytes) - to, skipped, t.gm.piece);
        const uint32_t first = from + static_cast<uint32_t>(skipped);
        const uint32_t bytes = static_cast<uint32_t>(end - skipped);
        if (options.checks && bytes != 0 && !core->shadow->is_defined(first, bytes))
            report_undefined(first, bytes, t.ub.low, at);
        uint8_t* target = argument.data + to + skipped;
        if (core->atomic != Core::Atomic::none) {
            same = false;
            core->atomic_apply(target, core->ub + first, bytes);
        } else {
            same = same && std::memcmp(target, core->ub + first, bytes) == 0;
            std::memcpy(target, core->ub + first, bytes);
        }
    }
    if (options.checks) core->gm_write(PIPE_MTE3, t.argument, t.gm, same, at);
}

// The bytes of DataCopy's first-n form: whole blocks.
inline int64_t whole_blocks(int64_t count, uint32_t size, Where at)
{
    const int64_t bytes = count * size;
    if (count < 0 || bytes % block_bytes != 0)
        ACTGRAD_ERROR(copy_length, at, "DataCopy of %lld elements copies %lld bytes; it copies whole blocks of 32 bytes, "
                      "so the last %lld bytes are lost", static_cast<long long>(count),
                      static_cast<long long>(std::max<int64_t>(bytes, 0)),
                      static_cast<long long>(bytes % block_bytes));
    return std::max<int64_t>(bytes / block_bytes * block_bytes, 0);
}

inline void no_padding(uint32_t) {}

// UB to UB on pipe V: pieces of whole blocks.
inline void copy_inside(const View& dst, const View& src, int64_t count, int64_t bytes, int64_t dst_stride,
                        int64_t src_stride, Where at)
{
    start(at);
    if (count == 0 || bytes == 0) return meet(Assumption::zero_length);
    const auto address = [](const View& view, int64_t piece, int64_t stride) {
        return static_cast<uint32_t>(view.address + piece * stride);
    };
    if (options.checks) {
        if (!core->may_use(src, src.address, (count - 1) * src_stride + bytes, "source", at) ||
            !core->may_use(dst, dst.address, (count - 1) * dst_stride + bytes, "destination", at))
            return;
        for (int64_t piece = 0; piece < count; ++piece) {
            const uint32_t from = address(src, piece, src_stride), to = address(dst, piece, dst_stride);
            if (from != to && from < to + bytes && to < from + bytes)
                ACTGRAD_ERROR(overlap, at, "the destination and the source overlap in part");
            core->reads(PIPE_V, from / block_bytes, static_cast<uint32_t>((from + bytes) / block_bytes), at);
            core->writes(PIPE_V, to / block_bytes, static_cast<uint32_t>((to + bytes) / block_bytes), at);
        }
    }
    for (int64_t piece = 0; piece < count; ++piece) {
        const uint32_t from = address(src, piece, src_stride), to = address(dst, piece, dst_stride);
        std::memmove(core->ub + to, core->ub + from, bytes);
        if (!options.checks) continue;
        for (uint32_t block = 0; block < bytes / block_bytes; ++block) {
            const uint32_t source = from / block_bytes + block, target = to / block_bytes + block;
            core->shadow->defined[target] = core->shadow->defined[source];
            if (core->shadow->defined[source] != ~0u)
                core->shadow->origin[target] =
                    core->shadow->origin[source].line != 0 ? core->shadow->origin[source] : at;
        }
    }
}

}  // namespace actgrad

namespace AscendC {

// ---- DataCopy: `count` elements, or pieces of whole blocks

template <class T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, actgrad::Count count, ACTGRAD_AT)
{
    const int64_t bytes = actgrad::whole_blocks(count.value, sizeof(T), at);
    if (bytes == 0) return actgrad::meet(actgrad::Assumption::zero_length);
    actgrad::copy_in({src.argument(), {src.offset_bytes(), bytes, bytes, 1}, dst, bytes, 0, bytes}, at,
                     actgrad::no_padding);
}
template <class T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, actgrad::Count count, ACTGRAD_AT)
{
    const int64_t bytes = actgrad::whole_blocks(count.value, sizeof(T), at);
    if (bytes == 0) return actgrad::meet(actgrad::Assumption::zero_length);
    actgrad::copy_out({dst.argument(), {dst.offset_bytes(), bytes, bytes, 1}, src, bytes, 0, bytes}, at);
}
template <class T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& p, ACTGRAD_AT)
{
    const int64_t bytes = 32 * int64_t{p.blockLen};
    if (!actgrad::usable_pieces("DataCopy", p.blockCount, bytes, at)) return;
    actgrad::copy_in({src.argument(), {src.offset_bytes(), bytes, bytes + 32 * int64_t{p.srcStride}, p.blockCount}, dst,
                      bytes + 32 * int64_t{p.dstStride}, 0, bytes}, at, actgrad::no_padding);
}
template <class T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& p, ACTGRAD_AT)
{
    const int64_t bytes = 32 * int64_t{p.blockLen};
    if (!actgrad::usable_pieces("DataCopy", p.blockCount, bytes, at)) return;
    actgrad::copy_out({dst.argument(), {dst.offset_bytes(), bytes, bytes + 32 * int64_t{p.dstStride}, p.blockCount},
                       src, bytes + 32 * int64_t{p.srcStride}, 0, bytes}, at);
}
template <class T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, actgrad::Count count, ACTGRAD_AT)
{
    actgrad::copy_inside(dst, src, 1, actgrad::whole_blocks(count.value, sizeof(T), at), 0, 0, at);
}
template <class T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& p, ACTGRAD_AT)
{
    const int64_t bytes = 32 * int64_t{p.blockLen};
    actgrad::copy_inside(dst, src, p.blockCount, bytes, bytes + 32 * int64_t{p.dstStride},
                         bytes + 32 * int64_t{p.srcStride}, at);
}

}  // namespace AscendC

namespace actgrad {

// The rest of the last block of a piece, and the paddings around it.
template <class T>
struct Padding {
    bool is_pad;
    int64_t left, right, data, filled;  // bytes
    T value;

    void operator()(uint32_t address) const
    {
        const T first = [&] {
            T element{};
            std::memcpy(static_cast<void*>(&element), core->ub + address + left, sizeof(T));
            return element;
        }();
        const bool has_value = is_pad || (left == 0 && right == 0);
        const T filler = is_pad ? value : first;
        const auto put = [&](int64_t from, int64_t to) {
            for (int64_t byte = from; byte + static_cast<int64_t>(sizeof(T)) <= to; byte += sizeof(T))
                std::memcpy(core->ub + address + byte, &filler, sizeof(T));
            if (options.checks && to > from)
                core->shadow->define(address + static_cast<uint32_t>(from), static_cast<uint32_t>(to - from),
                                     has_value);
        };
        put(0, left);
        put(left + data, filled);
    }
};

template <class T>
inline void pad_in(const LocalTensor<T>& dst, const GlobalTensor<T>& src, int64_t count, int64_t bytes,
                   int64_t src_gap, int64_t dst_gap, bool is_pad, int64_t left, int64_t right, T value, bool compact,
                   Where at)
{
    if (__NPU_ARCH__ == 2002)
        ACTGRAD_ERROR(dtype_unsupported, at, "Ascend310P does not have DataCopyPad");
    if (bytes % static_cast<int64_t>(sizeof(T)) != 0)
        ACTGRAD_ERROR(copy_length, at, "DataCopyPad copies %lld bytes, which is not a multiple of the element's %zu",
                      static_cast<long long>(bytes), sizeof(T));
    if (!usable_pieces("DataCopyPad", count, bytes, at)) return;
    left *= sizeof(T), right *= sizeof(T);
    if (left > 32 || right > 32)
        ACTGRAD_ERROR(copy_length, at, "a padding of DataCopyPad has %lld bytes; at most 32 are allowed",
                      static_cast<long long>(std::max(left, right)));
    const int64_t filled = compact ? bytes : (left + bytes + right + 31) / 32 * 32;
    const Pieces gm{src.offset_bytes(), bytes, bytes + src_gap, count};
    const int64_t stride = compact ? bytes : filled + 32 * dst_gap;
    copy_in({src.argument(), gm, dst, stride, left, filled}, at, Padding<T>{is_pad, left, right, bytes, filled, value});
}

template <class T>
inline void pad_out(const GlobalTensor<T>& dst, const LocalTensor<T>& src, int64_t count, int64_t bytes,
                    int64_t src_gap, int64_t dst_gap, bool compact, Where at)
{
    if (__NPU_ARCH__ == 2002)
        ACTGRAD_ERROR(dtype_unsupported, at, "Ascend310P does not have DataCopyPad");
    if (bytes % static_cast<int64_t>(sizeof(T)) != 0)
        ACTGRAD_ERROR(copy_length, at, "DataCopyPad copies %lld bytes, which is not a multiple of the element's %zu",
                      static_cast<long long>(bytes), sizeof(T));
    if (!usable_pieces("DataCopyPad", count, bytes, at)) return;
    const int64_t stride = compact ? bytes : (bytes + 31) / 32 * 32 + 32 * src_gap;
    copy_out({dst.argument(), {dst.offset_bytes(), bytes, bytes + dst_gap, count}, src, stride, 0, bytes}, at);
}

}  // namespace actgrad

namespace AscendC {

// ---- DataCopyPad: pieces of any number of bytes. The gap in global memory is in bytes, in UB in blocks.
// Into UB, the rest of the last block of a piece holds the padding value (isPad), or else copies of the piece's first
// element; with paddings and without isPad it holds anything.

template <class T, PaddingMode mode = PaddingMode::Normal>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyExtParams& p,
                 const DataCopyPadExtParams<actgrad::NonDeduced<T>>& padding, ACTGRAD_AT)
{
    actgrad::pad_in<T>(dst, src, p.blockCount, p.blockLen, p.srcStride, p.dstStride, padding.isPad,
                       padding.leftPadding, padding.rightPadding, padding.paddingValue, mode == PaddingMode::Compact,
                       at);
}
template <class T, PaddingMode mode = PaddingMode::Normal>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyExtParams& p, ACTGRAD_AT)
{
    actgrad::pad_out<T>(dst, src, p.blockCount, p.blockLen, p.srcStride, p.dstStride, mode == PaddingMode::Compact, at);
}
template <class T>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& p,
                 const DataCopyPadParams& padding, ACTGRAD_AT)
{
    T value{};
    std::memcpy(static_cast<void*>(&value), &padding.paddingValue, std::min(sizeof(T), sizeof padding.paddingValue));
    actgrad::pad_in<T>(dst, src, p.blockCount, p.blockLen, p.srcStride, p.dstStride, padding.isPad,
                       padding.leftPadding, padding.rightPadding, value, false, at);
}
template <class T>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& p, ACTGRAD_AT)
{
    actgrad::pad_out<T>(dst, src, p.blockCount, p.blockLen, p.srcStride, p.dstStride, false, at);
}

// ---- Copy: inside UB with mask and repeats, as a vector call

template <class T, bool isSetMask = true>
void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const actgrad::Mask& mask, U8 repeatTime,
          const CopyRepeatParams& p, ACTGRAD_AT)
{
    actgrad::require_type<T>(actgrad::Call::Copy, "Copy", at);
    actgrad::strided([](T* to, const T* from, uint32_t n) { std::memmove(static_cast<void*>(to), from, n * sizeof(T)); }, "Copy", mask,
                     isSetMask, repeatTime.value, false, at,
                     actgrad::operand(dst, "destination", p.dstStride, p.dstRepeatSize), dst,
                     actgrad::source(src, "source", p.srcStride, p.srcRepeatSize));
}
template <class T, bool isSetMask = true>
void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, actgrad::Count count, ACTGRAD_AT)
{
    actgrad::require_type<T>(actgrad::Call::Copy, "Copy", at);
    actgrad::first_n([](T* to, const T* from, uint32_t n) { std::memmove(static_cast<void*>(to), from, n * sizeof(T)); }, "Copy",
                     count.value, at, dst, src);
}

// ---- Duplicate: one value everywhere

template <class T>
void Duplicate(const LocalTensor<T>& dst, const actgrad::NonDeduced<T>& scalarValue, actgrad::Count count, ACTGRAD_AT)
{
    actgrad::require_type<T>(actgrad::Call::Duplicate, "Duplicate", at);
    const T value = scalarValue;
    actgrad::first_n([value](T* to, uint32_t n) { std::fill(to, to + n, value); }, "Duplicate", count.value, at, dst);
}
template <class T, bool isSetMask = true>
void Duplicate(const LocalTensor<T>& dst, const actgrad::NonDeduced<T>& scalarValue, const actgrad::Mask& mask,
               U8 repeatTime, U16 dstBlockStride, U8 dstRepeatStride, ACTGRAD_AT)
{
    actgrad::require_type<T>(actgrad::Call::Duplicate, "Duplicate", at);
    const T value = scalarValue;
    actgrad::strided([value](T* to, uint32_t n) { std::fill(to, to + n, value); }, "Duplicate", mask, isSetMask,
                     repeatTime.value, false, at,
                     actgrad::operand(dst, "destination", dstBlockStride, dstRepeatStride), dst);
}
// Element 0 of `src` everywhere (Ascend 950).
template <class T>
void Duplicate(const LocalTensor<T>& dst, const LocalTensor<T>& src, actgrad::Count count, ACTGRAD_AT)
{
    const T value = src.GetValue(0, at);
    Duplicate(dst, value, count, at);
}

// ---- atomic copies: later copies to global memory add to it, or take the larger or smaller value

}  // namespace AscendC

namespace actgrad {

template <class T, class F>
inline void set_atomic(Core::Atomic kind, F)
{
    core->atomic = kind;
    core->atomic_apply = [](uint8_t* gm, const uint8_t* ub, uint64_t bytes) {
        for (uint64_t i = 0; i + sizeof(T) <= bytes; i += sizeof(T)) {
            T a, b;
            std::memcpy(static_cast<void*>(&a), gm + i, sizeof(T));
            std::memcpy(static_cast<void*>(&b), ub + i, sizeof(T));
            const T result = static_cast<T>(F{}(static_cast<wide_t<T>>(a), static_cast<wide_t<T>>(b)));
            std::memcpy(gm + i, &result, sizeof(T));
        }
    };
}
struct AddValues { template <class T> T operator()(T a, T b) const { return static_cast<T>(a + b); } };
struct MaxValues { template <class T> T operator()(T a, T b) const { return b > a ? b : a; } };
struct MinValues { template <class T> T operator()(T a, T b) const { return b < a ? b : a; } };

}  // namespace actgrad

namespace AscendC {

template <class T> void SetAtomicAdd() { actgrad::set_atomic<T>(actgrad::Core::Atomic::add, actgrad::AddValues{}); }
template <class T> void SetAtomicMax() { actgrad::set_atomic<T>(actgrad::Core::Atomic::max, actgrad::MaxValues{}); }
template <class T> void SetAtomicMin() { actgrad::set_atomic<T>(actgrad::Core::Atomic::min, actgrad::MinValues{}); }
inline void SetAtomicNone() { actgrad::core->atomic = actgrad::Core::Atomic::none; }
inline void DisableDmaAtomic() { SetAtomicNone(); }

// Fills global memory with a value.
template <class T>
void InitOutput(GlobalTensor<T> gm, uint32_t size, T value = T(0), ACTGRAD_AT)
{
    for (uint32_t index = 0; index < size; ++index) {
        const actgrad::Pieces pieces{gm.offset_bytes() + static_cast<int64_t>(index * sizeof(T)), sizeof(T), 0, 1};
        if (!actgrad::core->may_use_gm(gm.argument(), pieces, true, at)) return;
        if (actgrad::options.checks && gm.argument() >= 0)
            actgrad::core->gm_write(PIPE_MTE3, gm.argument(), pieces,
                                    std::memcmp(gm.GetPhyAddr(index), &value, sizeof(T)) == 0, at);
        std::memcpy(static_cast<void*>(gm.GetPhyAddr(index)), &value, sizeof(T));
    }
}
template <class T>
void InitGlobalMemory(GlobalTensor<T>& gm, uint64_t size, T value, ACTGRAD_AT)
{
    InitOutput(gm, static_cast<uint32_t>(size), value, at);
}

// ---- names of the layer below, which some kernels call with raw addresses

}  // namespace AscendC

namespace actgrad {

// The tensor behind a raw address in UB.
template <class T>
inline LocalTensor<T> tensor_at(const T* address)
{
    const uint32_t offset = static_cast<uint32_t>(reinterpret_cast<const uint8_t*>(address) - core->ub);
    for (size_t index = core->buffers.size(); index-- > 1;) {
        const Buffer& buffer = core->buffers[index];
        if (buffer.state == State::dead || offset < buffer.start || offset >= buffer.start + buffer.bytes) continue;
        View view = core->view_of(static_cast<uint16_t>(index), TPosition::VECCALC);
        view.bytes -= offset - view.address;
        view.address = offset;
        return LocalTensor<T>(view);
    }
    return LocalTensor<T>();
}

}  // namespace actgrad

namespace AscendC {

template <class T>
void DuplicateImpl(__ubuf__ T* dst, actgrad::NonDeduced<T> value, actgrad::Count count, ACTGRAD_AT)
{
    Duplicate(actgrad::tensor_at(dst), value, count, at);
}
template <class T>
void DataCopyUB2GMImpl(__gm__ T* dst, __ubuf__ T* src, const DataCopyParams& p, ACTGRAD_AT)
{
    GlobalTensor<T> gm;
    gm.SetGlobalBuffer(dst);
    DataCopy(gm, actgrad::tensor_at(src), p, at);
}
template <class T>
void DataCopyGM2UBImpl(__ubuf__ T* dst, __gm__ T* src, const DataCopyParams& p, ACTGRAD_AT)
{
    GlobalTensor<T> gm;
    gm.SetGlobalBuffer(src);
    DataCopy(actgrad::tensor_at(dst), gm, p, at);
}

}  // namespace AscendC
