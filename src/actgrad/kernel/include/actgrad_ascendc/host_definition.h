// The definition of an operator: its parameters, attributes and products, as OpDef classes describe them.
//
// The program prints it as JSON, so that a project need not be described twice.
#pragma once

#ifndef ACTGRAD_KERNEL

namespace ops {

enum Option { IGNORE = 0, OPTIONAL = 1, REQUIRED = 2, DYNAMIC = 3, VIRTUAL = 4 };

class OpParamDef {
public:
    std::string name;
    Option option = REQUIRED;
    std::vector<int> types;

    explicit OpParamDef(const char* text) : name(text) {}
    OpParamDef& ParamType(Option value) { option = value; return *this; }
    OpParamDef& DataType(std::vector<ge::DataType> values) { types.assign(values.begin(), values.end()); return *this; }
    OpParamDef& DataTypeList(std::vector<ge::DataType> values) { return DataType(std::move(values)); }
    template <class T> OpParamDef& Format(const T&) { return *this; }
    OpParamDef& Format(std::vector<ge::Format>) { return *this; }
    OpParamDef& FormatList(std::vector<ge::Format>) { return *this; }
    OpParamDef& UnknownShapeFormat(std::vector<ge::Format>) { return *this; }
    OpParamDef& ValueDepend(Option) { return *this; }
    OpParamDef& AutoContiguous() { return *this; }
    OpParamDef& IgnoreContiguous() { return *this; }
    OpParamDef& Scalar() { return *this; }
    OpParamDef& ScalarList() { return *this; }
    OpParamDef& To(const ge::DataType) { return *this; }
    OpParamDef& Follow(const char*) { return *this; }
    template <class T> OpParamDef& Follow(const char*, T) { return *this; }
    template <class T> OpParamDef& InitValue(T) { return *this; }
    OpParamDef& OutputShapeDependOnCompute() { return *this; }
    OpParamDef& Version(uint32_t) { return *this; }
};

class OpAttrDef {
public:
    std::string name, type = "", fallback = "null";
    Option option = REQUIRED;

    explicit OpAttrDef(const char* text) : name(text) {}
    OpAttrDef& AttrType(Option value) { option = value; return *this; }
    OpAttrDef& Bool() { return is("bool"); }
    OpAttrDef& Bool(bool value) { fallback = value ? "true" : "false"; return is("bool"); }
    OpAttrDef& Float() { return is("float"); }
    OpAttrDef& Float(float value) { return number("float", value); }
    OpAttrDef& Int() { return is("int"); }
    OpAttrDef& Int(int64_t value) { fallback = std::to_string(value); return is("int"); }
    OpAttrDef& String() { return is("string"); }
    OpAttrDef& String(const char* value) { fallback = "\"" + std::string(value) + "\""; return is("string"); }
    OpAttrDef& ListInt() { return is("list_int"); }
    OpAttrDef& ListInt(std::vector<int64_t> values) { return list("list_int", values, "%.0f"); }
    OpAttrDef& ListFloat() { return is("list_float"); }
    OpAttrDef& ListFloat(std::vector<float> values) { return list("list_float", values, "%.9g"); }
    OpAttrDef& ListBool(std::vector<bool> = {}) { return is("list_bool"); }
    OpAttrDef& Version(uint32_t) { return *this; }

private:
    OpAttrDef& is(const char* text) { type = text; return *this; }
    template <class T>
    OpAttrDef& list(const char* text, const std::vector<T>& values, const char* format)
    {
        fallback = "[";
        for (T value : values) {
            char digits[40];
            std::snprintf(digits, sizeof digits, format, static_cast<double>(value));
            fallback += (fallback.size() > 1 ? ", " : "") + std::string(digits);
        }
        fallback += "]";
        return is(text);
    }
    OpAttrDef& number(const char* text, double value)
    {
        char digits[40];
        std::snprintf(digits, sizeof digits, "%.9g", value);
        fallback = digits;
        return is(text);
    }
};

class OpAICoreConfig {
public:
    std::vector<std::unique_ptr<OpParamDef>> inputs, outputs;

    OpAICoreConfig() = default;
    explicit OpAICoreConfig(const char*) {}
    OpAICoreConfig(const OpAICoreConfig&) {}
    OpParamDef& Input(const char* name) { return *inputs.emplace_back(std::make_unique<OpParamDef>(name)); }
    OpParamDef& Output(const char* name) { return *outputs.emplace_back(std::make_unique<OpParamDef>(name)); }
    OpAICoreConfig& DynamicCompileStaticFlag(bool) { return *this; }
    OpAICoreConfig& DynamicFormatFlag(bool) { return *this; }
    OpAICoreConfig& DynamicRankSupportFlag(bool) { return *this; }
    OpAICoreConfig& DynamicShapeSupportFlag(bool) { return *this; }
    OpAICoreConfig& NeedCheckSupportFlag(bool) { return *this; }
    OpAICoreConfig& PrecisionReduceFlag(bool) { return *this; }
    OpAICoreConfig& ExtendCfgInfo(const char*, const char*) { return *this; }
    OpAICoreConfig& Async() { return *this; }
};

class OpAICoreDef {
public:
    actgrad::host::TilingFunction tiling = nullptr;
    std::vector<std::string> products;

    OpAICoreDef& SetTiling(actgrad::host::TilingFunction function) { tiling = function; return *this; }
    template <class F> OpAICoreDef& SetCheckSupport(F) { return *this; }
    template <class F> OpAICoreDef& SetOpSelectFormat(F) { return *this; }
    OpAICoreDef& AddConfig(const char* product) { products.emplace_back(product); return *this; }
    OpAICoreDef& AddConfig(const char* product, const OpAICoreConfig&) { return AddConfig(product); }
};

class OpMC2Def {
public:
    OpMC2Def& HcclGroup(const char*) { return *this; }
};

class OpDef {
public:
    std::string name;
    std::vector<std::unique_ptr<OpParamDef>> inputs, outputs;
    std::vector<std::unique_ptr<OpAttrDef>> attributes;
    OpAICoreDef core;
    OpMC2Def mc2;

    explicit OpDef(const char* text) : name(text) {}
    OpParamDef& Input(const char* text) { return *inputs.emplace_back(std::make_unique<OpParamDef>(text)); }
    OpParamDef& Output(const char* text) { return *outputs.emplace_back(std::make_unique<OpParamDef>(text)); }
    OpAttrDef& Attr(const char* text) { return *attributes.emplace_back(std::make_unique<OpAttrDef>(text)); }
    OpAICoreDef& AICore() { return core; }
    OpMC2Def& MC2() { return mc2; }
    template <class F> OpDef& SetInferShape(F) { return *this; }
    template <class F> OpDef& SetInferDataType(F) { return *this; }
    template <class F> OpDef& SetInferShapeRange(F) { return *this; }
    OpDef& Comment(int, const char*) { return *this; }
};

inline std::vector<std::unique_ptr<OpDef>>& definitions()
{
    static std::vector<std::unique_ptr<OpDef>> all;
    return all;
}
inline bool add(std::unique_ptr<OpDef> definition)
{
    if (definition->core.tiling != nullptr) actgrad::host::Registration(definition->name.c_str()).Tiling(definition->core.tiling);
    definitions().push_back(std::move(definition));
    return true;
}

}  // namespace ops

#define OP_ADD(Class, ...) static const bool actgrad_definition_of_##Class = ::ops::add(std::make_unique<Class>(#Class))

#endif
