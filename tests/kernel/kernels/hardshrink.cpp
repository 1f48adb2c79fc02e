// hardshrink(x) = x where |x| > lambd, else 0. Sub-tensors of one queue buffer; Compare of two tensors; the scratch
// tensors come from one TBufPool.
#include "kernel_operator.h"

using namespace AscendC;

struct HardshrinkTilingData {
    uint32_t total;
    uint32_t perBlock;
    uint32_t tile;
    float lambd;
};

template <typename T>
class Hardshrink {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const HardshrinkTilingData& t)
    {
        begin = t.perBlock * GetBlockIdx();
        end = begin + t.perBlock < t.total ? begin + t.perBlock : t.total;
        tile = t.tile;
        lambd = t.lambd;
        xGm.SetGlobalBuffer((__gm__ T*)x, t.total);
        yGm.SetGlobalBuffer((__gm__ T*)y, t.total);
        pipe.InitBuffer(inQueue, 2, tile * sizeof(T));
        pipe.InitBuffer(outQueue, 2, tile * sizeof(T));
        pipe.InitBufPool(pool, tile * sizeof(float) * 4 + tile / 8);
        pool.InitBuffer(wideBuf, tile * sizeof(float) * 2);
        pool.InitBuffer(boundBuf, tile * sizeof(float) * 2);
        pool.InitBuffer(maskBuf, tile / 8);
    }

    __aicore__ inline void Process()
    {
        LocalTensor<float> bound = boundBuf.template Get<float>()[0];
        LocalTensor<float> zero = boundBuf.template Get<float>()[tile];
        Duplicate(bound, lambd, tile);
        Duplicate(zero, 0.0f, tile);
        for (uint32_t at = begin; at < end; at += tile) {
            uint32_t count = end - at < tile ? end - at : tile;
            uint32_t bytes = count * sizeof(T);
            LocalTensor<T> in = inQueue.template AllocTensor<T>();
            DataCopyPad(in, xGm[at], {1, bytes, 0, 0, 0}, {false, 0, 0, static_cast<T>(0)});
            inQueue.template EnQue<T>(in);
            in = inQueue.template DeQue<T>();
            LocalTensor<float> both = wideBuf.template Get<float>();
            LocalTensor<float> x = both;
            LocalTensor<float> magnitude = both[tile];
            LocalTensor<uint8_t> mask = maskBuf.template Get<uint8_t>();
            if constexpr (IsSameType<T, float>::value) {
                x = in;
            } else {
                Cast(x, in, RoundMode::CAST_NONE, count);
            }
            Abs(magnitude, x, count);
            Compare(mask, magnitude, bound, CMPMODE::GT, (count + 63) / 64 * 64);
            LocalTensor<T> out = outQueue.template AllocTensor<T>();
            if constexpr (IsSameType<T, float>::value) {
                Select(out, mask, x, zero, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
            } else {
                Select(x, mask, x, zero, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
                Cast(out, x, RoundMode::CAST_RINT, count);
            }
            inQueue.FreeTensor(in);
            outQueue.template EnQue<T>(out);
            out = outQueue.template DeQue<T>();
            DataCopyPad(yGm[at], out, {1, bytes, 0, 0, 0});
            outQueue.FreeTensor(out);
        }
    }

private:
    TPipe pipe;
    TBufPool<TPosition::VECCALC> pool;
    TQue<TPosition::VECIN, 1> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    TBuf<TPosition::VECCALC> wideBuf, boundBuf, maskBuf;
    GlobalTensor<T> xGm, yGm;
    uint32_t begin, end, tile;
    float lambd;
};

extern "C" __global__ __aicore__ void hardshrink(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(HardshrinkTilingData, data, tiling);
    Hardshrink<DTYPE_X> op;
    op.Init(x, y, data);
    op.Process();
}
