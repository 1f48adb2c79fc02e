// The host side of an operator, as far as a tiling function sees it: shapes, dtypes, attributes and the platform come
// in; tiling data, key, number of blocks and workspace go out.
//
// A tiling function is compiled with these headers into a program (host_program.h) that runs it for one case. What it
// logs as an error goes to the standard error output, and the last error is part of the result.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "products.h"

// A kernel's headers define these names as macros. In one file with them, the enumeration goes without.
#pragma push_macro("DT_FLOAT")
#pragma push_macro("DT_FLOAT16")
#pragma push_macro("DT_INT8")
#pragma push_macro("DT_INT32")
#pragma push_macro("DT_UINT8")
#pragma push_macro("DT_INT16")
#pragma push_macro("DT_UINT16")
#pragma push_macro("DT_UINT32")
#pragma push_macro("DT_INT64")
#pragma push_macro("DT_UINT64")
#pragma push_macro("DT_DOUBLE")
#pragma push_macro("DT_BOOL")
#pragma push_macro("DT_COMPLEX64")
#pragma push_macro("DT_COMPLEX128")
#pragma push_macro("DT_BF16")
#pragma push_macro("DT_INT4")
#pragma push_macro("DT_COMPLEX32")
#pragma push_macro("DT_HIFLOAT8")
#pragma push_macro("DT_FLOAT8_E5M2")
#pragma push_macro("DT_FLOAT8_E4M3FN")
#pragma push_macro("DT_FLOAT8_E8M0")
#pragma push_macro("DT_FLOAT4_E2M1")
#pragma push_macro("DT_FLOAT4_E1M2")
#undef DT_FLOAT
#undef DT_FLOAT16
#undef DT_INT8
#undef DT_INT32
#undef DT_UINT8
#undef DT_INT16
#undef DT_UINT16
#undef DT_UINT32
#undef DT_INT64
#undef DT_UINT64
#undef DT_DOUBLE
#undef DT_BOOL
#undef DT_COMPLEX64
#undef DT_COMPLEX128
#undef DT_BF16
#undef DT_INT4
#undef DT_COMPLEX32
#undef DT_HIFLOAT8
#undef DT_FLOAT8_E5M2
#undef DT_FLOAT8_E4M3FN
#undef DT_FLOAT8_E8M0
#undef DT_FLOAT4_E2M1
#undef DT_FLOAT4_E1M2

namespace ge {

enum DataType : int32_t {
    DT_FLOAT = 0, DT_FLOAT16 = 1, DT_INT8 = 2, DT_INT32 = 3, DT_UINT8 = 4, DT_INT16 = 6, DT_UINT16 = 7, DT_UINT32 = 8,
    DT_INT64 = 9, DT_UINT64 = 10, DT_DOUBLE = 11, DT_BOOL = 12, DT_STRING = 13, DT_COMPLEX64 = 16, DT_COMPLEX128 = 17,
    DT_BF16 = 27, DT_UNDEFINED = 28, DT_INT4 = 29, DT_COMPLEX32 = 33, DT_HIFLOAT8 = 34, DT_FLOAT8_E5M2 = 35,
    DT_FLOAT8_E4M3FN = 36, DT_FLOAT8_E8M0 = 37, DT_FLOAT4_E2M1 = 40, DT_FLOAT4_E1M2 = 41, DT_MAX = 64
};

struct DtypeRow { DataType type; const char* name; int bits; const char* c_name; };
constexpr DtypeRow dtype_rows[] = {
    {DT_FLOAT, "DT_FLOAT", 32, "float"}, {DT_FLOAT16, "DT_FLOAT16", 16, "half"}, {DT_INT8, "DT_INT8", 8, "int8_t"},
    {DT_INT32, "DT_INT32", 32, "int32_t"}, {DT_UINT8, "DT_UINT8", 8, "uint8_t"}, {DT_INT16, "DT_INT16", 16, "int16_t"},
    {DT_UINT16, "DT_UINT16", 16, "uint16_t"}, {DT_UINT32, "DT_UINT32", 32, "uint32_t"},
    {DT_INT64, "DT_INT64", 64, "int64_t"}, {DT_UINT64, "DT_UINT64", 64, "uint64_t"}, {DT_DOUBLE, "DT_DOUBLE", 64, "double"},
    {DT_BOOL, "DT_BOOL", 8, "bool"}, {DT_BF16, "DT_BF16", 16, "bfloat16_t"}, {DT_COMPLEX64, "DT_COMPLEX64", 64, "complex64"},
    {DT_COMPLEX128, "DT_COMPLEX128", 128, "complex128"}, {DT_COMPLEX32, "DT_COMPLEX32", 32, "complex32"},
    {DT_HIFLOAT8, "DT_HIFLOAT8", 8, "hifloat8_t"}, {DT_FLOAT8_E5M2, "DT_FLOAT8_E5M2", 8, "fp8_e5m2_t"},
    {DT_FLOAT8_E4M3FN, "DT_FLOAT8_E4M3FN", 8, "fp8_e4m3fn_t"}, {DT_FLOAT8_E8M0, "DT_FLOAT8_E8M0", 8, "fp8_e8m0_t"},
};
inline const DtypeRow* row_of(DataType type)
{
    for (const DtypeRow& row : dtype_rows)
        if (row.type == type) return &row;
    return nullptr;
}
// Bytes of an element; 0 or -1 if the type has none.
inline int GetSizeByDataType(DataType type) { return row_of(type) ? row_of(type)->bits / 8 : -1; }
inline int64_t GetSizeInBytes(int64_t count, DataType type) { return row_of(type) ? count * row_of(type)->bits / 8 : -1; }

enum Format : int32_t {
    FORMAT_NCHW = 0, FORMAT_NHWC, FORMAT_ND, FORMAT_NC1HWC0, FORMAT_FRACTAL_Z, FORMAT_C1HWNCoC0 = 14,
    FORMAT_HWCN = 16, FORMAT_NDHWC = 27, FORMAT_FRACTAL_NZ = 29, FORMAT_NCDHW = 30, FORMAT_NDC1HWC0 = 32,
    FORMAT_FRACTAL_Z_3D = 33, FORMAT_NCL = 47
};
inline Format GetPrimaryFormat(int32_t format) { return static_cast<Format>(format & 0xFF); }

using graphStatus = uint32_t;
constexpr graphStatus GRAPH_SUCCESS = 0, GRAPH_FAILED = 0xFFFFFFFF, GRAPH_PARAM_INVALID = 50331649;
constexpr graphStatus GRAPH_NOT_CHANGED = 1343242304, GRAPH_NULL_PTR = 50331648;

class AscendString {
public:
    AscendString(const char* text = "") : text_(text) {}
    const char* GetString() const { return text_.c_str(); }

private:
    std::string text_;
};

struct TypeUtils {
    static bool GetDataTypeLength(DataType type, uint32_t& length)
    {
        length = row_of(type) ? static_cast<uint32_t>(row_of(type)->bits / 8) : 0;
        return length != 0;
    }
    static std::string DataTypeToSerialString(DataType type) { return row_of(type) ? row_of(type)->name : "DT_UNDEFINED"; }
    static std::string FormatToSerialString(Format) { return "ND"; }
};

}  // namespace ge

#pragma pop_macro("DT_FLOAT")
#pragma pop_macro("DT_FLOAT16")
#pragma pop_macro("DT_INT8")
#pragma pop_macro("DT_INT32")
#pragma pop_macro("DT_UINT8")
#pragma pop_macro("DT_INT16")
#pragma pop_macro("DT_UINT16")
#pragma pop_macro("DT_UINT32")
#pragma pop_macro("DT_INT64")
#pragma pop_macro("DT_UINT64")
#pragma pop_macro("DT_DOUBLE")
#pragma pop_macro("DT_BOOL")
#pragma pop_macro("DT_COMPLEX64")
#pragma pop_macro("DT_COMPLEX128")
#pragma pop_macro("DT_BF16")
#pragma pop_macro("DT_INT4")
#pragma pop_macro("DT_COMPLEX32")
#pragma pop_macro("DT_HIFLOAT8")
#pragma pop_macro("DT_FLOAT8_E5M2")
#pragma pop_macro("DT_FLOAT8_E4M3FN")
#pragma pop_macro("DT_FLOAT8_E8M0")
#pragma pop_macro("DT_FLOAT4_E2M1")
#pragma pop_macro("DT_FLOAT4_E1M2")

using graphStatus = ge::graphStatus;
namespace AscendC {}  // some tiling functions use it

// ---- the platform

enum class NpuArch : uint32_t {
    DAV_1001 = 1001, DAV_2002 = 2002, DAV_2201 = 2201, DAV_3002 = 3002, DAV_3003 = 3003, DAV_3101 = 3101,
    DAV_3102 = 3102, DAV_3113 = 3113, DAV_3510 = 3510, DAV_5102 = 5102, DAV_RESV = 0
};

namespace fe {

class PlatFormInfos {
public:
    uint32_t GetCoreNum() const { return ACTGRAD_VECTOR_CORES; }
};
class OptionalInfos {};

}  // namespace fe

namespace platform_ascendc {

enum class CoreMemType { L0_A = 0, L0_B, L0_C, L1, L2, UB, HBM, FB, BT, RESERVED };
enum class SocVersion {
    ASCEND910 = 0, ASCEND910B, ASCEND310P, ASCEND310B, ASCEND910_93, ASCEND950, ASCEND910_95 = ASCEND950,
    ASCEND910E, RESERVED_VERSION = 99999
};

class PlatformAscendC {
public:
    explicit PlatformAscendC(const fe::PlatFormInfos*) {}
    uint32_t GetCoreNum() const { return ACTGRAD_VECTOR_CORES; }
    uint32_t GetCoreNumAiv() const { return ACTGRAD_VECTOR_CORES; }
    uint32_t GetCoreNumAic() const { return ACTGRAD_CUBE_CORES; }
    uint32_t GetCoreNumVector() const { return __NPU_ARCH__ == 2002 ? ACTGRAD_VECTOR_CORES : 0; }
    void GetCoreMemSize(CoreMemType type, uint64_t& size) const { size = type == CoreMemType::UB ? ACTGRAD_UB_BYTES : 0; }
    SocVersion GetSocVersion() const
    {
        return __NPU_ARCH__ == 3510 ? SocVersion::ASCEND950 : __NPU_ARCH__ == 2201 ? SocVersion::ASCEND910B : SocVersion::ASCEND310P;
    }
    NpuArch GetCurNpuArch() const { return static_cast<NpuArch>(__NPU_ARCH__); }
    uint32_t GetLibApiWorkSpaceSize() const { return 0; }  // a run has no system part of the workspace
    uint32_t GetResGroupBarrierWorkSpaceSize() const { return 0; }
    uint32_t CalcTschBlockDim(uint32_t blocks, uint32_t, uint32_t) const { return blocks; }
    uint32_t CalcTschNumBlocks(uint32_t blocks, uint32_t, uint32_t) const { return blocks; }
};

struct PlatformAscendCManager {
    static PlatformAscendC* GetInstance()
    {
        static PlatformAscendC platform(nullptr);
        return &platform;
    }
};

}  // namespace platform_ascendc

// ---- what a tiling function gets

namespace gert {

class Shape {
public:
    static constexpr size_t kMaxDimNum = 25;

    Shape() = default;
    Shape(std::initializer_list<int64_t> dims) : dims_(dims) {}
    explicit Shape(std::vector<int64_t> dims) : dims_(std::move(dims)) {}
    size_t GetDimNum() const { return dims_.size(); }
    int64_t GetDim(size_t index) const { return index < dims_.size() ? dims_[index] : std::numeric_limits<int64_t>::min(); }
    int64_t operator[](size_t index) const { return GetDim(index); }
    int64_t& operator[](size_t index) { return dims_.at(index); }
    void SetDim(size_t index, int64_t value) { if (index < dims_.size()) dims_[index] = value; }
    void SetDimNum(size_t number) { dims_.resize(number); }
    Shape& AppendDim(int64_t value) { dims_.push_back(value); return *this; }
    bool IsScalar() const { return dims_.empty(); }
    void SetScalar() { dims_.clear(); }
    // The number of elements; 1 for a scalar.
    int64_t GetShapeSize() const
    {
        int64_t size = 1;
        for (int64_t dim : dims_) size *= dim;
        return size;
    }
    bool operator==(const Shape& other) const { return dims_ == other.dims_; }
    bool operator!=(const Shape& other) const { return dims_ != other.dims_; }

private:
    std::vector<int64_t> dims_;
};

class StorageShape {
public:
    StorageShape() = default;
    explicit StorageShape(const Shape& shape) : shape_(shape) {}
    StorageShape(std::initializer_list<int64_t> origin, std::initializer_list<int64_t>) : shape_(origin) {}
    const Shape& GetStorageShape() const { return shape_; }
    const Shape& GetOriginShape() const { return shape_; }
    Shape& MutableStorageShape() { return shape_; }
    Shape& MutableOriginShape() { return shape_; }

private:
    Shape shape_;
};

class CompileTimeTensorDesc {
public:
    explicit CompileTimeTensorDesc(ge::DataType type = ge::DataType(28)) : type_(type) {}
    ge::DataType GetDataType() const { return type_; }
    ge::Format GetStorageFormat() const { return ge::FORMAT_ND; }
    ge::Format GetOriginFormat() const { return ge::FORMAT_ND; }
    struct Formats { ge::Format GetStorageFormat() const { return ge::FORMAT_ND; } ge::Format GetOriginFormat() const { return ge::FORMAT_ND; } };
    Formats GetFormat() const { return {}; }

private:
    ge::DataType type_;
};

// An input with its shape and dtype. Its numbers are known only if the case gives them.
class Tensor : public StorageShape, public CompileTimeTensorDesc {
public:
    Tensor(const Shape& shape, ge::DataType type, std::string content = "")
        : StorageShape(shape), CompileTimeTensorDesc(type), content_(std::move(content))
    {}
    int64_t GetShapeSize() const { return GetStorageShape().GetShapeSize(); }
    size_t GetSize() const { return content_.size(); }
    template <class T> const T* GetData() const { return content_.empty() ? nullptr : reinterpret_cast<const T*>(content_.data()); }
    const void* GetAddr() const { return GetData<void>(); }

private:
    std::string content_;
};

template <class T>
class TypedContinuousVector {
public:
    explicit TypedContinuousVector(std::vector<T> values = {}) : values_(std::move(values)) {}
    size_t GetSize() const { return values_.size(); }
    const T* GetData() const { return values_.data(); }

private:
    std::vector<T> values_;
};
using ContinuousVector = TypedContinuousVector<int64_t>;

// One attribute: the function asks for the type that the operator's definition has.
struct Attribute {
    int64_t integer = 0;
    float number = 0;
    bool flag = false;
    std::string text;
    TypedContinuousVector<int64_t> integers;
    TypedContinuousVector<float> numbers;
};

class RuntimeAttrs {
public:
    std::vector<Attribute> attributes;

    size_t GetAttrNum() const { return attributes.size(); }
    template <class T>
    const T* GetAttrPointer(size_t index) const
    {
        if (index >= attributes.size()) return nullptr;
        const Attribute& attribute = attributes[index];
        if constexpr (std::is_same_v<T, bool>) return &attribute.flag;
        else if constexpr (std::is_floating_point_v<T>) return reinterpret_cast<const T*>(&attribute.number);
        else if constexpr (std::is_integral_v<T> && sizeof(T) > 1) return reinterpret_cast<const T*>(&attribute.integer);
        else if constexpr (std::is_same_v<T, char>) return attribute.text.c_str();
        else if constexpr (std::is_same_v<T, TypedContinuousVector<float>>) return &attribute.numbers;
        else return reinterpret_cast<const T*>(&attribute.integers);
    }
    const int64_t* GetInt(size_t index) const { return GetAttrPointer<int64_t>(index); }
    const float* GetFloat(size_t index) const { return GetAttrPointer<float>(index); }
    const bool* GetBool(size_t index) const { return GetAttrPointer<bool>(index); }
    const char* GetStr(size_t index) const { return GetAttrPointer<char>(index); }
    const ContinuousVector* GetListInt(size_t index) const { return GetAttrPointer<ContinuousVector>(index); }
    const TypedContinuousVector<float>* GetListFloat(size_t index) const { return GetAttrPointer<TypedContinuousVector<float>>(index); }
};

class TilingData {
public:
    static constexpr size_t capacity = 1 << 16;
    alignas(64) uint8_t bytes[capacity];
    size_t size = 0;

    // The device's memory is not zero: a field that nobody sets shows up as 0xA5A5...
    TilingData() { std::memset(bytes, 0xA5, sizeof bytes); }
    void* GetData() { return bytes; }
    const void* GetData() const { return bytes; }
    size_t GetCapacity() const { return capacity; }
    size_t GetDataSize() const { return size; }
    void SetDataSize(size_t count) { size = count; }
    template <class T>
    graphStatus Append(const T& value)
    {
        if (size + sizeof(T) > capacity) return ge::GRAPH_FAILED;
        std::memcpy(bytes + size, &value, sizeof(T));
        size += sizeof(T);
        return ge::GRAPH_SUCCESS;
    }
};

struct ComputeNodeInfo {
    size_t inputs = 0, outputs = 0;
    size_t GetInputsNum() const { return inputs; }
    size_t GetOutputsNum() const { return outputs; }
    size_t GetIrInputsNum() const { return inputs; }
    size_t GetIrOutputsNum() const { return outputs; }
    const char* GetNodeType() const { return "actgrad"; }
    const char* GetNodeName() const { return "actgrad"; }
};

class TilingContext {
public:
    // The case
    std::string node = "operator";
    std::vector<std::unique_ptr<Tensor>> inputs, outputs;  // nullptr: an optional input that is absent
    RuntimeAttrs attributes;
    fe::PlatFormInfos platform;
    std::shared_ptr<void> compile_info;
    ComputeNodeInfo info;
    // The results
    TilingData data;
    uint64_t key = 0, blocks = 0;
    std::vector<size_t> workspaces;
    std::vector<std::string> instance;  // the template arguments of the kernel

    const char* GetNodeName() const { return node.c_str(); }
    const char* GetNodeType() const { return node.c_str(); }
    const StorageShape* GetInputShape(size_t index) const { return at(inputs, index); }
    const StorageShape* GetOptionalInputShape(size_t index) const { return at(inputs, index); }
    const StorageShape* GetRequiredInputShape(size_t index) const { return at(inputs, index); }
    const StorageShape* GetDynamicInputShape(size_t index, size_t) const { return at(inputs, index); }
    const StorageShape* GetOutputShape(size_t index) const { return at(outputs, index); }
    const CompileTimeTensorDesc* GetInputDesc(size_t index) const { return at(inputs, index); }
    const CompileTimeTensorDesc* GetOptionalInputDesc(size_t index) const { return at(inputs, index); }
    const CompileTimeTensorDesc* GetRequiredInputDesc(size_t index) const { return at(inputs, index); }
    const CompileTimeTensorDesc* GetDynamicInputDesc(size_t index, size_t) const { return at(inputs, index); }
    const CompileTimeTensorDesc* GetOutputDesc(size_t index) const { return at(outputs, index); }
    const Tensor* GetInputTensor(size_t index) const { return at(inputs, index); }
    const Tensor* GetOptionalInputTensor(size_t index) const { return at(inputs, index); }
    const Tensor* GetRequiredInputTensor(size_t index) const { return at(inputs, index); }
    const RuntimeAttrs* GetAttrs() const { return &attributes; }
    fe::PlatFormInfos* GetPlatformInfo() { return &platform; }
    const ComputeNodeInfo* GetComputeNodeInfo() const { return &info; }
    size_t GetComputeNodeInputNum() const { return inputs.size(); }
    size_t GetComputeNodeOutputNum() const { return outputs.size(); }
    int32_t GetDeterministic() const { return 1; }
    template <class T> const T* GetCompileInfo() const { return static_cast<const T*>(compile_info.get()); }
    template <class T>
    T* GetTilingData()
    {
        if (data.size < sizeof(T)) data.size = sizeof(T);
        return sizeof(T) <= TilingData::capacity ? reinterpret_cast<T*>(data.bytes) : nullptr;
    }
    TilingData* GetRawTilingData() { return &data; }
    graphStatus SetTilingKey(uint64_t value) { key = value; return ge::GRAPH_SUCCESS; }
    uint64_t GetTilingKey() const { return key; }
    graphStatus SetBlockDim(uint32_t value) { blocks = value; return ge::GRAPH_SUCCESS; }
    graphStatus SetNumBlocks(uint32_t value) { return SetBlockDim(value); }
    uint32_t GetBlockDim() const { return static_cast<uint32_t>(blocks); }
    uint32_t GetNumBlocks() const { return GetBlockDim(); }
    graphStatus SetScheduleMode(uint32_t) { return ge::GRAPH_SUCCESS; }
    graphStatus SetNeedAtomic(bool) { return ge::GRAPH_SUCCESS; }
    graphStatus SetTilingCond(int32_t) { return ge::GRAPH_SUCCESS; }
    graphStatus SetLocalMemorySize(uint32_t) { return ge::GRAPH_SUCCESS; }
    graphStatus SetDynUBufSize(uint32_t) { return ge::GRAPH_SUCCESS; }
    size_t* GetWorkspaceSizes(size_t count)
    {
        workspaces.resize(std::max(count, workspaces.size()), 0);
        return workspaces.data();
    }
    size_t GetWorkspaceNum() const { return workspaces.size(); }

private:
    static const Tensor* at(const std::vector<std::unique_ptr<Tensor>>& tensors, size_t index)
    {
        return index < tensors.size() ? tensors[index].get() : nullptr;
    }
};

// What runs once before the tiling function: it fills the operator's compile info.
class TilingParseContext {
public:
    std::shared_ptr<void> compile_info;
    fe::PlatFormInfos platform;
    std::string node = "operator";

    template <class T> T* GetCompiledInfo() { return static_cast<T*>(compile_info.get()); }
    fe::PlatFormInfos* GetPlatformInfo() { return &platform; }
    const char* GetNodeName() const { return node.c_str(); }
    const char* GetNodeType() const { return node.c_str(); }
    const char* GetCompiledJson() const { return "{}"; }
};

// Contexts of functions that we do not run.
class InferShapeContext;
class InferDataTypeContext;
class InferShapeRangeContext;

}  // namespace gert

// ---- registration: the tiling function of the file

namespace actgrad::host {

using TilingFunction = ge::graphStatus (*)(gert::TilingContext*);

struct Registered {
    std::string name;
    TilingFunction tiling = nullptr;
    ge::graphStatus (*parse)(gert::TilingParseContext*) = nullptr;
    std::shared_ptr<void> (*make_info)() = nullptr;
};
inline std::vector<Registered>& registered()
{
    static std::vector<Registered> all;
    return all;
}

class Registration {
public:
    explicit Registration(const char* name) : index_(index_of(name)) {}
    Registration& Tiling(TilingFunction function)
    {
        registered()[index_].tiling = function;
        return *this;
    }
    template <class Info>
    Registration& TilingParse(ge::graphStatus (*function)(gert::TilingParseContext*))
    {
        registered()[index_].parse = function;
        registered()[index_].make_info = []() -> std::shared_ptr<void> { return std::make_shared<Info>(); };
        return *this;
    }
    template <class... A> Registration& TilingInputsDataDependency(A&&...) { return *this; }
    Registration& TilingInputsDataDependency(std::initializer_list<int32_t>) { return *this; }
    template <class F> Registration& InferShape(F) { return *this; }
    template <class F> Registration& InferDataType(F) { return *this; }
    template <class F> Registration& InferShapeRange(F) { return *this; }
    Registration& InputsDataDependency(std::initializer_list<int32_t>) { return *this; }
    template <class F> Registration& GenSimplifiedKey(F) { return *this; }

    static size_t index_of(const std::string& name)
    {
        std::vector<Registered>& all = registered();
        for (size_t i = 0; i < all.size(); ++i)
            if (all[i].name == name) return i;
        all.push_back({name});
        return all.size() - 1;
    }

private:
    size_t index_;
};

// ---- messages

// The first error: those that follow come from the functions that called the one that failed.
inline std::string& first_error()
{
    static std::string text;
    return text;
}
inline void log_error(const std::string& text)
{
    if (first_error().empty()) first_error() = text;
    std::fprintf(stderr, "tiling: %s\n", text.c_str());
}
inline const char* printable(const std::string& text) { return text.c_str(); }
template <class T> inline T printable(T value) { return value; }

template <class Context, class Format, class... A>
inline void log_message(const char* level, const Context&, const Format& format, const A&... values)
{
    char text[2048];
    std::snprintf(text, sizeof text, printable(format), printable(values)...);
    if (level[0] == 'E') log_error(text);
}
template <class Context>
inline void log_message(const char*, const Context&)
{}

inline void append_value(std::ostringstream& out, const char* text) { out << (text ? text : ""); }
template <class T>
inline auto append_value(std::ostringstream& out, const T& value) -> decltype(void(out << value)) { out << value; }

template <class... A>
inline void log_values(const A&... values)
{
    std::ostringstream out;
    ((append_value(out, values), out << ' '), ...);
    log_error(out.str());
}

}  // namespace actgrad::host

#define IMPL_OP_OPTILING(Op) static const ::actgrad::host::Registration actgrad_tiling_of_##Op = ::actgrad::host::Registration(#Op)
#define IMPL_OP(Op) static const ::actgrad::host::Registration actgrad_impl_of_##Op = ::actgrad::host::Registration(#Op)
#define IMPL_OP_INFERSHAPE(Op) static const ::actgrad::host::Registration actgrad_shape_of_##Op = ::actgrad::host::Registration(#Op)

#define OP_LOGE(context, ...) ::actgrad::host::log_message("E", context, __VA_ARGS__)
#define OP_LOGW(context, ...) ::actgrad::host::log_message("W", context, __VA_ARGS__)
#define OP_LOGI(context, ...) ::actgrad::host::log_message("I", context, __VA_ARGS__)
#define OP_LOGD(context, ...) ::actgrad::host::log_message("D", context, __VA_ARGS__)
#define OP_LOGE_WITHOUT_REPORT(context, ...) OP_LOGE(context, __VA_ARGS__)
#define OP_LOGE_IF(condition, result, context, ...) \
    do {                                            \
        if (condition) {                            \
            OP_LOGE(context, __VA_ARGS__);          \
            return result;                          \
        }                                           \
    } while (0)
#define VECTOR_INNER_ERR_REPORT_TILIING(context, ...) OP_LOGE(context, __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_VALUE(...) ::actgrad::host::log_values(__VA_ARGS__)
#define OP_LOGE_FOR_INVALID_VALUE_WITH_REASON(...) ::actgrad::host::log_values(__VA_ARGS__)
#define OP_LOGE_FOR_INVALID_VALUES_WITH_REASON(...) ::actgrad::host::log_values(__VA_ARGS__)
#define OP_LOGE_FOR_INVALID_DTYPE(...) ::actgrad::host::log_values(__VA_ARGS__)
#define OP_LOGE_FOR_INVALID_DTYPE_WITH_REASON(...) ::actgrad::host::log_values(__VA_ARGS__)
#define OP_LOGE_FOR_INVALID_DTYPES_WITH_REASON(...) ::actgrad::host::log_values(__VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPE(...) ::actgrad::host::log_values(__VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPE_WITH_REASON(...) ::actgrad::host::log_values(__VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPES_WITH_REASON(...) ::actgrad::host::log_values(__VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPESIZE(...) ::actgrad::host::log_values(__VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPESIZE_WITH_REASON(...) ::actgrad::host::log_values(__VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPEDIM(...) ::actgrad::host::log_values(__VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPEDIM_WITH_REASON(...) ::actgrad::host::log_values(__VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPEDIMS_WITH_REASON(...) ::actgrad::host::log_values(__VA_ARGS__)
#define OP_LOGE_FOR_INVALID_FORMAT(...) ::actgrad::host::log_values(__VA_ARGS__)
#define OP_LOGE_WITH_INVALID_INPUT_DTYPE(...) ::actgrad::host::log_values(__VA_ARGS__)

#define OP_CHECK_IF(condition, message, action) \
    do {                                        \
        if (condition) {                        \
            message;                            \
            action;                             \
        }                                       \
    } while (0)
#define OP_CHECK(condition, message, action) OP_CHECK_IF(condition, message, action)
#define OP_TILING_CHECK(condition, message, action) OP_CHECK_IF(condition, message, action)
#define OP_CHECK_NULL_WITH_CONTEXT(context, pointer)                \
    do {                                                            \
        if ((pointer) == nullptr) {                                 \
            OP_LOGE(context, "%s is a null pointer", #pointer);     \
            return ge::GRAPH_FAILED;                                \
        }                                                           \
    } while (0)
#define OPS_CHECK_NULL_WITH_CONTEXT(context, pointer) OP_CHECK_NULL_WITH_CONTEXT(context, pointer)
#define OPS_CHECK_NULL_WITH_CONTEXT_RET(context, pointer, result) OP_CHECK_IF((pointer) == nullptr, OP_LOGE(context, "%s is a null pointer", #pointer), return result)
#define OPS_LOG_E(context, ...) OP_LOGE(context, __VA_ARGS__)
#define OPS_LOG_I(context, ...) OP_LOGI(context, __VA_ARGS__)
#define OPS_LOG_D(context, ...) OP_LOGD(context, __VA_ARGS__)
#define OPS_ERR_IF(condition, message, action) OP_CHECK_IF(condition, message, action)

// ---- memory functions with a size

#ifndef EOK
#define EOK 0
using errno_t = int;
inline errno_t memset_s(void* to, size_t room, int value, size_t count)
{
    if (to == nullptr || count > room) return 34;
    std::memset(to, value, count);
    return EOK;
}
inline errno_t memcpy_s(void* to, size_t room, const void* from, size_t count)
{
    if (to == nullptr || from == nullptr || count > room) return 34;
    std::memcpy(to, from, count);
    return EOK;
}
#endif

// ---- helpers that projects share

namespace Ops {
namespace Base {

template <class A, class B> constexpr auto CeilDiv(A a, B b) -> std::common_type_t<A, B>
{
    using T = std::common_type_t<A, B>;
    return b == 0 ? T(a) : (T(a) + T(b) - 1) / T(b);
}
template <class A, class B> constexpr auto FloorDiv(A a, B b) -> std::common_type_t<A, B>
{
    using T = std::common_type_t<A, B>;
    return b == 0 ? T(a) : T(a) / T(b);
}
template <class A, class B> constexpr auto CeilAlign(A a, B b) -> std::common_type_t<A, B> { return CeilDiv(a, b) * b; }
template <class A, class B> constexpr auto FloorAlign(A a, B b) -> std::common_type_t<A, B> { return b == 0 ? a : FloorDiv(a, b) * b; }
template <class A, class B> constexpr A GetRem(A a, B b) { return b == 0 ? a : a % b; }

template <class Context> inline uint32_t GetUbBlockSize(Context*) { return 32; }
template <class Context> inline uint32_t GetVRegSize(Context*) { return 256; }
template <class Context> inline uint64_t GetUbSize(Context*) { return ACTGRAD_UB_BYTES; }
template <class Context> inline uint32_t GetAivCoreNum(Context*) { return ACTGRAD_VECTOR_CORES; }
template <class Context> inline uint32_t GetAicCoreNum(Context*) { return ACTGRAD_CUBE_CORES; }
template <class Context> inline uint32_t GetCacheLineSize(Context*) { return 128; }

inline const gert::Shape& EnsureNotScalar(const gert::Shape& shape)
{
    static const gert::Shape one = {1};
    return shape.IsScalar() ? one : shape;
}
inline std::string ToString(const gert::Shape& shape)
{
    std::string text = "[";
    for (size_t i = 0; i < shape.GetDimNum(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape.GetDim(i));
    return text + "]";
}
inline std::string ToString(ge::DataType type) { return ge::TypeUtils::DataTypeToSerialString(type); }

}  // namespace Base

namespace NN {
namespace OpTiling {
using Base::EnsureNotScalar;
template <class Context> inline bool IsRegbaseSocVersion(Context*) { return __NPU_ARCH__ == 3510; }
}  // namespace OpTiling
}  // namespace NN

namespace NN {
namespace Optiling {

// A tiling in steps: the first registered template that is capable runs.
class TilingBaseClass {
public:
    explicit TilingBaseClass(gert::TilingContext* context) : context_(context) {}
    virtual ~TilingBaseClass() = default;
    virtual void Reset(gert::TilingContext* context) { context_ = context; }
    ge::graphStatus DoTiling()
    {
        if (GetShapeAttrsInfo() != ge::GRAPH_SUCCESS || GetPlatformInfo() != ge::GRAPH_SUCCESS) return ge::GRAPH_FAILED;
        if (!IsCapable()) return ge::GRAPH_PARAM_INVALID;
        if (DoOpTiling() != ge::GRAPH_SUCCESS || DoLibApiTiling() != ge::GRAPH_SUCCESS ||
            GetWorkspaceSize() != ge::GRAPH_SUCCESS || PostTiling() != ge::GRAPH_SUCCESS)
            return ge::GRAPH_FAILED;
        context_->SetTilingKey(GetTilingKey());
        DumpTilingInfo();
        return ge::GRAPH_SUCCESS;
    }

protected:
    virtual bool IsCapable() = 0;
    virtual ge::graphStatus GetPlatformInfo() = 0;
    virtual ge::graphStatus GetShapeAttrsInfo() = 0;
    virtual ge::graphStatus DoOpTiling() = 0;
    virtual ge::graphStatus DoLibApiTiling() = 0;
    virtual uint64_t GetTilingKey() const = 0;
    virtual ge::graphStatus GetWorkspaceSize() = 0;
    virtual ge::graphStatus PostTiling() = 0;
    virtual void DumpTilingInfo() {}

    gert::TilingContext* context_ = nullptr;
    uint32_t blockDim_ = 0;
    uint64_t workspaceSize_ = 0, tilingKey_ = 0;
};

class TilingRegistry {
public:
    static TilingRegistry& GetInstance()
    {
        static TilingRegistry registry;
        return registry;
    }
    using Make = std::unique_ptr<TilingBaseClass> (*)(gert::TilingContext*);
    bool Add(const std::string& op, int32_t priority, Make make)
    {
        makers_[op].insert({priority, make});
        return true;
    }
    ge::graphStatus DoTilingImpl(gert::TilingContext* context)
    {
        for (const auto& [op, makers] : makers_)
            for (const auto& [priority, make] : makers) {
                const ge::graphStatus status = make(context)->DoTiling();
                if (status != ge::GRAPH_PARAM_INVALID) return status;
            }
        return ge::GRAPH_FAILED;
    }

private:
    std::map<std::string, std::multimap<int32_t, Make>> makers_;
};

}  // namespace Optiling
}  // namespace NN
}  // namespace Ops

#ifndef ACTGRAD_KERNEL
#define ACTGRAD_JOIN_(a, b) a##b
#define ACTGRAD_JOIN(a, b) ACTGRAD_JOIN_(a, b)
#define REGISTER_TILING_TEMPLATE(op, Class, priority)                                                       \
    static const bool ACTGRAD_JOIN(actgrad_template_, __COUNTER__) =                                        \
        ::Ops::NN::Optiling::TilingRegistry::GetInstance().Add(                                             \
            op, priority, [](gert::TilingContext* context) -> std::unique_ptr<::Ops::NN::Optiling::TilingBaseClass> { \
                return std::make_unique<Class>(context);                                                    \
            })
#define REGISTER_OPS_TILING_TEMPLATE(Op, Class, priority) REGISTER_TILING_TEMPLATE(#Op, Class, priority)
#endif

#include "host_definition.h"
#include "host_keys.h"
#include "tiling_fields.h"
