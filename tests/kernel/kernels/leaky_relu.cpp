// leaky_relu(x) = x for x >= 0, slope * x otherwise, with the instruction LeakyRelu in the dtype of x.
// Big and small cores: the first `bigCores` blocks have one piece of 32 bytes more than the others; the last block
// also takes the rest that is not a whole piece. Whole pieces are copied by DataCopy.
#include "kernel_operator.h"

using AscendC::DataCopy;
using AscendC::DataCopyPad;
using AscendC::GlobalTensor;
using AscendC::LocalTensor;
using AscendC::QuePosition;

struct LeakyReluTilingData {
    uint32_t smallPieces;
    uint32_t bigCores;
    uint32_t rest;
    uint32_t tilePieces;
    float slope;
};

template <typename T>
class LeakyReluKernel {
public:
    static constexpr uint32_t PIECE = 32 / sizeof(T);

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, LeakyReluTilingData data)
    {
        tiling = data;
        uint32_t block = AscendC::GetBlockIdx();
        pieces = tiling.smallPieces + (block < tiling.bigCores ? 1 : 0);
        uint32_t before = block * tiling.smallPieces + (block < tiling.bigCores ? block : tiling.bigCores);
        rest = block + 1 == AscendC::GetBlockNum() ? tiling.rest : 0;
        xGm.SetGlobalBuffer((__gm__ T*)x + before * PIECE, pieces * PIECE + rest);
        yGm.SetGlobalBuffer((__gm__ T*)y + before * PIECE, pieces * PIECE + rest);
        pipe.InitBuffer(inQueue, 2, tiling.tilePieces * 32);
        pipe.InitBuffer(outQueue, 2, tiling.tilePieces * 32);
    }

    __aicore__ inline void Process()
    {
        uint32_t tile = tiling.tilePieces;
        for (uint32_t at = 0; at < pieces; at += tile) {
            uint32_t n = (pieces - at < tile ? pieces - at : tile) * PIECE;
            LocalTensor<T> x = inQueue.template AllocTensor<T>();
            DataCopy(x, xGm[at * PIECE], n);
            Finish(x, n);
            LocalTensor<T> y = outQueue.template DeQue<T>();
            DataCopy(yGm[at * PIECE], y, n);
            outQueue.FreeTensor(y);
        }
        if (rest > 0) {
            AscendC::DataCopyParams params{1, static_cast<uint16_t>(rest * sizeof(T)), 0, 0};
            AscendC::DataCopyPadParams pad{true, 0, static_cast<uint8_t>(PIECE - rest), 0};
            LocalTensor<T> x = inQueue.template AllocTensor<T>();
            DataCopyPad(x, xGm[pieces * PIECE], params, pad);
            Finish(x, rest);
            LocalTensor<T> y = outQueue.template DeQue<T>();
            DataCopyPad(yGm[pieces * PIECE], y, params);
            outQueue.FreeTensor(y);
        }
    }

private:
    __aicore__ inline void Finish(LocalTensor<T> loaded, uint32_t n)
    {
        inQueue.EnQue(loaded);
        LocalTensor<T> x = inQueue.template DeQue<T>();
        LocalTensor<T> y = outQueue.template AllocTensor<T>();
        AscendC::LeakyRelu(y, x, static_cast<T>(tiling.slope), n);
        outQueue.EnQue(y);
        inQueue.FreeTensor(x);
    }

    AscendC::TPipe pipe;
    AscendC::TQue<QuePosition::VECIN, 2> inQueue;
    AscendC::TQue<QuePosition::VECOUT, 2> outQueue;
    GlobalTensor<T> xGm, yGm;
    LeakyReluTilingData tiling;
    uint32_t pieces, rest;
};

extern "C" __global__ __aicore__ void leaky_relu(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(LeakyReluTilingData, data, tiling);
    LeakyReluKernel<DTYPE_X> op;
    op.Init(x, y, data);
    op.Process();
}
