// What all kernels here have in common: FAULT is the number of the fault to plant, 0 for none. The line that a report
// must name carries the comment "FAULT number: kind"; where two accesses conflict, either line may be named.
#ifndef FAULTY_H
#define FAULTY_H

#include <cstdint>

#ifndef FAULT
#define FAULT 0
#endif

struct FaultyTilingData {
    uint32_t total;
    uint32_t perBlock;
    uint32_t tile;
};

#endif
