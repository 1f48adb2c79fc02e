#include "call.h"

extern "C" __global__ __aicore__ void casts(GM_ADDR x, GM_ADDR out, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(CallTiling, t, tiling);
    Frame frame;
    frame.init(t.bytes);
    const int32_t wide = sizeof(DTYPE_X) > sizeof(DTYPE_Y) ? sizeof(DTYPE_X) : sizeof(DTYPE_Y);
    const int32_t in = t.bytes / wide * sizeof(DTYPE_X), to = t.bytes / wide * sizeof(DTYPE_Y);
    LocalTensor<DTYPE_X> a = frame.load<DTYPE_X>(frame.first, x, in);
    LocalTensor<DTYPE_Y> d = frame.result.Get<DTYPE_Y>();
    PipeBarrier<PIPE_ALL>();
    const RoundMode mode = static_cast<RoundMode>(t.mode);
    if (t.call == 0) {
        Cast(d, a, mode, t.count);
    } else {  // contiguous data in repeats of the wider type
        const int32_t per_repeat = 256 / wide;
        const UnaryRepeatParams p(1, 1, per_repeat * sizeof(DTYPE_Y) / 32, per_repeat * sizeof(DTYPE_X) / 32);
        Cast(d, a, mode, static_cast<uint64_t>(per_repeat), t.count / per_repeat, p);
    }
    PipeBarrier<PIPE_ALL>();
    frame.store(out, d, to);
}
