/* Conversion between half and float as ACL does it: a half has neither infinity nor NaN. */
#include "runtime.h"

#include <math.h>
#include <string.h>

enum { SIGN = 0x8000, LARGEST = 0x7bff, FRACTION_BITS = 10, BIAS = 15 };

/* With the largest exponent an exponent like the others: infinity is 65536, and 0x7e00 98304. */
float aclFloat16ToFloat(aclFloat16 value) {
    int exponent = value >> FRACTION_BITS & 31;
    int fraction = value & 1023;
    float magnitude = exponent == 0 ? ldexpf((float)fraction, 1 - BIAS - FRACTION_BITS)
                                    : ldexpf((float)(1024 + fraction), exponent - BIAS - FRACTION_BITS);
    return value & SIGN ? -magnitude : magnitude;
}

/* The half above zero that is nearest to a float in [0, 65520), ties to even. */
static uint32_t nearest(uint32_t bits) {
    const uint32_t smallest_normal = 0x38800000u; /* 2^-14 */
    if (bits >= smallest_normal) {
        uint32_t rounded = bits + 0xfff + (bits >> 13 & 1); /* a tie goes to the even neighbour */
        return ((rounded - smallest_normal) >> 13) + (1u << FRACTION_BITS);
    }
    float magnitude;
    memcpy(&magnitude, &bits, sizeof magnitude);
    return (uint32_t)lrintf(magnitude * 0x1p24f); /* subnormal halves are multiples of 2^-24 */
}

aclFloat16 aclFloatToFloat16(float value) {
    const uint32_t too_large = 0x477ff000u; /* 65520, halfway to what the largest exponent would be */
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t sign = bits >> 16 & SIGN;
    bits &= 0x7fffffffu;
    return (aclFloat16)(sign | (bits >= too_large ? LARGEST : nearest(bits)));
}

size_t aclDataTypeSize(aclDataType dataType) {
    switch (dataType) {
        case ACL_INT8:
        case ACL_UINT8:
        case ACL_BOOL:
        case ACL_HIFLOAT8:
        case ACL_FLOAT8_E5M2:
        case ACL_FLOAT8_E4M3FN:
        case ACL_FLOAT8_E8M0: return 1;
        case ACL_FLOAT16:
        case ACL_BF16:
        case ACL_INT16:
        case ACL_UINT16: return 2;
        case ACL_FLOAT:
        case ACL_INT32:
        case ACL_UINT32:
        case ACL_COMPLEX32: return 4;
        case ACL_DOUBLE:
        case ACL_INT64:
        case ACL_UINT64:
        case ACL_COMPLEX64: return 8;
        case ACL_COMPLEX128: return 16;
        default: return 0;
    }
}
