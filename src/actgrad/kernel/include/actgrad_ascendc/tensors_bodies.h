// Bodies of tensors.h.
#pragma once

#include "tensors.h"
#include "core_bodies.h"

namespace actgrad {

ACTGRAD_BODY Where origin_of(uint32_t address, uint32_t bytes, Where otherwise)
{
    Where origin = otherwise;
    Shadow::for_blocks(address, bytes, [&](uint32_t block, uint32_t) {
        if (core->shadow->origin[block].line != 0 && core->shadow->defined[block] != ~0u)
            origin = core->shadow->origin[block];
    });
    return origin;
}

ACTGRAD_BODY void report_undefined(uint32_t address, uint32_t bytes, uint32_t low, Where at)
{
    uint32_t first = address;
    while (first < address + bytes && core->shadow->is_defined(first, 1)) ++first;
    const Where origin = origin_of(first, 1, at);
    if (origin.line == at.line && origin.file == at.file)
        ACTGRAD_ERROR(ub_uninitialised, at, "byte %u of the buffer, which no call has written, goes to global memory",
                      first - low);
    else
        ACTGRAD_ERROR(ub_uninitialised, origin, "the call reads bytes that no call has written, and the result goes "
                      "to global memory at line %d", at.line);
}

}  // namespace actgrad
