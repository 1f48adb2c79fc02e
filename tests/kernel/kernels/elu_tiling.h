// What the host tells the kernels elu and elu_backward.
#ifndef ELU_TILING_H
#define ELU_TILING_H

#include <cstdint>

struct EluTilingData {
    uint64_t total;     // elements of the tensor
    uint64_t perBlock;  // elements of a block; the last ones have fewer or none
    uint32_t tile;      // elements of a tile, a multiple of 128
    float alpha;
    float scale;
    float inputScale;
};

#endif
