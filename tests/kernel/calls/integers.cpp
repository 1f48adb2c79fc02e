#include "call.h"

template <class T>
class Integers {
public:
    void run(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR out, const CallTiling& t)
    {
        frame.init(t.bytes);
        LocalTensor<T> a = frame.load<T>(frame.first, x, t.bytes), b = frame.load<T>(frame.second, y, t.bytes);
        LocalTensor<T> d = frame.load<T>(frame.result, z, t.bytes);
        PipeBarrier<PIPE_ALL>();
        const T s = static_cast<T>(t.scalar);
        switch (t.call) {
            case 0: Add(d, a, b, t.count); break;
            case 1: Sub(d, a, b, t.count); break;
            case 2: Mul(d, a, b, t.count); break;
            case 3: Max(d, a, b, t.count); break;
            case 4: Min(d, a, b, t.count); break;
            case 5: And(d, a, b, t.count); break;
            case 6: Or(d, a, b, t.count); break;
            case 7: Not(d, a, t.count); break;
            case 8: ShiftLeft(d, a, s, t.count); break;
            case 9: ShiftRight(d, a, s, t.count); break;
            case 10: Adds(d, a, s, t.count); break;
            case 11: Muls(d, a, s, t.count); break;
            case 12: Relu(d, a, t.count); break;
            case 13: Duplicate(d, s, t.count); break;
        }
        PipeBarrier<PIPE_ALL>();
        frame.store(out, d, t.bytes);
    }

private:
    Frame frame;
};

extern "C" __global__ __aicore__ void integers(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR out, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(CallTiling, data, tiling);
    Integers<DTYPE_X>().run(x, y, z, out, data);
}
