#include "call.h"

// call 0, 1: Compare; 2, 3: Compares; 4 to 6: Select. Odd calls use the strided form.
extern "C" __global__ __aicore__ void selects(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR out, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(CallTiling, t, tiling);
    Frame frame;
    frame.init(t.bytes);
    LocalTensor<DTYPE_X> a = frame.load<DTYPE_X>(frame.first, x, t.bytes), b = frame.load<DTYPE_X>(frame.second, y, t.bytes);
    LocalTensor<uint8_t> bits = frame.load<uint8_t>(frame.third, z, t.bytes);
    LocalTensor<DTYPE_X> d = frame.load<DTYPE_X>(frame.result, x, t.bytes);
    PipeBarrier<PIPE_ALL>();
    const CMPMODE mode = static_cast<CMPMODE>(t.mode);
    const DTYPE_X s = static_cast<DTYPE_X>(t.scalar);
    const BinaryRepeatParams p(t.strides[0], t.strides[1], t.strides[2], t.strides[3], t.strides[4], t.strides[5]);
    const uint64_t all = 256 / sizeof(DTYPE_X);
    switch (t.call) {
        case 0: Compare(bits, a, b, mode, t.count); break;
        case 1: Compare(bits, a, b, mode, all, t.repeats, p); break;
        case 2: Compares(bits, a, s, mode, t.count); break;
        case 3: CompareScalar(bits, a, s, mode, all, t.repeats, UnaryRepeatParams(1, 1, 8, t.strides[4])); break;
        case 4: Select(d, bits, a, b, static_cast<SELMODE>(t.mode), t.count); break;
        case 5: Select(d, bits, a, b, static_cast<SELMODE>(t.mode), t.mask, t.repeats, p); break;
        case 6: Select(d, bits, a, s, SELMODE::VSEL_TENSOR_SCALAR_MODE, t.count); break;
    }
    PipeBarrier<PIPE_ALL>();
    if (t.call < 4) frame.store(out, bits, t.bytes);
    else frame.store(out, d, t.bytes);
}
