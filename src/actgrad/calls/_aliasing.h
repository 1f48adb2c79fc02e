/* The rule for the memory of an output: it is exactly an input (in place), or it overlaps no other tensor.
   `calls/aliasing.py` has the same rule in Python. It also decides exactly whether interleaved views share elements. */
#ifndef ACTGRAD_ALIASING_H
#define ACTGRAD_ALIASING_H

#include <stdint.h>

/* The bytes of a tensor, relative to its address: the first byte, and the byte after the last one. */
typedef struct {
    int64_t low, high;
} actgrad_bytes;

/* Whether an output at `address` may be written while a tensor at `other` is in use. False if the ranges of bytes
   overlap, although the elements may interleave and share no byte. `is_alike`: the tensor is an input with the dtype,
   the shape and the strides of the output. */
static inline int actgrad_may_write(
    int64_t address, actgrad_bytes bytes, int64_t other, actgrad_bytes other_bytes, int is_alike) {
    return address + bytes.high <= other + other_bytes.low || other + other_bytes.high <= address + bytes.low ||
           (address == other && is_alike);
}

#endif
