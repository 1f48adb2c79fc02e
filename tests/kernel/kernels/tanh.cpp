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

template <typename T>
class TanhBase {
protected:
    __aicore__ inline void Prepare(GM_ADDR x, GM_ADDR y, const TanhTilingData& t)
    {
        begin = GetBlockIdx() * t.perBlock;
        end = Std::min(begin + t.perBlock, t.total);
        tile = t.tile;
        xGm.SetGlobalBuffer((__gm__ T*)x, t.total);
        yGm.SetGlobalBuffer((__gm__ T*)y, t.total);
        pipe.InitBuffer(inQueue, 2, tile * sizeof(T));
        pipe.InitBuffer(outQueue, 2, tile * sizeof(T));
        pipe.InitBuffer(wide, tile * sizeof(float));
        pipe.InitBuffer(result, tile * sizeof(float));
        pipe.InitBuffer(scratch, tile * 4 * sizeof(float));
    }

    __aicore__ inline void Load(uint32_t at, uint32_t count)
    {
        LocalTensor<T> in = inQueue.template AllocTensor<T>();
        DataCopyPad(in, xGm[at], {1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0}, {});
        inQueue.EnQue(in);
        in = inQueue.template DeQue<T>();
        LocalTensor<float> x = wide.Get<float>();
        if constexpr (IsSameType<T, float>::value) {
            Muls(x, in, 1.0f, count);
        } else {
            Cast(x, in, RoundMode::CAST_NONE, count);
        }
        inQueue.FreeTensor(in);
    }

    __aicore__ inline void Store(uint32_t at, uint32_t count)
    {
        LocalTensor<float> y = result.Get<float>();
        LocalTensor<T> out = outQueue.template AllocTensor<T>();
        if constexpr (IsSameType<T, float>::value) {
            Muls(out, y, 1.0f, count);
        } else {
            Cast(out, y, RoundMode::CAST_RINT, count);
        }
        outQueue.EnQue(out);
        out = outQueue.template DeQue<T>();
        DataCopyPad(yGm[at], out, {1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0});
        outQueue.FreeTensor(out);
    }

    TPipe pipe;
    TQue<QuePosition::VECIN, 1> inQueue;
    TQue<QuePosition::VECOUT, 1> outQueue;
    TBuf<> wide, result, scratch;
    GlobalTensor<T> xGm, yGm;
    uint32_t begin, end, tile;
};

template <typename T>
class TanhByCall : private TanhBase<T> {
    using Base = TanhBase<T>;

public:
    __aicore__ inline void Run(GM_ADDR x, GM_ADDR y, const TanhTilingData& t)
    {
        Base::Prepare(x, y, t);
        for (uint32_t at = Base::begin; at < Base::end; at += Base::tile) {
            uint32_t count = Std::min(Base::tile, Base::end - at);
            Base::Load(at, count);
            LocalTensor<float> from = Base::wide.template Get<float>();
            LocalTensor<uint8_t> shared = Base::scratch.template Get<uint8_t>();
            Tanh(Base::result.template Get<float>(), from, shared, count);
            Base::Store(at, count);
        }
    }
};

template <typename T>
class TanhByExp : private TanhBase<T> {
    using Base = TanhBase<T>;

public:
    __aicore__ inline void Run(GM_ADDR x, GM_ADDR y, const TanhTilingData& t)
    {
        Base::Prepare(x, y, t);
        for (uint32_t at = Base::begin; at < Base::end; at += Base::tile) {
            uint32_t count = Std::min(Base::tile, Base::end - at);
            Base::Load(at, count);
            Compute(Base::wide.template Get<float>(), Base::result.template Get<float>(), count);
            Base::Store(at, count);
        }
    }

private:
    // The sign comes back by the bits: tanh of |x| OR the highest bit of x, in int16 words, whose logic all chips have.
    __aicore__ inline void Compute(LocalTensor<float> x, LocalTensor<float> y, uint32_t count)
    {
        LocalTensor<float> below = Base::scratch.template Get<float>();
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
        TanhByCall<DTYPE_X> op;
        op.Run(x, y, data);
    } else if (TILING_KEY_IS(20)) {
        TanhByExp<DTYPE_X> op;
        op.Run(x, y, data);
    }
}
