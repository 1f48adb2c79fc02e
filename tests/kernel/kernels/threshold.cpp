// threshold(x) = x where x > threshold, else value: CompareScalar and Select with a scalar, in half or float.
#include "kernel_operator.h"

using namespace AscendC;

struct ThresholdTilingData {
    uint64_t total;
    uint64_t perBlock;
    uint32_t tile;
    float threshold;
    float value;
};

template <typename T>
class Threshold {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const ThresholdTilingData& t, TPipe* pipe)
    {
        uint64_t begin = GetBlockIdx() * t.perBlock;
        length = begin < t.total ? t.total - begin : 0;
        length = length > t.perBlock ? t.perBlock : length;
        tile = t.tile;
        threshold = static_cast<T>(t.threshold);
        value = static_cast<T>(t.value);
        xGm.SetGlobalBuffer((__gm__ T*)x + begin, length);
        yGm.SetGlobalBuffer((__gm__ T*)y + begin, length);
        pipe->InitBuffer(inQueue, 2, tile * sizeof(T));
        pipe->InitBuffer(outQueue, 2, tile * sizeof(T));
        pipe->InitBuffer(bitsQueue, tile / 8);
    }

    __aicore__ inline void Process()
    {
        for (uint64_t at = 0; at < length; at += tile) {
            uint32_t count = static_cast<uint32_t>(length - at < tile ? length - at : tile);
            DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
            LocalTensor<T> x = inQueue.template AllocTensor<T>();
            DataCopyPad(x, xGm[at], copy, {true, 0, 0, static_cast<T>(0)});
            inQueue.EnQue(x);
            x = inQueue.template DeQue<T>();
            LocalTensor<T> y = outQueue.template AllocTensor<T>();
            LocalTensor<uint16_t> bits = bitsQueue.Get<uint16_t>();
            CompareScalar(bits, x, threshold, CMPMODE::GT, AlignUp(count, 256 / sizeof(T)));
            Select(y, bits, x, value, SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
            inQueue.FreeTensor(x);
            outQueue.EnQue(y);
            y = outQueue.template DeQue<T>();
            DataCopyPad(yGm[at], y, copy);
            outQueue.FreeTensor(y);
        }
    }

private:
    static __aicore__ inline uint32_t AlignUp(uint32_t n, uint32_t to)
    {
        return (n + to - 1) / to * to;
    }

    GlobalTensor<T> xGm, yGm;
    TQue<TPosition::VECIN, 1> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    TBuf<TPosition::VECCALC> bitsQueue;
    uint64_t length;
    uint32_t tile;
    T threshold, value;
};

extern "C" __global__ __aicore__ void threshold(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(ThresholdTilingData, data, tiling);
    TPipe pipe;
    Threshold<DTYPE_X> op;
    op.Init(x, y, data, &pipe);
    op.Process();
}
