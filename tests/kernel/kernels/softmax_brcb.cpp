// Softmax of rows of 64 float elements, many at once: one repeat of 256 bytes is a row. WholeReduceMax and
// WholeReduceSum give one number for each row, Brcb makes a block of 32 bytes of it, and a block stride of 0 reads that
// block for the whole row.
#include "kernel_operator.h"
#include "rows_tiling.h"

using namespace AscendC;

constexpr int32_t COLS = 64;

class SoftmaxOfRepeats {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const RowsTilingData& t)
    {
        first = static_cast<int32_t>(GetBlockIdx() * t.rowsPerBlock);
        last = static_cast<int32_t>(t.rows) < first + static_cast<int32_t>(t.rowsPerBlock)
                   ? static_cast<int32_t>(t.rows)
                   : first + static_cast<int32_t>(t.rowsPerBlock);
        tile = static_cast<int32_t>(t.tile);
        xGm.SetGlobalBuffer((__gm__ float*)x, t.rows * COLS);
        yGm.SetGlobalBuffer((__gm__ float*)y, t.rows * COLS);
        pipe.InitBuffer(inQueue, 2, tile * COLS * sizeof(float));
        pipe.InitBuffer(outQueue, 2, tile * COLS * sizeof(float));
        pipe.InitBuffer(perRow, (tile + 7) / 8 * 8 * sizeof(float));
        pipe.InitBuffer(blocks, (tile + 7) / 8 * 8 * 32);
    }

    __aicore__ inline void Process()
    {
        for (int32_t row = first; row < last; row += tile) {
            int32_t rows = last - row < tile ? last - row : tile;
            auto in = inQueue.AllocTensor<float>();
            DataCopy(in, xGm[row * COLS], rows * COLS);
            inQueue.EnQue(in);
            Compute(rows);
            auto out = outQueue.DeQue<float>();
            DataCopy(yGm[row * COLS], out, rows * COLS);
            outQueue.FreeTensor(out);
        }
    }

private:
    __aicore__ inline void Compute(int32_t rows)
    {
        const uint8_t repeats = static_cast<uint8_t>(rows);
        const uint8_t eights = static_cast<uint8_t>((rows + 7) / 8);
        const BinaryRepeatParams byRow{1, 1, 0, 8, 8, 1};
        auto x = inQueue.DeQue<float>();
        auto y = outQueue.AllocTensor<float>();
        auto numbers = perRow.Get<float>();
        auto wide = blocks.Get<float>();
        WholeReduceMax(numbers, x, COLS, rows, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
        Brcb(wide, numbers, eights, {1, 8});
        Sub(y, x, wide, COLS, repeats, byRow);
        Exp(y, y, rows * COLS);
        WholeReduceSum(numbers, y, COLS, rows, 1, 1, 8);
        Brcb(wide, numbers, eights, {1, 8});
        Div(y, y, wide, COLS, repeats, byRow);
        inQueue.FreeTensor(x);
        outQueue.EnQue(y);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 1> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    TBuf<TPosition::VECCALC> perRow, blocks;
    GlobalTensor<float> xGm, yGm;
    int32_t first, last, tile;
};

extern "C" __global__ __aicore__ void softmax_brcb(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(RowsTilingData, data, tiling);
    SoftmaxOfRepeats op;
    op.Init(x, y, data);
    op.Process();
}
