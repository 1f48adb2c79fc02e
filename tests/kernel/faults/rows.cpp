// y = x - mean(x) for rows of 20 float elements: strided copies of several rows, sums by WholeReduceSum, scalars of
// the sums by GetValue. `total` is the number of rows, `tile` the rows of a tile.
#include "kernel_operator.h"
#include "faulty.h"

using namespace AscendC;

constexpr uint32_t COLS = 20;
constexpr uint32_t PITCH = 24;

class Rows {
public:
    __aicore__ inline Rows(GM_ADDR x, GM_ADDR y, const FaultyTilingData& t) : tile(t.tile)
    {
        first = GetBlockIdx() * t.perBlock;
        last = Std::min(first + t.perBlock, t.total);
        xGm.SetGlobalBuffer((__gm__ float*)x, t.total * COLS);
        yGm.SetGlobalBuffer((__gm__ float*)y, t.total * COLS);
        pipe.InitBuffer(inQueue, 2, tile * PITCH * sizeof(float));
        pipe.InitBuffer(outQueue, 2, tile * PITCH * sizeof(float));
        pipe.InitBuffer(sumsBuf, (tile + 7) / 8 * 32);
    }

    __aicore__ inline void Process()
    {
#if FAULT == 10
        for (uint32_t row = first; row < last; row += 0 * tile) {  // FAULT 10: timeout (any line)
#else
        for (uint32_t row = first; row < last; row += tile) {
#endif
            const uint16_t rows = Std::min(tile, last - row);
            CopyIn(row, rows);
            Compute(rows);
            CopyOut(row, rows);
        }
    }

private:
    __aicore__ inline void CopyIn(uint32_t row, uint16_t rows)
    {
        LocalTensor<float> x = inQueue.AllocTensor<float>();
        const DataCopyPadExtParams<float> pad{true, 0, PITCH - COLS, 0.0f};
#if FAULT == 1
        DataCopyPad(x, xGm[row * COLS], {rows, COLS * 4, COLS * 4, 0, 0}, pad);  // FAULT 1: gm-read-out-of-bounds
#elif FAULT == 2
        DataCopyPad(x, xGm[row * COLS], {rows, COLS * 4, 0, 32, 0}, pad);  // FAULT 2: ub-out-of-bounds
#elif FAULT == 4
        const uint32_t bytes = rows * COLS * 4 + 65536;
        DataCopyParams copy(1, bytes, 0, 0);  // FAULT 4: parameter-truncated
        DataCopyPad(x, xGm[row * COLS], copy, DataCopyPadParams());
#elif FAULT == 6
        DataCopyPad(x, xGm[row * COLS], {rows, COLS * 4, 0, 0, 0}, {true, 0, 12, 0.0f});  // FAULT 6: copy-length
#elif FAULT == 8
        DataCopy(x, xGm[row * COLS], rows * COLS + 4);  // FAULT 8: copy-length
#else
        DataCopyPad(x, xGm[row * COLS], {rows, COLS * 4, 0, 0, 0}, pad);
#endif
        inQueue.EnQue(x);
#if FAULT == 11
        LocalTensor<float> next = inQueue.AllocTensor<float>();
        DataCopyPad(next, xGm[row * COLS], {rows, COLS * 4, 0, 0, 0}, pad);
        inQueue.EnQue(next);  // FAULT 11: queue-full
#endif
    }

    __aicore__ inline void Compute(uint16_t rows)
    {
        LocalTensor<float> x = inQueue.DeQue<float>();
#if FAULT == 12
        LocalTensor<float> again = inQueue.DeQue<float>();  // FAULT 12: queue-empty
#endif
        LocalTensor<float> y = outQueue.AllocTensor<float>();
        LocalTensor<float> sums = sumsBuf.Get<float>();
#if FAULT == 13
        WholeReduceSum(sums, x, 96, rows, 1, 1, PITCH / 8);  // FAULT 13: mask-or-repeat
#else
        WholeReduceSum(sums, x, COLS, rows, 1, 1, PITCH / 8);
#endif
        Muls(sums, sums, -1.0f / COLS, rows);
        SetFlag<HardEvent::V_S>(EVENT_ID2);
#if FAULT == 14
        PipeBarrier<PIPE_V>();
        SetFlag<HardEvent::V_S>(EVENT_ID2);  // FAULT 14: flag-unpaired
#endif
        WaitFlag<HardEvent::V_S>(EVENT_ID2);
        for (uint32_t i = 0; i < rows; i++) {
#if FAULT == 7
            float shift = sums.GetValue(i + (tile + 7) / 8 * 8);  // FAULT 7: ub-out-of-bounds
#else
            float shift = sums.GetValue(i);
#endif
            SetFlag<HardEvent::S_V>(EVENT_ID3);
            WaitFlag<HardEvent::S_V>(EVENT_ID3);
            Adds(y[i * PITCH], x[i * PITCH], shift, COLS);
        }
        inQueue.FreeTensor(x);
#if FAULT == 15
        Adds(y, x, 0.0f, 8);  // FAULT 15: ub-use-after-free
#endif
        outQueue.EnQue(y);
    }

    __aicore__ inline void CopyOut(uint32_t row, uint16_t rows)
    {
        LocalTensor<float> y = outQueue.DeQue<float>();
#if FAULT == 3
        DataCopyPad(yGm[row * COLS], y, {rows, COLS * 4, 0, 8, 0});  // FAULT 3: gm-write-out-of-bounds
#elif FAULT == 5
        DataCopyPad(yGm[row * COLS], y, {1, rows * PITCH * 4, 0, 0, 0});  // FAULT 5: gm-overlapping-writes
#elif FAULT == 9
        DataCopyPad(yGm[row * COLS], y, {rows, COLS * 4, 0, 0, 0});
        DataCopyPad(xGm[row * COLS], y, {1, 4, 0, 0, 0});  // FAULT 9: inputs-modified
#else
        DataCopyPad(yGm[row * COLS], y, {rows, COLS * 4, 0, 0, 0});
#endif
        outQueue.FreeTensor(y);
#if FAULT == 16
        outQueue.FreeTensor(y);  // FAULT 16: queue-double-free
#endif
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 1> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    TBuf<TPosition::VECCALC> sumsBuf;
    GlobalTensor<float> xGm, yGm;
    uint32_t first, last, tile;
};

extern "C" __global__ __aicore__ void rows(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(FaultyTilingData, data, tiling);
    Rows op(x, y, data);
    op.Process();
}
