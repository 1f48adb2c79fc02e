// Tiling data in a kernel: the bytes that the host computed, copied into a struct, and the key of the variant.
//
// The struct of GET_TILING_DATA is the one of REGISTER_TILING_DEFAULT, which stands before it in the same function, or
// ACTGRAD_TILING_STRUCT, which the build may define.
#pragma once

#include "scalar.h"

namespace actgrad {

// The type of GET_TILING_DATA if the kernel registers none.
struct NoTilingStruct {};

template <class T>
inline const T* tiling_at(const uint8_t* tiling, Where at)
{
    static_assert(!std::is_same_v<T, NoTilingStruct>, "ACTGRAD: name the struct of the tiling data: tiling_struct=");
    const int argument = memory.find(tiling);
    if (argument >= 0) {
        const Argument& where = memory.arguments[argument];
        const uint64_t left = where.bytes - std::min<uint64_t>(where.bytes, tiling - where.data);
        if (left < sizeof(T)) {
            ACTGRAD_ERROR(gm_read_out_of_bounds, at, "the struct of the tiling data has %zu bytes; the run got %llu",
                          sizeof(T), static_cast<unsigned long long>(left));
            throw StopBlock();
        }
    }
    return reinterpret_cast<const T*>(tiling);
}
template <class T>
inline T copy_tiling(const uint8_t* tiling, Where at)
{
    T result;
    std::memcpy(static_cast<void*>(&result), tiling_at<T>(tiling, at), sizeof(T));
    return result;
}

template <class Registered, class Named>
using tiling_struct_t = std::conditional_t<std::is_same_v<Registered, NoTilingStruct>, Named, Registered>;

}  // namespace actgrad

using ActgradRegisteredTiling = actgrad::NoTilingStruct;
#ifndef ACTGRAD_TILING_STRUCT
#define ACTGRAD_TILING_STRUCT ::actgrad::NoTilingStruct
#endif
#define ACTGRAD_POSITION ::actgrad::Where{__FILE__, __LINE__}

#define REGISTER_TILING_DEFAULT(Struct) using ActgradRegisteredTiling [[maybe_unused]] = Struct
#define REGISTER_TILING_FOR_TILINGKEY(condition, Struct)
#define REGISTER_NONE_TILING
#define GET_TILING_DATA(name, tiling)                                                                       \
    const auto name =                                                                                       \
        ::actgrad::copy_tiling<::actgrad::tiling_struct_t<ActgradRegisteredTiling, ACTGRAD_TILING_STRUCT>>( \
            reinterpret_cast<const uint8_t*>(tiling), ACTGRAD_POSITION)
#define GET_TILING_DATA_WITH_STRUCT(Struct, name, tiling) \
    Struct name = ::actgrad::copy_tiling<Struct>(reinterpret_cast<const uint8_t*>(tiling), ACTGRAD_POSITION)
#define GET_TILING_DATA_PTR_WITH_STRUCT(Struct, name, tiling) \
    const Struct* name = ::actgrad::tiling_at<Struct>(reinterpret_cast<const uint8_t*>(tiling), ACTGRAD_POSITION)
#define GET_TILING_DATA_MEMBER(Struct, member, name, tiling) \
    const auto name = ::actgrad::copy_tiling<Struct>(reinterpret_cast<const uint8_t*>(tiling), ACTGRAD_POSITION).member
#define COPY_TILING_WITH_STRUCT(Struct, from, to) (*(to) = *reinterpret_cast<const Struct*>(from))

#define TILING_KEY_IS(key) (::actgrad::tiling_key == static_cast<uint64_t>(key))
#define TILING_KEY_VAR (::actgrad::tiling_key)
#define KERNEL_TASK_TYPE(key, type)
#define KERNEL_TASK_TYPE_DEFAULT(type)

// Template parameters of a kernel are described for the host; a kernel names its instance (elu<0>) itself.
#define ASCENDC_TPL_ARGS_DECL(...)
#define ASCENDC_TPL_ARGS_SEL(...)
#define ASCENDC_TPL_SEL(...)
