// geglu(x) = a * gelu(b) by the tanh form, where a and b are the halves of each row; gelu(b) is a second output.
// One row at a time, its columns in tiles.
#include "kernel_operator.h"
#include "gated_tiling.h"

using namespace AscendC;

template <typename T>
class Geglu {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR gelu, const GatedTilingData* data, TPipe* pipe)
    {
        t = data;
        uint64_t first = GetBlockIdx() * t->rowsPerBlock;
        rows = first < t->rows ? Std::min(t->rows - first, t->rowsPerBlock) : 0;
        xGm.SetGlobalBuffer((__gm__ T*)x + first * 2 * t->cols, rows * 2 * t->cols);
        yGm.SetGlobalBuffer((__gm__ T*)y + first * t->cols, rows * t->cols);
        geluGm.SetGlobalBuffer((__gm__ T*)gelu + first * t->cols, rows * t->cols);
        pipe->InitBuffer(valueQueue, 2, t->tileCols * sizeof(T));
        pipe->InitBuffer(gateQueue, 2, t->tileCols * sizeof(T));
        pipe->InitBuffer(yQueue, 2, t->tileCols * sizeof(T));
        pipe->InitBuffer(geluQueue, 2, t->tileCols * sizeof(T));
        pipe->InitBuffer(gateBuf, t->tileCols * sizeof(float));
        pipe->InitBuffer(workBuf, t->tileCols * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        for (uint64_t row = 0; row < rows; row++) {
            for (uint32_t col = 0; col < t->cols; col += t->tileCols) {
                uint32_t count = Std::min(t->tileCols, t->cols - col);
                CopyIn(row, col, count);
                Compute(count);
                CopyOut(row, col, count);
            }
        }
    }

private:
    __aicore__ inline void CopyIn(uint64_t row, uint32_t col, uint32_t count)
    {
        DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        DataCopyPadExtParams<T> pad{false, 0, 0, static_cast<T>(0)};
        LocalTensor<T> value = valueQueue.template AllocTensor<T>();
        DataCopyPad(value, xGm[row * 2 * t->cols + col], copy, pad);
        valueQueue.EnQue(value);
        LocalTensor<T> gate = gateQueue.template AllocTensor<T>();
        DataCopyPad(gate, xGm[row * 2 * t->cols + t->cols + col], copy, pad);
        gateQueue.EnQue(gate);
    }

    __aicore__ inline void Compute(uint32_t count)
    {
        LocalTensor<float> b = gateBuf.Get<float>();
        LocalTensor<float> e = workBuf.Get<float>();
        LocalTensor<T> gate = gateQueue.template DeQue<T>();
        Cast(b, gate, RoundMode::CAST_NONE, count);
        gateQueue.FreeTensor(gate);
        Mul(e, b, b, count);
        Muls(e, e, -0.0713548162726f, count);
        Adds(e, e, -1.5957691216057308f, count);
        Mul(e, e, b, count);
        Exp(e, e, count);
        Adds(e, e, 1.0f, count);
        Div(b, b, e, count);
        LocalTensor<T> gelu = geluQueue.template AllocTensor<T>();
        Cast(gelu, b, RoundMode::CAST_RINT, count);
        geluQueue.EnQue(gelu);
        LocalTensor<T> value = valueQueue.template DeQue<T>();
        Cast(e, value, RoundMode::CAST_NONE, count);
        valueQueue.FreeTensor(value);
        Mul(e, e, b, count);
        LocalTensor<T> y = yQueue.template AllocTensor<T>();
        Cast(y, e, RoundMode::CAST_RINT, count);
        yQueue.EnQue(y);
    }

    __aicore__ inline void CopyOut(uint64_t row, uint32_t col, uint32_t count)
    {
        DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        LocalTensor<T> gelu = geluQueue.template DeQue<T>();
        DataCopyPad(geluGm[row * t->cols + col], gelu, copy);
        geluQueue.FreeTensor(gelu);
        LocalTensor<T> y = yQueue.template DeQue<T>();
        DataCopyPad(yGm[row * t->cols + col], y, copy);
        yQueue.FreeTensor(y);
    }

    const GatedTilingData* t;
    uint64_t rows;
    TQue<QuePosition::VECIN, 1> valueQueue, gateQueue;
    TQue<QuePosition::VECOUT, 1> yQueue, geluQueue;
    TBuf<QuePosition::VECCALC> gateBuf, workBuf;
    GlobalTensor<T> xGm, yGm, geluGm;
};

extern "C" __global__ __aicore__ void geglu(GM_ADDR x, GM_ADDR y, GM_ADDR gelu, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    GET_TILING_DATA_WITH_STRUCT(GatedTilingData, data, tiling);
    Geglu<DTYPE_X> op;
    op.Init(x, y, gelu, &data, &pipe);
    op.Process();
}
