// Softmax of rows that fit into the buffer, one after another. Maximum and sum are scalars: GetValue follows a flag
// from the vector to the scalar pipe, and the next vector call one back.
#include "kernel_operator.h"
#include "rows_tiling.h"

using namespace AscendC;

class Softmax {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const RowsTilingData& data)
    {
        t = data;
        xGm.SetGlobalBuffer((__gm__ float*)x, static_cast<uint64_t>(t.rows) * t.cols);
        yGm.SetGlobalBuffer((__gm__ float*)y, static_cast<uint64_t>(t.rows) * t.cols);
        const uint32_t bytes = (t.cols + 7) / 8 * 32;
        pipe.InitBuffer(inQueue, 2, bytes);
        pipe.InitBuffer(outQueue, 2, bytes);
        pipe.InitBuffer(reduced, 32);
        pipe.InitBuffer(scratch, (t.cols + 63) / 64 * 8 + 64);
        toScalar = pipe.FetchEventID(HardEvent::V_S);
        toVector = pipe.FetchEventID(HardEvent::S_V);
    }

    __aicore__ inline void Process()
    {
        const uint32_t begin = t.rowsPerBlock * GetBlockIdx();
        const uint32_t end = Std::min(begin + t.rowsPerBlock, t.rows);
        for (uint32_t row = begin; row < end; row++) {
            const uint64_t at = static_cast<uint64_t>(row) * t.cols;
            auto in = inQueue.AllocTensor<float>();
            DataCopyPad(in, xGm[at], {1, t.cols * 4, 0, 0, 0}, {false, 0, 0, 0.0f});
            inQueue.EnQue(in);
            Row();
            auto out = outQueue.DeQue<float>();
            DataCopyPad(yGm[at], out, {1, t.cols * 4, 0, 0, 0});
            outQueue.FreeTensor(out);
        }
    }

private:
    __aicore__ inline float Scalar(const LocalTensor<float>& from)
    {
        SetFlag<HardEvent::V_S>(toScalar);
        WaitFlag<HardEvent::V_S>(toScalar);
        float value = from.GetValue(0);
        SetFlag<HardEvent::S_V>(toVector);
        WaitFlag<HardEvent::S_V>(toVector);
        return value;
    }

    __aicore__ inline void Row()
    {
        auto x = inQueue.DeQue<float>();
        auto y = outQueue.AllocTensor<float>();
        LocalTensor<float> one = reduced.Get<float>();
        LocalTensor<float> work = scratch.Get<float>();
        const int32_t cols = static_cast<int32_t>(t.cols);
        ReduceMax(one, x, work, cols, false);
        Adds(y, x, -Scalar(one), cols);
        Exp(y, y, cols);
        ReduceSum(one, y, work, cols);
        Muls(y, y, 1.0f / Scalar(one), cols);
        inQueue.FreeTensor(x);
        outQueue.EnQue(y);
    }

    RowsTilingData t;
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> inQueue;
    TQue<QuePosition::VECOUT, 1> outQueue;
    TBuf<QuePosition::VECCALC> reduced, scratch;
    GlobalTensor<float> xGm, yGm;
    TEventID toScalar, toVector;
};

extern "C" __global__ __aicore__ void softmax(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(RowsTilingData, data, tiling);
    Softmax op;
    op.Init(x, y, data);
    op.Process();
}
