// y[i] = x[i] + carry, where carry is the sum of the earlier elements of the block: the scalar pipe only. A block's
// share is a multiple of 64 bytes, because a scalar store writes a whole cache line of the core.
#include "kernel_operator.h"
#include "faulty.h"

using namespace AscendC;

#if FAULT == 12
__aicore__ uint32_t Deep(volatile uint32_t* above)
{
    volatile uint32_t frame[1024];
    frame[0] = *above + 1;
    return Deep(frame) + frame[0];
}
#endif

extern "C" __global__ __aicore__ void scalars(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(FaultyTilingData, t, tiling);
    GlobalTensor<float> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, t.total);
    yGm.SetGlobalBuffer((__gm__ float*)y, t.total);
#if FAULT == 3
    const uint32_t share = t.perBlock - 2;
#else
    const uint32_t share = t.perBlock;
#endif
    const uint32_t begin = GetBlockIdx() * share;
    const uint32_t end = Std::min(begin + share, t.total);
    TPipe pipe;
    TBuf<TPosition::VECCALC> carryBuf;
    pipe.InitBuffer(carryBuf, 64);
    LocalTensor<float> carry = carryBuf.Get<float>();
#if FAULT != 11
    carry.SetValue(0, 0.0f);
#endif
#if FAULT == 4
    *(volatile float*)(y + (1ull << 46)) = 1.0f;  // FAULT 4: crash (any line)
#elif FAULT == 5
    volatile float* nothing = nullptr;
    float first = *nothing;  // FAULT 5: crash (any line)
    carry.SetValue(0, first);
#elif FAULT == 7
    volatile uint32_t wait = 1;
    while (wait != 0) {  // FAULT 7: timeout (any line)
    }
#elif FAULT == 8
    xGm.SetValue(begin, 0.0f);  // FAULT 8: inputs-modified
#elif FAULT == 12
    volatile uint32_t frame = Deep(&frame);  // FAULT 12: crash (any line)
#elif FAULT == 13
    if (begin > 0 && begin < end) {
        carry.SetValue(0, yGm.GetValue(begin - 1));  // FAULT 13: gm-race
    }
#endif
    for (uint32_t i = begin; i < end; i++) {
#if FAULT == 1
        float value = xGm.GetValue(i + 1);  // FAULT 1: gm-read-out-of-bounds
#else
        float value = xGm.GetValue(i);
#endif
        float sum = carry.GetValue(0) + value;  // FAULT 11: ub-uninitialised
#if FAULT == 10
        carry.SetValue(16, sum);  // FAULT 10: ub-out-of-bounds
#else
        carry.SetValue(0, sum);
#endif
#if FAULT == 2
        yGm.SetValue(i + 1, sum);  // FAULT 2: gm-write-out-of-bounds
#else
        yGm.SetValue(i, sum);  // FAULT 3: gm-overlapping-writes, 11: ub-uninitialised, 13: gm-race
#endif
    }
}
