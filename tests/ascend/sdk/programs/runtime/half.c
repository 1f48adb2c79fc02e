/* Conversion of halves, judged by arithmetic in double, and the sizes of data types. */
#include "check.h"

#include <math.h>

/* From the definition, with the largest exponent an exponent like the others. */
static double value_of(unsigned half) {
    int exponent = half >> 10 & 31;
    double magnitude = exponent == 0 ? (half & 1023) / 1024.0 * pow(2, -14)
                                     : (1 + (half & 1023) / 1024.0) * pow(2, exponent - 15);
    return half >> 15 ? -magnitude : magnitude;
}

/* Among 0 to 65504, the nearest; of two, the even one. Found by search, not by rounding. */
static unsigned nearest(double magnitude) {
    unsigned low = 0, high = 0x7bff;
    if (!(magnitude < value_of(high))) return high;
    while (high - low > 1) {
        unsigned middle = (low + high) / 2;
        if (value_of(middle) <= magnitude)
            low = middle;
        else
            high = middle;
    }
    double below = magnitude - value_of(low), above = value_of(high) - magnitude;
    return below < above || (below == above && low % 2 == 0) ? low : high;
}

static void check_float(float value) {
    unsigned sign = signbit(value) ? 0x8000 : 0;
    unsigned wanted = sign | (isnan(value) ? 0x7bff : nearest(fabs((double)value)));
    unsigned got = aclFloatToFloat16(value);
    if (got == wanted) return;
    fprintf(stderr, "aclFloatToFloat16(%a) gives %#x, not %#x\n", (double)value, got, wanted);
    _exit(1);
}

static void every_half(void) {
    for (unsigned half = 0; half < 65536; half++) {
        float value = aclFloat16ToFloat((aclFloat16)half);
        CHECK((double)value == value_of(half) && !signbit(value) == !(half >> 15));
        unsigned largest = (half & 0x8000) | 0x7bff;
        CHECK(aclFloatToFloat16(value) == ((half & 0x7fff) < 0x7c00 ? half : largest));
        float between = (float)((value_of(half) + value_of(half ^ 1)) / 2); /* a tie, or as good as one */
        check_float(between);
        check_float(nextafterf(between, INFINITY));
        check_float(nextafterf(between, -INFINITY));
    }
}

static void many_floats(void) {
    uint32_t bits = 0;
    for (int k = 0; k < 300000; k++) {
        float value;
        bits += 14327; /* an odd step: all exponents, all parts of the fraction */
        memcpy(&value, &bits, sizeof value);
        check_float(value);
    }
}

static void documented(void) {
    CHECK(aclFloat16ToFloat(0x7c00) == 65536 && aclFloat16ToFloat(0xfc00) == -65536);
    CHECK(aclFloat16ToFloat(0x7e00) == 98304);
    CHECK(aclFloatToFloat16(INFINITY) == 0x7bff && aclFloatToFloat16(-INFINITY) == 0xfbff);
    CHECK(aclFloatToFloat16(NAN) == 0x7bff && aclFloatToFloat16(1e10f) == 0x7bff);
    CHECK(aclFloatToFloat16(65519.99f) == 0x7bff && aclFloatToFloat16(65520) == 0x7bff);
    CHECK(aclFloatToFloat16(-0.0f) == 0x8000 && aclFloatToFloat16(1) == 0x3c00);
    CHECK(aclFloatToFloat16(0x1p-24f) == 1 && aclFloatToFloat16(0x1p-25f) == 0 && aclFloatToFloat16(0x1.1p-25f) == 1);
}

static void sizes(void) {
    CHECK(aclDataTypeSize(ACL_BOOL) == 1 && aclDataTypeSize(ACL_INT8) == 1 && aclDataTypeSize(ACL_FLOAT8_E5M2) == 1);
    CHECK(aclDataTypeSize(ACL_FLOAT16) == 2 && aclDataTypeSize(ACL_BF16) == 2 && aclDataTypeSize(ACL_INT16) == 2);
    CHECK(aclDataTypeSize(ACL_FLOAT) == 4 && aclDataTypeSize(ACL_INT32) == 4 && aclDataTypeSize(ACL_COMPLEX32) == 4);
    CHECK(aclDataTypeSize(ACL_DOUBLE) == 8 && aclDataTypeSize(ACL_INT64) == 8 && aclDataTypeSize(ACL_COMPLEX64) == 8);
    CHECK(aclDataTypeSize(ACL_COMPLEX128) == 16);
    CHECK(aclDataTypeSize(ACL_STRING) == 0 && aclDataTypeSize(ACL_DT_UNDEFINED) == 0);
    CHECK(aclDataTypeSize((aclDataType)1000) == 0);
}

int main(void) {
    every_half();
    many_floats();
    documented();
    sizes();
    return 0;
}
