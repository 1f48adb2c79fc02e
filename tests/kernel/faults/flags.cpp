// y = |x| + 3 min(x, 0) in half: one function, no queues, TBufs ordered by SetFlag and WaitFlag.
#include "kernel_operator.h"
#include "faulty.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void flags(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(FaultyTilingData, t, tiling);
    TPipe pipe;
    TBuf<TPosition::VECIN> inBuf;
    TBuf<TPosition::VECOUT> outBuf;
    TBuf<TPosition::VECCALC> workBuf;
    pipe.InitBuffer(inBuf, t.tile * sizeof(half));
    pipe.InitBuffer(outBuf, t.tile * sizeof(half));
#if FAULT == 10
    pipe.InitBuffer(workBuf, 200 * 1024);  // FAULT 10: ub-capacity
#else
    pipe.InitBuffer(workBuf, 2 * t.tile * sizeof(half));
#endif
    GlobalTensor<half> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ half*)x, t.total);
    yGm.SetGlobalBuffer((__gm__ half*)y, t.total);
    LocalTensor<half> in = inBuf.Get<half>();
    LocalTensor<half> out = outBuf.Get<half>();
#if FAULT == 8
    LocalTensor<half> low = workBuf.GetWithOffset<half>(t.tile, 20);  // FAULT 8: ub-alignment
#elif FAULT == 11
    LocalTensor<half> low = workBuf.Get<half>(2 * t.tile + 16);  // FAULT 11: ub-out-of-bounds
#else
    LocalTensor<half> low = workBuf.Get<half>();
#endif
    const uint32_t begin = GetBlockIdx() * t.perBlock;
    const uint32_t end = Std::min(begin + t.perBlock, t.total);

    SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
    SetFlag<HardEvent::MTE3_V>(EVENT_ID0);
    for (uint32_t at = begin; at < end; at += t.tile) {
        const uint32_t count = Std::min(t.tile, end - at);
        const DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(half)), 0, 0, 0};
#if FAULT == 3
        if (at == begin) {
            WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
        }
        DataCopyPad(in, xGm[at], copy, {false, 0, 0, static_cast<half>(0)});  // FAULT 3: sync-missing
#else
        WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
        DataCopyPad(in, xGm[at], copy, {false, 0, 0, static_cast<half>(0)});
#endif
#if FAULT != 1
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
#endif
#if FAULT == 7
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);  // FAULT 7: flag-unpaired
#endif
#if FAULT == 6
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID1);  // FAULT 6: flag-unpaired
#elif FAULT != 1
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
#endif

#if FAULT == 9
        Mins(low[3], in[3], static_cast<half>(0), count - 3);  // FAULT 9: ub-alignment
#elif FAULT != 12
        Mins(low, in, static_cast<half>(0), count);  // FAULT 1: sync-missing
#endif
#if FAULT == 15
        Muls(low[16], low, static_cast<half>(3), count);  // FAULT 15: overlap
#else
        Muls(low, low, static_cast<half>(3), count);  // FAULT 12: ub-uninitialised
#endif
#if FAULT == 4
        if (at == begin) {
            WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
        }
        Abs(out, in, count);  // FAULT 4: sync-missing
#else
        WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
        Abs(out, in, count);
#endif
#if FAULT == 12
        Add(out, out, low, count);  // FAULT 12: ub-uninitialised
#elif FAULT == 16
        CompareScalar(low.ReinterpretCast<uint8_t>(), in, static_cast<half>(0), CMPMODE::LT, count);  // FAULT 16: compare-remainder
#else
        Add(out, out, low, count);
#endif
#if FAULT != 3
        SetFlag<HardEvent::V_MTE2>(EVENT_ID0);  // FAULT 5: flag-unpaired
#endif
#if FAULT != 2
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
#endif
#if FAULT == 2
        DataCopyPad(yGm[at], out, copy);  // FAULT 2: sync-missing
#elif FAULT == 13
        DataCopyPad(yGm[at + 1], out, copy);  // FAULT 13: gm-write-out-of-bounds
#elif FAULT == 14
        DataCopy(yGm[at], out, count);  // FAULT 14: copy-length
#else
        DataCopyPad(yGm[at], out, copy);  // FAULT 12: ub-uninitialised
#endif
#if FAULT != 4
        SetFlag<HardEvent::MTE3_V>(EVENT_ID0);
#endif
    }
#if FAULT != 5 && FAULT != 3
    WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
#endif
#if FAULT != 4
    WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
#endif
}
