// Programs that look wrong and are right by the documents: y = 2 x, each with one suspicious habit, by CASE.
#include "kernel_operator.h"
#include "faulty.h"

using namespace AscendC;

#ifndef CASE
#define CASE 0
#endif

class Benign {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, const FaultyTilingData& data)
    {
        t = data;
        begin = Std::min(static_cast<uint32_t>(GetBlockIdx() * t.perBlock), t.total);
        end = Std::min(begin + t.perBlock, t.total);
        xGm.SetGlobalBuffer((__gm__ float*)x, t.total);
        yGm.SetGlobalBuffer((__gm__ float*)y, t.total);
        userGm.SetGlobalBuffer((__gm__ float*)workspace, 64 * 8);
#if CASE == 19
        // All that is usable: 192 KB less the 8 KB that the compiler reserves and 256 bytes.
        pipe.InitBuffer(largeBuf, 184 * 1024 - 256 - 6 * t.tile * sizeof(float));
#endif
#if CASE == 20
        for (auto& queue : more) {  // with inQueue, eight buffers in VECIN
            pipe.InitBuffer(queue, 2, 32);
        }
#endif
        pipe.InitBuffer(inQueue, 2, t.tile * sizeof(float));
        pipe.InitBuffer(outQueue, 2, t.tile * sizeof(float));
        pipe.InitBuffer(workBuf, 2 * t.tile * sizeof(float));
    }

    __aicore__ inline void Process()
    {
#if CASE == 10
        if (begin >= end) {  // a block without elements may leave early where nobody waits for it
            return;
        }
#endif
        for (uint32_t at = begin; at < end; at += t.tile) {
            const uint32_t count = Std::min(t.tile, end - at);
            CopyIn(at, count);
            Compute(count);
            CopyOut(at, count);
        }
#if CASE == 9
        Everyone();
#endif
    }

private:
    __aicore__ inline void CopyIn(uint32_t at, uint32_t count)
    {
        LocalTensor<float> x = inQueue.AllocTensor<float>();
#if CASE == 13
        // Two copies into one buffer, neither of which touches the other's bytes.
        const uint32_t part = count / 16 * 8;
        DataCopy(x, xGm[at], part);
        DataCopyPad(x[part], xGm[at + part], {1, (count - part) * 4, 0, 0, 0}, {false, 0, 0, 0.0f});
#elif CASE == 14
        // Two copies of the same bytes, in order.
        DataCopyPad(x, xGm[at], {1, count * 4, 0, 0, 0}, {false, 0, 0, 0.0f});
        PipeBarrier<PIPE_MTE2>();
        DataCopyPad(x, xGm[at], {1, count * 4, 0, 0, 0}, {false, 0, 0, 0.0f});
#elif CASE == 15
        // A padding value is given, and the padding is not used.
        DataCopyPad(x, xGm[at], {1, count * 4, 0, 0, 0}, {true, 0, 0, -1.0f});
#else
        DataCopyPad(x, xGm[at], {1, count * 4, 0, 0, 0}, {false, 0, 0, 0.0f});
#endif
        inQueue.EnQue(x);
    }

    __aicore__ inline void Compute(uint32_t count)
    {
        LocalTensor<float> x = inQueue.DeQue<float>();
        LocalTensor<float> y = outQueue.AllocTensor<float>();
        LocalTensor<float> work = workBuf.Get<float>();
        LocalTensor<float> upper = work[t.tile];
#if CASE == 1
        // The cast of a fresh tensor, whose values nobody uses.
        Cast(work.ReinterpretCast<half>(), y, RoundMode::CAST_NONE, count);
        Muls(work, x, 2.0f, count);
        Adds(y, work, 0.0f, count);
#elif CASE == 2
        // Source and destination coincide, in calls with counts and with repeats; no PipeBarrier stands between.
        Adds(x, x, 0.0f, count);
        Muls(x, x, 2.0f, 64, static_cast<uint8_t>(count / 64), {1, 1, 8, 8});
        if (count % 64 > 0) {
            Muls(x[count / 64 * 64], x[count / 64 * 64], 2.0f, count % 64, 1, {1, 1, 8, 8});
        }
        Adds(y, x, 0.0f, count);
#elif CASE == 3
        // Nothing is computed by a count or a number of repeats of 0.
        Muls(y, x, 2.0f, count);
        Adds(y, y, 5.0f, 0);
        Adds(y, y, 5.0f, 64, 0, {1, 1, 8, 8});
#elif CASE == 4
        // A scalar is read and one written without flags: the compiler orders the scalar pipe.
        Muls(y, x, 2.0f, count);
        float first = y.GetValue(0);
        y.SetValue(0, 0.0f);
        Adds(y, y, 0.0f, count);
        y.SetValue(0, first);
#elif CASE == 5
        // Counts are rounded up inside the buffer, over undefined elements that are not copied out.
        Muls(y, x, 2.0f, (count + 63) / 64 * 64);
#elif CASE == 6
        // Blocks of stride 0: one block of twos for all.
        Duplicate(work, 2.0f, 8);
        Mul(y, x, work, 64, static_cast<uint8_t>(count / 64), {1, 1, 0, 8, 8, 0});
        if (count % 64 > 0) {
            Mul(y[count / 64 * 64], x[count / 64 * 64], work, count % 64, 1, {1, 1, 0, 8, 8, 0});
        }
#elif CASE == 7
        // The named exception: sums over repeats into one, by a destination with a repeat stride of 0.
        Duplicate(upper, 0.0f, 64);
        Add(upper, x, upper, 64, static_cast<uint8_t>(count / 64), {1, 1, 1, 0, 8, 0});
        Muls(y, x, 2.0f, count);
#elif CASE == 8
        // In Counter mode mask and repeat of a call count for nothing, even where they are exchanged.
        SetMaskCount();
        SetVectorMask<float, MaskMode::COUNTER>(0, count);
        Muls<float, false>(y, x, 2.0f, 1, static_cast<uint8_t>(MASK_PLACEHOLDER), {1, 1, 8, 8});
        SetMaskNorm();
        ResetMask();
#elif CASE == 11
        // The same bytes under two types, and the highest bit of zero numbers.
        LocalTensor<uint32_t> bits = work.ReinterpretCast<uint32_t>();
        Duplicate(bits, 0x80000000u, count);
        Muls(y, x, 2.0f, count);
        Add(y, y, work, count);
#elif CASE == 12
        // One event id again and again, each time waited for.
        for (int32_t i = 0; i < 20; i++) {
            int32_t id = static_cast<int32_t>(pipe.FetchEventID(HardEvent::V_S));
            SetFlag<HardEvent::V_S>(id);
            WaitFlag<HardEvent::V_S>(id);
        }
        Muls(y, x, 2.0f, count);
#elif CASE == 16
        // Bits of Compare that no Select uses, from undefined numbers.
        CompareScalar(work.ReinterpretCast<uint8_t>(), upper, 0.0f, CMPMODE::GT, (count + 63) / 64 * 64);
        Muls(y, x, 2.0f, count);
#elif CASE == 17
        // Two halves of one buffer, under two types.
        Muls(work, x, 2.0f, count);
        Cast(upper.ReinterpretCast<half>(), work, RoundMode::CAST_RINT, count);
        Adds(y, work, 0.0f, count);
#elif CASE == 18
        // A barrier of all pipes instead of flags, around a TBuf that two pipes use.
        PipeBarrier<PIPE_ALL>();
        DataCopyPad(work, xGm[begin], {1, 4, 0, 0, 0}, {false, 0, 0, 0.0f});
        PipeBarrier<PIPE_ALL>();
        Adds(work, work, 1.0f, 1);
        PipeBarrier<PIPE_ALL>();
        Muls(y, x, 2.0f, count);
#else
        Muls(y, x, 2.0f, count);
#endif
        inQueue.FreeTensor(x);
        outQueue.EnQue(y);
    }

    __aicore__ inline void CopyOut(uint32_t at, uint32_t count)
    {
        LocalTensor<float> y = outQueue.DeQue<float>();
        DataCopyPad(yGm[at], y, {1, count * 4, 0, 0, 0});
#if CASE == 21
        // A block reads back what it wrote itself, after a flag.
        SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
        WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
        LocalTensor<float> again = inQueue.AllocTensor<float>();
        DataCopyPad(again, yGm[at], {1, count * 4, 0, 0, 0}, {false, 0, 0, 0.0f});
        inQueue.EnQue(again);
        again = inQueue.DeQue<float>();
        inQueue.FreeTensor(again);
#elif CASE == 22
        // The same bytes twice from one block, in order.
        PipeBarrier<PIPE_MTE3>();
        DataCopyPad(yGm[at], y, {1, count * 4, 0, 0, 0});
#endif
        outQueue.FreeTensor(y);
    }

    // All blocks add to the same bytes, which is what atomic copies are for; then all read one input.
    __aicore__ inline void Everyone()
    {
        LocalTensor<float> zero = outQueue.AllocTensor<float>();
        Duplicate(zero, 0.0f, 8);
        outQueue.EnQue(zero);
        zero = outQueue.DeQue<float>();
        SetAtomicAdd<float>();
        DataCopy(userGm, zero, 8);
        SetAtomicNone();
        outQueue.FreeTensor(zero);
        LocalTensor<float> x = inQueue.AllocTensor<float>();
        DataCopyPad(x, xGm, {1, 4, 0, 0, 0}, {false, 0, 0, 0.0f});
        inQueue.EnQue(x);
        x = inQueue.DeQue<float>();
        inQueue.FreeTensor(x);
    }

    FaultyTilingData t;
    TPipe pipe;
    TQue<QuePosition::VECIN, 2> inQueue;
    TQue<QuePosition::VECOUT, 2> outQueue;
#if CASE == 20
    TQue<QuePosition::VECIN, 1> more[3];
#endif
    TBuf<QuePosition::VECCALC> workBuf, largeBuf;
    GlobalTensor<float> xGm, yGm, userGm;
    uint32_t begin, end;
};

extern "C" __global__ __aicore__ void benign(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(FaultyTilingData, data, tiling);
    Benign op;
    op.Init(x, y, GetUserWorkspace(workspace), data);
    op.Process();
}
