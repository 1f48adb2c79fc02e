// y = max(x, 0) + 1 in bfloat16: a TQueBind for in and out, scratch of a TBufPool, casts to float.
#include "kernel_operator.h"
#include "faulty.h"

using namespace AscendC;

template <typename T>
__aicore__ inline void Bound(GM_ADDR x, GM_ADDR y, const FaultyTilingData& t)
{
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> bind;
    TQue<TPosition::VECIN, 1> other;
    TBufPool<TPosition::VECCALC> pool;
    TBuf<TPosition::VECCALC> wideBuf, spareBuf;
    pipe.InitBuffer(bind, 2, t.tile * sizeof(T));
    pipe.InitBuffer(other, 1, t.tile * sizeof(T));
    pipe.InitBufPool(pool, t.tile * sizeof(float) + 64);
    pool.InitBuffer(wideBuf, t.tile * sizeof(float));
#if FAULT == 8
    pool.InitBuffer(spareBuf, t.tile * sizeof(float));  // FAULT 8: ub-capacity
#else
    pool.InitBuffer(spareBuf, 64);
#endif
    GlobalTensor<T> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ T*)x, t.total);
    yGm.SetGlobalBuffer((__gm__ T*)y, t.total);
    const uint32_t begin = GetBlockIdx() * t.perBlock;
    const uint32_t end = Std::min(begin + t.perBlock, t.total);
    LocalTensor<float> wide = wideBuf.Get<float>();
    for (uint32_t at = begin; at < end; at += t.tile) {
        const uint32_t count = Std::min(t.tile, end - at);
        const DataCopyExtParams copy(1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0);
        LocalTensor<T> in = bind.AllocTensor<T>();  // FAULT 5: queue-leak, 9: deadlock
        DataCopyPad(in, xGm[at], copy, DataCopyPadExtParams<T>());
#if FAULT != 1
        bind.EnQue<TPosition::GM, TPosition::VECIN>(in);
#endif
#if FAULT == 2
        LocalTensor<T> second = bind.AllocTensor<T>();
        DataCopyPad(second, xGm[at], copy, DataCopyPadExtParams<T>());
        bind.EnQue<TPosition::GM, TPosition::VECIN>(second);  // FAULT 2: queue-full
#endif
        LocalTensor<T> held = bind.DeQue<TPosition::GM, TPosition::VECIN, T>();  // FAULT 1: queue-empty
#if FAULT == 6
        Muls(held, held, static_cast<T>(1.0f), count);  // FAULT 6: dtype-unsupported
#elif FAULT == 7
        Cast(held, wide.ReinterpretCast<half>(), RoundMode::CAST_RINT, count);  // FAULT 7: dtype-unsupported
#elif FAULT == 10
        Cast(wide.ReinterpretCast<int32_t>(), wide, RoundMode::CAST_NONE, count);  // FAULT 10: dtype-unsupported
#endif
#if FAULT == 11
        Cast(wide, wide.ReinterpretCast<T>(), RoundMode::CAST_NONE, count);  // FAULT 11: overlap
#else
        Cast(wide, held, RoundMode::CAST_NONE, count);
#endif
        Maxs(wide, wide, 0.0f, count);
        Adds(wide, wide, 1.0f, count);
#if FAULT == 4
        bind.FreeTensor(held);
        Cast(held, wide, RoundMode::CAST_RINT, count);  // FAULT 4: ub-use-after-free
#else
        Cast(held, wide, RoundMode::CAST_RINT, count);
#endif
#if FAULT == 13
        DataCopyPad(yGm[at], held, copy);  // FAULT 13: sync-missing
#endif
        bind.EnQue<TPosition::VECOUT, TPosition::GM>(held);
        LocalTensor<T> out = bind.DeQue<TPosition::VECOUT, TPosition::GM, T>();  // FAULT 5: queue-leak
#if FAULT == 12
        DataCopyPad(yGm[t.total - count + 1], out, copy);  // FAULT 12: gm-write-out-of-bounds
#elif FAULT != 13
        DataCopyPad(yGm[at], out, copy);
#endif
#if FAULT == 3
        other.FreeTensor(out);  // FAULT 3: queue-double-free
#elif FAULT == 5
        if (at + t.tile < end) {
            bind.FreeTensor(out);
        }
#elif FAULT != 9 && FAULT != 4
        bind.FreeTensor(out);
#endif
    }
}

extern "C" __global__ __aicore__ void bound(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(FaultyTilingData, data, tiling);
    Bound<DTYPE_X>(x, y, data);
}
