// gelu by the tanh form: x / (1 + exp(-1.5957691 * (x + 0.044715 * x^3))).
// One large TBuf is cut by hand; float arithmetic; the tail of a tile is computed on whole pieces of 256 bytes.
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t ALIGN = 64;
constexpr float TWICE_SQRT_2_OVER_PI = 1.5957691216057308f;

struct GeluTilingData {
    int64_t total;
    int64_t perBlock;
    int32_t tile;
};

template <typename T>
class GeluTanh {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const GeluTilingData& data)
    {
        base = GetBlockIdx() * data.perBlock;
        tile = data.tile;
        remaining = data.total - base;
        if (remaining > data.perBlock) {
            remaining = data.perBlock;
        }
        xGm.SetGlobalBuffer((__gm__ T*)x);
        yGm.SetGlobalBuffer((__gm__ T*)y);
        TPipe* pipe = GetTPipePtr();
        pipe->InitBuffer(inQueue, 2, tile * sizeof(T));
        pipe->InitBuffer(outQueue, 2, tile * sizeof(T));
        pipe->InitBuffer(work, 2 * tile * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        while (remaining > 0) {
            int32_t count = remaining < tile ? static_cast<int32_t>(remaining) : tile;
            Step(count);
            base += count;
            remaining -= count;
        }
    }

private:
    __aicore__ inline void Step(int32_t count)
    {
        const uint32_t bytes = count * sizeof(T);
        {
            auto loaded = inQueue.template AllocTensor<T>();
            DataCopyPad(loaded, xGm[base], {1, bytes, 0, 0, 0}, {false, 0, 0, static_cast<T>(0.0f)});
            inQueue.EnQue(loaded);
        }
        auto source = inQueue.template DeQue<T>();
        auto result = outQueue.template AllocTensor<T>();
        LocalTensor<float> all = work.Get<float>();
        LocalTensor<float> x = all[0];
        LocalTensor<float> t = all[tile];
        const int32_t rounded = (count + ALIGN - 1) / ALIGN * ALIGN;
        if constexpr (IsSameType<T, float>::value) {
            x = source;
        } else {
            Cast(x, source, RoundMode::CAST_NONE, rounded);
        }
        Mul(t, x, x, rounded);
        Muls(t, t, 0.044715f, rounded);
        Adds(t, t, 1.0f, rounded);
        Mul(t, t, x, rounded);
        Muls(t, t, -TWICE_SQRT_2_OVER_PI, rounded);
        Exp(t, t, rounded);
        Adds(t, t, 1.0f, rounded);
        if constexpr (IsSameType<T, float>::value) {
            Div(result, x, t, rounded);
        } else {
            Div(t, x, t, rounded);
            Cast(result, t, RoundMode::CAST_RINT, rounded);
        }
        inQueue.FreeTensor(source);
        outQueue.EnQue(result);
        auto ready = outQueue.template DeQue<T>();
        DataCopyPad(yGm[base], ready, {1, bytes, 0, 0, 0});
        outQueue.FreeTensor(ready);
    }

    int64_t base;
    int64_t remaining;
    int32_t tile;
    GlobalTensor<T> xGm;
    GlobalTensor<T> yGm;
    TQue<QuePosition::VECIN, 1> inQueue;
    TQue<QuePosition::VECOUT, 1> outQueue;
    TBuf<QuePosition::VECCALC> work;
};

extern "C" __global__ __aicore__ void gelu_tanh(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    GET_TILING_DATA_WITH_STRUCT(GeluTilingData, data, tiling);
    GeluTanh<DTYPE_X> op;
    op.Init(x, y, data);
    op.Process();
}
