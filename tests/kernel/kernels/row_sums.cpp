// Sums of rows of at most one repeat (64 float, 128 half): the mask is the length of a row, the repeat stride its
// pitch in the buffer. Rows are copied in by one DataCopyPad, which starts each at a block of 32 bytes.
#include "kernel_operator.h"
#include "rows_tiling.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void row_sums(GM_ADDR x, GM_ADDR sums, GM_ADDR workspace, GM_ADDR tiling)
{
    using T = DTYPE_X;
    GET_TILING_DATA_WITH_STRUCT(RowsTilingData, t, tiling);
    constexpr uint32_t BLOCK = 32 / sizeof(T);
    const uint32_t blocksPerRow = (t.cols + BLOCK - 1) / BLOCK;
    TPipe pipe;
    TQue<TPosition::VECIN, 1> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(inQueue, 2, t.tile * blocksPerRow * 32);
    pipe.InitBuffer(outQueue, 2, t.tile * sizeof(T));
    GlobalTensor<T> xGm, sumsGm;
    xGm.SetGlobalBuffer((__gm__ T*)x, static_cast<uint64_t>(t.rows) * t.cols);
    sumsGm.SetGlobalBuffer((__gm__ T*)sums, t.rows);
    const uint32_t first = GetBlockIdx() * t.rowsPerBlock;
    const uint32_t last = Std::min(first + t.rowsPerBlock, t.rows);
    for (uint32_t row = first; row < last; row += t.tile) {
        const uint32_t rows = Std::min(t.tile, last - row);
        LocalTensor<T> in = inQueue.AllocTensor<T>();
        DataCopyPad(in, xGm[static_cast<uint64_t>(row) * t.cols],
                    {static_cast<uint16_t>(rows), static_cast<uint32_t>(t.cols * sizeof(T)), 0, 0, 0},
                    {false, 0, 0, static_cast<T>(0)});
        inQueue.EnQue(in);
        LocalTensor<T> tile = inQueue.DeQue<T>();
        LocalTensor<T> out = outQueue.AllocTensor<T>();
        WholeReduceSum(out, tile, static_cast<int32_t>(t.cols), static_cast<int32_t>(rows), 1, 1, blocksPerRow);
        inQueue.FreeTensor(tile);
        outQueue.EnQue(out);
        LocalTensor<T> ready = outQueue.DeQue<T>();
        DataCopyPad(sumsGm[row], ready, {1, static_cast<uint32_t>(rows * sizeof(T)), 0, 0, 0});
        outQueue.FreeTensor(ready);
    }
}
