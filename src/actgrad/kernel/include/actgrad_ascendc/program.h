// A program that runs one kernel once: what the driver of a kernel needs. program.cpp has the rest, which is compiled
// once for all kernels.
#pragma once

#include "core.h"

namespace actgrad {

// A kernel as the program sees it.
struct Entry {
    const size_t* sizes;  // of the parameters: 0 for a pointer, else the bytes of the value
    int count;
    void (*call)(const void* const* slots);
};
int run_program(const Entry& entry, int count, char** words);

template <class P>
inline P parameter(const void* slot)
{
    if constexpr (std::is_pointer_v<P>) {
        return reinterpret_cast<P>(const_cast<void*>(slot));
    } else {
        std::remove_cv_t<std::remove_reference_t<P>> value;
        std::memcpy(static_cast<void*>(&value), slot, sizeof value);
        return value;
    }
}

template <auto kernel, class... P, size_t... I>
inline void call_kernel(const void* const* slots, std::index_sequence<I...>)
{
    kernel(parameter<P>(slots[I])...);
}

template <auto kernel, class... P>
inline int run_program(void (*)(P...), int count, char** words)
{
    static constexpr size_t sizes[] = {(std::is_pointer_v<P> ? 0 : sizeof(P))..., 0};
    return run_program({sizes, sizeof...(P), [](const void* const* slots) {
                            call_kernel<kernel, P...>(slots, std::index_sequence_for<P...>());
                        }}, count, words);
}
template <auto kernel>
inline int run_program(int count, char** words)
{
    return run_program<kernel>(kernel, count, words);
}

}  // namespace actgrad
