// y = (x + 1) * 0.5 in float: calls with masks and repeats, and a rest with a shorter mask.
#include "kernel_operator.h"
#include "faulty.h"

using namespace AscendC;

constexpr int32_t REPEAT = 64;

class Repeats {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const FaultyTilingData& data)
    {
        t = data;
        xGm.SetGlobalBuffer((__gm__ float*)x, t.total);
        yGm.SetGlobalBuffer((__gm__ float*)y, t.total);
        pipe.InitBuffer(inQueue, 1, t.tile * sizeof(float));
        pipe.InitBuffer(outQueue, 1, t.tile * sizeof(float));
        pipe.InitBuffer(workBuf, t.tile * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        const uint32_t begin = GetBlockIdx() * t.perBlock;
        const uint32_t end = Std::min(begin + t.perBlock, t.total);
        for (uint32_t at = begin; at < end; at += t.tile) {
            const uint32_t count = Std::min(t.tile, end - at);
            LocalTensor<float> in = inQueue.AllocTensor<float>();
#if FAULT == 12
            DataCopy(in, xGm[at], {1, static_cast<uint16_t>((count + 7) / 8), 0, 0});  // FAULT 12: gm-read-out-of-bounds
#else
            DataCopyPad(in, xGm[at], {1, count * 4, 0, 0, 0}, {false, 0, 0, 0.0f});
#endif
            inQueue.EnQue(in);
            LocalTensor<float> x = inQueue.DeQue<float>();
            LocalTensor<float> y = outQueue.AllocTensor<float>();
            Compute(y, x, count);
            inQueue.FreeTensor(x);
            outQueue.EnQue(y);
            LocalTensor<float> out = outQueue.DeQue<float>();
            DataCopyPad(yGm[at], out, {1, count * 4, 0, 0, 0});  // FAULT 11: ub-uninitialised
            outQueue.FreeTensor(out);
        }
    }

private:
    __aicore__ inline void Compute(const LocalTensor<float>& y, const LocalTensor<float>& x, uint32_t count)
    {
        LocalTensor<float> work = workBuf.Get<float>();
        const UnaryRepeatParams one{1, 1, 8, 8};
        const int32_t whole = count / REPEAT;
        const int32_t rest = count % REPEAT;
#if FAULT == 1
        Adds(work, x, 1.0f, REPEAT, whole + 256, one);  // FAULT 1: parameter-truncated
#elif FAULT == 2
        const int32_t pitch = 264;
        const UnaryRepeatParams wide(1, 1, 8, pitch);  // FAULT 2: parameter-truncated
        Adds(work, x, 1.0f, REPEAT, whole, wide);
#elif FAULT == 3
        Adds(work, x, 1.0f, 2 * REPEAT, whole, one);  // FAULT 3: mask-or-repeat
#elif FAULT == 4
        SetMaskCount();  // FAULT 4: mask-or-repeat
        SetVectorMask<float, MaskMode::COUNTER>(0, whole * REPEAT);
        Adds<float, false>(work, x, 1.0f, MASK_PLACEHOLDER, 1, one);
#elif FAULT == 5
        uint64_t bits[2] = {0, ~0ull};  // 32-bit elements take the first word only
        Adds(work, x, 1.0f, bits, whole, one);  // FAULT 5: mask-or-repeat
#elif FAULT == 6
        SetVectorMask<float>(1, ~0ull);  // FAULT 6: mask-or-repeat
        Adds<float, false>(work, x, 1.0f, MASK_PLACEHOLDER, whole, one);
        ResetMask();
#elif FAULT == 7
        Adds(work, x, 1.0f, REPEAT, t.tile / REPEAT + 1, one);  // FAULT 7: ub-out-of-bounds
#elif FAULT == 8
        Adds(work, x, 1.0f, REPEAT, whole, one);
        Adds(work[8], work, 0.0f, REPEAT, whole - 1, one);  // FAULT 8: overlap
#elif FAULT == 9
        Adds(work, x, 1.0f, REPEAT, whole, one);
        Muls(y[4], work, 0.5f, REPEAT, whole - 1, one);  // FAULT 9: ub-alignment
#elif FAULT == 10
        LocalTensor<half> narrow = work.ReinterpretCast<half>();
        Cast(narrow, x, RoundMode::CAST_RINT, REPEAT, whole, {1, 1, 4, 8});
        Cast(work, narrow, RoundMode::CAST_NONE, REPEAT, whole, {1, 1, 8, 4});  // FAULT 10: overlap
#elif FAULT == 13
        Adds(work, x, 1.0f, REPEAT, whole, {0, 1, 8, 8});  // FAULT 13: mask-or-repeat
#else
        Adds(work, x, 1.0f, REPEAT, whole, one);
#endif
#if FAULT == 14
        WholeReduceSum(work, x, 3 * REPEAT, whole, 1, 1, 8);  // FAULT 14: mask-or-repeat
#endif
        Muls(y, work, 0.5f, REPEAT, whole, one);  // FAULT 4: mask-or-repeat
        if (rest > 0) {
            const uint32_t at = whole * REPEAT;
            Adds(work[at], x[at], 1.0f, rest, 1, one);
#if FAULT == 11
            Muls(y[at], work[at], 0.5f, rest - 2, 1, one);
#else
            Muls(y[at], work[at], 0.5f, rest, 1, one);
#endif
        }
    }

    FaultyTilingData t;
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> inQueue;
    TQue<QuePosition::VECOUT, 1> outQueue;
    TBuf<QuePosition::VECCALC> workBuf;
    GlobalTensor<float> xGm, yGm;
};

extern "C" __global__ __aicore__ void repeats(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(FaultyTilingData, data, tiling);
    Repeats op;
    op.Init(x, y, data);
    op.Process();
}
