// selu(x) = scale * (max(x, 0) + alpha * (exp(min(x, 0)) - 1)).
// A TQueBind holds a tile from copy-in to copy-out, so the kernel computes in place. The struct of the tiling data is
// passed by the caller; the kernel reads it through a pointer.
#include "kernel_operator.h"

using namespace AscendC;

struct SeluTilingData {
    uint32_t total;
    uint32_t perBlock;
    uint32_t tile;
};

constexpr float SELU_SCALE = 1.0507009873554805f;
constexpr float SELU_SCALE_ALPHA = 1.7580993408473766f;

template <typename T>
class KernelSelu {
public:
    __aicore__ inline KernelSelu(TPipe& pipe) : pipe(pipe) {}

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t total, uint32_t perBlock, uint32_t tileLength)
    {
        tile = tileLength;
        begin = static_cast<uint32_t>(GetBlockIdx()) * perBlock;
        end = begin + perBlock < total ? begin + perBlock : total;
        xGm.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x), total);
        yGm.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y), total);
        pipe.InitBuffer(bind, 2, tile * sizeof(T));
        pipe.InitBuffer(negative, tile * sizeof(float));
        if constexpr (!std::is_same<T, float>::value) {
            pipe.InitBuffer(wide, tile * sizeof(float));
        }
    }

    __aicore__ inline void Process()
    {
        for (uint32_t at = begin; at < end; at += tile) {
            uint32_t count = end - at < tile ? end - at : tile;
            uint32_t bytes = count * static_cast<uint32_t>(sizeof(T));
            LocalTensor<T> local = bind.template AllocTensor<T>();
            DataCopyPad(local, xGm[at], DataCopyExtParams{1, bytes, 0, 0, 0}, DataCopyPadExtParams<T>());
            bind.template EnQue<TPosition::GM, TPosition::VECIN, T>(local);
            local = bind.template DeQue<TPosition::GM, TPosition::VECIN, T>();
            if constexpr (std::is_same<T, float>::value) {
                Compute(local, count);
            } else {
                LocalTensor<float> x = wide.template Get<float>(tile);
                Cast(x, local, RoundMode::CAST_NONE, count);
                Compute(x, count);
                Cast(local, x, RoundMode::CAST_RINT, count);
            }
            bind.template EnQue<TPosition::VECOUT, TPosition::GM, T>(local);
            local = bind.template DeQue<TPosition::VECOUT, TPosition::GM, T>();
            DataCopyPad(yGm[at], local, DataCopyExtParams{1, bytes, 0, 0, 0});
            bind.FreeTensor(local);
        }
    }

private:
    __aicore__ inline void Compute(const LocalTensor<float>& x, uint32_t count)
    {
        LocalTensor<float> low = negative.template Get<float>(tile);
        Mins(low, x, 0.0f, count);
        PipeBarrier<PIPE_V>();
        Exp(low, low, count);
        PipeBarrier<PIPE_V>();
        Adds(low, low, -1.0f, count);
        Maxs(x, x, 0.0f, count);
        PipeBarrier<PIPE_V>();
        Muls(low, low, SELU_SCALE_ALPHA, count);
        Muls(x, x, SELU_SCALE, count);
        PipeBarrier<PIPE_V>();
        Add(x, x, low, count);
        PipeBarrier<PIPE_V>();
    }

    TPipe& pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> bind;
    TBuf<TPosition::VECCALC> negative;
    TBuf<TPosition::VECCALC> wide;
    GlobalTensor<T> xGm;
    GlobalTensor<T> yGm;
    uint32_t begin;
    uint32_t end;
    uint32_t tile;
};

__global__ __aicore__ void selu(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_PTR_WITH_STRUCT(SeluTilingData, data, tiling);
    TPipe pipe;
    KernelSelu<DTYPE_X> kernel(pipe);
    kernel.Init(x, y, data->total, data->perBlock, data->tile);
    kernel.Process();
}
