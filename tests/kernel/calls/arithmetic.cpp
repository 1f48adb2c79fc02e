#include "call.h"

// out starts with z, so that elements that the mask leaves out show.
template <class T>
class Arithmetic {
public:
    void run(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR out, const CallTiling& given)
    {
        t = given;
        frame.init(t.bytes);
        a = frame.load<T>(frame.first, x, t.bytes);
        b = frame.load<T>(frame.second, y, t.bytes);
        d = frame.load<T>(frame.result, z, t.bytes);
        PipeBarrier<PIPE_ALL>();
        switch (t.call) {
            case 0: binary([](auto... v) { Add(v...); }); break;
            case 1: binary([](auto... v) { Sub(v...); }); break;
            case 2: binary([](auto... v) { Mul(v...); }); break;
            case 3: binary([](auto... v) { Div(v...); }); break;
            case 4: binary([](auto... v) { Max(v...); }); break;
            case 5: binary([](auto... v) { Min(v...); }); break;
            case 6: unary([](auto... v) { Abs(v...); }); break;
            case 7: unary([](auto... v) { Exp(v...); }); break;
            case 8: unary([](auto... v) { Ln(v...); }); break;
            case 9: unary([](auto... v) { Sqrt(v...); }); break;
            case 10: unary([](auto... v) { Reciprocal(v...); }); break;
            case 11: unary([](auto... v) { Relu(v...); }); break;
            case 12: scalar([](auto... v) { Adds(v...); }); break;
            case 13: scalar([](auto... v) { Muls(v...); }); break;
            case 14: scalar([](auto... v) { Maxs(v...); }); break;
            case 15: scalar([](auto... v) { Mins(v...); }); break;
            case 16: scalar([](auto... v) { LeakyRelu(v...); }); break;
            case 17: scalar([](auto... v) { Axpy(v...); }); break;
            case 18: binary([](auto... v) { MulAddDst(v...); }); break;
            case 19: binary([](auto... v) { AddRelu(v...); }); break;
            case 20: binary([](auto... v) { SubRelu(v...); }); break;
            case 21: binary([](auto... v) { FusedMulAdd(v...); }); break;
            case 22: binary([](auto... v) { FusedMulAddRelu(v...); }); break;
            case 23: unary([](auto... v) { Rsqrt(v...); }); break;
        }
        PipeBarrier<PIPE_ALL>();
        frame.store(out, d, t.bytes);
    }

private:
    template <class F>
    void unary(F call)
    {
        const UnaryRepeatParams p(t.strides[0], t.strides[1], t.strides[3], t.strides[4]);
        if (t.form == 0) call(d, a, t.count);
        if (t.form == 1) call(d, a, t.mask[0], t.repeats, p);
        if (t.form == 2) call(d, a, t.mask, t.repeats, p);
    }
    template <class F>
    void scalar(F call)
    {
        const UnaryRepeatParams p(t.strides[0], t.strides[1], t.strides[3], t.strides[4]);
        const T s = static_cast<T>(t.scalar);
        if (t.form == 0) call(d, a, s, t.count);
        if (t.form == 1) call(d, a, s, t.mask[0], t.repeats, p);
        if (t.form == 2) call(d, a, s, t.mask, t.repeats, p);
    }
    template <class F>
    void binary(F call)
    {
        const BinaryRepeatParams p(t.strides[0], t.strides[1], t.strides[2], t.strides[3], t.strides[4], t.strides[5]);
        if (t.form == 0) call(d, a, b, t.count);
        if (t.form == 1) call(d, a, b, t.mask[0], t.repeats, p);
        if (t.form == 2) call(d, a, b, t.mask, t.repeats, p);
    }

    Frame frame;
    CallTiling t;
    LocalTensor<T> a, b, d;
};

extern "C" __global__ __aicore__ void arithmetic(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR out, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(CallTiling, data, tiling);
    Arithmetic<DTYPE_X>().run(x, y, z, out, data);
}
