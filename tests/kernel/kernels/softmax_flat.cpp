// Softmax of a whole tensor by all blocks: each writes its maximum and then its sum into the workspace, and after
// SyncAll reads those of the others. A block without elements writes -infinity and 0.
#include "kernel_operator.h"

using namespace AscendC;

struct SoftmaxFlatTilingData {
    uint32_t total;
    uint32_t perBlock;
    uint32_t tile;
};

class SoftmaxFlat {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, const SoftmaxFlatTilingData& t)
    {
        blocks = static_cast<uint32_t>(GetBlockNum());
        block = static_cast<uint32_t>(GetBlockIdx());
        begin = Std::min(block * t.perBlock, t.total);
        end = Std::min(begin + t.perBlock, t.total);
        tile = t.tile;
        xGm.SetGlobalBuffer((__gm__ float*)x, t.total);
        yGm.SetGlobalBuffer((__gm__ float*)y, t.total);
        maximaGm.SetGlobalBuffer((__gm__ float*)workspace, blocks * 8);
        sumsGm.SetGlobalBuffer((__gm__ float*)workspace + blocks * 8, blocks * 8);
        pipe.InitBuffer(inQueue, 2, tile * sizeof(float));
        pipe.InitBuffer(outQueue, 2, tile * sizeof(float));
        pipe.InitBuffer(sharedBuf, blocks * 32);
        pipe.InitBuffer(ownBuf, 32);
        pipe.InitBuffer(scratchBuf, tile * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        LocalTensor<float> own = ownBuf.Get<float>();
        float maximum = -INFINITY;
        for (uint32_t at = begin; at < end; at += tile) {
            uint32_t n = Std::min(tile, end - at);
            LocalTensor<float> x = Load(at, n);
            ReduceMax(own, x, scratchBuf.Get<float>(), static_cast<int32_t>(n));
            maximum = Std::max(maximum, Scalar(own));
            inQueue.FreeTensor(x);
        }
        maximum = Exchange<true>(maximaGm, maximum);

        float sum = 0.0f;
        for (uint32_t at = begin; at < end; at += tile) {
            uint32_t n = Std::min(tile, end - at);
            LocalTensor<float> x = Load(at, n);
            Adds(x, x, -maximum, n);
            Exp(x, x, n);
            ReduceSum(own, x, scratchBuf.Get<float>(), static_cast<int32_t>(n));
            sum += Scalar(own);
            inQueue.FreeTensor(x);
        }
        sum = Exchange<false>(sumsGm, sum);

        for (uint32_t at = begin; at < end; at += tile) {
            uint32_t n = Std::min(tile, end - at);
            LocalTensor<float> x = Load(at, n);
            LocalTensor<float> y = outQueue.AllocTensor<float>();
            Adds(y, x, -maximum, n);
            Exp(y, y, n);
            Muls(y, y, 1.0f / sum, n);
            inQueue.FreeTensor(x);
            outQueue.EnQue(y);
            y = outQueue.DeQue<float>();
            DataCopyPad(yGm[at], y, {1, n * 4, 0, 0, 0});
            outQueue.FreeTensor(y);
        }
    }

private:
    __aicore__ inline LocalTensor<float> Load(uint32_t at, uint32_t n)
    {
        LocalTensor<float> x = inQueue.AllocTensor<float>();
        DataCopyPad(x, xGm[at], {1, n * 4, 0, 0, 0}, {false, 0, 0, 0.0f});
        inQueue.EnQue(x);
        return inQueue.DeQue<float>();
    }

    template <HardEvent event>
    __aicore__ inline void Order()
    {
        int32_t id = static_cast<int32_t>(pipe.FetchEventID(event));
        SetFlag<event>(id);
        WaitFlag<event>(id);
    }

    __aicore__ inline float Scalar(const LocalTensor<float>& tensor)
    {
        Order<HardEvent::V_S>();
        float value = tensor.GetValue(0);
        Order<HardEvent::S_V>();
        return value;
    }

    template <bool isMaximum>
    __aicore__ inline float Exchange(GlobalTensor<float>& slots, float mine)
    {
        LocalTensor<float> own = ownBuf.Get<float>();
        Duplicate(own, mine, 8);
        Order<HardEvent::V_MTE3>();
        DataCopy(slots[block * 8], own, 8);
        PipeBarrier<PIPE_ALL>();
        SyncAll();
        LocalTensor<float> all = sharedBuf.Get<float>();
        DataCopy(all, slots, blocks * 8);
        Order<HardEvent::MTE2_S>();
        float result = all.GetValue(0);
        for (uint32_t i = 1; i < blocks; i++) {
            float value = all.GetValue(i * 8);
            result = isMaximum ? Std::max(result, value) : result + value;
        }
        PipeBarrier<PIPE_ALL>();
        return result;
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 1> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    TBuf<TPosition::VECCALC> sharedBuf, ownBuf, scratchBuf;
    GlobalTensor<float> xGm, yGm, maximaGm, sumsGm;
    uint32_t blocks, block, begin, end, tile;
};

extern "C" __global__ __aicore__ void softmax_flat(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    GET_TILING_DATA_WITH_STRUCT(SoftmaxFlatTilingData, data, tiling);
    GM_ADDR user = GetUserWorkspace(workspace);
    if (user == nullptr) {
        return;
    }
    SoftmaxFlat op;
    op.Init(x, y, user, data);
    op.Process();
}
