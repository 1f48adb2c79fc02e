// prelu(x) = x for x > 0, weight[channel] * x otherwise; x has the shape (rows, channels, inner) without gaps.
// The weights lie in a TBuf; their scalars are read by GetValue after a flag from MTE2 to the scalar pipe.
#include "kernel_operator.h"

using namespace AscendC;

struct PreluTilingData {
    uint32_t pieces;    // rows * channels
    uint32_t perBlock;  // pieces of a block
    uint32_t channels;
    uint32_t inner;
    uint32_t tile;
};

template <typename T>
class Prelu_ {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR weight, GM_ADDR y, const PreluTilingData& t, TPipe* p)
    {
        tiling = t;
        pipe = p;
        xGm.SetGlobalBuffer((__gm__ T*)x, static_cast<uint64_t>(t.pieces) * t.inner);
        yGm.SetGlobalBuffer((__gm__ T*)y, static_cast<uint64_t>(t.pieces) * t.inner);
        weightGm.SetGlobalBuffer((__gm__ T*)weight, t.channels);
        pipe->InitBuffer(xQueue, 2, t.tile * sizeof(T));
        pipe->InitBuffer(yQueue, 2, t.tile * sizeof(T));
        pipe->InitBuffer(weightBuf, t.channels * sizeof(T) + 32);
        pipe->InitBuffer(lowBuf, t.tile * sizeof(T));
    }

    __aicore__ inline void Process()
    {
        LocalTensor<T> weights = weightBuf.template Get<T>();
        DataCopyPad(weights, weightGm, {1, static_cast<uint32_t>(tiling.channels * sizeof(T)), 0, 0, 0},
                    {false, 0, 0, static_cast<T>(0)});
        event_t ready = static_cast<event_t>(pipe->FetchEventID(HardEvent::MTE2_S));
        SetFlag<HardEvent::MTE2_S>(ready);
        WaitFlag<HardEvent::MTE2_S>(ready);
        uint32_t begin = GetBlockIdx() * tiling.perBlock;
        uint32_t end = Std::min(begin + tiling.perBlock, tiling.pieces);
        for (uint32_t piece = begin; piece < end; piece++) {
            T weight = weights.GetValue(piece % tiling.channels);
            for (uint32_t at = 0; at < tiling.inner; at += tiling.tile) {
                const uint32_t count = Std::min(tiling.inner - at, tiling.tile);
                Tile(static_cast<uint64_t>(piece) * tiling.inner + at, weight, count);
            }
        }
    }

private:
    __aicore__ inline void Tile(uint64_t at, T weight, uint32_t count)
    {
        DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        LocalTensor<T> x = xQueue.template AllocTensor<T>();
        DataCopyPad(x, xGm[at], copy, {false, 0, 0, static_cast<T>(0)});
        xQueue.EnQue(x);
        x = xQueue.template DeQue<T>();
        LocalTensor<T> y = yQueue.template AllocTensor<T>();
        LocalTensor<T> low = lowBuf.template Get<T>();
        Mins(low, x, static_cast<T>(0), count);
        Maxs(y, x, static_cast<T>(0), count);
        Axpy(y, low, weight, count);
        xQueue.FreeTensor(x);
        yQueue.EnQue(y);
        y = yQueue.template DeQue<T>();
        DataCopyPad(yGm[at], y, copy);
        yQueue.FreeTensor(y);
    }

    PreluTilingData tiling;
    TPipe* pipe;
    TQue<QuePosition::VECIN, 1> xQueue;
    TQue<QuePosition::VECOUT, 1> yQueue;
    TBuf<QuePosition::VECCALC> weightBuf, lowBuf;
    GlobalTensor<T> xGm, yGm, weightGm;
};

extern "C" __global__ __aicore__ void prelu(GM_ADDR x, GM_ADDR weight, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(PreluTilingData, data, tiling);
    TPipe pipe;
    Prelu_<DTYPE_X> op;
    op.Init(x, weight, y, data, &pipe);
    op.Process();
}
