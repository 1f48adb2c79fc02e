// y = x / max|x| over the whole tensor, and the maximum as a second output. The blocks meet in the software form of
// SyncAll: `meeting` is zeroed global memory of 32 bytes for each block.
#include "kernel_operator.h"

using namespace AscendC;

struct AbsmaxTilingData {
    uint64_t total;
    uint64_t perBlock;
    uint64_t tile;
};

template <typename T>
class AbsmaxScale {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR meeting, GM_ADDR y, GM_ADDR maximum, GM_ADDR workspace,
                                const AbsmaxTilingData& t)
    {
        begin = GetBlockIdx() * t.perBlock;
        begin = begin < t.total ? begin : t.total;
        end = begin + t.perBlock < t.total ? begin + t.perBlock : t.total;
        tile = t.tile;
        xGm.SetGlobalBuffer((__gm__ T*)x, t.total);
        yGm.SetGlobalBuffer((__gm__ T*)y, t.total);
        maximumGm.SetGlobalBuffer((__gm__ float*)maximum, 1);
        partsGm.SetGlobalBuffer((__gm__ float*)workspace, GetBlockNum() * 8);
        meetingGm.SetGlobalBuffer((__gm__ int32_t*)meeting, GetBlockNum() * 8);
        pipe.InitBuffer(inQueue, 2, tile * sizeof(T));
        pipe.InitBuffer(outQueue, 2, tile * sizeof(T));
        pipe.InitBuffer(syncQueue, 1, GetBlockNum() * 32);
        pipe.InitBuffer(partQueue, 1, 32);
        pipe.InitBuffer(partsQueue, 1, GetBlockNum() * 32);
        pipe.InitBuffer(wideBuf, tile * sizeof(float));
        pipe.InitBuffer(runningBuf, tile * sizeof(float));
        pipe.InitBuffer(scratchBuf, tile * sizeof(float));
        pipe.InitBuffer(oneBuf, 32);
    }

    __aicore__ inline void Process()
    {
        WritePart();
        LocalTensor<int32_t> meetingUb = syncQueue.AllocTensor<int32_t>();
        SyncAll(meetingGm, meetingUb);
        syncQueue.FreeTensor(meetingUb);
        float maximum = ReadMaximum();
        for (uint64_t at = begin; at < end; at += tile) {
            uint32_t n = static_cast<uint32_t>(end - at < tile ? end - at : tile);
            LocalTensor<float> x = Load(at, n);
            LocalTensor<float> divisor = runningBuf.template Get<float>();
            Duplicate(divisor, maximum, n);
            LocalTensor<T> y = outQueue.template AllocTensor<T>();
            if constexpr (IsSameType<T, float>::value) {
                Div(y, x, divisor, n);
            } else {
                Div(x, x, divisor, n);
                Cast(y, x, RoundMode::CAST_RINT, n);
            }
            outQueue.EnQue(y);
            y = outQueue.template DeQue<T>();
            DataCopyPad(yGm[at], y, {1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0});
            outQueue.FreeTensor(y);
        }
    }

private:
    __aicore__ inline LocalTensor<float> Load(uint64_t at, uint32_t n)
    {
        LocalTensor<T> in = inQueue.template AllocTensor<T>();
        DataCopyPad(in, xGm[at], {1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0}, {false, 0, 0, T()});
        inQueue.EnQue(in);
        in = inQueue.template DeQue<T>();
        LocalTensor<float> wide = wideBuf.template Get<float>();
        if constexpr (IsSameType<T, float>::value) {
            Muls(wide, in, 1.0f, n);
        } else {
            Cast(wide, in, RoundMode::CAST_NONE, n);
        }
        inQueue.FreeTensor(in);
        return wide;
    }

    // A running maximum of tiles; lanes that no tile reaches keep 0, which no |x| is below.
    __aicore__ inline void WritePart()
    {
        LocalTensor<float> running = runningBuf.template Get<float>();
        LocalTensor<float> one = oneBuf.template Get<float>();
        Duplicate(running, 0.0f, static_cast<int32_t>(tile));
        for (uint64_t at = begin; at < end; at += tile) {
            uint32_t n = static_cast<uint32_t>(end - at < tile ? end - at : tile);
            LocalTensor<float> x = Load(at, n);
            Abs(x, x, n);
            Max(running, running, x, n);
        }
        ReduceMax(one, running, scratchBuf.template Get<float>(), static_cast<int32_t>(tile));
        LocalTensor<float> part = partQueue.template AllocTensor<float>();
        Duplicate(part, 0.0f, 8);
        Adds(part, one, 0.0f, 1);
        partQueue.EnQue(part);
        part = partQueue.template DeQue<float>();
        DataCopy(partsGm[GetBlockIdx() * 8], part, 8);
        partQueue.FreeTensor(part);
    }

    __aicore__ inline float ReadMaximum()
    {
        const int32_t count = static_cast<int32_t>(GetBlockNum()) * 8;
        LocalTensor<float> parts = partsQueue.template AllocTensor<float>();
        DataCopy(parts, partsGm, count);
        partsQueue.EnQue(parts);
        parts = partsQueue.template DeQue<float>();
        LocalTensor<float> one = oneBuf.template Get<float>();
        ReduceMax(one, parts, scratchBuf.template Get<float>(), count);
        partsQueue.FreeTensor(parts);
        if (GetBlockIdx() == 0) {
            LocalTensor<float> out = partQueue.template AllocTensor<float>();
            Adds(out, one, 0.0f, 1);
            partQueue.EnQue(out);
            out = partQueue.template DeQue<float>();
            DataCopyPad(maximumGm, out, {1, 4, 0, 0, 0});
            partQueue.FreeTensor(out);
        }
        event_t id = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S));
        SetFlag<HardEvent::V_S>(id);
        WaitFlag<HardEvent::V_S>(id);
        return one.GetValue(0);
    }

    TPipe pipe;
    TQue<QuePosition::VECIN, 1> inQueue, partsQueue;
    TQue<QuePosition::VECOUT, 1> outQueue, partQueue;
    TQue<QuePosition::VECIN, 1> syncQueue;
    TBuf<QuePosition::VECCALC> wideBuf, runningBuf, scratchBuf, oneBuf;
    GlobalTensor<T> xGm, yGm;
    GlobalTensor<float> maximumGm, partsGm;
    GlobalTensor<int32_t> meetingGm;
    uint64_t begin, end, tile;
};

extern "C" __global__ __aicore__ void absmax_scale(GM_ADDR x, GM_ADDR meeting, GM_ADDR y, GM_ADDR maximum,
                                                   GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(AbsmaxTilingData, data, tiling);
    SetSysWorkspace(workspace);
    AbsmaxScale<DTYPE_X> op;
    op.Init(x, meeting, y, maximum, GetUserWorkspace(workspace), data);
    op.Process();
}
