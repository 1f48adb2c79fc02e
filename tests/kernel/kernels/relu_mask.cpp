// Two outputs of two dtypes: y = max(x, 0), and one bit for each element, 1 where x > 0, eight in a byte, lowest first.
// A block's share is a multiple of 256 elements, so no byte of the bits belongs to two blocks.
#include "kernel_operator.h"

using namespace AscendC;

struct ReluMaskTilingData {
    uint64_t total;
    uint64_t perBlock;
    uint32_t tile;
};

class ReluMask {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR mask, const ReluMaskTilingData& t)
    {
        begin = t.perBlock * GetBlockIdx();
        end = begin + t.perBlock < t.total ? begin + t.perBlock : t.total;
        tile = t.tile;
        xGm.SetGlobalBuffer((__gm__ float*)x, t.total);
        yGm.SetGlobalBuffer((__gm__ float*)y, t.total);
        maskGm.SetGlobalBuffer((__gm__ uint8_t*)mask, (t.total + 7) / 8);
        pipe.InitBuffer(xQueue, 2, tile * sizeof(float));
        pipe.InitBuffer(yQueue, 2, tile * sizeof(float));
        pipe.InitBuffer(maskQueue, 2, tile / 8);
    }

    __aicore__ inline void Process()
    {
        for (uint64_t at = begin; at < end; at += tile) {
            const uint32_t count = static_cast<uint32_t>(end - at < tile ? end - at : tile);
            LocalTensor<float> x = xQueue.AllocTensor<float>();
            // Bits beyond the last element are written to the mask's last byte: they are those of zeros.
            const uint8_t zeros = static_cast<uint8_t>((8 - count % 8) % 8);
            DataCopyPad(x, xGm[at], {1, count * 4, 0, 0, 0}, {true, 0, zeros, 0.0f});
            xQueue.EnQue(x);
            Compute(count);
            LocalTensor<float> y = yQueue.DeQue<float>();
            LocalTensor<uint8_t> mask = maskQueue.DeQue<uint8_t>();
            DataCopyPad(yGm[at], y, {1, count * 4, 0, 0, 0});
            DataCopyPad(maskGm[at / 8], mask, {1, (count + 7) / 8, 0, 0, 0});
            yQueue.FreeTensor(y);
            maskQueue.FreeTensor(mask);
        }
    }

private:
    __aicore__ inline void Compute(uint32_t count)
    {
        LocalTensor<float> x = xQueue.DeQue<float>();
        LocalTensor<float> y = yQueue.AllocTensor<float>();
        LocalTensor<uint8_t> mask = maskQueue.AllocTensor<uint8_t>();
        Relu(y, x, count);
        CompareScalar(mask, x, 0.0f, CMPMODE::GT, (count + 63) / 64 * 64);
        yQueue.EnQue(y);
        maskQueue.EnQue(mask);
        xQueue.FreeTensor(x);
    }

    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> yQueue, maskQueue;
    GlobalTensor<float> xGm, yGm;
    GlobalTensor<uint8_t> maskGm;
    uint64_t begin, end;
    uint32_t tile;
};

extern "C" __global__ __aicore__ void relu_mask(GM_ADDR x, GM_ADDR y, GM_ADDR mask, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(ReluMaskTilingData, data, tiling);
    ReluMask op;
    op.Init(x, y, mask, data);
    op.Process();
}
