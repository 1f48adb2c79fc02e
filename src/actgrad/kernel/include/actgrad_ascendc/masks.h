// Masks: which elements of each repeat a vector call handles, if its own mask is switched off (isSetMask = false).
#pragma once

#include "vector.h"

namespace AscendC {

// Counter mode: the mask is the number of all elements. SetMaskNorm ends it.
inline void SetMaskCount(ACTGRAD_AT)
{
    actgrad::core->counter_mode = true;
    actgrad::core->counter_mode_at = at;
}
// Normal mode, the default: the mask applies to each repeat.
inline void SetMaskNorm() { actgrad::core->counter_mode = false; }

// The bits of both words, high one first; in Counter mode `low` is the number of elements.
template <class T, MaskMode mode = MaskMode::NORMAL>
void SetVectorMask(uint64_t high, uint64_t low, ACTGRAD_AT)
{
    if (mode == MaskMode::NORMAL && !actgrad::core->counter_mode && high == 0 && low == 0)
        ACTGRAD_ERROR(mask_or_repeat, at, "SetVectorMask with no bit picks no element");
    if (high != 0 && (sizeof(T) >= 4 || mode == MaskMode::COUNTER || actgrad::core->counter_mode))
        ACTGRAD_ERROR(mask_or_repeat, at, "the upper word of SetVectorMask is not 0; it has no meaning here");
    actgrad::core->mask[0] = low;
    actgrad::core->mask[1] = high;
}
// The leading `length` elements of each repeat; in Counter mode the number of all elements.
template <class T, MaskMode mode = MaskMode::NORMAL>
void SetVectorMask(int32_t length, ACTGRAD_AT)
{
    constexpr int lanes = 256 / sizeof(T);
    if (mode == MaskMode::COUNTER || actgrad::core->counter_mode) {
        actgrad::core->mask[0] = static_cast<uint64_t>(length);
        actgrad::core->mask[1] = 0;
        return;
    }
    if (length < 1 || length > lanes)
        ACTGRAD_ERROR(mask_or_repeat, at, "SetVectorMask gets %d; a repeat has %d elements of %s", length, lanes,
                      actgrad::type_name<T>());
    actgrad::leading_bits(actgrad::core->mask, static_cast<uint64_t>(std::min(std::max(length, 0), lanes)));
}
// All elements.
inline void ResetMask() { actgrad::core->mask[0] = actgrad::core->mask[1] = ~0ull; }

}  // namespace AscendC
