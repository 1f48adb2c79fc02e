// gelu by erf: x / 2 * (1 + erf(x / sqrt(2))) for float, with the high-level call Erf and a scratch buffer.
// The sum cancels for negative x, so the error is absolute there, as in the formula itself.
#include "kernel_operator.h"
#include "adv_api/math/erf.h"

using namespace AscendC;

struct GeluErfTilingData {
    uint32_t total;
    uint32_t perBlock;
    uint32_t tile;
    uint32_t scratchBytes;
};

class GeluErf {
public:
    __aicore__ inline GeluErf(GM_ADDR x, GM_ADDR y, const GeluErfTilingData& tiling) : tiling(tiling)
    {
        uint32_t begin = GetBlockIdx() * tiling.perBlock;
        length = begin < tiling.total ? Std::min(tiling.perBlock, tiling.total - begin) : 0;
        xGm.SetGlobalBuffer((__gm__ float*)x + begin, length);
        yGm.SetGlobalBuffer((__gm__ float*)y + begin, length);
        pipe.InitBuffer(inQueue, 1, tiling.tile * sizeof(float));
        pipe.InitBuffer(outQueue, 1, tiling.tile * sizeof(float));
        pipe.InitBuffer(erfBuf, tiling.tile * sizeof(float));
        pipe.InitBuffer(scratch, tiling.scratchBytes);
    }

    __aicore__ inline void Process()
    {
        uint32_t loops = (length + tiling.tile - 1) / tiling.tile;
        for (uint32_t i = 0; i < loops; i++) {
            uint32_t count = i + 1 < loops ? tiling.tile : length - i * tiling.tile;
            CopyIn(i * tiling.tile, count);
            Compute(count);
            CopyOut(i * tiling.tile, count);
        }
    }

private:
    __aicore__ inline void CopyIn(uint32_t at, uint32_t count)
    {
        LocalTensor<float> x = inQueue.AllocTensor<float>();
        DataCopyPad(x, xGm[at], {1, count * 4, 0, 0, 0}, {false, 0, 0, 0.0f});
        inQueue.EnQue(x);
    }

    __aicore__ inline void Compute(uint32_t count)
    {
        LocalTensor<float> x = inQueue.DeQue<float>();
        LocalTensor<float> y = outQueue.AllocTensor<float>();
        LocalTensor<float> erf = erfBuf.Get<float>();
        LocalTensor<uint8_t> shared = scratch.Get<uint8_t>();
        Muls(y, x, 0.70710678118654752f, count);
        Erf(erf, y, shared, count);
        Adds(erf, erf, 1.0f, count);
        Muls(y, x, 0.5f, count);
        Mul(y, y, erf, count);
        inQueue.FreeTensor(x);
        outQueue.EnQue(y);
    }

    __aicore__ inline void CopyOut(uint32_t at, uint32_t count)
    {
        LocalTensor<float> y = outQueue.DeQue<float>();
        DataCopyPad(yGm[at], y, {1, count * 4, 0, 0, 0});
        outQueue.FreeTensor(y);
    }

    GeluErfTilingData tiling;
    TPipe pipe;
    TQue<TPosition::VECIN, 1> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    TBuf<TPosition::VECCALC> erfBuf, scratch;
    GlobalTensor<float> xGm, yGm;
    uint32_t length;
};

extern "C" __global__ __aicore__ void gelu_erf(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(GeluErfTilingData, data, tiling);
    GeluErf op(x, y, data);
    op.Process();
}
