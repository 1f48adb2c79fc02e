// Gradient of leaky_relu: x > 0 ? grad : slope * grad, in half and float.
// The strided forms: a tile has at most 255 whole repeats of 256 bytes and then one repeat with a shorter mask.
#include "kernel_operator.h"

using namespace AscendC;

struct LeakyReluBackwardTilingData {
    uint32_t total;
    uint32_t perBlock;
    uint32_t tile;
    float slope;
};

template <typename T>
__aicore__ inline void LeakyReluBackwardTile(const LocalTensor<T>& out, const LocalTensor<T>& grad,
                                             const LocalTensor<T>& x, const LocalTensor<uint8_t>& bits, T slope,
                                             uint32_t count)
{
    constexpr uint32_t REPEAT = 256 / sizeof(T);
    const uint8_t whole = count / REPEAT;
    const uint64_t rest = count % REPEAT;
    const UnaryRepeatParams one{1, 1, 8, 8};
    const BinaryRepeatParams two{1, 1, 1, 8, 8, 8};
    const uint8_t compared = whole + (rest > 0 ? 1 : 0);
    CompareScalar(bits, x, static_cast<T>(0), CMPMODE::GT, REPEAT, compared, one);
    Muls(out, grad, slope, REPEAT, whole, one);
    Select(out, bits, grad, out, SELMODE::VSEL_TENSOR_TENSOR_MODE, REPEAT, whole, two);
    if (rest > 0) {
        const uint32_t at = whole * REPEAT;
        Muls(out[at], grad[at], slope, rest, 1, one);
        if (whole % 4 == 0 || sizeof(T) == 2 && whole % 2 == 0) {  // the bits of this repeat start on 32 bytes
            Select(out[at], bits[at / 8], grad[at], out[at], SELMODE::VSEL_TENSOR_TENSOR_MODE, rest, 1, two);
        } else {
            CompareScalar(bits, x[at], static_cast<T>(0), CMPMODE::GT, REPEAT, 1, one);
            Select(out[at], bits, grad[at], out[at], SELMODE::VSEL_TENSOR_TENSOR_MODE, rest, 1, two);
        }
    }
}

extern "C" __global__ __aicore__ void leaky_relu_backward(GM_ADDR grad, GM_ADDR x, GM_ADDR gradX, GM_ADDR workspace,
                                                          GM_ADDR tiling)
{
    using T = DTYPE_X;
    GET_TILING_DATA_WITH_STRUCT(LeakyReluBackwardTilingData, data, tiling);
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> gradQueue, xQueue;
    TQue<QuePosition::VECOUT, 1> outQueue;
    TBuf<QuePosition::VECCALC> bitsBuf;
    pipe.InitBuffer(gradQueue, 2, data.tile * sizeof(T));
    pipe.InitBuffer(xQueue, 2, data.tile * sizeof(T));
    pipe.InitBuffer(outQueue, 2, data.tile * sizeof(T));
    pipe.InitBuffer(bitsBuf, data.tile / 8 + 32);
    GlobalTensor<T> gradGm, xGm, outGm;
    gradGm.SetGlobalBuffer((__gm__ T*)grad, data.total);
    xGm.SetGlobalBuffer((__gm__ T*)x, data.total);
    outGm.SetGlobalBuffer((__gm__ T*)gradX, data.total);
    uint32_t begin = GetBlockIdx() * data.perBlock;
    uint32_t end = Std::min(begin + data.perBlock, data.total);
    for (uint32_t at = begin; at < end; at += data.tile) {
        uint32_t count = Std::min(data.tile, end - at);
        DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        DataCopyPadExtParams<T> pad{false, 0, 0, static_cast<T>(0)};
        auto gradIn = gradQueue.AllocTensor<T>();
        DataCopyPad(gradIn, gradGm[at], copy, pad);
        gradQueue.EnQue(gradIn);
        auto xIn = xQueue.AllocTensor<T>();
        DataCopyPad(xIn, xGm[at], copy, pad);
        xQueue.EnQue(xIn);

        auto gradLocal = gradQueue.DeQue<T>();
        auto xLocal = xQueue.DeQue<T>();
        auto out = outQueue.AllocTensor<T>();
        LeakyReluBackwardTile<T>(out, gradLocal, xLocal, bitsBuf.Get<uint8_t>(), static_cast<T>(data.slope), count);
        outQueue.EnQue(out);
        gradQueue.FreeTensor(gradLocal);
        xQueue.FreeTensor(xLocal);

        auto result = outQueue.DeQue<T>();
        DataCopyPad(outGm[at], result, copy);
        outQueue.FreeTensor(result);
    }
}
