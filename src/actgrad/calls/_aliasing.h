/* The rule on an output's memory: an output is exactly an input, or apart from every other tensor.
   `calls/aliasing.py` states the same rule for Python, and decides interleaved views exactly. */
#ifndef ACTGRAD_ALIASING_H
#define ACTGRAD_ALIASING_H

#include <stdint.h>

/* A tensor's bytes, counted from its address: the first one, and the end. */
typedef struct {
    int64_t low, high;
} actgrad_bytes;

/* Whether an output at `place` may be written beside a tensor at `other`; false also where only addresses can tell.
   `is_alike`: the tensor is an input of the output's dtype, shape and strides. */
static inline int actgrad_may_write(
    int64_t place, actgrad_bytes bytes, int64_t other, actgrad_bytes other_bytes, int is_alike) {
    return place + bytes.high <= other + other_bytes.low || other + other_bytes.high <= place + bytes.low ||
           (place == other && is_alike);
}

#endif
