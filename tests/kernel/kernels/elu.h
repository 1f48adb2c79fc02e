// elu(x) = scale * x for x > 0, scale * alpha * (exp(inputScale * x) - 1) otherwise.
// A class with Init, Process, CopyIn, Compute, CopyOut; queues with two buffers; float arithmetic in all dtypes.
#ifndef ELU_H
#define ELU_H

#include "kernel_operator.h"
#include "elu_tiling.h"
#include "elu_tiling_key.h"

namespace NsElu {
using namespace AscendC;

constexpr int32_t BUFFER_NUM = 2;

template <typename T, int mode>
class Elu {
public:
    __aicore__ inline Elu() {}

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const EluTilingData& tilingData, TPipe* pipe)
    {
        tiling = tilingData;
        uint64_t start = GetBlockIdx() * tiling.perBlock;
        length = start < tiling.total ? tiling.total - start : 0;
        length = length < tiling.perBlock ? length : tiling.perBlock;
        xGm.SetGlobalBuffer((__gm__ T*)x + start, length);
        yGm.SetGlobalBuffer((__gm__ T*)y + start, length);
        pipe->InitBuffer(inQueue, BUFFER_NUM, tiling.tile * sizeof(T));
        pipe->InitBuffer(outQueue, BUFFER_NUM, tiling.tile * sizeof(T));
        pipe->InitBuffer(xBuf, tiling.tile * sizeof(float));
        pipe->InitBuffer(zBuf, tiling.tile * sizeof(float));
        pipe->InitBuffer(polynomialBuf, tiling.tile * sizeof(float));
        pipe->InitBuffer(maskBuf, tiling.tile / 8);
    }

    __aicore__ inline void Process()
    {
        for (uint64_t done = 0; done < length; done += tiling.tile) {
            uint32_t count = length - done < tiling.tile ? static_cast<uint32_t>(length - done) : tiling.tile;
            CopyIn(done, count);
            Compute(count);
            CopyOut(done, count);
        }
    }

private:
    __aicore__ inline void CopyIn(uint64_t offset, uint32_t count)
    {
        LocalTensor<T> xLocal = inQueue.AllocTensor<T>();
        DataCopyExtParams params{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        DataCopyPadExtParams<T> pad{false, 0, 0, static_cast<T>(0)};
        DataCopyPad(xLocal, xGm[offset], params, pad);
        inQueue.EnQue(xLocal);
    }

    __aicore__ inline void Compute(uint32_t count)
    {
        LocalTensor<T> xLocal = inQueue.DeQue<T>();
        LocalTensor<T> yLocal = outQueue.AllocTensor<T>();
        LocalTensor<float> x = xBuf.Get<float>();
        LocalTensor<float> z = zBuf.Get<float>();
        if constexpr (IsSameType<T, float>::value) {
            Adds(x, xLocal, 0.0f, count);
        } else {
            Cast(x, xLocal, RoundMode::CAST_NONE, count);
        }
        inQueue.FreeTensor(xLocal);

        Mins(z, x, 0.0f, count);
        Muls(z, z, tiling.inputScale, count);
        Expm1(z, count);
        Muls(z, z, tiling.alpha, count);
        Maxs(x, x, 0.0f, count);
        Add(x, x, z, count);
        if constexpr (IsSameType<T, float>::value) {
            Muls(yLocal, x, tiling.scale, count);
        } else {
            Muls(x, x, tiling.scale, count);
            Cast(yLocal, x, RoundMode::CAST_RINT, count);
        }
        outQueue.EnQue(yLocal);
    }

    // exp(z) - 1 in place, for z <= 0. The difference cancels near 0, so the second mode takes the Taylor polynomial
    // of degree 9 down to -0.5, where its rest is below 2^-30 of the sum.
    __aicore__ inline void Expm1(LocalTensor<float>& z, uint32_t count)
    {
        if constexpr (mode == ELU_BY_EXP) {
            Exp(z, z, count);
            Adds(z, z, -1.0f, count);
        } else {
            LocalTensor<float> polynomial = polynomialBuf.Get<float>();
            LocalTensor<uint8_t> isNear = maskBuf.Get<uint8_t>();
            const float inverse[8] = {1.0f / 9, 1.0f / 8, 1.0f / 7, 1.0f / 6, 1.0f / 5, 1.0f / 4, 1.0f / 3, 1.0f / 2};
            Muls(polynomial, z, inverse[0], count);
            for (int32_t i = 1; i < 8; i++) {  // 1 + z/9, times z/8, plus 1, ...
                Adds(polynomial, polynomial, 1.0f, count);
                Mul(polynomial, polynomial, z, count);
                Muls(polynomial, polynomial, inverse[i], count);
            }
            Mul(polynomial, polynomial, z, count);
            Add(polynomial, polynomial, z, count);
            uint32_t whole = (count + 63) / 64 * 64;  // CompareScalar takes whole pieces of 256 bytes
            CompareScalar(isNear, z, -0.5f, CMPMODE::GE, whole);
            Exp(z, z, count);
            Adds(z, z, -1.0f, count);
            Select(z, isNear, polynomial, z, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
        }
    }

    __aicore__ inline void CopyOut(uint64_t offset, uint32_t count)
    {
        LocalTensor<T> yLocal = outQueue.DeQue<T>();
        DataCopyExtParams params{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        DataCopyPad(yGm[offset], yLocal, params);
        outQueue.FreeTensor(yLocal);
    }

    EluTilingData tiling;
    uint64_t length;
    GlobalTensor<T> xGm;
    GlobalTensor<T> yGm;
    TQue<QuePosition::VECIN, BUFFER_NUM> inQueue;
    TQue<QuePosition::VECOUT, BUFFER_NUM> outQueue;
    TBuf<TPosition::VECCALC> xBuf;
    TBuf<TPosition::VECCALC> zBuf;
    TBuf<TPosition::VECCALC> polynomialBuf;
    TBuf<TPosition::VECCALC> maskBuf;
};

}  // namespace NsElu

#endif
