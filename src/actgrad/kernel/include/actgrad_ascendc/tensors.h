// LocalTensor: a tensor in UB. GlobalTensor: a tensor in global memory.
//
// Both are small values that kernels copy freely; copies share the memory. `x[n]` is the part from element n on. It
// keeps the bounds of the buffer that it was cut from, so that an access behind the buffer is found.
//
// Scalar accesses (GetValue, SetValue, x(n)) run on pipe S. The compiler orders them against the other pipes.
#pragma once

#include "core.h"

namespace AscendC {

template <class T> class LocalTensor;
template <class T> class GlobalTensor;

}  // namespace AscendC

namespace actgrad {

// The right operand of `a + b`. An operator has no room for a position, but the conversion of its operand has.
template <class T>
struct Located {
    const AscendC::LocalTensor<T>& tensor;
    Where at;

    Located(const AscendC::LocalTensor<T>& from, ACTGRAD_AT) : tensor(from), at(at) {}
};
namespace operators {
struct Add; struct Sub; struct Mul; struct Div; struct And; struct Or;
struct Less; struct Greater; struct Equal; struct LessEqual; struct GreaterEqual; struct NotEqual;
}  // namespace operators

// `a + b` before it is assigned: the call runs when the destination is known.
template <class T, class Operator>
struct TensorExpression {
    using is_tensor_expression = void;
    const AscendC::LocalTensor<T>& a;
    const AscendC::LocalTensor<T>& b;
    Where at;

    template <class D>
    void write_to(AscendC::LocalTensor<D>& dst) const
    {
        Operator::run(dst, a, b, at);
    }
};

// `tensor(n)`: reads like a value and may be assigned.
template <class Tensor, class T>
class Element {
public:
    Element(const Tensor& tensor, uint64_t index, Where at) : tensor_(tensor), index_(index), at_(at) {}
    operator T() const { return tensor_.GetValue(index_, at_); }
    Element& operator=(T value)
    {
        tensor_.SetValue(index_, value, at_);
        return *this;
    }
    Element& operator=(const Element& other) { return *this = static_cast<T>(other); }

private:
    Tensor tensor_;
    uint64_t index_;
    Where at_;
};

// The undefined bytes of an operand, for the message once they reach global memory: the call that read them first.
Where origin_of(uint32_t address, uint32_t bytes, Where otherwise);

// Undefined bytes reach global memory.
[[gnu::cold]] void report_undefined(uint32_t address, uint32_t bytes, uint32_t low, Where at);

}  // namespace actgrad

namespace AscendC {

template <class T>
class LocalTensor : public actgrad::View {
public:
    using PrimType = T;

    LocalTensor() = default;
    explicit LocalTensor(const actgrad::View& view) : actgrad::View(view) {}

    // The part from element `offset` on.
    LocalTensor operator[](uint64_t offset) const
    {
        constexpr int64_t far = 1 << 30;  // an offset that 32 bits cannot hold must not come back into the buffer
        LocalTensor part = *this;
        part.address += static_cast<uint32_t>(std::max(-far, std::min(far, static_cast<int64_t>(offset * sizeof(T)))));
        part.bytes = offset * sizeof(T) < bytes ? bytes - static_cast<uint32_t>(offset * sizeof(T)) : 0;
        return part;
    }
    actgrad::Element<LocalTensor, T> operator()(uint64_t index, ACTGRAD_AT) const { return {*this, index, at}; }

    T GetValue(uint64_t index, ACTGRAD_AT) const
    {
        const uint32_t from = address + static_cast<uint32_t>(index * sizeof(T));
        T value{};
        if (!reach(from, at)) return value;
        if (actgrad::options.checks) {
            actgrad::core->scalar_access(from, false);
            if (!actgrad::core->shadow->is_defined(from, sizeof(T)))
                ACTGRAD_ERROR(ub_uninitialised, at, "element %llu is read by the scalar unit, and no call has written "
                              "it", static_cast<unsigned long long>(index));
        }
        std::memcpy(&value, actgrad::core->ub + from, sizeof(T));
        return value;
    }
    template <class U>
    void SetValue(uint64_t index, U value, ACTGRAD_AT) const
    {
        const uint32_t from = address + static_cast<uint32_t>(index * sizeof(T));
        if (!reach(from, at)) return;
        if (actgrad::options.checks) {
            actgrad::core->scalar_access(from, true);
            actgrad::core->shadow->define(from, sizeof(T));
        }
        const T converted = static_cast<T>(value);
        std::memcpy(actgrad::core->ub + from, &converted, sizeof(T));
    }

    template <class U>
    LocalTensor<U> ReinterpretCast() const
    {
        return LocalTensor<U>(static_cast<const actgrad::View&>(*this));
    }
    uint32_t GetSize() const { return bytes / sizeof(T); }
    uint32_t GetLength() const { return bytes; }
    void SetSize(uint32_t elements) { bytes = elements * sizeof(T); }
    void SetBufferLen(uint32_t elements) { bytes = elements * sizeof(T); }
    TPosition GetPosition() const { return position; }
    // An integer, as on the device: kernels cast it to a pointer, or put it into a list of addresses.
    uint64_t GetPhyAddr() const { return reinterpret_cast<uint64_t>(actgrad::core->ub + address); }
    uint64_t GetPhyAddr(uint32_t offset) const { return GetPhyAddr() + offset * sizeof(T); }
    template <class Tag> void SetUserTag(Tag) const {}

    // Whole-tensor operators: y = a + b, mask = a < b. See operators.h.
#define ACTGRAD_OPERATOR(symbol, name)                                                                            \
    friend actgrad::TensorExpression<T, actgrad::operators::name> operator symbol(const LocalTensor& a,           \
                                                                                  actgrad::Located<T> b)          \
    {                                                                                                             \
        return {a, b.tensor, b.at};                                                                               \
    }
    ACTGRAD_OPERATOR(+, Add)
    ACTGRAD_OPERATOR(-, Sub)
    ACTGRAD_OPERATOR(*, Mul)
    ACTGRAD_OPERATOR(/, Div)
    ACTGRAD_OPERATOR(&, And)
    ACTGRAD_OPERATOR(|, Or)
    ACTGRAD_OPERATOR(<, Less)
    ACTGRAD_OPERATOR(>, Greater)
    ACTGRAD_OPERATOR(==, Equal)
    ACTGRAD_OPERATOR(<=, LessEqual)
    ACTGRAD_OPERATOR(>=, GreaterEqual)
    ACTGRAD_OPERATOR(!=, NotEqual)
#undef ACTGRAD_OPERATOR
    template <class Expression, class = typename Expression::is_tensor_expression>
    LocalTensor& operator=(const Expression& expression)
    {
        expression.write_to(*this);
        return *this;
    }

private:
    bool reach(uint32_t from, actgrad::Where at) const
    {
        actgrad::report.last = at;
        return !actgrad::options.checks || actgrad::core->may_use(*this, from, sizeof(T), "tensor", at, sizeof(T));
    }
};

template <class T>
class GlobalTensor {
public:
    using PrimType = T;

    void SetGlobalBuffer(__gm__ T* buffer, uint64_t size) { SetGlobalBuffer(buffer), size_ = size; }
    void SetGlobalBuffer(__gm__ T* buffer)
    {
        argument_ = actgrad::memory.find(buffer);
        data_ = buffer;
        size_ = 0;
    }
    GlobalTensor operator[](uint64_t offset) const
    {
        GlobalTensor part = *this;
        part.data_ = reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(data_) + offset * sizeof(T));
        part.size_ = offset < size_ ? size_ - offset : 0;
        return part;
    }
    actgrad::Element<GlobalTensor, T> operator()(uint64_t index, ACTGRAD_AT) const { return {*this, index, at}; }

    T GetValue(uint64_t index, ACTGRAD_AT) const
    {
        actgrad::report.last = at;
        T value{};
        const actgrad::Pieces pieces{offset_bytes() + static_cast<int64_t>(index * sizeof(T)), sizeof(T), 0, 1};
        if (!is_usable(pieces, false, at)) return value;
        if (actgrad::options.checks && argument_ >= 0) actgrad::core->gm_read(PIPE_S, argument_, pieces, at);
        std::memcpy(&value, data_ + index, sizeof(T));
        return value;
    }
    template <class U>
    void SetValue(uint64_t index, U value, ACTGRAD_AT) const
    {
        actgrad::report.last = at;
        const actgrad::Pieces pieces{offset_bytes() + static_cast<int64_t>(index * sizeof(T)), sizeof(T), 0, 1};
        if (!is_usable(pieces, true, at)) return;
        const T converted = static_cast<T>(value);
        if (actgrad::options.checks && argument_ >= 0) {
            // The scalar unit writes whole lines of its cache, which hold 64 bytes.
            actgrad::Pieces line = pieces;
            line.start = pieces.start / 64 * 64;
            line.piece = std::min<int64_t>(pieces.start / 64 * 64 + 64,
                                           actgrad::memory.arguments[argument_].bytes) - line.start;
            const bool same = std::memcmp(data_ + index, &converted, sizeof(T)) == 0;
            actgrad::core->gm_write(PIPE_S, argument_, line, same, at);
        }
        std::memcpy(static_cast<void*>(data_ + index), &converted, sizeof(T));
    }

    template <class U>
    GlobalTensor<U> ReinterpretCast() const
    {
        GlobalTensor<U> other;
        other.argument_ = argument_;
        other.data_ = reinterpret_cast<U*>(data_);
        other.size_ = size_ * sizeof(T) / sizeof(U);
        return other;
    }
    __gm__ T* GetPhyAddr() const { return data_; }
    __gm__ T* GetPhyAddr(uint64_t offset) const { return data_ + offset; }
    uint64_t GetSize() const { return size_; }
    template <CacheRwMode mode = CacheRwMode::RW> void SetL2CacheHint(CacheMode) const {}
    template <class Mode> void SetL2CacheHint(Mode) const {}

    // For the calls of the interface.
    int argument() const { return argument_; }
    int64_t offset_bytes() const
    {
        return argument_ < 0 ? 0 : reinterpret_cast<uint8_t*>(data_) - actgrad::memory.arguments[argument_].data;
    }

private:
    template <class> friend class GlobalTensor;

    bool is_usable(const actgrad::Pieces& pieces, bool is_write, actgrad::Where at) const
    {
        if (!actgrad::core->may_use_gm(argument_, pieces, is_write, at)) return argument_ < 0 && !actgrad::memory.is_complete;
        return pieces.low() >= 0 && pieces.high() <= static_cast<int64_t>(actgrad::memory.arguments[argument_].bytes);
    }

    __gm__ T* data_ = nullptr;
    uint64_t size_ = 0;
    int argument_ = -1;
};

}  // namespace AscendC
