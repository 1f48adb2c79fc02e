// A quantised leaky relu of int32: x >> 3 for negative x, x otherwise, by bits only. With s = x >> 31 (all ones for a
// negative x), the result is (s AND (x >> 3)) OR (NOT s AND x), in 16-bit words. The memory that no InitBuffer took
// holds s, by PopStackBuffer.
#include "kernel_operator.h"

using namespace AscendC;

struct ShiftReluTilingData {
    uint32_t total;
    uint32_t perBlock;
    uint32_t tile;
};

class ShiftRelu {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const ShiftReluTilingData& t)
    {
        begin = GetBlockIdx() * t.perBlock;
        end = Std::min(begin + t.perBlock, t.total);
        tile = t.tile;
        xGm.SetGlobalBuffer((__gm__ int32_t*)x, t.total);
        yGm.SetGlobalBuffer((__gm__ int32_t*)y, t.total);
        pipe.InitBuffer(inQueue, 2, tile * sizeof(int32_t));
        pipe.InitBuffer(outQueue, 2, tile * sizeof(int32_t));
    }

    __aicore__ inline void Process()
    {
        for (uint32_t at = begin; at < end; at += tile) {
            const uint32_t count = Std::min(tile, end - at);
            LocalTensor<int32_t> in = inQueue.AllocTensor<int32_t>();
            DataCopyPad(in, xGm[at], {1, count * 4, 0, 0, 0}, {true, 0, 0, 0});
            inQueue.EnQue(in);
            Compute(static_cast<int32_t>(count));
            LocalTensor<int32_t> out = outQueue.DeQue<int32_t>();
            DataCopyPad(yGm[at], out, {1, count * 4, 0, 0, 0});
            outQueue.FreeTensor(out);
        }
    }

private:
    __aicore__ inline void Compute(int32_t count)
    {
        LocalTensor<int32_t> x = inQueue.DeQue<int32_t>();
        LocalTensor<int32_t> y = outQueue.AllocTensor<int32_t>();
        LocalTensor<int32_t> sign;
        PopStackBuffer<int32_t, TPosition::LCM>(sign);
        ShiftRight(sign, x, static_cast<int32_t>(31), count);
        ShiftRight(y, x, static_cast<int32_t>(3), count);
        LocalTensor<uint16_t> words = sign.ReinterpretCast<uint16_t>();
        LocalTensor<uint16_t> xWords = x.ReinterpretCast<uint16_t>();
        LocalTensor<uint16_t> yWords = y.ReinterpretCast<uint16_t>();
        And(yWords, yWords, words, 2 * count);
        Not(words, words, 2 * count);
        And(xWords, xWords, words, 2 * count);
        Or(yWords, yWords, xWords, 2 * count);
        inQueue.FreeTensor(x);
        outQueue.EnQue(y);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 1> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    GlobalTensor<int32_t> xGm, yGm;
    uint32_t begin, end, tile;
};

extern "C" __global__ __aicore__ void shift_relu(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(ShiftReluTilingData, data, tiling);
    ShiftRelu op;
    op.Init(x, y, data);
    op.Process();
}
