// silu(gate) * value for x = gate0, value0, gate1, value1, ...: GatherMask takes the elements with even and odd index.
#include "kernel_operator.h"

using namespace AscendC;

struct InterleavedTilingData {
    uint32_t pairs;
    uint32_t pairsPerBlock;
    uint32_t tilePairs;
};

class SwigluInterleaved {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const InterleavedTilingData& data)
    {
        t = data;
        begin = t.pairsPerBlock * GetBlockIdx();
        end = Std::min(begin + t.pairsPerBlock, t.pairs);
        xGm.SetGlobalBuffer((__gm__ float*)x, 2 * t.pairs);
        yGm.SetGlobalBuffer((__gm__ float*)y, t.pairs);
        pipe.InitBuffer(inQueue, 2, 2 * t.tilePairs * sizeof(float));
        pipe.InitBuffer(outQueue, 2, t.tilePairs * sizeof(float));
        pipe.InitBuffer(gateBuf, t.tilePairs * sizeof(float));
        pipe.InitBuffer(valueBuf, t.tilePairs * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        for (uint32_t at = begin; at < end; at += t.tilePairs) {
            uint32_t pairs = Std::min(end - at, t.tilePairs);
            LocalTensor<float> in = inQueue.AllocTensor<float>();
            DataCopyPad(in, xGm[2 * at], {1, pairs * 8, 0, 0, 0}, {false, 0, 0, 0.0f});
            inQueue.EnQue(in);
            LocalTensor<float> x = inQueue.DeQue<float>();
            LocalTensor<float> gate = gateBuf.Get<float>();
            LocalTensor<float> value = valueBuf.Get<float>();
            LocalTensor<float> y = outQueue.AllocTensor<float>();
            uint64_t kept = 0;
            // In one repeat, the mask counts the elements of the whole tile.
            GatherMask(gate, x, static_cast<uint8_t>(1), true, 2 * pairs, {1, 1, 8, 0}, kept);
            GatherMask(value, x, static_cast<uint8_t>(2), true, 2 * pairs, {1, 1, 8, 0}, kept);
            const int32_t count = static_cast<int32_t>(kept);
            Muls(y, gate, -1.0f, count);
            Exp(y, y, count);
            Adds(y, y, 1.0f, count);
            Div(gate, gate, y, count);
            Mul(y, gate, value, count);
            inQueue.FreeTensor(x);
            outQueue.EnQue(y);
            LocalTensor<float> out = outQueue.DeQue<float>();
            DataCopyPad(yGm[at], out, {1, pairs * 4, 0, 0, 0});
            outQueue.FreeTensor(out);
        }
    }

private:
    InterleavedTilingData t;
    TPipe pipe;
    TQue<TPosition::VECIN, 1> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    TBuf<TPosition::VECCALC> gateBuf, valueBuf;
    GlobalTensor<float> xGm, yGm;
    uint32_t begin, end;
};

extern "C" __global__ __aicore__ void swiglu_interleaved(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(InterleavedTilingData, data, tiling);
    SwigluInterleaved op;
    op.Init(x, y, data);
    op.Process();
}
