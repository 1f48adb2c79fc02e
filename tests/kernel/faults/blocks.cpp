// y = x / sum(x): each block writes its sum into the workspace, all meet in SyncAll, each reads all sums. Then each
// adds 1 to a counter behind y by an atomic copy, and tells its first result to the next block by the workspace.
#include "kernel_operator.h"
#include "faulty.h"

using namespace AscendC;

class Blocks {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling, const FaultyTilingData& data)
    {
        t = data;
        block = GetBlockIdx();
        blocks = GetBlockNum();
        begin = Std::min(block * t.perBlock, t.total);
        end = Std::min(begin + t.perBlock, t.total);
        xGm.SetGlobalBuffer((__gm__ float*)x, t.total);
        yGm.SetGlobalBuffer((__gm__ float*)y, t.total);
        counterGm.SetGlobalBuffer((__gm__ float*)y + t.total, 8);
        slotsGm.SetGlobalBuffer((__gm__ float*)workspace, 2 * blocks * 8);
        tilingGm.SetGlobalBuffer((__gm__ uint32_t*)tiling, 3);
        pipe.InitBuffer(inQueue, 1, t.tile * sizeof(float));
        pipe.InitBuffer(outQueue, 1, t.tile * sizeof(float));
        pipe.InitBuffer(smallQueue, 1, 32);
        pipe.InitBuffer(allQueue, 1, blocks * 32);
        pipe.InitBuffer(workBuf, t.tile * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        const uint32_t count = end - begin;
        LocalTensor<float> work = workBuf.Get<float>();
        Duplicate(work, 0.0f, static_cast<int32_t>(t.tile));
        LocalTensor<float> x = Load(count);
        WriteSum(x, work, count);
#if FAULT == 2
        if (block == 1) {
            return;
        }
        SyncAll();  // FAULT 2: deadlock
#elif FAULT == 3
        if (block == 1) {
            SyncAll();
        }
        SyncAll();  // FAULT 3: deadlock
#elif FAULT == 12
        while (counterGm.GetValue(0) != -1.0f) {  // FAULT 12: timeout
        }
#elif FAULT != 1
        SyncAll();
#endif
        float sum = ReadSums();
        LocalTensor<float> y = outQueue.AllocTensor<float>();
        Muls(y, x, 1.0f / sum, static_cast<int32_t>(count));
        inQueue.FreeTensor(x);
        outQueue.EnQue(y);
        y = outQueue.DeQue<float>();
        DataCopyPad(yGm[begin], y, {1, count * 4, 0, 0, 0});  // FAULT 8: gm-race
        outQueue.FreeTensor(y);
        Count();
        Neighbour();
    }

private:
    __aicore__ inline LocalTensor<float> Load(uint32_t count)
    {
        LocalTensor<float> x = inQueue.AllocTensor<float>();
        DataCopyPad(x, xGm[begin], {1, count * 4, 0, 0, 0}, {false, 0, 0, 0.0f});
        inQueue.EnQue(x);
        return inQueue.DeQue<float>();
    }

    __aicore__ inline void WriteSum(const LocalTensor<float>& x, const LocalTensor<float>& work, uint32_t count)
    {
        LocalTensor<float> small = smallQueue.AllocTensor<float>();
        Duplicate(small, 0.0f, 8);
        ReduceSum(small, x, work, static_cast<int32_t>(count));
        smallQueue.EnQue(small);
        small = smallQueue.DeQue<float>();
#if FAULT == 4
        DataCopy(slotsGm, small, 8);  // FAULT 4: gm-overlapping-writes
#elif FAULT == 6
        DataCopy(slotsGm[(block + 2 * blocks) * 8], small, 8);  // FAULT 6: gm-write-out-of-bounds
#else
        DataCopy(slotsGm[block * 8], small, 8);  // FAULT 1: gm-race
#endif
        smallQueue.FreeTensor(small);
        PipeBarrier<PIPE_ALL>();
    }

    __aicore__ inline float ReadSums()
    {
        LocalTensor<float> all = allQueue.AllocTensor<float>();  // FAULT 10: queue-leak
        DataCopy(all, slotsGm, blocks * 8);  // FAULT 1: gm-race, 7: gm-race
        allQueue.EnQue(all);
        all = allQueue.DeQue<float>();  // FAULT 10: queue-leak
        SetFlag<HardEvent::V_S>(EVENT_ID0);
        WaitFlag<HardEvent::V_S>(EVENT_ID0);
        float sum = 0.0f;
        for (uint32_t i = 0; i < blocks; i++) {
            sum += all.GetValue(i * 8);
        }
#if FAULT != 10
        allQueue.FreeTensor(all);
#endif
        return sum;
    }

    __aicore__ inline void Count()
    {
        LocalTensor<float> one = smallQueue.AllocTensor<float>();
        Duplicate(one, 1.0f, 8);
        smallQueue.EnQue(one);
        one = smallQueue.DeQue<float>();
#if FAULT == 5
        SetAtomicNone();
        DataCopy(counterGm, one, 8);  // FAULT 5: gm-overlapping-writes
#elif FAULT == 9
        SetAtomicAdd<float>();
        DataCopy(xGm, one, 8);  // FAULT 9: inputs-modified
        SetAtomicNone();
#elif FAULT == 11
        tilingGm.SetValue(2, t.tile + 1);  // FAULT 11: inputs-modified
#else
        SetAtomicAdd<float>();
        DataCopy(counterGm, one, 8);
        SetAtomicNone();
#endif
#if FAULT == 7
        DataCopy(slotsGm[block * 8], one, 8);  // FAULT 7: gm-race
#endif
        smallQueue.FreeTensor(one);
    }

    __aicore__ inline void Neighbour()
    {
#if FAULT == 8
        PipeBarrier<PIPE_ALL>();
        LocalTensor<float> all = allQueue.AllocTensor<float>();
        DataCopy(all, yGm[(block + 1) % blocks * t.perBlock], 8);  // FAULT 8: gm-race
        allQueue.EnQue(all);
        all = allQueue.DeQue<float>();
        allQueue.FreeTensor(all);
#endif
    }

    FaultyTilingData t;
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> inQueue, allQueue;
    TQue<QuePosition::VECOUT, 1> outQueue, smallQueue;
    TBuf<QuePosition::VECCALC> workBuf;
    GlobalTensor<float> xGm, yGm, counterGm, slotsGm;
    GlobalTensor<uint32_t> tilingGm;
    uint32_t block, blocks, begin, end;
};

extern "C" __global__ __aicore__ void blocks(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(FaultyTilingData, data, tiling);
    Blocks op;
    op.Init(x, y, GetUserWorkspace(workspace), tiling, data);
    op.Process();
}
