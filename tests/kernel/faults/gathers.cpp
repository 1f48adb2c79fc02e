// The even elements of x, in reverse within a tile, plus the first element of the tile: GatherMask, Gather and Brcb.
// `total` counts the elements of y, and x has twice as many.
#include "kernel_operator.h"
#include "faulty.h"

using namespace AscendC;

class Gathers {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const FaultyTilingData& data)
    {
        t = data;
        xGm.SetGlobalBuffer((__gm__ float*)x, 2 * t.total);
        yGm.SetGlobalBuffer((__gm__ float*)y, t.total);
        pipe.InitBuffer(inQueue, 2, 2 * t.tile * sizeof(float));
        pipe.InitBuffer(outQueue, 2, t.tile * sizeof(float));
        pipe.InitBuffer(evenBuf, t.tile * sizeof(float));
        pipe.InitBuffer(indexBuf, t.tile * sizeof(int32_t));
        pipe.InitBuffer(broadcastBuf, 8 * 32);
    }

    __aicore__ inline void Process()
    {
        const uint32_t begin = GetBlockIdx() * t.perBlock;
        const uint32_t end = Std::min(begin + t.perBlock, t.total);
        for (uint32_t at = begin; at < end; at += t.tile) {
            const uint32_t count = Std::min(t.tile, end - at);
            LocalTensor<float> in = inQueue.AllocTensor<float>();
            DataCopyPad(in, xGm[2 * at], {1, count * 8, 0, 0, 0}, {false, 0, 0, 0.0f});
            inQueue.EnQue(in);
            Compute(count);
            LocalTensor<float> out = outQueue.DeQue<float>();
            DataCopyPad(yGm[at], out, {1, count * 4, 0, 0, 0});  // FAULT 4: ub-uninitialised
            outQueue.FreeTensor(out);
        }
    }

private:
    __aicore__ inline void Compute(uint32_t count)
    {
        LocalTensor<float> x = inQueue.DeQue<float>();
        LocalTensor<float> y = outQueue.AllocTensor<float>();
        LocalTensor<float> even = evenBuf.Get<float>();
        LocalTensor<int32_t> index = indexBuf.Get<int32_t>();
        LocalTensor<float> first = broadcastBuf.Get<float>();
        uint64_t kept = 0;
#if FAULT == 3
        GatherMask(even, x[1], static_cast<uint8_t>(1), true, 2 * count, {1, 1, 8, 0}, kept);  // FAULT 3: ub-alignment
#elif FAULT == 4
        GatherMask(even, x, static_cast<uint8_t>(1), true, 2 * count - 2, {1, 1, 8, 0}, kept);
#else
        GatherMask(even, x, static_cast<uint8_t>(1), true, 2 * count, {1, 1, 8, 0}, kept);
#endif
        CreateVecIndex(index, static_cast<int32_t>(0), count);
        Muls(index, index, static_cast<int32_t>(-4), static_cast<int32_t>(count));
#if FAULT == 1
        Adds(index, index, static_cast<int32_t>(4 * t.tile + 4 * (count - 1)), static_cast<int32_t>(count));
#else
        Adds(index, index, static_cast<int32_t>(4 * (count - 1)), static_cast<int32_t>(count));
#endif
#if FAULT == 2
        Gather(even[8], even, index.ReinterpretCast<uint32_t>(), 0, count - 8);  // FAULT 2: overlap
#endif
        Gather(y, even, index.ReinterpretCast<uint32_t>(), 0, count);  // FAULT 1: ub-out-of-bounds, 4: ub-uninitialised
#if FAULT == 6
        const uint32_t repeats = 257;
        Brcb(first, x, repeats, {1, 8});  // FAULT 6: parameter-truncated
#elif FAULT == 7
        Brcb(first, first, 1, {1, 8});  // FAULT 7: overlap
#elif FAULT == 5
        Brcb(first, x, 2, {1, 8});  // FAULT 5: ub-out-of-bounds
#else
        Brcb(first, x, 1, {1, 8});
#endif
        const BinaryRepeatParams same{1, 1, 0, 8, 8, 0};
        const uint64_t rest = count % 64;
        Add(y, y, first, 64, count / 64, same);
        if (rest > 0) {
            const uint32_t at = count / 64 * 64;
            Add(y[at], y[at], first, rest, 1, same);
        }
        inQueue.FreeTensor(x);
        outQueue.EnQue(y);
    }

    FaultyTilingData t;
    TPipe pipe;
    TQue<TPosition::VECIN, 1> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    TBuf<TPosition::VECCALC> evenBuf, indexBuf, broadcastBuf;
    GlobalTensor<float> xGm, yGm;
};

extern "C" __global__ __aicore__ void gathers(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(FaultyTilingData, data, tiling);
    Gathers op;
    op.Init(x, y, data);
    op.Process();
}
