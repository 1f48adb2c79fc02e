// Adds the sum of x to the 8 elements of `sum`: blocks add their partial sums, each in lane 0, by atomic copies.
// BlockReduceSum makes one number of 32 bytes, so a tile of 64 repeats becomes 512 numbers, then 64, then 8, then 1.
#include "kernel_operator.h"

using namespace AscendC;

struct SumAtomicTilingData {
    uint32_t total;
    uint32_t perBlock;
};

constexpr uint32_t TILE = 64 * 64;

class SumAtomic {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR sum, const SumAtomicTilingData& t)
    {
        begin = GetBlockIdx() * t.perBlock;
        end = Std::min(begin + t.perBlock, t.total);
        xGm.SetGlobalBuffer((__gm__ float*)x, t.total);
        sumGm.SetGlobalBuffer((__gm__ float*)sum, 8);
        pipe.InitBuffer(inQueue, 2, TILE * sizeof(float));
        pipe.InitBuffer(outQueue, 1, 32);
        pipe.InitBuffer(work, 512 * sizeof(float));
        pipe.InitBuffer(total, 32);
    }

    __aicore__ inline void Process()
    {
        if (begin >= end) {
            return;
        }
        LocalTensor<float> sum = total.Get<float>();
        Duplicate(sum, 0.0f, 8);
        for (uint32_t at = begin; at < end; at += TILE) {
            CopyIn(at, Std::min(end - at, TILE));
            Accumulate(sum);
        }
        LocalTensor<float> out = outQueue.AllocTensor<float>();
        Adds(out, sum, 0.0f, 8);
        outQueue.EnQue(out);
        out = outQueue.DeQue<float>();
        SetAtomicAdd<float>();
        DataCopy(sumGm, out, 8);
        SetAtomicNone();
        outQueue.FreeTensor(out);
    }

private:
    // Zeros fill the rest of the last tile before the copy; the copy then waits for them.
    __aicore__ inline void CopyIn(uint32_t at, uint32_t count)
    {
        LocalTensor<float> x = inQueue.AllocTensor<float>();
        if (count < TILE) {
            Duplicate(x, 0.0f, TILE);
            TEventID id = GetTPipePtr()->AllocEventID<HardEvent::V_MTE2>();
            SetFlag<HardEvent::V_MTE2>(id);
            WaitFlag<HardEvent::V_MTE2>(id);
            GetTPipePtr()->ReleaseEventID<HardEvent::V_MTE2>(id);
        }
        DataCopyPad(x, xGm[at], {1, count * 4, 0, 0, 0}, {true, 0, static_cast<uint8_t>((8 - count % 8) % 8), 0.0f});
        inQueue.EnQue(x);
    }

    __aicore__ inline void Accumulate(const LocalTensor<float>& sum)
    {
        LocalTensor<float> x = inQueue.DeQue<float>();
        LocalTensor<float> part = work.Get<float>();
        BlockReduceSum(part, x, 64, 64, 1, 1, 8);
        BlockReduceSum(part, part, 8, 64, 1, 1, 8);
        BlockReduceSum(part, part, 1, 64, 1, 1, 8);
        WholeReduceSum(part, part, 8, 1, 1, 1, 8);
        Add(sum, sum, part, 1);
        inQueue.FreeTensor(x);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 1> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    TBuf<TPosition::VECCALC> work, total;
    GlobalTensor<float> xGm, sumGm;
    uint32_t begin, end;
};

extern "C" __global__ __aicore__ void sum_atomic(GM_ADDR x, GM_ADDR sum, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(SumAtomicTilingData, data, tiling);
    SumAtomic op;
    op.Init(x, sum, data);
    op.Process();
}
