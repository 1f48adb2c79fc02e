// celu(x) = max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0). float16 and bfloat16 are computed in float32.
#include "kernel_operator.h"
#include "celu_tiling_data.h"

using namespace AscendC;

template <typename T>
class Celu {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const CeluTilingData& data, TPipe* pipe)
    {
        alpha = data.alpha;
        tile = data.tile;
        first = GetBlockIdx() * data.perBlock;
        last = first + data.perBlock < data.total ? first + data.perBlock : data.total;
        xGm.SetGlobalBuffer((__gm__ T*)x, data.total);
        yGm.SetGlobalBuffer((__gm__ T*)y, data.total);
        pipe->InitBuffer(inQueue, 2, tile * sizeof(T));
        pipe->InitBuffer(outQueue, 2, tile * sizeof(T));
        pipe->InitBuffer(numbers, tile * sizeof(float));
        pipe->InitBuffer(results, tile * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        for (uint64_t at = first; at < last; at += tile) {
            const uint32_t count = last - at < tile ? static_cast<uint32_t>(last - at) : tile;
            CopyIn(at, count);
            Compute(count);
            CopyOut(at, count);
        }
    }

private:
    __aicore__ inline void CopyIn(uint64_t at, uint32_t count)
    {
        LocalTensor<T> in = inQueue.AllocTensor<T>();
        DataCopyPad(in, xGm[at], {1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0},
                    DataCopyPadExtParams<T>{false, 0, 0, static_cast<T>(0)});
        inQueue.EnQue(in);
    }

    __aicore__ inline void Compute(uint32_t count)
    {
        LocalTensor<T> in = inQueue.DeQue<T>();
        LocalTensor<T> out = outQueue.AllocTensor<T>();
        LocalTensor<float> x = numbers.Get<float>();
        LocalTensor<float> y = results.Get<float>();
        if constexpr (IsSameType<T, float>::value) {
            Adds(x, in, 0.0f, count);
        } else {
            Cast(x, in, RoundMode::CAST_NONE, count);
        }
        inQueue.FreeTensor(in);
        Muls(y, x, 1.0f / alpha, count);
        Exp(y, y, count);
        Adds(y, y, -1.0f, count);
        Muls(y, y, alpha, count);
        Mins(y, y, 0.0f, count);
        Maxs(x, x, 0.0f, count);
        if constexpr (IsSameType<T, float>::value) {
            Add(out, x, y, count);
        } else {
            Add(x, x, y, count);
            Cast(out, x, RoundMode::CAST_RINT, count);
        }
        outQueue.EnQue(out);
    }

    __aicore__ inline void CopyOut(uint64_t at, uint32_t count)
    {
        LocalTensor<T> out = outQueue.DeQue<T>();
        DataCopyPad(yGm[at], out, {1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0});
        outQueue.FreeTensor(out);
    }

    TQue<QuePosition::VECIN, 1> inQueue;
    TQue<QuePosition::VECOUT, 1> outQueue;
    TBuf<TPosition::VECCALC> numbers, results;
    GlobalTensor<T> xGm, yGm;
    uint64_t first, last;
    uint32_t tile;
    float alpha;
};

extern "C" __global__ __aicore__ void celu(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    REGISTER_TILING_DEFAULT(CeluTilingData);
    GET_TILING_DATA_WITH_STRUCT(CeluTilingData, data, tiling);
    TPipe pipe;
    Celu<DTYPE_X> op;
    op.Init(x, y, data, &pipe);
    op.Process();
}
