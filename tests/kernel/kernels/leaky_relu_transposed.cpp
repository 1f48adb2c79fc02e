// leaky_relu of the transpose: x has 16 rows of `cols` halves, y has `cols` rows of 16. TransDataTo5HD turns squares of
// 16 x 16: a repeat is a square, its sources are the 16 rows of the tile, its destinations 16 rows of y.
#include "kernel_operator.h"

using namespace AscendC;

struct TransposedTilingData {
    uint32_t cols;
    uint32_t colsPerBlock;
    uint32_t tile;  // columns, a multiple of 16
    float slope;
};

class LeakyReluTransposed {
public:
    static constexpr uint32_t SIDE = 16;

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const TransposedTilingData& data)
    {
        t = data;
        begin = t.colsPerBlock * GetBlockIdx();
        end = begin + t.colsPerBlock < t.cols ? begin + t.colsPerBlock : t.cols;
        xGm.SetGlobalBuffer((__gm__ half*)x, t.cols * SIDE);
        yGm.SetGlobalBuffer((__gm__ half*)y, t.cols * SIDE);
        pipe.InitBuffer(inQueue, 2, t.tile * SIDE * sizeof(half));
        pipe.InitBuffer(outQueue, 2, t.tile * SIDE * sizeof(half));
    }

    __aicore__ inline void Process()
    {
        for (uint32_t at = begin; at < end; at += t.tile) {
            uint32_t cols = end - at < t.tile ? end - at : t.tile;
            uint32_t squares = (cols + SIDE - 1) / SIDE;
            LocalTensor<half> in = inQueue.AllocTensor<half>();
            // A row takes whole blocks of 32 bytes, which are the rows of a square; their rest is filled with zeros.
            DataCopyPad(in, xGm[at], {SIDE, cols * 2, (t.cols - cols) * 2, 0, 0},
                        {true, 0, static_cast<uint8_t>(squares * SIDE - cols), static_cast<half>(0)});
            inQueue.EnQue(in);
            Compute(squares);
            LocalTensor<half> out = outQueue.DeQue<half>();
            DataCopy(yGm[at * SIDE], out, cols * SIDE);
            outQueue.FreeTensor(out);
        }
    }

private:
    __aicore__ inline void Compute(uint32_t squares)
    {
        LocalTensor<half> x = inQueue.DeQue<half>();
        LocalTensor<half> y = outQueue.AllocTensor<half>();
        LocalTensor<half> sources[SIDE];
        LocalTensor<half> destinations[SIDE];
        for (uint32_t i = 0; i < SIDE; i++) {
            sources[i] = x[i * squares * SIDE];
            destinations[i] = y[i * SIDE];
        }
        TransDataTo5HDParams params;
        params.dstHighHalf = false;
        params.srcHighHalf = false;
        params.repeatTimes = static_cast<uint8_t>(squares);
        params.dstRepStride = squares == 1 ? 0 : SIDE;
        params.srcRepStride = squares == 1 ? 0 : 1;
        TransDataTo5HD<half>(destinations, sources, params);
        LeakyRelu(y, y, static_cast<half>(t.slope), static_cast<int32_t>(squares * SIDE * SIDE));
        inQueue.FreeTensor(x);
        outQueue.EnQue(y);
    }

    TransposedTilingData t;
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> inQueue;
    TQue<QuePosition::VECOUT, 1> outQueue;
    GlobalTensor<half> xGm, yGm;
    uint32_t begin, end;
};

extern "C" __global__ __aicore__ void leaky_relu_transposed(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(TransposedTilingData, data, tiling);
    LeakyReluTransposed op;
    op.Init(x, y, data);
    op.Process();
}
