// sigmoid(x) = 1 / (1 + exp(-x)). The copy-in of a tile runs ahead of the computation of the one before.
// The call Sigmoid takes its scratch from the part of the buffer memory that no InitBuffer took.
#include "kernel_operator.h"
#include "lib/activation/sigmoid.h"

using namespace AscendC;

struct SigmoidTilingData {
    uint64_t total;
    uint64_t perBlock;
    uint32_t tile;
};

template <typename T>
class SigmoidAhead {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const SigmoidTilingData& t, TPipe* pipe)
    {
        tile = t.tile;
        uint64_t begin = t.perBlock * GetBlockIdx();
        length = begin < t.total ? (t.total - begin < t.perBlock ? t.total - begin : t.perBlock) : 0;
        xGm.SetGlobalBuffer((__gm__ T*)x + begin, length);
        yGm.SetGlobalBuffer((__gm__ T*)y + begin, length);
        pipe->InitBuffer(inQueue, 2, tile * sizeof(T));
        pipe->InitBuffer(outQueue, 2, tile * sizeof(T));
        if (sizeof(T) < sizeof(float)) {
            pipe->InitBuffer(wideIn, tile * sizeof(float));
            pipe->InitBuffer(wideOut, tile * sizeof(float));
        }
    }

    __aicore__ inline void Process()
    {
        const uint32_t tiles = static_cast<uint32_t>((length + tile - 1) / tile);
        if (tiles == 0) {
            return;
        }
        CopyIn(0);
        for (uint32_t i = 0; i < tiles; i++) {
            if (i + 1 < tiles) {
                CopyIn(i + 1);
            }
            Compute(i);
            CopyOut(i);
        }
    }

private:
    __aicore__ inline uint32_t Count(uint32_t i) const
    {
        uint64_t rest = length - static_cast<uint64_t>(i) * tile;
        return rest < tile ? static_cast<uint32_t>(rest) : tile;
    }

    __aicore__ inline void CopyIn(uint32_t i)
    {
        LocalTensor<T> x = inQueue.template AllocTensor<T>();
        DataCopyExtParams copy;
        copy.blockCount = 1;
        copy.blockLen = Count(i) * sizeof(T);
        copy.srcStride = 0;
        copy.dstStride = 0;
        DataCopyPadExtParams<T> pad;
        pad.isPad = false;
        DataCopyPad(x, xGm[static_cast<uint64_t>(i) * tile], copy, pad);
        inQueue.EnQue(x);
    }

    __aicore__ inline void Compute(uint32_t i)
    {
        LocalTensor<T> x = inQueue.template DeQue<T>();
        LocalTensor<T> y = outQueue.template AllocTensor<T>();
        const uint32_t count = Count(i);
        if constexpr (std::is_same_v<T, float>) {
            Sigmoid(y, x, count);
        } else {
            LocalTensor<float> in = wideIn.Get<float>();
            LocalTensor<float> out = wideOut.Get<float>();
            Cast(in, x, RoundMode::CAST_NONE, count);
            Sigmoid(out, in, count);
            Cast(y, out, RoundMode::CAST_RINT, count);
        }
        outQueue.EnQue(y);
        inQueue.FreeTensor(x);
    }

    __aicore__ inline void CopyOut(uint32_t i)
    {
        LocalTensor<T> y = outQueue.template DeQue<T>();
        DataCopyExtParams copy;
        copy.blockLen = Count(i) * sizeof(T);
        DataCopyPad(yGm[static_cast<uint64_t>(i) * tile], y, copy);
        outQueue.FreeTensor(y);
    }

    GlobalTensor<T> xGm, yGm;
    TQue<TPosition::VECIN, 2> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    TBuf<TPosition::VECCALC> wideIn, wideOut;
    uint64_t length;
    uint32_t tile;
};

extern "C" __global__ __aicore__ void sigmoid(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(SigmoidTilingData, data, tiling);
    TPipe pipe;
    SigmoidAhead<DTYPE_X> op;
    op.Init(x, y, data, &pipe);
    op.Process();
}
