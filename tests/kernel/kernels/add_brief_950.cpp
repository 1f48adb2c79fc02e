// y = min(max(3 x + shift, -4), 4) in bfloat16 on the chip that computes in it, without a cast; `shift` is a tensor
// that the blocks read from the same place. The repeats of Copy put it into each of the rows of a tile.
#include "kernel_operator.h"

using namespace AscendC;

struct AddBriefTilingData {
    uint32_t rows;
    uint32_t rowsPerBlock;
    uint32_t tile;  // rows
};

constexpr uint32_t COLS = 128;  // one repeat of 256 bytes

class AddBrief {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR shift, GM_ADDR y, const AddBriefTilingData& t)
    {
        begin = GetBlockIdx() * t.rowsPerBlock;
        end = Std::min(begin + t.rowsPerBlock, t.rows);
        tile = t.tile;
        xGm.SetGlobalBuffer((__gm__ bfloat16_t*)x, t.rows * COLS);
        shiftGm.SetGlobalBuffer((__gm__ bfloat16_t*)shift, COLS);
        yGm.SetGlobalBuffer((__gm__ bfloat16_t*)y, t.rows * COLS);
        pipe.InitBuffer(xQueue, 2, tile * COLS * sizeof(bfloat16_t));
        pipe.InitBuffer(yQueue, 2, tile * COLS * sizeof(bfloat16_t));
        pipe.InitBuffer(shiftQueue, 1, COLS * sizeof(bfloat16_t));
        pipe.InitBuffer(shiftsBuf, tile * COLS * sizeof(bfloat16_t));
    }

    __aicore__ inline void Process()
    {
        LocalTensor<bfloat16_t> shift = shiftQueue.AllocTensor<bfloat16_t>();
        DataCopy(shift, shiftGm, COLS);
        shiftQueue.EnQue(shift);
        shift = shiftQueue.DeQue<bfloat16_t>();
        LocalTensor<bfloat16_t> shifts = shiftsBuf.Get<bfloat16_t>();
        Copy(shifts, shift, COLS, static_cast<uint8_t>(tile), {1, 1, 8, 0});
        shiftQueue.FreeTensor(shift);
        for (uint32_t row = begin; row < end; row += tile) {
            const uint32_t count = Std::min(tile, end - row) * COLS;
            LocalTensor<bfloat16_t> x = xQueue.AllocTensor<bfloat16_t>();
            DataCopy(x, xGm[row * COLS], count);
            xQueue.EnQue(x);
            x = xQueue.DeQue<bfloat16_t>();
            LocalTensor<bfloat16_t> y = yQueue.AllocTensor<bfloat16_t>();
            Muls(y, x, static_cast<bfloat16_t>(3.0f), count);
            Add(y, y, shifts, count);
            Maxs(y, y, static_cast<bfloat16_t>(-4.0f), count);
            Mins(y, y, static_cast<bfloat16_t>(4.0f), count);
            xQueue.FreeTensor(x);
            yQueue.EnQue(y);
            y = yQueue.DeQue<bfloat16_t>();
            DataCopy(yGm[row * COLS], y, count);
            yQueue.FreeTensor(y);
        }
    }

private:
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue, shiftQueue;
    TQue<TPosition::VECOUT, 1> yQueue;
    TBuf<TPosition::VECCALC> shiftsBuf;
    GlobalTensor<bfloat16_t> xGm, shiftGm, yGm;
    uint32_t begin, end, tile;
};

extern "C" __global__ __aicore__ void add_brief_950(GM_ADDR x, GM_ADDR shift, GM_ADDR y, GM_ADDR workspace,
                                                    GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(AddBriefTilingData, data, tiling);
    AddBrief op;
    op.Init(x, shift, y, data);
    op.Process();
}
