// What the host tells kernels over rows.
#ifndef ROWS_TILING_H
#define ROWS_TILING_H

#include <cstdint>

struct RowsTilingData {
    uint32_t rows;
    uint32_t rowsPerBlock;
    uint32_t cols;
    uint32_t tile;  // columns, or rows where several rows are a tile
};

#endif
