// celu(x) = max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0). A direct launch: the tiling argument is a struct of the
// program's own in global memory, which the kernel copies field by field.
#include "kernel_operator.h"

using namespace AscendC;

struct CeluTiling {
    int32_t total;
    int32_t tile;
    float alpha;
};

class Celu {
public:
    __aicore__ inline Celu() = default;

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, __gm__ CeluTiling* given)
    {
        total = given->total;
        tile = given->tile;
        alpha = given->alpha;
        xGm.SetGlobalBuffer((__gm__ float*)x, total);
        yGm.SetGlobalBuffer((__gm__ float*)y, total);
        pipe.InitBuffer(inQueue, 2, tile * sizeof(float));
        pipe.InitBuffer(outQueue, 2, tile * sizeof(float));
        pipe.InitBuffer(alphaBuf, tile * sizeof(float));
    }

    // Tiles go round the blocks: block b takes the tiles b, b + numBlocks, ...
    __aicore__ inline void Process()
    {
        LocalTensor<float> alphas = alphaBuf.Get<float>();
        Duplicate(alphas, alpha, tile);
        const int32_t step = static_cast<int32_t>(GetBlockNum()) * tile;
        for (int32_t at = static_cast<int32_t>(GetBlockIdx()) * tile; at < total; at += step) {
            const int32_t count = total - at < tile ? total - at : tile;
            CopyIn(at, count);
            Compute(count);
            CopyOut(at, count);
        }
    }

private:
    __aicore__ inline void CopyIn(int32_t at, int32_t count)
    {
        auto x = inQueue.AllocTensor<float>();
        DataCopyPad(x, xGm[at], {1, static_cast<uint32_t>(count) * 4, 0, 0, 0}, {false, 0, 0, 0.0f});
        inQueue.EnQue(x);
    }

    __aicore__ inline void Compute(int32_t count)
    {
        auto x = inQueue.DeQue<float>();
        auto y = outQueue.AllocTensor<float>();
        Div(y, x, alphaBuf.Get<float>(), count);
        Mins(y, y, 0.0f, count);
        Exp(y, y, count);
        Adds(y, y, -1.0f, count);
        Muls(y, y, alpha, count);
        Maxs(x, x, 0.0f, count);
        Add(y, y, x, count);
        outQueue.EnQue(y);
        inQueue.FreeTensor(x);
    }

    __aicore__ inline void CopyOut(int32_t at, int32_t count)
    {
        auto y = outQueue.DeQue<float>();
        DataCopyPad(yGm[at], y, {1, static_cast<uint32_t>(count) * 4, 0, 0, 0});
        outQueue.FreeTensor(y);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 1> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    TBuf<TPosition::VECCALC> alphaBuf;
    GlobalTensor<float> xGm, yGm;
    int32_t total, tile;
    float alpha;
};

extern "C" __global__ __aicore__ void celu(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Celu op;
    op.Init(x, y, reinterpret_cast<__gm__ CeluTiling*>(tiling));
    op.Process();
}
