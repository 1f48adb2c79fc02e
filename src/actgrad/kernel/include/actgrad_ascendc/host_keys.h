// Tiling keys from template parameters: the key of an instance, and the instance itself.
//
// ASCENDC_TPL_ARGS_DECL lists the template parameters of a kernel. The first one takes the lowest bits of the key. A
// UINT parameter is the index of its value in the declared list, with its number of bits; a data type takes 8 bits, a
// BOOL one bit.
#pragma once

#ifndef ACTGRAD_KERNEL

namespace actgrad::host {

enum class Listing : int64_t { range, list, mix };

struct TemplateParameter {
    std::string name;
    int bits;
    bool is_index;  // the key holds the index of the value, otherwise the value
    bool is_type;   // the kernel takes the C++ type of this data type
    std::vector<int64_t> values;
};
inline std::vector<TemplateParameter>& template_parameters()
{
    static std::vector<TemplateParameter> all;
    return all;
}

// The values of a UINT: a list; ranges as a number of pairs and the pairs; or ranges, then a list.
inline TemplateParameter uint_parameter(const char* name, int64_t bits, Listing listing, std::vector<int64_t> given)
{
    TemplateParameter parameter{name, static_cast<int>(bits), true, false, {}};
    size_t at = 0;
    if (listing != Listing::list && !given.empty()) {
        const size_t pairs = static_cast<size_t>(given[at++]);
        for (size_t pair = 0; pair < pairs && at + 1 < given.size(); ++pair, at += 2)
            for (int64_t value = given[at]; value <= given[at + 1]; ++value) parameter.values.push_back(value);
    }
    for (; at < given.size(); ++at) parameter.values.push_back(given[at]);
    return parameter;
}

inline bool declare(std::initializer_list<TemplateParameter> parameters)
{
    template_parameters() = parameters;
    return true;
}

// The template arguments of the last key.
inline std::vector<std::string>& last_instance()
{
    static std::vector<std::string> instance;
    return instance;
}

// The key of these template arguments, which are remembered.
inline uint64_t key_of(std::initializer_list<int64_t> values)
{
    uint64_t key = 0;
    int shift = 0;
    size_t number = 0;
    last_instance().clear();
    for (int64_t value : values) {
        if (number >= template_parameters().size()) break;
        const TemplateParameter& parameter = template_parameters()[number++];
        uint64_t field = static_cast<uint64_t>(value);
        if (parameter.is_index) {
            const auto found = std::find(parameter.values.begin(), parameter.values.end(), value);
            if (found == parameter.values.end())
                log_values("template parameter", parameter.name, "has the value", value, "which is not declared");
            field = static_cast<uint64_t>(found - parameter.values.begin());
        }
        key |= (field & ((uint64_t{1} << parameter.bits) - 1)) << shift;
        shift += parameter.bits;
        const ge::DtypeRow* row = parameter.is_type ? ge::row_of(static_cast<ge::DataType>(value)) : nullptr;
        last_instance().push_back(row != nullptr ? row->c_name : std::to_string(value));
    }
    return key;
}
// The template arguments of a key.
inline std::vector<std::string> instance_of(uint64_t key)
{
    std::vector<std::string> instance;
    for (const TemplateParameter& parameter : template_parameters()) {
        const uint64_t field = key & ((uint64_t{1} << parameter.bits) - 1);
        key >>= parameter.bits;
        if (parameter.is_index && field >= parameter.values.size()) return {};
        const int64_t value = parameter.is_index ? parameter.values[field] : static_cast<int64_t>(field);
        const ge::DtypeRow* row = parameter.is_type ? ge::row_of(static_cast<ge::DataType>(value)) : nullptr;
        instance.push_back(row != nullptr ? row->c_name : std::to_string(value));
    }
    return instance;
}

template <class... A>
inline uint64_t key(A... values) { return key_of({static_cast<int64_t>(values)...}); }
inline uint64_t key(std::initializer_list<int64_t> values) { return key_of(values); }

}  // namespace actgrad::host

#define ASCENDC_TPL_UI_RANGE ::actgrad::host::Listing::range
#define ASCENDC_TPL_UI_LIST ::actgrad::host::Listing::list
#define ASCENDC_TPL_UI_MIX ::actgrad::host::Listing::mix
#define ASCENDC_TPL_4_BW 4
#define ASCENDC_TPL_8_BW 8
#define ASCENDC_TPL_INPUT(index) (0x1000 + (index))
#define ASCENDC_TPL_OUTPUT(index) (0x2000 + (index))
#define ASCENDC_TPL_ARGS_DECL(Op, ...) [[maybe_unused]] static const bool actgrad_declared_template = ::actgrad::host::declare({__VA_ARGS__})
#define ASCENDC_TPL_UINT_DECL(name, bits, mode, ...) ::actgrad::host::uint_parameter(#name, bits, mode, {__VA_ARGS__})
#define ASCENDC_TPL_BOOL_DECL(name, ...) ::actgrad::host::TemplateParameter{#name, 1, false, false, {__VA_ARGS__}}
#define ASCENDC_TPL_DTYPE_DECL(name, ...) ::actgrad::host::TemplateParameter{#name, 8, false, false, {__VA_ARGS__}}
#define ASCENDC_TPL_DATATYPE_DECL(name, ...) ::actgrad::host::TemplateParameter{#name, 8, false, true, {__VA_ARGS__}}
#define ASCENDC_TPL_FORMAT_DECL(name, ...) ::actgrad::host::TemplateParameter{#name, 8, false, false, {__VA_ARGS__}}
#define ASCENDC_TPL_KERNEL_TYPE_DECL(...)
#define ASCENDC_TPL_SEL(...)
#define GET_TPL_TILING_KEY(...) ::actgrad::host::key(__VA_ARGS__)
#define ASCENDC_TPL_SEL_PARAM(context, ...) (context)->SetTilingKey(::actgrad::host::key(__VA_ARGS__))

enum ActgradDataTypeOfTemplate : int64_t {
    C_DT_FLOAT = 0, C_DT_FLOAT16 = 1, C_DT_INT8 = 2, C_DT_INT32 = 3, C_DT_UINT8 = 4, C_DT_INT16 = 6, C_DT_UINT16 = 7,
    C_DT_UINT32 = 8, C_DT_INT64 = 9, C_DT_UINT64 = 10, C_DT_DOUBLE = 11, C_DT_BOOL = 12, C_DT_COMPLEX64 = 16,
    C_DT_COMPLEX128 = 17, C_DT_BF16 = 27, C_DT_INT4 = 29, C_DT_COMPLEX32 = 33, C_DT_HIFLOAT8 = 34,
    C_DT_FLOAT8_E5M2 = 35, C_DT_FLOAT8_E4M3FN = 36
};

#endif
