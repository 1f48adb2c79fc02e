// softplus(x) = ln(1 + exp(beta x)) / beta, and x where beta x > threshold.
// max(z, 0) + ln(1 + w) with z = beta x and w = exp(-|z|). The logarithm is w * ln(u) / (u - 1) for u = 1 + w rounded,
// and w where u is 1, because the rounding of u then cancels. Select takes bits of Compare and of CompareScalar.
#include "kernel_operator.h"

using namespace AscendC;

struct SoftplusTilingData {
    uint64_t total;
    uint64_t perBlock;
    float beta;
    float inverseBeta;
    float threshold;
    uint32_t tile;
};

template <typename T>
class Softplus {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const SoftplusTilingData* data, TPipe* pipe)
    {
        t = data;
        uint64_t begin = GetBlockIdx() * t->perBlock;
        length = begin < t->total ? t->total - begin : 0;
        length = length < t->perBlock ? length : t->perBlock;
        xGm.SetGlobalBuffer((__gm__ T*)x + begin, length);
        yGm.SetGlobalBuffer((__gm__ T*)y + begin, length);
        pipe->InitBuffer(inQueue, 2, t->tile * sizeof(T));
        pipe->InitBuffer(outQueue, 2, t->tile * sizeof(T));
        pipe->InitBuffer(calc, 5 * t->tile * sizeof(float));
        pipe->InitBuffer(maskBuf, t->tile / 8);
        x_ = calc.Get<float>(t->tile);
        z_ = calc.GetWithOffset<float>(t->tile, t->tile * 4);
        w_ = calc.GetWithOffset<float>(t->tile, t->tile * 8);
        u_ = calc.GetWithOffset<float>(t->tile, t->tile * 12);
        v_ = calc.GetWithOffset<float>(t->tile, t->tile * 16);
        mask_ = maskBuf.Get<uint8_t>();
    }

    __aicore__ inline void Process()
    {
        uint64_t at = 0;
        for (; at + t->tile <= length; at += t->tile) {
            Step(at, t->tile);
        }
        if (at < length) {
            Step(at, static_cast<uint32_t>(length - at));
        }
    }

private:
    __aicore__ inline void Step(uint64_t at, uint32_t count)
    {
        DataCopyExtParams copy(1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0);
        LocalTensor<T> in = inQueue.template AllocTensor<T>();
        DataCopyPad(in, xGm[at], copy, DataCopyPadExtParams<T>(false, 0, 0, T()));
        inQueue.EnQue(in);
        in = inQueue.template DeQue<T>();
        if constexpr (IsSameType<T, float>::value) {
            Adds(x_, in, 0.0f, count);
        } else {
            Cast(x_, in, RoundMode::CAST_NONE, count);
        }
        inQueue.FreeTensor(in);

        Compute(count);

        LocalTensor<T> out = outQueue.template AllocTensor<T>();
        if constexpr (IsSameType<T, float>::value) {
            DataCopy(out, v_, (count + 7) / 8 * 8);
        } else {
            Cast(out, v_, RoundMode::CAST_RINT, count);
        }
        outQueue.EnQue(out);
        out = outQueue.template DeQue<T>();
        DataCopyPad(yGm[at], out, copy);
        outQueue.FreeTensor(out);
    }

    __aicore__ inline void Compute(uint32_t count)
    {
        const uint32_t whole = (count + 63) / 64 * 64;
        Muls(z_, x_, t->beta, count);
        Abs(w_, z_, count);
        Muls(w_, w_, -1.0f, count);
        Exp(w_, w_, count);
        Adds(u_, w_, 1.0f, count);
        Ln(v_, u_, count);
        Mul(v_, v_, w_, count);
        Adds(u_, u_, -1.0f, count);
        CompareScalar(mask_, u_, 0.0f, CMPMODE::EQ, whole);
        Div(v_, v_, u_, count);  // 0 / 0 where u was 1: these are not selected
        Select(v_, mask_, w_, v_, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
        Maxs(w_, z_, 0.0f, count);
        Add(v_, v_, w_, count);
        Muls(v_, v_, t->inverseBeta, count);
        Duplicate(u_, t->threshold, count);
        Compare(mask_, z_, u_, CMPMODE::GT, whole);
        Select(v_, mask_, x_, v_, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
    }

    const SoftplusTilingData* t;
    uint64_t length;
    GlobalTensor<T> xGm, yGm;
    TQue<QuePosition::VECIN, 1> inQueue;
    TQue<QuePosition::VECOUT, 1> outQueue;
    TBuf<QuePosition::VECCALC> calc, maskBuf;
    LocalTensor<float> x_, z_, w_, u_, v_;
    LocalTensor<uint8_t> mask_;
};

extern "C" __global__ __aicore__ void softplus(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    GET_TILING_DATA_WITH_STRUCT(SoftplusTilingData, data, tiling);
    Softplus<DTYPE_X> op;
    op.Init(x, y, &data, &pipe);
    op.Process();
}
