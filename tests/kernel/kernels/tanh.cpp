// tanh(x), by the call Tanh (key 10) or as sign(x) * (1 - t) / (1 + t) with t = exp(-2 |x|) (key 20).
// The second form has an absolute error near 0, because 1 - t cancels there.
#include "kernel_operator.h"
#include "lib/math/tanh.h"

using namespace AscendC;

struct TanhTilingData {
    uint32_t total;
    uint32_t perBlock;
    uint32_t tile;
};

class TanhBase {
protected:
    __aicore__ inline void Prepare(GM_ADDR x, GM_ADDR y, const TanhTilingData& t)
    {
        begin = GetBlockIdx() * t.perBlock;
        end = Std::min(begin + t.perBlock, t.total);
        tile = t.tile;
        xGm.SetGlobalBuffer((__gm__ DTYPE_X*)x, t.total);
        yGm.SetGlobalBuffer((__gm__ DTYPE_X*)y, t.total);
        pipe.InitBuffer(inQueue, 2, tile * sizeof(DTYPE_X));
        pipe.InitBuffer(outQueue, 2, tile * sizeof(DTYPE_X));
        pipe.InitBuffer(wide, tile * sizeof(float));
        pipe.InitBuffer(result, tile * sizeof(float));
        pipe.InitBuffer(scratch, tile * 4 * sizeof(float));
    }

    __aicore__ inline void Load(uint32_t at, uint32_t count)
    {
        LocalTensor<DTYPE_X> in = inQueue.AllocTensor<DTYPE_X>();
        DataCopyPad(in, xGm[at], {1, static_cast<uint32_t>(count * sizeof(DTYPE_X)), 0, 0, 0}, {});
        inQueue.EnQue(in);
        in = inQueue.DeQue<DTYPE_X>();
        LocalTensor<float> x = wide.Get<float>();
        if constexpr (IsSameType<DTYPE_X, float>::value) {
            Muls(x, in, 1.0f, count);
        } else {
            Cast(x, in, RoundMode::CAST_NONE, count);
        }
        inQueue.FreeTensor(in);
    }

    __aicore__ inline void Store(uint32_t at, uint32_t count)
    {
        LocalTensor<float> y = result.Get<float>();
        LocalTensor<DTYPE_X> out = outQueue.AllocTensor<DTYPE_X>();
        if constexpr (IsSameType<DTYPE_X, float>::value) {
            Muls(out, y, 1.0f, count);
        } else {
            Cast(out, y, RoundMode::CAST_RINT, count);
        }
        outQueue.EnQue(out);
        out = outQueue.DeQue<DTYPE_X>();
        DataCopyPad(yGm[at], out, {1, static_cast<uint32_t>(count * sizeof(DTYPE_X)), 0, 0, 0});
        outQueue.FreeTensor(out);
    }

    TPipe pipe;
    TQue<QuePosition::VECIN, 1> inQueue;
    TQue<QuePosition::VECOUT, 1> outQueue;
    TBuf<> wide, result, scratch;
    GlobalTensor<DTYPE_X> xGm, yGm;
    uint32_t begin, end, tile;
};

class TanhByCall : private TanhBase {
public:
    __aicore__ inline void Run(GM_ADDR x, GM_ADDR y, const TanhTilingData& t)
    {
        Prepare(x, y, t);
        for (uint32_t at = begin; at < end; at += tile) {
            uint32_t count = Std::min(tile, end - at);
            Load(at, count);
            Tanh(result.Get<float>(), wide.Get<float>(), scratch.Get<uint8_t>(), count);
            Store(at, count);
        }
    }
};

class TanhByExp : private TanhBase {
public:
    __aicore__ inline void Run(GM_ADDR x, GM_ADDR y, const TanhTilingData& t)
    {
        Prepare(x, y, t);
        for (uint32_t at = begin; at < end; at += tile) {
            uint32_t count = Std::min(tile, end - at);
            Load(at, count);
            Compute(wide.Get<float>(), result.Get<float>(), count);
            Store(at, count);
        }
    }

private:
    // The sign comes back by the bits: tanh of |x| OR the highest bit of x, in int16 words, whose logic all chips have.
    __aicore__ inline void Compute(LocalTensor<float> x, LocalTensor<float> y, uint32_t count)
    {
        LocalTensor<float> below = scratch.Get<float>();
        Abs(y, x, count);
        Muls(y, y, -2.0f, count);
        Exp(y, y, count);
        Adds(below, y, 1.0f, count);
        Muls(y, y, -1.0f, count);
        Adds(y, y, 1.0f, count);
        Div(y, y, below, count);
        LocalTensor<uint16_t> mask = below.ReinterpretCast<uint16_t>();
        LocalTensor<uint16_t> sign = x.ReinterpretCast<uint16_t>();
        LocalTensor<uint16_t> magnitude = y.ReinterpretCast<uint16_t>();
        Duplicate<uint32_t>(below.ReinterpretCast<uint32_t>(), 0x80000000u, count);
        And(sign, sign, mask, 2 * count);
        Or(magnitude, magnitude, sign, 2 * count);
    }
};

extern "C" __global__ __aicore__ void tanh_kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(TanhTilingData, data, tiling);
    if (TILING_KEY_IS(10)) {
        TanhByCall op;
        op.Run(x, y, data);
    } else if (TILING_KEY_IS(20)) {
        TanhByExp op;
        op.Run(x, y, data);
    }
}
