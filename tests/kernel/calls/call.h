// The frame of the test kernels: tensors in UB, filled from x, y and z, and a result that goes to out.
#pragma once

#include "kernel_operator.h"

using namespace AscendC;

struct CallTiling {
    int32_t call;     // which call
    int32_t form;     // 0: first-n, 1: mask as a number, 2: mask as bits
    int32_t count;    // first-n
    int32_t repeats;
    int32_t mode;     // RoundMode, CMPMODE, ReduceOrder ...
    float scalar;
    uint64_t mask[2];
    int32_t strides[6];  // block strides of dst, src0, src1, repeat strides of dst, src0, src1
    int32_t bytes;    // of each tensor
};

struct Frame {
    TPipe pipe;
    TBuf<TPosition::VECCALC> first, second, third, result, scratch;

    void init(int32_t bytes)
    {
        pipe.InitBuffer(first, bytes);
        pipe.InitBuffer(second, bytes);
        pipe.InitBuffer(third, bytes);
        pipe.InitBuffer(result, bytes);
        pipe.InitBuffer(scratch, bytes);
    }
    template <class T>
    LocalTensor<T> load(TBuf<TPosition::VECCALC>& buffer, GM_ADDR from, int32_t bytes)
    {
        LocalTensor<uint8_t> raw = buffer.Get<uint8_t>();
        GlobalTensor<uint8_t> gm;
        gm.SetGlobalBuffer((__gm__ uint8_t*)from, bytes);
        DataCopy(raw, gm, bytes);
        return raw.ReinterpretCast<T>();
    }
    template <class T>
    void store(GM_ADDR to, LocalTensor<T> tensor, int32_t bytes)
    {
        GlobalTensor<uint8_t> gm;
        gm.SetGlobalBuffer((__gm__ uint8_t*)to, bytes);
        LocalTensor<uint8_t> raw = tensor.template ReinterpretCast<uint8_t>();
        DataCopy(gm, raw, bytes);
    }
};
