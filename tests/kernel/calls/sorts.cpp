#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t N = 256;
constexpr NdDmaConfig NEAREST = {true, 0xFFFF, 0xFFFF, false};

struct SortsTiling {
    uint32_t what;
};

// Values and indices, sorted: 0 all of them, 1 each 32 of them, 2 each 32 of them, which then are merged.
template <typename T>
__aicore__ inline void Sorted(GM_ADDR x, GM_ADDR values, GM_ADDR indices, uint32_t what)
{
    TPipe pipe;
    TBuf<> ub;
    pipe.InitBuffer(ub, 16 * 1024);
    LocalTensor<T> a = ub.Get<T>(N), value = ub.GetWithOffset<T>(N, 8192);
    LocalTensor<uint32_t> given = ub.GetWithOffset<uint32_t>(N, 1024), index = ub.GetWithOffset<uint32_t>(N, 12288);
    LocalTensor<T> pairs = ub.GetWithOffset<T>(GetSortLen<T>(N), 2048), work = ub.GetWithOffset<T>(GetSortLen<T>(N), 4096);
    GlobalTensor<T> xGm, valueGm;
    GlobalTensor<uint32_t> indexGm;
    xGm.SetGlobalBuffer((__gm__ T*)x);
    valueGm.SetGlobalBuffer((__gm__ T*)values);
    indexGm.SetGlobalBuffer((__gm__ uint32_t*)indices);
    DataCopy(a, xGm, N);
    for (uint32_t i = 0; i < N; i++) given.SetValue(i, i);
    PipeBarrier<PIPE_ALL>();
    if (what == 0) {
        LocalTensor<T> all;
        Concat(all, a, work, N / 32);
        Sort<T, true>(pairs, all, given, work, N / 32);
    } else {
        Sort32(pairs, a, given, N / 32);
    }
    if (what == 2) {
        const uint16_t lengths[4] = {32, 32, 32, 32}, halves[4] = {128, 128, 0, 0};
        const uint32_t list = GetSortOffset<T>(32);
        MrgSort4Info four(lengths, false, 15, 2);
        MrgSort(work, MrgSortSrcList<T>(pairs, pairs[list], pairs[2 * list], pairs[3 * list]), four);
        MrgSort4Info two(halves, false, 3, 1);
        MrgSort(pairs, MrgSortSrcList<T>(work, work[4 * list], work, work), two);
        uint16_t taken[4];
        GetMrgSortResult(taken[0], taken[1], taken[2], taken[3]);
        ASSERT(taken[0] == 128 && taken[1] == 128);
    }
    Extract(value, index, pairs, N / 32);
    PipeBarrier<PIPE_ALL>();
    DataCopy(valueGm, value, N);
    DataCopy(indexGm, index, N);
}

// 3: parts of the rows 0 and 2 of x (3 x 87) into rows of 60. 4: x (3 x 4) transposed and padded to 5 x 8, with a number
// and with the nearest elements. 5: slices that do not fit together.
__aicore__ inline void Copied(GM_ADDR x, GM_ADDR y, uint32_t what)
{
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 4096);
    GlobalTensor<float> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ float*)x);
    yGm.SetGlobalBuffer((__gm__ float*)y);
    LocalTensor<float> a = queue.AllocTensor<float>();
    const SliceInfo from[] = {{16, 70, 7, 3, 87}, {0, 2, 1, 1, 3}}, ub[] = {{0, 47, 0, 3, 48}, {0, 1, 0, 1, 2}};
    const SliceInfo to[] = {{4, 55, 4, 3, 60}, {0, 1, 0, 1, 2}}, wrong[] = {{0, 46, 0, 3, 48}, {0, 1, 0, 1, 2}};
    if (what == 4) {
        const NdDmaParams<float, 2> params{{{4, 1}, {1, 8}, {3, 4}, {1, 1}, {4, 0}}, 9.0f};
        DataCopy(a, xGm, params);
        DataCopy<float, 2, NEAREST>(a[40], xGm, params);
    } else {
        DataCopy(a, xGm, ub, from, 2);
    }
    queue.EnQue(a);
    a = queue.DeQue<float>();
    if (what == 4) DataCopy(yGm, a, 80);
    if (what == 3) DataCopy(yGm, a, to, ub, 2);
    if (what == 5) DataCopy(yGm, a, to, wrong, 2);  // line wrong
    queue.FreeTensor(a);
}

extern "C" __global__ __aicore__ void sorts(GM_ADDR x, GM_ADDR y, GM_ADDR indices, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(SortsTiling, t, tiling);
    if (t.what < 3) Sorted<DTYPE_X>(x, y, indices, t.what);
    else Copied(x, y, t.what);
}
