/* Stretches of memory in use: an array sorted by address. What lies between two of them is free, so that nothing has
   to be merged when one goes. */
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

size_t actgrad_blocks_after(const Blocks* blocks, uint64_t address) {
    size_t low = 0;
    size_t high = blocks->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (blocks->all[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const Block* actgrad_blocks_find(const Blocks* blocks, uint64_t address) {
    size_t after = actgrad_blocks_after(blocks, address);
    if (after == 0) return NULL;
    const Block* block = &blocks->all[after - 1];
    return address - block->start < block->size ? block : NULL;
}

bool actgrad_blocks_insert(Blocks* blocks, size_t index, Block block) {
    if (blocks->count == blocks->capacity) {
        size_t capacity = blocks->capacity == 0 ? 64 : 2 * blocks->capacity;
        Block* larger = realloc(blocks->all, capacity * sizeof *larger);
        if (larger == NULL) return false;
        blocks->all = larger;
        blocks->capacity = capacity;
    }
    memmove(&blocks->all[index + 1], &blocks->all[index], (blocks->count - index) * sizeof block);
    blocks->all[index] = block;
    blocks->count++;
    return true;
}

void actgrad_blocks_remove(Blocks* blocks, size_t index) {
    blocks->count--;
    memmove(&blocks->all[index], &blocks->all[index + 1], (blocks->count - index) * sizeof *blocks->all);
}
