// What the tiling function tells the kernel.
#ifndef CELU_TILING_DATA_H
#define CELU_TILING_DATA_H

#include <cstdint>

struct CeluTilingData {
    uint64_t total;     // elements of the tensor
    uint64_t perBlock;  // elements of a block; the last block may have fewer
    uint32_t tile;      // elements that a block works on at a time
    float alpha;
};

#endif
