// swiglu(x) = silu(a) * b, where a and b are the halves of each row of x.
// Copies of several rows: the gap of a half is the other half, in bytes in global memory, in blocks of 32 bytes in the
// buffer, where each row starts at a multiple of the pitch.
#include "kernel_operator.h"
#include "gated_tiling.h"

using namespace AscendC;

template <typename T>
class Swiglu {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const GatedTilingData& data)
    {
        t = data;
        xGm.SetGlobalBuffer((__gm__ T*)x, t.rows * t.cols * 2);
        yGm.SetGlobalBuffer((__gm__ T*)y, t.rows * t.cols);
        const uint32_t size = t.tileRows * t.pitch;
        pipe.InitBuffer(aQueue, 2, size * sizeof(T));
        pipe.InitBuffer(bQueue, 2, size * sizeof(T));
        pipe.InitBuffer(yQueue, 2, size * sizeof(T));
        pipe.InitBuffer(aBuf, size * sizeof(float));
        pipe.InitBuffer(bBuf, size * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        const uint64_t first = GetBlockIdx() * t.rowsPerBlock;
        const uint64_t last = first + t.rowsPerBlock < t.rows ? first + t.rowsPerBlock : t.rows;
        for (uint64_t row = first; row < last; row += t.tileRows) {
            const uint32_t rows = static_cast<uint32_t>(last - row < t.tileRows ? last - row : t.tileRows);
            for (uint32_t col = 0; col < t.cols; col += t.tileCols) {
                Tile(row, rows, col, t.cols - col < t.tileCols ? t.cols - col : t.tileCols);
            }
        }
    }

private:
    __aicore__ inline void Tile(uint64_t row, uint32_t rows, uint32_t col, uint32_t cols)
    {
        constexpr uint32_t block = 32 / sizeof(T);
        const uint32_t length = cols * sizeof(T);
        const uint32_t skip = (t.pitch - (cols + block - 1) / block * block) / block;
        const uint64_t from = row * 2 * t.cols + col;
        const uint16_t pieces = static_cast<uint16_t>(rows);
        const uint32_t rowBytes = t.cols * sizeof(T);
        const DataCopyExtParams in{pieces, length, 2 * rowBytes - length, skip, 0};
        const DataCopyExtParams out{pieces, length, skip, rowBytes - length, 0};
        const DataCopyPadExtParams<T> pad{false, 0, 0, T()};
        LocalTensor<T> a = aQueue.template AllocTensor<T>();
        LocalTensor<T> b = bQueue.template AllocTensor<T>();
        DataCopyPad(a, xGm[from], in, pad);
        DataCopyPad(b, xGm[from + t.cols], in, pad);
        aQueue.EnQue(a);
        bQueue.EnQue(b);
        Compute(rows * t.pitch);
        LocalTensor<T> y = yQueue.template DeQue<T>();
        DataCopyPad(yGm[row * t.cols + col], y, out);
        yQueue.FreeTensor(y);
    }

    // The gaps between rows are computed too and never leave the buffer.
    __aicore__ inline void Compute(uint32_t count)
    {
        LocalTensor<T> a = aQueue.template DeQue<T>();
        LocalTensor<T> b = bQueue.template DeQue<T>();
        LocalTensor<T> y = yQueue.template AllocTensor<T>();
        LocalTensor<float> gate = aBuf.Get<float>();
        LocalTensor<float> value = bBuf.Get<float>();
        if constexpr (IsSameType<T, float>::value) {
            Muls(value, a, -1.0f, count);
            Exp(value, value, count);
            Adds(value, value, 1.0f, count);
            Div(gate, a, value, count);
            Mul(y, gate, b, count);
        } else {
            Cast(gate, a, RoundMode::CAST_NONE, count);
            Muls(value, gate, -1.0f, count);
            Exp(value, value, count);
            Adds(value, value, 1.0f, count);
            Div(gate, gate, value, count);
            Cast(value, b, RoundMode::CAST_NONE, count);
            Mul(gate, gate, value, count);
            Cast(y, gate, RoundMode::CAST_RINT, count);
        }
        aQueue.FreeTensor(a);
        bQueue.FreeTensor(b);
        yQueue.EnQue(y);
    }

    GatedTilingData t;
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> aQueue, bQueue;
    TQue<QuePosition::VECOUT, 1> yQueue;
    TBuf<QuePosition::VECCALC> aBuf, bBuf;
    GlobalTensor<T> xGm, yGm;
};

extern "C" __global__ __aicore__ void swiglu(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(GatedTilingData, data, tiling);
    Swiglu<DTYPE_X> op;
    op.Init(x, y, data);
    op.Process();
}
