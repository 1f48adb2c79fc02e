// Gradient of elu from x (key 1) or from the result y (key 2), with u = inputScale * x:
//   key 1: grad * scale * (x > 0 ? 1 : alpha * inputScale * exp(u))
//   key 2: grad * (y > 0 ? scale : inputScale * (y + scale * alpha))
// One function for each key, Compare and Select, three queues.
#include "kernel_operator.h"
#include "elu_tiling.h"

using namespace AscendC;

namespace {
constexpr uint32_t PIECE = 256 / sizeof(float);

template <typename T, bool fromResult>
class EluBackward {
public:
    __aicore__ inline void Init(GM_ADDR grad, GM_ADDR saved, GM_ADDR gradInput, const EluTilingData* tiling)
    {
        this->tiling = tiling;
        uint64_t start = GetBlockIdx() * tiling->perBlock;
        length = 0;
        if (start < tiling->total) {
            length = Std::min(tiling->total - start, tiling->perBlock);
        }
        gradGm.SetGlobalBuffer((__gm__ T*)grad + start);
        savedGm.SetGlobalBuffer((__gm__ T*)saved + start);
        outGm.SetGlobalBuffer((__gm__ T*)gradInput + start);
        pipe.InitBuffer(gradQueue, 2, tiling->tile * sizeof(T));
        pipe.InitBuffer(savedQueue, 2, tiling->tile * sizeof(T));
        pipe.InitBuffer(outQueue, 2, tiling->tile * sizeof(T));
        pipe.InitBuffer(floats, 3 * tiling->tile * sizeof(float));
        pipe.InitBuffer(bits, tiling->tile / 8);
    }

    __aicore__ inline void Process()
    {
        for (uint64_t done = 0; done < length; done += tiling->tile) {
            uint32_t count = Std::min<uint64_t, uint64_t>(tiling->tile, length - done);
            Read(gradQueue, gradGm, done, count);
            Read(savedQueue, savedGm, done, count);
            Compute(count);
            LocalTensor<T> out = outQueue.template DeQue<T>();
            DataCopyPad(outGm[done], out, {1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0});
            outQueue.FreeTensor(out);
        }
    }

private:
    using InQueue = TQue<QuePosition::VECIN, 1>;

    __aicore__ inline void Read(InQueue& queue, GlobalTensor<T>& from, uint64_t offset, uint32_t count)
    {
        LocalTensor<T> local = queue.AllocTensor<T>();
        DataCopyPad(local, from[offset], {1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0}, {false, 0, 0, T()});
        queue.EnQue(local);
    }

    __aicore__ inline LocalTensor<float> ToFloat(InQueue& queue, uint32_t slot, uint32_t count)
    {
        LocalTensor<float> wide = floats.GetWithOffset<float>(tiling->tile, slot * tiling->tile * sizeof(float));
        LocalTensor<T> local = queue.DeQue<T>();
        if constexpr (sizeof(T) == sizeof(float)) {
            DataCopy(wide, local, (count + 7) / 8 * 8);
        } else {
            Cast(wide, local, RoundMode::CAST_NONE, count);
        }
        queue.FreeTensor(local);
        return wide;
    }

    __aicore__ inline void Compute(uint32_t count)
    {
        LocalTensor<float> grad = ToFloat(gradQueue, 0, count);
        LocalTensor<float> saved = ToFloat(savedQueue, 1, count);
        LocalTensor<float> slope = floats.GetWithOffset<float>(tiling->tile, 2 * tiling->tile * sizeof(float));
        LocalTensor<uint8_t> positive = bits.Get<uint8_t>();
        CompareScalar(positive, saved, 0.0f, CMPMODE::GT, (count + PIECE - 1) / PIECE * PIECE);
        if constexpr (fromResult) {
            Adds(slope, saved, tiling->scale * tiling->alpha, count);
            Muls(slope, slope, tiling->inputScale, count);
        } else {
            Muls(slope, saved, tiling->inputScale, count);
            Mins(slope, slope, 0.0f, count);  // exp of a large positive number would be infinite
            Exp(slope, slope, count);
            Muls(slope, slope, tiling->alpha * tiling->inputScale * tiling->scale, count);
        }
        Duplicate(saved, tiling->scale, count);
        Select(slope, positive, saved, slope, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
        LocalTensor<T> out = outQueue.template AllocTensor<T>();
        if constexpr (sizeof(T) == sizeof(float)) {
            Mul(out, grad, slope, count);
        } else {
            Mul(grad, grad, slope, count);
            Cast(out, grad, RoundMode::CAST_RINT, count);
        }
        outQueue.EnQue(out);
    }

    TPipe pipe;
    const EluTilingData* tiling;
    uint64_t length;
    GlobalTensor<T> gradGm, savedGm, outGm;
    InQueue gradQueue, savedQueue;
    TQue<QuePosition::VECOUT, 1> outQueue;
    TBuf<QuePosition::VECCALC> floats, bits;
};
}  // namespace

extern "C" __global__ __aicore__ void elu_backward(GM_ADDR grad, GM_ADDR saved, GM_ADDR gradInput, GM_ADDR workspace,
                                                   GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(EluTilingData, data, tiling);
    if (TILING_KEY_IS(1)) {
        EluBackward<DTYPE_GRADS, false> op;
        op.Init(grad, saved, gradInput, &data);
        op.Process();
    } else if (TILING_KEY_IS(2)) {
        EluBackward<DTYPE_GRADS, true> op;
        op.Init(grad, saved, gradInput, &data);
        op.Process();
    }
}
