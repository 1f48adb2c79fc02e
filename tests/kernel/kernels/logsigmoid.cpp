// logsigmoid(x) = min(x, 0) - ln(1 + exp(-|x|)) with the high-level call Log, which needs no scratch.
#include "kernel_operator.h"
#include "lib/math/log.h"

using namespace AscendC;

struct LogsigmoidTilingData {
    uint32_t total;
    uint32_t perBlock;
    uint32_t tile;
};

class Logsigmoid {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const LogsigmoidTilingData& t)
    {
        begin = GetBlockIdx() * t.perBlock;
        end = Std::min(begin + t.perBlock, t.total);
        tile = t.tile;
        xGm.SetGlobalBuffer((__gm__ float*)x, t.total);
        yGm.SetGlobalBuffer((__gm__ float*)y, t.total);
        pipe.InitBuffer(inQueue, 2, tile * sizeof(float));
        pipe.InitBuffer(outQueue, 2, tile * sizeof(float));
        pipe.InitBuffer(expBuf, tile * sizeof(float));
        pipe.InitBuffer(logBuf, tile * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        for (uint32_t at = begin; at < end; at += tile) {
            const uint32_t count = Std::min(tile, end - at);
            LocalTensor<float> in = inQueue.AllocTensor<float>();
            DataCopyPad(in, xGm[at], {1, count * 4, 0, 0, 0}, {false, 0, 0, 0.0f});
            inQueue.EnQue(in);
            Compute(count);
            LocalTensor<float> out = outQueue.DeQue<float>();
            DataCopyPad(yGm[at], out, {1, count * 4, 0, 0, 0});
            outQueue.FreeTensor(out);
        }
    }

private:
    __aicore__ inline void Compute(uint32_t count)
    {
        LocalTensor<float> x = inQueue.DeQue<float>();
        LocalTensor<float> y = outQueue.AllocTensor<float>();
        LocalTensor<float> w = expBuf.Get<float>();
        LocalTensor<float> logarithm = logBuf.Get<float>();
        Abs(w, x, count);
        Muls(w, w, -1.0f, count);
        Exp(w, w, count);
        Adds(w, w, 1.0f, count);
        Log(logarithm, w, count);
        Mins(y, x, 0.0f, count);
        Sub(y, y, logarithm, count);
        inQueue.FreeTensor(x);
        outQueue.EnQue(y);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 1> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    TBuf<TPosition::VECCALC> expBuf, logBuf;
    GlobalTensor<float> xGm, yGm;
    uint32_t begin, end, tile;
};

extern "C" __global__ __aicore__ void logsigmoid(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(LogsigmoidTilingData, data, tiling);
    Logsigmoid op;
    op.Init(x, y, data);
    op.Process();
}
