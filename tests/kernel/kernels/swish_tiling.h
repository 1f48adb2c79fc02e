// The tiling data of swish, declared by the host's macros.
#ifndef SWISH_TILING_H
#define SWISH_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(SwishTilingData)
TILING_DATA_FIELD_DEF(uint8_t, hasBeta);
TILING_DATA_FIELD_DEF(uint32_t, tile);
TILING_DATA_FIELD_DEF(uint64_t, total);
TILING_DATA_FIELD_DEF(float, beta);
TILING_DATA_FIELD_DEF(uint64_t, perBlock);
TILING_DATA_FIELD_DEF_ARR(uint32_t, 3, unused);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(Swish, SwishTilingData)
}  // namespace optiling

#endif
