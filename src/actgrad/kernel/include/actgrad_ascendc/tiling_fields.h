// Tiling data that macros declare, for the host and the kernel: the fields lie one after the other with their natural
// alignment. The host sets a field with set_name, the kernel reads it by its name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace optiling {

template <class Data>
struct TilingDef {
    size_t GetDataSize() const { return sizeof(Data); }
    void SaveToBuffer(void* to, size_t capacity) const
    {
        if (sizeof(Data) <= capacity) std::memcpy(to, static_cast<const Data*>(this), sizeof(Data));
    }
    void SetDataPtr(void* from) { std::memcpy(static_cast<void*>(static_cast<Data*>(this)), from, sizeof(Data)); }
};

}  // namespace optiling

#define BEGIN_TILING_DATA_DEF(Name) struct Name : public ::optiling::TilingDef<Name> {
#define TILING_DATA_FIELD_DEF(Type, name)          \
    Type name{};                                   \
    void set_##name(Type value) { name = value; } \
    Type get_##name() const { return name; }
#define TILING_DATA_FIELD_DEF_ARR(Type, count, name)                                   \
    Type name[count]{};                                                                \
    void set_##name(const Type* values) { std::memcpy(name, values, sizeof name); }   \
    Type* get_##name() { return name; }                                                \
    const Type* get_##name() const { return name; }
#define TILING_DATA_FIELD_DEF_STRUCT(Struct, name) Struct name{};
#define END_TILING_DATA_DEF \
    }                       \
    ;

// In a kernel the struct is known by its plain name, as the build of an operator project declares it.
#ifdef ACTGRAD_KERNEL
#define REGISTER_TILING_DATA_CLASS(Op, Name) \
    }                                        \
    using ::optiling::Name;                  \
    namespace optiling {
#else
#define REGISTER_TILING_DATA_CLASS(Op, Name)
#endif
