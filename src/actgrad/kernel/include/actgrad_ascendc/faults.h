// Faults: what a kernel did that the documents forbid, with the line of the kernel.
//
// Each call of the interface takes its own position as a last argument, which the caller leaves out: the default
// argument is the position of the call. A kernel's own helper function therefore shows up with the line inside the
// helper. A fault that repeats at one line, in a loop or in several blocks, is reported once.
#pragma once

#include "types.h"

namespace actgrad {

struct Where {
    const char* file;
    int line;

    // Without arguments: where the constructor is written. As a default argument: where the function is called.
    constexpr Where(const char* in = __builtin_FILE(), int at = __builtin_LINE()) : file(in), line(at) {}
};
// Functions that no kernel changes. A file that includes the interface contains them (inline), except that a kernel
// that Python compiles is linked with one copy of all of them (ACTGRAD_SEPARATE), which saves half of the time. Their
// bodies are in the headers named *_bodies.h.
#ifndef ACTGRAD_BODY
#define ACTGRAD_BODY inline
#endif

// The last parameter of each call of the interface.
#define ACTGRAD_AT ::actgrad::Where at = ::actgrad::Where()

enum class Kind : uint8_t {
    gm_read_out_of_bounds, gm_write_out_of_bounds, gm_overlapping_writes, gm_race, ub_capacity, ub_alignment,
    ub_out_of_bounds, ub_uninitialised, ub_use_after_free, copy_length, queue_empty, queue_full, queue_double_free,
    queue_leak, sync_missing, flag_unpaired, deadlock, parameter_truncated, overlap, compare_remainder,
    dtype_unsupported, inputs_modified, mask_or_repeat, timeout, crash
};

inline const char* name_of(Kind kind)
{
    static const char* const names[] = {
        "gm-read-out-of-bounds", "gm-write-out-of-bounds", "gm-overlapping-writes", "gm-race", "ub-capacity",
        "ub-alignment", "ub-out-of-bounds", "ub-uninitialised", "ub-use-after-free", "copy-length", "queue-empty",
        "queue-full", "queue-double-free", "queue-leak", "sync-missing", "flag-unpaired", "deadlock",
        "parameter-truncated", "overlap", "compare-remainder", "dtype-unsupported", "inputs-modified",
        "mask-or-repeat", "timeout", "crash"};
    return names[static_cast<int>(kind)];
}

enum class Severity : uint8_t { error, warning, note };

inline const char* name_of(Severity severity)
{
    static const char* const names[] = {"error", "warning", "note"};
    return names[static_cast<int>(severity)];
}

// What the documents leave open, and what we chose. A run reports each assumption that it met.
enum class Assumption : uint8_t {
    nan_in_compare, nan_in_max_min, subnormals, half_overflow, zero_length, accuracy, float_to_integer, compare_tail,
    ub_size, COUNT
};

struct Report {
    uint32_t assumptions = 0;  // a bit for each one that the run met
    int64_t block = 0;         // the block that runs now
    Where last{"", 0};         // the last call of the interface
};
inline Report report;  // found.h has the faults

inline void meet(Assumption assumption) { report.assumptions |= 1u << static_cast<int>(assumption); }

[[gnu::format(printf, 4, 5), gnu::cold]]
void fault(Kind kind, Severity severity, Where at, const char* format, ...);

#define ACTGRAD_ERROR(kind, at, ...) ::actgrad::fault(::actgrad::Kind::kind, ::actgrad::Severity::error, at, __VA_ARGS__)
#define ACTGRAD_WARNING(kind, at, ...) \
    ::actgrad::fault(::actgrad::Kind::kind, ::actgrad::Severity::warning, at, __VA_ARGS__)

// The block cannot go on: its stack is unwound, and other blocks continue.
struct StopBlock {};

// The name of an element type, for messages.
template <class T>
constexpr const char* type_name()
{
    if constexpr (std::is_same_v<T, half>) return "half";
    else if constexpr (std::is_same_v<T, bfloat16_t>) return "bfloat16_t";
    else if constexpr (std::is_same_v<T, float>) return "float";
    else if constexpr (std::is_same_v<T, double>) return "double";
    else if constexpr (std::is_same_v<T, bool>) return "bool";
    else if constexpr (std::is_same_v<T, fp8_e5m2_t>) return "fp8_e5m2_t";
    else if constexpr (std::is_same_v<T, fp8_e4m3fn_t>) return "fp8_e4m3fn_t";
    else if constexpr (std::is_same_v<T, hifloat8_t>) return "hifloat8_t";
    else if constexpr (std::is_same_v<T, fp8_e8m0_t>) return "fp8_e8m0_t";
    else if constexpr (std::is_same_v<T, int4b_t>) return "int4b_t";
    else if constexpr (std::is_same_v<T, fp4x2_e2m1_t>) return "fp4x2_e2m1_t";
    else if constexpr (std::is_same_v<T, fp4x2_e1m2_t>) return "fp4x2_e1m2_t";
    else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
        return sizeof(T) == 1 ? "int8_t" : sizeof(T) == 2 ? "int16_t" : sizeof(T) == 4 ? "int32_t" : "int64_t";
    else if constexpr (std::is_integral_v<T>)
        return sizeof(T) == 1 ? "uint8_t" : sizeof(T) == 2 ? "uint16_t" : sizeof(T) == 4 ? "uint32_t" : "uint64_t";
    else return "a type of the kernel";
}

}  // namespace actgrad
