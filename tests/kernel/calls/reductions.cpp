#include "call.h"

extern "C" __global__ __aicore__ void reductions(GM_ADDR x, GM_ADDR z, GM_ADDR out, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(CallTiling, t, tiling);
    Frame frame;
    frame.init(t.bytes);
    LocalTensor<DTYPE_X> a = frame.load<DTYPE_X>(frame.first, x, t.bytes), d = frame.load<DTYPE_X>(frame.result, z, t.bytes);
    LocalTensor<DTYPE_X> scratch = frame.scratch.Get<DTYPE_X>();
    PipeBarrier<PIPE_ALL>();
    const int32_t count = static_cast<int32_t>(t.mask[0]);
    const ReduceOrder order = static_cast<ReduceOrder>(t.mode);
    switch (t.call) {
        case 0: ReduceSum(d, a, scratch, t.count); break;
        case 1: ReduceSum(d, a, scratch, count, t.repeats, t.strides[4]); break;
        case 2: ReduceMax(d, a, scratch, t.count, true); break;
        case 3: ReduceMin(d, a, scratch, t.count, true); break;
        case 4: WholeReduceSum(d, a, count, t.repeats, t.strides[3], t.strides[1], t.strides[4]); break;
        case 5: WholeReduceMax(d, a, count, t.repeats, t.strides[3], t.strides[1], t.strides[4], order); break;
        case 6: WholeReduceMin(d, a, count, t.repeats, t.strides[3], t.strides[1], t.strides[4], order); break;
        case 7: BlockReduceSum(d, a, t.repeats, count, t.strides[3], t.strides[1], t.strides[4]); break;
        case 8: BlockReduceMax(d, a, t.repeats, count, t.strides[3], t.strides[1], t.strides[4]); break;
        case 9: BlockReduceMin(d, a, t.repeats, count, t.strides[3], t.strides[1], t.strides[4]); break;
        case 10:
            SetMaskCount();
            SetVectorMask<DTYPE_X>(0, t.count);
            WholeReduceSum<DTYPE_X, false>(d, a, MASK_PLACEHOLDER, 1, 1, 1, 8);
            SetMaskNorm();
            break;
        case 11: PairReduceSum(d, a, t.repeats, count, t.strides[3], t.strides[1], t.strides[4]); break;
        case 12: RepeatReduceSum(d, a, t.repeats, count, 0, t.strides[1], t.strides[3], t.strides[4]); break;
        case 13: {  // the results that stay in registers
            ReduceSum(d, a, scratch, t.count);
            const DTYPE_X sum = GetAccVal<DTYPE_X>();
            ReduceMax(d, a, scratch, t.count, true);
            DTYPE_X most, index;
            GetReduceMaxMinCount(most, index);
            d.SetValue(0, sum);
            d.SetValue(1, most);
            d.SetValue(2, index);
            break;
        }
    }
    PipeBarrier<PIPE_ALL>();
    frame.store(out, d, t.bytes);
}
