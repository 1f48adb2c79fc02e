// hardswish(x) = x * min(max(x + 3, 0), 6) / 6, in Counter mode: the mask is the number of elements of the tile, and
// the calls take no mask of their own.
#include "kernel_operator.h"

using namespace AscendC;

struct HardswishTilingData {
    uint32_t total;
    uint32_t perBlock;
    uint32_t tile;
};

template <typename X, typename Y>
class Hardswish {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, HardswishTilingData* tiling)
    {
        start = GetBlockIdx() * tiling->perBlock;
        stop = Std::min(start + tiling->perBlock, tiling->total);
        tile = tiling->tile;
        xGm.SetGlobalBuffer((__gm__ X*)x, tiling->total);
        yGm.SetGlobalBuffer((__gm__ Y*)y, tiling->total);
        pipe.InitBuffer(inQueue, 2, tile * sizeof(X));
        pipe.InitBuffer(outQueue, 2, tile * sizeof(Y));
        pipe.InitBuffer(gate, tile * sizeof(float));
        pipe.InitBuffer(wide, tile * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        for (uint32_t at = start; at < stop; at += tile) {
            uint32_t count = Std::min(stop - at, tile);
            auto in = inQueue.template AllocTensor<X>();
            DataCopyPad(in, xGm[at], {1, static_cast<uint32_t>(count * sizeof(X)), 0, 0, 0}, {false, 0, 0, X()});
            inQueue.EnQue(in);
            Compute(count);
            auto out = outQueue.template DeQue<Y>();
            DataCopyPad(yGm[at], out, {1, static_cast<uint32_t>(count * sizeof(Y)), 0, 0, 0});
            outQueue.FreeTensor(out);
        }
    }

private:
    __aicore__ inline void Compute(uint32_t count)
    {
        auto in = inQueue.template DeQue<X>();
        auto out = outQueue.template AllocTensor<Y>();
        LocalTensor<float> x = wide.Get<float>();
        LocalTensor<float> g = gate.Get<float>();
        if constexpr (!IsSameType<X, float>::value) {
            Cast(x, in, RoundMode::CAST_NONE, count);
        } else {
            x = in;
        }
        const UnaryRepeatParams stride(1, 1, 8, 8);
        SetMaskCount();
        SetVectorMask<float, MaskMode::COUNTER>(0, count);
        Adds<float, false>(g, x, 3.0f, MASK_PLACEHOLDER, 1, stride);
        Maxs<float, false>(g, g, 0.0f, MASK_PLACEHOLDER, 1, stride);
        Mins<float, false>(g, g, 6.0f, MASK_PLACEHOLDER, 1, stride);
        Mul<float, false>(g, g, x, MASK_PLACEHOLDER, 1, BinaryRepeatParams(1, 1, 1, 8, 8, 8));
        if constexpr (!IsSameType<Y, float>::value) {
            Muls<float, false>(g, g, 1.0f / 6.0f, MASK_PLACEHOLDER, 1, stride);
            SetMaskNorm();
            ResetMask();
            Cast(out, g, RoundMode::CAST_RINT, count);
        } else {
            Muls<float, false>(out, g, 1.0f / 6.0f, MASK_PLACEHOLDER, 1, stride);
            SetMaskNorm();
            ResetMask();
        }
        inQueue.FreeTensor(in);
        outQueue.EnQue(out);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 1> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    TBuf<TPosition::VECCALC> gate, wide;
    GlobalTensor<X> xGm;
    GlobalTensor<Y> yGm;
    uint32_t start, stop, tile;
};

extern "C" __global__ __aicore__ void hardswish(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(HardswishTilingData, data, tiling);
    Hardswish<DTYPE_X, DTYPE_Y> op;
    op.Init(x, y, &data);
    op.Process();
}
