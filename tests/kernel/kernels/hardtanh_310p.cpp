// hardtanh(x) = min(max(x, low), high) for a chip without DataCopyPad: whole pieces of 32 bytes by DataCopy, and the
// rest of the last block element by element through the scalar pipe. A block's share is a multiple of 64 bytes.
#include "kernel_operator.h"

using namespace AscendC;

struct HardtanhTilingData {
    uint32_t total;
    uint32_t perBlock;
    uint32_t tile;
    float low;
    float high;
};

template <typename T>
class Hardtanh310P {
public:
    static constexpr uint32_t PIECE = 32 / sizeof(T);

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const HardtanhTilingData& t)
    {
        begin = GetBlockIdx() * t.perBlock;
        end = Std::min(begin + t.perBlock, t.total);
        tile = t.tile;
        low = static_cast<T>(t.low);
        high = static_cast<T>(t.high);
        xGm.SetGlobalBuffer((__gm__ T*)x, t.total);
        yGm.SetGlobalBuffer((__gm__ T*)y, t.total);
        pipe.InitBuffer(inQueue, 2, tile * sizeof(T));
        pipe.InitBuffer(outQueue, 2, tile * sizeof(T));
    }

    __aicore__ inline void Process()
    {
        if (begin >= end) {
            return;
        }
        const uint32_t whole = begin + (end - begin) / PIECE * PIECE;
        for (uint32_t at = begin; at < whole; at += tile) {
            const uint32_t count = Std::min(tile, whole - at);
            LocalTensor<T> in = inQueue.template AllocTensor<T>();
            DataCopy(in, xGm[at], count);
            inQueue.EnQue(in);
            LocalTensor<T> x = inQueue.template DeQue<T>();
            LocalTensor<T> y = outQueue.template AllocTensor<T>();
            Maxs(y, x, low, count);
            Mins(y, y, high, count);
            inQueue.FreeTensor(x);
            outQueue.EnQue(y);
            LocalTensor<T> out = outQueue.template DeQue<T>();
            DataCopy(yGm[at], out, count);
            outQueue.FreeTensor(out);
        }
        for (uint32_t at = whole; at < end; at++) {
            float value = static_cast<float>(xGm.GetValue(at));
            value = value < static_cast<float>(low) ? static_cast<float>(low) : value;
            value = value > static_cast<float>(high) ? static_cast<float>(high) : value;
            yGm.SetValue(at, static_cast<T>(value));
        }
    }

private:
    TPipe pipe;
    TQue<TPosition::VECIN, 1> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    GlobalTensor<T> xGm, yGm;
    uint32_t begin, end, tile;
    T low, high;
};

extern "C" __global__ __aicore__ void hardtanh_310p(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(HardtanhTilingData, data, tiling);
    Hardtanh310P<DTYPE_X> op;
    op.Init(x, y, data);
    op.Process();
}
