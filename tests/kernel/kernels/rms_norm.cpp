// y = x / sqrt(mean(x^2) + epsilon) * gamma for rows that fit into the buffer. The square sum of a row is one number
// in a block; Duplicate spreads the scalar. MulAddDst adds the squares of the rest to those of whole repeats.
#include "kernel_operator.h"

using namespace AscendC;

struct RmsNormTilingData {
    uint32_t rows;
    uint32_t rowsPerBlock;
    uint32_t cols;
    float inverseCols;
    float epsilon;
};

class RmsNorm {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR gamma, GM_ADDR y, const RmsNormTilingData& data)
    {
        t = data;
        pitch = (t.cols + 63) / 64 * 64;
        xGm.SetGlobalBuffer((__gm__ float*)x, static_cast<uint64_t>(t.rows) * t.cols);
        gammaGm.SetGlobalBuffer((__gm__ float*)gamma, t.cols);
        yGm.SetGlobalBuffer((__gm__ float*)y, static_cast<uint64_t>(t.rows) * t.cols);
        pipe.InitBuffer(xQueue, 2, pitch * sizeof(float));
        pipe.InitBuffer(gammaQueue, 1, pitch * sizeof(float));
        pipe.InitBuffer(yQueue, 2, pitch * sizeof(float));
        pipe.InitBuffer(squareBuf, 64 * sizeof(float));
        pipe.InitBuffer(sumBuf, 32);
    }

    __aicore__ inline void Process()
    {
        const uint32_t begin = GetBlockIdx() * t.rowsPerBlock;
        const uint32_t end = Std::min(begin + t.rowsPerBlock, t.rows);
        if (begin >= end) {
            return;
        }
        LocalTensor<float> gamma = gammaQueue.AllocTensor<float>();
        DataCopyPad(gamma, gammaGm, {1, t.cols * 4, 0, 0, 0}, {false, 0, 0, 0.0f});
        gammaQueue.EnQue(gamma);
        gamma = gammaQueue.DeQue<float>();
        for (uint32_t row = begin; row < end; row++) {
            const uint64_t at = static_cast<uint64_t>(row) * t.cols;
            LocalTensor<float> in = xQueue.AllocTensor<float>();
            DataCopyPad(in, xGm[at], {1, t.cols * 4, 0, 0, 0}, {false, 0, 0, 0.0f});
            xQueue.EnQue(in);
            Row(gamma);
            LocalTensor<float> out = yQueue.DeQue<float>();
            DataCopyPad(yGm[at], out, {1, t.cols * 4, 0, 0, 0});
            yQueue.FreeTensor(out);
        }
        gammaQueue.FreeTensor(gamma);
    }

private:
    __aicore__ inline void Row(const LocalTensor<float>& gamma)
    {
        LocalTensor<float> x = xQueue.DeQue<float>();
        LocalTensor<float> y = yQueue.AllocTensor<float>();
        LocalTensor<float> squares = squareBuf.Get<float>();
        LocalTensor<float> sum = sumBuf.Get<float>();
        Duplicate(squares, 0.0f, 64);
        for (uint32_t col = 0; col < t.cols; col += 64) {
            const int32_t count = static_cast<int32_t>(Std::min<uint32_t, uint32_t>(64, t.cols - col));
            MulAddDst(squares, x[col], x[col], count);
        }
        WholeReduceSum(sum, squares, 64, 1, 1, 1, 8);
        Muls(sum, sum, t.inverseCols, 1);
        Adds(sum, sum, t.epsilon, 1);
        Sqrt(sum, sum, 1);
        SetFlag<HardEvent::V_S>(EVENT_ID0);
        WaitFlag<HardEvent::V_S>(EVENT_ID0);
        const float root = sum.GetValue(0);
        SetFlag<HardEvent::S_V>(EVENT_ID0);
        WaitFlag<HardEvent::S_V>(EVENT_ID0);
        Duplicate(y, root, static_cast<int32_t>(t.cols));
        Div(y, x, y, static_cast<int32_t>(t.cols));
        Mul(y, y, gamma, static_cast<int32_t>(t.cols));
        xQueue.FreeTensor(x);
        yQueue.EnQue(y);
    }

    RmsNormTilingData t;
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue, gammaQueue;
    TQue<TPosition::VECOUT, 1> yQueue;
    TBuf<TPosition::VECCALC> squareBuf, sumBuf;
    GlobalTensor<float> xGm, gammaGm, yGm;
    uint32_t pitch;
};

extern "C" __global__ __aicore__ void rms_norm(GM_ADDR x, GM_ADDR gamma, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(RmsNormTilingData, data, tiling);
    RmsNorm op;
    op.Init(x, gamma, y, data);
    op.Process();
}
