// log_softmax of long rows in three passes over tiles: the maximum, the sum of exp(x - maximum), and the result
// x - maximum - ln(sum). The logarithm of the scalar goes through a vector of one block.
#include "kernel_operator.h"
#include "rows_tiling.h"

using namespace AscendC;

template <typename T>
class LogSoftmax {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const RowsTilingData& data, TPipe* p)
    {
        t = data;
        pipe = p;
        xGm.SetGlobalBuffer((__gm__ T*)x, static_cast<uint64_t>(t.rows) * t.cols);
        yGm.SetGlobalBuffer((__gm__ T*)y, static_cast<uint64_t>(t.rows) * t.cols);
        pipe->InitBuffer(inQueue, 2, t.tile * sizeof(T));
        pipe->InitBuffer(outQueue, 2, t.tile * sizeof(T));
        pipe->InitBuffer(wideBuf, t.tile * sizeof(float));
        pipe->InitBuffer(smallBuf, 32);
        pipe->InitBuffer(scratchBuf, t.tile * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        uint32_t first = GetBlockIdx() * t.rowsPerBlock;
        uint32_t last = first + t.rowsPerBlock;
        last = last < t.rows ? last : t.rows;
        for (uint32_t row = first; row < last; ++row) {
            uint64_t at = static_cast<uint64_t>(row) * t.cols;
            float maximum = Maximum(at);
            float sum = SumOfExp(at, maximum);
            Write(at, -(maximum + Ln_(sum)));
        }
    }

private:
    __aicore__ inline uint32_t Count(uint32_t col) const
    {
        return t.cols - col < t.tile ? t.cols - col : t.tile;
    }

    __aicore__ inline LocalTensor<float> Load(uint64_t at, uint32_t count)
    {
        LocalTensor<T> in = inQueue.template AllocTensor<T>();
        DataCopyPad(in, xGm[at], {1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0}, {false, 0, 0, T()});
        inQueue.EnQue(in);
        in = inQueue.template DeQue<T>();
        LocalTensor<float> wide = wideBuf.template Get<float>();
        if constexpr (sizeof(T) == sizeof(float)) {
            Adds(wide, in, 0.0f, count);
        } else {
            Cast(wide, in, RoundMode::CAST_NONE, count);
        }
        inQueue.FreeTensor(in);
        return wide;
    }

    template <HardEvent event>
    __aicore__ inline void Order()
    {
        auto id = pipe->FetchEventID<event>();
        SetFlag<event>(id);
        WaitFlag<event>(id);
    }

    __aicore__ inline float Maximum(uint64_t at)
    {
        LocalTensor<float> small = smallBuf.template Get<float>();
        float maximum = 0.0f;
        for (uint32_t col = 0; col < t.cols; col += t.tile) {
            LocalTensor<float> x = Load(at + col, Count(col));
            ReduceMax(small, x, scratchBuf.template Get<float>(), static_cast<int32_t>(Count(col)));
            Order<HardEvent::V_S>();
            float here = small.GetValue(0);
            maximum = col == 0 || here > maximum ? here : maximum;
            Order<HardEvent::S_V>();
        }
        return maximum;
    }

    __aicore__ inline float SumOfExp(uint64_t at, float maximum)
    {
        LocalTensor<float> small = smallBuf.template Get<float>();
        float sum = 0.0f;
        for (uint32_t col = 0; col < t.cols; col += t.tile) {
            uint32_t count = Count(col);
            LocalTensor<float> x = Load(at + col, count);
            Adds(x, x, -maximum, count);
            Exp(x, x, count);
            ReduceSum(small, x, scratchBuf.template Get<float>(), static_cast<int32_t>(count));
            Order<HardEvent::V_S>();
            sum += small.GetValue(0);
            Order<HardEvent::S_V>();
        }
        return sum;
    }

    __aicore__ inline float Ln_(float value)
    {
        LocalTensor<float> small = smallBuf.template Get<float>();
        small.SetValue(0, value);
        Order<HardEvent::S_V>();
        Ln(small, small, 1);
        Order<HardEvent::V_S>();
        float result = small.GetValue(0);
        Order<HardEvent::S_V>();
        return result;
    }

    __aicore__ inline void Write(uint64_t at, float shift)
    {
        for (uint32_t col = 0; col < t.cols; col += t.tile) {
            uint32_t count = Count(col);
            LocalTensor<float> x = Load(at + col, count);
            LocalTensor<T> out = outQueue.template AllocTensor<T>();
            if constexpr (sizeof(T) == sizeof(float)) {
                Adds(out, x, shift, count);
            } else {
                Adds(x, x, shift, count);
                Cast(out, x, RoundMode::CAST_RINT, count);
            }
            outQueue.EnQue(out);
            out = outQueue.template DeQue<T>();
            DataCopyPad(yGm[at + col], out, {1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0});
            outQueue.FreeTensor(out);
        }
    }

    RowsTilingData t;
    TPipe* pipe;
    TQue<QuePosition::VECIN, 1> inQueue;
    TQue<QuePosition::VECOUT, 1> outQueue;
    TBuf<QuePosition::VECCALC> wideBuf, smallBuf, scratchBuf;
    GlobalTensor<T> xGm, yGm;
};

extern "C" __global__ __aicore__ void log_softmax(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(RowsTilingData, data, tiling);
    TPipe pipe;
    LogSoftmax<DTYPE_X> op;
    op.Init(x, y, data, &pipe);
    op.Process();
}
