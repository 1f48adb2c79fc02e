// y = x > 0.25 ? x : -1, by Compare and Select, with the bits in a queue of their own.
#include "kernel_operator.h"
#include "faulty.h"

using namespace AscendC;

template <typename T>
class Selects {
public:
    static constexpr uint32_t PIECE = 256 / sizeof(T);

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const FaultyTilingData& t, TPipe* pipe)
    {
        begin = GetBlockIdx() * t.perBlock;
        end = begin + t.perBlock < t.total ? begin + t.perBlock : t.total;
        tile = t.tile;
        xGm.SetGlobalBuffer((__gm__ T*)x, t.total);
        yGm.SetGlobalBuffer((__gm__ T*)y, t.total);
        pipe->InitBuffer(inQueue, 2, tile * sizeof(T));
        pipe->InitBuffer(outQueue, 2, tile * sizeof(T));
#if FAULT == 7
        pipe->InitBuffer(bitsQueue, 1, tile / 16);
#else
        pipe->InitBuffer(bitsQueue, 1, tile / 8);
#endif
        pipe->InitBuffer(boundBuf, tile * sizeof(T));
#if FAULT == 5
        // With 8 KB reserved, 184 KB can be given out; without, Select lacks its 8 KB of scratch.
        pipe->InitBuffer(largeBuf, 186 * 1024 - 5 * tile * sizeof(T));  // FAULT 5: ub-capacity
#endif
    }

    __aicore__ inline void Process()
    {
        LocalTensor<T> bound = boundBuf.template Get<T>();
        Duplicate(bound, static_cast<T>(0.25f), static_cast<int32_t>(tile));
        for (uint32_t at = begin; at < end; at += tile) {
            const uint32_t count = end - at < tile ? end - at : tile;
            const uint32_t whole = (count + PIECE - 1) / PIECE * PIECE;
            LocalTensor<T> x = inQueue.template AllocTensor<T>();
            DataCopyPad(x, xGm[at], {1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0}, {false, 0, 0, T()});
            inQueue.EnQue(x);
            x = inQueue.template DeQue<T>();
            LocalTensor<T> y = outQueue.template AllocTensor<T>();
            LocalTensor<uint8_t> bits = bitsQueue.template AllocTensor<uint8_t>();
#if FAULT == 1
            Compare(bits, x, bound, CMPMODE::GT, count);  // FAULT 1: compare-remainder
#elif FAULT == 2
            CompareScalar(bits, x, static_cast<T>(0.25f), CMPMODE::GT, count);  // FAULT 2: compare-remainder
#elif FAULT == 3
            LocalTensor<int64_t> large = boundBuf.template Get<int64_t>();
            Add(large, large, large, 4);  // FAULT 3: dtype-unsupported
#elif FAULT == 4
            Compare(bits, x, bound, CMPMODE::GT, count / PIECE * PIECE);
#elif FAULT == 6
            LocalTensor<bfloat16_t> brief = boundBuf.template Get<bfloat16_t>();
            CompareScalar(bits, brief, static_cast<bfloat16_t>(0.25f), CMPMODE::GT, 128);  // FAULT 6: dtype-unsupported
#elif FAULT == 7
            Compare(bits, x, bound, CMPMODE::GT, whole);  // FAULT 7: ub-out-of-bounds
#else
            Compare(bits, x, bound, CMPMODE::GT, whole);
#endif
#if FAULT == 9
            bitsQueue.FreeTensor(bits);
            Select(y, bits, x, static_cast<T>(-1.0f), SELMODE::VSEL_TENSOR_SCALAR_MODE, count);  // FAULT 9: ub-use-after-free
#elif FAULT == 8
            Select(y, bits[4], x, static_cast<T>(-1.0f), SELMODE::VSEL_TENSOR_SCALAR_MODE, count - 32);  // FAULT 8: ub-alignment
            bitsQueue.FreeTensor(bits);
#elif FAULT == 10
            Select(y, bits, x, static_cast<T>(-1.0f), SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
            outQueue.FreeTensor(bits);  // FAULT 10: queue-double-free
#else
            Select(y, bits, x, static_cast<T>(-1.0f), SELMODE::VSEL_TENSOR_SCALAR_MODE, count);  // FAULT 4: ub-uninitialised, 5: ub-capacity
            bitsQueue.FreeTensor(bits);
#endif
            inQueue.FreeTensor(x);
            outQueue.EnQue(y);
            y = outQueue.template DeQue<T>();
            DataCopyPad(yGm[at], y, {1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0});  // FAULT 4: ub-uninitialised
            outQueue.FreeTensor(y);
        }
    }

private:
    TQue<TPosition::VECIN, 1> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    TQue<TPosition::VECCALC, 1> bitsQueue;
    TBuf<TPosition::VECCALC> boundBuf, largeBuf;
    GlobalTensor<T> xGm, yGm;
    uint32_t begin, end, tile;
};

extern "C" __global__ __aicore__ void selects(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(FaultyTilingData, data, tiling);
    TPipe pipe;
    Selects<DTYPE_X> op;
    op.Init(x, y, data, &pipe);
    op.Process();
}
