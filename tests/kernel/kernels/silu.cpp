// silu(x) = x / (1 + exp(-x)). No queues: two tiles in TBufs, ordered by SetFlag and WaitFlag; ids by AllocEventID.
#include "kernel_operator.h"

using namespace AscendC;

struct SiluTilingData {
    uint64_t total;
    uint64_t perBlock;
    uint32_t tile;
};

template <typename T>
class SiluByFlags {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint64_t offset, uint64_t size, uint32_t tileLength, TPipe* tPipe)
    {
        pipe = tPipe;
        length = size;
        tile = tileLength;
        xGm.SetGlobalBuffer((__gm__ T*)x + offset, size);
        yGm.SetGlobalBuffer((__gm__ T*)y + offset, size);
        for (int32_t i = 0; i < 2; i++) {
            pipe->InitBuffer(xBuf[i], tile * sizeof(T));
            pipe->InitBuffer(yBuf[i], tile * sizeof(T));
        }
        pipe->InitBuffer(floats, 2 * tile * sizeof(float));
        for (int32_t i = 0; i < 2; i++) {
            loaded[i] = pipe->AllocEventID<HardEvent::MTE2_V>();
            consumed[i] = pipe->AllocEventID<HardEvent::V_MTE2>();
            computed[i] = pipe->AllocEventID<HardEvent::V_MTE3>();
            stored[i] = pipe->AllocEventID<HardEvent::MTE3_V>();
        }
    }

    __aicore__ inline void Process()
    {
        for (int32_t i = 0; i < 2; i++) {
            SetFlag<HardEvent::V_MTE2>(consumed[i]);
            SetFlag<HardEvent::MTE3_V>(stored[i]);
        }
        int32_t side = 0;
        for (uint64_t at = 0; at < length; at += tile) {
            uint32_t count = length - at < tile ? length - at : tile;
            LocalTensor<T> x = xBuf[side].template Get<T>();
            LocalTensor<T> y = yBuf[side].template Get<T>();
            DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};

            WaitFlag<HardEvent::V_MTE2>(consumed[side]);
            DataCopyPad(x, xGm[at], copy, DataCopyPadExtParams<T>{false, 0, 0, T()});
            SetFlag<HardEvent::MTE2_V>(loaded[side]);

            WaitFlag<HardEvent::MTE2_V>(loaded[side]);
            WaitFlag<HardEvent::MTE3_V>(stored[side]);
            Compute(y, x, count);
            SetFlag<HardEvent::V_MTE2>(consumed[side]);
            SetFlag<HardEvent::V_MTE3>(computed[side]);

            WaitFlag<HardEvent::V_MTE3>(computed[side]);
            DataCopyPad(yGm[at], y, copy);
            SetFlag<HardEvent::MTE3_V>(stored[side]);
            side = 1 - side;
        }
        for (int32_t i = 0; i < 2; i++) {
            WaitFlag<HardEvent::V_MTE2>(consumed[i]);
            WaitFlag<HardEvent::MTE3_V>(stored[i]);
            pipe->ReleaseEventID<HardEvent::MTE2_V>(loaded[i]);
            pipe->ReleaseEventID<HardEvent::V_MTE2>(consumed[i]);
            pipe->ReleaseEventID<HardEvent::V_MTE3>(computed[i]);
            pipe->ReleaseEventID<HardEvent::MTE3_V>(stored[i]);
        }
    }

private:
    __aicore__ inline void Compute(LocalTensor<T> y, LocalTensor<T> x, uint32_t count)
    {
        LocalTensor<float> wide = floats.Get<float>();
        LocalTensor<float> value = wide[0], denominator = wide[tile];
        if constexpr (IsSameType<T, float>::value) {
            value = x;
        } else {
            Cast(value, x, RoundMode::CAST_NONE, count);
        }
        Muls(denominator, value, -1.0f, count);
        Exp(denominator, denominator, count);
        Adds(denominator, denominator, 1.0f, count);
        if constexpr (IsSameType<T, float>::value) {
            Div(y, value, denominator, count);
        } else {
            Div(value, value, denominator, count);
            Cast(y, value, RoundMode::CAST_RINT, count);
        }
    }

    TPipe* pipe;
    TBuf<TPosition::VECCALC> xBuf[2], yBuf[2], floats;
    TEventID loaded[2], consumed[2], computed[2], stored[2];
    GlobalTensor<T> xGm, yGm;
    uint64_t length;
    uint32_t tile;
};

extern "C" __global__ __aicore__ void silu(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    GET_TILING_DATA_WITH_STRUCT(SiluTilingData, data, tiling);
    uint64_t offset = data.perBlock * GetBlockIdx();
    if (offset >= data.total) {
        return;
    }
    uint64_t size = data.total - offset < data.perBlock ? data.total - offset : data.perBlock;
    SiluByFlags<DTYPE_X> op;
    op.Init(x, y, offset, size, data.tile, &pipe);
    op.Process();
}
