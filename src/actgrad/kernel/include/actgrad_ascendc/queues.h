// TPipe, TQue, TQueBind, TBuf and TBufPool: the memory of UB, and the queues between pipes.
//
// InitBuffer gives a queue `num` buffers of `len` bytes. A tensor of a queue goes round: AllocTensor (taken), EnQue
// (queued), DeQue (taken again), FreeTensor (free). Each step hands over a clock:
//   EnQue with DeQue           the emptying pipe waits for the filling pipe  (VECIN: MTE2 to V, VECOUT: V to MTE3)
//   FreeTensor with AllocTensor  the filling pipe waits for the emptying pipe
// `depth` is the number of EnQue without a DeQue between them.
#pragma once

#include "tensors.h"

namespace actgrad {

// The steps of a queue, by its number in the core.
uint16_t new_queue(TPosition source, TPosition destination, int depth, uint32_t count, uint32_t bytes, Where at);
View take(uint16_t queue, pipe_t filling, TPosition position, Where at);
bool put(uint16_t queue, const View& tensor, pipe_t filling, Where at);
View pop(uint16_t queue, pipe_t emptying, TPosition position, Where at);
void give_back(uint16_t queue, const View& tensor, pipe_t emptying, Where at);
size_t tensors_waiting(uint16_t queue);
bool has_free_buffer(uint16_t queue);

}  // namespace actgrad

namespace AscendC {

class TPipe;
inline TPipe* current_pipe = nullptr;

struct TQueConfig {
    bool nd2nz = false, nz2nd = false, scmBlockGroup = false;
    uint32_t bufferLen = 0, bufferNumber = 0, consumerSize = 0;
    TPosition consumer[8] = {};
    bool enableStaticEvtId = false, enableLoopQueue = false;
};

template <TPosition source, TPosition destination, int32_t depth, auto mask = 0>
class TQueBind {
public:
    static constexpr TPosition from = source, to = destination;
    static constexpr int32_t queue_depth = depth;

    template <class T>
    LocalTensor<T> AllocTensor(ACTGRAD_AT)
    {
        return LocalTensor<T>(actgrad::take(number_, actgrad::filling_pipe(source), tensor_position, at));
    }
    template <class T>
    void AllocTensor(LocalTensor<T>& tensor, ACTGRAD_AT)
    {
        tensor = LocalTensor<T>(actgrad::take(number_, actgrad::filling_pipe(source), tensor_position, at));
    }
    template <class T>
    bool EnQue(const LocalTensor<T>& tensor, ACTGRAD_AT)
    {
        return actgrad::put(number_, tensor, actgrad::filling_pipe(source), at);
    }
    template <TPosition userSource, TPosition userDestination, class T>
    bool EnQue(const LocalTensor<T>& tensor, ACTGRAD_AT)
    {
        return actgrad::put(number_, tensor, actgrad::filling_pipe(userSource), at);
    }
    template <class T>
    LocalTensor<T> DeQue(ACTGRAD_AT)
    {
        return LocalTensor<T>(actgrad::pop(number_, actgrad::emptying_pipe(destination), tensor_position, at));
    }
    template <class T>
    void DeQue(LocalTensor<T>& tensor, ACTGRAD_AT)
    {
        tensor = LocalTensor<T>(actgrad::pop(number_, actgrad::emptying_pipe(destination), tensor_position, at));
    }
    template <TPosition userSource, TPosition userDestination, class T>
    LocalTensor<T> DeQue(ACTGRAD_AT)
    {
        return LocalTensor<T>(actgrad::pop(number_, actgrad::emptying_pipe(userDestination), tensor_position, at));
    }
    template <class T>
    void FreeTensor(LocalTensor<T>& tensor, ACTGRAD_AT)
    {
        actgrad::give_back(number_, tensor, actgrad::emptying_pipe(destination), at);
    }
    template <class T>
    void FreeTensor(const LocalTensor<T>& tensor, ACTGRAD_AT)
    {
        actgrad::give_back(number_, tensor, actgrad::emptying_pipe(destination), at);
    }
    // Waits until all buffers are free, and forgets them.
    void FreeAllEvent() {}
    int32_t GetTensorCountInQue() const
    {
        return static_cast<int32_t>(actgrad::tensors_waiting(number_));
    }
    bool VacantInQue() const
    {
        return number_ != 0 && GetTensorCountInQue() < std::max(depth, 1);
    }
    bool HasTensorInQue() const { return GetTensorCountInQue() > 0; }
    bool HasIdleBuffer() const { return actgrad::has_free_buffer(number_); }

    // For TPipe::InitBuffer.
    void init(uint32_t count, uint32_t bytes, actgrad::Where at)
    {
        number_ = actgrad::new_queue(source, destination, std::max(depth, 1), count, bytes, at);
    }

private:
    static constexpr TPosition tensor_position = destination == TPosition::GM ? source : destination;

    uint16_t number_ = 0;  // of the queue in the core
};

namespace detail {
constexpr TPosition source_of(TPosition position)
{
    return position == TPosition::VECOUT || position == TPosition::VECCALC || position == TPosition::CO1 ||
                   position == TPosition::CO2
               ? position
               : TPosition::GM;
}
constexpr TPosition destination_of(TPosition position)
{
    return position == TPosition::VECOUT || position == TPosition::CO2 ? TPosition::GM : position;
}
}  // namespace detail

// A queue at one position: VECIN is filled from global memory, VECOUT is emptied to it, VECCALC stays inside.
template <TPosition position, int32_t depth, auto mask = 0>
class TQue : public TQueBind<detail::source_of(position), detail::destination_of(position), depth, mask> {};

// One buffer without a queue: scratch memory.
template <TPosition position = TPosition::VECCALC>
class TBuf {
public:
    template <class T>
    LocalTensor<T> Get(ACTGRAD_AT) const
    {
        return LocalTensor<T>(view(at));
    }
    template <class T>
    LocalTensor<T> Get(uint32_t elements, ACTGRAD_AT) const
    {
        return part<T>(elements, 0, at);
    }
    // `elements` elements from byte `offset` on, which is a multiple of 32.
    template <class T>
    LocalTensor<T> GetWithOffset(uint32_t elements, uint32_t offset, ACTGRAD_AT) const
    {
        if (offset % 32 != 0)
            ACTGRAD_ERROR(ub_alignment, at, "the offset %u of GetWithOffset is not a multiple of 32 bytes", offset);
        return part<T>(elements, offset, at);
    }
    template <class T> LocalTensor<T> AllocTensor(ACTGRAD_AT) const { return Get<T>(at); }
    template <class T> void FreeTensor(LocalTensor<T>&) const {}
    template <class T> bool EnQue(const LocalTensor<T>&) const { return true; }
    template <class T> LocalTensor<T> DeQue(ACTGRAD_AT) const { return Get<T>(at); }
    uint32_t GetBufLen() const { return actgrad::core->buffers[number_].bytes; }

    void init(uint32_t bytes, actgrad::Where at) { number_ = actgrad::core->new_buffer(bytes, 0, at); }

private:
    actgrad::View view(actgrad::Where at) const
    {
        actgrad::report.last = at;
        if (number_ == 0) {
            ACTGRAD_ERROR(ub_out_of_bounds, at, "Get of a TBuf that has no memory; InitBuffer must give it some");
            throw actgrad::StopBlock();
        }
        return actgrad::core->view_of(number_, position);
    }
    template <class T>
    LocalTensor<T> part(uint32_t elements, uint32_t offset, actgrad::Where at) const
    {
        actgrad::View whole = view(at);
        const uint64_t end = offset + uint64_t{elements} * sizeof(T);
        if (end > whole.bytes)
            ACTGRAD_ERROR(ub_out_of_bounds, at, "a tensor up to byte %llu does not fit into the %u bytes of the TBuf",
                          static_cast<unsigned long long>(end), whole.bytes);
        whole.address += offset;
        whole.bytes = elements * sizeof(T);
        return LocalTensor<T>(whole);
    }

    uint16_t number_ = 0;
};

// A part of UB that is cut into buffers again and again: Reset forgets the buffers.
template <TPosition position, uint32_t count = 4>
class TBufPool {
public:
    template <class Queue>
    bool InitBuffer(Queue& queue, uint8_t num, uint32_t len, ACTGRAD_AT)
    {
        return inside(uint64_t{num} * ((len + 31) / 32 * 32), at, [&] { queue.init(num, len, at); });
    }
    template <TPosition bufferPosition>
    bool InitBuffer(TBuf<bufferPosition>& buffer, uint32_t len, ACTGRAD_AT)
    {
        return inside((len + 31) / 32 * 32, at, [&] { buffer.init(len, at); });
    }
    template <class Pool>
    bool InitBufPool(Pool& pool, uint32_t len, ACTGRAD_AT)
    {
        return inside((len + 31) / 32 * 32, at, [&] { pool.init(len, at); });
    }
    // The buffers of this pool are gone; tensors in them dangle.
    void Reset()
    {
        for (uint16_t index : buffers_) {
            actgrad::Buffer& buffer = actgrad::core->buffers[index];
            buffer.state = actgrad::State::dead;
            ++buffer.generation;
        }
        buffers_.clear();
        filled_ = 0;
    }

    void init(uint32_t bytes, actgrad::Where at)
    {
        const uint16_t index = actgrad::core->new_buffer(bytes, 0, at);
        start_ = actgrad::core->buffers[index].start;
        bytes_ = actgrad::core->buffers[index].bytes;
    }
    template <class Pool>
    void share(const Pool& other)
    {
        start_ = other.start_;
        bytes_ = other.bytes_;
    }

private:
    template <TPosition, uint32_t> friend class TBufPool;

    template <class F>
    bool inside(uint64_t bytes, actgrad::Where at, F make)
    {
        if (filled_ + bytes > bytes_) {
            ACTGRAD_ERROR(ub_capacity, at, "the buffers of the pool take %llu bytes; the pool has %u",
                          static_cast<unsigned long long>(filled_ + bytes), bytes_);
            throw actgrad::StopBlock();
        }
        const uint32_t saved = actgrad::core->used;
        const size_t first = actgrad::core->buffers.size();
        actgrad::core->used = start_ + filled_;
        make();
        for (size_t index = first; index < actgrad::core->buffers.size(); ++index)
            buffers_.push_back(static_cast<uint16_t>(index));
        filled_ = actgrad::core->used - start_;
        actgrad::core->used = saved;
        return true;
    }

    uint32_t start_ = 0, bytes_ = 0, filled_ = 0;
    std::vector<uint16_t> buffers_;
};

// The owner of a core's memory and event ids. A kernel has one at a time.
class TPipe {
public:
    TPipe()
    {
        current_pipe = this;
    }

    template <class Queue>
    bool InitBuffer(Queue& queue, actgrad::U8 num, actgrad::U32 len, ACTGRAD_AT)
    {
        actgrad::report.last = at;
        queue.init(num, len, at);
        return true;
    }
    template <TPosition position>
    bool InitBuffer(TBuf<position>& buffer, actgrad::U32 len, ACTGRAD_AT)
    {
        actgrad::report.last = at;
        buffer.init(len, at);
        return true;
    }
    template <class Pool>
    bool InitBufPool(Pool& pool, uint32_t len, ACTGRAD_AT)
    {
        pool.init(len, at);
        return true;
    }
    template <class Pool, class Other>
    bool InitBufPool(Pool& pool, uint32_t len, Other& other, ACTGRAD_AT)
    {
        pool.share(other);
        return true;
    }
    // Back to the state after construction: all buffers and event ids are free.
    void Reset()
    {
        actgrad::core->forget_buffers();
        std::memset(actgrad::core->reserved_ids, 0, sizeof actgrad::core->reserved_ids);
    }
    void Init() {}
    void Destroy() { Reset(); }

    // Reserves an event id until ReleaseEventID.
    template <HardEvent event>
    TEventID AllocEventID(ACTGRAD_AT)
    {
        uint8_t& ids = actgrad::core->reserved_ids[static_cast<int>(event)];
        for (int id = 0; id < actgrad::Core::event_ids; ++id)
            if ((ids >> id & 1) == 0) {
                ids = static_cast<uint8_t>(ids | 1 << id);
                return static_cast<TEventID>(id);
            }
        ACTGRAD_ERROR(flag_unpaired, at, "all %d event ids are reserved; ReleaseEventID must give one back",
                      actgrad::Core::event_ids);
        throw actgrad::StopBlock();
    }
    template <HardEvent event>
    void ReleaseEventID(TEventID id, ACTGRAD_AT)
    {
        uint8_t& ids = actgrad::core->reserved_ids[static_cast<int>(event)];
        if ((ids >> (id & 7) & 1) == 0)
            ACTGRAD_ERROR(flag_unpaired, at, "event id %d is given back and was not reserved", id);
        ids = static_cast<uint8_t>(ids & ~(1 << (id & 7)));
    }
    // An event id that nobody has reserved. Two calls may return the same one.
    template <HardEvent event>
    TEventID FetchEventID()
    {
        return FetchEventID(event);
    }
    TEventID FetchEventID(HardEvent event)
    {
        const uint8_t ids = actgrad::core->reserved_ids[static_cast<int>(event)];
        for (int id = 0; id < actgrad::Core::event_ids; ++id)
            if ((ids >> id & 1) == 0) return static_cast<TEventID>(id);
        return 0;
    }
};

inline TPipe* GetTPipePtr() { return current_pipe; }

// All of UB that InitBuffer has not given out, as one tensor.
template <class T, TPosition position>
bool PopStackBuffer(LocalTensor<T>& tensor, ACTGRAD_AT)
{
    using actgrad::core;
    actgrad::report.last = at;
    const uint32_t start = core->used;
    if (start >= actgrad::options.ub) return false;
    const uint16_t index = core->new_buffer(actgrad::options.ub - start, 0, at);
    tensor = LocalTensor<T>(core->view_of(index, position));
    core->used = start;
    return true;
}

}  // namespace AscendC
