// softshrink(x) = max(x - lambd, 0) + min(x + lambd, 0), by strided calls in blocks of 32 bytes: an outer loop over
// runs of at most 255 repeats, then one repeat whose mask is an array of bits.
#include "kernel_operator.h"

using namespace AscendC;

struct SoftshrinkTilingData {
    uint32_t total;
    uint32_t perBlock;
    uint32_t tile;
    float lambd;
};

class Softshrink {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const SoftshrinkTilingData& t)
    {
        tiling = t;
        begin = t.perBlock * static_cast<uint32_t>(GetBlockIdx());
        end = begin + t.perBlock < t.total ? begin + t.perBlock : t.total;
        xGm.SetGlobalBuffer((__gm__ float*)x, t.total);
        yGm.SetGlobalBuffer((__gm__ float*)y, t.total);
        pipe.InitBuffer(inQueue, 1, t.tile * sizeof(float));
        pipe.InitBuffer(outQueue, 1, t.tile * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        for (uint32_t at = begin; at < end; at += tiling.tile) {
            uint32_t count = end - at < tiling.tile ? end - at : tiling.tile;
            LocalTensor<float> in = inQueue.AllocTensor<float>();
            DataCopyPad(in, xGm[at], {1, count * 4, 0, 0, 0}, {false, 0, 0, 0.0f});
            inQueue.EnQue(in);
            LocalTensor<float> x = inQueue.DeQue<float>();
            LocalTensor<float> y = outQueue.AllocTensor<float>();
            Compute(y, x, count);
            outQueue.EnQue(y);
            inQueue.FreeTensor(x);
            LocalTensor<float> out = outQueue.DeQue<float>();
            DataCopyPad(yGm[at], out, {1, count * 4, 0, 0, 0});
            outQueue.FreeTensor(out);
        }
    }

private:
    static constexpr uint32_t REPEAT = 64;

    __aicore__ inline void Compute(const LocalTensor<float>& y, const LocalTensor<float>& x, uint32_t count)
    {
        uint32_t repeats = count / REPEAT;
        uint32_t done = 0;
        while (repeats > 0) {
            uint8_t run = static_cast<uint8_t>(repeats < 255 ? repeats : 255);
            uint64_t all[2] = {0xffffffffffffffffull, 0};
            Run(y[done], x[done], all, run);
            repeats -= run;
            done += run * REPEAT;
        }
        if (done < count) {
            uint64_t few[2] = {(1ull << (count - done)) - 1, 0};
            Run(y[done], x[done], few, 1);
        }
    }

    __aicore__ inline void Run(const LocalTensor<float>& y, const LocalTensor<float>& x, uint64_t (&mask)[2],
                               uint8_t run)
    {
        const UnaryRepeatParams one(1, 1, 8, 8);
        const BinaryRepeatParams two(1, 1, 1, 8, 8, 8);
        Adds(y, x, -tiling.lambd, mask, run, one);
        Maxs(y, y, 0.0f, mask, run, one);
        Adds(x, x, tiling.lambd, mask, run, one);
        Mins(x, x, 0.0f, mask, run, one);
        Add(y, y, x, mask, run, two);
    }

    SoftshrinkTilingData tiling;
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> inQueue;
    TQue<QuePosition::VECOUT, 1> outQueue;
    GlobalTensor<float> xGm, yGm;
    uint32_t begin, end;
};

extern "C" __global__ __aicore__ void softshrink(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(SoftshrinkTilingData, data, tiling);
    Softshrink op;
    op.Init(x, y, data);
    op.Process();
}
