// Gradient of swiglu: with s = sigmoid(a), grad_a = grad * b * s * (1 + a * (1 - s)) and grad_b = grad * a * s.
// Both halves of a row of the result are written by two strided copies. PipeBarriers stand where results are read.
#include "kernel_operator.h"
#include "gated_tiling.h"

using namespace AscendC;

template <typename T>
struct SwigluBackward {
    static constexpr uint32_t BLOCK = 32 / sizeof(T);

    GatedTilingData t;
    TPipe* pipe;
    TQue<TPosition::VECIN, 1> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    TBuf<TPosition::VECCALC> floats;
    GlobalTensor<T> gradGm, xGm, outGm;
    uint32_t size;

    __aicore__ inline SwigluBackward(TPipe* pipe, const GatedTilingData& data) : t(data), pipe(pipe) {}

    __aicore__ inline void Init(GM_ADDR grad, GM_ADDR x, GM_ADDR out)
    {
        size = t.tileRows * t.pitch;
        gradGm.SetGlobalBuffer((__gm__ T*)grad);
        xGm.SetGlobalBuffer((__gm__ T*)x);
        outGm.SetGlobalBuffer((__gm__ T*)out);
        pipe->InitBuffer(inQueue, 2, 3 * size * sizeof(T));
        pipe->InitBuffer(outQueue, 2, 2 * size * sizeof(T));
        pipe->InitBuffer(floats, 5 * size * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        const uint64_t first = GetBlockIdx() * t.rowsPerBlock;
        for (uint64_t row = first; row < first + t.rowsPerBlock && row < t.rows; row += t.tileRows) {
            uint64_t left = Std::min(first + t.rowsPerBlock, t.rows) - row;
            for (uint32_t col = 0; col < t.cols; col += t.tileCols) {
                Tile(row, Std::min(left, static_cast<uint64_t>(t.tileRows)), col, Std::min(t.cols - col, t.tileCols));
            }
        }
    }

    __aicore__ inline void Tile(uint64_t row, uint16_t rows, uint32_t col, uint32_t cols)
    {
        const uint32_t bytes = cols * sizeof(T);
        const uint32_t gap = t.pitch / BLOCK - (cols + BLOCK - 1) / BLOCK;
        const uint32_t narrow = static_cast<uint32_t>((t.cols - cols) * sizeof(T));
        const uint32_t wide = static_cast<uint32_t>((2 * t.cols - cols) * sizeof(T));
        LocalTensor<T> in = inQueue.template AllocTensor<T>();
        DataCopyPadExtParams<T> pad{false, 0, 0, T()};
        DataCopyPad(in, gradGm[row * t.cols + col], {rows, bytes, narrow, gap, 0}, pad);
        DataCopyPad(in[size], xGm[row * 2 * t.cols + col], {rows, bytes, wide, gap, 0}, pad);
        DataCopyPad(in[2 * size], xGm[row * 2 * t.cols + t.cols + col], {rows, bytes, wide, gap, 0}, pad);
        inQueue.EnQue(in);

        Compute(rows * t.pitch);

        LocalTensor<T> out = outQueue.template DeQue<T>();
        DataCopyPad(outGm[row * 2 * t.cols + col], out, {rows, bytes, gap, wide, 0});
        DataCopyPad(outGm[row * 2 * t.cols + t.cols + col], out[size], {rows, bytes, gap, wide, 0});
        outQueue.FreeTensor(out);
    }

    __aicore__ inline void Compute(uint32_t count)
    {
        LocalTensor<T> in = inQueue.template DeQue<T>();
        LocalTensor<float> work = floats.Get<float>();
        LocalTensor<float> grad = work, a = work[size], b = work[2 * size], s = work[3 * size], r = work[4 * size];
        Widen(grad, in, count);
        Widen(a, in[size], count);
        Widen(b, in[2 * size], count);
        inQueue.FreeTensor(in);
        PipeBarrier<PIPE_V>();
        Muls(s, a, -1.0f, count);
        PipeBarrier<PIPE_V>();
        Exp(s, s, count);
        PipeBarrier<PIPE_V>();
        Adds(s, s, 1.0f, count);
        Duplicate(r, 1.0f, count);
        PipeBarrier<PIPE_V>();
        Div(s, r, s, count);
        PipeBarrier<PIPE_V>();
        Sub(r, r, s, count);
        Mul(grad, grad, s, count);  // grad * s
        PipeBarrier<PIPE_V>();
        Mul(r, r, a, count);
        Mul(b, b, grad, count);  // grad * s * b
        PipeBarrier<PIPE_V>();
        Adds(r, r, 1.0f, count);
        PipeBarrier<PIPE_V>();
        Mul(b, b, r, count);
        Mul(a, a, grad, count);
        PipeBarrier<PIPE_V>();
        LocalTensor<T> out = outQueue.template AllocTensor<T>();
        Narrow(out, b, count);
        Narrow(out[size], a, count);
        outQueue.EnQue(out);
    }

    __aicore__ inline void Widen(const LocalTensor<float>& to, const LocalTensor<T>& from, uint32_t count)
    {
        if constexpr (sizeof(T) == 4) {
            DataCopy(to, from, count);
        } else {
            Cast(to, from, RoundMode::CAST_NONE, count);
        }
    }

    __aicore__ inline void Narrow(const LocalTensor<T>& to, const LocalTensor<float>& from, uint32_t count)
    {
        if constexpr (sizeof(T) == 4) {
            DataCopy(to, from, count);
        } else {
            Cast(to, from, RoundMode::CAST_RINT, count);
        }
    }
};

extern "C" __global__ __aicore__ void swiglu_backward(GM_ADDR grad, GM_ADDR x, GM_ADDR gradX, GM_ADDR workspace,
                                                      GM_ADDR tiling)
{
    TPipe pipe;
    GET_TILING_DATA_WITH_STRUCT(GatedTilingData, data, tiling);
    SwigluBackward<DTYPE_X> op(&pipe, data);
    op.Init(grad, x, gradX);
    op.Process();
}
