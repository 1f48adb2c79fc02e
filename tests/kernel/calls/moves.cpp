#include "call.h"

extern "C" __global__ __aicore__ void moves(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR out, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(CallTiling, t, tiling);
    Frame frame;
    frame.init(t.bytes);
    LocalTensor<DTYPE_X> a = frame.load<DTYPE_X>(frame.first, x, t.bytes), d = frame.load<DTYPE_X>(frame.result, z, t.bytes);
    LocalTensor<uint32_t> offsets = frame.load<uint32_t>(frame.second, y, t.bytes);
    PipeBarrier<PIPE_ALL>();
    uint64_t kept = 0;
    switch (t.call) {
        case 0: {
            LocalTensor<DTYPE_X> from[16], to[16];
            for (int i = 0; i < 16; ++i) from[i] = a[i * 32 / sizeof(DTYPE_X)], to[i] = d[i * 32 / sizeof(DTYPE_X)];
            TransDataTo5HDParams p;
            p.dstHighHalf = t.mode & 1;
            p.srcHighHalf = t.mode & 2;
            TransDataTo5HD(to, from, p);
            break;
        }
        case 1: {  // by addresses, in repeats
            uint64_t from[16], to[16];
            for (int i = 0; i < 16; ++i) {
                from[i] = (uint64_t)a[i * 32 / sizeof(DTYPE_X)].GetPhyAddr();
                to[i] = (uint64_t)d[i * 32 / sizeof(DTYPE_X)].GetPhyAddr();
            }
            TransDataTo5HD<DTYPE_X>(to, from, TransDataTo5HDParams(false, false, t.repeats, 16, 16));
            break;
        }
        case 2: Gather(d, a, offsets, 0, t.count); break;
        case 3: GatherMask(d, a, static_cast<uint8_t>(t.mode), true, t.count, GatherMaskParams(1, t.repeats, 8, 8), kept); break;
        case 4: Brcb(d, a, t.repeats, BrcbRepeatParams(t.strides[0], t.strides[3])); break;
        case 5: Copy(d, a, t.mask[0], t.repeats, CopyRepeatParams(t.strides[0], t.strides[1], t.strides[3], t.strides[4])); break;
        case 6: Duplicate(d, static_cast<DTYPE_X>(t.scalar), t.mask, t.repeats, t.strides[0], t.strides[3]); break;
        case 7: DataCopy(d, a, DataCopyParams(t.repeats, t.count, t.strides[0], t.strides[1])); break;
        case 8: ArithProgression(d, static_cast<DTYPE_X>(t.scalar), static_cast<DTYPE_X>(2), t.count); break;
    }
    if (t.call == 3) d.SetValue(t.bytes / sizeof(DTYPE_X) - 1, static_cast<DTYPE_X>(kept));
    PipeBarrier<PIPE_ALL>();
    frame.store(out, d, t.bytes);
}

struct PadTiling {
    int32_t count, bytes, ub_gap, gm_gap, left, right, is_pad, ub_bytes;
};

// In with DataCopyPad, then all of UB out; and out with DataCopyPad from a full UB.
extern "C" __global__ __aicore__ void pads(GM_ADDR x, GM_ADDR out, GM_ADDR packed, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(PadTiling, t, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, t.ub_bytes);
    LocalTensor<DTYPE_X> ub = buffer.Get<DTYPE_X>();
    GlobalTensor<DTYPE_X> from, all, pieces;
    from.SetGlobalBuffer((__gm__ DTYPE_X*)x);
    all.SetGlobalBuffer((__gm__ DTYPE_X*)out);
    pieces.SetGlobalBuffer((__gm__ DTYPE_X*)packed);
    Duplicate(ub, static_cast<DTYPE_X>(7), t.ub_bytes / sizeof(DTYPE_X));
    PipeBarrier<PIPE_ALL>();
    DataCopyPad(ub, from, DataCopyExtParams(t.count, t.bytes, t.gm_gap, t.ub_gap, 0),
                DataCopyPadExtParams<DTYPE_X>(t.is_pad, t.left, t.right, static_cast<DTYPE_X>(5)));
    PipeBarrier<PIPE_ALL>();
    DataCopy(all, ub, t.ub_bytes / sizeof(DTYPE_X));
    DataCopyPad(pieces, ub, DataCopyExtParams(t.count, t.bytes, t.ub_gap, t.gm_gap, 0));
}
