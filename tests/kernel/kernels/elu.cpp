#include "elu.h"

template <uint32_t mode>
__global__ __aicore__ void elu(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(EluTilingData);
    GET_TILING_DATA_WITH_STRUCT(EluTilingData, tilingData, tiling);
    AscendC::TPipe pipe;
    NsElu::Elu<DTYPE_X, mode> op;
    op.Init(x, y, tilingData, &pipe);
    op.Process();
}
