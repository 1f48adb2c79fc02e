// y = 2 x + 1 in float: the class with queues of two buffers, tile by tile, calls with counts.
#include "kernel_operator.h"
#include "faulty.h"

using namespace AscendC;

class Tiles {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const FaultyTilingData& t, TPipe* tPipe)
    {
        pipe = tPipe;
        tile = t.tile;
#if FAULT == 3
        begin = GetBlockIdx() * (t.perBlock - 8);
#else
        begin = GetBlockIdx() * t.perBlock;
#endif
        end = Std::min(begin + t.perBlock, t.total);
        xGm.SetGlobalBuffer((__gm__ float*)x, t.total);
        yGm.SetGlobalBuffer((__gm__ float*)y, t.total);
#if FAULT == 4
        pipe->InitBuffer(inQueue, 2, 64 * 1024);
        pipe->InitBuffer(outQueue, 2, 64 * 1024);  // FAULT 4: ub-capacity
#elif FAULT == 16
        tile = reinterpret_cast<__gm__ FaultyTilingData*>(static_cast<uint64_t>(t.tile))->tile;  // FAULT 16: crash (any line)
        pipe->InitBuffer(inQueue, 2, tile * sizeof(float));
        pipe->InitBuffer(outQueue, 2, tile * sizeof(float));
#else
        pipe->InitBuffer(inQueue, 2, tile * sizeof(float));
        pipe->InitBuffer(outQueue, 2, tile * sizeof(float));
#endif
    }

    __aicore__ inline void Process()
    {
#if FAULT == 15
        CopyIn(begin, tile);
#endif
        for (uint32_t at = begin; at < end; at += tile) {
            uint32_t count = Std::min(tile, end - at);
            CopyIn(at, count);
            Compute(at, count);
            CopyOut(at, count);
        }
    }

private:
    __aicore__ inline void CopyIn(uint32_t at, uint32_t count)
    {
        LocalTensor<float> x = inQueue.AllocTensor<float>();  // FAULT 12: deadlock
#if FAULT == 1
        DataCopyPad(x, xGm[at], {1, (count + 63) / 64 * 256, 0, 0, 0}, {false, 0, 0, 0.0f});  // FAULT 1: gm-read-out-of-bounds
#elif FAULT == 8
        DataCopy(x, xGm[at], count);  // FAULT 8: copy-length
#else
        DataCopyPad(x, xGm[at], {1, count * 4, 0, 0, 0}, {false, 0, 0, 0.0f});
#endif
#if FAULT == 9
        kept = x;
#elif FAULT == 15
        inQueue.EnQue(x);  // FAULT 15: queue-full
#else
        inQueue.EnQue(x);
#endif
    }

    __aicore__ inline void Compute(uint32_t at, uint32_t count)
    {
        LocalTensor<float> x = inQueue.DeQue<float>();  // FAULT 9: queue-empty
        LocalTensor<float> y = outQueue.AllocTensor<float>();  // FAULT 11: queue-leak
#if FAULT == 5
        Muls(y, x, 2.0f, tile + 64);  // FAULT 5: ub-out-of-bounds
#elif FAULT == 6
        Muls(y, x, 2.0f, count - 1);
#elif FAULT == 7
        inQueue.FreeTensor(x);
        Muls(y, x, 2.0f, count);  // FAULT 7: ub-use-after-free
#else
        Muls(y, x, 2.0f, count);
#endif
        Adds(y, y, 1.0f, count);  // FAULT 6: ub-uninitialised
#if FAULT == 10
        inQueue.FreeTensor(x);
        inQueue.FreeTensor(x);  // FAULT 10: queue-double-free
#elif FAULT != 7 && FAULT != 12
        inQueue.FreeTensor(x);
#endif
#if FAULT == 13
        DataCopyPad(yGm[at], y, {1, count * 4, 0, 0, 0});  // FAULT 13: sync-missing
#endif
        outQueue.EnQue(y);
    }

    __aicore__ inline void CopyOut(uint32_t at, uint32_t count)
    {
        LocalTensor<float> y = outQueue.DeQue<float>();  // FAULT 11: queue-leak
#if FAULT == 2
        DataCopy(yGm[at], y, (count + 7) / 8 * 8);  // FAULT 2: gm-write-out-of-bounds
#elif FAULT == 3
        DataCopyPad(yGm[at], y, {1, count * 4, 0, 0, 0});  // FAULT 3: gm-overlapping-writes
#elif FAULT == 14
        DataCopyPad(xGm[at], y, {1, count * 4, 0, 0, 0});  // FAULT 14: inputs-modified
#elif FAULT == 13
#else
        DataCopyPad(yGm[at], y, {1, count * 4, 0, 0, 0});  // FAULT 6: ub-uninitialised
#endif
#if FAULT == 11
        if (at + tile < end) {
            outQueue.FreeTensor(y);
        }
#else
        outQueue.FreeTensor(y);
#endif
    }

    TPipe* pipe;
    TQue<QuePosition::VECIN, 1> inQueue;
    TQue<QuePosition::VECOUT, 1> outQueue;
    GlobalTensor<float> xGm, yGm;
    LocalTensor<float> kept;
    uint32_t begin, end, tile;
};

extern "C" __global__ __aicore__ void tiles(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(FaultyTilingData, data, tiling);
    TPipe pipe;
    Tiles op;
    op.Init(x, y, data, &pipe);
    op.Process();
}
