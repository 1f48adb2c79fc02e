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
    // What fills the bytes around the data: the padding value, or else the first element of the piece.
    uint32_t element = 0;
    bool pads_value = false, has_value = true;  // has_value: the bytes around the data are defined
    uint8_t value[8] = {};
};

// Each copy of the documents is `count` pieces; sizes that no field can hold are refused by the fields themselves.
bool usable_pieces(const char* name, int64_t count, int64_t length, Where at);

// The rest of the last block of a piece, and the paddings around it.
void fill_padding(const Transfer& t, uint32_t address);

// From global memory.
void copy_in(const Transfer& t, Where at);

// To global memory.
void copy_out(const Transfer& t, Where at);

// The bytes of DataCopy's first-n form: whole blocks.
int64_t whole_blocks(int64_t count, uint32_t size, Where at);

// One side of a copy of slices: where its pieces start, and how long each is, in bytes.
struct Slices {
    std::vector<int64_t> starts;
    int64_t piece;
};
Slices slices_of(const AscendC::SliceInfo* info, uint32_t dimensions, uint32_t size, Where at);
void copy_slices(bool is_in, int argument, int64_t gm_start, const View& ub, const Slices& gm_slices,
                 const Slices& ub_slices, Where at);

// One loop of a copy of several dimensions. `left` and `right` are paddings, numbers of steps.
struct CopyLoop { int64_t size, gm_stride, ub_stride, left, right; };  // strides in bytes
constexpr int most_loops = 5;
void copy_loops(int argument, int64_t gm_start, const View& ub, const CopyLoop* loops, int dimensions, uint32_t element,
                const uint8_t* padding, bool is_nearest, Where at);

// UB to UB on pipe V: pieces of whole blocks.
void copy_inside(const View& dst, const View& src, int64_t count, int64_t bytes, int64_t dst_stride,
                        int64_t src_stride, Where at);

}  // namespace actgrad

namespace AscendC {

// ---- DataCopy: `count` elements, or pieces of whole blocks

template <class T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, actgrad::Count count, ACTGRAD_AT)
{
    const int64_t bytes = actgrad::whole_blocks(count.value, sizeof(T), at);
    if (bytes == 0) return actgrad::meet(actgrad::Assumption::zero_length);
    actgrad::copy_in({src.argument(), {src.offset_bytes(), bytes, bytes, 1}, dst, bytes, 0, bytes}, at);
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
                      bytes + 32 * int64_t{p.dstStride}, 0, bytes}, at);
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

// ---- DataCopy of slices: dimension 0 has pieces of burstLen blocks, the others single indices, with gaps of `stride`
// elements from startIndex to endIndex, which belongs to the slice.

template <class T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const SliceInfo dstSliceInfo[],
              const SliceInfo srcSliceInfo[], uint32_t dimValue = 1, ACTGRAD_AT)
{
    actgrad::copy_slices(true, src.argument(), src.offset_bytes(), dst,
                         actgrad::slices_of(srcSliceInfo, dimValue, sizeof(T), at),
                         actgrad::slices_of(dstSliceInfo, dimValue, sizeof(T), at), at);
}
template <class T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const SliceInfo dstSliceInfo[],
              const SliceInfo srcSliceInfo[], uint32_t dimValue = 1, ACTGRAD_AT)
{
    actgrad::copy_slices(false, dst.argument(), dst.offset_bytes(), src,
                         actgrad::slices_of(dstSliceInfo, dimValue, sizeof(T), at),
                         actgrad::slices_of(srcSliceInfo, dimValue, sizeof(T), at), at);
}

// ---- DataCopy of up to five dimensions from global memory (Ascend 950). Paddings hold the constant, or the nearest
// element of the source.

template <class T, uint8_t dim, const NdDmaConfig& config = kDefaultNdDmaConfig>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const NdDmaParams<T, dim>& params, ACTGRAD_AT)
{
    static_assert(dim >= 1 && dim <= actgrad::most_loops, "a copy has one to five dimensions");
    constexpr uint16_t by_dimension = 0xFFFF;  // of the config: the paddings are those of each dimension
    actgrad::CopyLoop loops[dim];
    for (int each = 0; each < dim; ++each) {
        const NdDmaLoopInfo<dim>& info = params.loopInfo;
        loops[each] = {info.loopSize[each], static_cast<int64_t>(info.loopSrcStride[each] * sizeof(T)),
                       static_cast<int64_t>(info.loopDstStride[each] * sizeof(T)),
                       config.loopLpSize == by_dimension ? info.loopLpSize[each] : config.loopLpSize,
                       config.loopRpSize == by_dimension ? info.loopRpSize[each] : config.loopRpSize};
    }
    actgrad::copy_loops(src.argument(), src.offset_bytes(), dst, loops, dim, sizeof(T),
                        reinterpret_cast<const uint8_t*>(&params.constantValue), config.isNearestValueMode, at);
}
inline void NdDmaDci() {}  // a hint for caches

}  // namespace AscendC

namespace actgrad {

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
    Transfer transfer{src.argument(), gm, dst, stride, left, filled, sizeof(T), is_pad, is_pad || (left == 0 && right == 0)};
    std::memcpy(transfer.value, &value, sizeof(T));
    copy_in(transfer, at);
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
