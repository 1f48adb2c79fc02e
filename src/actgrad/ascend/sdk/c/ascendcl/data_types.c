/* Sizes of data types, and conversion between half and float. In ACL's conversion, no half is infinity or NaN. */
#include "runtime.h"

#include <math.h>
#include <string.h>

#include "data_types.h" /* generated from the registry's data types */

enum { SIGN = 0x8000, LARGEST = 0x7bff, FRACTION_BITS = 10, BIAS = 15 };

/** Converts a half to float. The largest exponent has no special meaning: the bits of infinity mean 65536. */
float aclFloat16ToFloat(aclFloat16 value) {
    int exponent = value >> FRACTION_BITS & 31;
    int fraction = value & 1023;
    float magnitude = exponent == 0 ? ldexpf((float)fraction, 1 - BIAS - FRACTION_BITS)
                                    : ldexpf((float)(1024 + fraction), exponent - BIAS - FRACTION_BITS);
    return value & SIGN ? -magnitude : magnitude;
}

/* The half that is nearest to a float in [0, 65520), ties to even. */
static uint32_t nearest(uint32_t bits) {
    const uint32_t smallest_normal = 0x38800000u; /* 2^-14 */
    if (bits >= smallest_normal) {
        uint32_t rounded = bits + 0xfff + (bits >> 13 & 1); /* a tie rounds to the even neighbour */
        return ((rounded - smallest_normal) >> 13) + (1u << FRACTION_BITS);
    }
    float magnitude;
    memcpy(&magnitude, &bits, sizeof magnitude);
    return (uint32_t)lrintf(magnitude * 0x1p24f); /* subnormal halves are multiples of 2^-24 */
}

/** Returns the nearest half, ties to even. If `value` is too large, infinite or NaN, returns 65504 with its sign. */
aclFloat16 aclFloatToFloat16(float value) {
    const uint32_t too_large = 0x477ff000u; /* 65520, halfway to 65536 */
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t sign = bits >> 16 & SIGN;
    bits &= 0x7fffffffu;
    return (aclFloat16)(sign | (bits >= too_large ? LARGEST : nearest(bits)));
}

/** Returns the bytes of an element, or 0 if an element has no fixed size or no whole number of bytes. */
size_t aclDataTypeSize(aclDataType dataType) {
    for (size_t k = 0; k < sizeof DATA_TYPES / sizeof *DATA_TYPES; k++)
        if (DATA_TYPES[k].number == (int32_t)dataType) return DATA_TYPES[k].size;
    return 0;
}
