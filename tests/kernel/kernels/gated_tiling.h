// What the host tells the gated kernels: x has rows of 2 * cols elements, a result rows of cols.
#ifndef GATED_TILING_H
#define GATED_TILING_H

#include <cstdint>

struct GatedTilingData {
    uint64_t rows;
    uint64_t rowsPerBlock;
    uint32_t cols;
    uint32_t tileRows;  // rows of a tile, 1 where a row does not fit
    uint32_t tileCols;  // columns of a tile, cols where a row fits
    uint32_t pitch;     // elements from row to row in the buffers: tileCols rounded up to 64
};

#endif
