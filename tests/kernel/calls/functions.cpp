#include "call.h"
#include "lib/activation/geglu.h"
#include "lib/activation/reglu.h"
#include "lib/activation/silu.h"
#include "lib/activation/swiglu.h"
#include "lib/activation/swish.h"
#include "lib/math/clamp.h"
#include "lib/math/power.h"

extern "C" __global__ __aicore__ void functions(GM_ADDR x, GM_ADDR y, GM_ADDR out, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(CallTiling, t, tiling);
    Frame frame;
    frame.init(t.bytes);
    LocalTensor<DTYPE_X> a = frame.load<DTYPE_X>(frame.first, x, t.bytes), b = frame.load<DTYPE_X>(frame.second, y, t.bytes);
    LocalTensor<DTYPE_X> d = frame.load<DTYPE_X>(frame.result, out, t.bytes);
    LocalTensor<uint8_t> scratch = frame.scratch.Get<uint8_t>();
    PipeBarrier<PIPE_ALL>();
    const DTYPE_X scalar = static_cast<DTYPE_X>(t.scalar);
    switch (t.call) {
        case 0: Sigmoid(d, a, scratch, t.count); break;
        case 1: Tanh(d, a, t.count); break;
        case 2: Erf(d, a, scratch, t.count); break;
        case 3: Gelu(d, a, t.count); break;
        case 4: Silu(d, a, t.count); break;
        case 5: Swish(d, a, t.count, scalar); break;
        case 6: SwiGLU(d, a, b, t.scalar, scratch, t.count); break;
        case 7: GeGLU(d, a, b, t.count); break;
        case 8: ReGlu(d, a, b, scratch, t.count); break;
        case 9: Power(d, a, b, t.count); break;
        case 10: ClampMax(d, a, scalar, t.count); break;
        case 11: ClampMin(d, a, scalar, t.count); break;
        case 12: Log(d, a, t.count); break;
        case 13: Rint(d, a, t.count); break;
        case 14: {  // blocks of 32 bytes, the last one first
            LocalTensor<uint32_t> offsets = scratch.ReinterpretCast<uint32_t>();
            for (uint32_t i = 0; i < 16; ++i) offsets.SetValue(i, 32 * (15 - i));
            Gatherb(d, a, offsets, 2, {1, 8});
            break;
        }
    }
    PipeBarrier<PIPE_ALL>();
    frame.store(out, d, t.bytes);
}
