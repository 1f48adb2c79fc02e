#include "kernel_operator.h"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <new>
#include <stdexcept>

using namespace AscendC;

__attribute__((noinline)) int64_t deeper(int64_t depth)
{
    volatile int64_t frame[64] = {depth};  // line stack
    return depth == 0 ? 0 : deeper(depth - 1) + frame[0];
}
__attribute__((noinline)) void large_frame(int64_t at)
{
    volatile uint8_t frame[32 << 20];
    frame[at] = 1;  // line frame
}

// What a kernel may do to the process. The comment `line NAME` marks the line that a report must name.
struct RunningTiling {
    int32_t what;
    int64_t value;
    float numbers[3];
};

extern "C" __global__ __aicore__ void running(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(RunningTiling, t, tiling);
    __gm__ float* out = (__gm__ float*)y;
    switch (t.what) {
        case 0: out[GetBlockIdx()] = t.value + GetBlockIdx() * 100 + t.numbers[1]; break;
        case 1: *(volatile int*)t.value = 1; break;  // line wild
        case 2:
            for (volatile bool forever = true; forever;) {  // line endless
            }
            break;
        case 3: throw std::runtime_error("thrown by the kernel");  // line thrown
        case 4: std::exit(3);
        case 5: std::abort();
        case 6: ((__gm__ float*)x)[0] = 2; break;  // line input
        case 7: out[t.value] = 1; break;  // line behind
        case 8: ASSERT(t.value == 0); break;  // line assert
        case 9: ((__gm__ uint8_t*)workspace)[t.value] = 1; break;
        case 10: {
            volatile int64_t zero = 0;
            out[0] = static_cast<float>(t.value / zero);  // line division
            break;
        }
        case 11: SyncAll(); break;
        case 12:
            if (GetBlockIdx() != 2) SyncAll();  // line deadlock
            break;
        case 14: out[0] = static_cast<float>(deeper(t.value)); break;
        case 15: large_frame(t.value); break;
        case 16:
            for (int64_t i = 0; i < t.value; ++i) *new volatile uint8_t[1 << 30] = 1;
            break;
        case 17:
            for (int64_t i = 0; i < t.value; ++i) printf("line %d\n", static_cast<int>(i));
            out[0] = 1;
            break;
        case 18: out[0] = fork() == 0 ? 0 : 1; break;  // line forks
        case 25: kill(getpid(), SIGKILL); break;
        case 26: _exit(0);
        case 19:
            CrossCoreSetFlag<0, PIPE_MTE3>(2);
            CrossCoreWaitFlag(2);
            break;
        case 20: CrossCoreWaitFlag(2); break;  // line unpaired
        case 21: CrossCoreSetFlag<0, PIPE_V>(16); break;  // line id
        case 22: out[0] = x == nullptr; break;
        case 23: GlobalTensor<float>().GetValue(0); break;  // line null
        case 24: {  // one block after the other
            TPipe pipe;
            TBuf<> ub;
            pipe.InitBuffer(ub, 32);
            GlobalTensor<int32_t> flags;
            GlobalTensor<float> sum;
            flags.SetGlobalBuffer((__gm__ int32_t*)workspace);
            sum.SetGlobalBuffer(out);
            const int32_t block = GetBlockIdx(), last = GetBlockNum() - 1;
            if (block > 0 && t.value != 1) IBWait(flags, ub.Get<int32_t>(), block - 1, 0);  // line waits
            sum.SetValue(0, sum.GetValue(0) + 1);  // line sum
            if (block < last && t.value != 2) IBSet(flags, ub.Get<int32_t>(), block, 0);
            if (t.value == 3 && block == last) IBSet(flags, ub.Get<int32_t>(), block, 0);  // line set
            break;
        }
        case 13: ((__gm__ uint8_t*)tiling)[0] = 1; break;  // line tiling
    }
}

__global__ __aicore__ void values(GM_ADDR y, int32_t count, float factor)
{
    for (int32_t i = 0; i < count; ++i) ((__gm__ float*)y)[i] = factor * i;
}

__global__ __aicore__ void same_memory(GM_ADDR x, GM_ADDR y)
{
    ((__gm__ float*)y)[0] = ((__gm__ float*)x)[0] + 1;
    ((__gm__ float*)y)[1] = ((__gm__ float*)x)[0] + 1;
}
