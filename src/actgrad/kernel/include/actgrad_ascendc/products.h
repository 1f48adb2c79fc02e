// Facts of the products. Written by `python -m actgrad.kernel.products` from products.json; do not edit.
//
// __NPU_ARCH__ chooses the product. A call's row has a bit for each element type that the product takes.
#pragma once

#include <cstdint>

#ifndef __NPU_ARCH__
#define __NPU_ARCH__ 2201
#endif
#if __NPU_ARCH__ == 2002
#ifndef __CCE_AICORE__
#define __CCE_AICORE__ 200
#endif
#define ACTGRAD_UB_BYTES 262144
#define ACTGRAD_VECTOR_CORES 8
#define ACTGRAD_CUBE_CORES 8
#elif __NPU_ARCH__ == 2201
#ifndef __CCE_AICORE__
#define __CCE_AICORE__ 220
#endif
#define ACTGRAD_UB_BYTES 196608
#define ACTGRAD_VECTOR_CORES 48
#define ACTGRAD_CUBE_CORES 24
#elif __NPU_ARCH__ == 3510
#ifndef __CCE_AICORE__
#define __CCE_AICORE__ 310
#endif
#define ACTGRAD_UB_BYTES 253952
#define ACTGRAD_VECTOR_CORES 64
#define ACTGRAD_CUBE_CORES 32
#else
#error "actgrad imitates the products with __NPU_ARCH__ 3510, 2201 and 2002; define one of them"
#endif

namespace actgrad {

enum class Call : uint8_t { Abs, Add, AddRelu, Adds, And, BlockReduceMax, BlockReduceMin, BlockReduceSum, Brcb, Compare, CompareScalar, Compares, Copy, CreateVecIndex, DeInterleave, Div, Divs, Duplicate, Erf, Exp, FusedMulAdd, FusedMulAddRelu, Gather, Gatherb, Gelu, Interleave, LeakyRelu, Ln, Log, Max, Maxs, Min, Mins, Mul, Muls, Neg, Not, Or, PairReduceSum, Prelu, Reciprocal, ReduceMax, ReduceMin, ReduceSum, Relu, RepeatReduceSum, Rsqrt, Scatter, Select, ShiftLeft, ShiftRight, Sigmoid, Sqrt, Sub, SubRelu, Subs, Tanh, TransDataTo5HD, WholeReduceMax, WholeReduceMin, WholeReduceSum };
enum class Type : uint8_t { bool_, int8_t_, uint8_t_, int16_t_, uint16_t_, int32_t_, uint32_t_, int64_t_, uint64_t_, half_, bfloat16_t_, float_, double_, fp8_e5m2_t_, fp8_e4m3fn_t_, hifloat8_t_, fp8_e8m0_t_, fp4x2_e2m1_t_, fp4x2_e1m2_t_, int4b_t_ };

#if __NPU_ARCH__ == 2002
constexpr uint32_t types_of_calls[] = {
    0x00A00,  // Abs: half float
    0x00A28,  // Add: int16_t int32_t half float
    0x00A08,  // AddRelu: int16_t half float
    0x00A28,  // Adds: int16_t int32_t half float
    0x00018,  // And: int16_t uint16_t
    0x00A00,  // BlockReduceMax: half float
    0x00A00,  // BlockReduceMin: half float
    0x00A00,  // BlockReduceSum: half float
    0x00A78,  // Brcb: int16_t uint16_t int32_t uint32_t half float
    0x00A00,  // Compare: half float
    0x00A00,  // CompareScalar: half float
    0x00A00,  // Compares: half float
    0x00000,  // Copy: not on this product
    0x00000,  // CreateVecIndex: not on this product
    0x00000,  // DeInterleave: not on this product
    0x00A00,  // Div: half float
    0x00000,  // Divs: not on this product
    0x00E78,  // Duplicate: int16_t uint16_t int32_t uint32_t half bfloat16_t float
    0x00A00,  // Erf: half float
    0x00A00,  // Exp: half float
    0x00A00,  // FusedMulAdd: half float
    0x00A00,  // FusedMulAddRelu: half float
    0x00A78,  // Gather: int16_t uint16_t int32_t uint32_t half float
    0x00A78,  // Gatherb: int16_t uint16_t int32_t uint32_t half float
    0x00A00,  // Gelu: half float
    0x00000,  // Interleave: not on this product
    0x00A00,  // LeakyRelu: half float
    0x00A00,  // Ln: half float
    0x00A00,  // Log: half float
    0x00A28,  // Max: int16_t int32_t half float
    0x00A28,  // Maxs: int16_t int32_t half float
    0x00A28,  // Min: int16_t int32_t half float
    0x00A28,  // Mins: int16_t int32_t half float
    0x00A28,  // Mul: int16_t int32_t half float
    0x00A28,  // Muls: int16_t int32_t half float
    0x00000,  // Neg: not on this product
    0x00018,  // Not: int16_t uint16_t
    0x00018,  // Or: int16_t uint16_t
    0x00A00,  // PairReduceSum: half float
    0x00000,  // Prelu: not on this product
    0x00A00,  // Reciprocal: half float
    0x00A00,  // ReduceMax: half float
    0x00A00,  // ReduceMin: half float
    0x00A00,  // ReduceSum: half float
    0x00A20,  // Relu: int32_t half float
    0x00A00,  // RepeatReduceSum: half float
    0x00A00,  // Rsqrt: half float
    0x00A50,  // Scatter: uint16_t uint32_t half float
    0x00A00,  // Select: half float
    0x00000,  // ShiftLeft: not on this product
    0x00000,  // ShiftRight: not on this product
    0x00A00,  // Sigmoid: half float
    0x00A00,  // Sqrt: half float
    0x00A28,  // Sub: int16_t int32_t half float
    0x00A08,  // SubRelu: int16_t half float
    0x00000,  // Subs: not on this product
    0x00A00,  // Tanh: half float
    0x00A7E,  // TransDataTo5HD: int8_t uint8_t int16_t uint16_t int32_t uint32_t half float
    0x00A00,  // WholeReduceMax: half float
    0x00A00,  // WholeReduceMin: half float
    0x00A00,  // WholeReduceSum: half float
};
struct CastRow { Type from, to; uint8_t modes; bool scaled; };  // a bit for each RoundMode
constexpr CastRow cast_rows[] = {
    {Type::int8_t_, Type::half_, 0x01, false},  // NONE
    {Type::uint8_t_, Type::half_, 0x01, false},  // NONE
    {Type::int16_t_, Type::half_, 0x01, false},  // NONE
    {Type::half_, Type::int4b_t_, 0x01, false},  // NONE
    {Type::half_, Type::int8_t_, 0x3D, false},  // FLOOR/CEIL/ROUND/TRUNC/NONE
    {Type::half_, Type::uint8_t_, 0x3D, false},  // FLOOR/CEIL/ROUND/TRUNC/NONE
    {Type::half_, Type::int16_t_, 0x02, false},  // RINT
    {Type::half_, Type::int32_t_, 0x3E, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC
    {Type::half_, Type::float_, 0x01, false},  // NONE
    {Type::int32_t_, Type::int16_t_, 0x01, false},  // NONE
    {Type::int32_t_, Type::half_, 0xFF, true},  // SetDeqScale
    {Type::int32_t_, Type::float_, 0x01, false},  // NONE
    {Type::float_, Type::half_, 0x41, false},  // ODD/NONE
    {Type::float_, Type::int64_t_, 0x3E, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC
};
#elif __NPU_ARCH__ == 2201
constexpr uint32_t types_of_calls[] = {
    0x00A00,  // Abs: half float
    0x00A28,  // Add: int16_t int32_t half float
    0x00A08,  // AddRelu: int16_t half float
    0x00A28,  // Adds: int16_t int32_t half float
    0x00018,  // And: int16_t uint16_t
    0x00A00,  // BlockReduceMax: half float
    0x00A00,  // BlockReduceMin: half float
    0x00A00,  // BlockReduceSum: half float
    0x00E78,  // Brcb: int16_t uint16_t int32_t uint32_t half bfloat16_t float
    0x00A20,  // Compare: int32_t half float
    0x00A20,  // CompareScalar: int32_t half float
    0x00A20,  // Compares: int32_t half float
    0x00E78,  // Copy: int16_t uint16_t int32_t uint32_t half bfloat16_t float
    0x00A28,  // CreateVecIndex: int16_t int32_t half float
    0x00000,  // DeInterleave: not on this product
    0x00A00,  // Div: half float
    0x00000,  // Divs: not on this product
    0x00E78,  // Duplicate: int16_t uint16_t int32_t uint32_t half bfloat16_t float
    0x00A00,  // Erf: half float
    0x00A00,  // Exp: half float
    0x00A00,  // FusedMulAdd: half float
    0x00A00,  // FusedMulAddRelu: half float
    0x00E78,  // Gather: int16_t uint16_t int32_t uint32_t half bfloat16_t float
    0x00E78,  // Gatherb: int16_t uint16_t int32_t uint32_t half bfloat16_t float
    0x00A00,  // Gelu: half float
    0x00000,  // Interleave: not on this product
    0x00A00,  // LeakyRelu: half float
    0x00A00,  // Ln: half float
    0x00A00,  // Log: half float
    0x00A28,  // Max: int16_t int32_t half float
    0x00A28,  // Maxs: int16_t int32_t half float
    0x00A28,  // Min: int16_t int32_t half float
    0x00A28,  // Mins: int16_t int32_t half float
    0x00A28,  // Mul: int16_t int32_t half float
    0x00A28,  // Muls: int16_t int32_t half float
    0x00000,  // Neg: not on this product
    0x00018,  // Not: int16_t uint16_t
    0x00018,  // Or: int16_t uint16_t
    0x00A00,  // PairReduceSum: half float
    0x00000,  // Prelu: not on this product
    0x00A00,  // Reciprocal: half float
    0x00A00,  // ReduceMax: half float
    0x00A00,  // ReduceMin: half float
    0x00A00,  // ReduceSum: half float
    0x00A20,  // Relu: int32_t half float
    0x00A00,  // RepeatReduceSum: half float
    0x00A00,  // Rsqrt: half float
    0x00000,  // Scatter: not on this product
    0x00A00,  // Select: half float
    0x00078,  // ShiftLeft: int16_t uint16_t int32_t uint32_t
    0x00078,  // ShiftRight: int16_t uint16_t int32_t uint32_t
    0x00A00,  // Sigmoid: half float
    0x00A00,  // Sqrt: half float
    0x00A28,  // Sub: int16_t int32_t half float
    0x00A08,  // SubRelu: int16_t half float
    0x00000,  // Subs: not on this product
    0x00A00,  // Tanh: half float
    0x00A7E,  // TransDataTo5HD: int8_t uint8_t int16_t uint16_t int32_t uint32_t half float
    0x00A00,  // WholeReduceMax: half float
    0x00A00,  // WholeReduceMin: half float
    0x00A00,  // WholeReduceSum: half float
};
struct CastRow { Type from, to; uint8_t modes; bool scaled; };  // a bit for each RoundMode
constexpr CastRow cast_rows[] = {
    {Type::int4b_t_, Type::half_, 0x01, false},  // NONE
    {Type::int8_t_, Type::half_, 0x01, false},  // NONE
    {Type::uint8_t_, Type::half_, 0x01, false},  // NONE
    {Type::int16_t_, Type::half_, 0x3F, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC/NONE
    {Type::int16_t_, Type::float_, 0x01, false},  // NONE
    {Type::half_, Type::int4b_t_, 0x3F, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC/NONE
    {Type::half_, Type::int8_t_, 0x3F, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC/NONE
    {Type::half_, Type::uint8_t_, 0x3F, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC/NONE
    {Type::half_, Type::int16_t_, 0x3E, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC
    {Type::half_, Type::int32_t_, 0x3E, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC
    {Type::half_, Type::float_, 0x01, false},  // NONE
    {Type::bfloat16_t_, Type::int32_t_, 0x3E, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC
    {Type::bfloat16_t_, Type::float_, 0x01, false},  // NONE
    {Type::int32_t_, Type::int16_t_, 0x01, false},  // NONE
    {Type::int32_t_, Type::half_, 0xFF, true},  // SetDeqScale
    {Type::int32_t_, Type::float_, 0x3F, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC/NONE
    {Type::int32_t_, Type::int64_t_, 0x01, false},  // NONE
    {Type::float_, Type::int16_t_, 0x3E, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC
    {Type::float_, Type::half_, 0x7F, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC/ODD/NONE
    {Type::float_, Type::bfloat16_t_, 0x3E, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC
    {Type::float_, Type::int32_t_, 0x3E, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC
    {Type::float_, Type::float_, 0x3E, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC
    {Type::float_, Type::int64_t_, 0x3E, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC
    {Type::int64_t_, Type::int32_t_, 0x01, false},  // NONE
    {Type::int64_t_, Type::float_, 0x3E, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC
};
#elif __NPU_ARCH__ == 3510
constexpr uint32_t types_of_calls[] = {
    0x00AAA,  // Abs: int8_t int16_t int32_t int64_t half float
    0x00FFE,  // Add: int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t half bfloat16_t float
    0x00A08,  // AddRelu: int16_t half float
    0x00FAE,  // Adds: int8_t uint8_t int16_t int32_t int64_t uint64_t half bfloat16_t float
    0x001FE,  // And: int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t
    0x00A00,  // BlockReduceMax: half float
    0x00A00,  // BlockReduceMin: half float
    0x00A00,  // BlockReduceSum: half float
    0x00FFE,  // Brcb: int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t half bfloat16_t float
    0x01FFE,  // Compare: int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t half bfloat16_t float double
    0x01FFE,  // CompareScalar: int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t half bfloat16_t float double
    0x01FFE,  // Compares: int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t half bfloat16_t float double
    0x7EFFE,  // Copy: int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t half bfloat16_t float fp8_e5m2_t fp8_e4m3fn_t hifloat8_t fp8_e8m0_t fp4x2_e2m1_t fp4x2_e1m2_t
    0x00AAA,  // CreateVecIndex: int8_t int16_t int32_t int64_t half float
    0x00FFE,  // DeInterleave: int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t half bfloat16_t float
    0x00BF8,  // Div: int16_t uint16_t int32_t uint32_t int64_t uint64_t half float
    0x00B80,  // Divs: int64_t uint64_t half float
    0x7EFFF,  // Duplicate: bool int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t half bfloat16_t float fp8_e5m2_t fp8_e4m3fn_t hifloat8_t fp8_e8m0_t fp4x2_e2m1_t fp4x2_e1m2_t
    0x00A00,  // Erf: half float
    0x00A00,  // Exp: half float
    0x00A00,  // FusedMulAdd: half float
    0x00A00,  // FusedMulAddRelu: half float
    0x00FFE,  // Gather: int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t half bfloat16_t float
    0x00E7E,  // Gatherb: int8_t uint8_t int16_t uint16_t int32_t uint32_t half bfloat16_t float
    0x00A00,  // Gelu: half float
    0x00FFE,  // Interleave: int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t half bfloat16_t float
    0x00A00,  // LeakyRelu: half float
    0x00A00,  // Ln: half float
    0x00A00,  // Log: half float
    0x00FFE,  // Max: int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t half bfloat16_t float
    0x00FAE,  // Maxs: int8_t uint8_t int16_t int32_t int64_t uint64_t half bfloat16_t float
    0x00FFE,  // Min: int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t half bfloat16_t float
    0x00FAE,  // Mins: int8_t uint8_t int16_t int32_t int64_t uint64_t half bfloat16_t float
    0x00FF8,  // Mul: int16_t uint16_t int32_t uint32_t int64_t uint64_t half bfloat16_t float
    0x00FA8,  // Muls: int16_t int32_t int64_t uint64_t half bfloat16_t float
    0x00AAA,  // Neg: int8_t int16_t int32_t int64_t half float
    0x00BFE,  // Not: int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t half float
    0x001FE,  // Or: int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t
    0x00A00,  // PairReduceSum: half float
    0x00A00,  // Prelu: half float
    0x00B80,  // Reciprocal: int64_t uint64_t half float
    0x00BF8,  // ReduceMax: int16_t uint16_t int32_t uint32_t int64_t uint64_t half float
    0x00BF8,  // ReduceMin: int16_t uint16_t int32_t uint32_t int64_t uint64_t half float
    0x00BE0,  // ReduceSum: int32_t uint32_t int64_t uint64_t half float
    0x00AA0,  // Relu: int32_t int64_t half float
    0x00A00,  // RepeatReduceSum: half float
    0x00A00,  // Rsqrt: half float
    0x00FFE,  // Scatter: int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t half bfloat16_t float
    0x00FFE,  // Select: int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t half bfloat16_t float
    0x001FE,  // ShiftLeft: int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t
    0x001FE,  // ShiftRight: int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t
    0x00A00,  // Sigmoid: half float
    0x00A00,  // Sqrt: half float
    0x00FFE,  // Sub: int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t half bfloat16_t float
    0x00A08,  // SubRelu: int16_t half float
    0x00FA8,  // Subs: int16_t int32_t int64_t uint64_t half bfloat16_t float
    0x00A00,  // Tanh: half float
    0x00E7E,  // TransDataTo5HD: int8_t uint8_t int16_t uint16_t int32_t uint32_t half bfloat16_t float
    0x00A78,  // WholeReduceMax: int16_t uint16_t int32_t uint32_t half float
    0x00A78,  // WholeReduceMin: int16_t uint16_t int32_t uint32_t half float
    0x00A78,  // WholeReduceSum: int16_t uint16_t int32_t uint32_t half float
};
struct CastRow { Type from, to; uint8_t modes; bool scaled; };  // a bit for each RoundMode
constexpr CastRow cast_rows[] = {
    {Type::int4b_t_, Type::int16_t_, 0x01, false},  // NONE
    {Type::int4b_t_, Type::half_, 0x01, false},  // NONE
    {Type::int4b_t_, Type::bfloat16_t_, 0x01, false},  // NONE
    {Type::int8_t_, Type::int16_t_, 0x01, false},  // NONE
    {Type::int8_t_, Type::half_, 0x01, false},  // NONE
    {Type::int8_t_, Type::int32_t_, 0x01, false},  // NONE
    {Type::uint8_t_, Type::uint16_t_, 0x01, false},  // NONE
    {Type::uint8_t_, Type::half_, 0x01, false},  // NONE
    {Type::uint8_t_, Type::uint32_t_, 0x01, false},  // NONE
    {Type::fp4x2_e2m1_t_, Type::bfloat16_t_, 0x01, false},  // NONE
    {Type::fp4x2_e1m2_t_, Type::bfloat16_t_, 0x01, false},  // NONE
    {Type::hifloat8_t_, Type::half_, 0x01, false},  // NONE
    {Type::hifloat8_t_, Type::float_, 0x01, false},  // NONE
    {Type::fp8_e5m2_t_, Type::float_, 0x01, false},  // NONE
    {Type::fp8_e4m3fn_t_, Type::float_, 0x01, false},  // NONE
    {Type::int16_t_, Type::int4b_t_, 0x01, false},  // NONE
    {Type::int16_t_, Type::uint8_t_, 0x01, false},  // NONE
    {Type::int16_t_, Type::half_, 0x3E, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC
    {Type::int16_t_, Type::int32_t_, 0x01, false},  // NONE
    {Type::int16_t_, Type::uint32_t_, 0x01, false},  // NONE
    {Type::int16_t_, Type::float_, 0x01, false},  // NONE
    {Type::uint16_t_, Type::uint8_t_, 0x01, false},  // NONE
    {Type::uint16_t_, Type::uint32_t_, 0x01, false},  // NONE
    {Type::half_, Type::int4b_t_, 0x3E, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC
    {Type::half_, Type::int8_t_, 0x3E, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC
    {Type::half_, Type::uint8_t_, 0x3E, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC
    {Type::half_, Type::hifloat8_t_, 0x90, false},  // ROUND/HYBRID
    {Type::half_, Type::int16_t_, 0x3E, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC
    {Type::half_, Type::bfloat16_t_, 0x3E, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC
    {Type::half_, Type::int32_t_, 0x3E, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC
    {Type::half_, Type::float_, 0x01, false},  // NONE
    {Type::bfloat16_t_, Type::fp4x2_e2m1_t_, 0x3E, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC
    {Type::bfloat16_t_, Type::fp4x2_e1m2_t_, 0x3E, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC
    {Type::bfloat16_t_, Type::half_, 0x3E, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC
    {Type::bfloat16_t_, Type::int32_t_, 0x3E, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC
    {Type::bfloat16_t_, Type::float_, 0x01, false},  // NONE
    {Type::int32_t_, Type::uint8_t_, 0x01, false},  // NONE
    {Type::int32_t_, Type::int16_t_, 0x01, false},  // NONE
    {Type::int32_t_, Type::uint16_t_, 0x01, false},  // NONE
    {Type::int32_t_, Type::half_, 0xFF, true},  // SetDeqScale
    {Type::int32_t_, Type::float_, 0x3E, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC
    {Type::int32_t_, Type::int64_t_, 0x01, false},  // NONE
    {Type::uint32_t_, Type::uint8_t_, 0x01, false},  // NONE
    {Type::uint32_t_, Type::int16_t_, 0x01, false},  // NONE
    {Type::uint32_t_, Type::uint16_t_, 0x01, false},  // NONE
    {Type::float_, Type::hifloat8_t_, 0x90, false},  // ROUND/HYBRID
    {Type::float_, Type::fp8_e5m2_t_, 0x02, false},  // RINT
    {Type::float_, Type::fp8_e4m3fn_t_, 0x02, false},  // RINT
    {Type::float_, Type::int16_t_, 0x3E, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC
    {Type::float_, Type::half_, 0x7F, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC/ODD/NONE
    {Type::float_, Type::bfloat16_t_, 0x3E, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC
    {Type::float_, Type::int32_t_, 0x3E, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC
    {Type::float_, Type::float_, 0x3E, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC
    {Type::float_, Type::int64_t_, 0x3E, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC
    {Type::int64_t_, Type::int32_t_, 0x01, false},  // NONE
    {Type::int64_t_, Type::float_, 0x3E, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC
    {Type::int64_t_, Type::double_, 0x3E, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC
    {Type::double_, Type::bfloat16_t_, 0x3E, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC
    {Type::double_, Type::int32_t_, 0x20, false},  // TRUNC
    {Type::double_, Type::float_, 0x3E, false},  // RINT/FLOOR/CEIL/ROUND/TRUNC
    {Type::double_, Type::int64_t_, 0x20, false},  // TRUNC
};
#endif

}  // namespace actgrad
