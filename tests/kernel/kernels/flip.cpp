// y[i] = x[n - 1 - i], in any dtype of 2 or 4 bytes: a tile of y is the reverse of one tile of x.
// Gather takes byte offsets, which CreateVecIndex, Muls and Adds make as int32 numbers.
#include "kernel_operator.h"

using namespace AscendC;

struct FlipTilingData {
    uint32_t total;
    uint32_t perBlock;
    uint32_t tile;
};

template <typename T>
class Flip {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const FlipTilingData& t)
    {
        total = t.total;
        tile = t.tile;
        begin = GetBlockIdx() * t.perBlock;
        end = begin + t.perBlock < total ? begin + t.perBlock : total;
        xGm.SetGlobalBuffer((__gm__ T*)x, total);
        yGm.SetGlobalBuffer((__gm__ T*)y, total);
        pipe.InitBuffer(inQueue, 2, tile * sizeof(T));
        pipe.InitBuffer(outQueue, 2, tile * sizeof(T));
        pipe.InitBuffer(offsetBuf, tile * sizeof(int32_t));
    }

    __aicore__ inline void Process()
    {
        for (uint32_t at = begin; at < end; at += tile) {
            uint32_t count = end - at < tile ? end - at : tile;
            DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
            LocalTensor<T> in = inQueue.template AllocTensor<T>();
            DataCopyPad(in, xGm[total - at - count], copy, DataCopyPadExtParams<T>{});
            inQueue.EnQue(in);
            LocalTensor<int32_t> index = offsetBuf.template Get<int32_t>();
            CreateVecIndex(index, static_cast<int32_t>(0), count);
            Muls(index, index, -static_cast<int32_t>(sizeof(T)), count);
            Adds(index, index, static_cast<int32_t>((count - 1) * sizeof(T)), count);
            LocalTensor<T> x = inQueue.template DeQue<T>();
            LocalTensor<T> y = outQueue.template AllocTensor<T>();
            Gather(y, x, index.template ReinterpretCast<uint32_t>(), 0, count);
            inQueue.FreeTensor(x);
            outQueue.EnQue(y);
            LocalTensor<T> out = outQueue.template DeQue<T>();
            DataCopyPad(yGm[at], out, copy);
            outQueue.FreeTensor(out);
        }
    }

private:
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> inQueue;
    TQue<QuePosition::VECOUT, 1> outQueue;
    TBuf<QuePosition::VECCALC> offsetBuf;
    GlobalTensor<T> xGm, yGm;
    uint32_t total, begin, end, tile;
};

extern "C" __global__ __aicore__ void flip(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(FlipTilingData, data, tiling);
    Flip<DTYPE_X> op;
    op.Init(x, y, data);
    op.Process();
}
